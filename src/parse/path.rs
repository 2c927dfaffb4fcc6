//! Paths as numbers.
//!
//! A path from the root to a node is one 64-bit hash: that of its parent, mixed with the word of its last step. So a parser
//! keeps one number an open element, and a leaf costs one multiplication. The hashes are persisted (in site models and the
//! frontier) and are the same on every platform: **changing anything here invalidates models that were learnt before.**

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// The word of a step to a text node.
pub(super) const TEXT: u64 = name_word(b"#text");
/// The path of the document, above its root element.
pub(super) const DOCUMENT: u64 = 0x6861_7276_6573_746d;

const LEFT: u64 = 0x9e37_79b9_7f4a_7c15;
const RIGHT: u64 = 0xd6e8_feb8_6659_fd93;
/// Longest spelling of one path; longer ones end in an ellipsis. It bounds the memory of the spelling mode only.
const SPELLING_MAX: usize = 8 << 10;

/// The path of the step `word` below `parent`: a folded multiplication, the strongest mixer at the price of one.
#[inline]
pub(super) const fn step(parent: u64, word: u64) -> u64 {
    let product = (parent ^ LEFT) as u128 * (word ^ RIGHT) as u128;
    (product as u64) ^ ((product >> 64) as u64)
}

/// The word of an element name, which must be lower case: the name itself where it fits in eight bytes.
pub(super) const fn name_word(name: &[u8]) -> u64 {
    if name.len() <= 8 { pack(name, 0) } else { fold(name) }
}

/// A hash of `bytes`, eight at a time.
pub(super) const fn fold(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = step(hash, pack(bytes, at));
        at += 8;
    }
    hash
}

/// The up to eight bytes from `at`, as a little-endian number.
const fn pack(bytes: &[u8], at: usize) -> u64 {
    let mut word = 0;
    let mut i = 0;
    while i < 8 && at + i < bytes.len() {
        word |= (bytes[at + i] as u64) << (8 * i);
        i += 1;
    }
    word
}

/// The word of a step to an element that carries its class: the last step of an Apath. Without a class it is the name's.
pub(super) fn class_word(name: u64, class: &[u8]) -> u64 {
    if class.is_empty() { name } else { step(name, fold(class)) }
}

/// Remembers how paths are spelt, where that was asked for. In hash mode it does nothing.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    on: bool,
    steps_max: usize,
    /// Path → the path above, the word of the last step.
    steps: HashMap<u64, (u64, u64), RandomState>,
    /// Word → name.
    names: HashMap<u64, Box<str>, RandomState>,
}

impl Spellings {
    pub fn new(on: bool, steps_max: usize) -> Self {
        Self { on, steps_max, steps: HashMap::default(), names: HashMap::default() }
    }

    pub fn clear(&mut self) {
        self.steps.clear();
        self.names.clear();
    }

    /// Remembers that `path` is the step `word` below `parent`, and that the word is for `name`.
    #[inline]
    pub fn learn(&mut self, path: u64, parent: u64, word: u64, name: impl FnOnce() -> String) {
        if self.on && self.steps.len() < self.steps_max {
            self.steps.entry(path).or_insert((parent, word));
            self.names.entry(word).or_insert_with(|| name().into_boxed_str());
        }
    }

    /// The path spelt out: `/html/body/div/#text`. None in hash mode.
    pub fn spell(&self, path: u64) -> Option<Box<str>> {
        if !self.on {
            return None;
        }
        let mut steps = Vec::new();
        let (mut at, mut length) = (path, 0);
        while at != DOCUMENT {
            let step = self.steps.get(&at).and_then(|(parent, word)| Some((parent, self.names.get(word)?)));
            let Some((parent, name)) = step else {
                steps.push("…");
                break;
            };
            steps.push(name);
            length += name.len() + 1;
            if length > SPELLING_MAX {
                steps.push("…");
                break;
            }
            at = *parent;
        }
        Some(steps.iter().rev().flat_map(|name| ["/", name]).collect::<String>().into_boxed_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_hashes_never_change_because_they_are_persisted() {
        let html = step(DOCUMENT, name_word(b"html"));
        let body = step(html, name_word(b"body"));
        let quote = step(body, name_word(b"blockquote"));
        let anchor = step(quote, class_word(name_word(b"a"), b"topic link"));
        let expected = [
            13_051_499_571_630_232_049,
            11_123_277_909_939_696_326,
            8_017_375_753_311_140_298,
            9_878_979_835_612_597_912,
        ];
        assert_eq!([html, body, quote, anchor], expected);
    }

    #[test]
    fn names_classes_and_order_all_make_a_difference() {
        let (a, b) = (name_word(b"a"), name_word(b"b"));
        assert_ne!(step(step(DOCUMENT, a), b), step(step(DOCUMENT, b), a));
        assert_ne!(class_word(a, b"x"), a);
        assert_ne!(class_word(a, b"x"), class_word(b, b"x"));
        assert_ne!(class_word(a, b"12345678"), class_word(a, b"12345678\0"));
        assert_eq!(class_word(a, b""), a);
    }

    #[test]
    fn a_path_is_spelt_from_the_root() {
        let mut spellings = Spellings::new(true, 10);
        let html = step(DOCUMENT, name_word(b"html"));
        spellings.learn(html, DOCUMENT, name_word(b"html"), || "html".into());
        let text = step(html, TEXT);
        spellings.learn(text, html, TEXT, || "#text".into());
        assert_eq!(spellings.spell(text).as_deref(), Some("/html/#text"));
        assert_eq!(Spellings::new(false, 10).spell(text), None);
    }
}
