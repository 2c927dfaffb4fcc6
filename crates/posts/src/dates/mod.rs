//! Finds the first date in a short text, and the time beside it, in any usual form and language: pure.

mod names;
mod reader;
mod time_of_day;
mod tokens;

use jiff::civil::{Date, DateTime, Time};

use self::names::Name;
use self::reader::Reader;
use self::tokens::{Token, tokens};

/// Returns whether a word is that of a month or a day.
pub fn is_date_word(word: &str) -> bool {
    use names::Name;
    let word = names::normal(word.trim_matches(|c: char| !c.is_alphabetic()));
    matches!(names::name(&word), Some(Name::Month(_) | Name::Weekday(_) | Name::DaysBefore(_)))
}

/// Minimum number of numbers of a date without letters.
const NUMBERS_MIN: usize = 3;

/// A date that a text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundDate {
    /// The date.
    pub date: Date,
    /// The date with day and month exchanged, if it is not certain which is which.
    pub other: Option<Date>,
    /// Whether `date` has the month first, and `other` the day.
    pub is_swapped: bool,
    /// Whether the month is before the day, if numbers alone tell it.
    pub is_month_first: Option<bool>,
    /// The time of day, if the text shows one.
    pub time: Option<Time>,
    /// The distance from UTC in seconds, if the text shows one.
    pub offset: Option<i32>,
    /// Whether the text shows the day.
    pub has_day: bool,
    /// Whether the text shows a distance to the present.
    pub is_relative: bool,
    /// Number of words beside the date.
    pub words_beside: usize,
}

impl std::fmt::Display for FoundDate {
    /// Writes it as ISO 8601.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(time) = self.time else { return write!(f, "{}", self.date) };
        write!(f, "{}T{time}", self.date)?;
        match self.offset {
            None => Ok(()),
            Some(0) => f.write_str("Z"),
            Some(offset) => {
                let minutes = offset.abs() / 60;
                write!(f, "{}{:02}:{:02}", if offset < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
            }
        }
    }
}

/// Finds the first date in a text. `now` is the local time at which the text was written.
pub fn find_date(text: &str, now: DateTime) -> Option<FoundDate> {
    if !may_hold_date(text) {
        return None;
    }
    let tokens = tokens(text);
    let reader = Reader { tokens: &tokens, now };
    let (at, day) = (0..tokens.len()).find_map(|at| Some((at, reader.day(at)?)))?;
    let end = at + day.length;
    let clock = reader.clock_near(at, end);
    let is_consumed = |index: usize| {
        (at..end).contains(&index) || clock.is_some_and(|(from, clock)| (from..from + clock.length).contains(&index))
    };
    let is_word = |(index, (token, _)): &(usize, (Token<'_>, bool))| {
        matches!(token, Token::Word(word, _) if word.len() > 1) && !is_consumed(*index)
    };
    let words = tokens.iter().cloned().enumerate().filter(is_word).filter(|(_, (token, _))| !is_weekday(token)).count();
    // Where hours are counted to twelve, the month is before the day.
    let is_half = clock.is_some_and(|(_, clock)| clock.is_half);
    let (date, other) = match day.other {
        Some(other) if is_half => (other, Some(day.date)),
        other => (day.date, other),
    };
    Some(FoundDate {
        date,
        other: other.filter(|other| *other != date),
        is_swapped: is_half && other.is_some(),
        is_month_first: day.is_month_first,
        time: clock.map(|(_, clock)| clock.time).or(day.time),
        offset: clock.and_then(|(_, clock)| clock.offset),
        has_day: day.has_day,
        is_relative: day.is_relative,
        words_beside: words,
    })
}

/// Returns whether a text has letters, or enough numbers for a date without any.
fn may_hold_date(text: &str) -> bool {
    let (mut numbers, mut is_in_number) = (0, false);
    for byte in text.bytes() {
        if byte.is_ascii_alphabetic() || !byte.is_ascii() {
            return true;
        }
        numbers += usize::from(byte.is_ascii_digit() && !is_in_number);
        is_in_number = byte.is_ascii_digit();
    }
    numbers >= NUMBERS_MIN
}

/// Finds the time of day in a short text without a date.
pub fn find_time(text: &str, now: DateTime) -> Option<Time> {
    let tokens = tokens(text);
    let reader = Reader { tokens: &tokens, now };
    (0..tokens.len()).find_map(|at| reader.clock(at)).map(|clock| clock.time)
}

fn is_weekday(token: &Token<'_>) -> bool {
    matches!(token, Token::Word(_, Some(Name::Weekday(_))))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const NOW: DateTime = date(2020, 4, 25).at(12, 0, 0, 0);

    fn shown(text: &str) -> String {
        find_date(text, NOW).map_or_else(String::new, |found| {
            let time = found.time.map_or_else(String::new, |time| format!(" {time}"));
            let other = found.other.map_or_else(String::new, |other| format!(" or {other}"));
            let offset = found.offset.map_or_else(String::new, |offset| format!(" {offset:+}"));
            format!("{}{time}{offset}{other}", found.date)
        })
    }

    #[test]
    fn dates_in_many_forms_are_found() {
        for (text, wanted) in [
            ("2019-09-29 10:46:47", "2019-09-29 10:46:47"),
            ("2011-12-03T17:27:18-05:00", "2011-12-03 17:27:18 -18000"),
            ("2020-04-23T10:11:12.345Z", "2020-04-23 10:11:12 +0"),
            ("10-August-2011 20:18", "2011-08-10 20:18:00"),
            ("« Reply #1 on: April 04, 2020, 09:22:51 AM »", "2020-04-04 09:22:51"),
            ("Sun Dec 15, 2019 4:58 pm", "2019-12-15 16:58:00"),
            ("April 23, 2019, 3:25 p.m.", "2019-04-23 15:25:00"),
            ("Nov. 2, 2019, 4 p.m.", "2019-11-02 16:00:00"),
            ("April 1, 2019, noon", "2019-04-01 12:00:00"),
            ("April 1, 2019, midnight", "2019-04-01 00:00:00"),
            ("14. Juni 2020 10:23", "2020-06-14 10:23:00"),
            ("Sat, Jun 18 '05, 10:24 AM", "2005-06-18 10:24:00"),
            ("11:43pm On Apr 23", "2020-04-23 23:43:00"),
            ("Sunday 8th March", "2020-03-08"),
            ("23.04.2020", "2020-04-23"),
            ("08.11.2009, 11:49", "2009-11-08 11:49:00 or 2009-08-11"),
            ("04-23-2020 at 3:40 pm", "2020-04-23 15:40:00"),
            ("29.01.19", "2019-01-29"),
            ("2020.03.12 13:17", "2020-03-12 13:17:00"),
            ("September 2019", "2019-09-01"),
            ("March 30", "2020-03-30"),
            ("May 30", "2019-05-30"),
            ("2020年4月5日 10:20", "2020-04-05 10:20:00"),
            ("Gestern, 10:20", "2020-04-24 10:20:00"),
            ("vor 3 Tagen", "2020-04-22"),
            ("2 hours ago", "2020-04-25 10:00:00"),
            ("Tuesday at 4:05 PM", "2020-04-21 16:05:00"),
            ("13 января 2015 г. в 13:34", "2015-01-13 13:34:00"),
            ("Posts: 12", ""),
            ("version 1.2.3.4 of 192.168.0.1", ""),
            ("may 4:05", ""),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    #[test]
    fn words_beside_a_date_are_counted() {
        let beside = |text| find_date(text, NOW).unwrap().words_beside;
        assert_eq!(beside("Sun Dec 15, 2019 4:58 pm"), 0);
        assert_eq!(beside("posted by someone on April 4, 2020"), 4);
    }

    #[test]
    fn day_and_month_are_told_by_the_clock() {
        assert_eq!(shown("04-08-2019, 06:55 AM"), "2019-04-08 06:55:00 or 2019-08-04");
        assert_eq!(find_date("31/12/2019", NOW).unwrap().is_month_first, Some(false));
        assert_eq!(find_date("12/31/2019", NOW).unwrap().is_month_first, Some(true));
        assert_eq!(find_date("04-08-2019 06:55 -02:30", NOW).unwrap().to_string(), "2019-08-04T06:55:00-02:30");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([0-9]{1,5}|[a-zäéя']{1,6}|Apr|ago|vor|[-/.:,+年月]| ){0,14}") {
            if let Some(found) = find_date(&text, NOW) {
                proptest::prop_assert!((1985..=2021).contains(&found.date.year()), "{}", found.date);
            }
        }

        /// A date in any of the usual forms is found whatever stands around it.
        #[test]
        fn a_date_is_found_in_its_text(year in 1990_i16..2020, month in 1_i8..=12, day in 1_i8..=28, form in 0_usize..4) {
            let date = jiff::civil::date(year, month, day);
            let name = ["januar", "février", "Mar", "abril", "May", "июня", "Juli", "août", "Sept", "Oct", "November", "dic"][month as usize - 1];
            let shown = match form {
                0 => format!("{year}-{month:02}-{day:02}"),
                1 => format!("{day}. {name} {year}"),
                2 => format!("{name} {day}, {year}"),
                _ => format!("{day} de {name} de {year}"),
            };
            let found = find_date(&format!("posted by someone: {shown} (edited)"), NOW);
            proptest::prop_assert_eq!(found.map(|found| found.date), Some(date), "{}", shown);
        }
    }
}
