//! Why requests of a page were not answered, in words: pure.

use std::collections::BTreeMap;

use harvestman_render::{Refusal, RenderedPage};

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
        Refusal::Size => "the answers are larger than render.page_bytes",
        Refusal::Robots => "robots.txt disallows it",
        Refusal::Scope => "it is outside the scope",
        Refusal::Host => "the host may not be contacted",
        Refusal::Budget => "a budget is used up, or the crawl ends",
        Refusal::Failed => "the request failed",
    }
}

/// Returns the refusals after which the page may lack content: the rules of the crawl, and failures. Images and the
/// like bring neither links nor text.
pub(super) fn impairing(page: &RenderedPage) -> Vec<Refusal> {
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
mod tests {
    use super::*;

    #[test]
    fn refusals_are_counted_by_reason_and_each_has_its_own_words() {
        let text = counted(&[Refusal::Failed, Refusal::Robots, Refusal::Failed]);
        assert_eq!(text, "robots.txt disallows it (1), the request failed (2)");
        let mut words = Refusal::ALL.map(described).to_vec();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Refusal::ALL.len());
    }
}
