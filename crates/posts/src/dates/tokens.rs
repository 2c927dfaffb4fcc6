//! The parts of a text that may be a date.

use std::borrow::Cow;

use super::names::{Name, name, normal};

/// Maximum number of parts that are read.
const TOKENS_MAX: usize = 64;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token<'t> {
    /// A number, and how many digits it has.
    Number(u64, usize),
    /// A word in lower case, and what it means in a date.
    Word(Cow<'t, str>, Option<Name>),
    /// Another character that is no white space.
    Mark(char),
}

/// Returns the parts of a text, each with whether white space precedes it. Further ones are left out.
pub fn tokens(text: &str) -> Vec<(Token<'_>, bool)> {
    let (mut found, mut rest, mut is_spaced) = (Vec::new(), text, true);
    while let Some(first) = rest.chars().next().filter(|_| found.len() < TOKENS_MAX) {
        if first.is_whitespace() || is_invisible(first) {
            rest = &rest[first.len_utf8()..];
            is_spaced = true;
            continue;
        }
        let is_digit = |c: char| c.is_ascii_digit();
        let is_letter = |c: char| c.is_alphabetic() || c == '\'' || is_mark(c);
        let end = if is_digit(first) {
            rest.find(|c| !is_digit(c))
        } else if first.is_alphabetic() {
            rest.find(|c| !is_letter(c))
        } else {
            Some(first.len_utf8())
        };
        let (part, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let token = if is_digit(first) {
            Token::Number(part.parse().unwrap_or(u64::MAX), part.len())
        } else if first.is_alphabetic() {
            let word = normal(part);
            let name = name(&word);
            Token::Word(word, name)
        } else {
            Token::Mark(first)
        };
        found.push((token, is_spaced));
        (rest, is_spaced) = (behind, false);
    }
    found
}

/// Returns whether a character shows nothing.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Returns whether a character belongs to the letter before it.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}' | '\u{093e}'..='\u{094d}' | '\u{0e31}' | '\u{0e34}'..='\u{0e4e}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_parted() {
        let word = |text: &'static str| Token::Word(text.into(), name(text));
        let found = tokens("Dec. 8th, '19\u{200e} 4:58pm");
        let wanted = [
            (word("dec"), true),
            (Token::Mark('.'), false),
            (Token::Number(8, 1), true),
            (word("th"), false),
            (Token::Mark(','), false),
            (Token::Mark('\''), true),
            (Token::Number(19, 2), false),
            (Token::Number(4, 1), true),
            (Token::Mark(':'), false),
            (Token::Number(58, 2), false),
            (word("pm"), false),
        ];
        assert_eq!(found, wanted);
    }
}
