//! Applies what sites and pages state about the use of their content: the only place that does so after a fetch.
//!
//! Before it, the host's actor refuses URLs by what is known of the host (`core/consent.rs` of the hosts).

use crate::page::page_processor::{PageProcessor, PageResult};
use crate::page::rules::Rules;
use harvestman_consent::{combined, of_headers, of_page};
use harvestman_core::model::{Exchange, Fate, Lease, Statement, StatementRecord};

/// Collects what the host, the answer and the page state, and applies it: an answer that refuses the purpose of the crawl
/// is not kept.
pub(crate) fn apply(processor: &PageProcessor, lease: &Lease, exchange: &Exchange, result: &mut PageResult) {
    decide(processor.rules(), lease.statements.clone(), exchange, result);
}

/// The same for a part of a page: only its own headers count.
pub(crate) fn apply_to_part(processor: &PageProcessor, exchange: &Exchange, result: &mut PageResult) {
    decide(processor.rules(), Vec::new(), exchange, result);
}

/// Returns the records of what the host states about a URL that was not requested.
pub(crate) fn refused(processor: &PageProcessor, lease: &Lease) -> Vec<StatementRecord> {
    let rules = processor.rules();
    let records = rules.consent.records(&lease.statements);
    count(rules, &records);
    records
}

fn decide(rules: &Rules, of_host: Vec<Statement>, exchange: &Exchange, result: &mut PageResult) {
    if !rules.consent.reads() {
        return;
    }
    let now = exchange.timings.started.timestamp();
    let of_answer = exchange.result.as_ref().map(|answer| of_headers(&answer.headers, &rules.agent, now));
    let of_page = of_page(&std::mem::take(&mut result.stated), now);
    let statements = combined(of_host.into_iter().chain(of_answer.unwrap_or_default()).chain(of_page));
    let decision = rules.consent.decide(&statements);
    result.statements = rules.consent.records(&statements);
    count(rules, &result.statements);
    // What the host refuses is not requested; if it was, it is not kept either.
    result.not_kept = decision.not_fetched.into_iter().chain(decision.not_kept).next();
    let Some(signal) = result.not_kept else { return };
    (result.title, result.tree) = (None, None);
    if result.fate == Fate::Fetched {
        result.fate = Fate::NotKept(signal);
    }
}

fn count(rules: &Rules, records: &[StatementRecord]) {
    for record in records {
        let effect = record.effect.as_deref().unwrap_or("none");
        rules.metrics.worker.statements.by(&record.signal, effect).inc();
    }
}
