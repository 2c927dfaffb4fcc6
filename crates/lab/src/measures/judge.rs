//! Evaluates fetches by the truth during a replay.

use std::sync::Arc;

use super::{Fetched, Topic};
use crate::corpus::{Corpus, Label, PageId, TypeCounts};

/// The goal of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// User-created pages.
    Ucc,
    /// Pages of a type.
    Target(Arc<str>),
    /// Items of a topic.
    Topic(Arc<Topic>),
}

impl Task {
    /// Returns its name, as in the column `task`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Ucc => "ucc",
            Self::Target(_) => "target",
            Self::Topic(_) => "topic",
        }
    }

    /// Returns the type of the wanted pages, as in the column `target`.
    pub fn target(&self) -> Option<String> {
        match self {
            Self::Ucc => None,
            Self::Target(page_type) => Some(page_type.to_string()),
            Self::Topic(topic) => Some(topic.name()),
        }
    }

    /// Returns whether it wants a page with this label.
    pub fn wants(&self, label: &Label) -> bool {
        match self {
            Self::Ucc => label.is_ucc,
            Self::Target(page_type) => label.page_type == *page_type,
            Self::Topic(topic) => topic.contains(label),
        }
    }
}

/// Evaluates fetches. A page counts once, for the first fetch that yields it.
#[derive(Debug)]
pub struct Judge<'a> {
    corpus: &'a Corpus,
    task: Task,
    held: Vec<bool>,
}

impl<'a> Judge<'a> {
    /// Creates a judge that has seen no fetch.
    pub fn new(corpus: &'a Corpus, task: Task) -> Self {
        Self { corpus, task, held: vec![false; corpus.len()] }
    }

    /// Returns the number of valid pages of the corpus; `None` if its labels do not define them.
    pub fn wanted(&self) -> Option<TypeCounts> {
        let truth = self.corpus.truth()?;
        match &self.task {
            Task::Ucc => truth.knows_ucc().then(|| truth.ucc()),
            Task::Target(page_type) => Some(truth.types().get(page_type).copied().unwrap_or_default()),
            Task::Topic(topic) => {
                let items = self.corpus.ids().filter_map(|id| truth.page(id)).filter(|label| topic.contains(label));
                let mut counts = TypeCounts::default();
                items.for_each(|label| {
                    counts.pages += 1;
                    counts.unique += u64::from(!label.is_duplicate_view);
                });
                Some(counts)
            }
        }
    }

    /// Evaluates a fetch that ended at `page` after its redirects; `None` if it left the corpus.
    pub fn fetched(&mut self, page: Option<PageId>) -> Fetched {
        let Some(id) = page.filter(|id| self.corpus.page(*id).is_page()) else { return Fetched::default() };
        if std::mem::replace(&mut self.held[id.index()], true) {
            return Fetched::default();
        }
        let label = self.corpus.truth().and_then(|truth| truth.page(id));
        let valid = label.is_some_and(|label| self.task.wants(label));
        Fetched {
            new_page: true,
            valid,
            valid_unique: valid && label.is_some_and(|label| !label.is_duplicate_view),
            page_type: label.map(|label| Arc::clone(&label.page_type)),
            second: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measures::Harvest;
    use harvestman_core::seed::Seed;
    use harvestman_sim::{Family, World, WorldOptions};

    fn forum() -> Corpus {
        let families = vec![Family::Forum];
        let options =
            WorldOptions { pages: 120, hosts: 1, families, page_bytes: 200, links: 12, ..WorldOptions::default() };
        Corpus::from_world(&World::new(&options, Seed(5)).unwrap()).unwrap()
    }

    #[test]
    fn fetching_everything_yields_every_valid_page_once() {
        let corpus = forum();
        let types = corpus.truth().unwrap().types().keys().cloned();
        for task in types.map(Task::Target).chain([Task::Ucc]) {
            let mut judge = Judge::new(&corpus, task.clone());
            let twice = corpus.ids().chain(corpus.ids()).map(|id| corpus.landing(id, 5));
            let fetches: Vec<_> = twice.map(|page| judge.fetched(page)).collect();
            let harvest = Harvest::of(&fetches, judge.wanted());
            let wanted = judge.wanted().unwrap();
            assert_eq!((harvest.valid, harvest.valid_unique), (wanted.pages, wanted.unique), "{task:?}");
            assert_eq!(harvest.recall, Some(1.0), "{task:?}");
            assert!(harvest.pages < harvest.fetches / 2, "errors and redirects bring nothing");
        }
    }

    #[test]
    fn a_fetch_of_nothing_or_of_a_known_page_is_worthless() {
        let corpus = forum();
        let mut judge = Judge::new(&corpus, Task::Ucc);
        let redirect = corpus.ids().find(|id| corpus.page(*id).status / 100 == 3).unwrap();
        assert_eq!(judge.fetched(None), Fetched::default());
        assert_eq!(judge.fetched(Some(redirect)), Fetched::default());
        assert!(judge.fetched(Some(corpus.seed())).new_page);
        assert_eq!(judge.fetched(Some(corpus.seed())), Fetched::default());
    }
}
