//! A line of the index.

use std::io::Write as _;

use super::capture::Capture;
use harvestman_core::url::surt;

/// Number of digits of a time in an index, which has a resolution of one second.
const TIME_DIGITS: usize = 14;

/// Writes the line of a capture with `length` bytes at `offset` of `filename`. Returns `false` and writes nothing if
/// the capture has no key or time.
pub(super) fn write(capture: &Capture, offset: u64, length: u64, filename: &str, line: &mut Vec<u8>) -> bool {
    let (Some(key), Some(time)) = (surt(&capture.url), time(&capture.date)) else { return false };
    line.clear();
    line.extend_from_slice(key.as_bytes());
    line.push(b' ');
    line.extend_from_slice(time.as_bytes());
    line.extend_from_slice(b" {");
    let (offset, length) = (offset.to_string(), length.to_string());
    let fields = [
        ("metadata", capture.metadata.as_deref()),
        ("url", Some(capture.url.as_str())),
        ("mime", Some(capture.mime.as_str())),
        ("mime-detected", capture.mime_detected.as_deref()),
        ("status", capture.status.as_deref()),
        ("digest", capture.digest.as_deref()),
        ("length", Some(&length)),
        ("offset", Some(&offset)),
        ("filename", Some(filename)),
    ];
    let present = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
    for (place, (name, value)) in present.filter(|(_, value)| !matches!(*value, "" | "-")).enumerate() {
        line.extend_from_slice(if place == 0 { b"\"" } else { b", \"" });
        line.extend_from_slice(name.as_bytes());
        line.extend_from_slice(b"\": ");
        write_text(value, line);
    }
    line.extend_from_slice(b"}\n");
    true
}

/// Converts `2026-01-02T03:04:05.678Z` to `20260102030405`. A shorter date stands for the start of its period.
fn time(date: &str) -> Option<String> {
    const BEGINNING: &str = "00000101000000";
    let numbers = date.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    let digits: String = numbers.take(6).collect();
    (digits.len() >= 4 && digits.len() <= TIME_DIGITS && digits.len().is_multiple_of(2))
        .then(|| format!("{digits}{}", &BEGINNING[digits.len()..]))
}

/// Writes a JSON string in ASCII.
fn write_text(text: &str, line: &mut Vec<u8>) {
    line.push(b'"');
    for c in text.chars() {
        match c {
            '"' | '\\' => line.extend_from_slice(&[b'\\', c as u8]),
            ' '..='~' => line.push(c as u8),
            '\n' => line.extend_from_slice(b"\\n"),
            '\r' => line.extend_from_slice(b"\\r"),
            '\t' => line.extend_from_slice(b"\\t"),
            '\x08' => line.extend_from_slice(b"\\b"),
            '\x0c' => line.extend_from_slice(b"\\f"),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    write!(line, "\\u{unit:04x}").expect("a Vec takes every write");
                }
            }
        }
    }
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_have_fourteen_digits() {
        for (date, expected) in [
            ("2026-01-02T03:04:05Z", Some("20260102030405")),
            ("2026-01-02T03:04:05.678901Z", Some("20260102030405")),
            ("2026-01", Some("20260101000000")),
            ("2026", Some("20260101000000")),
            ("2026-01-02T03:04", Some("20260102030400")),
            ("", None),
            ("yesterday", None),
            ("1-2", None),
        ] {
            assert_eq!(time(date).as_deref(), expected, "{date}");
        }
    }

    proptest! {
        #[test]
        fn texts_are_ascii_and_survive_a_round_trip(text in "\\PC*|[\\x00-\\x7fäö😀\"\\\\]*") {
            let mut line = Vec::new();
            write_text(&text, &mut line);
            prop_assert!(line.iter().all(|byte| (b' '..=b'~').contains(byte)));
            prop_assert_eq!(serde_json::from_slice::<String>(&line).unwrap(), text);
        }
    }
}
