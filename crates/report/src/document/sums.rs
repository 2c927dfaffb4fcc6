//! Reports added up: counts, and tables of counts, by their names.

use serde_json::{Map, Value};

/// What is a count in a report.
const COUNTS: [&str; 5] = ["pages", "requests", "bytes", "discovered", "crawl_delays_capped_hosts"];
/// What is a table of counts.
const TABLES: [&str; 3] = ["fates", "statuses", "errors"];
/// Lists that are put together, with how many of each are kept.
const LISTS: [(&str, usize); 3] = [("troubles", 10), ("traps", 50), ("crawl_delays_capped", 20)];

/// Adds up reports, and snapshots of what runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    total: Map<String, Value>,
    /// Of all that were added; none where one does not say.
    cpu_seconds: Option<f64>,
    added: u64,
}

impl Sums {
    /// Adds a report, or other sums.
    pub fn add(&mut self, report: &Value) {
        for name in COUNTS {
            let count = report.get(name).and_then(Value::as_u64).unwrap_or(0);
            self.count(name, count);
        }
        for name in TABLES {
            if let Some(table) = report.get(name).and_then(Value::as_object) {
                add_table(self.table(name), table);
            }
        }
        for (name, _) in LISTS {
            let more = report.get(name).and_then(Value::as_array).into_iter().flatten();
            let list = self.total.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            if let Some(list) = list.as_array_mut() {
                list.extend(more.cloned());
            }
        }
        self.shorten();
        let cpu = report.get("cpu_seconds").and_then(Value::as_f64);
        self.cpu_seconds = if self.added == 0 { cpu } else { self.cpu_seconds.zip(cpu).map(|(a, b)| a + b) };
        self.added += 1;
    }

    /// Adds a snapshot of a crawl that runs: what is open is waiting.
    pub fn add_running(&mut self, status: &Value) {
        self.add(status);
        let open = ["queued", "leased"].iter().filter_map(|name| status.get(name)?.as_u64()).sum::<u64>();
        // The first snapshot of a run has them among its fates already.
        if status.get("fates").is_none_or(|fates| fates.get("queued").is_none()) {
            self.fate("queued", "", open);
        }
        self.count("queued", open);
    }

    /// Adds to a count.
    pub fn count(&mut self, name: &str, more: u64) {
        let before = self.of(name);
        self.total.insert(name.to_owned(), before.saturating_add(more).into());
    }

    /// Adds to a fate.
    pub fn fate(&mut self, fate: &str, reason: &str, more: u64) {
        if more > 0 {
            let count: Value = if reason.is_empty() { more.into() } else { serde_json::json!({ reason: more }) };
            add_table(self.table("fates"), &Map::from_iter([(fate.to_owned(), count)]));
        }
    }

    /// Adds to the answers of a status.
    pub fn status(&mut self, status: u16, more: u64) {
        add_table(self.table("statuses"), &Map::from_iter([(status.to_string(), more.into())]));
    }

    /// A count.
    pub fn of(&self, name: &str) -> u64 {
        self.total.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Processor time of all; none where one does not say.
    pub fn forget_cpu(&mut self) {
        self.cpu_seconds = None;
    }

    /// The sums, in the form of a report.
    pub fn finish(mut self) -> Map<String, Value> {
        if let Some(cpu) = self.cpu_seconds {
            self.total.insert("cpu_seconds".to_owned(), cpu.into());
        }
        self.total
    }

    fn table(&mut self, name: &str) -> &mut Map<String, Value> {
        let at = self.total.entry(name).or_insert(Value::Null);
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        match at {
            Value::Object(table) => table,
            _ => unreachable!("it was just made one"),
        }
    }

    /// Keeps the worst hosts, and the first traps.
    fn shorten(&mut self) {
        for (name, most) in LISTS {
            if let Some(list) = self.total.get_mut(name).and_then(Value::as_array_mut) {
                if name == "troubles" {
                    list.sort_by_key(|trouble| std::cmp::Reverse(trouble["failed"].as_u64().unwrap_or(0)));
                }
                if name == "crawl_delays_capped" {
                    let asked = |capped: &Value| capped["asked_seconds"].as_f64().unwrap_or(0.0);
                    list.sort_by(|a, b| asked(b).total_cmp(&asked(a)));
                }
                list.truncate(most);
            }
        }
    }
}

/// Adds a table to another, those within them too. Where one has a count and the other reasons, the count is of no reason.
fn add_table(total: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, more) in more {
        let before = total.remove(name);
        let sum = match (before, more) {
            (Some(Value::Object(mut before)), Value::Object(more)) => {
                add_table(&mut before, more);
                Value::Object(before)
            }
            (Some(Value::Object(mut before)), more) => {
                add_table(&mut before, &Map::from_iter([(String::new(), more.clone())]));
                Value::Object(before)
            }
            (Some(before), Value::Object(more)) => {
                let mut reasons = Map::from_iter([(String::new(), before)]);
                add_table(&mut reasons, more);
                Value::Object(reasons)
            }
            (Some(before), more) => before.as_u64().unwrap_or(0).saturating_add(more.as_u64().unwrap_or(0)).into(),
            (None, more) => more.clone(),
        };
        total.insert(name.clone(), sum);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::document::account;

    #[test]
    fn counts_and_tables_are_added_by_name_and_the_worst_hosts_kept() {
        let mut sums = Sums::default();
        sums.add(&json!({
            "pages": 3, "requests": 5, "fates": {"fetched": 3, "failed": {"dns": 1}}, "statuses": {"200": 3}, "cpu_seconds": 1.5,
            "troubles": [{"host": "a", "failed": 1}],
        }));
        sums.add(&json!({
            "pages": 4, "bytes": 9, "fates": {"fetched": 4, "failed": {"dns": 2, "tls": 1}}, "statuses": {"200": 4, "404": 1},
            "cpu_seconds": 2.0, "troubles": [{"host": "b", "failed": 7}],
        }));
        let sums = Value::Object(sums.finish());
        assert_eq!((&sums["pages"], &sums["requests"], &sums["bytes"]), (&7.into(), &5.into(), &9.into()));
        assert_eq!(sums["fates"], json!({"fetched": 7, "failed": {"dns": 3, "tls": 1}}));
        assert_eq!(sums["statuses"], json!({"200": 7, "404": 1}));
        assert_eq!((&sums["cpu_seconds"], &sums["troubles"][0]["host"]), (&3.5.into(), &"b".into()));
    }

    #[test]
    fn processor_time_is_that_of_all_or_of_none() {
        let mut sums = Sums::default();
        [json!({"cpu_seconds": 1.0}), json!({}), json!({"cpu_seconds": 1.0})]
            .iter()
            .for_each(|report| sums.add(report));
        assert_eq!(sums.finish().get("cpu_seconds"), None);
    }

    #[test]
    fn what_is_open_in_a_running_crawl_waits() {
        let mut sums = Sums::default();
        sums.add(&json!({"discovered": 9, "fates": {"fetched": 4, "queued": 5}}));
        sums.add_running(&json!({"discovered": 9, "queued": 4, "leased": 1, "fates": {"fetched": 4}}));
        sums.add_running(&json!({"discovered": 1, "queued": 1, "leased": 0, "fates": {"queued": 1}}));
        let sums = Value::Object(sums.finish());
        assert_eq!(sums["fates"]["queued"], 11);
        assert!(account(&sums).unwrap().adds_up);
    }

    #[test]
    fn odd_reports_are_added_as_far_as_they_go() {
        let mut sums = Sums::default();
        for odd in [
            json!(3),
            json!({"fates": {"failed": 3}}),
            json!({"fates": {"failed": {"dns": 1}}, "traps": 5}),
            json!({"pages": -1}),
        ] {
            sums.add(&odd);
        }
        sums.fate("failed", "", 2);
        assert_eq!(sums.finish()["fates"], json!({"failed": {"": 5, "dns": 1}}));
    }

    proptest! {
        #[test]
        fn an_account_of_sums_adds_up_where_each_did(
            all in prop::collection::vec((0u64..50, 0u64..50, prop::option::of(0u64..50)), 0..8),
        ) {
            let mut sums = Sums::default();
            let mut discovered = 0;
            for (fetched, failed, robots) in &all {
                discovered += fetched + failed + robots.unwrap_or(0);
                let sum = fetched + failed + robots.unwrap_or(0);
                sums.add(&json!({"discovered": sum, "fates": {"fetched": fetched, "failed": {"dns": failed}}}));
                if let Some(robots) = robots {
                    sums.fate("robots", "disallowed", *robots);
                    sums.fate("robots", "", 0);
                    sums.count("discovered", 0);
                }
            }
            let robots: u64 = all.iter().filter_map(|(_, _, robots)| *robots).sum();
            let sums = Value::Object(sums.finish());
            prop_assert_eq!(sums.get("discovered").and_then(Value::as_u64).unwrap_or(0), discovered);
            if let Some(account) = account(&sums) {
                prop_assert!(account.adds_up, "{:?} {}", account, robots);
            }
        }
    }
}
