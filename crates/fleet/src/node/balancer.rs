//! Keeps the load even while this node leads. The placement is a key written by compare-and-swap, from which the next
//! leader continues.
//!
//! The first checks come sooner than later ones, because most hosts are discovered early and pages fetched before a
//! partition moves were fetched by the wrong node.

use std::time::Duration;

use super::bus_client::SwapOutcome;
use super::context::NodeContext;
use super::placement::{known, place};
use super::records::{self, PLACEMENT};
use super::view::FleetView;
use harvestman_core::clock::Instant;

/// State that the leader keeps between checks.
#[derive(Default)]
pub(super) struct Balancer {
    checked: Option<Instant>,
    /// The number of checks so far.
    checks: u32,
}

/// The number of early checks: the first comes after an eighth of the regular period, then after a quarter, then after
/// half of it.
const EARLY_CHECKS: u32 = 3;

/// Returns the delay from the previous check, or from the start, to the next.
fn pause(period: Duration, checks: u32) -> Duration {
    period / (1 << EARLY_CHECKS.saturating_sub(checks))
}

impl Balancer {
    /// Rebalances if a check is due or was requested.
    pub(super) async fn check(&mut self, context: &NodeContext) {
        let now = context.clock.now();
        let checked = *self.checked.get_or_insert(now);
        let period = context.options.balance;
        let is_due = !period.is_zero() && now.since(checked) >= pause(period, self.checks);
        let (placement, revision) = {
            let view = context.view.lock();
            let asked = asked(&view);
            // While partitions are moving the balance is unknown; this does not count as a check.
            if (!is_due && asked.is_none()) || known(&view, &context.options.partitions).is_none() {
                return;
            }
            let placement = place(&view, &context.options.partitions, asked);
            (placement, view.placement.as_ref().map(|(_, revision)| *revision))
        };
        if is_due {
            self.checked = Some(now);
            self.checks = self.checks.saturating_add(1);
        }
        let Some(placement) = placement else { return };
        let value = records::written(&placement);
        // If another session has written the key, the next check starts from its value.
        if let SwapOutcome::Done(revision) = context.client.swap(PLACEMENT, &value, revision).await {
            tracing::info!(moved = placement.moved.len(), "moving partitions to balance the load");
            context.wrote(PLACEMENT.to_owned(), value, revision);
        }
    }
}

/// Returns the number of the request that is not yet answered.
fn asked(view: &FleetView) -> Option<u64> {
    let answered = view.placement.as_ref().map_or(0, |(placement, _)| placement.answered);
    let asked = view.rebalance.as_ref().map_or(0, |(rebalance, _)| rebalance.asked);
    (asked > answered).then_some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_checks_less_and_less_often_until_the_usual_period_is_reached() {
        let of = |checks| pause(Duration::from_secs(10), checks).as_millis();
        assert_eq!([0, 1, 2, 3, 4, u32::MAX].map(of), [1_250, 2_500, 5_000, 10_000, 10_000, 10_000]);
    }
}
