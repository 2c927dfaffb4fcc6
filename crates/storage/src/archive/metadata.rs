//! The block of a metadata record: properties of a page that are not part of the exchange, as `application/warc-fields`
//! (WARC 1.1, section 6.6).

use std::fmt::Write as _;

use super::fields::Fields;
use harvestman_core::model::{Exchange, ScheduledUrl, Signal, StatementRecord};

/// Maximum number of hops that are written out. More are only counted: `12+LLL…`, as Heritrix writes long paths.
const HOPS_SPELT_OUT: u32 = 50;

/// The results of the parser that are archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageFacts<'a> {
    /// The page's title.
    pub title: Option<&'a str>,
    /// The number of links; `None` if the page was not parsed.
    pub links: Option<u32>,
    /// The document that a browser showed, as HTML.
    pub rendered: Option<&'a str>,
    /// Why the answer is not taken for what was asked for: `suspect`, `soft_404`, `block_page` or `guest_view`.
    pub substitute: Option<&'static str>,
    /// What the site and the page state about the use of their content.
    pub statements: &'a [StatementRecord],
    /// The signal because of which the answer is not kept.
    pub not_kept: Option<Signal>,
}

/// Appends the block.
pub(super) fn write(exchange: &Exchange, item: &ScheduledUrl, facts: &PageFacts<'_>, out: &mut Vec<u8>) {
    let mut fields = Fields(out);
    if let Some(via) = &item.via {
        fields.uri("via", via);
    }
    let hops = hops_from_seed(item.depth, item.redirects);
    if !hops.is_empty() {
        fields.put("hopsFromSeed", hops);
    }
    let timings = exchange.timings;
    fields.put("fetchTimeMs", timings.ended.since(timings.started).as_millis());
    if let Some(title) = facts.title {
        fields.text("title", title);
    }
    if let Some(links) = facts.links {
        fields.put("outlinkCount", links);
    }
    if let Some(why) = facts.substitute {
        fields.put("substitute", why);
    }
    for StatementRecord { signal, stated_in, says, effect } in facts.statements {
        let effect = effect.as_ref().map(|effect| format!("; effect={effect}")).unwrap_or_default();
        fields.text("statement", &format!("{signal}; in={stated_in}; says={says}{effect}"));
    }
    if let Some(signal) = facts.not_kept {
        fields.put("notKept", signal.label());
    }
}

/// Returns the path from the seed: `L` is a link, `R` a redirect. Only the redirects directly before this URL are known
/// to be redirects.
fn hops_from_seed(depth: u16, redirects: u8) -> String {
    let (links, redirects) = (u32::from(depth), u32::from(redirects));
    let left_out = (links + redirects).saturating_sub(HOPS_SPELT_OUT);
    let mut hops = String::new();
    if left_out > 0 {
        write!(hops, "{left_out}+").expect("a String takes every write");
    }
    let links_spelt = links.saturating_sub(left_out);
    let redirects_spelt = redirects.min(HOPS_SPELT_OUT);
    hops.extend((0..links_spelt).map(|_| 'L').chain((0..redirects_spelt).map(|_| 'R')));
    hops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_are_written_out_up_to_the_limit_and_counted_beyond() {
        assert_eq!(hops_from_seed(0, 0), "");
        assert_eq!(hops_from_seed(2, 1), "LLR");
        assert_eq!(hops_from_seed(49, 1), format!("{}R", "L".repeat(49)));
        assert_eq!(hops_from_seed(50, 1), format!("1+{}R", "L".repeat(49)));
        assert_eq!(hops_from_seed(3, 255), format!("208+{}", "R".repeat(50)));
    }
}
