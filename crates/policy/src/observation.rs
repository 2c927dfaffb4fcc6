//! What a policy learns from: one value for each fetch that has ended.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use harvestman_core::model::{Apath, ContentUnit, FormFacts, LeafPath, LinkClass, PatternId, PolicyRefusal};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

/// What a policy wants to be told of each page. What nobody asked for is not collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Needs {
    /// The shown texts, as content units.
    pub units: bool,
    /// What is shown, numbers left out ([`PageFacts::gist`]).
    pub gist: bool,
    /// Every link, also those to URLs that were known.
    pub links: bool,
    /// The page itself, decoded, to be read again when class names are chosen.
    pub body: bool,
}

/// A fetch that has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Observation {
    /// What was fetched.
    pub url: CanonicalUrl,
    /// The class that it was queued under.
    pub class: LinkClass,
    /// The page that it was discovered on.
    pub via: Option<Arc<str>>,
    /// What came.
    pub outcome: Outcome,
    /// Links on it that were new and are now waiting.
    pub new: Vec<NewLink>,
}

/// What came of a fetch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Outcome {
    /// An HTML page.
    Page(Box<PageFacts>),
    /// A redirect; its target, where it was new, is the one new link.
    Redirected,
    /// A document that is no page: an image, a feed.
    Document,
    /// An error.
    Failed,
}

/// What is known of a fetched page.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PageFacts {
    /// Its bag of leaf paths, as the snapshot of the moment had it read.
    pub bag: Vec<LeafPath>,
    /// Its texts, if [`Needs::units`].
    pub units: Vec<ContentUnit>,
    /// What it shows, numbers left out, as hashes, if [`Needs::gist`]: the same on two pages that differ in nothing but numbers,
    /// dates and identifiers.
    pub gist: Vec<u64>,
    /// What its forms hold.
    pub forms: FormFacts,
    /// All its links within the crawl's scope, if [`Needs::links`].
    pub links: Vec<PlacedLink>,
    /// Its decoded bytes with their content type, if [`Needs::body`].
    pub body: Option<(Bytes, Option<Box<str>>)>,
}

/// A link with its place on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedLink {
    /// The place.
    pub apath: Apath,
    /// Where it leads.
    pub url: Fingerprint,
    /// The finer pattern of its URL, where that was looked at.
    pub pattern: PatternId,
    /// Why it was refused by what the policy has learnt; none where it was not.
    pub refused: Option<PolicyRefusal>,
}

impl PlacedLink {
    /// A link that was not refused, and whose pattern was not looked at.
    pub const fn new(apath: Apath, url: Fingerprint) -> Self {
        Self { apath, url, pattern: PatternId::NONE, refused: None }
    }
}

/// A link that was new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewLink {
    /// The class that it waits under.
    pub class: LinkClass,
    /// Where it leads.
    pub url: CanonicalUrl,
}

/// An address that a policy derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The address, canonical.
    pub url: String,
    /// The page on which the address stood that it extends.
    pub via: String,
}
