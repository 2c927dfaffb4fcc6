//! The funnel: from the links discovered to the pages fetched. The live page and the report both take it from here.

use serde::Serialize;

use harvestman_core::model::{Fate, FateCount, FateTable};

/// One step of the funnel.
///
/// The steps are, in the order of the pipeline, `discovered`, `wanted`, `new`, `requested` and `pages`. The count of a
/// step and what it lost (`gone`) add up to the count of the step before.
///
/// # Links and URLs
/// The steps up to `wanted` count **links**: a URL that is linked from a hundred pages counts a hundred times. The
/// scope, the depth limit and the policy check every link, as refused links are not remembered. Then the set of URLs
/// seen removes links to URLs that are known (`duplicate`), and in a fleet links to hosts of other nodes leave
/// (`handed_over`; each is discovered again by the node that gets it). From `new` on each **URL** counts once, at the
/// node that owns its host.
///
/// One fate is out of this order: URLs that are banned or found to be in a trap while they wait leave with the fate
/// `policy`, and so at `wanted`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunnelStep {
    /// The name of the step in files and metrics.
    pub stage: &'static str,
    /// What it counts, for people.
    pub name: &'static str,
    /// Links or URLs that reached it.
    pub count: u64,
    /// What reached the step before and not this one, by reason, the largest first.
    pub gone: Vec<FunnelExit>,
}

/// Links or URLs that left the funnel for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunnelExit {
    /// The fate, with its reason if it has one: `failed: http_404`. Of `queued`, what is being fetched is `leased`.
    pub reason: String,
    /// The number of links, or of URLs.
    pub count: u64,
}

/// Where the funnel counts links and where URLs, for people.
pub const FUNNEL_UNITS: &str = "The first two steps count links: a URL linked from a hundred pages counts a hundred times. From the third \
                                on each URL counts once.";

/// The first step.
const DISCOVERED: (&str, &str) = ("discovered", "links discovered");
/// The further steps.
const STEPS: [(&str, &str); 4] = [
    ("wanted", "links in scope and wanted"),
    ("new", "new URLs"),
    ("requested", "URLs requested"),
    ("pages", "pages fetched"),
];
/// Beyond the funnel: responses to requests for robots.txt and responses that are no pages are archived too.
const ARCHIVED: (&str, &str) = ("archived", "exchanges archived");

/// Returns the place in [`STEPS`] of the step that links with this fate do not reach; none for those that reach all.
/// Fates that this version does not know count as requested without success.
fn missed(row: &FateCount<'_>) -> Option<usize> {
    match (row.fate, row.reason) {
        ("out_of_scope" | "policy", _) | ("over_budget", "depth") => Some(0),
        ("duplicate" | "handed_over", _) => Some(1),
        ("robots" | "refused_by_site" | "over_budget" | "queued", _) => Some(2),
        ("fetched", _) => None,
        _ => Some(3),
    }
}

/// Builds the funnel of a crawl from the fates of its links, of which those that wait are `queued`. `leased` of the
/// latter are being fetched.
pub fn funnel(fates: &FateTable, leased: u64) -> Vec<FunnelStep> {
    let mut gone: [Vec<FunnelExit>; STEPS.len()] = Default::default();
    for row in fates.iter() {
        if let Some(step) = missed(&row) {
            gone[step].extend(FunnelExit::of(&row, leased));
        }
    }
    let mut left = fates.total();
    let step = |(stage, name), count, gone| FunnelStep { stage, name, count, gone };
    let mut steps = vec![step(DISCOVERED, left, Vec::new())];
    for (names, mut gone) in STEPS.into_iter().zip(gone) {
        gone.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.reason.cmp(&b.reason)));
        left = left.saturating_sub(gone.iter().map(|gone| gone.count).sum());
        steps.push(step(names, left, gone));
    }
    steps
}

impl FunnelStep {
    /// The step after the last, where exchanges are archived. It takes no part in the sums: exchanges for robots.txt
    /// and responses that are no pages are archived too.
    pub const fn archived(count: u64) -> Self {
        Self { stage: ARCHIVED.0, name: ARCHIVED.1, count, gone: Vec::new() }
    }
}

impl FunnelExit {
    fn of(row: &FateCount<'_>, leased: u64) -> Vec<Self> {
        let gone = |reason: &str, count| Self { reason: reason.to_owned(), count };
        let leased = if row.fate == Fate::Queued.name() { leased.min(row.count) } else { 0 };
        let reason = if row.reason.is_empty() { row.fate.to_owned() } else { format!("{}: {}", row.fate, row.reason) };
        let all = [gone(&reason, row.count - leased), gone("leased", leased)];
        all.into_iter().filter(|gone| gone.count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use harvestman_core::model::{Budget, Failure, OutOfScope, PolicyRefusal, RobotsRefusal, Signal};

    const FATES: [Fate; 16] = [
        Fate::Fetched,
        Fate::Redirected,
        Fate::Duplicate,
        Fate::OutOfScope(OutOfScope::Host),
        Fate::Policy(PolicyRefusal::LinkClass),
        Fate::Robots(RobotsRefusal::Disallowed),
        Fate::Failed(Failure::Http(404)),
        Fate::UnwantedType,
        Fate::Queued,
        Fate::NotModified,
        Fate::HandedOver,
        Fate::OverBudget(Budget::Depth),
        Fate::OverBudget(Budget::HostPages),
        Fate::RefusedBySite(Signal::ContentUsage),
        Fate::NotKept(Signal::Noarchive),
        Fate::PaymentRequired,
    ];

    fn table(counts: &[u64]) -> FateTable {
        let mut fates = FateTable::default();
        FATES.iter().zip(counts).for_each(|(fate, count)| fates.add(*fate, *count));
        fates
    }

    #[test]
    fn each_step_has_its_count_and_the_reasons_of_what_is_gone() {
        let steps = funnel(&table(&[7, 1, 20, 3, 4, 2, 5, 0, 6, 0, 8, 9, 1]), 2);
        let counts: Vec<_> = steps.iter().map(|step| (step.stage, step.count)).collect();
        assert_eq!(counts, [("discovered", 66), ("wanted", 50), ("new", 22), ("requested", 13), ("pages", 7)]);
        let gone = |at: usize| steps[at].gone.iter().map(|gone| (gone.reason.as_str(), gone.count)).collect::<Vec<_>>();
        assert_eq!(gone(1), [("over_budget: depth", 9), ("policy: link_class", 4), ("out_of_scope: host", 3)]);
        assert_eq!(gone(2), [("duplicate", 20), ("handed_over", 8)]);
        assert_eq!(gone(3), [("queued", 4), ("leased", 2), ("robots: disallowed", 2), ("over_budget: host_pages", 1)]);
        assert_eq!(gone(4), [("failed: http_404", 5), ("redirected", 1)]);
    }

    #[test]
    fn every_fate_has_a_step_and_an_unknown_one_the_last() {
        for (fate, name) in FATES.iter().map(|fate| (fate, fate.name())) {
            assert!(Fate::NAMES.contains(&name));
            let row = FateCount { fate: name, reason: fate.reason().unwrap_or_default(), count: 1 };
            assert_eq!(missed(&row).is_none(), *fate == Fate::Fetched);
        }
        let mut fates = table(&[3]);
        fates.add_named("eaten", "by a bear", 2);
        assert_eq!(funnel(&fates, 0).last().map(|step| (step.count, step.gone.len())), Some((3, 1)));
    }

    proptest! {
        #[test]
        fn steps_and_what_is_gone_add_up_and_end_with_the_pages(
            counts in prop::collection::vec(0..1_000_u64, FATES.len()), leased in 0..50_u64,
        ) {
            let fates = table(&counts);
            let steps = funnel(&fates, leased);
            prop_assert_eq!(steps[0].count, fates.total());
            for pair in steps.windows(2) {
                let gone: u64 = pair[1].gone.iter().map(|gone| gone.count).sum();
                prop_assert_eq!(pair[0].count, pair[1].count + gone);
            }
            prop_assert_eq!(steps.last().map(|step| step.count), Some(fates.of(Fate::Fetched)));
        }
    }
}
