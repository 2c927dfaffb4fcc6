//! Applies what sites and pages state about the use of their content: the only place that does so after a fetch.
//!
//! Before it, the host's actor refuses URLs by what is known of the host (`core/consent.rs` of the hosts).

use crate::page::page_result::PageResult;
use harvestman_consent::{ConsentRules, combined, of_headers, of_page};
use harvestman_core::model::{Exchange, Fate, FetchedPage, Lease, Statement, StatementRecord};
use harvestman_metrics::Metrics;

/// What a crawl does with statements about the use of content.
pub(crate) struct Consent {
    pub(crate) rules: ConsentRules,
    /// The name by which statements address the crawl.
    pub(crate) agent: String,
    pub(crate) metrics: Metrics,
}

impl Consent {
    /// Collects what the host, the answer and the page state, and applies it: an answer that refuses the purpose of the
    /// crawl is not kept.
    pub(crate) fn apply(&self, page: &FetchedPage, result: &mut PageResult) {
        self.decide(page.lease.statements.clone(), &page.exchange, result);
    }

    /// The same for a part of a page: only its own headers count.
    pub(crate) fn apply_to_part(&self, exchange: &Exchange, result: &mut PageResult) {
        self.decide(Vec::new(), exchange, result);
    }

    /// Returns the records of what the host states about a URL that was not requested.
    pub(crate) fn refused(&self, lease: &Lease) -> Vec<StatementRecord> {
        let records = self.rules.records(&lease.statements);
        self.count(&records);
        records
    }

    fn decide(&self, of_host: Vec<Statement>, exchange: &Exchange, result: &mut PageResult) {
        if !self.rules.reads() {
            return;
        }
        let now = exchange.timings.started.timestamp();
        let of_answer = exchange.result.as_ref().map(|answer| of_headers(&answer.headers, &self.agent, now));
        let found = &mut result.statements;
        let of_page = of_page(&std::mem::take(&mut found.stated), now);
        let statements = combined(of_host.into_iter().chain(of_answer.unwrap_or_default()).chain(of_page));
        let decision = self.rules.decide(&statements);
        found.records = self.rules.records(&statements);
        self.count(&found.records);
        // What the host refuses is not requested; if it was, it is not kept either.
        found.not_kept = decision.not_fetched.into_iter().chain(decision.not_kept).next();
        let Some(signal) = found.not_kept else { return };
        (result.notes.title, result.tree) = (None, None);
        if result.fate == Fate::Fetched {
            result.fate = Fate::NotKept(signal);
        }
    }

    fn count(&self, records: &[StatementRecord]) {
        for record in records {
            let effect = record.effect.as_deref().unwrap_or("none");
            self.metrics.worker.statements.by(&record.signal, effect).inc();
        }
    }
}
