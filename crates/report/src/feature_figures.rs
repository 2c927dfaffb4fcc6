//! Figures of parts of a crawl, and their lines in reports: the set of URLs seen, recrawls, and rendering.

use serde::{Deserialize, Serialize, Serializer};

use super::figures;
use harvestman_core::model::{RenderClassSummary, RenderingSummary};
use harvestman_storage::dedup::{Estimate, FalsePositives};

pub use harvestman_storage::dedup::DedupStats;

/// Formats the set as `1,234 URLs, bloom-exact in 2.4 MiB; 3 new URLs that looked known, none dropped (2.9 expected)`.
pub(super) fn dedup_line(seen: &DedupStats) -> String {
    let disk = match seen.disk_bytes {
        0 => String::new(),
        bytes => format!(" and {} on disk", figures::bytes(bytes)),
    };
    let (urls, memory) = (figures::count(seen.urls), figures::bytes(seen.memory_bytes));
    let mistakes = mistakes(seen);
    format!("{urls} URLs, {} in {memory}{disk}{mistakes}", seen.store.name())
}

fn mistakes(seen: &DedupStats) -> String {
    let Some(FalsePositives { expected, measured }) = seen.false_positives else { return String::new() };
    let none_dropped = seen.wrongly_dropped == FalsePositives::default();
    let fate = if none_dropped { "new URLs that looked known, none dropped" } else { "new URLs wrongly dropped" };
    format!("; {} {fate} ({expected:.1} expected)", counted(measured))
}

/// Formats an estimate as `31`, or `about 31 [20 to 45]`.
fn counted(Estimate { count, low, high }: Estimate) -> String {
    let whole = |count: f64| figures::count(count.round() as u64);
    if low == high { whole(count) } else { format!("about {} [{} to {}]", whole(count), whole(low), whole(high)) }
}

/// The visits of a recrawl to known pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecrawlFigures {
    /// The number of the recrawl, from 1.
    pub round: u32,
    /// Pages that were known when the recrawl started or was resumed.
    pub known: u64,
    /// Those of them that were visited in this run.
    pub visited: u64,
    /// Visits that found a change.
    pub changed: u64,
    /// Visits answered with 304.
    pub not_modified: u64,
    /// Visits answered in full with unchanged content.
    pub same: u64,
    /// Pages that no longer exist (404, 410).
    pub gone: u64,
    /// Visits that failed or were disallowed (robots.txt).
    pub failed: u64,
    /// Fetched pages that were not known before.
    pub new_pages: u64,
    /// The expected number of changed pages among those not visited.
    #[serde(rename = "changed_expected", serialize_with = "tenths")]
    pub expected: f64,
}

impl RecrawlFigures {
    /// Formats the figures as `412 of 1,030 revisited: 380 changed, 20 not modified, 10 unchanged, 2 gone; 31 new`.
    pub fn line(&self) -> String {
        let count = figures::count;
        let parts = [
            (self.changed, "changed"),
            (self.not_modified, "not modified"),
            (self.same, "unchanged"),
            (self.gone, "gone"),
            (self.failed, "failed"),
        ];
        let parts =
            parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{} {what}", count(*number)));
        let parts: Vec<String> = parts.collect();
        let what = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        let (visited, known, new) = (count(self.visited), count(self.known), count(self.new_pages));
        format!("{visited} of {known} revisited{what}; {new} new")
    }
}

fn tenths<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((number * 10.0).round() / 10.0)
}

/// The maximum number of classes in a closing report.
pub const RENDER_CLASSES_REPORTED: usize = 20;

/// Formats the counts as `9 pages by a browser, 2,991 by plain requests; 3 classes of pages`.
pub fn rendering_line(known: &RenderingSummary) -> String {
    let pages = if known.rendered == 1 { "page" } else { "pages" };
    let classes = if known.known == 1 { "class" } else { "classes" };
    let (rendered, replayed) = (figures::count(known.rendered), figures::count(known.replayed));
    format!(
        "{rendered} {pages} by a browser, {replayed} by plain requests; {} {classes} of pages",
        figures::count(known.known)
    )
}

/// Returns what is known of a class, as names with values: its pages, its need, and the requests that replace the
/// browser.
pub fn render_class_facts(class: &RenderClassSummary) -> Vec<(&'static str, String)> {
    let count = figures::count;
    let pages =
        format!("{}, {} rendered, {} replayed", count(class.pages), count(class.rendered), count(class.replayed));
    let mut facts = vec![("pages", pages), ("need", need(class))];
    facts.extend(class.replay.as_deref().map(|state| ("replay", replay(state).to_owned())));
    let requests = class.requests.iter().flat_map(|requests| requests.lines());
    let plain = |text: &str| text.chars().filter(|c| !c.is_control()).collect();
    facts.extend(requests.map(|request| ("request", plain(request))));
    facts
}

fn need(class: &RenderClassSummary) -> String {
    let gain = format!("rendering adds {:.1} links (ten words count as one) to a page on average", class.gain);
    match (&*class.need, class.rendered) {
        ("open", 0) => "open: no page was rendered so far".to_owned(),
        ("open", _) => format!("open: too few pages were rendered to decide; {gain}"),
        ("needed", _) => format!("needed: {gain}"),
        ("unneeded", _) => "unneeded: rendering adds nothing".to_owned(),
        ("failing", _) => "failing: its pages cannot be rendered".to_owned(),
        (other, _) => other.to_owned(),
    }
}

fn replay(state: &str) -> &str {
    match state {
        "learning" => "learning: a browser is used until requests are found that bring the same",
        "ready" => "ready: plain requests bring what a browser shows",
        "given up" => "given up: no plain requests were found that bring what a browser shows",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::config::DedupStore;

    fn seen(store: DedupStore, positives: Option<FalsePositives>, dropped: FalsePositives) -> DedupStats {
        let (memory_bytes, disk_bytes) = (3 << 20, 0);
        DedupStats {
            store,
            urls: 12_345,
            memory_bytes,
            disk_bytes,
            bloom: None,
            false_positives: positives,
            wrongly_dropped: dropped,
        }
    }

    #[test]
    fn a_store_is_shown_with_its_false_positives() {
        let mistakes = FalsePositives { expected: 2.94, measured: Estimate::exact(3) };
        let both =
            DedupStats { disk_bytes: 2048, ..seen(DedupStore::BloomExact, Some(mistakes), FalsePositives::default()) };
        let expected = "12,345 URLs, bloom-exact in 3.0 MiB and 2.0 KiB on disk; 3 new URLs that looked known, none dropped \
                        (2.9 expected)";
        assert_eq!(dedup_line(&both), expected);
        let only = seen(DedupStore::BloomOnly, Some(mistakes), mistakes);
        assert_eq!(dedup_line(&only), "12,345 URLs, bloom-only in 3.0 MiB; 3 new URLs wrongly dropped (2.9 expected)");
        let exact = seen(DedupStore::ExactOnly, None, FalsePositives::default());
        assert_eq!(dedup_line(&exact), "12,345 URLs, exact-only in 3.0 MiB");
    }

    #[test]
    fn an_estimate_is_shown_with_its_bounds() {
        assert_eq!(counted(Estimate { count: 3_100.0, low: 2_000.2, high: 4_500.0 }), "about 3,100 [2,000 to 4,500]");
    }

    #[test]
    fn the_line_has_only_counts_above_zero() {
        let figures =
            RecrawlFigures { round: 2, known: 1_030, visited: 412, changed: 380, ..RecrawlFigures::default() };
        let figures = RecrawlFigures { not_modified: 32, new_pages: 31, ..figures };
        assert_eq!(figures.line(), "412 of 1,030 revisited: 380 changed, 32 not modified; 31 new");
        assert_eq!(RecrawlFigures::default().line(), "0 of 0 revisited; 0 new");
    }

    #[test]
    fn the_line_has_both_counts() {
        let known = RenderingSummary { rendered: 9, replayed: 2_991, known: 3, classes: Vec::new() };
        assert_eq!(rendering_line(&known), "9 pages by a browser, 2,991 by plain requests; 3 classes of pages");
        let one = RenderingSummary { rendered: 1, known: 1, ..RenderingSummary::default() };
        assert_eq!(rendering_line(&one), "1 page by a browser, 0 by plain requests; 1 class of pages");
    }

    #[test]
    fn a_class_has_a_line_for_each_request() {
        let class = RenderClassSummary {
            pages: 3_000,
            rendered: 9,
            replayed: 2_991,
            need: "needed".into(),
            gain: 12.46,
            replay: Some("ready".into()),
            requests: Some("{page}/replies\n{page}/votes".to_owned()),
            ..RenderClassSummary::default()
        };
        let facts = render_class_facts(&class);
        let names: Vec<&str> = facts.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["pages", "need", "replay", "request", "request"]);
        assert_eq!(facts[0].1, "3,000, 9 rendered, 2,991 replayed");
        assert!(facts[1].1.starts_with("needed: rendering adds 12.5 links"), "{}", facts[1].1);
        let open = RenderClassSummary { need: "open".into(), ..RenderClassSummary::default() };
        assert_eq!(render_class_facts(&open)[1].1, "open: no page was rendered so far");
    }
}
