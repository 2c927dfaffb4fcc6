//! Builds a document from what was read, with remarks on its figures.

use super::content::{Document, OneOrSum};
use super::next_steps;
use super::sources::Sources;
use super::state::{CrawlState, End};
use crate::advice::advise;
use crate::sections::archive::Warcs;
use crate::sections::fates::account;
use crate::sections::page_types::site;
use harvestman_policy::learned::Facts;

/// The version of the document's format as JSON.
const FORMAT: u32 = 1;

impl Document {
    /// Builds the document.
    pub fn of(mut sources: Sources) -> Self {
        let facts = facts(&mut sources);
        let configuration = match sources.configuration.take() {
            Some(Ok(configuration)) => configuration,
            Some(Err(why)) => {
                sources.notes.push(format!("config.toml cannot be read; the configuration is incomplete: {why}"));
                super::Configuration::default()
            }
            None => {
                sources.notes.push("There is no config.toml; the configuration is incomplete.".to_owned());
                super::Configuration::default()
            }
        };
        let delay_ms = sources.control.least_delay_ms.into_iter().chain(configuration.delay_ms).min();
        let mut document = Self {
            format: FORMAT,
            made_by: env!("CARGO_PKG_VERSION"),
            made: sources.now.timestamp().to_string(),
            state: state(&sources),
            site: site(facts.as_ref(), sources.has_logged_clusters, &sources.log),
            warcs: Warcs::of(&sources.warcs, &sources.log),
            directory: sources.directory,
            nodes: sources.nodes,
            notes: sources.notes,
            posts: sources.posts,
            configuration,
            report: sources.report.map(|report| OneOrSum::One(Box::new(report))),
            status: sources.status.map(|status| OneOrSum::One(Box::new(status))),
            earlier: sources.earlier,
            account: None,
            log: sources.log,
            advice: Vec::new(),
            delay_ms,
            control: sources.control,
            in_force: sources.in_force,
            has: sources.has,
            next: Vec::new(),
        };
        match sources.totals.map(Box::new) {
            Some(totals) if totals.is_running() => document.status = Some(OneOrSum::Sum(totals)),
            Some(totals) => document.report = Some(OneOrSum::Sum(totals)),
            None => {}
        }
        document.conclude();
        document
    }

    /// Adds the fields that are derived from the others.
    fn conclude(&mut self) {
        self.account = self.own().as_ref().and_then(account);
        self.advice = self.own().as_ref().map(advise).unwrap_or_default();
        let requests = self.own().map_or(0, |own| own.requests);
        if let Some(posts) = self.posts.as_mut().filter(|_| requests > 0) {
            posts.per_request = Some(posts.posts as f64 / requests as f64);
        }
        self.notes.extend(remarks(self));
        self.next = if self.nodes.is_empty() { next_steps::of_one(self) } else { next_steps::of_several(self) };
    }
}

/// Takes the facts of the site model; notes if they cannot be read.
fn facts(sources: &mut Sources) -> Option<Facts> {
    match sources.facts.take()? {
        Ok(facts) => Some(facts),
        Err(why) => {
            sources.notes.push(format!("The site model is left out: {why}"));
            None
        }
    }
}

fn state(sources: &Sources) -> CrawlState {
    let last = sources.log.last.as_deref();
    match &sources.totals {
        Some(totals) => {
            let at = totals.ended.as_deref().and_then(super::line::instant);
            let end = totals.stop_reason.map(|reason| End { at, reason });
            CrawlState::of(totals.paused, end.as_ref(), last)
        }
        None => {
            let end = sources.report.as_ref().and_then(End::of);
            CrawlState::of(sources.status.as_ref().map(|status| status.paused), end.as_ref(), last)
        }
    }
}

/// Returns what a reader must know of the figures.
pub(super) fn remarks(document: &Document) -> Vec<String> {
    let mut remarks = Vec::new();
    let log = &document.log;
    // Several directories have remarks of their own.
    if log.damaged > 0 && document.nodes.is_empty() {
        let first = log.first_damaged.unwrap_or(0);
        remarks.push(format!(
            "{} of {} lines of the page log cannot be read (the first is line {first}); their content is missing here.",
            log.damaged,
            log.damaged + log.lines
        ));
    }
    if !document.has.log {
        remarks.push("There is no page log (pages.jsonl); curves, page types and hosts are missing.".to_owned());
    }
    if document.is_report_stale() {
        let ended = document.own().and_then(|own| own.ended.map(str::to_owned)).unwrap_or_default();
        remarks.push(format!(
            "report.json is of {ended}, but the page log continues after that: a later run has written no report. The figures of the \
             report are older than those of the log."
        ));
    }
    if let Some(account) = document.account.as_ref().filter(|account| !account.adds_up) {
        remarks.push(format!(
            "The fates add up to {}, but the crawl states {} discovered links: please report this as a bug.",
            account.sum, account.discovered
        ));
    }
    if document.control.damaged > 0 {
        remarks.push(format!("{} lines of control.jsonl cannot be read.", document.control.damaged));
    }
    remarks
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
