//! Dates of `unavailable_after`: RFC 822, RFC 850 and ISO 8601, as the documentation of the directive allows.

use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Maximum length of a date.
const LENGTH_MAX: usize = 64;

/// Reads a date; `None` if it is in no known format. One without a time zone is in UTC.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > LENGTH_MAX {
        return None;
    }
    text.parse::<Timestamp>().ok().or_else(|| civil(text)).or_else(|| mail(text))
}

fn civil(text: &str) -> Option<Timestamp> {
    let utc = |time: DateTime| TimeZone::UTC.to_timestamp(time).ok();
    let time = text.parse::<DateTime>().ok().and_then(utc);
    time.or_else(|| utc(text.parse::<Date>().ok()?.at(0, 0, 0, 0)))
}

/// Reads a date of RFC 822 or RFC 850: with hyphens or spaces, the name of the day and the zone may be missing.
fn mail(text: &str) -> Option<Timestamp> {
    let text = text.split_once(',').map_or(text, |(_, date)| date);
    let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
    let date: Vec<&str> = words.first()?.split('-').collect();
    if let [day, month, year] = date[..] {
        words.splice(..1, [day, month, year]);
    }
    let zone = match words.get(4..).unwrap_or_default() {
        [] | ["UTC" | "Z"] => "GMT",
        [zone] => zone,
        _ => return None,
    };
    let [day, month, year, time, ..] = words[..] else { return None };
    let year = full_year(year)?;
    let parse = |zone: &str| rfc2822::parse(&format!("{day} {month} {year} {time} {zone}")).ok();
    parse(zone).map(|zoned: Zoned| zoned.timestamp())
}

/// Returns a year of two digits in full: 69 and below are of this century.
fn full_year(year: &str) -> Option<i32> {
    let number = year.parse::<i32>().ok()?;
    Some(match year.len() {
        2 if number < 70 => 2_000 + number,
        2 => 1_900 + number,
        _ => number,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_are_read_in_all_documented_formats() {
        for (text, expected) in [
            ("25 Jun 2030 15:00:00 PST", "2030-06-25T23:00:00Z"),
            ("25-Aug-2007 15:00:00 EST", "2007-08-25T20:00:00Z"),
            ("Friday, 25-Jun-30 15:00:00 GMT", "2030-06-25T15:00:00Z"),
            ("Tue, 25 Jun 2030 15:00:00 +0200", "2030-06-25T13:00:00Z"),
            ("25 Jun 99 15:00:00 UTC", "1999-06-25T15:00:00Z"),
            ("25 Jun 2030 15:00:00", "2030-06-25T15:00:00Z"),
            ("25 Jun 2030 15:00 GMT", "2030-06-25T15:00:00Z"),
            ("2030-06-25T15:00:00Z", "2030-06-25T15:00:00Z"),
            ("2030-06-25T15:00:00+02:00", "2030-06-25T13:00:00Z"),
            ("2030-06-25T15:00:00", "2030-06-25T15:00:00Z"),
            ("2030-06-25 15:00:00", "2030-06-25T15:00:00Z"),
            (" 2030-06-25 ", "2030-06-25T00:00:00Z"),
        ] {
            assert_eq!(parse(text).map(|time| time.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in
            ["", "soon", "25/06/2030", "32 Jun 2030 15:00:00 GMT", "25 Jun", "2030-13-01", "25 Jun 2030 x GMT y"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,70}", date in "[0-9A-Za-z:, -]{0,40}") {
            let _ = (parse(&text), parse(&date));
        }
    }
}
