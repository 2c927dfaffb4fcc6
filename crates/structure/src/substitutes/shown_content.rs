//! What a page shows, as far as two pages are compared by it.

use harvestman_core::model::path_hash::{fold_run, step};
use harvestman_core::model::{LeafPath, PageText};

/// Paths that are compared: those with the smallest hashes, the same ones on every page that has them.
const PATHS_MAX: usize = 256;
/// Distinct words above which a page is no substitute: it has something of its own to say.
const WORDS_MAX: usize = 2_000;
/// The words, and the links, by which two substitutes of one text may differ whatever their length: an address, a name.
const OTHERS: usize = 4;
/// Links that are compared.
const LINKS_MAX: usize = 256;
/// Words that stand for the address to which a redirect leads.
const REDIRECT_WORDS: u64 = 16;

/// The distinct leaf paths of a page, the 256 smallest of them in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathSet(Vec<u64>);

impl PathSet {
    /// Returns the paths of a page.
    pub fn of(bag: &[LeafPath]) -> Self {
        Self::from_hashes(bag.iter().map(|leaf| leaf.path).collect())
    }

    /// Returns the set of these hashes.
    pub fn from_hashes(mut hashes: Vec<u64>) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(PATHS_MAX);
        hashes.shrink_to_fit();
        Self(hashes)
    }

    /// Returns the number of paths.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the number of its paths that `other` has not.
    pub(super) fn lacking_in(&self, other: &Self) -> usize {
        let bound = other.0.last().copied().filter(|_| other.0.len() == PATHS_MAX);
        // What is beyond the bound of a full set may be there or not.
        let is_comparable = |path: &&u64| bound.is_none_or(|bound| **path <= bound);
        self.0.iter().filter(is_comparable).filter(|path| other.0.binary_search(path).is_err()).count()
    }

    /// Returns whether it has a quarter of the paths of `other` at most.
    pub(super) fn lacks_most_of(&self, other: &Self) -> bool {
        other.lacking_in(self) * 4 >= other.len() * 3
    }

    /// Keeps the paths that `other` has too.
    pub(super) fn intersect(&mut self, other: &Self) {
        self.0.retain(|path| other.0.binary_search(path).is_ok());
    }

    /// Returns the number of paths that both have.
    pub(super) fn common(&self, other: &Self) -> usize {
        self.0.iter().filter(|path| other.0.binary_search(path).is_ok()).count()
    }

    /// Returns whether nine of ten paths of either are those of the other.
    fn is_like(&self, other: &Self) -> bool {
        let (both, larger) = (self.common(other), self.len().max(other.len()));
        both * 10 >= larger * 9
    }
}

/// Words, and links, by which the texts of a form's pages are told apart: those with the smallest hashes.
const SKETCH: usize = 64;
/// Words, and links, of which a text may have others and still be the same: one in place of another.
const SKETCH_OTHERS: usize = 2;

/// Part of what a page says, to tell whether another one says the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextSketch {
    words: Box<[u32]>,
    links: Box<[u32]>,
}

impl TextSketch {
    /// Returns whether both say the same, but for a counter or a name.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        others(&self.words, &other.words) <= SKETCH_OTHERS && others(&self.links, &other.links) <= SKETCH_OTHERS
    }
}

/// What a page says and how, for the comparison of pages that may be substitutes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerContent {
    status: u16,
    paths: PathSet,
    /// Hashes of its words, in order.
    words: Vec<u32>,
    /// Hashes of the targets of its links, in order.
    links: Vec<u32>,
}

impl AnswerContent {
    /// Returns what a page of this status shows, whose text without its title has these words; `None` if it says too
    /// much to be a substitute.
    pub fn of(status: u16, paths: PathSet, text: &PageText) -> Option<Self> {
        Self::from_words(status, paths, text.runs().flat_map(|(_, words)| words).copied().collect())
    }

    /// As [`AnswerContent::of`], of words in any order.
    pub fn from_words(status: u16, paths: PathSet, mut words: Vec<u32>) -> Option<Self> {
        words.sort_unstable();
        words.dedup();
        words.shrink_to_fit();
        (words.len() <= WORDS_MAX).then_some(Self { status, paths, words, links: Vec::new() })
    }

    /// Adds where its links lead, as written. Fragments do not count, nor does a query with a path in it: links to
    /// log-in pages name the page that they return to.
    #[must_use]
    pub fn leading_to<'l>(mut self, links: impl Iterator<Item = &'l str>) -> Self {
        let target = |link: &'l str| {
            let link = link.split('#').next().unwrap_or_default();
            let names_path = |query: &str| query.contains('/') || query.contains("%2F") || query.contains("%2f");
            link.split_once('?').filter(|(_, query)| names_path(query)).map_or(link, |(path, _)| path)
        };
        self.links =
            links.map(target).filter(|target| !target.is_empty()).map(|to| fold_run(to.as_bytes()) as u32).collect();
        self.links.sort_unstable();
        self.links.dedup();
        self.links.truncate(LINKS_MAX);
        self.links.shrink_to_fit();
        self
    }

    /// Returns what a redirect to this address shows: nothing but the address, whose query does not count.
    pub fn redirect_to(target: &str) -> Self {
        let target = target.split(['?', '#']).next().unwrap_or_default();
        let hash = fold_run(target.as_bytes());
        // So many that no two addresses are the same but for a few words.
        let mut words: Vec<u32> = (0..REDIRECT_WORDS).map(|word| step(hash, word) as u32).collect();
        words.sort_unstable();
        Self { status: 300, paths: PathSet::default(), words, links: Vec::new() }
    }

    /// Returns part of its words and links.
    pub(super) fn sketch(&self) -> TextSketch {
        let least = |all: &[u32]| all.iter().take(SKETCH).copied().collect();
        TextSketch { words: least(&self.words), links: least(&self.links) }
    }

    /// Returns whether both say the same, and lead to the same pages, but for a few words and links. A gallery has few
    /// words, other pictures and other links.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let are_same = self.status == other.status
            && differ_little(&self.words, &other.words)
            && differ_little(&self.links, &other.links);
        are_same && self.paths.is_like(&other.paths)
    }
}

/// Returns whether all but a few of the members of both sets are in both.
fn differ_little(one: &[u32], other: &[u32]) -> bool {
    let others = others(one, other);
    let all = (one.len() + other.len() + others) / 2;
    others <= OTHERS + all / 10
}

/// Returns the number of members of either sorted set that the other has not.
fn others(one: &[u32], other: &[u32]) -> usize {
    let both = one.iter().filter(|member| other.binary_search(member).is_ok()).count();
    one.len() + other.len() - 2 * both
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(words: impl IntoIterator<Item = u32>) -> AnswerContent {
        AnswerContent::from_words(200, PathSet::from_hashes(vec![1, 2, 3]), words.into_iter().collect()).unwrap()
    }

    #[test]
    fn pages_are_the_same_if_few_words_differ() {
        assert!(content(0..100).is_same(&content(0..104)));
        assert!(content([]).is_same(&content([])));
        assert!(content([1, 2]).is_same(&content([3, 4])));
        assert!(!content(0..100).is_same(&content(50..150)));
        let other_paths = AnswerContent { paths: PathSet::from_hashes(vec![1, 2, 4]), ..content(0..100) };
        assert!(!content(0..100).is_same(&other_paths));
        assert!(!content(0..100).is_same(&AnswerContent { status: 403, ..content(0..100) }));
    }

    #[test]
    fn pages_with_few_words_are_told_by_their_links() {
        let gallery = |photos: std::ops::Range<u32>| {
            let photos: Vec<String> = photos.map(|photo| format!("/photo/{photo}/")).collect();
            content([1, 2]).leading_to(["/", "/about"].into_iter().chain(photos.iter().map(String::as_str)))
        };
        assert!(gallery(0..20).is_same(&gallery(0..20)) && gallery(0..20).is_same(&gallery(0..21)));
        assert!(!gallery(0..20).is_same(&gallery(20..40)));
        let wall = |from: &str| {
            let links = ["in", "up", "out", "me", "us"].map(|to| format!("/{to}?next={from}#top"));
            content([1, 2]).leading_to(links.iter().map(String::as_str))
        };
        assert!(wall("/t/1").is_same(&wall("%2Ft%2F2")));
        let threads = |n: u32| (0..9).map(move |at| format!("/show?t={}", 10 * n + at)).collect::<Vec<_>>();
        let list = |n: u32| content([1, 2]).leading_to(threads(n).iter().map(String::as_str));
        assert!(!list(1).is_same(&list(2)));
    }

    #[test]
    fn redirects_are_the_same_if_their_targets_are_without_the_query() {
        let login = AnswerContent::redirect_to("http://a.example/login?next=/topic/1");
        assert!(login.is_same(&AnswerContent::redirect_to("http://a.example/login?next=/topic/2")));
        assert!(!login.is_same(&AnswerContent::redirect_to("http://a.example/logon")));
    }

    #[test]
    fn a_page_that_says_much_is_no_substitute() {
        let of = |words| AnswerContent::from_words(200, PathSet::default(), (0..words).collect());
        assert!(of(WORDS_MAX as u32).is_some() && of(WORDS_MAX as u32 + 1).is_none());
    }

    #[test]
    fn large_sets_of_paths_are_compared_where_both_are_known() {
        let large = PathSet::from_hashes((0..1_000).map(|path| path * 7).collect());
        assert_eq!((large.len(), large.lacking_in(&large)), (PATHS_MAX, 0));
        let with_more = PathSet::from_hashes((0..1_000).map(|path| path * 7 + path % 2).collect());
        assert!(large.lacking_in(&with_more) > 100);
        let late = PathSet::from_hashes(vec![1_000_000]);
        assert_eq!((late.lacking_in(&large), late.lacking_in(&PathSet::default())), (0, 1));
    }
}
