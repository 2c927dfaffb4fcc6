//! Whether rendering a page pays, why requests of it were not answered, and what to do next: pure.

use std::collections::BTreeMap;

use serde::Serialize;

use harvestman_core::model::PageRecord;
use harvestman_pipeline::RenderedTrial;
use harvestman_render::{Refusal, RenderFailure, RenderedPage};
use harvestman_report::document::quoted;
use harvestman_report::figures::count;
use harvestman_report::remedy;

/// Whether rendering a page pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// It adds links or text.
    Gain,
    /// It adds nothing that counts.
    NoGain,
    /// It adds nothing that counts, but the page lacks answers.
    Impaired,
    /// The browser could not render the page.
    Failed,
    /// A crawl does not render the page.
    NotRendered,
}

/// A verdict with its reason, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    /// A sentence.
    pub(super) reason: String,
    /// Commands and remarks, the most useful first.
    pub(super) next: Vec<String>,
}

impl Judgement {
    /// Judges a page that was rendered; `url` is its URL.
    pub(super) fn of_rendered(url: &str, trial: &RenderedTrial) -> Self {
        let RenderedTrial { page, difference, gain, .. } = trial;
        let (links, words) = (difference.links_added.len(), difference.words_added);
        let refused = impairing(page);
        let lacks = if refused.is_empty() { String::new() } else { format!(": {}", counted(&refused)) };
        if gain.is_worth_it() {
            let more = if refused.is_empty() { String::new() } else { format!(" It may lack content{lacks}.") };
            let reason = format!("Rendering adds {} and {}.{more}", some(links, "link"), some(words, "word"));
            return Self { verdict: Verdict::Gain, reason, next: vec![crawl(url, "--render auto ")] };
        }
        let adds = match (links, words) {
            (0, 0) => "Rendering adds nothing".to_owned(),
            _ => format!("Rendering adds too little to count ({}, {})", some(links, "link"), some(words, "word")),
        };
        let others = "Pages of other kinds may differ: inspect one of each.".to_owned();
        if refused.is_empty() {
            let reason = format!("{adds}.{}", errors(page));
            return Self { verdict: Verdict::NoGain, reason, next: vec![crawl(url, ""), others] };
        }
        let reason = format!("{adds}, but the page may lack content{lacks}.{}", errors(page));
        Self { verdict: Verdict::Impaired, reason, next: vec![after_impairment(page), crawl(url, "")] }
    }

    /// Judges a page that the browser could not render.
    pub(super) fn of_failure(url: &str, why: &RenderFailure) -> Self {
        let advice = match why {
            RenderFailure::Hung => "Give the scripts more time: --set render.page_time=60s.",
            RenderFailure::CannotStart(_) => "Check the browser: harvestman doctor",
            RenderFailure::Crashed => "Permit the scripts more memory: --set render.heap_mib=512.",
            RenderFailure::TooLarge | RenderFailure::TooManyEvents | RenderFailure::Rejected(_) => {
                "A crawl with --render takes such a page without rendering."
            }
        };
        let next = vec![advice.to_owned(), crawl(url, "")];
        Self { verdict: Verdict::Failed, reason: format!("Rendering failed: {why}."), next }
    }

    /// Judges a page that a crawl does not render; `page` is its line of the page log, if it was requested.
    pub(super) fn of_unrendered(page: Option<&PageRecord>) -> Self {
        let (reason, next) = page.map_or_else(
            || {
                let next = "Check scope.include, scope.exclude and the budgets: harvestman config";
                ("The settings keep a crawl from requesting the page.".to_owned(), Some(next.to_owned()))
            },
            unrendered,
        );
        Self { verdict: Verdict::NotRendered, reason, next: next.into_iter().collect() }
    }
}

fn unrendered(page: &PageRecord) -> (String, Option<String>) {
    let reason = page.reason.as_deref().unwrap_or_default();
    match (page.fate.as_str(), page.status, &page.redirect_to) {
        ("redirected", _, Some(to)) => {
            let what = "which is outside the scope, or was requested before";
            let next = format!("harvestman inspect render {}", quoted(to));
            (format!("The page redirects to {to}, {what}."), Some(next))
        }
        ("robots", ..) if reason == "unavailable" => (
            "The host's robots.txt is not available; until it is, a crawl requests nothing else there.".to_owned(),
            None,
        ),
        ("robots", ..) => ("robots.txt disallows the page: a crawl does not request it.".to_owned(), None),
        ("fetched" | "unwanted_type", ..) => {
            let kind = page.content_type.as_deref().unwrap_or("no Content-Type");
            (format!("The page is not HTML ({kind}): only HTML pages are rendered."), None)
        }
        (_, Some(status), _) if !(200..=299).contains(&status) => {
            let what = "only pages with a status of 200 to 299 are rendered";
            (format!("The server answers with status {status}: {what}."), remedy(reason).map(str::to_owned))
        }
        (fate, ..) => {
            let why = if reason.is_empty() { fate } else { reason }.replace('_', " ");
            (format!("The page cannot be fetched ({why})."), remedy(reason).map(str::to_owned))
        }
    }
}

/// What to do about the first refusal after which a page may lack content.
fn after_impairment(page: &RenderedPage) -> String {
    use harvestman_render::Refusal;
    let advice = match impairing(page).first() {
        Some(Refusal::Robots) => "A crawl obeys robots.txt too, so --render adds nothing to this page.",
        Some(Refusal::Requests) => "Permit more requests: --set render.requests=300.",
        Some(Refusal::Size) => "No crawl renders a page whose answers are this large.",
        Some(Refusal::Budget) => "Raise the budget of requests, bytes or time.",
        _ => "Inspect the page again later: the request may succeed then.",
    };
    advice.to_owned()
}

/// Says how many requests were answered with an error: their data is missing.
fn errors(page: &RenderedPage) -> String {
    match page.requests.iter().filter(|note| note.outcome.is_ok_and(|status| status >= 400)).count() {
        0 => String::new(),
        1 => " One of its requests was answered with an error.".to_owned(),
        more => format!(" {more} of its requests were answered with an error."),
    }
}

fn crawl(url: &str, option: &str) -> String {
    format!("harvestman crawl {} {option}--out DIR", quoted(url))
}

fn some(number: usize, unit: &str) -> String {
    format!("{} {unit}{}", count(number as u64), if number == 1 { "" } else { "s" })
}

/// Returns why a request was refused, as a sentence without its subject.
pub(super) const fn described(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Method => "its method is neither GET nor HEAD",
        Refusal::Kind => "no image, media, font or open connection is requested",
        Refusal::Scheme => "its URL is neither http nor https",
        Refusal::OtherSite => "data and style sheets of other sites are not requested",
        Refusal::Navigation => "it belongs to another page, whose URL counts as a link",
        Refusal::Worker => "service workers are not installed",
        Refusal::Requests => "the page sends more than render.requests",
        Refusal::Size => "the answers of the page are larger than 20 MiB together",
        Refusal::Robots => "robots.txt disallows it",
        Refusal::Scope => "it is outside the scope",
        Refusal::Host => "the host may not be contacted",
        Refusal::Budget => "a budget is used up, or the crawl ends",
        Refusal::Failed => "the request failed",
    }
}

/// Returns the refusals after which the page may lack content: the rules of the crawl, and failures. Images and the
/// like bring neither links nor text.
fn impairing(page: &RenderedPage) -> Vec<Refusal> {
    let refused = page.requests.iter().filter_map(|note| note.outcome.err());
    refused.filter(|refusal| is_impairing(*refusal)).collect()
}

const fn is_impairing(refusal: Refusal) -> bool {
    matches!(
        refusal,
        Refusal::Robots | Refusal::Host | Refusal::Budget | Refusal::Failed | Refusal::Requests | Refusal::Size
    )
}

/// Counts refusals by reason: `robots.txt disallows it (2), the request failed (1)`.
pub(super) fn counted(refusals: &[Refusal]) -> String {
    let mut counts: BTreeMap<Refusal, usize> = BTreeMap::new();
    refusals.iter().for_each(|refusal| *counts.entry(*refusal).or_default() += 1);
    let parts = counts.iter().map(|(refusal, count)| format!("{} ({count})", described(*refusal)));
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
