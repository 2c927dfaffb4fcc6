//! Texts of statements as they are recorded.

/// Maximum number of characters of a text that is recorded.
const CHARACTERS_MAX: usize = 200;

/// Returns bytes as a text of one line, shortened to [`CHARACTERS_MAX`].
pub fn recorded(bytes: &[u8]) -> Box<str> {
    // A character takes up to four bytes; one that is cut apart is beyond the limit of characters.
    let bytes = &bytes[..bytes.len().min(4 * CHARACTERS_MAX + 4)];
    let text = String::from_utf8_lossy(bytes.trim_ascii());
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    line.take(CHARACTERS_MAX).collect::<String>().into_boxed_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_of_bounded_length() {
        assert_eq!(&*recorded(b" a\r\nb\x00c "), "a  b c");
        assert_eq!(recorded("é".repeat(1_000_000).as_bytes()).chars().count(), CHARACTERS_MAX);
        assert_eq!(&*recorded(b"\xff"), "\u{fffd}");
    }
}
