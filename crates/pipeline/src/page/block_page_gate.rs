//! Answers that are perhaps block pages or soft 404s: they wait for other pages of their host, or are requested again.

use std::time::Duration;

use crate::page::document::Document;
use crate::page::gate::{Feature, Gate};
use crate::page::page_in_work::{Arrival, Content, PageInWork, Verdict};
use crate::page::page_processor::{PageProcessor, decoded};
use crate::page::page_result::{PageNotes, PageResult};
use crate::page::substitutes::{Asked, Substitutes, substitute_label, waits};
use crate::page::suspects::Suspects;
use crate::page::worker_tools::WorkerTools;
use harvestman_core::held_pages::PutBackReason;
use harvestman_core::model::{Failure, Fate, FetchedPage, ParsedPage};
use harvestman_stages::host::ContentReport;
use harvestman_structure::substitutes::{AnswerContent, Judgement, PathSet};

/// How long a URL waits whose answer was not what was asked for.
const SUSPECT_PAUSE: Duration = Duration::from_secs(2);

/// Compares the answers of each host.
pub(crate) struct BlockPageGate {
    substitutes: Substitutes,
    suspects: Suspects,
}

impl BlockPageGate {
    pub(crate) fn new(suspects: Suspects) -> Self {
        Self { substitutes: Substitutes::new(), suspects }
    }

    /// Judges what a page shows.
    fn judge_page(
        &self,
        processor: &PageProcessor,
        asked: Asked<'_>,
        parsed: &ParsedPage,
        status: u16,
        document: Document<'_>,
    ) -> Judgement {
        let paths = || PathSet::of(&parsed.leaf_paths);
        // Few pages are a surprise: only of these the content is collected.
        let content = || {
            let words = parsed.text.is_empty().then(|| processor.words(document));
            let text = words.as_ref().map_or(&parsed.text, |words| &words.text);
            let links = parsed.groups.iter().flat_map(|group| &group.links).map(|link| parsed.href(link));
            AnswerContent::of(status, paths(), text).map(|content| content.leading_to(links))
        };
        self.substitutes.page(asked, paths(), content)
    }

    /// Archives an answer that is not taken for what was asked for, and returns its URL to the frontier. If the host
    /// blocks the crawl, it is paused.
    fn ask_again(tools: &mut WorkerTools, page: FetchedPage, result: &PageResult) {
        let FetchedPage { lease, exchange } = &page;
        let kind = substitute_label(result.judgement).unwrap_or_default();
        tools.context.metrics.parse.substitutes.by(kind).inc();
        tracing::debug!(url = lease.item.url.as_str(), kind, "the answer is not taken for the page");
        tools.context.put_backs.count(PutBackReason::BlockPage, lease.item.url.fingerprint());
        if result.judgement == Judgement::Blocked {
            tools.context.handles.hosts.report_content(lease.item.url.host_key(), ContentReport::BlockPage);
        }
        tools.archive_alone(exchange, &lease.item, &result.archived_facts());
        tools.put_back(page, SUSPECT_PAUSE);
    }
}

impl Gate for BlockPageGate {
    fn feature(&self) -> Feature {
        Feature::BlockPages
    }

    fn judge(&self, processor: &mut PageProcessor, page: &mut PageInWork) -> Verdict {
        let FetchedPage { lease, exchange } = &page.fetched;
        let Ok(answer) = &exchange.result else { return Verdict::Pass };
        let has_waited = matches!(page.arrival, Arrival::Suspects);
        let asked = Asked { item: &lease.item, at: exchange.timings.started, has_waited };
        let judgement = match &page.content {
            Content::Error(_) => {
                self.substitutes.error(asked, answer, || decoded(answer, processor.rules()).bytes.to_vec())
            }
            Content::Redirect(location) => self.substitutes.redirect(asked, location),
            Content::Page(parsed) if page.arrival.completed().is_none() => {
                let document = parsed.body.shown(&page.arrival, answer);
                self.judge_page(processor, asked, &parsed.parsed, answer.status, document)
            }
            _ => return Verdict::Pass,
        };
        page.result.judgement = judgement;
        if matches!(judgement, Judgement::Own | Judgement::Lifted) {
            return Verdict::Pass;
        }
        let otherwise = match &page.content {
            Content::Error(status) => Fate::Failed(Failure::Http(*status)),
            Content::Redirect(_) => Fate::Redirected,
            _ => Fate::Fetched,
        };
        let title = if let Content::Page(parsed) = &mut page.content { parsed.parsed.title.take() } else { None };
        let notes = PageNotes { title, ..PageNotes::default() };
        page.settle(PageResult { notes, ..PageResult::substitute(judgement, otherwise) });
        if waits(judgement) && page.arrival.may_be_held() { Verdict::Hold } else { Verdict::Settled }
    }

    /// Has an answer wait that may be a substitute, until other pages of its host show what it is. If it is one, or
    /// cannot wait, its URL is requested again.
    fn hold(&self, tools: &mut WorkerTools, page: PageInWork) -> Option<PageInWork> {
        let PageInWork { fetched, arrival, result, .. } = page;
        if matches!(arrival, Arrival::Suspects) || result.judgement != Judgement::Suspect {
            Self::ask_again(tools, fetched, &result);
            return None;
        }
        match self.suspects.hold(Box::new(fetched), tools.context.clock.now()) {
            Ok(()) => {
                let kind = substitute_label(result.judgement).unwrap_or_default();
                tools.context.metrics.parse.substitutes.by(kind).inc();
            }
            Err(refused) => Self::ask_again(tools, *refused, &result),
        }
        None
    }

    /// Tells the answers of the same host that wait what this one is.
    fn was_read(&self, page: &PageInWork) {
        let origin = page.item().url.origin();
        match page.result.judgement {
            Judgement::Absent | Judgement::Blocked => self.suspects.decided(origin),
            Judgement::Own | Judgement::Lifted | Judgement::Suspect => self.suspects.page(origin),
        }
    }
}
