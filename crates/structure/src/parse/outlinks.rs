//! The outlinks of a page, grouped by their Apath.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::decoded_text::{Source, is_link};
use super::path::Spellings;
use harvestman_core::model::{Apath, LinkGroup, LinkKind, LinkPosition, RawLink};

/// A link that is remembered: the span of its text among the link texts, and whether it is `nofollow`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinkSpan {
    pub start: u32,
    pub end: u32,
    pub nofollow: bool,
}

#[derive(Debug)]
pub(super) struct Links {
    /// The link texts, concatenated; always UTF-8.
    texts: Vec<u8>,
    links: Vec<(u32, RawLink)>,
    groups: Vec<(u64, u32)>,
    places: HashMap<u64, u32, RandomState>,
    /// The number of texts that have begun before the next link.
    pub text: u32,
    /// The elements that contain the next link.
    pub place: LinkPosition,
    links_max: usize,
    text_max: usize,
    dropped: u32,
}

impl Links {
    pub fn new(links_max: u32, text_max: usize) -> Self {
        Self {
            texts: Vec::new(),
            links: Vec::new(),
            groups: Vec::new(),
            places: HashMap::default(),
            text: 0,
            place: LinkPosition::default(),
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
        self.text = 0;
        self.place = LinkPosition::default();
        self.dropped = 0;
    }

    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Adds the link whose attribute's value is `raw`, and returns its span; `None` if the value is no link.
    #[inline]
    pub fn add(
        &mut self,
        apath: u64,
        kind: LinkKind,
        nofollow: bool,
        source: Source<'_>,
        raw: &[u8],
    ) -> Option<LinkSpan> {
        // A truncated link would be another link.
        if raw.len() > self.text_max || self.links.len() >= self.links_max {
            self.dropped = self.dropped.saturating_add(1);
            return None;
        }
        let start = self.texts.len();
        source.append_attribute(raw, &mut self.texts);
        self.add_appended(apath, kind, nofollow, start)
    }

    /// Adds the link `text`, which is decoded, unless it is no link.
    pub fn add_text(&mut self, apath: u64, kind: LinkKind, nofollow: bool, text: &str) {
        let start = self.texts.len();
        self.texts.extend_from_slice(text.as_bytes());
        self.add_appended(apath, kind, nofollow, start);
    }

    /// Adds the link whose text was appended at `from`, or removes the text again.
    #[inline]
    fn add_appended(&mut self, apath: u64, kind: LinkKind, nofollow: bool, from: usize) -> Option<LinkSpan> {
        let is_link = is_link(&self.texts[from..]);
        if let (true, Ok(start), Ok(end)) = (is_link, u32::try_from(from), u32::try_from(self.texts.len())) {
            self.put(apath, RawLink { start, end, kind, text: self.text, nofollow, place: self.place });
            return Some(LinkSpan { start, end, nofollow });
        }
        self.dropped = self.dropped.saturating_add(u32::from(is_link));
        self.texts.truncate(from);
        None
    }

    /// Adds the link of `span` once more, at another place of the page.
    pub fn repeat(&mut self, apath: u64, span: LinkSpan) {
        let LinkSpan { start, end, nofollow } = span;
        self.put(apath, RawLink { start, end, kind: LinkKind::Anchor, text: self.text, nofollow, place: self.place });
    }

    /// Records that the latest anchor contains an image.
    pub fn image(&mut self) {
        // Sources of the image may have been collected since.
        let latest = self.links.iter_mut().rev().take(8).find(|(_, link)| link.kind == LinkKind::Anchor);
        if let Some((_, link)) = latest {
            link.place.image = true;
        }
    }

    fn put(&mut self, apath: u64, link: RawLink) {
        if self.links.len() >= self.links_max {
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        // Most links have the Apath of the one before.
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
        let texts = String::from_utf8(self.texts.clone()).expect("only decoded texts are appended");
        (texts, groups, self.dropped)
    }
}
