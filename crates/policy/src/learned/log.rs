//! The fetches that a learner remembers, to count them again when classes change their meaning.

use std::collections::VecDeque;

use super::text::ContentId;
use super::worth::Worth;
use crate::NewLink;
use harvestman_core::model::{ClusterId, LinkClass};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

/// Maximum number of new links that are remembered of all fetches together.
const LINKS_MAX: usize = 1 << 19;

/// The number of an entry among all that were ever pushed, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryNumber(pub u64);

/// A fetch.
#[derive(Debug, Clone)]
pub struct Entry {
    pub url: CanonicalUrl,
    pub class: LinkClass,
    pub via: Option<Fingerprint>,
    /// What it currently counts for in the evidence.
    pub worth: Worth,
    pub page: Option<LoggedPage>,
    /// Its new links; none where they were forgotten.
    pub new: Vec<NewLink>,
}

impl Entry {
    /// The key of its text; `None` where it is no page, or its text was not read.
    pub fn content(&self) -> Option<ContentId> {
        self.page?.content
    }
}

/// What is known of an entry that is a page.
#[derive(Debug, Clone, Copy)]
pub struct LoggedPage {
    /// Its key in the index of texts; `None` where its text was not read.
    pub content: Option<ContentId>,
    pub cluster: ClusterId,
    /// It repeats a page with a more canonical address.
    pub duplicate: bool,
    /// The validator accepts it.
    pub accepted: bool,
    /// Its position in the sample.
    pub sample: Option<u32>,
}

/// The latest fetches.
#[derive(Debug)]
pub struct Log {
    entries: VecDeque<Entry>,
    /// The number of the first entry.
    first: u64,
    /// The entry of each page of the content index, from `content_first` on.
    by_content: VecDeque<u64>,
    content_first: u64,
    entries_max: usize,
    /// The number of new links of all entries.
    links: usize,
    /// The number of entries, from the first on, whose links were forgotten.
    linkless: usize,
    links_max: usize,
}

impl Log {
    pub fn new(entries_max: usize) -> Self {
        Self::within(entries_max, LINKS_MAX)
    }

    /// A log of at most so many entries with so many links together, apart from those of the latest entry.
    fn within(entries_max: usize, links_max: usize) -> Self {
        let (entries, by_content) = (VecDeque::new(), VecDeque::new());
        Self { entries, first: 0, by_content, content_first: 0, entries_max, links: 0, linkless: 0, links_max }
    }

    /// The number of fetches in it.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number that the next entry gets.
    pub fn next_number(&self) -> EntryNumber {
        EntryNumber(self.first + self.entries.len() as u64)
    }

    pub fn push(&mut self, entry: Entry) {
        if entry.content().is_some() {
            self.by_content.push_back(self.next_number().0);
        }
        self.links += entry.new.len();
        self.entries.push_back(entry);
        if self.entries.len() > self.entries_max
            && let Some(entry) = self.entries.pop_front()
        {
            if entry.content().is_some() {
                self.by_content.pop_front();
                self.content_first += 1;
            }
            self.first += 1;
            self.links -= entry.new.len();
            self.linkless = self.linkless.saturating_sub(1);
        }
        self.forget_links();
    }

    /// Forgets the links of the oldest fetches where there are too many; those of the latest fetch stay.
    fn forget_links(&mut self) {
        while self.links > self.links_max && self.linkless + 1 < self.entries.len() {
            if let Some(entry) = self.entries.get_mut(self.linkless) {
                self.links -= std::mem::take(&mut entry.new).len();
            }
            self.linkless += 1;
        }
    }

    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// The entry with a number; `None` where it was forgotten.
    pub fn get_mut(&mut self, number: EntryNumber) -> Option<&mut Entry> {
        self.entries.get_mut(number.0.checked_sub(self.first)? as usize)
    }

    /// The number of the entry of a page; `None` where it was forgotten.
    pub fn number_of(&self, id: ContentId) -> Option<EntryNumber> {
        let number = self.by_content.get(id.0.checked_sub(self.content_first)? as usize)?;
        Some(EntryNumber(*number))
    }

    /// The entry of a page; `None` where it was forgotten.
    pub fn of_content(&mut self, id: ContentId) -> Option<&mut Entry> {
        let number = self.number_of(id)?;
        self.get_mut(number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use harvestman_core::model::Apath;

    fn entry(number: usize, content: Option<u64>) -> Entry {
        let page = |content| LoggedPage {
            content: Some(ContentId(content)),
            cluster: ClusterId::UNKNOWN,
            duplicate: false,
            accepted: false,
            sample: None,
        };
        Entry {
            url: CanonicalUrl::from_canonical(format!("http://h/{number}")),
            class: LinkClass::unclassified(Apath::SEED),
            via: None,
            worth: Worth { value: number as f64, wanted: false },
            page: content.map(page),
            new: Vec::new(),
        }
    }

    #[test]
    fn the_links_of_the_oldest_fetches_are_forgotten_where_there_are_too_many() {
        let link = || NewLink::new(LinkClass::unclassified(Apath::SEED), CanonicalUrl::from_canonical("http://h/"));
        let mut log = Log::within(4, 10);
        for (number, links) in [3, 3, 3, 3, 0, 12, 2].into_iter().enumerate() {
            log.push(Entry { new: std::iter::repeat_with(link).take(links).collect(), ..entry(number, None) });
            let remembered: usize = log.iter().map(|entry| entry.new.len()).sum();
            assert_eq!(log.links, remembered);
            assert!(remembered <= 12, "the latest fetch has 12 at most");
        }
        assert_eq!(log.iter().map(|entry| entry.new.len()).collect::<Vec<_>>(), [0, 0, 0, 2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_latest_fetches_are_remembered_and_pages_are_found_by_their_content(
            are_pages in prop::collection::vec(any::<bool>(), 0..40), entries_max in 1..12_usize,
        ) {
            let mut log = Log::new(entries_max);
            let mut contents = Vec::new();
            for (number, is_page) in are_pages.iter().enumerate() {
                let content = is_page.then_some(contents.len() as u64);
                contents.extend(content.map(|_| number));
                log.push(entry(number, content));
            }
            let first = are_pages.len().saturating_sub(entries_max);
            let remembered: Vec<usize> = log.iter().map(|entry| entry.worth.value as usize).collect();
            prop_assert_eq!(remembered, (first..are_pages.len()).collect::<Vec<_>>());
            prop_assert!(log.by_content.len() <= entries_max);
            for (content, number) in (0..).zip(contents) {
                let found = log.of_content(ContentId(content)).map(|entry| entry.worth.value as usize);
                prop_assert_eq!(found, (number >= first).then_some(number));
            }
            prop_assert!(log.of_content(ContentId(1_000)).is_none());
        }
    }
}
