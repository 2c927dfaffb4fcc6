//! Pages of the host where the crawl is logged in: the session decides whether they count.

use std::sync::Arc;
use std::time::Duration;

use crate::login::Session;
use crate::page::gate::{Feature, Gate};
use crate::page::page_in_work::{Arrival, PageInWork, Verdict};
use crate::page::page_processor::PageProcessor;
use crate::page::worker_tools::WorkerTools;
use harvestman_core::held_pages::PutBackReason;
use harvestman_core::model::{Fate, FetchedPage, PolicyRefusal};
use harvestman_login::Verdict as SessionVerdict;
use harvestman_storage::archive::PageFacts;

/// What an answer is called that was perhaps sent to a guest.
const GUEST_VIEW: &str = "guest_view";

/// Holds the answers of the host of the session until it is known to whom they were sent.
pub(crate) struct SessionGate(pub(crate) Arc<Session>);

impl Gate for SessionGate {
    fn feature(&self) -> Feature {
        Feature::Session
    }

    fn judge(&self, _: &mut PageProcessor, page: &mut PageInWork) -> Verdict {
        let is_judged = matches!(page.arrival, Arrival::Host) && self.0.concerns(&page.fetched.exchange);
        if is_judged { Verdict::Hold } else { Verdict::Pass }
    }

    fn hold(&self, _: &mut WorkerTools, page: PageInWork) -> Option<PageInWork> {
        self.0.judge(page.fetched);
        None
    }
}

impl WorkerTools {
    /// Archives an answer that was perhaps sent to a guest, and has its URL requested again, unless that ends the
    /// session.
    pub(crate) fn end_guest_view(&mut self, page: FetchedPage, verdict: SessionVerdict) {
        let FetchedPage { lease, exchange } = &page;
        tracing::debug!(url = lease.item.url.as_str(), ?verdict, "the answer was perhaps sent to a guest");
        self.context.metrics.parse.substitutes.by(GUEST_VIEW).inc();
        let facts = PageFacts { substitute: Some(GUEST_VIEW), ..PageFacts::default() };
        self.archive_alone(exchange, &lease.item, &facts);
        if verdict == SessionVerdict::EndsSession {
            let received = Some(exchange.body_bytes());
            return self.end_refused(page.lease, Fate::Policy(PolicyRefusal::LogOut), received);
        }
        self.context.put_backs.count(PutBackReason::GuestView, lease.item.url.fingerprint());
        self.put_back(page, Duration::ZERO);
    }
}
