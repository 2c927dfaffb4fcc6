//! Reads dates at some place of a text.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{Span, ToSpan};

use super::names::{Name, Unit, unit};
use super::tokens::Token;

/// The first year of a date.
const YEAR_MIN: i16 = 1985;
/// Maximum number of tokens between the parts of a date.
const FILLERS_MAX: usize = 2;

/// A date at some place of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Day {
    pub date: Date,
    pub other: Option<Date>,
    /// The time, if it is told by a distance.
    pub time: Option<Time>,
    pub has_day: bool,
    /// Whether the month is before the day, if numbers alone tell it.
    pub is_month_first: Option<bool>,
    pub is_relative: bool,
    /// Number of tokens.
    pub length: usize,
}

impl Day {
    const fn certain(date: Date, length: usize) -> Self {
        Self { date, other: None, time: None, has_day: true, is_month_first: None, is_relative: false, length }
    }
}

pub(super) struct Reader<'t> {
    pub tokens: &'t [(Token<'t>, bool)],
    pub now: DateTime,
}

impl Reader<'_> {
    pub fn token(&self, at: usize) -> Option<&Token<'_>> {
        self.tokens.get(at).map(|(token, _)| token)
    }

    pub fn number(&self, at: usize) -> Option<(u64, usize)> {
        match self.token(at)? {
            Token::Number(value, digits) => Some((*value, *digits)),
            _ => None,
        }
    }

    pub fn name(&self, at: usize) -> Option<Name> {
        match self.token(at)? {
            Token::Word(_, name) => *name,
            _ => None,
        }
    }

    pub fn mark(&self, at: usize) -> Option<char> {
        match self.token(at)? {
            Token::Mark(mark) => Some(*mark),
            Token::Word(word, _) => word
                .chars()
                .next()
                .filter(|c| matches!(c, '年' | '月' | '日' | '년' | '월' | '일') && word.chars().count() == 1),
            Token::Number(..) => None,
        }
    }

    /// Returns the date that begins at a place.
    pub fn day(&self, at: usize) -> Option<Day> {
        // A part of a longer number, such as a version, is none.
        if at > 0
            && self.number(at).is_some()
            && matches!(self.mark(at - 1), Some('.' | '-' | '/'))
            && self.number(at.wrapping_sub(2)).is_some()
        {
            return None;
        }
        self.numeric(at)
            .or_else(|| self.day_and_month(at))
            .or_else(|| self.month_and_day(at))
            .or_else(|| self.relative(at))
            .or_else(|| self.weekday_with_time(at))
    }

    /// Numbers only, such as `2020-04-23`, `23.04.2020`, `4/23/20`.
    fn numeric(&self, at: usize) -> Option<Day> {
        let ((a, a_digits), (b, b_digits), (c, c_digits)) =
            (self.number(at)?, self.number(at + 2)?, self.number(at + 4)?);
        let (first, second) = (self.mark(at + 1)?, self.mark(at + 3)?);
        let is_eastern = matches!((first, second), ('年', '月') | ('년', '월'));
        if !(is_eastern || (first == second && matches!(first, '.' | '-' | '/'))) {
            return None;
        }
        if a_digits == 4 && b_digits <= 2 && c_digits <= 2 {
            let length = if is_eastern { 6 } else { 5 };
            return Some(Day::certain(self.date(a, b, c)?, length));
        }
        if a_digits > 2 || b_digits > 2 || !matches!(c_digits, 2 | 4) {
            return None;
        }
        let year = self.year(c, c_digits)?;
        let (day_first, month_first) = (self.date(year, b, a), self.date(year, a, b));
        let date = day_first.or(month_first)?;
        let other = day_first.and(month_first);
        let is_month_first = if other.is_some() { None } else { Some(day_first.is_none()) };
        Some(Day { other, is_month_first, ..Day::certain(date, 5) })
    }

    /// A day before the name of its month, such as `8th of March 2020`, `23. April`.
    fn day_and_month(&self, at: usize) -> Option<Day> {
        let (day, digits) = self.number(at)?;
        if digits > 2 || !(1..=31).contains(&day) {
            return None;
        }
        let mut place = self.skip(at + 1, |token| is_filler(token) || is_ordinal(token));
        let Name::Month(month) = self.name(place)? else { return None };
        place += 1;
        self.with_year(day, month, at, place)
    }

    /// The name of a month before its day, such as `April 23rd, 2020`, `Apr 23`, `September 2019`.
    fn month_and_day(&self, at: usize) -> Option<Day> {
        let Name::Month(month) = self.name(at)? else { return None };
        let place = self.skip(at + 1, is_filler);
        let (number, digits) = self.number(place)?;
        if digits == 4 {
            let date = self.date(self.year(number, 4)?, month as u64, 1)?;
            return Some(Day { has_day: false, ..Day::certain(date, place + 1 - at) });
        }
        if digits > 2 || !(1..=31).contains(&number) || self.mark(place + 1) == Some(':') {
            return None;
        }
        let place = self.skip(place + 1, is_ordinal);
        self.with_year(number, month, at, place)
    }

    /// Returns the year at a place, behind fillers, and the place behind it.
    fn year_after(&self, place: usize) -> (Option<u64>, usize) {
        let from = self.skip(place, |token| is_filler(token) || matches!(token, Token::Mark('\'' | '’')));
        let year = self.number(from).filter(|_| self.mark(from + 1) != Some(':'));
        let is_short = |digits| digits == 2 && !matches!(self.name(from + 1), Some(Name::Morning | Name::Afternoon));
        match year
            .filter(|(_, digits)| *digits == 4 || is_short(*digits))
            .and_then(|(year, digits)| self.year(year, digits))
        {
            Some(year) => (Some(year), from + 1),
            None => (None, place),
        }
    }

    /// Returns the date of a day and month that begin at a place and end at another, with the year behind them.
    fn with_year(&self, day: u64, month: i8, at: usize, place: usize) -> Option<Day> {
        let (year, end) = self.year_after(place);
        let date = match year {
            Some(year) => self.date(year, month as u64, day)?,
            None => self.latest(day, month, self.weekday_before(at))?,
        };
        Some(Day::certain(date, end - at))
    }

    /// Returns the weekday named before a place.
    fn weekday_before(&self, at: usize) -> Option<i8> {
        (at.saturating_sub(2)..at).find_map(|at| match self.name(at)? {
            Name::Weekday(day) => Some(day),
            _ => None,
        })
    }

    /// Returns the latest date with this day and month that is not in the future, on this weekday.
    fn latest(&self, day: u64, month: i8, weekday: Option<i8>) -> Option<Date> {
        let tomorrow = self.now.date().tomorrow().ok()?;
        let years = (YEAR_MIN..=self.now.year()).rev();
        let dates = years.filter_map(|year| self.date(year as u64, month as u64, day)).filter(|date| *date <= tomorrow);
        let is_weekday = |date: &Date| {
            weekday.is_none_or(|day| date.weekday() == Weekday::from_sunday_zero_offset(day).unwrap_or(Weekday::Sunday))
        };
        let mut dates = dates.take(12);
        let first = dates.next()?;
        Some(std::iter::once(first).chain(dates).find(is_weekday).unwrap_or(first))
    }

    /// A distance to the present, such as `yesterday`, `3 days ago`, `vor 2 Stunden`.
    fn relative(&self, at: usize) -> Option<Day> {
        if let Some(Name::DaysBefore(days)) = self.name(at) {
            // Such a word is one of another language too, unless a time is beside it or nothing else.
            let has_clock = || self.clock_near(at, at + 1).is_some();
            let date =
                self.now.date().checked_sub(days.days()).ok().filter(|_| self.tokens.len() <= 1 || has_clock())?;
            return Some(Day { is_relative: true, ..Day::certain(date, 1) });
        }
        let (from, is_before) = if self.name(at) == Some(Name::Ago) { (at + 1, true) } else { (at, false) };
        let count = match (self.number(from), self.name(from)) {
            (Some((count, digits)), _) if digits <= 4 => count as i64,
            (None, Some(Name::One)) => 1,
            _ => return None,
        };
        let Token::Word(word, _) = self.token(from + 1)? else { return None };
        let unit = unit(word)?;
        if !is_before && self.name(from + 2) != Some(Name::Ago) {
            return None;
        }
        let then = self.now.checked_sub(span(unit, count)).ok()?;
        let time = matches!(unit, Unit::Second | Unit::Minute | Unit::Hour).then(|| then.time());
        let day = Day { time, is_relative: true, ..Day::certain(then.date(), 3) };
        Some(Day { has_day: !matches!(unit, Unit::Month | Unit::Year), ..day })
    }

    /// A weekday of the last seven days before a time, such as `Tuesday at 4:05 PM`.
    fn weekday_with_time(&self, at: usize) -> Option<Day> {
        let Name::Weekday(weekday) = self.name(at)? else { return None };
        let is_filled = (at + 1..at + 1 + FILLERS_MAX + 1).find_map(|at| self.clock(at).map(|_| at))?;
        let gap_is_short = self.tokens[at + 1..is_filled].iter().all(|(token, _)| !matches!(token, Token::Number(..)));
        let weekday = Weekday::from_sunday_zero_offset(weekday).ok()?;
        let date = (0..7).find_map(|days| {
            let date = self.now.date().checked_sub(days.days()).ok()?;
            (date.weekday() == weekday).then_some(date)
        })?;
        gap_is_short.then_some(Day { is_relative: true, ..Day::certain(date, 1) })
    }

    /// Returns the first place from here whose token is not skipped, after a few at most.
    fn skip(&self, from: usize, is_skipped: impl Fn(&Token<'_>) -> bool) -> usize {
        let skipped = self.tokens[from.min(self.tokens.len())..].iter().take(FILLERS_MAX);
        from + skipped.take_while(|(token, _)| is_skipped(token)).count()
    }

    fn year(&self, year: u64, digits: usize) -> Option<u64> {
        let latest = self.now.year() as u64 + 1;
        let full = match digits {
            2 if 2_000 + year <= latest => 2_000 + year,
            2 => 1_900 + year,
            _ => year,
        };
        (YEAR_MIN as u64..=latest).contains(&full).then_some(full)
    }

    fn date(&self, year: u64, month: u64, day: u64) -> Option<Date> {
        let year = self.year(year, 4)?;
        Date::new(year as i16, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
    }
}

/// Returns whether a token may stand between the parts of a date.
fn is_filler(token: &Token<'_>) -> bool {
    match token {
        Token::Mark(mark) => matches!(mark, '.' | ',' | '-' | '/'),
        Token::Word(word, _) => matches!(&**word, "of" | "de" | "del" | "den"),
        Token::Number(..) => false,
    }
}

fn is_ordinal(token: &Token<'_>) -> bool {
    matches!(token, Token::Word(word, _) if matches!(&**word, "st" | "nd" | "rd" | "th" | "er" | "e" | "º"))
}

fn span(unit: Unit, count: i64) -> Span {
    match unit {
        Unit::Second => count.seconds(),
        Unit::Minute => count.minutes(),
        Unit::Hour => count.hours(),
        Unit::Day => count.days(),
        Unit::Week => count.weeks(),
        Unit::Month => count.months(),
        Unit::Year => count.years(),
    }
}
