//! The state of a page from the visits to it: enough to request it conditionally, and to estimate how often it changes.

use serde::{Deserialize, Serialize};

use crate::clock::Instant;
use crate::url::Fingerprint;

/// Hashes of a page at one visit, from coarse to fine. Two visits that agree in one agree in all coarser ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageDigests {
    /// Hash of its images and texts, without numbers, dates and identifiers; 0 if it was not parsed.
    pub gist: u64,
    /// Hash of its texts as written; 0 if it was not parsed.
    pub text: u64,
    /// Hash of its body's bytes.
    pub body: u64,
}

/// How a page differs from the visit before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Difference {
    /// Not at all: the server says so, or its bytes are the same.
    None,
    /// Only in markup: it shows the same.
    Markup,
    /// In numbers, dates or identifiers: a clock, a counter, or a new number of replies.
    Numbers,
    /// In its content.
    Content,
}

impl Difference {
    /// Returns its name in the page log.
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Markup => "markup",
            Self::Numbers => "numbers",
            Self::Content => "content",
        }
    }
}

impl PageDigests {
    /// Returns how a page with these digests differs from one with the digests `before`.
    pub fn differs_from(&self, before: &Self) -> Difference {
        let parsed = self.text != 0 && before.text != 0;
        match () {
            () if self.body == before.body => Difference::None,
            () if !parsed || self.gist != before.gist => Difference::Content,
            () if self.text != before.text => Difference::Numbers,
            () => Difference::Markup,
        }
    }
}

/// The archive record of the page's last complete response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedRecord {
    /// The URL in the record, if it is another one.
    pub url: Option<Box<str>>,
    /// Its date.
    pub date: Instant,
    /// Its id: the bytes of a UUID.
    pub id: [u8; 16],
    /// The digest of its payload as written in the record.
    pub payload: Box<str>,
}

/// How often a page was found changed, and over which times: the data to estimate its rate of change.
///
/// A visit that finds a change means that one or more changes fell between it and the visit before. So visits are
/// summed up by what they found, which is all that the likelihood depends on if the intervals are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct History {
    /// Number of visits that found it changed.
    pub changed: u32,
    /// Number of visits that found it unchanged.
    pub unchanged: u32,
    /// Seconds between these visits and the ones before, summed over the visits that found a change.
    pub changed_seconds: u64,
    /// The same for the visits that found no change.
    pub unchanged_seconds: u64,
}

impl History {
    /// Adds a visit `seconds` after the one before.
    pub fn note(&mut self, changed: bool, seconds: u64) {
        let (visits, exposure) = if changed {
            (&mut self.changed, &mut self.changed_seconds)
        } else {
            (&mut self.unchanged, &mut self.unchanged_seconds)
        };
        *visits = visits.saturating_add(1);
        *exposure = exposure.saturating_add(seconds);
    }

    /// Removes a visit that was added.
    pub fn forget(&mut self, changed: bool, seconds: u64) {
        let (visits, exposure) = if changed {
            (&mut self.changed, &mut self.changed_seconds)
        } else {
            (&mut self.unchanged, &mut self.unchanged_seconds)
        };
        *visits = visits.saturating_sub(1);
        *exposure = exposure.saturating_sub(seconds);
    }
}

/// A fetched page and its history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// The URL, canonical.
    pub url: Box<str>,
    /// The page that it was discovered on; `None` for a seed.
    pub via: Option<Box<str>>,
    /// Links between a seed and it.
    pub depth: u16,
    /// The round of the last visit: 0 for the first crawl, then one per recrawl.
    pub round: u32,
    /// Number of visits that were answered.
    pub visits: u32,
    /// When it was visited first.
    pub first: Instant,
    /// When it was visited last.
    pub last: Instant,
    /// Seconds between the last visit and the one before it; 0 if there was only one.
    pub waited: u64,
    /// When it was last found changed; `None` if it never was.
    pub changed: Option<Instant>,
    /// How it differed at the last visit; `None` for the first visit.
    pub difference: Option<Difference>,
    /// Whether it was gone at the last visit (404, 410).
    pub gone: bool,
    /// The results of its visits, except the first.
    pub history: History,
    /// Number of visits that found changed numbers only.
    pub numbers: u32,
    /// Its digests at the last visit.
    pub digests: PageDigests,
    /// The contents around the links of its lists, as encoded by `revisit::rows`.
    pub rows: Box<[u8]>,
    /// The `ETag` of the last response.
    pub etag: Option<Box<str>>,
    /// The `Last-Modified` of the last response, as written.
    pub modified: Option<Box<str>>,
    /// Its record in the archive; `None` if nothing is archived.
    pub archived: Option<ArchivedRecord>,
}

impl Visit {
    /// Returns the identifier of the page: its URL's fingerprint.
    pub fn page(&self) -> Fingerprint {
        Fingerprint::of(&self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_the_coarsest_digest_that_differs() {
        let page = PageDigests { gist: 1, text: 2, body: 3 };
        let other = |gist, text, body| PageDigests { gist, text, body }.differs_from(&page);
        assert_eq!(other(1, 2, 3), Difference::None);
        assert_eq!(other(1, 2, 4), Difference::Markup);
        assert_eq!(other(1, 9, 4), Difference::Numbers);
        assert_eq!(other(9, 9, 4), Difference::Content);
    }

    #[test]
    fn of_what_is_no_page_every_other_byte_is_content() {
        let file = PageDigests { body: 1, ..PageDigests::default() };
        assert_eq!(PageDigests { body: 2, ..file }.differs_from(&file), Difference::Content);
        assert_eq!(file.differs_from(&file), Difference::None);
    }

    #[test]
    fn a_history_keeps_what_was_found_after_how_long() {
        let mut history = History::default();
        for (changed, seconds) in [(true, 10), (false, 20), (true, 30)] {
            history.note(changed, seconds);
        }
        let expected = History { changed: 2, unchanged: 1, changed_seconds: 40, unchanged_seconds: 20 };
        assert_eq!(history, expected);
        history.forget(true, 30);
        history.forget(true, 10);
        assert_eq!(history, History { unchanged: 1, unchanged_seconds: 20, ..History::default() });
    }
}
