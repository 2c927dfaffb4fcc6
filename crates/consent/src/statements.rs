//! Statements as they are recorded: their texts, and a bounded list of those about a page that does not depend on their
//! order.

use std::collections::BTreeSet;

use harvestman_core::model::Statement;

/// Maximum number of statements about one page that are only recorded.
pub const RECORDED_MAX: usize = 16;

/// Returns the statements in a fixed order, each once: of those with the same wish, kind and place only the first is
/// kept, so that no wish is lost and their number is bounded by the kinds; of those that are only recorded the first
/// [`RECORDED_MAX`].
pub fn combined(statements: impl IntoIterator<Item = Statement>) -> Vec<Statement> {
    let all: BTreeSet<Statement> = statements.into_iter().collect();
    let (mut kept, mut recorded) = (Vec::<Statement>::new(), 0);
    for statement in all {
        let is_same = |other: &Statement| {
            (other.signal, other.stated_in, other.wish) == (statement.signal, statement.stated_in, statement.wish)
        };
        let is_kept = match statement.wish {
            Some(_) => !kept.last().is_some_and(is_same),
            None => recorded < RECORDED_MAX,
        };
        recorded += usize::from(statement.wish.is_none());
        kept.extend(is_kept.then_some(statement));
    }
    kept
}

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
