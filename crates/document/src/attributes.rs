//! The number of attributes of the tag that is being read.

/// Follows the tokenizer of the HTML standard (13.2.5.6 to 13.2.5.40) through tags.
///
/// Input: the pieces of a page, each with at most one `<`, as its first byte. A tag therefore begins with a piece.
#[derive(Default)]
pub struct TagScanner {
    state: State,
    attributes: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    DoubleQuoted,
    SingleQuoted,
    Unquoted,
}

impl TagScanner {
    /// Reads the next piece. `emitted`: whether the tokenizer has emitted a token while reading it.
    ///
    /// The tokenizer emits nothing within a tag: after a token that is not at its end, what looked like a tag was text.
    /// The token of the piece that begins a tag may be a character reference before it.
    pub fn scan(&mut self, piece: &str, emitted: bool) {
        let bytes = piece.as_bytes();
        let name = bytes.strip_prefix(b"</").or_else(|| bytes.strip_prefix(b"<")).unwrap_or_default();
        let begins = name.first().is_some_and(u8::is_ascii_alphabetic) && (emitted || self.state == State::Outside);
        if begins || self.state == State::Outside {
            *self = Self { state: if begins { State::TagName } else { State::Outside }, attributes: 0 };
        }
        for byte in if begins { name } else { bytes } {
            if self.state == State::Outside {
                return;
            }
            self.read(*byte);
        }
        if emitted && !begins && self.state != State::Outside {
            *self = Self::default();
        }
    }

    /// Returns the number of attributes of the tag that was read last, repeated ones included.
    pub fn attributes(&self) -> usize {
        self.attributes
    }

    fn read(&mut self, byte: u8) {
        use State::{AfterName, BeforeName, BeforeValue, DoubleQuoted, Name, Outside, SingleQuoted, TagName, Unquoted};
        let space = matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ');
        self.state = match (self.state, byte) {
            (DoubleQuoted, b'"') | (SingleQuoted, b'\'') => BeforeName,
            (DoubleQuoted, _) => DoubleQuoted,
            (SingleQuoted, _) => SingleQuoted,
            (_, b'>') => Outside,
            (BeforeValue, b'"') => DoubleQuoted,
            (BeforeValue, b'\'') => SingleQuoted,
            (BeforeValue, _) if space => BeforeValue,
            (BeforeValue, _) => Unquoted,
            (Unquoted | BeforeName, _) if space => BeforeName,
            (Unquoted, _) => Unquoted,
            (Name | AfterName, b'=') => BeforeValue,
            (Name | AfterName, _) if space => AfterName,
            (TagName, b'/') => BeforeName,
            (TagName, _) if !space => TagName,
            (TagName, _) | (BeforeName | Name | AfterName, b'/') => BeforeName,
            (Name, _) => Name,
            (BeforeName | AfterName, _) => {
                self.attributes += 1;
                Name
            }
            (Outside, _) => Outside,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(tag: &str) -> usize {
        let mut scanner = TagScanner::default();
        scanner.scan(tag, false);
        scanner.attributes()
    }

    #[test]
    fn attributes_are_counted_as_the_tokenizer_does() {
        for (tag, count) in [
            ("<p>", 0),
            ("<p/>", 0),
            ("</p a>", 1),
            ("<a href=x/y b>", 2),
            ("<a href = 'x y' b=\"c > d\"e>", 3),
            ("<a/b/c=1 d==2 =e>", 4),
            ("<a b c >d e f", 2),
            ("< a b", 0),
        ] {
            assert_eq!(attributes(tag), count, "{tag}");
        }
    }

    #[test]
    fn a_tag_continues_over_pieces_until_a_token_ends_it() {
        let mut scanner = TagScanner::default();
        scanner.scan("<a b='", true);
        scanner.scan("<i x y z", false);
        assert_eq!(scanner.attributes(), 1);
        scanner.scan("' c d", false);
        assert_eq!(scanner.attributes(), 3);
        scanner.scan(" e>", true);
        assert_eq!(scanner.attributes(), 4);
        scanner.scan("f g", true);
        assert_eq!(scanner.attributes(), 0);
    }

    #[test]
    fn text_that_looks_like_a_tag_is_forgotten() {
        let mut scanner = TagScanner::default();
        scanner.scan("<b c d", true);
        assert_eq!(scanner.attributes(), 2);
        scanner.scan("e f", true);
        assert_eq!(scanner.attributes(), 0);
        scanner.scan("<b c d", true);
        scanner.scan("<i e>", true);
        assert_eq!(scanner.attributes(), 1);
    }
}
