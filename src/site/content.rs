//! What a page says, piece by piece.

/// One text of a page: what stands between two tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentUnit {
    /// 64-bit hash of the text, white space squeezed.
    pub hash: u64,
    /// Its words.
    pub words: u16,
    /// Whether it stands in an anchor.
    pub in_anchor: bool,
}
