//! The stations after a page was read: its outcome is noted, shown and written.

use crate::handles::Writing;
use crate::page::lease_end::LeaseEnd;
use crate::page::link_filter::LinkFindings;
use crate::page::page_in_work::{PageInWork, PageOutput};
use crate::page::page_record::{note_visit, page_record};
use crate::page::page_result::{PageResult, observation};
use crate::page::substitutes::substitute_label;
use crate::page::visits::earlier;
use crate::page::worker_tools::WorkerTools;
use crate::policy_thread::learning::Seen;
use crate::recrawl::{links_of, sighting};
use crate::rendering::RenderOutcome;
use harvestman_core::held_pages::PutBackReason;
use harvestman_core::model::{Failure, Fate, FetchedPage};
use harvestman_stages::frontier::PageFindings;
use harvestman_stages::host::ContentReport;
use harvestman_storage::archive::PageFacts;
use harvestman_structure::substitutes::Judgement;

impl WorkerTools {
    /// Applies what the host, the answer and the page state about the use of the content.
    pub(crate) fn apply_statements(&mut self, page: &mut PageInWork) {
        self.context.consent.apply(&page.fetched, &mut page.result);
    }

    /// Makes the line of the page log.
    pub(crate) fn note(&mut self, page: &mut PageInWork) {
        let (context, result) = (&self.context, &mut page.result);
        let FetchedPage { lease, exchange } = &page.fetched;
        result.notes.render_class = page.arrival.render_class().or(result.notes.render_class);
        let mut line = page_record(lease, Some(exchange), result.fate, Some(result));
        line.signals = result.statements.records.clone();
        line.rendered = page.arrival.outcome().and_then(RenderOutcome::label).map(str::to_owned);
        let reasons = [PutBackReason::BlockPage, PutBackReason::GuestView];
        let put_back = context.put_backs.end(&reasons, lease.item.url.fingerprint());
        line.attempts = line.attempts.saturating_add(put_back);
        if result.judgement == Judgement::Lifted {
            context.handles.hosts.report_content(lease.item.url.host_key(), ContentReport::AsAsked);
        }
        if let Some(kind) = substitute_label(result.judgement) {
            context.metrics.parse.substitutes.by(kind).inc();
        }
        page.output.line = Some(line);
    }

    /// Makes the records of the archive.
    pub(crate) fn encode(&mut self, page: &mut PageInWork) {
        let FetchedPage { lease, exchange } = &page.fetched;
        // A 304 that nobody asked for is no capture of the page.
        let is_unasked = page.result.fate == Fate::Failed(Failure::Http(304));
        let held = page.before.as_ref().filter(|_| !is_unasked).and_then(earlier);
        let rendered = page.arrival.outcome().and_then(RenderOutcome::document);
        let facts = PageFacts { rendered, ..page.result.archived_facts() };
        let encoder = self.encoder.as_mut();
        page.output.records =
            encoder.and_then(|encoder| encoder.encode_again(exchange, &lease.item, &facts, held.as_ref()));
    }

    /// Records the visit, and tells the plan of a recrawl. The time after that is not the worker's: it may wait for
    /// others.
    pub(crate) fn note_visited(&mut self, page: &mut PageInWork) {
        let (context, result) = (&self.context, &page.result);
        let FetchedPage { lease, exchange } = &page.fetched;
        let (before, recrawl) = (page.before.as_ref(), context.handles.recrawl.as_ref());
        let PageOutput { line, records, .. } = &mut page.output;
        let visit = context.visits.after(&lease.item, exchange, result, before, records.as_ref());
        if let Some(line) = line {
            note_visit(line, visit.as_deref(), recrawl);
        }
        page.output.recrawl_visit = recrawl.and_then(|recrawl| {
            let links = links_of(before, &result.revisit.rows);
            let seen = visit.as_deref().map(|visit| Box::new(sighting(visit, &links)));
            recrawl.report_links(lease.item.url.fingerprint(), links);
            seen
        });
        page.output.visit = visit;
        context.metrics.worker.busy_seconds.add(context.clock.now().since(page.started));
    }

    /// Shows the page to the policy: before its lease ends, so that at most as many wait there as there are leases.
    pub(crate) fn show_to_policy(&mut self, page: &mut PageInWork) {
        let (item, result) = (&page.fetched.lease.item, &mut page.result);
        let Some(observer) = self.observer.as_ref().filter(|_| result.fate != Fate::NotModified) else { return };
        let generation = result.links.found.page_generation;
        let hold = self.processor.awaits(item, result).then(|| self.context.handles.frontier.hold());
        observer.show(Seen { observation: observation(item, result), generation, hold });
    }

    /// Gives the tree of the page to who follows the crawl: before the page log names it.
    pub(crate) fn keep_tree(&mut self, page: &mut PageInWork) {
        let FetchedPage { lease, exchange } = &page.fetched;
        if let Some(tree) = page.result.tree.take() {
            self.context.followers.trees.put(lease.item.url.as_str(), exchange.timings.started, tree);
        }
    }

    /// Delivers the page to the program that embeds the crawl, and then to the writer.
    pub(crate) fn deliver_page(&mut self, page: PageInWork) {
        let PageInWork { fetched: FetchedPage { lease, exchange }, result, output, .. } = page;
        let PageOutput { line, records, visit, recrawl_visit } = output;
        let PageResult { fate, links: LinkFindings { found: links, judged, .. }, statements, .. } = result;
        let received = Some(exchange.body_bytes());
        let findings = Box::new(PageFindings { links, visit, recrawl_visit });
        let line = line.unwrap_or_else(|| page_record(&lease, Some(&exchange), fate, None));
        let delivered = self.delivered(&line, Some(exchange).filter(|_| statements.not_kept.is_none()), judged.all);
        let writing = Writing { page: records, record: Some(line), links: judged.line };
        self.deliver(delivered, LeaseEnd { lease, received, fate, findings }, writing);
    }
}
