//! The time of a post as a number.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// The number of seconds in a day and a half: dates of the same post may differ by that much where they were counted
/// from different days.
const DAY_AND_HALF: i64 = 36 * 3_600;
/// The number of seconds that times of the same post may differ by where both are exact: relative times are rounded.
const EXACT: i64 = 90 * 60;

/// A time: seconds since 1970 in the site's local time, or in UTC if the page tells the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Moment {
    pub seconds: i64,
    /// Whether the time of day is known.
    pub is_exact: bool,
    /// Whether the distance from UTC is known.
    pub is_utc: bool,
}

impl Moment {
    /// Reads ISO 8601: a date, with a time or without.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let zoned = text.parse::<Timestamp>().ok();
        let seconds = if let Some(time) = zoned {
            time.as_second()
        } else if text.len() > 10 {
            let time = text.parse::<DateTime>().ok()?;
            time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second()
        } else {
            let date = match text.len() {
                4 => format!("{text}-01-01"),
                7 => format!("{text}-01"),
                _ => text.to_owned(),
            };
            let date = date.parse::<Date>().ok()?;
            date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second()
        };
        Some(Self { seconds, is_exact: text.len() > 10, is_utc: zoned.is_some() })
    }

    /// Returns the time as ISO 8601.
    pub fn text(self) -> String {
        let Ok(time) = Timestamp::from_second(self.seconds) else { return String::new() };
        let local = time.to_zoned(TimeZone::UTC).datetime();
        match (self.is_exact, self.is_utc) {
            (false, _) => local.date().to_string(),
            (true, false) => local.to_string(),
            (true, true) => time.to_string(),
        }
    }

    /// Returns whether two dates may be those of one post; nothing is known against it if one is missing.
    pub fn may_be_one(one: Option<Self>, other: Option<Self>) -> bool {
        let (Some(one), Some(other)) = (one, other) else { return true };
        let distance = (one.seconds - other.seconds).abs();
        distance <= if one.is_exact && other.is_exact { EXACT } else { DAY_AND_HALF }
    }
}

/// Returns the seconds since 1970 of a time of a record. A time that is local to its site is taken for UTC, and a date
/// for its beginning.
pub fn unix_seconds(time: &str) -> Option<i64> {
    Moment::parse(time).map(|moment| moment.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_any_precision() {
        let seconds = |text| Moment::parse(text).map(|moment| (moment.seconds, moment.is_exact));
        assert_eq!(seconds("1970-01-02"), Some((86_400, false)));
        assert_eq!(seconds("1970-01"), Some((0, false)));
        assert_eq!(seconds("1971"), Some((31_536_000, false)));
        assert_eq!(seconds("1970-01-01T01:00"), Some((3_600, true)));
        assert_eq!(seconds("1970-01-01T01:00:00+01:00"), Some((0, true)));
        assert_eq!((seconds("yesterday"), seconds(""), seconds("99999-01-01")), (None, None, None));
    }

    #[test]
    fn times_are_written_as_they_were_read() {
        for text in ["2026-01-02", "2026-01-02T03:04:00", "2026-01-02T03:04:05Z"] {
            assert_eq!(Moment::parse(text).unwrap().text(), text);
        }
    }

    #[test]
    fn dates_of_one_post_are_near() {
        let may = |one, other| Moment::may_be_one(Moment::parse(one), Moment::parse(other));
        assert!(
            may("2026-01-01", "2026-01-02T11:00") && may("2026-01-01T10:00", "2026-01-01T11:00") && may("", "2026")
        );
        assert!(!may("2026-01-01T10:00", "2026-01-01T20:00") && !may("2026-01-01", "2026-01-03"));
    }
}
