//! Reads JSON lines from programs whose strings are not valid Unicode.
//!
//! JSON strings may contain lone surrogates (`"\ud800"`), and URL test data does; Rust strings cannot. The URL standard
//! takes its input as a USVString, in which each lone surrogate is U+FFFD, so it is replaced here, before the line is
//! parsed. Invalid UTF-8 becomes U+FFFD likewise.

use std::io::{self, BufRead, Read};

/// Reads lines from `inner` and converts them to Unicode.
pub(super) struct UsvLines<R> {
    inner: R,
    line: Vec<u8>,
    given: usize,
}

impl<R: BufRead> UsvLines<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, line: Vec::new(), given: 0 }
    }
}

impl<R: BufRead> BufRead for UsvLines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.given >= self.line.len() {
            self.given = 0;
            self.line.clear();
            self.inner.read_until(b'\n', &mut self.line)?;
            replace_lone_surrogates(&mut self.line);
            if let Err(error) = std::str::from_utf8(&self.line) {
                tracing::debug!(%error, "a line is not UTF-8");
                self.line = String::from_utf8_lossy(&self.line).into_owned().into_bytes();
            }
        }
        Ok(&self.line[self.given..])
    }

    fn consume(&mut self, amount: usize) {
        self.given += amount;
    }
}

impl<R: BufRead> Read for UsvLines<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

/// Replaces each escaped lone surrogate with the escape of U+FFFD, which has the same length.
fn replace_lone_surrogates(json: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &json[at..]) {
        at += found;
        at += match (code_unit(&json[at..]), json.get(at + 6..).and_then(code_unit)) {
            (None, _) => 2,
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                json[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            (Some(_), _) => 6,
        };
        if at >= json.len() {
            return;
        }
    }
}

/// Returns the code unit that `text` starts with, escaped as in `\ud83d`.
fn code_unit(text: &[u8]) -> Option<u16> {
    let digits = text.get(..6)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        UsvLines::new(bytes).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_remain() {
        for (given, wanted) in [
            (r#""\ud800""#, r#""\ufffd""#),
            (r#""\uDFFFx\uD83D\ude00""#, r#""\ufffdx\uD83D\ude00""#),
            (r#""\ud800\ud83d\ude00\udc00""#, r#""\ufffd\ud83d\ude00\ufffd""#),
            (r#""\\ud800""#, r#""\\ud800""#),
            (r#""\\\ud800""#, r#""\\\ufffd""#),
            (r#""\u00e9\n""#, r#""\u00e9\n""#),
            (r#""\ud80"#, r#""\ud80"#),
            (r#"\"#, r#"\"#),
        ] {
            assert_eq!(read(given.as_bytes()), wanted.as_bytes(), "{given}");
        }
        assert_eq!(read(b"a\xff\nb\xed\xa0\x80"), "a\u{fffd}\nb\u{fffd}\u{fffd}\u{fffd}".as_bytes());
    }

    proptest! {
        #[test]
        fn any_bytes_become_text_and_any_json_string_stays_readable(
            bytes in any::<Vec<u8>>(),
            units in proptest::collection::vec(prop_oneof![any::<u16>(), 0xD700_u16..0xE100], 0..8),
        ) {
            prop_assert!(String::from_utf8(read(&bytes)).is_ok());
            let json = units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            let text: String = serde_json::from_slice(&read(format!("\"{json}\"").as_bytes())).unwrap();
            prop_assert_eq!(text, String::from_utf16_lossy(&units));
        }
    }
}
