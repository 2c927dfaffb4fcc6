//! Learns which parts of a site's addresses tell a place in a thread: pages whose addresses differ in such a part only
//! have the title of one thread, as far as all of them have it, or texts in common.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use url::Url;

use super::parts::{AddressPart, PartKey, without_parts};
use harvestman_core::model::path_hash::fold;

/// Minimum number of pages that show that a part is a place, and that it is none.
const PAGES_MIN: u32 = 2;
/// Minimum share of the pages that agree.
const SHARE_MIN: f64 = 0.9;
/// The share of the pages from which on a title or text is that of the site, and the number of pages for which all are
/// counted.
const COMMON: f64 = 0.2;
const FEW: usize = 4;
/// Minimum share of the texts of a page that another page has too.
const TEXTS_MIN: f64 = 0.5;
/// Minimum number of texts that two pages have in common.
const TEXTS_COMMON_MIN: usize = 2;

/// What is kept of a page to learn from.
#[derive(Debug, Clone)]
pub struct SeenAddress {
    /// Its address.
    pub url: Url,
    /// What it names as its title.
    pub titles: Vec<SeenTitle>,
    /// Hashes of its long texts.
    pub texts: Vec<u64>,
    /// The parameters with which it links to itself.
    pub views: BTreeSet<PartKey>,
}

/// A title, as hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenTitle {
    /// The whole one.
    pub whole: u64,
    /// As all pages of a thread have it; 0 if nothing is left of it.
    pub key: u64,
}

impl SeenTitle {
    /// Reads a title.
    pub fn of(title: &str) -> Self {
        Self { whole: fold(title.as_bytes()), key: title_key(title) }
    }
}

/// Which parts of the addresses of a site tell a place in a thread.
#[derive(Debug, Clone, Default)]
pub struct PartRules {
    known: BTreeMap<PartKey, bool>,
}

impl PartRules {
    /// Learns from pages.
    pub fn learn<'p>(pages: impl Iterator<Item = &'p SeenAddress>) -> Self {
        let pages: BTreeMap<&str, &SeenAddress> = pages.map(|page| (page.url.as_str(), page)).collect();
        let pages: Vec<&SeenAddress> = pages.into_values().collect();
        let common = common(&pages);
        let views: Vec<PartKey> = pages.iter().flat_map(|page| &page.views).copied().collect();
        let pages: Vec<Shown> = pages.iter().map(|page| Shown::of(page, &common)).collect();
        let mut votes = votes(&pages);
        for key in views {
            votes.entry(key).or_default().views += 1;
        }
        Self { known: votes.into_iter().filter_map(|(key, votes)| Some((key, votes.verdict()?))).collect() }
    }

    /// Returns whether a part tells a place in a thread; `None` if that is not known.
    pub fn is_place(&self, part: &AddressPart) -> Option<bool> {
        self.known.get(&part.key).copied()
    }

    /// Returns an address without parts that are known to tell a place, or that by usual words do.
    pub fn without_places(&self, url: &Url) -> Url {
        without_parts(url, |part| self.is_place(part).unwrap_or(part.is_page))
    }
}

/// A page without what many pages of the site have.
struct Shown<'p> {
    url: &'p Url,
    titles: Vec<SeenTitle>,
    texts: HashSet<u64>,
}

impl<'p> Shown<'p> {
    fn of(page: &'p SeenAddress, common: &HashSet<u64>) -> Self {
        let is_own = |title: &&SeenTitle| title.key != 0 && !common.contains(&title.key);
        Self {
            url: &page.url,
            titles: page.titles.iter().filter(is_own).copied().collect(),
            texts: page.texts.iter().copied().filter(|text| !common.contains(text)).collect(),
        }
    }

    /// Returns whether it shows the thread of another page; `None` if that cannot be told. `title` tells what titles of
    /// pages of one thread have in common.
    fn is_of_thread(&self, other: &Self, title: impl Fn(&SeenTitle) -> u64) -> Option<bool> {
        let fewer = self.texts.len().min(other.texts.len());
        let texts = self.texts.intersection(&other.texts).count();
        let has_texts = texts >= TEXTS_COMMON_MIN && texts as f64 >= TEXTS_MIN * fewer as f64;
        let has_title = || self.titles.iter().any(|one| other.titles.iter().any(|two| title(one) == title(two)));
        if has_texts || has_title() {
            return Some(true);
        }
        let have_titles = !self.titles.is_empty() && !other.titles.is_empty();
        have_titles.then_some(false)
    }
}

/// Returns the titles and texts that many pages have.
fn common(pages: &[&SeenAddress]) -> HashSet<u64> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for page in pages {
        let of_page: BTreeSet<u64> =
            page.titles.iter().map(|title| title.key).chain(page.texts.iter().copied()).collect();
        of_page.into_iter().for_each(|hash| *counts.entry(hash).or_default() += 1);
    }
    let most = FEW.max((COMMON * pages.len() as f64) as usize);
    counts.into_iter().filter(|(hash, count)| *hash != 0 && *count > most).map(|(hash, _)| hash).collect()
}

/// How many pages show that a part is a place, or that it is none.
#[derive(Debug, Clone, Copy, Default)]
struct Votes {
    same: u32,
    other: u32,
    /// Pages that link to themselves with the part.
    views: u32,
}

impl Votes {
    fn count(&mut self, votes: impl Iterator<Item = Option<bool>>) {
        for is_same in votes.flatten() {
            self.same += u32::from(is_same);
            self.other += u32::from(!is_same);
        }
    }

    fn verdict(self) -> Option<bool> {
        let share = f64::from(self.same) / f64::from(self.same + self.other);
        match self {
            Self { same: PAGES_MIN.., .. } if share >= SHARE_MIN => Some(true),
            Self { other: PAGES_MIN.., .. } => Some(false),
            Self { other: 0, views: PAGES_MIN.., .. } => Some(true),
            _ => None,
        }
    }
}

/// Compares the pages whose addresses differ in one part only.
fn votes(pages: &[Shown<'_>]) -> BTreeMap<PartKey, Votes> {
    let by_url: HashMap<&str, usize> = pages.iter().enumerate().map(|(at, page)| (page.url.as_str(), at)).collect();
    let mut alike: BTreeMap<(PartKey, String), Vec<usize>> = BTreeMap::new();
    for (at, page) in pages.iter().enumerate() {
        for part in AddressPart::of(page.url) {
            alike.entry((part.key, part.rest.into())).or_default().push(at);
        }
    }
    let mut votes: BTreeMap<PartKey, Votes> = BTreeMap::new();
    for ((key, rest), members) in alike {
        let votes = votes.entry(key).or_default();
        match by_url.get(rest.as_str()) {
            Some(first) => {
                votes.count(members.iter().map(|at| pages[*at].is_of_thread(&pages[*first], |title| title.key)))
            }
            // Titles may differ in the number of what they are about.
            None => {
                let (first, others) = members.split_first().unwrap_or((&0, &[]));
                votes.count(others.iter().map(|at| pages[*at].is_of_thread(&pages[*first], |title| title.whole)));
            }
        }
    }
    votes
}

/// Words of titles that tell pages of one thread apart.
const PAGING: [&str; 5] = ["page", "pagina", "página", "seite", "pg"];
/// Maximum length of a word for replies before a title, in bytes.
const REPLY_BYTES_MAX: usize = 8;

/// Returns a hash of a title without numbers, words for pages, and words for replies before it; 0 if nothing else is in
/// it.
pub fn title_key(title: &str) -> u64 {
    let title = without_replies(title).to_lowercase();
    let words = title.split(|c: char| !c.is_alphabetic());
    let words: Vec<&str> = words.filter(|word| !word.is_empty() && !PAGING.contains(word)).collect();
    if words.is_empty() { 0 } else { fold(words.join(" ").as_bytes()).max(1) }
}

/// Returns a title without short words with a colon at its beginning, such as `Re:`.
fn without_replies(title: &str) -> &str {
    let mut rest = title.trim_start();
    while let Some((word, behind)) = rest.split_once(':') {
        let is_word = word.len() <= REPLY_BYTES_MAX && word.chars().all(char::is_alphabetic);
        if !is_word || behind.trim().is_empty() {
            break;
        }
        rest = behind.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addresses::views_of;

    fn page(url: &str, title: &str, texts: &[u64]) -> SeenAddress {
        let titles = if title.is_empty() { Vec::new() } else { vec![SeenTitle::of(title)] };
        SeenAddress { url: url.parse().unwrap(), titles, texts: texts.to_vec(), views: BTreeSet::new() }
    }

    fn learned(pages: &[SeenAddress]) -> impl Fn(&str) -> String + use<> {
        let rules = PartRules::learn(pages.iter());
        move |url| rules.without_places(&url.parse().unwrap()).into()
    }

    #[test]
    fn pages_with_one_title_or_the_same_texts_are_of_one_thread() {
        let plain = learned(&[
            page("http://h/topic/1/a", "A", &[]),
            page("http://h/topic/1/a/7", "A - page 7", &[]),
            page("http://h/topic/2/b/3", "", &[21, 22, 23]),
            page("http://h/topic/2/b/4", "", &[22, 23, 24]),
            page("http://h/topic/3/c/5?order=new", "C", &[]),
            page("http://h/topic/3/c/5", "C", &[]),
            page("http://h/topic/4/c/5?order=old", "D", &[]),
            page("http://h/topic/4/c/5?order=new", "D", &[]),
        ]);
        assert_eq!(plain("http://h/topic/9/z/8?order=old&x=1#8"), "http://h/topic/9/z?x=1");
        assert_eq!(plain("http://h/other/9/z/8?order=old"), "http://h/other/9/z/8?order=old");
    }

    #[test]
    fn a_number_with_other_threads_is_that_of_the_thread() {
        let names = ["a", "b", "c", "d", "e"];
        let pages: Vec<_> = (0..5).map(|at| page(&format!("http://h/forum/1/{at}"), names[at], &[])).collect();
        assert_eq!(learned(&pages)("http://h/forum/1/77"), "http://h/forum/1/77");
        let pages: Vec<_> = (0..5).map(|at| page(&format!("http://h/show?page={at}"), names[at], &[])).collect();
        assert_eq!(learned(&pages)("http://h/show?page=77"), "http://h/show?page=77");
        assert_eq!(learned(&[])("http://h/show?page=77"), "http://h/show");
    }

    #[test]
    fn titles_of_the_site_and_numbers_of_threads_tell_nothing() {
        let pages: Vec<_> = (1..9).map(|at| page(&format!("http://h/forum/1/{at}"), "Forum", &[])).collect();
        assert_eq!(learned(&pages)("http://h/forum/1/77"), "http://h/forum/1/77");
        let pages: Vec<_> =
            (1..4).map(|at| page(&format!("http://h/forum/1/{at}"), &format!("Topic {at}"), &[])).collect();
        assert_eq!(learned(&pages)("http://h/forum/1/77"), "http://h/forum/1/77");
    }

    #[test]
    fn parameters_with_which_pages_link_to_themselves_are_places_unless_titles_differ() {
        let link = |page: &Url| [page.join("?poll=1").unwrap()];
        let with_views = |mut page: SeenAddress| {
            page.views = views_of(&page.url, link(&page.url).into_iter());
            page
        };
        let mut pages = ["a", "b"].map(|title| with_views(page(&format!("http://h/t/{title}1"), title, &[]))).to_vec();
        assert_eq!(learned(&pages)("http://h/t/c3?poll=7"), "http://h/t/c3");
        pages.extend(["x", "y"].map(|title| page(&format!("http://h/t/a1?poll={title}"), title, &[])));
        assert_eq!(learned(&pages)("http://h/t/c3?poll=7"), "http://h/t/c3?poll=7");
    }

    proptest::proptest! {
        /// What is learned does not depend on the order of the pages, and an address without places has none.
        #[test]
        fn rules_do_not_depend_on_the_order_of_pages(
            pages in proptest::collection::vec(("http://h/[ab]/[0-2](/[0-2x])?(\\?[pq]=[0-3])?", "[ab]?", proptest::collection::vec(5_u64..9, 0..4)), 0..20),
        ) {
            let seen: BTreeMap<&String, SeenAddress> = pages.iter().map(|(url, title, texts)| (url, page(url, title, texts))).collect();
            let rules = PartRules::learn(seen.values());
            proptest::prop_assert_eq!(&rules.known, &PartRules::learn(seen.values().rev()).known);
            for page in seen.values() {
                let plain = rules.without_places(&page.url);
                proptest::prop_assert_eq!(&rules.without_places(&plain), &plain);
            }
        }
    }

    #[test]
    fn pages_and_replies_have_the_title_of_their_thread() {
        let key = title_key("How to boil: an egg");
        for title in ["How to boil: an egg - Page 2", "RE: Aw: how to boil: an egg", "  How to boil an egg (3)"] {
            assert_eq!(title_key(title), key, "{title}");
        }
        assert_ne!(title_key("How to boil an egg twice"), key);
        assert_eq!((title_key("Page 2"), title_key("")), (0, 0));
        assert_ne!(title_key("Re:"), 0);
    }
}
