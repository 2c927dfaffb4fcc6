//! The pages that baselines with a goal look for.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use harvestman_core::model::LeafPath;
use harvestman_policy::PageFacts;
use harvestman_structure::site::{SparseVector, THETA, Vocabulary};

/// The minimum likeness to the example: the cosine of their vectors.
const LIKE: f64 = 0.9;
/// Number of own words from which on a page is content.
const CONTENT_WORDS: u32 = 20;
/// Maximum number of pages that the vocabulary is learned from; their bags are kept.
const PAGES_MAX: usize = 1000;
/// Maximum number of texts that are remembered; beyond it a new text counts as a page's own.
const TEXTS_MAX: usize = 1 << 20;

/// The goal of a crawl.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// Pages rendered from the same template as one of these, given as their bags of leaf paths.
    Like(Vec<Vec<LeafPath>>),
    /// Pages with content: at least 20 words, outside links and forms, that no earlier page has shown.
    Content,
}

/// Recognises the wanted pages of a crawl, by what was seen of the site until then.
#[derive(Debug)]
pub(super) struct Judge {
    wanted: Wanted,
    /// The first pages, until there are enough to learn the last vocabulary.
    bags: Vec<Vec<LeafPath>>,
    vocabulary: Vocabulary,
    examples: Vec<SparseVector>,
    texts: HashSet<u64, FixedState>,
}

impl Judge {
    /// A judge that has seen no page. Equal examples count once.
    pub fn new(mut wanted: Wanted) -> Self {
        if let Wanted::Like(examples) = &mut wanted {
            let mut seen = Vec::new();
            examples.retain(|bag| {
                !seen.contains(bag) && {
                    seen.push(bag.clone());
                    true
                }
            });
        }
        let (vocabulary, examples) = (Vocabulary::default(), Vec::new());
        Self { wanted, bags: Vec::new(), vocabulary, examples, texts: HashSet::default() }
    }

    /// Whether observations must contain the texts of pages.
    pub const fn needs_units(&self) -> bool {
        matches!(self.wanted, Wanted::Content)
    }

    /// Whether any cluster with content is wanted, rather than pages like an example.
    pub const fn is_content(&self) -> bool {
        matches!(self.wanted, Wanted::Content)
    }

    /// Whether a page is wanted. To be called once per fetched page.
    pub fn wants(&mut self, page: &PageFacts) -> bool {
        match &self.wanted {
            Wanted::Content => self.words_of_its_own(page) >= CONTENT_WORDS,
            Wanted::Like(_) => {
                self.learn(&page.bag);
                let page = self.vocabulary.weigh(&page.bag);
                self.examples.iter().any(|example| cosine(example, &page) >= LIKE)
            }
        }
    }

    fn words_of_its_own(&mut self, page: &PageFacts) -> u32 {
        let mut words = 0_u32;
        for unit in page.units.iter().filter(|unit| !unit.in_anchor && !unit.in_form) {
            let known = self.texts.contains(&unit.hash);
            words = words.saturating_add(if known { 0 } else { unit.words.into() });
            if self.texts.len() < TEXTS_MAX {
                self.texts.insert(unit.hash);
            }
        }
        words
    }

    /// Learns the vocabulary again whenever the number of pages has doubled, which costs about as much as learning it
    /// twice.
    fn learn(&mut self, bag: &[LeafPath]) {
        let Wanted::Like(examples) = &self.wanted else { return };
        if self.bags.len() >= PAGES_MAX {
            return;
        }
        self.bags.push(bag.to_vec());
        let pages = self.bags.len();
        if pages.is_power_of_two() || pages == PAGES_MAX {
            // Among the first few pages no path occurs on many.
            let theta = THETA.min(1 + pages as u32 / 8);
            let all = self.bags.iter().chain(examples).map(Vec::as_slice);
            self.vocabulary = Vocabulary::learn(all, theta);
            self.examples = examples.iter().map(|example| self.vocabulary.weigh(example)).collect();
        }
        if pages == PAGES_MAX {
            // The bags are no longer needed; their places stay taken, so that nothing is learned again.
            self.bags.iter_mut().for_each(|bag| *bag = Vec::new());
        }
    }
}

/// The cosine of two vectors; 0 if one of them is zero.
fn cosine(one: &SparseVector, other: &SparseVector) -> f64 {
    let norms = (one.squared_norm() * other.squared_norm()).sqrt();
    if norms > 0.0 { one.dot(other) / norms } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::ContentUnit;

    fn bag(paths: &[(u64, u32)]) -> Vec<LeafPath> {
        paths.iter().map(|&(path, count)| LeafPath { path, count, text: None }).collect()
    }

    fn like(paths: &[(u64, u32)]) -> PageFacts {
        PageFacts { bag: bag(paths), ..PageFacts::default() }
    }

    #[test]
    fn pages_of_the_examples_template_are_wanted_and_others_are_not() {
        let mut judge = Judge::new(Wanted::Like(vec![bag(&[(1, 1), (10, 20), (11, 20)])]));
        assert!(!judge.wants(&like(&[(1, 1), (30, 4), (31, 4)])));
        for n in 0..50 {
            assert!(judge.wants(&like(&[(1, 1), (10, 10 + n), (11, 10 + n)])), "{n}");
            assert!(!judge.wants(&like(&[(1, 1), (30, 4 + n), (31, 4)])), "{n}");
        }
        assert!(!judge.wants(&like(&[])));
    }

    #[test]
    fn pages_of_any_examples_template_are_wanted_whatever_the_order_of_the_examples() {
        let (one, other) = (bag(&[(1, 1), (10, 20), (11, 20)]), bag(&[(1, 1), (20, 9), (21, 9)]));
        let orders = [vec![one.clone(), other.clone()], vec![other.clone(), one.clone(), other, one]];
        let verdicts = orders.map(|examples| {
            let mut judge = Judge::new(Wanted::Like(examples));
            let page = |n: u32| match n % 3 {
                0 => like(&[(1, 1), (10, 10 + n), (11, 10 + n)]),
                1 => like(&[(1, 1), (20, 5 + n), (21, 5 + n)]),
                _ => like(&[(1, 1), (30, 4 + n), (31, 4)]),
            };
            let verdicts: Vec<bool> = (0..60).map(|n| judge.wants(&page(n))).collect();
            assert_eq!(judge.examples.len(), 2);
            verdicts
        });
        assert_eq!(verdicts[0], (0..60).map(|n| n % 3 < 2).collect::<Vec<_>>());
        assert_eq!(verdicts[0], verdicts[1]);
    }

    #[test]
    fn after_a_thousand_pages_the_vocabulary_stays_and_no_page_is_kept() {
        let mut judge = Judge::new(Wanted::Like(vec![bag(&[(10, 2)])]));
        (0..PAGES_MAX + 5).for_each(|_| assert!(judge.wants(&like(&[(10, 3), (1, 1)])) || judge.vocabulary.len() > 1));
        assert_eq!(judge.bags.len(), PAGES_MAX);
        assert!(judge.bags.iter().all(Vec::is_empty));
        assert_eq!(judge.vocabulary.pages() as usize, PAGES_MAX + 1);
    }

    #[test]
    fn content_is_words_that_no_page_before_has_shown_outside_links_and_forms() {
        let unit = |hash, words| ContentUnit { hash, words, text_words: words, in_anchor: false, in_form: false };
        let page = |units: Vec<ContentUnit>| PageFacts { units, ..PageFacts::default() };
        let mut judge = Judge::new(Wanted::Content);
        assert!(judge.wants(&page(vec![unit(1, 15), unit(2, 5)])));
        assert!(!judge.wants(&page(vec![unit(1, 15), unit(3, 19)])), "one text was known");
        assert!(!judge.wants(&page(vec![ContentUnit { in_anchor: true, ..unit(4, 99) }])));
        assert!(!judge.wants(&page(vec![ContentUnit { in_form: true, ..unit(5, 99) }])));
        assert!(judge.wants(&page(vec![unit(4, 20)])));
        assert!(judge.needs_units() && judge.is_content());
    }
}
