//! Texts without their characters: hashes, by which equal texts and beginnings of texts are found, and numbers for
//! names, addresses and hosts that many sightings share.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

/// Lengths of beginnings that are compared, in letters and digits.
pub(super) const STARTS: [usize; 3] = [24, 64, 160];

/// What is kept of a text. Only letters and digits count, in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Prints {
    /// Hash of the whole text.
    pub whole: u64,
    /// Hashes of its beginnings of [`STARTS`]; 0 of those that are longer than the text.
    pub starts: [u64; STARTS.len()],
    /// Number of letters and digits.
    pub length: u32,
}

impl Prints {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let plain = plain(text);
        if plain.is_empty() {
            return Self { whole: xxh3_64(text.trim().as_bytes()).max(1), ..Self::default() };
        }
        let mut starts = [0; STARTS.len()];
        let length = if plain.is_ascii() { plain.len() } else { plain.chars().count() };
        for (start, letters) in starts.iter_mut().zip(STARTS).filter(|(_, letters)| *letters <= length) {
            let end =
                if plain.is_ascii() { Some(letters) } else { plain.char_indices().nth(letters).map(|(at, _)| at) };
            *start = xxh3_64(&plain.as_bytes()[..end.unwrap_or(plain.len())]).max(1);
        }
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        Self { whole: xxh3_64(plain.as_bytes()).max(1), starts, length }
    }

    /// Returns a hash of the beginning of the text and of what tells it apart from others: host, author, date.
    pub fn hash_with(&self, [host, author, date]: [&str; 3]) -> u64 {
        let text = if self.starts[0] == 0 { self.whole } else { self.starts[0] };
        hash_of(&[host, author, date, &text.to_string()])
    }

    /// Returns the number of the longest beginning of [`STARTS`] that the text has.
    pub fn longest_start(&self) -> Option<usize> {
        self.starts.iter().rposition(|hash| *hash != 0)
    }
}

/// Returns the letters and digits of a text, in lower case.
pub(super) fn plain(text: &str) -> String {
    if text.is_ascii() {
        let mut plain = Vec::with_capacity(text.len());
        plain.extend(text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()));
        return String::from_utf8(plain).unwrap_or_default();
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            plain.extend(c.is_ascii_alphanumeric().then_some(c.to_ascii_lowercase()));
        } else if c.is_alphanumeric() {
            plain.extend(c.to_lowercase());
        }
    }
    plain
}

/// Returns whether a text ends as texts do that are cut off.
pub(super) fn is_cut(text: &str) -> bool {
    let text = text.trim_end().trim_end_matches([']', ')']);
    text.ends_with('…') || text.ends_with("...")
}

/// The number of a text; 0 means that there is none.
pub(super) type TextId = u32;

/// Texts, each with a number.
#[derive(Debug, Default)]
pub(super) struct Names {
    texts: Vec<Box<str>>,
    ids: HashMap<Box<str>, TextId, foldhash::fast::RandomState>,
}

impl Names {
    /// Returns the number of a text.
    pub fn id(&mut self, text: &str) -> TextId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        self.texts.push(text.into());
        let id = self.texts.len() as TextId;
        self.ids.insert(text.into(), id);
        id
    }

    /// Returns the number of a text, or 0 if there is none.
    pub fn id_of(&mut self, text: Option<&str>) -> TextId {
        text.filter(|text| !text.is_empty()).map_or(0, |text| self.id(text))
    }

    /// Returns the number of texts.
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// Returns the number of a text if it has one.
    pub fn find(&self, text: &str) -> Option<TextId> {
        self.ids.get(text).copied()
    }

    /// Returns the text of a number; the empty one of 0.
    pub fn text(&self, id: TextId) -> &str {
        (id as usize).checked_sub(1).and_then(|at| self.texts.get(at)).map_or("", |text| text)
    }

    /// Returns the text of a number, or `None` of 0.
    pub fn get(&self, id: TextId) -> Option<&str> {
        Some(self.text(id)).filter(|_| id != 0)
    }
}

/// Returns a hash of texts that is the same in every run; never 0.
pub(super) fn hash_of(parts: &[&str]) -> u64 {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
    for part in parts {
        bytes.extend_from_slice(part.as_bytes());
        bytes.push(0xff);
    }
    xxh3_64(&bytes).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_equal_texts_are_equal() {
        let long = "Word und ÄÖÜ, ".repeat(20);
        let (one, other) = (Prints::of(&long), Prints::of(&format!("  {} other", long.to_uppercase())));
        assert_eq!(one.starts, other.starts);
        assert!(one.whole != other.whole && one.longest_start() == Some(2) && one.length == 200);
        assert_eq!(Prints::of("short").longest_start(), None);
        assert_eq!(Prints::of(&"a".repeat(24)).longest_start(), Some(0));
        assert_eq!(Prints::of("a b").whole, Prints::of("A-b!").whole);
        assert_ne!(Prints::of(":-)").whole, Prints::of(":-(").whole);
    }

    proptest::proptest! {
        /// ASCII is read as other texts are.
        #[test]
        fn letters_and_digits_are_the_same_in_any_text(text in "[ -~]{0,40}") {
            proptest::prop_assert_eq!(plain(&text), plain(&format!("{text}…")));
        }
    }

    #[test]
    fn cut_texts_are_recognised() {
        for cut in ["a …", "a...", "a [...]", "a (…) "] {
            assert!(is_cut(cut), "{cut}");
        }
        assert!(!is_cut("a.") && !is_cut(""));
    }
}
