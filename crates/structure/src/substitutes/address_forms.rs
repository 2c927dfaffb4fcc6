//! The shape of an address, what addresses of one form have shown, and whether their pages say things of their own.

use smallvec::SmallVec;

use super::shown_content::{AnswerContent, PathSet, TextSketch};
use harvestman_core::clock::Instant;
use harvestman_core::model::path_hash::{fold_run, step};

/// Segments and parameters that are looked at; the rest of a longer address does not count.
const PARTS_MAX: usize = 24;
/// Length from which a segment is a name, not a word of the site's own.
const NAME_MIN: usize = 20;

/// An address by its form and by what its variable parts name: `/topic/42/an-old-boat?page=2` has the form
/// `/topic/*/*?page`, and names `42` and `an-old-boat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The hash of its form.
    pub(super) form: u64,
    /// The hashes of its names: variable segments of the path, or the parameters if there are none.
    names: SmallVec<[u64; 4]>,
}

impl Address {
    /// Returns the address with this path and query of a canonical URL.
    pub fn of(path_and_query: &str) -> Self {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let (mut form, mut names) = (1, SmallVec::new());
        for segment in path.split('/').take(PARTS_MAX) {
            if is_name(segment) {
                form = step(form, 1);
                names.push(fold_run(segment.as_bytes()));
            } else {
                form = step(form, fold_run(segment.as_bytes()));
            }
        }
        let by_query = names.is_empty();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()).take(PARTS_MAX) {
            let key = parameter.split('=').next().unwrap_or_default();
            form = step(form, fold_run(key.as_bytes()));
            if by_query {
                names.push(fold_run(parameter.as_bytes()));
            }
        }
        if names.is_empty() {
            names.push(fold_run(path.as_bytes()));
        }
        Self { form, names }
    }

    /// Returns whether both name the same thing, so that it is no surprise if they show the same.
    pub fn is_related(&self, other: &Self) -> bool {
        self.names.iter().any(|name| other.names.contains(name))
    }
}

/// Returns whether a segment names one thing of many: it has a digit or a separator of words, or is long.
fn is_name(segment: &str) -> bool {
    segment.len() > NAME_MIN
        || segment.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'%' | b'~' | b'@'))
}

/// Pages of a form from which on it is known what its pages have in common.
const PAGES_MIN: u32 = 4;
/// Paths that the pages of a form must have in common to be told by them.
const CORE_MIN: usize = 4;

/// The pages of one form that were taken for what they are.
#[derive(Debug, Clone)]
pub(super) struct Form {
    /// The hash of the form.
    pub(super) hash: u64,
    pages: u32,
    /// The paths that all of them have.
    core: PathSet,
    variety: Variety,
    /// The number of its latest answers in a row that were substitutes, or suspect.
    pub(super) in_a_row: u32,
    /// The number of the text of the latest of them.
    pub(super) substitute: Option<u64>,
    /// When the latest of them was asked for.
    pub(super) substitute_asked_at: Instant,
    /// The number of its suspect pages that have a text of their own and were not asked for again.
    pub(super) open_suspects: u32,
    /// When it was met last, in pages of the host.
    pub(super) met_at: u64,
}

impl Form {
    pub(super) fn new(hash: u64) -> Self {
        Self {
            hash,
            pages: 0,
            core: PathSet::default(),
            variety: Variety::default(),
            in_a_row: 0,
            substitute: None,
            substitute_asked_at: Instant::EPOCH,
            open_suspects: 0,
            met_at: 0,
        }
    }

    /// Learns from a page that was taken for what it is. `shown` tells what it shows, and is called until the form's
    /// pages are known to have texts of their own; not for the first one, since many forms have no other.
    pub(super) fn learn(&mut self, paths: &PathSet, shown: impl FnOnce() -> Option<AnswerContent>) {
        if self.pages > 0 && !self.variety.is_varied() {
            self.variety.take(shown().as_ref());
        }
        if self.pages == 0 {
            self.core = paths.clone();
        } else {
            self.core.intersect(paths);
        }
        self.pages = self.pages.saturating_add(1);
    }

    /// Returns the paths that all its pages have, once enough pages are known.
    pub(super) fn core(&self) -> Option<&PathSet> {
        (self.pages >= PAGES_MIN && self.core.len() >= CORE_MIN).then_some(&self.core)
    }

    /// Returns whether its pages were ever what they should be.
    pub(super) const fn is_known(&self) -> bool {
        self.pages >= PAGES_MIN
    }

    /// Returns whether a page with these paths lacks any that all its pages have.
    pub(super) fn lacks(&self, paths: &PathSet) -> bool {
        self.core().is_some_and(|core| core.lacking_in(paths) > 0)
    }

    /// Returns whether an answer with these paths that is a surprise comes in place of its pages. A form that says the
    /// same everywhere may come to say something else everywhere, unless that has hardly any of its paths, as errors
    /// and redirects have none.
    pub(super) fn is_replaced_by(&self, paths: &PathSet) -> bool {
        let is_unlike = || self.core().is_none_or(|core| paths.lacks_most_of(core));
        self.is_known() && (self.variety.is_varied() || is_unlike())
    }

    /// Returns whether a page with these paths is unlike all its pages: it lacks half of what they all have and
    /// `frame`, the paths that pages of all forms have, has not; or a quarter of what they all have.
    pub(super) fn is_surprised_by(&self, paths: &PathSet, frame: &PathSet) -> bool {
        let Some(core) = self.core() else { return false };
        let missing = core.lacking_in(paths);
        let own = core.len() - core.common(frame);
        missing * 4 >= core.len() || own >= CORE_MIN && missing * 2 >= own
    }
}

/// Different texts from which on the pages of a form have texts of their own.
const TEXTS_MIN: usize = 4;

/// The texts of a form's pages. A log-in form says the same at every address that leads to it: it hides nothing if it
/// changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Variety {
    /// Those that were met, [`TEXTS_MIN`] - 1 at most.
    texts: Vec<TextSketch>,
    is_varied: bool,
}

impl Variety {
    /// Returns whether enough different texts were met.
    const fn is_varied(&self) -> bool {
        self.is_varied
    }

    /// Takes in what a page shows; `None` if it says too much to be compared. Nothing is left to learn once the texts
    /// are varied.
    pub(super) fn take(&mut self, shown: Option<&AnswerContent>) {
        let Some(sketch) = shown.map(AnswerContent::sketch) else { return self.end() };
        if self.texts.iter().any(|text| text.is_same(&sketch)) {
            return;
        }
        if self.texts.len() + 1 >= TEXTS_MIN {
            return self.end();
        }
        self.texts.push(sketch);
    }

    fn end(&mut self) {
        (self.is_varied, self.texts) = (true, Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::substitutes::PathSet;

    #[test]
    fn addresses_of_one_form_differ_in_names_and_values() {
        let form = |address| Address::of(address).form;
        assert_eq!(form("/topic/42/an-old-boat?page=2"), form("/topic/7/new_sails?page=31"));
        assert_eq!(form("/u/a%20b/"), form("/u/seventy-two/"));
        for other in ["/topic/42/an-old-boat", "/topic/42/print?page=2", "/user/42/an-old-boat?page=2", "/topic/42/"] {
            assert_ne!(form("/topic/42/an-old-boat?page=2"), form(other), "{other}");
        }
    }

    #[test]
    fn addresses_are_related_if_they_name_the_same() {
        let related = |left, right| Address::of(left).is_related(&Address::of(right));
        assert!(related("/topic/42/an-old-boat?page=2", "/topic/42/an-old-boat/print"));
        assert!(related("/index.php?topic=42&page=2", "/index.php?topic=42&page=3"));
        assert!(related("/rules", "/rules"));
        for (left, right) in [
            ("/topic/42/an-old-boat?page=2", "/topic/43/a-new-boat?page=2"),
            ("/index.php?topic=42", "/index.php?topic=43"),
            ("/rules", "/help"),
        ] {
            assert!(!related(left, right), "{left} {right}");
        }
    }

    #[test]
    fn the_cost_of_an_address_is_bounded() {
        let long = format!("/{}?{}", "a1/".repeat(10_000), "b=1&".repeat(10_000));
        assert!(Address::of(&long).names.len() <= PARTS_MAX);
    }

    fn page(words: std::ops::Range<u32>) -> Option<AnswerContent> {
        AnswerContent::from_words(200, PathSet::default(), words.map(|word| word.wrapping_mul(0x9e37_79b1)).collect())
    }

    #[test]
    fn four_different_texts_are_variety_and_one_text_with_another_word_is_none() {
        let mut variety = Variety::default();
        for number in 0..3 {
            variety.take(page(100 * number..100 * number + 50).as_ref());
        }
        assert!(!variety.is_varied());
        variety.take(page(300..350).as_ref());
        assert!(variety.is_varied() && variety.texts.is_empty());

        let mut variety = Variety::default();
        (0..40)
            .for_each(|number| variety.take(page(number..50).filter(|_| number < 2).or_else(|| page(0..50)).as_ref()));
        assert!(!variety.is_varied() && variety.texts.len() == 1);
    }

    #[test]
    fn pages_of_few_words_are_told_by_their_links() {
        let mut variety = Variety::default();
        for number in 0..4 {
            let links: Vec<String> = (0..9).map(|photo| format!("/photo/{}", 9 * number + photo)).collect();
            let page = page(0..3).map(|page| page.leading_to(links.iter().map(String::as_str)));
            variety.take(page.as_ref());
        }
        assert!(variety.is_varied());
    }

    #[test]
    fn a_page_that_says_much_is_variety() {
        let mut variety = Variety::default();
        variety.take(None);
        assert!(variety.is_varied());
    }
}
