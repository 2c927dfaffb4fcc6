//! What a rendered page has that the plain one lacks: pure.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use harvestman_core::model::path_hash::step;
use harvestman_core::url::Fingerprint;
use harvestman_render::{Gain, ReplayShare};

/// Number of words whose succession is compared.
const RUN: usize = 4;
/// Number of new runs in succession that do not count: those that a date of four words in other words makes.
const IGNORED_RUNS: usize = 2 * RUN - 1;
/// Maximum number of words of a page that are read.
const WORDS_MAX: usize = 65_536;
/// Maximum number of gains that are remembered.
const KNOWN_MAX: usize = 1 << 20;
/// Maximum number of those among them that are kept over a restart.
const REPEATED_MAX: usize = 1 << 14;

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

fn run_hash(run: &[u64]) -> u64 {
    run.iter().fold(2, |hash, word| step(hash, *word))
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

    /// Returns how much of it `page` has too.
    pub(crate) fn held_by(&self, page: &Shown) -> ReplayShare {
        let words: HashSet<u64, FixedState> = page.words.iter().copied().collect();
        let links = self.links.iter().filter(|link| page.links.contains(link)).count();
        let found = Gain { links: links as u32, words: self.words.intersection(&words).count() as u32 };
        let all = Gain { links: self.links.len() as u32, words: self.words.len() as u32 };
        ReplayShare { found: found.worth(), all: all.worth() }
    }
}

/// The gains of earlier pages: what is gained again and again (a menu, a notice) counts once.
#[derive(Debug, Default)]
pub(super) struct KnownGains {
    known: HashSet<u64, FixedState>,
    /// Those that were met more than once.
    repeated: HashSet<u64, FixedState>,
}

impl KnownGains {
    /// Returns what `rendered` has that `plain` lacks, and no page rendered before had.
    ///
    /// Of text, stretches count that are longer than what a script changes by writing a date in other words, unless the
    /// plain page shows no text at all.
    pub(super) fn gain(&mut self, plain: &Shown, rendered: &Shown) -> Gained {
        let links = rendered.links.difference(&plain.links).copied().filter(|link| self.is_new(*link)).collect();
        let known_runs: HashSet<u64, FixedState> = plain.runs().map(run_hash).collect();
        let known_words: HashSet<u64, FixedState> = plain.words.iter().copied().collect();
        let ignored = if plain.words.len() < RUN { 0 } else { IGNORED_RUNS };
        let mut gained = Gained { links, runs: 0, words: HashSet::default() };
        let mut stretch: Vec<&[u64]> = Vec::new();
        for run in rendered.runs().map(Some).chain([None]) {
            match run.filter(|run| !known_runs.contains(&run_hash(run)) && self.is_new(run_hash(run))) {
                Some(run) => stretch.push(run),
                None => {
                    if stretch.len() > ignored {
                        gained.runs += (stretch.len() - ignored) as u32;
                        let words = stretch.iter().copied().flatten().filter(|word| !known_words.contains(word));
                        gained.words.extend(words.copied().filter(|word| !self.is_known_word(*word)));
                    }
                    stretch.clear();
                }
            }
        }
        // Words that scripts add to every page say nothing about the data of one.
        for word in &gained.words {
            self.is_new(step(3, *word));
        }
        gained
    }

    fn is_known_word(&self, word: u64) -> bool {
        self.known.contains(&step(3, word))
    }

    fn is_new(&mut self, gain: u64) -> bool {
        if self.known.len() >= KNOWN_MAX {
            (self.known, self.repeated) = Default::default();
        }
        let is_new = self.known.insert(gain);
        if !is_new && self.repeated.len() < REPEATED_MAX {
            self.repeated.insert(gain);
        }
        is_new
    }

    /// Returns what several pages gained alike, sorted. Only this is kept over a restart: pages whose outcome was not
    /// committed are rendered again then, and what they alone have is still a gain.
    pub(super) fn repeated(&self) -> Vec<u64> {
        let mut repeated: Vec<u64> = self.repeated.iter().copied().collect();
        repeated.sort_unstable();
        repeated
    }

    /// Returns the gains of an earlier run, from what several of its pages gained alike.
    pub(super) fn of_repeated(repeated: Vec<u64>) -> Self {
        let repeated: HashSet<u64, FixedState> = repeated.into_iter().take(REPEATED_MAX).collect();
        Self { known: repeated.clone(), repeated }
    }
}

/// Returns what `rendered` has that `plain` lacks, by itself.
pub(crate) fn gain_of_page(plain: &Shown, rendered: &Shown) -> Gain {
    KnownGains::default().gain(plain, rendered).gain()
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
        let comment = "five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
        let rendered = shown(&[2, 3, 4], &format!("one two three four {comment}"));
        // Twelve runs are new, because those at the seam have a new word too.
        assert_eq!(known.gain(&plain, &rendered).gain(), Gain { links: 2, words: 12 - IGNORED_RUNS as u32 });
        let again = shown(&[3, 4, 5], comment);
        assert_eq!(known.gain(&plain, &again).gain(), Gain { links: 1, words: 0 }, "the page before gained it");
        let (dates, written) =
            (shown(&[], "it was posted 3 minutes ago by one"), shown(&[], "it was posted 2026-01-02 by one"));
        assert_eq!(known.gain(&written, &dates).gain(), Gain::default());
        assert_eq!(known.gain(&Shown::default(), &shown(&[], "short")).gain(), Gain { links: 0, words: 1 });
        assert_eq!(known.gain(&Shown::default(), &Shown::default()).gain(), Gain::default());
    }

    #[test]
    fn what_several_pages_gained_is_no_gain_after_a_restart_and_what_one_gained_is() {
        let mut known = KnownGains::default();
        let page = |link| shown(&[1, 2, link], "");
        known.gain(&Shown::default(), &page(3));
        known.gain(&Shown::default(), &page(4));
        let mut next = KnownGains::of_repeated(known.repeated());
        assert_eq!(next.gain(&Shown::default(), &page(4)).gain(), Gain { links: 1, words: 0 });
        assert_eq!(next.gain(&Shown::default(), &page(4)).gain(), Gain::default());
    }

    #[test]
    fn a_text_of_common_words_is_a_gain() {
        let plain = shown(&[], "what is said in the first post of the thread is said here and the rest is not");
        let comment = "the rest of the post is said in the thread and what is not said here is first of the first";
        let rendered = shown(
            &[],
            &format!("what is said in the first post of the thread is said here and the rest is not {comment}"),
        );
        assert!(KnownGains::default().gain(&plain, &rendered).gain().is_worth_it());
    }

    #[test]
    fn what_another_page_has_of_a_gain_is_weighed_by_worth() {
        let mut known = KnownGains::default();
        let gained = known.gain(&shown(&[1], "a"), &shown(&[1, 2, 3], "b c d e f g h i j k"));
        assert_eq!(gained.gain(), Gain { links: 2, words: 7 });
        assert_eq!(gained.held_by(&shown(&[2, 9], "k j i h g f e d c b")), ReplayShare { found: 2.0, all: 3.0 });
        assert_eq!(gained.held_by(&shown(&[2, 3], "x b c d e f")), ReplayShare { found: 2.5, all: 3.0 });
        assert_eq!(Gained::default().held_by(&Shown::default()), ReplayShare::default());
        // The next page repeats words in another order; of the data, only "z" is new.
        let next = known.gain(&shown(&[1], "a"), &shown(&[1], "k j i h g f e d c b z"));
        assert_eq!(next.held_by(&shown(&[], "z")), ReplayShare { found: 0.1, all: 0.1 });
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
