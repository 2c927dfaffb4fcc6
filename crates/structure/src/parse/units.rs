//! Units of content: the texts that a page shows, cut into runs of about eight words, as hashes of these words.
//!
//! While the page is read, only the positions of its texts are recorded; their contents are read once, at the end. By
//! then a text that comes in pieces is complete, and most texts are hashed in place, without a copy. The hashes are
//! persisted: **any change here invalidates existing models.**

use super::gist::Gist;
use super::path::{fold_run, step};
use super::text::Source;
use harvestman_core::model::ContentUnit;

/// Maximum number of units of one page; further texts are dropped.
const UNITS_MAX: usize = 4_096;
/// Maximum number of pieces in all texts of one page; a text is truncated when there are more.
const PIECES_MAX: usize = 4 * UNITS_MAX;
/// Minimum number of words of a unit whose text continues behind it, and the maximum.
const WORDS_MIN: u16 = 3;
const WORDS_MAX: u16 = 32;
/// The number of a text that is no unit.
pub(super) const NONE: u32 = u32::MAX;
/// The hash of an empty sequence of words.
const NO_WORDS: u64 = 0x776f_7264_7320_6f66;

/// The elements around a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitContext {
    pub in_anchor: bool,
    pub in_form: bool,
}

/// A part of the page that belongs to the text `unit`.
#[derive(Debug, Clone, Copy)]
struct Piece {
    unit: u32,
    from: usize,
    to: usize,
    entities: bool,
}

#[derive(Debug, Default)]
pub(super) struct Units {
    /// Whether texts are recorded at all: for units, for the gist, or for both.
    pub on: bool,
    /// Whether units are wanted.
    pub wanted: bool,
    /// The gist of the page, if wanted.
    pub gist: Gist,
    /// The context of each text.
    contexts: Vec<UnitContext>,
    pieces: Vec<Piece>,
}

impl Units {
    pub fn clear(&mut self) {
        self.contexts.clear();
        self.pieces.clear();
        self.gist.clear();
    }

    /// Returns the number of texts that have begun.
    pub const fn begun(&self) -> u32 {
        self.contexts.len() as u32
    }

    /// Sets what is wanted from now on.
    pub fn ask(&mut self, units: bool, gist: bool) {
        (self.on, self.wanted, self.gist.on) = (units || gist, units, gist);
    }

    /// Begins a unit with `text`. Returns its number.
    pub fn begin(&mut self, context: UnitContext, source: Source<'_>, text: &[u8], entities: bool) -> u32 {
        if self.contexts.len() >= UNITS_MAX {
            return NONE;
        }
        let number = self.contexts.len() as u32;
        self.contexts.push(context);
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

    /// Returns the units, in page order, and the gist; each is empty if it is not wanted.
    pub fn finish(&mut self, source: Source<'_>) -> (Vec<ContentUnit>, Vec<u64>) {
        // A text before a table may continue behind the table's texts.
        self.pieces.sort_by_key(|piece| piece.unit);
        let units = if self.wanted { self.units(source) } else { Vec::new() };
        if self.gist.on {
            self.pieces.iter().for_each(|piece| self.gist.text(piece.unit, &source.bytes[piece.from..piece.to]));
        }
        (units, self.gist.finish())
    }

    fn units(&self, source: Source<'_>) -> Vec<ContentUnit> {
        let mut units = Vec::new();
        for pieces in self.pieces.chunk_by(|one, other| one.unit == other.unit) {
            let UnitContext { in_anchor, in_form } = self.contexts[pieces[0].unit as usize];
            let first = units.len();
            let mut cut = |(hash, words)| {
                if units.len() < UNITS_MAX {
                    units.push(ContentUnit { hash, words, text_words: 0, in_anchor, in_form });
                }
            };
            let text_words = cut_pieces(source, pieces, &mut cut);
            units[first..].iter_mut().for_each(|unit| unit.text_words = text_words);
        }
        units
    }
}

/// Cuts the text in `pieces` into units. Returns its number of words.
fn cut_pieces(source: Source<'_>, pieces: &[Piece], cut: &mut impl FnMut((u64, u16))) -> u16 {
    if let &[Piece { from, to, entities, .. }] = pieces {
        return read(source, &source.bytes[from..to], entities, cut);
    }
    let shown = |piece: &Piece| source.shown(&source.bytes[piece.from..piece.to], piece.entities);
    let text: String = pieces.iter().map(shown).collect();
    of_words(text.split_whitespace().map(str::as_bytes), cut)
}

/// Cuts the text `raw` into units. Returns its number of words.
fn read(source: Source<'_>, raw: &[u8], entities: bool, cut: &mut impl FnMut((u64, u16))) -> u16 {
    let as_written = raw.is_ascii() && memchr::memchr2(0, if entities { b'&' } else { 0 }, raw).is_none();
    if as_written {
        let words = raw.split(|b| matches!(b, b'\t'..=b'\r' | b' ')).filter(|word| !word.is_empty());
        return of_words(words, cut);
    }
    of_words(source.shown(raw, entities).split_whitespace().map(str::as_bytes), cut)
}

/// Cuts a text behind words that are selected by their own hash, so that the same run of words is always cut alike: an
/// excerpt shares all its units but the last with the text that it begins, and a quotation from the middle of a text
/// soon reaches one of its cuts, from where on the same holds.
fn of_words<'t>(words: impl Iterator<Item = &'t [u8]>, cut: &mut impl FnMut((u64, u16))) -> u16 {
    let (mut hash, mut count, mut all) = (NO_WORDS, 0, 0_u16);
    for word in words {
        let word = fold_run(word);
        hash = step(hash, word);
        count += 1;
        all = all.saturating_add(1);
        if count >= WORDS_MAX || (count >= WORDS_MIN && ends_unit(word)) {
            cut((hash, count));
            (hash, count) = (NO_WORDS, 0);
        }
    }
    if count > 0 {
        cut((hash, count));
    }
    all
}

/// Returns whether a unit ends behind the word with this hash, as it does for one word of eight.
const fn ends_unit(word: u64) -> bool {
    step(NO_WORDS, word) >> 61 == 0
}

#[cfg(test)]
#[path = "units_tests.rs"]
mod tests;
