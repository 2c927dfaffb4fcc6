//! Reads times of day.

use jiff::civil::Time;

use super::names::Name;
use super::reader::Reader;
use super::tokens::Token;

/// Maximum number of tokens between a date and its time: behind it, and before it.
const TOKENS_BEHIND: usize = 5;
const TOKENS_BEFORE: usize = 9;

/// A time of day at some place of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeOfDay {
    pub time: Time,
    /// The distance from UTC in seconds.
    pub offset: Option<i32>,
    /// Whether it counts twelve hours.
    pub is_half: bool,
    /// Number of tokens.
    pub length: usize,
}

impl Reader<'_> {
    /// Returns the place and the time of the clock that is nearest to a date.
    pub fn clock_near(&self, from: usize, to: usize) -> Option<(usize, TimeOfDay)> {
        let after = (to..self.tokens.len().min(to + TOKENS_BEHIND)).find_map(|at| Some((at, self.clock(at)?)));
        let before = || (from.saturating_sub(TOKENS_BEFORE)..from).find_map(|at| Some((at, self.clock(at)?)));
        after.or_else(before)
    }

    /// Returns the time of day that begins at a place.
    pub fn clock(&self, at: usize) -> Option<TimeOfDay> {
        if at > 0 && matches!(self.mark(at - 1), Some(':' | '+')) {
            return None;
        }
        if let Some(named) = self.named_time(at) {
            return Some(named);
        }
        let (hour, _) = self.number(at).filter(|(_, digits)| *digits <= 2)?;
        let minute = self.number(at + 2).filter(|(minute, digits)| *digits == 2 && *minute < 60);
        let has_minute = matches!(self.mark(at + 1), Some(':')) && minute.is_some();
        let mut is_half = self.half_of_day(at + 1).is_some();
        if !has_minute && !is_half {
            return None;
        }
        let (minute, mut end) = if has_minute { (minute?.0, at + 3) } else { (0, at + 1) };
        let mut second = 0;
        if has_minute
            && self.mark(end) == Some(':')
            && let Some((value, 2)) = self.number(end + 1)
        {
            (second, end) = (value, end + 2);
            if self.mark(end) == Some('.') && self.number(end + 1).is_some() {
                end += 2;
            }
        }
        let hour = match self.half_of_day(end) {
            Some((half, length)) if (1..=12).contains(&hour) => {
                (end, is_half) = (end + length, true);
                hour % 12 + if half == Name::Afternoon { 12 } else { 0 }
            }
            _ => hour,
        };
        let time =
            Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, i8::try_from(second).ok()?, 0).ok()?;
        let (offset, end) = self.offset(end);
        Some(TimeOfDay { time, offset, is_half, length: end - at })
    }

    /// Returns which half of the day is named at a place, such as `PM` or `p.m.`, and the number of tokens.
    fn half_of_day(&self, at: usize) -> Option<(Name, usize)> {
        let is_half = |name: &Name| matches!(name, Name::Morning | Name::Afternoon);
        if let Some(half) = self.name(at).filter(is_half) {
            return Some((half, 1));
        }
        let letter = |at: usize| match self.token(at)? {
            Token::Word(word, _) => Some(&**word),
            _ => None,
        };
        let half = match (letter(at)?, self.mark(at + 1)?, letter(at + 2)?) {
            ("a", '.', "m") => Name::Morning,
            ("p", '.', "m") => Name::Afternoon,
            _ => return None,
        };
        Some((half, if self.mark(at + 3) == Some('.') { 4 } else { 3 }))
    }

    /// Returns the time that a word stands for.
    fn named_time(&self, at: usize) -> Option<TimeOfDay> {
        let hour = match self.token(at)? {
            Token::Word(word, _) if &**word == "noon" => 12,
            Token::Word(word, _) if &**word == "midnight" => 0,
            _ => return None,
        };
        let time = Time::new(hour, 0, 0, 0).ok()?;
        Some(TimeOfDay { time, offset: None, is_half: true, length: 1 })
    }

    /// Returns the distance from UTC at a place, and the place behind it.
    fn offset(&self, at: usize) -> (Option<i32>, usize) {
        match self.token(at) {
            Some(Token::Word(zone, _)) if matches!(&**zone, "z" | "utc" | "gmt") => (Some(0), at + 1),
            Some(Token::Mark(sign @ ('+' | '-'))) => {
                let sign = if *sign == '-' { -1 } else { 1 };
                match (self.number(at + 1), self.mark(at + 2), self.number(at + 3)) {
                    (Some((hours, 2)), Some(':'), Some((minutes, 2))) if hours <= 14 && minutes < 60 => {
                        (Some(sign * (hours * 3_600 + minutes * 60) as i32), at + 4)
                    }
                    (Some((both, 4)), ..) if both <= 1_459 => {
                        (Some(sign * (both / 100 * 3_600 + both % 100 * 60) as i32), at + 2)
                    }
                    _ => (None, at),
                }
            }
            _ => (None, at),
        }
    }
}
