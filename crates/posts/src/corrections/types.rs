//! Corrections as they are written.

use serde::{Deserialize, Serialize};

/// Maximum number of corrections, and of bytes of a selector.
pub(super) const CORRECTIONS_MAX: usize = 1_000;
pub(super) const SELECTOR_BYTES_MAX: usize = 1_000;

/// What a correction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaughtField {
    /// The name of the author.
    Author,
    /// When it was written.
    Time,
    /// The text.
    Text,
    /// The title.
    Title,
    /// The element of a post.
    Record,
}

/// A correction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The host, with its port unless it is the usual one.
    pub host: String,
    /// What it is about.
    pub field: TaughtField,
    /// The elements, as a CSS selector.
    pub path: String,
    /// Whether these are not the field.
    #[serde(rename = "not", default, skip_serializing_if = "is_false")]
    pub is_wrong: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(is: &bool) -> bool {
    !*is
}

/// Why corrections cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCorrection {
    /// A selector is malformed, or uses what a page has only in a browser.
    #[error("`{0}` is not a CSS selector that a stored page can be searched with")]
    Selector(String),
    /// A selector is too long.
    #[error("a CSS selector has more than {SELECTOR_BYTES_MAX} bytes")]
    TooLong,
    /// There are too many.
    #[error("there are more than {CORRECTIONS_MAX} corrections")]
    TooMany,
}
