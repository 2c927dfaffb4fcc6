//! Commands for what can be done next.

use super::content::Document;
use super::state::CrawlState;
use crate::StopReason;
use crate::render::block::NextStep;
use harvestman_core::model::{Failure, Fate};

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=,+@%".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(plain) {
        return word.to_owned();
    }
    let word = if word.starts_with('-') { format!("./{word}") } else { word.to_owned() };
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn step(what: &str, command: String) -> NextStep {
    NextStep { what: what.to_owned(), command }
}

/// Returns what can be done with a directory, the most likely first.
pub(super) fn of_one(document: &Document) -> Vec<NextStep> {
    let dir = quoted(&document.directory);
    let mut all = by_state(document, &dir);
    all.extend(explain(document, &dir));
    all.extend(use_model(document, &dir));
    if let Some(file) = document.warcs.files.first() {
        let path = quoted(&format!("{}/{}", document.directory.trim_end_matches('/'), file.name));
        all.push(step("Check a WARC file", format!("harvestman inspect warc --verify {path}")));
    }
    all
}

/// Explains a URL that failed, or otherwise one that was fetched.
fn explain(document: &Document, dir: &str) -> Option<NextStep> {
    let log = &document.log;
    let fetched = || log.groups.clusters.values().find_map(|group| group.examples.first()).map(|page| &page.url);
    let (what, url) = match &log.failed_example {
        Some(url) => ("Explain why a URL failed", url),
        None => ("Explain why a page was fetched when it was", fetched()?),
    };
    Some(step(what, format!("harvestman explain {dir} {}", quoted(url))))
}

fn use_model(document: &Document, dir: &str) -> Vec<NextStep> {
    if !document.has.model {
        return Vec::new();
    }
    let mut all =
        vec![step("Show what was learned of the site", format!("harvestman inspect site {dir}/site-model.json.gz"))];
    if let Some((seed, policy)) = document.configuration.seeds.first().zip(document.configuration.policy.as_ref()) {
        let (seed, model) = (quoted(seed), format!("{dir}/site-model.json.gz"));
        let command = format!("harvestman crawl {seed} --policy {policy} --model {model} --out DIR");
        all.push(step("Start another crawl with what this one has learned", command));
    }
    all
}

/// Returns what can be done with several directories.
pub(super) fn of_several(document: &Document) -> Vec<NextStep> {
    let dirs: Vec<String> = document.nodes.iter().map(|node| quoted(&node.directory)).collect();
    let all = dirs.join(" ");
    let mut next = Vec::new();
    let running = document.nodes.iter().position(|node| matches!(node.state, CrawlState::Running { .. }));
    if let Some(dir) = running.and_then(|at| dirs.get(at)) {
        next.push(step("Show the status", format!("harvestman ctl {dir} status")));
        let out = if dirs.len() > 1 { " --out report.html" } else { "" };
        next.push(step("Make this report again later", format!("harvestman report {all}{out}")));
    }
    if document.warcs.count > 0 {
        next.push(step("Make one index of all archives", format!("harvestman export cdxj {all} --out index.cdxj")));
    }
    if let Some(dir) = dirs.first().filter(|_| dirs.len() > 1) {
        next.push(step("Make the report of one of them", format!("harvestman report {dir}")));
    }
    next
}

fn by_state(document: &Document, dir: &str) -> Vec<NextStep> {
    let resume = |what: &str, flags: &str| vec![step(what, format!("harvestman resume {dir}{flags}"))];
    match &document.state {
        CrawlState::Running { .. } => vec![
            step("Show the status", format!("harvestman ctl {dir} status")),
            step("Stop it; it then writes its report", format!("harvestman ctl {dir} stop")),
            step("Make this report again later", format!("harvestman report {dir}")),
        ],
        _ if !document.has.state => Vec::new(),
        CrawlState::BrokenOff => resume("Resume where it was broken off", ""),
        CrawlState::Ended { reason } => match reason {
            StopReason::FrontierEmpty if waited_in_vain(document) => {
                resume("Resume and try the hosts again that did not answer in time", "")
            }
            StopReason::FrontierEmpty => {
                vec![step("Revisit the pages that are likely to have changed", format!("harvestman recrawl {dir}"))]
            }
            StopReason::PagesBudget | StopReason::RequestsBudget | StopReason::BytesBudget => {
                resume("Resume with a larger budget", &going_on(document, *reason))
            }
            StopReason::TimeBudget => resume("Resume for longer", &going_on(document, *reason)),
            StopReason::LowYield => resume("Resume and fetch all that is left", &going_on(document, *reason)),
            _ => resume("Resume", ""),
        },
    }
}

/// Whether the crawl ended because it had waited for hosts as long as it may.
fn waited_in_vain(document: &Document) -> bool {
    document.own().is_some_and(|own| own.fates.of(Fate::Failed(Failure::WaitOver)) > 0)
}

fn going_on(document: &Document, reason: StopReason) -> String {
    let (pages, requests) = document.own().map_or((500, 500), |own| (own.pages, own.requests));
    flag_to_go_on(reason, pages, requests)
}

/// Returns the flag, after a blank, with which `harvestman resume` goes on after this end of a crawl: twice the budget
/// that was used. Empty if none is needed.
pub fn flag_to_go_on(reason: StopReason, pages: u64, requests: u64) -> String {
    match reason {
        StopReason::PagesBudget => format!(" --pages {}", pages.saturating_mul(2)),
        StopReason::RequestsBudget => format!(" --requests {}", requests.saturating_mul(2)),
        StopReason::BytesBudget => " --bytes SIZE".to_owned(),
        StopReason::TimeBudget => " --time TIME".to_owned(),
        StopReason::LowYield => " --early-stop 0".to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_split_or_expand_are_quoted() {
        for (word, expected) in [
            ("forum", "forum"),
            ("/a b/c", "'/a b/c'"),
            ("it's", "'it'\\''s'"),
            ("$(rm -rf ~)", "'$(rm -rf ~)'"),
            ("-x", "'./-x'"),
            ("", "''"),
            ("http://h.test/?a&b", "'http://h.test/?a&b'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
