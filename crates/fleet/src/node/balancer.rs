//! The leader keeps the load even. What it writes is a key, by compare-and-swap: whoever leads next goes on from there.
//!
//! At first it looks sooner and then less and less often, as most of what is known of hosts comes early: what was fetched before partitions
//! move was fetched by the wrong node.

use std::time::Duration;

use super::bus_client::SwapOutcome;
use super::context::NodeContext;
use super::placement::{known, place};
use super::records::{self, PLACEMENT};
use super::view::FleetView;
use harvestman_core::clock::Instant;

/// What the leader remembers of it.
#[derive(Default)]
pub(super) struct Balancer {
    looked: Option<Instant>,
    /// How often it has.
    looks: u32,
}

/// So many times it looks sooner: the first time after an eighth of the usual period, then after a quarter, then after half of it.
const SOONER: u32 = 3;

/// How long after the look before, or after the start, it looks for the next time.
fn pause(period: Duration, looks: u32) -> Duration {
    period / (1 << SOONER.saturating_sub(looks))
}

impl Balancer {
    /// Looks whether something is to move, if it is time or if people ask for it.
    pub(super) async fn look(&mut self, context: &NodeContext) {
        let now = context.clock.now();
        let looked = *self.looked.get_or_insert(now);
        let period = context.options.balance;
        let is_due = !period.is_zero() && now.since(looked) >= pause(period, self.looks);
        let (placement, revision) = {
            let view = context.view.lock();
            let asked = asked(&view);
            // While partitions move it cannot be told yet; that is no look.
            if (!is_due && asked.is_none()) || known(&view, &context.options.partitions).is_none() {
                return;
            }
            let placement = place(&view, &context.options.partitions, asked);
            (placement, view.placement.as_ref().map(|(_, revision)| *revision))
        };
        if is_due {
            self.looked = Some(now);
            self.looks = self.looks.saturating_add(1);
        }
        let Some(placement) = placement else { return };
        let value = records::written(&placement);
        // Where somebody else has written it, it is looked anew next time.
        if let SwapOutcome::Done(revision) = context.client.swap(PLACEMENT, &value, revision).await {
            tracing::info!(moved = placement.moved.len(), "partitions move so that the load is even");
            context.wrote(PLACEMENT.to_owned(), value, revision);
        }
    }
}

/// The number of the request that is not answered yet.
fn asked(view: &FleetView) -> Option<u64> {
    let answered = view.placement.as_ref().map_or(0, |(placement, _)| placement.answered);
    let asked = view.rebalance.as_ref().map_or(0, |(rebalance, _)| rebalance.asked);
    (asked > answered).then_some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_looks_less_and_less_often_until_the_usual_period_is_reached() {
        let of = |looks| pause(Duration::from_secs(10), looks).as_millis();
        assert_eq!([0, 1, 2, 3, 4, u32::MAX].map(of), [1_250, 2_500, 5_000, 10_000, 10_000, 10_000]);
    }
}
