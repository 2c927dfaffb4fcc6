//! What is known of a page from the visits to it: enough to ask again whether it has changed, and to judge how often it does.

use serde::{Deserialize, Serialize};

use crate::clock::Instant;
use crate::url::Fingerprint;

/// What a page was at one visit, as hashes, from coarse to fine. Two visits that agree in one agree in all that are coarser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageDigests {
    /// Of its images and texts, numbers, dates and identifiers left out; 0 where it was not parsed.
    pub gist: u64,
    /// Of its texts as written; 0 where it was not parsed.
    pub text: u64,
    /// Of its body's bytes.
    pub body: u64,
}

/// How a page differs from what it was at the visit before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Difference {
    /// In nothing: the server says so, or its bytes are the same.
    None,
    /// In markup alone: it shows the same.
    Markup,
    /// In numbers, dates or identifiers: a clock, a counter, or a new number of replies.
    Numbers,
    /// In what it says or shows.
    Content,
}

impl Difference {
    /// Its name in the page log.
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
    /// How a page that is this now differs from what it was `before`.
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

/// Where the archive has the page's last whole response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedRecord {
    /// The URL that the record names, where it is another one.
    pub url: Option<Box<str>>,
    /// Its date.
    pub date: Instant,
    /// Its id: the bytes of a UUID.
    pub id: [u8; 16],
    /// The digest of its payload as it stands in the record.
    pub payload: Box<str>,
}

/// How often a page was found changed, and over which times: what an estimate of its rate of change needs.
///
/// A visit that finds a change says that one or more changes fell between it and the visit before; so the visits are put together by
/// what they found, which is all that the likelihood depends on where the intervals are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct History {
    /// Visits that found it changed.
    pub changed: u32,
    /// Visits that found it unchanged.
    pub unchanged: u32,
    /// Seconds before the former, from visit to visit.
    pub changed_seconds: u64,
    /// Seconds before the latter.
    pub unchanged_seconds: u64,
}

impl History {
    /// Notes a visit `seconds` after the one before.
    pub fn note(&mut self, changed: bool, seconds: u64) {
        let (visits, exposure) = if changed {
            (&mut self.changed, &mut self.changed_seconds)
        } else {
            (&mut self.unchanged, &mut self.unchanged_seconds)
        };
        *visits = visits.saturating_add(1);
        *exposure = exposure.saturating_add(seconds);
    }

    /// Takes a visit back that was noted.
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

/// A page that was fetched, and what was seen of it over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// The URL, canonical.
    pub url: Box<str>,
    /// The page that it was discovered on; none for a seed.
    pub via: Option<Box<str>>,
    /// Links between a seed and it.
    pub depth: u16,
    /// The round of the last visit: 0 the first crawl, then a recrawl each.
    pub round: u32,
    /// Visits that were answered.
    pub visits: u32,
    /// When it was visited first.
    pub first: Instant,
    /// When it was visited last.
    pub last: Instant,
    /// Seconds between the last visit and the one before it; 0 where there was one only.
    pub waited: u64,
    /// When it was last found changed; none where it never was.
    pub changed: Option<Instant>,
    /// How it differed at the last visit; none at the first.
    pub difference: Option<Difference>,
    /// Whether it was gone at the last visit (404, 410).
    pub gone: bool,
    /// What its visits found, the first left aside.
    pub history: History,
    /// Visits among those that found it changed which found other numbers alone.
    pub numbers: u32,
    /// What it was.
    pub digests: PageDigests,
    /// What stands around the links of its lists, as `revisit::rows` keeps it.
    pub rows: Box<[u8]>,
    /// The `ETag` it came with.
    pub etag: Option<Box<str>>,
    /// The `Last-Modified` it came with, as written.
    pub modified: Option<Box<str>>,
    /// Where the archive has it; none where nothing is archived.
    pub archived: Option<ArchivedRecord>,
}

impl Visit {
    /// The name of the page: its URL's fingerprint.
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
