//! The crawl as a whole, and the frontier.

use super::super::instrument::{CounterByPair, Gauge, Info, OTHER, Ratio, RatioBy, SecondsCounter};
use super::*;
use harvestman_core::model::{Budget, Fate, PolicyRefusal, RobotsRefusal};

group! {
    /// The program.
    pub struct BuildMetrics {
        /// Always 1; its label is the version of the program.
        info: Info = "harvestman_build_info" by "version" in VERSIONS;
    }
}

group! {
    /// The crawl as a whole.
    pub struct CrawlMetrics {
        /// Always 1; its labels are the settings of the crawl: the policy, the order of filter and dedup, and the store
        /// of the URLs seen.
        info: Info = "harvestman_crawl_info" by "policy" in POLICIES, "order" in FILTER_ORDERS, "store" in DEDUP_STORES;
        /// Links discovered, including seeds: the sum of all fates and of the links that are queued in the frontier or
        /// leased.
        discovered: Counter = "harvestman_crawl_discovered_total";
        /// Links with a settled fate, by fate and reason, without those still queued. Many `failed` mean that servers
        /// fail or refuse the crawler, or that links are dead: see the reason.
        fates: CounterByPair = "harvestman_crawl_fates_total" by "fate" in FATES, "reason" in FATE_REASONS;
        /// Pages fetched successfully: the links with the fate `fetched`.
        pages: Counter = "harvestman_crawl_pages_total";
        /// Remaining share of a budget, from 1 to 0; 1 if there is no such budget. The crawl ends when one reaches 0.
        budget_remaining: RatioBy = "harvestman_crawl_budget_remaining_ratio" by "budget" in BUDGETS;
        /// 1 while the crawl is paused by command, otherwise 0.
        paused: Gauge = "harvestman_crawl_paused";
        /// 1 when the crawl only completes the requests in progress, because of a stop command or another reason to
        /// end, and when it has ended, otherwise 0.
        stopping: Gauge = "harvestman_crawl_stopping";
        /// Commands to the running crawl, by command and by result: done or refused.
        commands: CounterByPair = "harvestman_crawl_commands_total" by "command" in COMMANDS, "result" in ANSWERS;
    }
}

impl CrawlMetrics {
    /// Creates all countable series at the start.
    pub(crate) fn begin(&mut self) {
        for fate in labels::FATES {
            let reasons: &[&str] = match *fate {
                "failed" => labels::FAILURES,
                "out_of_scope" => labels::SCOPE_REFUSALS,
                "policy" => PolicyRefusal::LABELS,
                "robots" => RobotsRefusal::LABELS,
                "over_budget" => Budget::LABELS,
                "refused_by_site" => labels::HOST_SIGNALS,
                "not_kept" => labels::SIGNALS,
                _ => &[""],
            };
            self.fates.begin(fate, reasons.iter().copied());
        }
        for command in labels::COMMANDS {
            self.commands.begin(command, labels::ANSWERS.iter().copied());
        }
        self.set_budgets(&[]);
    }

    /// Sets the remaining share of each budget, given by its label; it is 1 for all budgets that are not given.
    pub fn set_budgets(&self, remaining: &[(&str, f64)]) {
        for budget in labels::BUDGETS.iter().copied().chain([OTHER]) {
            let given = remaining.iter().find(|(label, _)| *label == budget);
            self.budget_remaining.by(budget).set(given.map_or(1.0, |(_, share)| *share));
        }
    }

    /// Counts `count` links of one fate.
    pub fn count_fate(&self, fate: Fate, count: u64) {
        self.fates.by(fate.name(), fate.reason().unwrap_or_default()).add(count);
        if fate == Fate::Fetched {
            self.pages.add(count);
        }
    }
}

group! {
    /// The frontier: URLs that wait to be fetched.
    pub struct FrontierMetrics stage "frontier" {
        received: "URLs that entered the frontier: accepted new links. URLs from an earlier run are not counted again.",
        sent: "Leases of URLs to hosts; each try counts.",
        dropped by FRONTIER_REFUSALS: "URLs that were rejected by a limit on waiting URLs, or dropped while they waited because the policy does not want them any more, by reason."
    } {
        /// Leases that ended without an outcome, so that the URL waits again: transient failures, and hosts that
        /// suddenly must not be contacted.
        returned: Counter = "harvestman_frontier_returned_total";
        /// URLs that wait. If it rises without end, it reaches `frontier.queued_max`.
        queued: Gauge = "harvestman_frontier_queued_urls";
        /// Leased URLs whose outcome is not recorded yet.
        leased: Gauge = "harvestman_frontier_leased_urls";
        /// URLs whose outcome is written to the archive but not yet committed to the state. Near
        /// `frontier.in_flight_max` the disk is the bottleneck.
        uncommitted: Gauge = "harvestman_frontier_uncommitted_urls";
        /// URLs that this run lost because the file of waiting URLs could not be read. More than 0 ends the crawl; the
        /// state still has them.
        lost: Gauge = "harvestman_frontier_lost_urls";
        /// Time that the frontier spent processing outcomes and issuing leases. It is one thread: near one second per
        /// second it is the bottleneck of the crawl.
        busy_seconds: SecondsCounter = "harvestman_frontier_busy_seconds_total";
        /// Time that the frontier waited for the state to accept its changes. A fast rise means that the disk is too
        /// slow.
        waiting_seconds: SecondsCounter = "harvestman_frontier_waiting_seconds_total";
        /// The policy's expectation for the URLs leased recently: the moving mean of their scores, at most 1.
        expected_worth: Ratio = "harvestman_frontier_expected_worth_ratio";
        /// Share of the next requests that are expected to bring a page that is wanted and new, if the policy estimates
        /// it; the crawl ends when it is below `budget.early_stop`.
        expected_yield: Ratio = "harvestman_frontier_expected_yield_ratio";
    }
}
