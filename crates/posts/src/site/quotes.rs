//! Quotes, and the texts that they are from.

use super::prints::plain;

/// Minimum number of letters and digits of a quote whose author is known, and of one whose author is not.
const LENGTHS_MIN: [usize; 2] = [4, 24];
/// Number of letters and digits that are compared at the beginning of a quote.
const COMPARED: usize = 400;

/// What is quoted.
pub(super) struct Quote {
    pub author: Option<String>,
    text: String,
}

impl Quote {
    /// Reads a quote.
    pub fn of(author: Option<&str>, text: &str) -> Self {
        let author = author.map(str::trim).filter(|author| !author.is_empty()).map(str::to_owned);
        Self { author, text: plain(text).chars().take(COMPARED).collect() }
    }

    /// Returns whether it is long enough to tell a post.
    pub fn is_usable(&self) -> bool {
        let is_known = self.author.is_some();
        self.length() as usize >= LENGTHS_MIN[usize::from(!is_known)]
    }

    /// Returns its length in letters and digits.
    pub fn length(&self) -> u32 {
        self.text.chars().count() as u32
    }
}

/// Returns whether a text contains what is quoted.
pub(super) fn contains(text: &str, quote: &Quote) -> bool {
    plain(text).contains(&quote.text)
}
