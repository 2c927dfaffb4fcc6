//! Reads the `lastmod` of a sitemap's entry: a date of the W3C profile of ISO 8601, with or without a time.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Maximum length of a date, in bytes.
const LENGTH_MAX: usize = 40;

/// Returns the last second of the period that a date states, in seconds since 1970. A date without a time states a
/// whole day, month or year: a page that was visited on that day may have changed after the visit. A time without a
/// zone is taken for UTC. `None` if it is no date, or one before 1970.
pub fn read_lastmod(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.len() > LENGTH_MAX || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let date = |text: &str| text.parse::<Date>().ok();
    let end = match text.len() {
        4 => end_of_day(date(&format!("{text}-12-31"))?),
        7 => end_of_day(date(&format!("{text}-01"))?.last_of_month()),
        10 => end_of_day(date(text)?),
        _ => text.parse::<Timestamp>().ok().or_else(|| in_utc(text.parse().ok()?)),
    };
    u64::try_from(end?.as_second()).ok()
}

fn end_of_day(date: Date) -> Option<Timestamp> {
    let next = in_utc(date.tomorrow().ok()?.to_datetime(jiff::civil::Time::midnight()))?;
    next.checked_sub(SignedDuration::from_secs(1)).ok()
}

fn in_utc(time: DateTime) -> Option<Timestamp> {
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_dates_of_the_profile_are_read_with_the_end_of_what_they_state() {
        let noon = 1_763_640_000; // 2025-11-20T12:00:00Z
        for (text, seconds) in [
            ("2025-11-20T12:00:00Z", noon),
            ("2025-11-20T12:00:00+00:00", noon),
            ("2025-11-20T13:30:00+01:30", noon),
            ("2025-11-20T12:00Z", noon),
            ("2025-11-20T12:00:00.999Z", noon),
            (" 2025-11-20 12:00:00\n", noon),
            ("2025-11-20T12:00:00", noon),
            ("2025-11-20", noon + 12 * 3_600 - 1),
            ("2025-11", noon + 12 * 3_600 - 1 + 10 * 86_400),
            ("2025", noon + 12 * 3_600 - 1 + 41 * 86_400),
        ] {
            assert_eq!(read_lastmod(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_or_too_old_or_too_long_is_none() {
        let long = format!("2025-11-20T12:00:00Z{}", " ".repeat(9) + &"0".repeat(99));
        for text in ["", "now", "2025-13-01", "2025-02-30", "1969-12-31T00:00:00Z", "-9999", "20/11/2025", &long] {
            assert_eq!(read_lastmod(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_second_is_read_as_it_is_written(seconds in 0_i64..253_000_000_000) {
            let written = Timestamp::from_second(seconds).unwrap().to_string();
            prop_assert_eq!(read_lastmod(&written), Some(seconds as u64));
        }

        #[test]
        fn a_date_includes_all_times_of_its_day(seconds in 0_i64..253_000_000_000) {
            let time = Timestamp::from_second(seconds).unwrap();
            let end = read_lastmod(&time.to_string()[..10]).unwrap();
            prop_assert!((seconds as u64..seconds as u64 + 86_400).contains(&end));
            prop_assert_eq!((end + 1) % 86_400, 0);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,60}") {
            let _ = read_lastmod(&text);
        }
    }
}
