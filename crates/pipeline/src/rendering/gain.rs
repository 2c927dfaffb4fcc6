//! What a rendered page has that the plain one lacks: pure.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use harvestman_core::model::path_hash::step;
use harvestman_core::url::Fingerprint;
use harvestman_render::Gain;

/// Number of words whose succession is compared.
const RUN: usize = 4;
/// Maximum number of words of a page that are read.
const WORDS_MAX: usize = 65_536;
/// Maximum number of gains that are remembered.
const KNOWN_MAX: usize = 1 << 20;

/// What a page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    links: HashSet<u64, FixedState>,
    /// Its words, in their order.
    words: Vec<u64>,
}

impl Shown {
    /// Returns what a page with these links and this visible text shows.
    pub(crate) fn new(links: impl IntoIterator<Item = Fingerprint>, text: &str) -> Self {
        let hash = |word: &str| word.bytes().fold(1, |hash, byte| step(hash, u64::from(byte)));
        Self {
            links: links.into_iter().map(|link| link.0 as u64).collect(),
            words: text.split_whitespace().take(WORDS_MAX).map(hash).collect(),
        }
    }

    /// Returns the runs of words: single words are on many pages. A page with fewer words than a run has one.
    fn runs(&self) -> impl Iterator<Item = &[u64]> {
        self.words.windows(RUN.min(self.words.len().max(1)))
    }
}

/// What a page gained.
#[derive(Debug, Default)]
pub(crate) struct Gained {
    links: Vec<u64>,
    /// Number of runs of words.
    runs: u32,
    /// Their words.
    words: HashSet<u64, FixedState>,
}

impl Gained {
    /// Returns its size.
    pub(crate) fn gain(&self) -> Gain {
        Gain { links: self.links.len() as u32, words: self.runs }
    }

    /// Returns the share of it that `page` has too, by worth, from 0 to 1; 1 if nothing is gained.
    pub(crate) fn share_in(&self, page: &Shown) -> f64 {
        let words: HashSet<u64, FixedState> = page.words.iter().copied().collect();
        let links = self.links.iter().filter(|link| page.links.contains(link)).count();
        let found = Gain { links: links as u32, words: self.words.intersection(&words).count() as u32 };
        let all = Gain { links: self.links.len() as u32, words: self.words.len() as u32 };
        if all == Gain::default() { 1.0 } else { found.worth() / all.worth() }
    }
}

/// The gains of earlier pages: what is gained again and again (a menu, a notice) counts once.
#[derive(Debug, Default)]
pub(super) struct KnownGains(HashSet<u64, FixedState>);

impl KnownGains {
    /// Returns what `rendered` has that `plain` lacks, and no page rendered before had.
    ///
    /// A run of words counts if the plain page has none of them: where a script writes a date in other words, most words
    /// around it are on the plain page.
    pub(super) fn gain(&mut self, plain: &Shown, rendered: &Shown) -> Gained {
        let links = rendered.links.difference(&plain.links).copied().filter(|link| self.is_new(*link)).collect();
        let plain: HashSet<u64, FixedState> = plain.words.iter().copied().collect();
        let new = rendered.runs().filter(|run| run.iter().all(|word| !plain.contains(word)));
        let mut gained = Gained { links, runs: 0, words: HashSet::default() };
        for run in new {
            if self.is_new(run.iter().fold(2, |hash, word| step(hash, *word))) {
                gained.runs += 1;
                gained.words.extend(run);
            }
        }
        gained
    }

    fn is_new(&mut self, gain: u64) -> bool {
        if self.0.len() >= KNOWN_MAX {
            self.0.clear();
        }
        self.0.insert(gain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(links: &[u64], text: &str) -> Shown {
        Shown::new(links.iter().map(|link| Fingerprint(u128::from(*link))), text)
    }

    #[test]
    fn a_gain_is_what_is_new() {
        let mut known = KnownGains::default();
        let plain = shown(&[1, 2], "one two three four");
        let rendered = shown(&[2, 3, 4], "one two three four five six seven eight nine");
        assert_eq!(known.gain(&plain, &rendered).gain(), Gain { links: 2, words: 2 });
        let again = shown(&[3, 4, 5], "five six seven eight nine ten");
        let gain = known.gain(&plain, &again).gain();
        assert_eq!(gain, Gain { links: 1, words: 1 }, "what the page before gained does not count");
        let (dates, written) = (shown(&[], "posted 3 minutes ago by one"), shown(&[], "posted 2026-01-02 by one"));
        assert_eq!(known.gain(&written, &dates).gain(), Gain::default());
        assert_eq!(known.gain(&Shown::default(), &shown(&[], "short")).gain(), Gain { links: 0, words: 1 });
        assert_eq!(known.gain(&Shown::default(), &Shown::default()).gain(), Gain::default());
    }

    #[test]
    fn what_another_page_has_of_a_gain_is_weighed_by_worth() {
        let gained = KnownGains::default().gain(&shown(&[1], "a"), &shown(&[1, 2, 3], "b c d e f g h i j k"));
        assert_eq!(gained.gain(), Gain { links: 2, words: 7 });
        assert_eq!(gained.share_in(&shown(&[2, 9], "k j i h g f e d c b")), 2.0 / 3.0);
        assert_eq!(gained.share_in(&shown(&[2, 3], "x b c d e f")), 2.5 / 3.0);
        assert_eq!(Gained::default().share_in(&Shown::default()), 1.0);
    }

    proptest! {
        #[test]
        fn the_same_page_gains_nothing(links in proptest::collection::vec(0_u64..50, 0..30), text in "[a-c ]{0,60}") {
            let page = shown(&links, &text);
            prop_assert_eq!(KnownGains::default().gain(&page, &page).gain(), Gain::default());
            let mut known = KnownGains::default();
            known.gain(&Shown::default(), &page);
            prop_assert_eq!(known.gain(&Shown::default(), &page).gain(), Gain::default());
        }
    }
}
