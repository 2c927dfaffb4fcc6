//! The `Retry-After` header (RFC 9110, section 10.2.3): how long a server asks clients to wait.

use std::time::{Duration, UNIX_EPOCH};

use harvestman_core::clock::Instant;

/// Parses a `Retry-After` value, a number of seconds or an HTTP date. Returns `None` if it is neither.
///
/// A date in the past gives no wait. A number too large for 64 bits saturates: the caller caps every wait at its own
/// limit, so nothing may wrap around to a short one.
pub fn parse(value: &str, now: Instant) -> Option<Duration> {
    let value = value.trim_matches([' ', '\t']);
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    let since_epoch = date.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some((Instant::EPOCH + since_epoch).since(now))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT, the RFC's example.
    const NOW: Instant = Instant::from_micros(784_111_777_000_000);

    #[test]
    fn seconds_are_parsed() {
        for (value, seconds) in [("0", 0), ("120", 120), (" 7\t", 7), ("007", 7)] {
            assert_eq!(parse(value, NOW), Some(Duration::from_secs(seconds)), "{value:?}");
        }
    }

    #[test]
    fn a_date_in_any_of_the_three_formats_gives_the_wait_until_then() {
        for value in [
            "Sun, 06 Nov 1994 08:51:37 GMT",
            "Sunday, 06-Nov-94 08:51:37 GMT",
            "Sun Nov  6 08:51:37 1994",
            " Sun, 06 Nov 1994 08:51:37 GMT ",
        ] {
            assert_eq!(parse(value, NOW), Some(Duration::from_secs(120)), "{value:?}");
        }
    }

    #[test]
    fn a_date_in_the_past_gives_no_wait() {
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:37 GMT", NOW), Some(Duration::ZERO));
        assert_eq!(parse("Thu, 01 Jan 1970 00:00:00 GMT", NOW), Some(Duration::ZERO));
    }

    #[test]
    fn absurd_numbers_saturate_instead_of_wrapping() {
        let wait = parse("99999999999999999999999999", NOW).unwrap();
        assert_eq!(wait, Duration::from_secs(u64::MAX));
        assert_eq!(NOW + wait, Instant::from_micros(u64::MAX));
    }

    #[test]
    fn other_values_are_none() {
        for value in
            ["", " ", "-1", "+5", "1.5", "0x10", "soon", "１２", "Sun, 06 Nov 1994", "Sun, 99 Nov 1994 08:49:37 GMT"]
        {
            assert_eq!(parse(value, NOW), None, "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_panic(value in "\\PC*", now in any::<u64>()) {
            let _ = parse(&value, Instant::from_micros(now));
        }

        #[test]
        fn a_formatted_date_parses_as_the_time_until_it(ahead in 0_u64..4_000_000_000) {
            let date = UNIX_EPOCH + Duration::from_micros(NOW.as_micros()) + Duration::from_secs(ahead);
            prop_assert_eq!(parse(&httpdate::fmt_http_date(date), NOW), Some(Duration::from_secs(ahead)));
        }
    }
}
