//! The result of a page: its fate, and what it led to.

use harvestman_core::model::{
    Fate, PageCluster, PageDigests, PageElement, PageTree, Reading, ScheduledUrl, Signal, StatementRecord, Unread,
};
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::search::SearchReply;
use harvestman_policy::{NewLink, Observation, Outcome, PageFacts};
use harvestman_stages::revisit::RowMark;
use harvestman_storage::archive;
use harvestman_structure::substitutes::Judgement;

use crate::page::link_filter::LinkFindings;
use crate::page::substitutes::{fate_of, substitute_label};
use crate::rendering::RenderClass;

/// A processed page: its fate, and what it led to.
pub(crate) struct PageResult {
    pub(crate) fate: Fate,
    /// What the answer is; if it is suspect or blocked, nothing else counts.
    pub(crate) judgement: Judgement,
    pub(crate) links: LinkFindings,
    /// What is noted of it in the page log and in the archive.
    pub(crate) notes: PageNotes,
    /// What the policy learns from it.
    pub(crate) policy: PolicyFindings,
    /// What is compared with other visits.
    pub(crate) revisit: RevisitFindings,
    /// What it states about the use of its content.
    pub(crate) statements: StatementFindings,
    /// The elements and texts of the answer, if they are recorded.
    pub(crate) tree: Option<PageTree>,
}

/// What is noted of a page.
#[derive(Default)]
pub(crate) struct PageNotes {
    pub(crate) title: Option<String>,
    /// The number of links on the page; `None` if it was not parsed.
    pub(crate) links: Option<u32>,
    pub(crate) redirect_to: Option<CanonicalUrl>,
    pub(crate) cluster: PageCluster,
    /// The class by which it was decided whether it is rendered.
    pub(crate) render_class: Option<RenderClass>,
    /// Whether the reading of its posts was given up.
    pub(crate) is_given_up: bool,
    /// How its markup was read.
    pub(crate) reading: Reading,
    /// Why the body was not read, or not to its end.
    pub(crate) unread: Option<Unread>,
}

/// What the policy learns from a page.
#[derive(Default)]
pub(crate) struct PolicyFindings {
    /// The facts about the page; `None` if it was not an HTML page.
    pub(crate) facts: Option<PageFacts>,
    /// The reply of a search, if it is one.
    pub(crate) reply: Option<SearchReply>,
}

/// What is compared with other visits to a page.
#[derive(Default)]
pub(crate) struct RevisitFindings {
    /// The digests of the page; `None` if it was not parsed, or digests are not computed.
    pub(crate) digests: Option<PageDigests>,
    /// Its links and the texts around them, if digests are computed.
    pub(crate) rows: Vec<RowMark>,
}

/// What a page states about the use of its content.
#[derive(Default)]
pub(crate) struct StatementFindings {
    /// The elements of the page that state something.
    pub(crate) stated: Vec<PageElement>,
    /// What the site and the page state, with what was done because of it.
    pub(crate) records: Vec<StatementRecord>,
    /// The signal because of which the answer is not kept.
    pub(crate) not_kept: Option<Signal>,
}

impl PageResult {
    /// Creates the result of a page that led to nothing.
    pub(crate) fn of(fate: Fate) -> Self {
        Self {
            fate,
            judgement: Judgement::Own,
            links: LinkFindings::default(),
            notes: PageNotes::default(),
            policy: PolicyFindings::default(),
            revisit: RevisitFindings::default(),
            statements: StatementFindings::default(),
            tree: None,
        }
    }

    /// Returns the result of an answer that is not taken for what was asked for; `otherwise` is its fate if that is
    /// final.
    pub(crate) fn substitute(judgement: Judgement, otherwise: Fate) -> Self {
        Self { judgement, ..Self::of(fate_of(judgement).unwrap_or(otherwise)) }
    }

    /// Returns the facts for the archive.
    pub(crate) fn archived_facts(&self) -> archive::PageFacts<'_> {
        archive::PageFacts {
            title: self.notes.title.as_deref(),
            links: self.notes.links,
            rendered: None,
            substitute: substitute_label(self.judgement),
            statements: &self.statements.records,
            not_kept: self.statements.not_kept,
        }
    }
}

/// Returns the policy's observation of a finished fetch.
pub(crate) fn observation(item: &ScheduledUrl, result: &mut PageResult) -> Observation {
    let PageResult { fate, policy, links, .. } = result;
    let of_page = || match (*fate, policy.facts.take()) {
        (_, Some(facts)) => Outcome::Page(Box::new(facts)),
        (Fate::Redirected, None) => Outcome::Redirected,
        (Fate::Fetched | Fate::NotKept(_) | Fate::UnwantedType, None) => Outcome::Document,
        (_, None) => Outcome::Failed,
    };
    let outcome = policy.reply.take().map_or_else(of_page, Outcome::Search);
    // Links to hosts of other nodes are new as far as this node knows.
    let new = links.found.accepted.iter().chain(&links.found.foreign);
    let mut contexts = std::mem::take(&mut links.contexts).into_iter();
    let mut context = || contexts.next().unwrap_or_default();
    let new = new.map(|link| NewLink { class: link.class, url: link.url.clone(), context: context() }).collect();
    Observation { url: item.url.clone(), class: item.class, via: item.via.clone(), outcome, new }
}
