//! Pages of the host where the crawl is logged in: the session decides whether they count.

use std::time::Duration;

use super::Worker;
use crate::handles::Writing;
use harvestman_core::held_pages::PutBackReason;
use harvestman_core::model::{Fate, FetchedPage, PolicyRefusal};
use harvestman_login::Verdict;
use harvestman_storage::archive::PageFacts;

/// What an answer is called that was perhaps sent to a guest.
const GUEST_VIEW: &str = "guest_view";

impl Worker {
    /// Takes a page that was fetched. At the host where the crawl is logged in, the session decides whether it counts.
    pub(super) fn answered(&mut self, page: FetchedPage) {
        match self.context.session.clone().filter(|session| session.concerns(&page.exchange)) {
            Some(session) => session.judge(page),
            None => self.page(page, true),
        }
    }

    /// Goes on with a page that was judged by the session.
    pub(super) fn judged(&mut self, page: FetchedPage, verdict: Verdict) {
        if verdict == Verdict::Member {
            return self.page(page, true);
        }
        let FetchedPage { lease, exchange } = page;
        tracing::debug!(url = lease.item.url.as_str(), ?verdict, "the answer was perhaps sent to a guest");
        self.context.metrics.parse.substitutes.by(GUEST_VIEW).inc();
        let facts = PageFacts { substitute: Some(GUEST_VIEW), ..PageFacts::default() };
        if let Some(page) = self.encoder.as_mut().and_then(|encoder| encoder.encode(&exchange, &lease.item, &facts)) {
            self.hand_to_writer(Writing { page: Some(page), record: None, links: None }, |_| {});
        }
        if verdict == Verdict::EndsSession {
            return self.refused(lease, Fate::Policy(PolicyRefusal::LogOut), Some(exchange.body_bytes()));
        }
        self.context.put_backs.count(PutBackReason::GuestView, lease.item.url.fingerprint(), u8::MAX);
        self.put_back(FetchedPage { lease, exchange }, Duration::ZERO);
    }
}
