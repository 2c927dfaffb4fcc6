//! Remarks on the figures of a document.

use super::content::Document;

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
