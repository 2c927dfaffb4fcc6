//! Tells from the source of a page whether scripts may fill it: only a first guess, which trials correct.

use memchr::memmem::find;

/// Number of words below which a page with scripts shows next to nothing without them.
const WORDS_MIN: usize = 40;
/// Number of links below which that holds.
const LINKS_MIN: usize = 5;

/// How likely it is that scripts add something to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Suspicion {
    /// The page has no scripts.
    None,
    /// It has scripts.
    Weak,
    /// It has scripts with something to fetch or to fill ([`has_hints`](super::has_hints)).
    Likely,
    /// It has scripts and shows next to nothing without them.
    Strong,
}

impl Suspicion {
    /// Guesses from the source of a page, and the numbers of links and words that it shows without scripts.
    pub fn of(source: &[u8], links: usize, words: impl FnOnce() -> usize) -> Self {
        if !has_scripts(source) {
            Self::None
        } else if links < LINKS_MIN && words() < WORDS_MIN {
            Self::Strong
        } else {
            Self::Weak
        }
    }
}

/// Returns whether a page has a script: in an element, or in an attribute of the body.
fn has_scripts(source: &[u8]) -> bool {
    find(source, b"<script").is_some() || find(source, b"<SCRIPT").is_some() || find(source, b"onload=").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_scripts_is_complete_and_an_empty_one_with_scripts_is_not() {
        assert_eq!(Suspicion::of(b"<p>short", 1, || 0), Suspicion::None);
        assert_eq!(Suspicion::of(b"<div id=app></div><script src=app.js></script>", 0, || 0), Suspicion::Strong);
        assert_eq!(Suspicion::of(b"<p>a text<SCRIPT>x</SCRIPT>", 0, || 500), Suspicion::Weak);
        assert_eq!(Suspicion::of(b"<body onload=go()>", 5, || 0), Suspicion::Weak);
    }
}
