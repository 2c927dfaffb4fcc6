//! The answer of `harvestman inspect render`, as it is printed as JSON.

use serde::Serialize;

use super::loading::Loaded;
use super::verdict::{Judgement, Verdict, described};
use harvestman_core::model::PageRecord;
use harvestman_pipeline::{RenderTrial, RenderedTrial};
use harvestman_render::{ActionNote, RequestNote};

/// What rendering adds to a page.
#[derive(Debug, Serialize)]
pub(super) struct RenderAnswer {
    /// The URL of the page.
    pub(super) url: String,
    /// URLs that redirected to it, in order.
    pub(super) redirected_from: Vec<String>,
    /// Whether rendering pays.
    pub(super) verdict: Verdict,
    /// Why.
    pub(super) reason: String,
    /// What to do next: commands and remarks.
    pub(super) next: Vec<String>,
    /// The page as the server sent it; absent if it was not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plain: Option<PlainFacts>,
    /// The page after its scripts ran; absent if it was not rendered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rendered: Option<RenderedFacts>,
}

/// The page as the server sent it.
#[derive(Debug, Serialize)]
pub(super) struct PlainFacts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content_type: Option<String>,
    /// Size of the body, without content coding if the page was to be rendered.
    pub(super) bytes: u64,
    /// Number of links within the scope, each once; absent if the page was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) links: Option<usize>,
    /// Number of words of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) words: Option<usize>,
}

/// The page after its scripts ran.
#[derive(Debug, Serialize)]
pub(super) struct RenderedFacts {
    pub(super) bytes: u64,
    pub(super) links: usize,
    pub(super) words: usize,
    /// Whether the page became quiet within its time.
    pub(super) settled: bool,
    /// Number of links that the plain page has too.
    pub(super) links_common: usize,
    /// Links that only the rendered page has.
    pub(super) links_added: Vec<String>,
    /// Links that only the plain page has.
    pub(super) links_missing: Vec<String>,
    /// Number of words in `lines_added`.
    pub(super) words_added: usize,
    /// Lines of text that only the rendered page has.
    pub(super) lines_added: Vec<String>,
    /// The requests of the page, in the order of their answers.
    pub(super) requests: Vec<RequestFacts>,
    /// The elements that were clicked.
    pub(super) clicks: Vec<ClickFacts>,
}

/// A request of the page.
#[derive(Debug, Serialize)]
pub(super) struct RequestFacts {
    pub(super) method: String,
    pub(super) url: String,
    /// The status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    /// Why it was refused, as in the labels of metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<&'static str>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<&'static str>,
}

/// Clicks on the elements of one path.
#[derive(Debug, Serialize)]
pub(super) struct ClickFacts {
    pub(super) path: String,
    pub(super) clicks: u32,
    /// Links and words that came.
    pub(super) links: u32,
    pub(super) words: u32,
    /// Number of clicks that led to another page.
    pub(super) navigations: u32,
}

impl RenderAnswer {
    /// Assembles the answer.
    pub(super) fn of(loaded: &Loaded) -> Self {
        let trial = loaded.trial.as_ref();
        let logged = loaded.page().map(|page| page.url.as_str());
        let url = trial.map(|trial| trial.url.as_str()).or(logged).unwrap_or(loaded.asked.as_str());
        let judgement = match trial.map(|trial| &trial.result) {
            Some(Ok(rendered)) => Judgement::of_rendered(url, rendered),
            Some(Err(why)) => Judgement::of_failure(url, why),
            None => Judgement::of_unrendered(loaded.page()),
        };
        let Judgement { verdict, reason, next } = judgement;
        let before = loaded.steps.iter().map(|step| &step.url).filter(|step| *step != url).cloned();
        let rendered = trial.and_then(|trial| trial.result.as_ref().ok()).map(RenderedFacts::of);
        let (url, redirected_from) = (url.to_owned(), before.collect());
        Self { url, redirected_from, verdict, reason, next, plain: PlainFacts::of(loaded), rendered }
    }
}

impl PlainFacts {
    fn of(loaded: &Loaded) -> Option<Self> {
        loaded.trial.as_ref().map(Self::of_trial).or_else(|| loaded.page().and_then(Self::of_logged))
    }

    /// The facts of a page that was read. It is not in the page log if a budget cut it short.
    fn of_trial(RenderTrial { status, content_type, plain, .. }: &RenderTrial) -> Self {
        Self {
            status: Some(*status),
            content_type: content_type.clone(),
            bytes: plain.bytes as u64,
            links: Some(plain.links.len()),
            words: Some(plain.words()),
        }
    }

    /// The facts of any other page; `None` if it was not requested.
    fn of_logged(page: &PageRecord) -> Option<Self> {
        let (status, content_type) = (page.status, page.content_type.clone());
        page.time.is_some().then_some(Self { status, content_type, bytes: page.bytes, links: None, words: None })
    }
}

impl RenderedFacts {
    fn of(RenderedTrial { page, content, difference, .. }: &RenderedTrial) -> Self {
        Self {
            bytes: content.bytes as u64,
            links: content.links.len(),
            words: content.words(),
            settled: page.is_settled,
            links_common: difference.links_common,
            links_added: difference.links_added.clone(),
            links_missing: difference.links_missing.clone(),
            words_added: difference.words_added,
            lines_added: difference.lines_added.clone(),
            requests: page.requests.iter().map(RequestFacts::of).collect(),
            clicks: page.actions.iter().map(ClickFacts::of).collect(),
        }
    }
}

impl RequestFacts {
    fn of(RequestNote { request, outcome, .. }: &RequestNote) -> Self {
        let refusal = outcome.err();
        Self {
            method: request.method.clone(),
            url: request.url.clone(),
            status: outcome.ok(),
            refused: refusal.map(|refusal| refusal.label()),
            why: refusal.map(described),
        }
    }
}

impl ClickFacts {
    fn of(ActionNote { path, clicks, gain, navigations }: &ActionNote) -> Self {
        let (links, words) = (gain.links, gain.words);
        Self { path: path.clone(), clicks: *clicks, links, words, navigations: *navigations }
    }
}
