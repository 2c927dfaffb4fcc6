//! What a policy learns from: one value per fetch that has ended.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use harvestman_core::model::{
    Apath, ContentUnit, FormFacts, LeafPath, LinkClass, LinkPosition, PageText, PatternId, PolicyRefusal,
};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

use crate::search::{PageSearch, SearchReply};

/// What observations of pages must contain for a policy. What no policy needs is not collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Needs {
    /// The words that are shown.
    pub words: bool,
    /// The visible texts, as content units.
    pub units: bool,
    /// What the page shows, without numbers ([`PageFacts::gist`]).
    pub gist: bool,
    /// Every link, including those to known URLs.
    pub links: bool,
    /// The decoded page itself, to be parsed again when class names are chosen.
    pub body: bool,
    /// Not every fetch: some may be left out rather than hold up the crawl.
    pub gaps: bool,
    /// What stands around new links ([`NewLink::context`]).
    pub contexts: bool,
}

impl Needs {
    /// What both need.
    #[must_use]
    pub const fn together(self, other: Self) -> Self {
        Self {
            words: self.words || other.words,
            units: self.units || other.units,
            gist: self.gist || other.gist,
            links: self.links || other.links,
            body: self.body || other.body,
            gaps: self.gaps && other.gaps,
            contexts: self.contexts || other.contexts,
        }
    }
}

/// A fetch that has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Observation {
    /// The URL that was fetched.
    pub url: CanonicalUrl,
    /// The class that it was queued under.
    pub class: LinkClass,
    /// The page that it was discovered on.
    pub via: Option<Arc<str>>,
    /// The result.
    pub outcome: Outcome,
    /// New links on the page, which now wait.
    pub new: Vec<NewLink>,
}

/// The result of a fetch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Outcome {
    /// An HTML page.
    Page(Box<PageFacts>),
    /// A redirect; its target, if it was new, is the only new link.
    Redirected,
    /// A document that is no page: an image, a feed.
    Document,
    /// An error.
    Failed,
    /// The reply of a search; the results of an answer are the new links.
    Search(SearchReply),
}

/// What is known of a fetched page.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PageFacts {
    /// Its bag of leaf paths, as parsed for the snapshot of that moment.
    pub bag: Vec<LeafPath>,
    /// Its texts, if [`Needs::units`].
    pub units: Vec<ContentUnit>,
    /// Its words, if [`Needs::words`]. `None` where the policy's snapshot did not ask for those of this page
    /// ([`PolicySnapshot::reads_text`](crate::PolicySnapshot::reads_text)).
    pub text: Option<PageText>,
    /// Whether the crawl's validator accepts the page; `None` where there is none, or it cannot tell.
    pub accepted: Option<bool>,
    /// Hashes of what it shows, without numbers, if [`Needs::gist`]: equal on two pages that differ only in numbers,
    /// dates and identifiers.
    pub gist: Vec<u64>,
    /// What its forms contain.
    pub forms: FormFacts,
    /// All its links within the crawl's scope, if [`Needs::links`].
    pub links: Vec<PlacedLink>,
    /// Its decoded bytes with their content type, if [`Needs::body`].
    pub body: Option<(Bytes, Option<Box<str>>)>,
    /// What it says about a search of its site; `None` where the page was not looked at for that.
    pub search: Option<Box<PageSearch>>,
}

/// A page like those that are wanted.
#[derive(Debug, Clone)]
pub struct ExamplePage {
    /// The address of the page.
    pub url: CanonicalUrl,
    /// The page's facts, where it is available; they include its body unless the page is a seed of the crawl.
    pub facts: Option<PageFacts>,
}

/// A link with its place on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedLink {
    /// The place.
    pub apath: Apath,
    /// The target.
    pub url: Fingerprint,
    /// The finer pattern of its URL, where that was looked up: for each link if the policy rejects links by patterns.
    pub pattern: PatternId,
    /// Why the policy rejected it; `None` where it did not.
    pub refused: Option<PolicyRefusal>,
    /// Its position in the tree of the page.
    pub place: LinkPosition,
}

impl PlacedLink {
    /// A link that was not rejected and whose pattern was not looked up.
    pub const fn new(apath: Apath, url: Fingerprint) -> Self {
        let place = LinkPosition { parent: 0, grandparent: 0, image: false };
        Self { apath, url, pattern: PatternId::NONE, refused: None, place }
    }
}

/// A new link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewLink {
    /// The class that it waits under.
    pub class: LinkClass,
    /// The target.
    pub url: CanonicalUrl,
    /// What stands around it, as tokens ([`harvestman_structure::link_context`]), if [`Needs::contexts`].
    pub context: Box<[u32]>,
}

impl NewLink {
    /// A link without a context.
    pub fn new(class: LinkClass, url: CanonicalUrl) -> Self {
        Self { class, url, context: Box::default() }
    }
}

/// An address that a policy wants to try and that no page links to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The address, canonical.
    pub url: String,
    /// The page with the address that it extends; of a request to a search, its own address.
    pub via: String,
    /// What it is for.
    pub kind: ProposalKind,
}

/// What a proposed address is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalKind {
    /// It is derived from that of a page.
    Derived,
    /// A query to a search that a user named, which is sent before all else, wherever the search is.
    Query,
    /// A request to a site's own search, within the crawl's scope, which is sent before all else.
    OwnSearch,
    /// The same, but sent after all else.
    OwnSearchLast,
}

impl Proposal {
    /// An address derived from that of a page.
    pub const fn derived(url: String, via: String) -> Self {
        Self { url, via, kind: ProposalKind::Derived }
    }

    /// The address of a query to a search that a user named.
    pub fn search(url: &str) -> Self {
        Self { url: url.to_owned(), via: url.to_owned(), kind: ProposalKind::Query }
    }

    /// The address of a request to a site's own search, which is sent before all else, or after it.
    pub fn own_search(url: &str, is_last: bool) -> Self {
        let kind = if is_last { ProposalKind::OwnSearchLast } else { ProposalKind::OwnSearch };
        Self { kind, ..Self::search(url) }
    }

    /// Returns whether it is a request to a search.
    pub fn is_query(&self) -> bool {
        self.kind != ProposalKind::Derived
    }
}
