//! Paths as numbers.
//!
//! A path from the root to a node is one 64-bit hash: the hash of its parent, mixed with the *word* (a 64-bit code) of
//! its last step. So a parser stores one number per open element, and a leaf costs one multiplication. The hashes are
//! persisted (in site models and the frontier) and are the same on every platform: **any change here invalidates
//! existing models.**
//!
//! The bag of leaf paths says which paths lead to something shown, and how often each occurs (SOUrCe 2018, section
//! 3.1).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use harvestman_core::model::LeafPath;

pub(super) use harvestman_core::model::path_hash::{fold, fold_run, pack, step};

/// The word of a step to a text node.
pub(super) const TEXT: u64 = name_word(b"#text");
/// The path of the document, above its root element.
pub(super) const DOCUMENT: u64 = 0x6861_7276_6573_746d;

/// A position on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Path {
    /// Its path by names alone, which Apaths consist of.
    pub plain: u64,
    /// Its path by names and kept class tokens, which leaf paths consist of. It is the plain path if there are no
    /// tokens.
    pub rich: u64,
    /// The word of the kept class tokens of its last element; 0 if there are none.
    pub class: u64,
}

impl Path {
    /// The path of the document, above its root element.
    pub const DOCUMENT: Self = Self { plain: DOCUMENT, rich: DOCUMENT, class: 0 };
}

/// The initial word of class tokens.
const TOKENS: u64 = name_word(b"#class");
/// Maximum length of the spelling of one path; longer ones end in an ellipsis. It bounds the memory of the spelling
/// mode only.
const SPELLING_MAX: usize = 8 << 10;

/// Returns the word of an element name, which must be in lower case: the name itself if it fits in eight bytes.
pub(super) const fn name_word(name: &[u8]) -> u64 {
    if name.len() <= 8 { pack(name, 0) } else { fold(name) }
}

/// Returns the word of a step to an element with its class, the last step of an Apath. Without a class it is the word
/// of the name.
pub(super) fn class_word(name: u64, class: &[u8]) -> u64 {
    if class.is_empty() { name } else { step(name, fold(class)) }
}

/// Returns the word of a set of class tokens, given in ascending order; 0 for none.
pub(super) fn tokens_word(tokens: &[u64]) -> u64 {
    if tokens.is_empty() { 0 } else { tokens.iter().fold(TOKENS, |word, token| step(word, *token)) }
}

/// Remembers how paths are spelt, if that is enabled. In hash mode it does nothing.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    on: bool,
    steps_max: usize,
    /// Path → the path above and the word of the last step.
    steps: HashMap<u64, (u64, u64), RandomState>,
    /// Word → name.
    names: HashMap<u64, Box<str>, RandomState>,
    /// Word of class tokens → `.one.two`.
    classes: HashMap<u64, Box<str>, RandomState>,
}

impl Spellings {
    pub fn new(on: bool, steps_max: usize) -> Self {
        Self { on, steps_max, ..Self::default() }
    }

    pub const fn is_on(&self) -> bool {
        self.on
    }

    pub fn clear(&mut self) {
        self.steps.clear();
        self.names.clear();
        self.classes.clear();
    }

    /// Remembers that `path` is the step `word` below `parent`, and that the word stands for `name`.
    #[inline]
    pub fn learn(&mut self, path: u64, parent: u64, word: u64, name: impl FnOnce() -> String) {
        if self.on && self.steps.len() < self.steps_max {
            self.steps.entry(path).or_insert((parent, word));
            self.names.entry(word).or_insert_with(|| name().into_boxed_str());
        }
    }

    /// Remembers the spelling of the class tokens of the word `class`.
    pub fn learn_class(&mut self, class: u64, name: impl FnOnce() -> String) {
        if self.on && self.classes.len() < self.steps_max {
            self.classes.entry(class).or_insert_with(|| name().into_boxed_str());
        }
    }

    /// Returns the path of the step `word`, with the class tokens `class`, below `parent`.
    #[inline]
    pub fn child(&mut self, parent: Path, word: u64, class: u64, name: impl Fn() -> String) -> Path {
        let plain = step(parent.plain, word);
        self.learn(plain, parent.plain, word, &name);
        let without_class = class == 0 && parent.rich == parent.plain;
        let rich = if without_class { plain } else { self.rich_child(parent.rich, word, class, name) };
        Path { plain, rich, class }
    }

    // Kept out of the plain parse, as is all that only learning needs.
    #[inline(never)]
    fn rich_child(&mut self, parent: u64, name_word: u64, class: u64, name: impl Fn() -> String) -> u64 {
        let word = if class == 0 { name_word } else { step(name_word, class) };
        let path = step(parent, word);
        if self.on {
            let class = self.classes.get(&class).cloned().unwrap_or_default();
            self.learn(path, parent, word, || name() + &class);
        }
        path
    }

    /// Returns the spelling of a path, such as `/html/body/div/#text`; `None` in hash mode.
    pub fn spell(&self, path: u64) -> Option<Box<str>> {
        Some(self.steps_above(path)?.iter().rev().flat_map(|name| ["/", name]).collect::<String>().into_boxed_str())
    }

    /// Returns the spelling of a path from its last step to the root, such as `<p><div-class/post><body><html>`; `None`
    /// in hash mode.
    pub fn spell_upwards(&self, path: u64) -> Option<Box<str>> {
        Some(self.steps_above(path)?.iter().flat_map(|name| ["<", name, ">"]).collect::<String>().into_boxed_str())
    }

    /// Returns the names of a path's steps, the last first.
    fn steps_above(&self, path: u64) -> Option<Vec<&str>> {
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
        Some(steps)
    }
}

/// Number of paths whose positions are remembered outside the map: pages repeat a few paths.
const RECENT: usize = 64;

#[derive(Debug)]
pub(super) struct Leaves {
    places: HashMap<u64, u32, RandomState>,
    /// The positions in `bag` of recent paths.
    recent: [u32; RECENT],
    bag: Vec<(u64, u32)>,
    paths_max: usize,
}

impl Leaves {
    pub fn new(paths_max: u32) -> Self {
        Self { places: HashMap::default(), recent: [0; RECENT], bag: Vec::new(), paths_max: paths_max as usize }
    }

    pub fn clear(&mut self) {
        self.places.clear();
        self.bag.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.bag.is_empty()
    }

    /// Counts a leaf at `path`. A new path beyond the limit is dropped.
    #[inline]
    pub fn add(&mut self, path: u64) {
        let slot = path as usize % RECENT;
        // A position left from another page has another path, or none.
        match self.bag.get_mut(self.recent[slot] as usize) {
            Some((known, count)) if *known == path => *count += 1,
            _ => self.recent[slot] = self.add_by_map(path),
        }
    }

    fn add_by_map(&mut self, path: u64) -> u32 {
        match self.places.entry(path) {
            Entry::Occupied(place) => {
                self.bag[*place.get() as usize].1 += 1;
                *place.get()
            }
            Entry::Vacant(free) if self.bag.len() < self.paths_max => {
                self.bag.push((path, 1));
                *free.insert(self.bag.len() as u32 - 1)
            }
            Entry::Vacant(_) => u32::MAX,
        }
    }

    pub fn finish(&self, spellings: &Spellings) -> Vec<LeafPath> {
        let leaf = |&(path, count)| LeafPath { path, count, text: spellings.spell(path) };
        self.bag.iter().map(leaf).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn folding_words_is_folding_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(fold_run(&bytes), fold(&bytes));
        }
    }

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
    fn class_tokens_change_the_rich_path_alone() {
        let mut spellings = Spellings::new(true, 10);
        let (div, class) = (name_word(b"div"), tokens_word(&[1, 2]));
        spellings.learn_class(class, || ".x.y".into());
        let plain = spellings.child(Path::DOCUMENT, div, 0, || "div".into());
        assert_eq!((plain.plain, plain.rich, plain.class), (step(DOCUMENT, div), step(DOCUMENT, div), 0));
        let rich = spellings.child(Path::DOCUMENT, div, class, || "div".into());
        assert_eq!((rich.plain, rich.class), (plain.plain, class));
        assert_eq!(spellings.spell(rich.rich).as_deref(), Some("/div.x.y"));
        let below = spellings.child(rich, TEXT, 0, || "#text".into());
        assert_eq!(spellings.spell(below.rich).as_deref(), Some("/div.x.y/#text"));
        assert_eq!(spellings.spell(below.plain).as_deref(), Some("/div/#text"));
        assert_eq!([tokens_word(&[]), class], [0, 1_746_614_631_350_073_133]);
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
