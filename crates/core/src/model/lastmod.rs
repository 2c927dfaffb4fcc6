//! The modification times that sitemaps state.

use serde::{Deserialize, Serialize};

use crate::url::Fingerprint;

/// What a sitemap states about a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lastmod {
    /// The page.
    pub page: Fingerprint,
    /// When the page was modified last, according to the sitemap, in seconds since 1970; at most `read`.
    pub modified: u64,
    /// When the sitemap was read, in seconds since 1970.
    pub read: u64,
}

impl Lastmod {
    /// Creates what a sitemap that was read at `read` states. A time after that counts as that: it cannot be right, and
    /// it must not make a page look modified for ever.
    pub fn new(page: Fingerprint, modified: u64, read: u64) -> Self {
        Self { page, modified: modified.min(read), read }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_after_the_sitemap_was_read_counts_as_that() {
        assert_eq!(Lastmod::new(Fingerprint(1), 9, 7), Lastmod { page: Fingerprint(1), modified: 7, read: 7 });
        assert_eq!(Lastmod::new(Fingerprint(1), 5, 7).modified, 5);
    }
}
