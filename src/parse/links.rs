//! The outlinks of a page, grouped by the place where they stand.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::path::Spellings;
use super::text::{Source, is_link};
use crate::page::{Apath, LinkGroup, LinkKind, RawLink};

/// What a link's place among the texts is remembered by: start, end, `nofollow`.
pub(super) type Place = (u32, u32, bool);

#[derive(Debug)]
pub(super) struct Links {
    texts: String,
    links: Vec<(u32, RawLink)>,
    groups: Vec<(u64, u32)>,
    places: HashMap<u64, u32, RandomState>,
    links_max: usize,
    text_max: usize,
    dropped: u32,
}

impl Links {
    pub fn new(links_max: u32, text_max: usize) -> Self {
        Self {
            texts: String::new(),
            links: Vec::new(),
            groups: Vec::new(),
            places: HashMap::default(),
            links_max: links_max as usize,
            text_max,
            dropped: 0,
        }
    }

    pub fn clear(&mut self) {
        self.texts.clear();
        self.texts.shrink_to(1 << 20);
        self.links.clear();
        self.groups.clear();
        self.places.clear();
        self.dropped = 0;
    }

    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Adds the link whose attribute's value is `raw`, unless it is none. Returns its place among the texts.
    #[inline]
    pub fn add(&mut self, apath: u64, kind: LinkKind, nofollow: bool, source: Source<'_>, raw: &[u8]) -> Option<Place> {
        // A link that is cut would be another link.
        if raw.len() > self.text_max || self.links.len() >= self.links_max {
            self.dropped = self.dropped.saturating_add(1);
            return None;
        }
        let text = source.attribute(raw);
        self.add_text(apath, kind, nofollow, &text)
    }

    /// Adds the link `text`, which is decoded, unless it is none.
    pub fn add_text(&mut self, apath: u64, kind: LinkKind, nofollow: bool, text: &str) -> Option<Place> {
        if !is_link(text) {
            return None;
        }
        let start = u32::try_from(self.texts.len());
        let end = u32::try_from(self.texts.len() + text.len());
        let (Ok(start), Ok(end)) = (start, end) else {
            self.dropped = self.dropped.saturating_add(1);
            return None;
        };
        self.texts.push_str(text);
        self.put(apath, RawLink { start, end, kind, nofollow });
        Some((start, end, nofollow))
    }

    /// Adds the link at `place` once more, at another place of the page.
    pub fn repeat(&mut self, apath: u64, (start, end, nofollow): Place) {
        self.put(apath, RawLink { start, end, kind: LinkKind::Anchor, nofollow });
    }

    fn put(&mut self, apath: u64, link: RawLink) {
        if self.links.len() >= self.links_max {
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        // Most links stand at the place of the one before.
        let group = match self.links.last() {
            Some((group, _)) if self.groups[*group as usize].0 == apath => *group,
            _ => *self.places.entry(apath).or_insert_with(|| {
                self.groups.push((apath, 0));
                self.groups.len() as u32 - 1
            }),
        };
        self.groups[group as usize].1 += 1;
        self.links.push((group, link));
    }

    pub fn finish(&self, spellings: &Spellings) -> (String, Vec<LinkGroup>, u32) {
        let group = |&(apath, count): &(u64, u32)| LinkGroup {
            apath: Apath(apath),
            apath_text: spellings.spell(apath),
            links: Vec::with_capacity(count as usize),
        };
        let mut groups: Vec<LinkGroup> = self.groups.iter().map(group).collect();
        for (group, link) in &self.links {
            groups[*group as usize].links.push(*link);
        }
        (self.texts.as_str().to_owned(), groups, self.dropped)
    }
}
