//! The way of links through the crawl as a funnel: each stage is what the one before it has left.

use serde::Serialize;

use super::CrawlStatus;
use harvestman_core::model::Fate;

/// A stage of the funnel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stage {
    /// Its name.
    pub stage: &'static str,
    /// Links that came so far.
    pub count: u64,
    /// What went no further than the stage before, by reason, the commonest first. `count` and these add up to that stage's count.
    pub gone: Vec<Gone>,
}

/// What went no further.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gone {
    /// The fate, with its reason where it has one: `failed: http_404`.
    pub reason: String,
    /// How many links.
    pub count: u64,
}

/// The stages after the first, by name.
const STAGES: [&str; 4] = ["wanted", "new", "requested", "pages"];

/// The stage that a link with this fate did not reach; none where it reached all.
const fn missed(fate: Fate) -> Option<usize> {
    match fate {
        Fate::OutOfScope(_) | Fate::Policy(_) => Some(0),
        Fate::Duplicate | Fate::HandedOver => Some(1),
        Fate::Robots(_) | Fate::OverBudget(_) | Fate::Queued => Some(2),
        Fate::Redirected | Fate::Failed(_) | Fate::UnwantedType | Fate::NotModified => Some(3),
        Fate::Fetched => None,
    }
}

/// What became of the links of a crawl, stage by stage. Where exchanges are archived, their number is the last stage: that is no
/// part of the sum, as robots.txt and answers that are no pages are archived too.
pub fn funnel(status: &CrawlStatus, archived: Option<u64>) -> Vec<Stage> {
    let mut gone: [Vec<Gone>; STAGES.len()] = Default::default();
    for (fate, count) in status.fates.iter().filter(|(_, count)| *count > 0) {
        let Some(at) = missed(fate) else { continue };
        if fate == Fate::Queued {
            let leased = status.leased.min(count);
            gone[at].extend(
                [("queued", count - leased), ("leased", leased)].map(|(reason, count)| Gone::of(reason, count)),
            );
        } else {
            let reason = fate.reason().map_or_else(|| fate.name().to_owned(), |why| format!("{}: {why}", fate.name()));
            gone[at].push(Gone { reason, count });
        }
    }
    let mut left = status.discovered;
    let mut stages = vec![Stage { stage: "discovered", count: left, gone: Vec::new() }];
    for (stage, mut gone) in STAGES.into_iter().zip(gone) {
        gone.retain(|gone| gone.count > 0);
        gone.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.reason.cmp(&b.reason)));
        left = left.saturating_sub(gone.iter().map(|gone| gone.count).sum());
        stages.push(Stage { stage, count: left, gone });
    }
    stages.extend(archived.map(|count| Stage { stage: "archived", count, gone: Vec::new() }));
    stages
}

impl Gone {
    fn of(reason: &str, count: u64) -> Self {
        Self { reason: reason.to_owned(), count }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use harvestman_core::model::{Failure, Fates, OutOfScope, PolicyRefusal, RobotsRefusal};

    const FATES: [Fate; 11] = [
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
    ];

    fn status(counts: &[u64], leased: u64) -> CrawlStatus {
        let mut fates = Fates::default();
        FATES.iter().zip(counts).for_each(|(fate, count)| fates.add(*fate, *count));
        CrawlStatus { discovered: fates.total(), fates, leased, ..CrawlStatus::default() }
    }

    #[test]
    fn each_stage_says_what_went_no_further_and_why() {
        let stages = funnel(&status(&[7, 1, 20, 3, 4, 2, 5, 0, 6, 0], 2), Some(13));
        let counts: Vec<_> = stages.iter().map(|stage| (stage.stage, stage.count)).collect();
        let expected =
            [("discovered", 48), ("wanted", 41), ("new", 21), ("requested", 13), ("pages", 7), ("archived", 13)];
        assert_eq!(counts, expected);
        let gone =
            |at: usize| stages[at].gone.iter().map(|gone| (gone.reason.as_str(), gone.count)).collect::<Vec<_>>();
        assert_eq!(gone(1), [("policy: link_class", 4), ("out_of_scope: host", 3)]);
        assert_eq!(gone(3), [("queued", 4), ("leased", 2), ("robots: disallowed", 2)]);
        assert_eq!(gone(4), [("failed: http_404", 5), ("redirected", 1)]);
    }

    proptest! {
        #[test]
        fn stages_and_what_is_gone_add_up_and_end_with_the_pages(
            counts in prop::collection::vec(0..1_000_u64, FATES.len()), leased in 0..50_u64,
        ) {
            let status = status(&counts, leased);
            let stages = funnel(&status, None);
            for pair in stages.windows(2) {
                let gone: u64 = pair[1].gone.iter().map(|gone| gone.count).sum();
                prop_assert_eq!(pair[0].count, pair[1].count + gone);
            }
            prop_assert_eq!(stages.last().map(|stage| stage.count), Some(status.fates.of(Fate::Fetched)));
        }
    }
}
