//! The limits of an index.

/// Maximum number of documents. Their addresses, titles and excerpts are in memory wherever the index is.
pub const DOCUMENTS_MAX: usize = 4_000_000;
/// Maximum length of an address in bytes. A document with a longer one is not added.
pub const URL_BYTES_MAX: usize = 8_192;
/// Maximum number of bytes of a title that are indexed.
pub const TITLE_BYTES_MAX: usize = 1_024;
/// Maximum number of bytes of a text that are indexed.
pub const TEXT_BYTES_MAX: usize = 1 << 20;
/// Maximum number of characters of the beginning of a text that are kept for results.
pub const EXCERPT_CHARACTERS_MAX: usize = 160;
/// Maximum number of results of a query that can be reached: those behind them are counted only.
pub const RESULTS_MAX: usize = 10_000;
