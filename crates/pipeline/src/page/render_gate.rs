//! Pages that may need a browser: which go there, and what follows when they return.

use std::sync::Arc;

use crate::page::document::Document;
use crate::page::gate::{Feature, Gate};
use crate::page::page_in_work::{Arrival, Completion, Content, PageInWork, Verdict};
use crate::page::page_processor::{PageProcessor, decoded};
use crate::page::worker_tools::WorkerTools;
use crate::rendering::{
    Gained, PageToRender, RenderClass, RenderOutcome, RenderProgress, RenderQueue, RenderRole, Renders, ToRender,
};
use crate::search::searches::visible_text;
use harvestman_core::model::{Apath, FetchedPage, MediaType, ScheduledUrl};
use harvestman_core::url::origin_of;
use harvestman_render::replay::{Sample, predicted_page};
use harvestman_render::{RenderedPage, Suspicion, has_hints, script_form};

/// Sends the pages to the browsers that may need one, and learns from those that return.
pub(crate) struct RenderGate {
    pub(crate) rules: Arc<Renders>,
    pub(crate) queue: RenderQueue,
}

/// Takes the pages back that return from the browsers.
pub(crate) struct RenderReturn(pub(crate) Arc<Renders>);

impl Gate for RenderReturn {
    fn feature(&self) -> Feature {
        Feature::BrowserReturn
    }

    /// Puts pages back whose content may be missing because the crawl ends, or because their host goes to another node:
    /// the next run or that node fetches them again.
    fn judge(&self, processor: &mut PageProcessor, page: &mut PageInWork) -> Verdict {
        let Arrival::Browsers(Completion { class, is_begun, outcome }) = &page.arrival else {
            return Verdict::Pass;
        };
        let item = page.item();
        // A host that leaves this node gets no requests any more: its page is incomplete.
        let leaves = |page: &RenderedPage| page.is_incomplete() && !processor.holds(item);
        if outcome.page().is_some_and(|page| page.is_cut_short() || leaves(page)) {
            self.0.withdraw(*class);
            return Verdict::PutBack;
        }
        if *is_begun {
            self.0.ended(*class, outcome);
        }
        if let RenderOutcome::Failed(why) = outcome {
            tracing::debug!(url = item.url.as_str(), %why, "the page is not rendered");
        }
        Verdict::Pass
    }
}

impl Gate for RenderGate {
    fn feature(&self) -> Feature {
        Feature::Browsers
    }

    fn judge(&self, processor: &mut PageProcessor, page: &mut PageInWork) -> Verdict {
        match &page.arrival {
            Arrival::Browsers(Completion { class, outcome: RenderOutcome::Rendered(rendered), .. }) => {
                self.learn(processor, &page.fetched, *class, rendered);
                Verdict::Pass
            }
            // A browser adds nothing to a feed.
            arrival if arrival.may_be_held() && page.item().class.apath != Apath::FEED => self.admit(page),
            _ => Verdict::Pass,
        }
    }

    /// Sends a page to the browsers. Returns it if they are gone.
    fn hold(&self, _: &mut WorkerTools, page: PageInWork) -> Option<PageInWork> {
        let to_render = if let Content::Page(parsed) = &page.content { parsed.to_render } else { None };
        let Some(ToRender { class, suspicion }) = to_render else { return Some(page) };
        let PageInWork { fetched, started, .. } = page;
        let role = if self.rules.is_retested(class) { RenderRole::Retest } else { RenderRole::Member };
        let waiting = PageToRender { fetched, class, suspicion, role, progress: RenderProgress::Waiting };
        let refused = self.queue.send(Box::new(waiting)).err()?;
        Some(PageInWork::new(refused.fetched, Arrival::NoBrowsers(class), started))
    }
}

impl RenderGate {
    /// Decides whether an HTML page waits to be rendered.
    fn admit(&self, page: &mut PageInWork) -> Verdict {
        let FetchedPage { lease, exchange } = &page.fetched;
        let (Content::Page(parsed), Ok(answer)) = (&mut page.content, &exchange.result) else { return Verdict::Pass };
        if parsed.body.media != MediaType::Html {
            return Verdict::Pass;
        }
        let (item, body, content_type) = (&lease.item, &*parsed.body.bytes, answer.content_type());
        let suspicion = Suspicion::of(body, parsed.parsed.link_count(), || word_count(body, content_type));
        let form = if suspicion == Suspicion::None { 0 } else { script_form(body) };
        let class = RenderClass::of(&item.url, form);
        let has_hints = || has_hints(body, origin_of(item.url.as_str()));
        let to_render = ToRender { class, suspicion: self.rules.suspicion(class, suspicion, has_hints) };
        if self.rules.admits(to_render, item.url.as_str()) {
            parsed.to_render = Some(to_render);
            return Verdict::Hold;
        }
        page.result.notes.render_class = (suspicion != Suspicion::None).then_some(class);
        Verdict::Pass
    }

    /// Learns from a page by the document that its scripts left.
    fn learn(&self, processor: &mut PageProcessor, fetched: &FetchedPage, class: RenderClass, page: &RenderedPage) {
        let FetchedPage { lease, exchange } = fetched;
        let (item, Ok(answer)) = (&lease.item, &exchange.result) else { return };
        let body = decoded(answer, processor.rules()).bytes;
        let document = Document { body: &body, content_type: answer.content_type() };
        let plain = processor.shown(item, document, &[]);
        let shown = processor.shown(item, Document::rendered(&page.html), &page.navigations);
        let gained = self.rules.learn(class, page, &plain, &shown);
        if self.rules.learns_requests() && !page.is_incomplete() {
            self.learn_requests(processor, item, class, &body, page, &gained);
        }
    }

    /// Learns from the requests of a page's scripts.
    fn learn_requests(
        &self,
        processor: &mut PageProcessor,
        item: &ScheduledUrl,
        class: RenderClass,
        body: &[u8],
        page: &RenderedPage,
        gained: &Gained,
    ) {
        let Some(sample) = Sample::of_page(item.url.as_str(), &String::from_utf8_lossy(body), page) else { return };
        let candidate = self.rules.candidate(class, &sample).map(|template| {
            let predicted = predicted_page(&template, &sample);
            let predicted = processor.shown(item, Document::rendered(&predicted), &[]);
            (template, gained.held_by(&predicted))
        });
        self.rules.learn_requests(class, sample, candidate);
    }
}

/// Returns the number of words that a page shows.
fn word_count(body: &[u8], content_type: Option<&str>) -> usize {
    visible_text(body, content_type).map_or(0, |text| text.split_whitespace().count())
}
