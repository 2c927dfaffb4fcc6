//! The texts that a page shows: their words as hashes, and units of content, which are runs of about eight words.
//!
//! While the page is read, only the positions of its texts are recorded; their contents are read once, at the end. By
//! then a text that comes in pieces is complete, and most texts are hashed in place, without a copy. The hashes are
//! persisted: **any change here invalidates existing models.**

use super::ascii_words::{HashedWord, ascii_words};
use super::decoded_text::Source;
use super::gist::Gist;
use super::path::{Spellings, step};
use harvestman_core::model::{ContentUnit, PageText, PsnvPair};

/// Maximum number of units of one page; further texts are dropped.
const UNITS_MAX: usize = 4_096;
/// Maximum number of pieces in all texts of one page; a text is truncated when there are more.
const PIECES_MAX: usize = 4 * UNITS_MAX;
/// Minimum number of words of a unit whose text continues behind it, and the maximum.
const WORDS_MIN: u16 = 3;
const WORDS_MAX: u16 = 32;
/// Maximum number of words of one page, but for those of its last text.
const WORDS_KEPT: usize = 16_384;
/// The number of bytes per word that room is reserved by.
const WORD_BYTES: usize = 6;
/// The word that stands for all words with a digit.
const NUMBER: u32 = 1;
/// The number of a text that is no unit.
pub(super) const NONE: u32 = u32::MAX;
/// The hash of an empty sequence of words.
const NO_WORDS: u64 = 0x776f_7264_7320_6f66;

/// The elements around a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitContext {
    pub in_anchor: bool,
    pub in_form: bool,
    /// Whether it labels a control. Only path strings include such texts.
    pub is_label: bool,
}

/// A part of the page that belongs to the text `unit`.
#[derive(Debug, Clone, Copy)]
struct Piece {
    unit: u32,
    from: usize,
    to: usize,
    entities: bool,
}

/// The collected texts of a page.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub units: Vec<ContentUnit>,
    pub text: PageText,
    /// The index in `text` of the first run of each text.
    pub starts: Vec<u32>,
    pub gist: Vec<u64>,
}

/// The words of a page, if they are read after it ([`Parser::words`](super::Parser::words)).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageWords {
    /// As [`ParsedPage::text`](harvestman_core::model::ParsedPage::text).
    pub text: PageText,
    /// As [`ParsedPage::text_starts`](harvestman_core::model::ParsedPage::text_starts).
    pub starts: Vec<u32>,
}

/// What is read of texts.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    words: bool,
    units: bool,
}

#[derive(Debug, Default)]
pub(super) struct Units {
    /// Whether texts are recorded at all: for words, for units, or for the gist.
    pub on: bool,
    /// Whether words may be asked for after the page was read.
    on_request: bool,
    /// Whether words are wanted, and units.
    pub words: bool,
    pub units: bool,
    /// Whether the path string of each text is wanted, labels of controls included.
    pub strings: bool,
    /// Whether words are also spelt out.
    spelling: bool,
    /// The gist of the page, if wanted.
    pub gist: Gist,
    /// The context of each text.
    contexts: Vec<UnitContext>,
    /// The path of the element of each text, if path strings are wanted.
    paths: Vec<u64>,
    pieces: Vec<Piece>,
}

impl Units {
    pub fn new(spelling: bool) -> Self {
        Self { spelling, ..Self::default() }
    }

    pub fn clear(&mut self) {
        self.contexts.clear();
        self.paths.clear();
        self.pieces.clear();
        self.gist.clear();
    }

    /// Returns the number of texts that have begun.
    pub const fn begun(&self) -> u32 {
        self.contexts.len() as u32
    }

    /// Sets what is wanted from now on.
    pub fn ask(&mut self, words: bool, units: bool, gist: bool) {
        (self.words, self.units, self.gist.on) = (words, units, gist);
        self.on = words || units || gist || self.strings || self.on_request;
    }

    /// Sets whether words may be asked for after a page was read, from the next page on.
    pub fn ask_on_request(&mut self, on_request: bool) {
        self.on_request = on_request;
        self.ask(self.words, self.units, self.gist.on);
    }

    /// Also records the path of each text from now on.
    pub fn ask_strings(&mut self) {
        (self.on, self.strings) = (true, true);
    }

    /// Begins a unit with `text` in the element at `path`. Returns its number.
    pub fn begin(&mut self, context: UnitContext, path: u64, source: Source<'_>, text: &[u8], entities: bool) -> u32 {
        if self.contexts.len() >= UNITS_MAX {
            return NONE;
        }
        let number = self.contexts.len() as u32;
        self.contexts.push(context);
        if self.strings {
            self.paths.push(path);
        }
        self.append(number, source, text, entities);
        number
    }

    /// Records that `text` continues the text `unit`.
    #[inline(always)]
    pub fn append(&mut self, unit: u32, source: Source<'_>, text: &[u8], entities: bool) {
        if self.on && unit != NONE {
            let from = source.offset(text);
            self.put(Piece { unit, from, to: from + text.len(), entities });
        }
    }

    #[inline(never)]
    fn put(&mut self, piece: Piece) {
        let room = self.pieces.len() < PIECES_MAX;
        match self.pieces.last_mut() {
            Some(last) if last.unit == piece.unit && last.to == piece.from && last.entities == piece.entities => {
                last.to = piece.to;
            }
            _ if room => self.pieces.push(piece),
            _ => {}
        }
    }

    /// Returns the units and the words, in page order, and the gist; what is not wanted is empty.
    pub fn finish(&mut self, source: Source<'_>) -> Texts {
        // A text before a table may continue behind the table's texts.
        self.pieces.sort_by_key(|piece| piece.unit);
        let wanted = Wanted { words: self.words, units: self.units };
        let mut texts = if self.words || self.units { self.texts(source, wanted) } else { Texts::default() };
        if self.gist.on {
            let shown = self.pieces.iter().filter(|piece| !self.contexts[piece.unit as usize].is_label);
            shown.for_each(|piece| self.gist.text(piece.unit, &source.bytes[piece.from..piece.to]));
        }
        texts.gist = self.gist.finish();
        texts
    }

    /// Returns the words of a finished page as they are shown, in the order of their hashes; none unless they are
    /// wanted.
    pub fn spelt(&self, source: Source<'_>) -> Vec<Box<str>> {
        let mut spelt = Vec::new();
        if !(self.words && self.spelling) {
            return spelt;
        }
        for pieces in self.pieces.chunk_by(|one, other| one.unit == other.unit) {
            if spelt.len() >= WORDS_KEPT {
                break;
            }
            if !self.contexts[pieces[0].unit as usize].is_label {
                spelt.extend(shown(source, pieces).split_whitespace().map(Box::from));
            }
        }
        spelt
    }

    /// Returns the path string and the value of each text of a finished page, in page order; none unless they are
    /// wanted.
    pub fn path_strings(&self, source: Source<'_>, spellings: &Spellings) -> Vec<PsnvPair> {
        if !self.strings {
            return Vec::new();
        }
        let mut words = Words::default();
        let texts = self.pieces.chunk_by(|one, other| one.unit == other.unit);
        let pair = |pieces: &[Piece]| {
            words.read(source, pieces);
            let path = self.paths.get(pieces[0].unit as usize).copied()?;
            let value = words.hashes.iter().fold(NO_WORDS, |value, word| step(value, *word));
            Some(PsnvPair { path, value, text: spellings.spell_upwards(path) })
        };
        texts.filter_map(pair).collect()
    }

    /// Returns the words of a finished page, in page order.
    pub fn words(&self, source: Source<'_>) -> PageWords {
        let Texts { text, starts, .. } = self.texts(source, Wanted { words: true, units: false });
        PageWords { text, starts }
    }

    fn texts(&self, source: Source<'_>, wanted: Wanted) -> Texts {
        let Texts { mut units, mut text, mut starts, gist } = Texts::default();
        if wanted.words {
            let bytes: usize = self.pieces.iter().map(|piece| piece.to - piece.from).sum();
            text = PageText::with_capacity((bytes / WORD_BYTES).min(WORDS_KEPT), self.contexts.len());
            starts.reserve(self.contexts.len());
        }
        let mut words = Words::default();
        for pieces in self.pieces.chunk_by(|one, other| one.unit == other.unit) {
            let UnitContext { in_anchor, in_form, is_label } = self.contexts[pieces[0].unit as usize];
            if is_label {
                continue;
            }
            if wanted.units {
                words.read(source, pieces);
            } else {
                words.read_shown(source, pieces);
            }
            if wanted.words {
                // Texts before it without words have no run of their own.
                starts.resize(pieces[0].unit as usize + 1, text.run_count());
            }
            if wanted.words && text.len() < WORDS_KEPT {
                text.push(&words.shown, in_anchor, in_form);
            }
            if wanted.units {
                let text_words = words.hashes.len().min(usize::from(u16::MAX)) as u16;
                let room = UNITS_MAX - units.len();
                let unit = |(hash, words)| ContentUnit { hash, words, text_words, in_anchor, in_form };
                units.extend(cut(&words.hashes).take(room).map(unit));
            }
        }
        Texts { units, text, starts, gist }
    }
}

/// Returns the hash of a word.
pub(super) fn word_hash(word: &str) -> u32 {
    let HashedWord { hash, has_digit } = HashedWord::of(word.as_bytes());
    shown_word(hash, has_digit)
}

const fn shown_word(hash: u64, has_digit: bool) -> u32 {
    if has_digit { NUMBER } else { (hash ^ (hash >> 32)) as u32 }
}

/// Returns the text in `pieces` as it is shown.
fn shown(source: Source<'_>, pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| source.shown(&source.bytes[piece.from..piece.to], piece.entities)).collect()
}

/// The words of a text.
#[derive(Debug, Default)]
struct Words {
    /// Their hashes.
    hashes: Vec<u64>,
    /// The same in 32 bits, where all words with a digit are one word: numbers, dates, identifiers.
    shown: Vec<u32>,
}

impl Words {
    /// Reads the text in `pieces`.
    fn read(&mut self, source: Source<'_>, pieces: &[Piece]) {
        self.hashes.clear();
        self.shown.clear();
        each_word(source, pieces, |HashedWord { hash, has_digit }| {
            self.hashes.push(hash);
            self.shown.push(shown_word(hash, has_digit));
        });
    }

    /// Reads the text in `pieces`, but not the hashes of its words.
    fn read_shown(&mut self, source: Source<'_>, pieces: &[Piece]) {
        self.shown.clear();
        each_word(source, pieces, |HashedWord { hash, has_digit }| self.shown.push(shown_word(hash, has_digit)));
    }
}

/// Passes the words of the text in `pieces` to `push`.
#[inline]
fn each_word(source: Source<'_>, pieces: &[Piece], mut push: impl FnMut(HashedWord)) {
    let mut each = |text: &str| text.split_whitespace().for_each(|word| push(HashedWord::of(word.as_bytes())));
    let &[Piece { from, to, entities, .. }] = pieces else {
        return each(&shown(source, pieces));
    };
    let raw = &source.bytes[from..to];
    let as_written = raw.is_ascii() && memchr::memchr2(0, if entities { b'&' } else { 0 }, raw).is_none();
    if as_written {
        ascii_words(source.bytes, from..to, push);
    } else {
        each(&source.shown(raw, entities));
    }
}

/// Cuts words into units, behind words that are selected by their own hash, so that the same run of words is always cut
/// alike: an excerpt shares all its units but the last with the text that it begins, and a quotation from the middle of
/// a text soon reaches one of its cuts, from where on the same holds. Returns the hash and the number of words of each.
fn cut(words: &[u64]) -> impl Iterator<Item = (u64, u16)> {
    let mut rest = words.iter();
    std::iter::from_fn(move || {
        let (mut hash, mut count) = (NO_WORDS, 0);
        for word in rest.by_ref() {
            hash = step(hash, *word);
            count += 1;
            if count >= WORDS_MAX || (count >= WORDS_MIN && ends_unit(*word)) {
                break;
            }
        }
        (count > 0).then_some((hash, count))
    })
}

/// Returns whether a unit ends behind the word with this hash, as it does for one word of eight.
const fn ends_unit(word: u64) -> bool {
    step(NO_WORDS, word) >> 61 == 0
}

#[cfg(test)]
#[path = "units_tests.rs"]
mod tests;
