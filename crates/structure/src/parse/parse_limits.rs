//! Limits against hostile pages.

/// How much of a page without declared charset is read to guess it, in bytes: browsers read 1 KiB, but the scripts in
/// the head of some pages are longer. The guess costs 20 ns per byte.
pub(super) const CHARSET_SNIFF_MAX: usize = 16 << 10;

/// Limits of what is read from one page. Ordinary pages reach none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseLimits {
    /// Maximum number of links; further ones are counted as dropped, so that one page cannot fill the frontier.
    pub links: u32,
    /// Maximum number of distinct leaf paths; later ones are left out of the bag. Each takes 40 bytes.
    pub leaf_paths: u32,
    /// Maximum depth of an element with a path of its own; deeper elements share the path of that depth. It is also how
    /// far an end tag looks for its element, and the depth at which browsers stop nesting.
    pub depth: usize,
    /// Maximum length of a title, in characters; search engines show a fifth of it.
    pub title: usize,
    /// Maximum length of an attribute value that is read, in bytes. A longer link is dropped and counted, a longer
    /// class is truncated.
    pub attribute: usize,
}

impl Default for ParseLimits {
    fn default() -> Self {
        Self { links: 20_000, leaf_paths: 10_000, depth: 512, title: 300, attribute: 8 << 10 }
    }
}
