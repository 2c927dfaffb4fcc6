//! Compares dates that two sources give one post.

use jiff::SignedDuration;
use jiff::civil::{Date, Time};
use jiff::fmt::temporal::Pieces;

/// Maximum distance of a local time from UTC, in minutes.
const ZONE_MAX: i64 = 14 * 60;
/// Distances from UTC are multiples of this number of minutes.
const ZONE_STEP: i64 = 15;

/// A date as records have it.
#[derive(Debug, Clone, Copy)]
struct Moment {
    date: Date,
    time: Option<Time>,
    /// In minutes.
    offset: Option<i64>,
}

impl Moment {
    fn read(text: &str) -> Option<Self> {
        let pieces = Pieces::parse(text).ok()?;
        let offset = pieces.to_numeric_offset().map(|offset| i64::from(offset.seconds()) / 60);
        Some(Self { date: pieces.date(), time: pieces.time(), offset })
    }

    /// Returns how many minutes the clock of this one is before that of another one; `None` if one has no time.
    fn minutes_since(self, other: Self) -> Option<i64> {
        let (one, two) = (self.date.to_datetime(self.time?), other.date.to_datetime(other.time?));
        let seconds = SignedDuration::as_secs(&one.duration_since(two));
        Some((seconds + if seconds < 0 { -30 } else { 30 }) / 60)
    }
}

/// Whether two dates may be of one moment: as exactly as the less exact one tells it, in any time zone if one tells
/// none.
pub(super) fn agree(one: &str, two: &str) -> bool {
    joined(one, two).is_some()
}

/// Returns the date that two dates tell together, in the time zone of the first one, where its clock tells it; `None`
/// if they are not of one moment.
pub(super) fn joined(shown: &str, exact: &str) -> Option<String> {
    let (one, two) = (Moment::read(shown)?, Moment::read(exact)?);
    let Some(minutes) = one.minutes_since(two) else {
        let days = one.date.duration_since(two.date).as_hours() / 24;
        let better = if one.time.is_some() { shown } else { exact };
        // The day may be another one in UTC.
        let is_near = days == 0 || (days.abs() == 1 && (one.offset.is_some() || two.offset.is_some()));
        return is_near.then(|| better.to_owned());
    };
    match (one.offset, two.offset) {
        (None, None) => (minutes.abs() <= 1).then(|| exact.to_owned()),
        (Some(left), Some(right)) => ((minutes - left + right).abs() <= 1).then(|| exact.to_owned()),
        (Some(of), None) => {
            let zone = of - minutes;
            is_zone(zone).then(|| shown.to_owned())
        }
        (None, Some(of)) => {
            // What is shown is cut to the minute.
            let zone = ((of + minutes) as f64 / ZONE_STEP as f64).round() as i64 * ZONE_STEP;
            ((of + minutes - zone).abs() <= 1 && is_zone(zone)).then(|| in_zone(two, zone - of, zone)).flatten()
        }
    }
}

fn is_zone(minutes: i64) -> bool {
    minutes.abs() <= ZONE_MAX && minutes % ZONE_STEP == 0
}

/// Writes a moment by a clock that is some minutes before its own.
fn in_zone(moment: Moment, minutes: i64, zone: i64) -> Option<String> {
    let clock = moment.date.to_datetime(moment.time?).checked_add(SignedDuration::from_mins(minutes)).ok()?;
    let zone = match zone {
        0 => "Z".to_owned(),
        zone => format!("{}{:02}:{:02}", if zone < 0 { '-' } else { '+' }, zone.abs() / 60, zone.abs() % 60),
    };
    Some(format!("{clock}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_one_moment_are_told_in_the_time_zone_of_the_page() {
        for (shown, exact, wanted) in [
            ("2020-04-01T10:30:00", "2020-04-01T08:30:27Z", "2020-04-01T10:30:27+02:00"),
            ("2020-04-01T01:15:00", "2020-04-01T05:15:00+00:00", "2020-04-01T01:15:00-04:00"),
            ("2020-04-01T23:30:00", "2020-04-01T18:00:00Z", "2020-04-01T23:30:00+05:30"),
            ("2020-04-01T10:30:00", "2020-04-01T10:30:00Z", "2020-04-01T10:30:00Z"),
            ("2020-04-01T10:30:00", "2020-04-01T10:30:12", "2020-04-01T10:30:12"),
            ("2020-04-01T10:30:00+02:00", "2020-04-01T08:30:00Z", "2020-04-01T08:30:00Z"),
            ("2020-04-01", "2020-03-31T23:30:00Z", "2020-03-31T23:30:00Z"),
            ("2020-04-01T10:30:00", "2020-04-01", "2020-04-01T10:30:00"),
        ] {
            assert_eq!(joined(shown, exact).as_deref(), Some(wanted), "{shown} {exact}");
        }
    }

    #[test]
    fn dates_of_different_moments_do_not_agree() {
        for (one, two) in [
            ("2020-04-01T10:30:00", "2020-04-01T08:37:00Z"),
            ("2020-04-01T10:30:00", "2020-04-02T08:30:00Z"),
            ("2020-04-01T10:30:00", "2020-04-01T11:30:00"),
            ("2020-04-01", "2020-04-03T10:00:00Z"),
            ("2020-04-01", "2020-04-02"),
            ("2020-04-01T10:30:00+02:00", "2020-04-01T10:30:00Z"),
            ("", "2020-04-01"),
            ("2020-04-01", "soon"),
        ] {
            assert!(!agree(one, two), "{one} {two}");
        }
    }
}
