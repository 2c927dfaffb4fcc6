//! Encoding of notes, and their order.

use serde::{Deserialize, Serialize};

use harvestman_core::model::ProgressRecord;
use harvestman_core::url::HostKey;

/// A note as it is encoded.
#[derive(Serialize, Deserialize)]
pub(super) enum WireNote<'a> {
    Admitted(&'a str, u64),
    SitemapFound(&'a str, u32),
    SitemapRead(&'a str),
    Robots(&'a str, &'a [u8]),
}

impl<'a> From<&'a ProgressRecord> for WireNote<'a> {
    fn from(note: &'a ProgressRecord) -> Self {
        match note {
            ProgressRecord::Admitted(host, count) => Self::Admitted(host.as_str(), *count),
            ProgressRecord::SitemapFound(url, nesting) => Self::SitemapFound(url, *nesting),
            ProgressRecord::SitemapRead(url) => Self::SitemapRead(url),
            ProgressRecord::Robots(host, record) => Self::Robots(host.as_str(), record),
        }
    }
}

impl From<WireNote<'_>> for ProgressRecord {
    fn from(noted: WireNote<'_>) -> Self {
        match noted {
            WireNote::Admitted(host, count) => Self::Admitted(HostKey::from_origin(host), count),
            WireNote::SitemapFound(url, nesting) => Self::SitemapFound(url.to_owned(), nesting),
            WireNote::SitemapRead(url) => Self::SitemapRead(url.to_owned()),
            WireNote::Robots(host, record) => Self::Robots(HostKey::from_origin(host), record.to_vec()),
        }
    }
}

/// The key of a note: its kind, and the host or URL that it names. A later note with the same key replaces it.
///
/// Kinds are in the order in which they may become visible. A sitemap that was found is recorded nowhere else, so it
/// comes before the notes that say that its source (robots.txt or a sitemap index) need not be read again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NoteKey {
    /// A sitemap that an index named.
    SitemapFound(String),
    /// The URL count of a host.
    Admitted(HostKey),
    /// The robots.txt of a host.
    Robots(HostKey),
    /// A sitemap that was read.
    SitemapRead(String),
}

impl NoteKey {
    /// Returns the key of a note.
    pub(crate) fn of(note: &ProgressRecord) -> Self {
        match note {
            ProgressRecord::SitemapFound(url, _) => Self::SitemapFound(url.clone()),
            ProgressRecord::Admitted(host, _) => Self::Admitted(host.clone()),
            ProgressRecord::Robots(host, _) => Self::Robots(host.clone()),
            ProgressRecord::SitemapRead(url) => Self::SitemapRead(url.clone()),
        }
    }

    /// Returns the host that the note is about.
    pub(crate) fn host(&self) -> HostKey {
        match self {
            Self::Admitted(host) | Self::Robots(host) => host.clone(),
            Self::SitemapFound(url) | Self::SitemapRead(url) => {
                HostKey::from_origin(harvestman_core::url::origin_of(url))
            }
        }
    }

    /// Returns the position of the note's kind in the order.
    pub(super) const fn rank(note: &ProgressRecord) -> u8 {
        match note {
            ProgressRecord::SitemapFound(..) => 0,
            ProgressRecord::Admitted(..) => 1,
            ProgressRecord::Robots(..) => 2,
            ProgressRecord::SitemapRead(..) => 3,
        }
    }
}
