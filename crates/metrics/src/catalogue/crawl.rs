//! The crawl as a whole, and what waits for its turn.

use super::super::instrument::{CounterByPair, Gauge, Info, Ratio, RatioBy, SecondsCounter};
use super::*;
use harvestman_core::model::{Budget, Fate, PolicyRefusal, RobotsRefusal};

group! {
    /// The program.
    pub struct BuildMetrics {
        /// Always 1; its label says which version of the program this is.
        info: Info = "harvestman_build_info" by "version" in VERSIONS;
    }
}

group! {
    /// The crawl as a whole.
    pub struct CrawlMetrics {
        /// Always 1; its labels say what the crawl was set to: the policy, the order of filter and dedup, and what keeps the URLs seen.
        info: Info = "harvestman_crawl_info" by "policy" in POLICIES, "order" in FILTER_ORDERS, "store" in DEDUP_STORES;
        /// Links discovered, seeds included; the sum of all fates and of what waits in the frontier or is leased.
        discovered: Counter = "harvestman_crawl_discovered_total";
        /// Links whose fate is decided, by fate and reason; what is still queued is not among them. Many `failed` mean that servers fail,
        /// refuse the crawler, or that links lead nowhere: the reason says which.
        fates: CounterByPair = "harvestman_crawl_fates_total" by "fate" in FATES, "reason" in FATE_REASONS;
        /// Pages fetched with success: the links whose fate is `fetched`.
        pages: Counter = "harvestman_crawl_pages_total";
        /// Share of a budget that is left, from 1 to 0; 1 where there is no such budget. The crawl ends when one is at 0.
        budget_remaining: RatioBy = "harvestman_crawl_budget_remaining_ratio" by "budget" in BUDGETS;
        /// 1 while the crawl rests because somebody has asked it to, 0 else.
        paused: Gauge = "harvestman_crawl_paused";
        /// 1 when the crawl only finishes what is under way, because it was asked to stop or has to, and when it has ended, 0 else.
        stopping: Gauge = "harvestman_crawl_stopping";
        /// What the running crawl was told to do, by command and by whether it was done or refused.
        commands: CounterByPair = "harvestman_crawl_commands_total" by "command" in COMMANDS, "result" in ANSWERS;
    }
}

impl CrawlMetrics {
    /// Has all that can be counted be there from the start.
    pub(crate) fn begin(&mut self) {
        for fate in labels::FATES {
            let reasons: &[&str] = match *fate {
                "failed" => labels::FAILURES,
                "out_of_scope" => labels::SCOPE_REFUSALS,
                "policy" => PolicyRefusal::LABELS,
                "robots" => RobotsRefusal::LABELS,
                "over_budget" => Budget::LABELS,
                _ => &[""],
            };
            self.fates.begin(fate, reasons.iter().copied());
        }
        for command in labels::COMMANDS {
            self.commands.begin(command, labels::ANSWERS.iter().copied());
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
    /// The frontier: URLs that wait for their fetch.
    pub struct FrontierMetrics stage "frontier" {
        received: "URLs that came into the frontier: new links that were accepted. What an earlier run left is not counted again.",
        sent: "Leases of URLs to hosts, each try counted.",
        dropped by FRONTIER_REFUSALS: "URLs that were turned away by a limit on what may wait, or let go while they waited because the policy wants them no more, by reason."
    } {
        /// Leases that ended without an outcome, so that the URL waits again: tries that failed for the moment, and hosts that must be
        /// left alone all at once.
        returned: Counter = "harvestman_frontier_returned_total";
        /// URLs that wait. Rising without end it will meet `frontier.queued_max`.
        queued: Gauge = "harvestman_frontier_queued_urls";
        /// URLs handed out whose outcome is not recorded yet.
        leased: Gauge = "harvestman_frontier_leased_urls";
        /// URLs whose outcome is written to the archive and not yet kept in the state. Near `frontier.in_flight_max` the disk is what the
        /// crawl waits for.
        unkept: Gauge = "harvestman_frontier_unkept_urls";
        /// Hosts that have, or have had, URLs in the frontier.
        hosts: Gauge = "harvestman_frontier_hosts";
        /// URLs that were lost to this run because the file of waiting URLs could not be read. More than 0 ends the crawl; the state has
        /// them still.
        lost: Gauge = "harvestman_frontier_lost_urls";
        /// Time that the frontier spent taking in outcomes and handing out leases. It is one thread: near one second a second it is
        /// what bounds the crawl.
        busy_seconds: SecondsCounter = "harvestman_frontier_busy_seconds_total";
        /// Time that the frontier waited for the state to take its changes. Rising fast it means that the disk is too slow.
        waiting_seconds: SecondsCounter = "harvestman_frontier_waiting_seconds_total";
        /// What the policy expected of the URLs that were handed out lately: the moving mean of their scores, 1 where it is more.
        expected_worth: Ratio = "harvestman_frontier_expected_worth_ratio";
        /// Share of the next requests expected to bring a page that is wanted and new, where the policy estimates it; below
        /// `budget.early_stop` the crawl ends.
        expected_yield: Ratio = "harvestman_frontier_expected_yield_ratio";
    }
}
