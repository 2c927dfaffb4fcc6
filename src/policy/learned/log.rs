//! The fetches that a learner remembers, so that it can count them anew when classes change their meaning.

use std::collections::VecDeque;

use super::content::ContentId;
use crate::page::{ClusterId, LinkClass};
use crate::policy::NewLink;
use crate::url::{CanonicalUrl, Fingerprint};

/// A fetch.
#[derive(Debug, Clone)]
pub struct Entry {
    pub url: CanonicalUrl,
    pub class: LinkClass,
    pub via: Option<Fingerprint>,
    /// What it counts in the evidence now.
    pub value: f64,
    pub page: Option<LoggedPage>,
    /// What was new on it.
    pub new: Vec<NewLink>,
}

/// What is known of an entry that is a page.
#[derive(Debug, Clone, Copy)]
pub struct LoggedPage {
    pub content: ContentId,
    pub cluster: ClusterId,
    /// It repeats a page with a more canonical address.
    pub duplicate: bool,
    /// Its place in the sample.
    pub sample: Option<u32>,
}

/// The latest fetches.
#[derive(Debug)]
pub struct Log {
    entries: VecDeque<Entry>,
    /// The number of the first entry.
    first: u64,
    /// For each page of the content index, from `content_first` on: its entry.
    by_content: VecDeque<u64>,
    content_first: u64,
    entries_max: usize,
}

impl Log {
    pub fn new(entries_max: usize) -> Self {
        Self { entries: VecDeque::new(), first: 0, by_content: VecDeque::new(), content_first: 0, entries_max }
    }

    pub fn push(&mut self, entry: Entry) {
        if entry.page.is_some() {
            self.by_content.push_back(self.first + self.entries.len() as u64);
        }
        self.entries.push_back(entry);
        if self.entries.len() > self.entries_max {
            if self.entries.pop_front().is_some_and(|entry| entry.page.is_some()) {
                self.by_content.pop_front();
                self.content_first += 1;
            }
            self.first += 1;
        }
    }

    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// The entry of a page; none where it was forgotten.
    pub fn of_content(&mut self, id: ContentId) -> Option<&mut Entry> {
        let number = *self.by_content.get(id.0.checked_sub(self.content_first)? as usize)?;
        self.entries.get_mut((number - self.first) as usize)
    }
}
