//! Compares found times with true ones.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};

use super::truth::TrueTime;

/// Whether the day, and the minute, of a found time are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeMatch {
    /// The day in the zone of the site.
    pub day: bool,
    /// The minute.
    pub minute: bool,
}

/// Compares `found`, an ISO 8601 date with or without a time and an offset from UTC. Without an offset, it is local to
/// the site.
pub fn compare_times(found: &str, truth: TrueTime) -> TimeMatch {
    if let Ok(instant) = found.parse::<Timestamp>() {
        return compare(truth.offset.to_datetime(instant), truth.local);
    }
    if let Ok(local) = found.parse::<DateTime>()
        && found.contains(['T', ' ', 't'])
    {
        return compare(local, truth.local);
    }
    TimeMatch { day: found.parse::<Date>().is_ok_and(|day| day == truth.local.date()), minute: false }
}

fn compare(found: DateTime, truth: DateTime) -> TimeMatch {
    let day = found.date() == truth.date();
    TimeMatch { day, minute: day && (found.hour(), found.minute()) == (truth.hour(), truth.minute()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(found: &str) -> (bool, bool) {
        let truth = TrueTime::try_from("2025-06-20T23:30:45+02:00".to_owned()).unwrap();
        let TimeMatch { day, minute } = compare_times(found, truth);
        (day, minute)
    }

    #[test]
    fn times_without_an_offset_are_local_to_the_site() {
        assert_eq!(compared("2025-06-20T23:30"), (true, true));
        assert_eq!(compared("2025-06-20T23:30:00"), (true, true));
        assert_eq!(compared("2025-06-20T23:31:00"), (true, false));
        assert_eq!(compared("2025-06-20"), (true, false));
        assert_eq!(compared("2025-06-21T23:30"), (false, false));
    }

    #[test]
    fn times_with_an_offset_are_instants() {
        assert_eq!(compared("2025-06-20T21:30:45Z"), (true, true));
        assert_eq!(compared("2025-06-20T17:30:01-04:00"), (true, true));
        assert_eq!(compared("2025-06-20T23:30:45Z"), (false, false));
    }

    #[test]
    fn other_texts_are_wrong() {
        for text in ["", "yesterday", "2025", "20.06.2025", "T23:30"] {
            assert_eq!(compared(text), (false, false), "{text}");
        }
    }
}
