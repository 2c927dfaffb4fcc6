//! The result of a page: its fate, and what it led to.

use harvestman_core::model::{
    Fate, PageCluster, PageDigests, PageElement, PageTree, Reading, ScheduledUrl, Signal, StatementRecord, Unread,
};
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::search::SearchReply;
use harvestman_policy::{NewLink, Observation, Outcome, PageFacts};
use harvestman_stages::frontier::DiscoveredLinks;
use harvestman_stages::revisit::RowMark;
use harvestman_storage::archive;
use harvestman_structure::substitutes::Judgement;

use crate::page::link_filter::JudgedLinks;
use crate::page::substitutes::{fate_of, substitute_label};
use crate::rendering::{RenderClass, RenderPlace, ToRender};

/// A processed page: its fate, and what it led to.
pub(crate) struct PageResult {
    pub(crate) fate: Fate,
    pub(crate) found: DiscoveredLinks,
    pub(crate) title: Option<String>,
    /// The number of links on the page; `None` if it was not parsed.
    pub(crate) links: Option<u32>,
    pub(crate) redirect_to: Option<CanonicalUrl>,
    /// The reply of a search, if it is one.
    pub(crate) answer: Option<SearchReply>,
    /// The facts about the page for the policy; `None` if it was not an HTML page.
    pub(crate) facts: Option<PageFacts>,
    /// The cluster of the page.
    pub(crate) cluster: PageCluster,
    /// The digests of the page; `None` if it was not parsed, or digests are not computed.
    pub(crate) digests: Option<PageDigests>,
    /// Its links and the texts around them, if digests are computed.
    pub(crate) rows: Vec<RowMark>,
    /// What stands around its new links, first the accepted, then those for other nodes; empty if the policy does not
    /// need it.
    pub(crate) contexts: Vec<Box<[u32]>>,
    /// Its links with what was decided about them, if that is wanted.
    pub(crate) judged: JudgedLinks,
    /// If the page is to be rendered before anything is done with it: its class, and where.
    pub(crate) to_render: Option<(ToRender, RenderPlace)>,
    /// The class by which that was decided.
    pub(crate) render_class: Option<RenderClass>,
    /// The elements and texts of the answer, if they are recorded.
    pub(crate) tree: Option<PageTree>,
    /// Whether the reading of its posts was given up.
    pub(crate) is_given_up: bool,
    /// How its markup was read.
    pub(crate) reading: Reading,
    /// What the answer is; if it is suspect or blocked, nothing else counts.
    pub(crate) judgement: Judgement,
    /// The elements of the page that state something about the use of its content.
    pub(crate) stated: Vec<PageElement>,
    /// What the site and the page state, with what was done because of it.
    pub(crate) statements: Vec<StatementRecord>,
    /// The signal because of which the answer is not kept.
    pub(crate) not_kept: Option<Signal>,
    /// Why the body was not read, or not to its end.
    pub(crate) unread: Option<Unread>,
}

impl PageResult {
    /// Creates the result of a page that led to nothing.
    pub(crate) fn of(fate: Fate) -> Self {
        Self {
            fate,
            found: DiscoveredLinks::default(),
            title: None,
            links: None,
            redirect_to: None,
            answer: None,
            facts: None,
            digests: None,
            rows: Vec::new(),
            contexts: Vec::new(),
            cluster: PageCluster::default(),
            judged: JudgedLinks::default(),
            to_render: None,
            render_class: None,
            tree: None,
            is_given_up: false,
            reading: Reading::default(),
            judgement: Judgement::Own,
            stated: Vec::new(),
            statements: Vec::new(),
            not_kept: None,
            unread: None,
        }
    }

    /// Returns the result of an answer that is not taken for what was asked for; `otherwise` is its fate if that is final.
    pub(super) fn substitute(judgement: Judgement, otherwise: Fate) -> Self {
        Self { judgement, ..Self::of(fate_of(judgement).unwrap_or(otherwise)) }
    }

    /// Returns the facts for the archive.
    pub(crate) fn notes(&self) -> archive::PageFacts<'_> {
        archive::PageFacts {
            title: self.title.as_deref(),
            links: self.links,
            rendered: None,
            substitute: substitute_label(self.judgement),
            statements: &self.statements,
            not_kept: self.not_kept,
        }
    }
}

/// Returns the policy's observation of a finished fetch.
pub(crate) fn observation(item: &ScheduledUrl, result: &mut PageResult) -> Observation {
    let of_page = || match (result.fate, result.facts.take()) {
        (_, Some(facts)) => Outcome::Page(Box::new(facts)),
        (Fate::Redirected, None) => Outcome::Redirected,
        (Fate::Fetched | Fate::NotKept(_) | Fate::UnwantedType, None) => Outcome::Document,
        (_, None) => Outcome::Failed,
    };
    let outcome = result.answer.take().map_or_else(of_page, Outcome::Search);
    // Links to hosts of other nodes are new as far as this node knows.
    let new = result.found.accepted.iter().chain(&result.found.foreign);
    let mut contexts = std::mem::take(&mut result.contexts).into_iter();
    let mut context = || contexts.next().unwrap_or_default();
    let new = new.map(|link| NewLink { class: link.class, url: link.url.clone(), context: context() }).collect();
    Observation { url: item.url.clone(), class: item.class, via: item.via.clone(), outcome, new }
}
