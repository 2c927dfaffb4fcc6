//! Adds up reports, snapshots and counts of page logs.

use std::collections::BTreeMap;

use super::own_figures::{OwnFigures, Totals};
use crate::sections::nodes::LineCounts;
use harvestman_core::model::SearchRecord;

/// The maximum numbers of hosts, traps and capped delays that are stored.
const TROUBLES_MAX: usize = 10;
const TRAPS_MAX: usize = 50;
const CAPPED_MAX: usize = 20;

/// Accumulates sums.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    totals: Totals,
    /// The number of items added.
    added: u64,
}

impl Sums {
    /// Adds a report, a snapshot or other sums. Open links of a snapshot count as `queued`.
    pub fn add(&mut self, own: &OwnFigures<'_>) {
        let totals = &mut self.totals;
        add(&mut totals.pages, own.pages);
        add(&mut totals.requests, own.requests);
        add(&mut totals.bytes, own.bytes);
        add(&mut totals.discovered, own.discovered);
        if let Some(queued) = own.queued {
            add(totals.queued.get_or_insert_default(), queued.saturating_add(own.leased));
        }
        totals.fates.merge(&own.fates_with_open());
        add_all(&mut totals.statuses, own.statuses);
        add_all(&mut totals.errors, own.errors);
        totals.troubles.extend_from_slice(own.troubles);
        totals.troubles.sort_by_key(|trouble| std::cmp::Reverse(trouble.failed));
        totals.troubles.truncate(TROUBLES_MAX);
        totals.traps.extend_from_slice(own.traps);
        totals.traps.sort_by_key(|trap| std::cmp::Reverse(trap.refused));
        totals.traps.truncate(TRAPS_MAX);
        totals.wanted = totals.wanted.max(own.wanted);
        let queries = |searches: Option<&SearchRecord>| searches.map(|searches| searches.queries);
        if queries(own.searches) > queries(totals.searches.as_ref()) {
            totals.searches = own.searches.cloned();
        }
        add(&mut totals.crawl_delays_capped_hosts, own.crawl_delays_capped_hosts);
        totals.crawl_delays_capped.extend_from_slice(own.crawl_delays_capped);
        totals.crawl_delays_capped.sort_by(|a, b| b.asked_seconds.total_cmp(&a.asked_seconds));
        totals.crawl_delays_capped.truncate(CAPPED_MAX);
        let cpu = own.cpu_seconds;
        totals.cpu_seconds = if self.added == 0 { cpu } else { totals.cpu_seconds.zip(cpu).map(|(a, b)| a + b) };
        self.added += 1;
    }

    /// Adds the counts that a page log has of sessions without a report. Their CPU time is unknown, and so is the
    /// total.
    pub fn add_log(&mut self, counted: &LineCounts, statuses: &BTreeMap<u16, u64>) {
        let totals = &mut self.totals;
        add(&mut totals.pages, counted.pages);
        add(&mut totals.requests, counted.requests);
        add(&mut totals.bytes, counted.bytes);
        add(&mut totals.discovered, counted.lines);
        add_all(&mut totals.statuses, statuses);
        if counted.lines > 0 {
            self.forget_cpu();
        }
    }

    /// Adds links by the names of their fate and reason.
    pub fn add_fate(&mut self, fate: String, reason: String, count: u64) {
        self.totals.fates.add_named(fate, reason, count);
    }

    /// Discards the CPU time, as that of one session is unknown.
    pub fn forget_cpu(&mut self) {
        self.totals.cpu_seconds = None;
    }

    /// Returns the sums.
    pub fn finish(self) -> Totals {
        self.totals
    }
}

/// Adds without overflow: the counts come from files.
fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

fn add_all<K: Ord + Clone>(sums: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
    for (name, count) in more {
        add(sums.entry(name.clone()).or_default(), *count);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::sections::fates::account;
    use crate::{CrawlStatus, Report, read_object};
    use harvestman_core::model::Fate;

    fn report(value: &serde_json::Value) -> Report {
        read_object("report.json", value.to_string().as_bytes()).unwrap()
    }

    fn status(value: &serde_json::Value) -> CrawlStatus {
        read_object("status", value.to_string().as_bytes()).unwrap()
    }

    fn sums(reports: &[serde_json::Value]) -> Totals {
        let mut sums = Sums::default();
        reports.iter().map(report).for_each(|report| sums.add(&(&report).into()));
        sums.finish()
    }

    #[test]
    fn counts_and_tables_are_added_by_name_and_the_worst_hosts_kept() {
        let sums = sums(&[
            json!({
                "pages": 3, "requests": 5, "fates": {"fetched": 3, "failed": {"dns": 1}}, "statuses": {"200": 3}, "cpu_seconds": 1.5,
                "troubles": [{"host": "a", "failed": 1}],
            }),
            json!({
                "pages": 4, "bytes": 9, "fates": {"fetched": 4, "failed": {"dns": 2, "tls": 1}}, "statuses": {"200": 4, "404": 1},
                "cpu_seconds": 2.0, "troubles": [{"host": "b", "failed": 7}],
            }),
        ]);
        assert_eq!((sums.pages, sums.requests, sums.bytes), (7, 5, 9));
        let json = serde_json::to_value(&sums).unwrap();
        assert_eq!(json["fates"], json!({"fetched": 7, "failed": {"dns": 3, "tls": 1}}));
        assert_eq!(json["statuses"], json!({"200": 7, "404": 1}));
        assert_eq!((sums.cpu_seconds, sums.troubles[0].host.as_str()), (Some(3.5), "b"));
    }

    #[test]
    fn of_many_traps_those_that_refused_most_are_kept() {
        let trap = |refused: u64| json!({"form": "http://a.example/N/", "refused": refused});
        let node =
            |from: u64| json!({"traps": (0..TRAPS_MAX as u64).map(|at| trap(from + 2 * at)).collect::<Vec<_>>()});
        let refused: Vec<u64> = sums(&[node(0), node(1)]).traps.iter().map(|trap| trap.refused).collect();
        assert_eq!(refused, (50..100).rev().collect::<Vec<u64>>());
    }

    #[test]
    fn processor_time_is_that_of_all_or_none() {
        let sums = sums(&[json!({"cpu_seconds": 1.0}), json!({}), json!({"cpu_seconds": 1.0})]);
        assert_eq!(sums.cpu_seconds, None);
    }

    #[test]
    fn open_links_of_a_running_crawl_are_queued() {
        let mut sums = Sums::default();
        sums.add(&(&report(&json!({"discovered": 9, "fates": {"fetched": 4, "queued": 5}}))).into());
        for running in [
            json!({"discovered": 9, "queued": 4, "leased": 1, "fates": {"fetched": 4}}),
            json!({"discovered": 1, "queued": 1, "leased": 0, "fates": {"queued": 1}}),
        ] {
            sums.add(&(&status(&running)).into());
        }
        let sums = sums.finish();
        assert_eq!((sums.fates.of(Fate::Queued), sums.queued), (11, Some(6)));
        assert!(account(&(&sums).into()).unwrap().adds_up);
    }

    #[test]
    fn a_fate_with_reasons_and_one_without_are_added() {
        let mut sums = Sums::default();
        for odd in [json!({"fates": {"failed": 3}}), json!({"fates": {"failed": {"dns": 1}}, "bytes": u64::MAX})] {
            sums.add(&(&report(&odd)).into());
        }
        sums.add(&(&report(&json!({"bytes": 1}))).into());
        sums.add_fate("failed".to_owned(), String::new(), 2);
        let json = serde_json::to_value(sums.finish()).unwrap();
        assert_eq!((&json["fates"], &json["bytes"]), (&json!({"failed": {"": 5, "dns": 1}}), &u64::MAX.into()));
    }

    proptest! {
        #[test]
        fn an_account_of_sums_adds_up_if_each_did(
            all in prop::collection::vec((0u64..50, 0u64..50, prop::option::of(0u64..50)), 0..8),
        ) {
            let mut sums = Sums::default();
            let mut discovered = 0;
            for (fetched, failed, robots) in &all {
                let sum = fetched + failed + robots.unwrap_or(0);
                discovered += sum;
                let fates = json!({"fetched": fetched, "failed": {"dns": failed}});
                sums.add(&(&report(&json!({"discovered": sum, "fates": fates}))).into());
                sums.add_fate("robots".to_owned(), "disallowed".to_owned(), robots.unwrap_or(0));
            }
            let sums = sums.finish();
            prop_assert_eq!(sums.discovered, discovered);
            if let Some(account) = account(&(&sums).into()) {
                prop_assert!(account.adds_up, "{:?}", account);
            }
        }
    }
}
