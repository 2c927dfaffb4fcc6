//! Human-readable figures: `12,345`, `1.4 GiB`, `3 min 20 s`.

use std::time::Duration;

/// Formats a count with thousands separators.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of bytes in the unit that leaves one to four digits before the decimal point.
#[expect(clippy::cast_precision_loss, reason = "three digits for people to read")]
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if n < 1_024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1_024.0;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    // A value that would be shown as 1024.0 is shown in the next unit.
    while value >= 1_023.95 {
        let Some(next) = units.next() else { break };
        (value, unit) = (value / 1_024.0, Some(next));
    }
    format!("{value:.1} {}", unit.unwrap_or(&"B"))
}

/// Formats a rate: with one decimal below 99.95, otherwise without.
pub fn rate(per_second: f64) -> String {
    if per_second < 99.95 { format!("{per_second:.1}") } else { format!("{per_second:.0}") }
}

/// Formats a duration in its two largest units.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// Formats a duration given in seconds, like [`time`].
pub fn seconds(seconds: f64) -> String {
    time(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (n, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(count(n), text);
        }
    }

    #[test]
    fn bytes_change_their_unit_where_four_digits_would_be_shown() {
        let cases = [(0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (1_048_575, "1.0 MiB"), (3 << 29, "1.5 GiB")];
        for (n, text) in cases {
            assert_eq!(bytes(n), text);
        }
        assert_eq!(bytes(u64::MAX), "16384.0 PiB");
    }

    #[test]
    fn times_show_their_two_largest_units() {
        let cases = [(9, "9.0 s"), (59, "59 s"), (200, "3 min 20 s"), (3_600, "1 h 0 min"), (90_000, "1 d 1 h")];
        for (seconds, text) in cases {
            assert_eq!(time(Duration::from_secs(seconds)), text);
        }
        assert_eq!(time(Duration::from_millis(1_540)), "1.5 s");
    }

    #[test]
    fn small_rates_have_a_decimal() {
        assert_eq!((rate(0.25), rate(99.94), rate(99.96)), ("0.2".into(), "99.9".into(), "100".into()));
    }
}
