//! Parses cookie dates. Source: RFC 6265, section 5.1.1, which accepts far more than HTTP dates.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use harvestman_core::clock::Instant;

/// Parses a cookie date. Times before 1970 become the epoch.
pub(super) fn parse(text: &str) -> Option<Instant> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    let is_delimiter = |c: char| !c.is_ascii_alphanumeric() && c != ':';
    for token in text.split(is_delimiter).filter(|token| !token.is_empty()) {
        if time.is_none() && token.contains(':') {
            time = time_of(token);
        } else if day.is_none() && (1..=2).contains(&digits(token)) {
            day = token[..digits(token)].parse::<i8>().ok();
        } else if month.is_none() && month_of(token).is_some() {
            month = month_of(token);
        } else if year.is_none() && (2..=4).contains(&digits(token)) {
            year = token[..digits(token)].parse::<i16>().ok().map(full_year);
        }
    }
    let (hour, minute, second) = time?;
    let date = DateTime::new(year?, month?, day?, hour, minute, second, 0).ok().filter(|date| date.year() >= 1601)?;
    let micros = date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond();
    Some(Instant::from_micros(u64::try_from(micros).unwrap_or(0)))
}

/// Returns how many digits the token starts with.
fn digits(token: &str) -> usize {
    token.bytes().take_while(u8::is_ascii_digit).count()
}

fn time_of(token: &str) -> Option<(i8, i8, i8)> {
    let mut parts = token.split(':').map(|part| part.get(..digits(part).min(2))?.parse::<i8>().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}

fn month_of(token: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let start = token.get(..3)?.to_ascii_lowercase();
    (1..).zip(MONTHS).find(|(_, month)| *month == start).map(|(number, _)| number)
}

fn full_year(year: i16) -> i16 {
    match year {
        70..=99 => year + 1_900,
        0..=69 => year + 2_000,
        _ => year,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_are_parsed_in_all_formats_that_servers_write() {
        let expected = Some(Instant::from_micros(1_792_569_600_000_000));
        for text in [
            "Wed, 21 Oct 2026 08:00:00 GMT",
            "Wednesday, 21-Oct-26 08:00:00 GMT",
            "Wed Oct 21 08:00:00 2026",
            "Wed, 21-Oct-2026 8:0:00 GMT",
            "21 october 2026 08:00:00",
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
        assert_eq!(parse("Thu, 01 Jan 1970 00:00:00 GMT"), Some(Instant::EPOCH));
        assert_eq!(parse("Mon, 01-Jan-1900 00:00:00 GMT"), Some(Instant::EPOCH));
    }

    #[test]
    fn an_invalid_date_is_rejected() {
        for text in
            ["", "tomorrow", "21 Oct 2026", "32 Oct 2026 08:00:00", "21 Oct 2026 24:00:00", "21 Oct 1600 08:00:00"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_parsing_panic(text in "\\PC{0,40}") {
            parse(&text);
        }

        #[test]
        fn an_http_date_is_parsed_as_by_the_http_date_parser(seconds in 0u64..4_102_444_800) {
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            prop_assert_eq!(parse(&httpdate::fmt_http_date(time)), Some(Instant::from_micros(seconds * 1_000_000)));
        }
    }
}
