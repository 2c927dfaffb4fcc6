//! The value of a URL of a corpus, in the three groups of ClusterGraph (2009, section 5.3).

use std::collections::BTreeSet;

use super::ratio;
use crate::corpus::{Corpus, PageId};

/// The value of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// User-created content, or a list that leads to it; not a duplicate view.
    Valuable,
    /// A duplicate view, or a redirect.
    Duplicate,
    /// Everything else: forms, rules, errors, other content than HTML.
    Uninformative,
}

/// Words in the names of types whose pages are lists.
const LISTS: &[&str] = &[
    "index",
    "list",
    "lists",
    "listing",
    "forum",
    "forums",
    "board",
    "boards",
    "category",
    "categories",
    "section",
    "tag",
    "tags",
    "badge",
    "badges",
    "members",
    "users",
    "topics",
    "questions",
    "threads",
    "archive",
    "archives",
    "albums",
    "gallery",
    "stream",
    "latest",
    "active",
    "home",
    "front",
    "portal",
    "allpages",
];
/// Words in the names of types whose pages perform actions; they override [`LISTS`].
const ACTIONS: &[&str] = &[
    "admin",
    "ask",
    "create",
    "delete",
    "diff",
    "edit",
    "feed",
    "feeds",
    "history",
    "info",
    "login",
    "logout",
    "move",
    "new",
    "password",
    "publish",
    "register",
    "reply",
    "report",
    "search",
    "signin",
    "signup",
    "subscribe",
    "subscription",
    "write",
];

/// Returns whether the name of a type says that its pages are lists. Labels mark user-created content only; all other
/// types are distinguished by name.
pub fn is_list(page_type: &str) -> bool {
    let name = page_type.to_ascii_lowercase();
    let words = || name.split(|c: char| !c.is_ascii_alphanumeric());
    words().any(|word| LISTS.contains(&word)) && !words().any(|word| ACTIONS.contains(&word))
}

impl Value {
    /// Returns the value of a URL; `None` if the corpus has no labels.
    pub fn of(corpus: &Corpus, id: PageId) -> Option<Self> {
        let truth = corpus.truth()?;
        let page = corpus.page(id);
        let label = truth.label(id);
        let another = label.is_some_and(|label| label.is_duplicate_view) || (300..400).contains(&page.status);
        if another {
            return Some(Self::Duplicate);
        }
        let wanted = truth.page(id).is_some_and(|label| label.is_ucc || is_list(&label.page_type));
        Some(if wanted { Self::Valuable } else { Self::Uninformative })
    }
}

/// The quality of the fetched and rejected URLs of a crawl (ClusterGraph 2009, figure 7 and table 6).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Quality {
    /// Requests.
    pub fetches: u64,
    /// Share of these requests.
    pub valuable: Option<f64>,
    /// Share of these requests.
    pub duplicate: Option<f64>,
    /// Share of these requests.
    pub uninformative: Option<f64>,
    /// Valuable pages fetched, as a share of those of the corpus.
    pub recall: Option<f64>,
    /// Share of valuable pages among the discovered URLs that were not fetched.
    pub false_negatives: Option<f64>,
}

impl Quality {
    /// Returns the quality of a crawl that fetched `fetched` (`None`: a URL not in the corpus) and also discovered
    /// `met`.
    pub fn of(corpus: &Corpus, fetched: &[Option<PageId>], met: &BTreeSet<PageId>) -> Self {
        let value = |id: &PageId| Value::of(corpus, *id);
        let fetches = fetched.len() as u64;
        let count = |wanted: Value| {
            let is = |id: &&Option<PageId>| id.as_ref().map_or(Some(Value::Uninformative), value) == Some(wanted);
            fetched.iter().filter(is).count() as u64
        };
        let held: BTreeSet<PageId> = fetched.iter().flatten().copied().collect();
        let discarded: Vec<PageId> = met.difference(&held).copied().collect();
        let lost = discarded.iter().filter(|id| value(id) == Some(Value::Valuable)).count() as u64;
        let all = corpus.ids().filter(|id| value(id) == Some(Value::Valuable)).count() as u64;
        let had = held.iter().filter(|id| value(id) == Some(Value::Valuable)).count() as u64;
        if corpus.truth().is_none() {
            return Self { fetches, ..Self::default() };
        }
        Self {
            fetches,
            valuable: ratio(count(Value::Valuable), fetches),
            duplicate: ratio(count(Value::Duplicate), fetches),
            uninformative: ratio(count(Value::Uninformative), fetches),
            recall: ratio(had, all),
            false_negatives: ratio(lost, discarded.len() as u64),
        }
    }

    /// Returns the share of requests that yielded nothing valuable.
    pub fn false_positives(&self) -> Option<f64> {
        self.valuable.map(|valuable| 1.0 - valuable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::seed::Seed;
    use harvestman_sim::{Family, World, WorldOptions};

    #[test]
    fn lists_are_recognised_by_name_and_actions_are_not_lists() {
        for list in
            ["forum:forum", "forum:index", "members", "spirit:category:detail", "user_topics", "blog_post_list_tag"]
        {
            assert!(is_list(list), "{list}");
        }
        for other in ["login", "admin:index", "forum:topic_create", "page", "Category:edit", "forum_search:search", ""]
        {
            assert!(!is_list(other), "{other}");
        }
    }

    #[test]
    fn shares_add_up_and_rejected_urls_are_evaluated() {
        let families = vec![Family::Forum];
        let options =
            WorldOptions { pages: 150, hosts: 1, families, page_bytes: 200, links: 12, ..WorldOptions::default() };
        let corpus = Corpus::from_world(&World::new(&options, Seed(5)).unwrap()).unwrap();
        let all: Vec<_> = corpus.ids().map(Some).collect();
        let met: BTreeSet<_> = corpus.ids().collect();
        let whole = Quality::of(&corpus, &all, &met);
        let sum = [whole.valuable, whole.duplicate, whole.uninformative].into_iter().flatten().sum::<f64>();
        assert!((sum - 1.0).abs() < 1e-9 && whole.duplicate > Some(0.0), "{whole:?}");
        assert_eq!((whole.recall, whole.false_negatives), (Some(1.0), None));
        let none = Quality::of(&corpus, &[None], &met);
        assert_eq!((none.valuable, none.recall, none.false_positives()), (Some(0.0), Some(0.0), Some(1.0)));
        let share = whole.valuable.unwrap();
        assert!((none.false_negatives.unwrap() - share).abs() < 1e-9, "all was left out: {none:?}");
    }
}
