//! Turns a URL into its pattern: the largest itemset of each part stays, all other pieces become wildcards.

use xxhash_rust::xxh3::xxh3_64;

use super::keywords::{ItemId, Keywords, NO_ITEM};
use super::largest::largest;
use super::pieces::{PIECES_MAX, Piece, Pieces, UrlPart};

/// The form of a piece in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// An empty piece.
    Nothing,
    /// `$`: digits.
    Digits,
    /// `*`: anything else.
    Any,
    /// The piece itself, and the hash of its text.
    Literal(u64),
}

impl Word {
    /// Returns a number for the word; those that are no literal have numbers that no text is known to hash to.
    fn number(self) -> u64 {
        match self {
            Self::Nothing => 0x9e37_79b9_7f4a_7c15,
            Self::Digits => 0xd1b5_4a32_d192_ed03,
            Self::Any => 0x8cb9_2ba7_2f3d_8dd7,
            Self::Literal(hash) => hash,
        }
    }

    fn without_keyword(text: &[u8]) -> Self {
        match text {
            [] => Self::Nothing,
            digits if digits.iter().all(u8::is_ascii_digit) => Self::Digits,
            _ => Self::Any,
        }
    }
}

/// Returns whether an item looks like a wildcard and so cannot be a keyword.
pub(super) fn is_wildcard(item: &str) -> bool {
    matches!(item, "*" | "$")
}

/// The keywords of each part, and where they are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Procedure {
    pub keywords: [Keywords; 3],
    pub query_at_path_miss: bool,
}

/// A URL has too many pieces to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

impl Procedure {
    /// Passes each piece with its word to `sink`, from left to right.
    #[inline]
    fn walk(&self, url: &str, mut sink: impl FnMut(Piece, Word)) -> Result<(), TooLong> {
        let mut pieces = Pieces::of_url(url);
        let mut scratch = Scratch::new(url.as_bytes());
        // Below a part without a keyword no keywords are looked for.
        let mut looked_for = true;
        for (part, keywords) in UrlPart::ALL.into_iter().zip(&self.keywords) {
            let literals = scratch.fill(&mut pieces, part, looked_for.then_some(keywords))?;
            for at in 0..scratch.count {
                sink(scratch.pieces[at], scratch.word(at, literals, keywords));
            }
            looked_for &= literals != 0 || (part == UrlPart::Path && self.query_at_path_miss);
        }
        Ok(())
    }

    /// Returns the hash of a URL's pattern. Does not allocate.
    #[inline]
    pub fn hash(&self, url: &str) -> Result<u64, TooLong> {
        let mut hash = 0;
        self.walk(url, |piece, word| hash = fold(hash, word, piece.end))?;
        Ok(hash)
    }

    /// Returns the spelling of a URL's pattern, such as `*.livejournal.com/$.html`.
    pub fn spell(&self, url: &str) -> Result<String, TooLong> {
        let mut pattern = String::with_capacity(url.len());
        self.walk(url, |piece, word| {
            match word {
                Word::Nothing => {}
                Word::Digits => pattern.push('$'),
                Word::Any => pattern.push('*'),
                Word::Literal(_) => pattern.push_str(&url[piece.start as usize..(piece.start + piece.length) as usize]),
            }
            if piece.end != 0 {
                pattern.push(char::from(piece.end));
            }
        })?;
        Ok(pattern)
    }
}

/// Returns the hash that [`Procedure::hash`] gives to URLs of this pattern.
pub(super) fn hash_of_pattern(pattern: &str) -> u64 {
    let mut pieces = Pieces::of_pattern(pattern);
    let mut hash = 0;
    for part in UrlPart::ALL {
        while let Some(piece) = pieces.next_of(part) {
            let word = match piece.of(pattern.as_bytes()) {
                b"" => Word::Nothing,
                b"$" => Word::Digits,
                b"*" => Word::Any,
                literal => Word::Literal(xxh3_64(literal)),
            };
            hash = fold(hash, word, piece.end);
        }
    }
    hash
}

/// Adds a piece to a hash. It uses both halves of the product, so that every bit of it counts.
#[inline]
fn fold(hash: u64, word: Word, end: u8) -> u64 {
    let piece = (hash ^ word.number()).wrapping_add(u64::from(end));
    let product = u128::from(piece) * u128::from(0xa076_1d64_78bd_642f_u64);
    (product as u64 ^ (product >> 64) as u64).rotate_left(5)
}

/// The pieces of the current part.
struct Scratch<'u> {
    text: &'u [u8],
    pieces: [Piece; PIECES_MAX],
    items: [ItemId; PIECES_MAX],
    count: usize,
}

impl<'u> Scratch<'u> {
    fn new(text: &'u [u8]) -> Self {
        let pieces = [Piece::default(); PIECES_MAX];
        Self { text, pieces, items: [NO_ITEM; PIECES_MAX], count: 0 }
    }

    /// Reads the pieces of a part, and returns which of them are literals (one bit each).
    #[inline]
    fn fill(&mut self, pieces: &mut Pieces<'_>, part: UrlPart, keywords: Option<&Keywords>) -> Result<u64, TooLong> {
        self.count = 0;
        let mut known = 0;
        while let Some(piece) = pieces.next_of(part) {
            let at = self.count;
            if at == PIECES_MAX {
                return Err(TooLong);
            }
            self.pieces[at] = piece;
            let item = keywords.and_then(|keywords| keywords.find(piece.of(self.text)));
            self.items[at] = item.unwrap_or(NO_ITEM);
            known += usize::from(item.is_some());
            self.count += 1;
        }
        Ok(keywords.map_or(0, |keywords| largest(keywords, &self.items[..self.count], known)))
    }

    #[inline]
    fn word(&self, at: usize, literals: u64, keywords: &Keywords) -> Word {
        match literals >> at & 1 {
            1 => Word::Literal(keywords.hash(self.items[at])),
            _ => Word::without_keyword(self.pieces[at].of(self.text)),
        }
    }
}
