//! Why a page has no text.

/// The reason why a page has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It exceeds a bound.
    #[error("the page is too large or nested too deep")]
    TooLarge,
    /// No part of it is text to be read.
    #[error("the page has no main text")]
    NoMainText,
}
