//! The difference between a server's clock and that of this machine, by the `Date` of an answer (RFC 9110, section
//! 6.6.1). An answer that a cache has kept is as old as its `Age` says (RFC 9111, section 5.1).

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use http::HeaderMap;
use http::header::{AGE, DATE};

use harvestman_core::clock::Instant;

/// How far a signature may lie in the future before a server rejects it: what verifiers usually allow, and more than an
/// answer takes.
const FUTURE_MAX: Duration = Duration::from_secs(30);

/// How a server's clock differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skew {
    /// It shows a later time.
    Ahead(Duration),
    /// It shows an earlier time.
    Behind(Duration),
}

/// Returns how the clock of the server that sent these headers differs from `now`, when they arrived.
pub(super) fn of(headers: &HeaderMap, now: Instant) -> Option<Skew> {
    let date = httpdate::parse_http_date(headers.get(DATE)?.to_str().ok()?).ok()?;
    let age = headers.get(AGE).and_then(|value| value.to_str().ok()?.trim().parse().ok()).unwrap_or(0);
    let theirs = Instant::EPOCH + date.duration_since(UNIX_EPOCH).unwrap_or_default() + Duration::from_secs(age);
    Some(if theirs > now { Skew::Ahead(theirs.since(now)) } else { Skew::Behind(now.since(theirs)) })
}

impl Skew {
    /// Returns whether a server with this clock rejects a signature that is valid for `lifetime`: it has expired, or
    /// was not created yet.
    pub(super) fn spoils(self, lifetime: Duration) -> bool {
        match self {
            Self::Ahead(by) => by >= lifetime,
            Self::Behind(by) => by > FUTURE_MAX,
        }
    }
}

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (by, side) = match self {
            Self::Ahead(by) => (by, "ahead of"),
            Self::Behind(by) => (by, "behind"),
        };
        write!(f, "{} s {side} that of this machine", by.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const NOW: Instant = Instant::from_micros(784_111_777_000_000);

    fn skew(date: &str, age: &str) -> Option<Skew> {
        let mut headers = HeaderMap::new();
        headers.insert(DATE, HeaderValue::from_str(date).unwrap());
        headers.insert(AGE, HeaderValue::from_str(age).unwrap());
        of(&headers, NOW)
    }

    #[test]
    fn the_difference_is_measured_without_the_age_of_the_answer() {
        let seconds = Duration::from_secs;
        assert_eq!(skew("Sun, 06 Nov 1994 08:49:37 GMT", ""), Some(Skew::Behind(seconds(0))));
        assert_eq!(skew("Sun, 06 Nov 1994 09:49:37 GMT", "0"), Some(Skew::Ahead(seconds(3_600))));
        assert_eq!(skew("Sun, 06 Nov 1994 07:49:37 GMT", "3590"), Some(Skew::Behind(seconds(10))));
        assert_eq!(skew("Sun, 06 Nov 1994 07:49:37 GMT", "x"), Some(Skew::Behind(seconds(3_600))));
        assert_eq!(skew("yesterday", ""), None);
        assert_eq!(of(&HeaderMap::new(), NOW), None);
    }

    #[test]
    fn a_signature_is_spoilt_by_a_clock_that_is_later_than_its_end_or_earlier_than_its_beginning() {
        let minute = Duration::from_secs(60);
        assert!(!Skew::Ahead(Duration::from_secs(59)).spoils(minute) && Skew::Ahead(minute).spoils(minute));
        assert!(!Skew::Behind(FUTURE_MAX).spoils(minute));
        assert!(Skew::Behind(FUTURE_MAX + Duration::from_secs(1)).spoils(minute));
    }

    #[test]
    fn the_difference_is_told_in_words() {
        assert_eq!(Skew::Ahead(Duration::from_secs(90)).to_string(), "90 s ahead of that of this machine");
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic(date in "\\PC{0,40}", age in "[0-9]{0,30}") {
            let _ = HeaderValue::from_str(&date).map(|_| skew(&date, &age));
        }
    }
}
