//! Recent activity for the live view, recorded by workers and the policy. Nothing is recorded if no view is served.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::forms::LatestPages;
use super::readings::Readings;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Apath, ClusterId, PageCluster, PageRecord};
use harvestman_policy::learned::Facts;
use harvestman_report::live::{FetchRow, Live, ROWS};

/// The number of URLs that are shown per failure reason: the latest.
const EXAMPLES: usize = 3;
/// The maximum number of failure reasons with examples; there are about thirty.
const REASONS_MAX: usize = 100;
/// The maximum number of names of each kind that are remembered.
const NAMES_MAX: usize = 10_000;
/// How often the policy is asked for site facts while a view is open.
const FACTS_EVERY: Duration = Duration::from_secs(2);
/// Asking takes at most one part in this many of the policy's time.
const FACTS_SHARE: u32 = 50;

/// The recent activity of a crawl.
pub(crate) struct LiveBoard {
    live: Live,
    seen: Mutex<Outcomes>,
    facts: Mutex<Option<Arc<Facts>>>,
    names: Mutex<Names>,
    /// The earliest time when the policy is asked again, and the time when it was last asked.
    next_facts: Mutex<(Instant, Instant)>,
    /// The pages that workers read.
    pub(crate) readings: Readings,
}

/// Names that only reparsing pages yields, which is not done each time: places in words, and the most common shapes of
/// titles.
#[derive(Default)]
struct Names {
    places: BTreeMap<Apath, String>,
    titles: BTreeMap<ClusterId, String>,
}

/// The latest outcomes, the newest last, and URLs that failed.
#[derive(Default)]
struct Outcomes {
    fetches: VecDeque<FetchRow>,
    failed: BTreeMap<String, VecDeque<String>>,
    pages: LatestPages,
}

impl LiveBoard {
    pub(crate) fn new(live: &Live) -> Self {
        let next_facts = Mutex::new((Instant::EPOCH, Instant::EPOCH));
        Self {
            live: live.clone(),
            seen: Mutex::default(),
            facts: Mutex::default(),
            names: Mutex::default(),
            next_facts,
            readings: Readings::default(),
        }
    }

    pub(super) const fn live(&self) -> &Live {
        &self.live
    }

    /// Records an outcome.
    pub(crate) fn see(&self, record: &PageRecord) {
        if !self.live.is_open() {
            return;
        }
        let row = FetchRow {
            url: record.url.clone(),
            time: record.time.clone(),
            fate: record.fate.clone(),
            reason: record.reason.clone(),
            status: record.status,
            bytes: record.bytes,
            duration_ms: record.duration_ms,
            cluster: record.cluster.map(|cluster| PageCluster::from(cluster).cluster.0),
            score: record.score,
            title: record.title.clone(),
        };
        let mut seen = self.seen.lock();
        if let Some(reason) = record.reason.as_ref().filter(|_| record.fate == "failed") {
            seen.note_failure(reason, &record.url);
        }
        if record.fate == "fetched" {
            seen.pages.see(&record.url, record.via.as_deref());
        }
        seen.fetches.push_back(row);
        if seen.fetches.len() > ROWS {
            seen.fetches.pop_front();
        }
    }

    /// Returns the latest outcomes, the newest first.
    pub(super) fn fetches(&self) -> Vec<FetchRow> {
        self.seen.lock().fetches.iter().rev().cloned().collect()
    }

    /// Returns a copy of the latest pages: processing them takes a while, and must not block the workers that add more.
    pub(super) fn pages(&self) -> LatestPages {
        self.seen.lock().pages.clone()
    }

    /// Returns the latest URLs that failed permanently for this reason.
    pub(super) fn failed(&self, reason: &str) -> Vec<String> {
        self.seen.lock().failed.get(reason).into_iter().flatten().cloned().collect()
    }

    /// Returns whether the site facts should be recorded now.
    pub(crate) fn wants_facts(&self, now: Instant) -> bool {
        let (earliest, last) = *self.next_facts.lock();
        self.live.is_watched() && now >= earliest && now.since(last) >= FACTS_EVERY
    }

    /// Records the site facts. Collecting them took from `began` to `now`.
    pub(crate) fn record_facts(&self, facts: Option<Facts>, began: Instant, now: Instant) {
        *self.next_facts.lock() = (now + FACTS_SHARE * now.since(began), now);
        if let Some(mut facts) = facts {
            self.names.lock().complete(&mut facts);
            *self.facts.lock() = Some(Arc::new(facts));
        }
    }

    /// Returns a place spelt out, or its hash if the name is not known.
    pub(super) fn place(&self, apath: Apath) -> String {
        self.names.lock().place(apath).cloned().unwrap_or_else(|| apath.to_string())
    }

    pub(super) fn facts(&self) -> Option<Arc<Facts>> {
        self.facts.lock().clone()
    }
}

impl Names {
    /// Remembers the names in these facts, and fills in missing names that are known.
    fn complete(&mut self, facts: &mut Facts) {
        for cluster in &mut facts.clusters {
            remember(&mut self.titles, cluster.cluster, &mut cluster.title);
            for class in &mut cluster.classes {
                remember(&mut self.places, class.apath, &mut class.apath_text);
            }
        }
    }

    fn place(&self, apath: Apath) -> Option<&String> {
        self.places.get(&apath)
    }
}

fn remember<K: Ord>(names: &mut BTreeMap<K, String>, key: K, name: &mut Option<String>) {
    match name {
        Some(name) if names.len() < NAMES_MAX || names.contains_key(&key) => {
            names.insert(key, name.clone());
        }
        Some(_) => {}
        None => *name = names.get(&key).cloned(),
    }
}

impl Outcomes {
    fn note_failure(&mut self, reason: &str, url: &str) {
        if self.failed.len() >= REASONS_MAX && !self.failed.contains_key(reason) {
            return;
        }
        let examples = self.failed.entry(reason.to_owned()).or_default();
        examples.push_back(url.to_owned());
        if examples.len() > EXAMPLES {
            examples.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_report::live::Live;

    fn record(number: usize, reason: Option<&str>) -> PageRecord {
        let fate = if reason.is_some() { "failed" } else { "fetched" };
        serde_json::from_value(serde_json::json!({
            "url": format!("http://h.test/{number}"), "fate": fate, "reason": reason, "bytes": 1, "depth": 0, "attempts": 1,
        }))
        .unwrap()
    }

    #[test]
    fn the_latest_outcomes_and_some_urls_per_failure_reason_are_remembered() {
        let board = LiveBoard::new(&Live::open());
        (0..200).for_each(|number| board.see(&record(number, (number % 10 == 0).then_some("http_404"))));
        let fetches = board.fetches();
        assert_eq!((fetches.len(), fetches[0].url.as_str()), (ROWS, "http://h.test/199"));
        assert_eq!(board.failed("http_404"), ["http://h.test/170", "http://h.test/180", "http://h.test/190"]);
        assert!(board.failed("dns").is_empty());
        (0..1_000).for_each(|number| board.see(&record(number, Some(&format!("reason {number}")))));
        assert_eq!(board.seen.lock().failed.len(), REASONS_MAX);
    }

    #[test]
    fn nothing_is_recorded_if_no_view_is_served() {
        let board = LiveBoard::new(&Live::closed());
        board.see(&record(1, Some("dns")));
        assert!(board.fetches().is_empty() && board.failed("dns").is_empty());
        assert!(!board.wants_facts(Instant::EPOCH + Duration::from_secs(1_000)));
    }

    #[test]
    fn the_policy_is_asked_often_only_for_viewers_and_never_for_much_of_its_time() {
        let live = Live::open();
        let board = LiveBoard::new(&live);
        let at = |seconds: u64| Instant::EPOCH + Duration::from_secs(100 + seconds);
        assert!(!board.wants_facts(at(0)), "there is no viewer");
        let watching = live.watch();
        assert!(board.wants_facts(at(0)));
        board.record_facts(Some(Facts::default()), at(0), at(0));
        assert!(!board.wants_facts(at(1)) && board.wants_facts(at(2)));
        board.record_facts(None, at(2), at(3));
        assert!(!board.wants_facts(at(52)) && board.wants_facts(at(53)));
        assert!(board.facts().is_some(), "what was known is not forgotten");
        drop(watching);
    }

    #[test]
    fn known_names_are_filled_in_where_they_are_missing() {
        use harvestman_policy::learned::{ClusterFacts, LinkFacts};
        let facts = |title: Option<&str>, place: Option<&str>| {
            let link = LinkFacts {
                apath: Apath(9),
                apath_text: place.map(str::to_owned),
                pattern: "/t/N".to_owned(),
                share: 1.0,
                leads_to: Vec::new(),
                refused: false,
            };
            let cluster = ClusterFacts {
                cluster: ClusterId(4),
                pages: 1,
                worth: 0.0,
                examples: Vec::new(),
                title: title.map(str::to_owned),
                links: 1,
                classes: vec![link],
            };
            Facts { clusters: vec![cluster], ..Facts::default() }
        };
        let board = LiveBoard::new(&Live::open());
        assert_eq!(board.place(Apath(9)), "0000000000000009");
        board.record_facts(Some(facts(Some("Topic N"), Some("html/body/a"))), Instant::EPOCH, Instant::EPOCH);
        board.record_facts(Some(facts(None, None)), Instant::EPOCH, Instant::EPOCH);
        let known = board.facts().unwrap();
        let class = &known.clusters[0].classes[0];
        assert_eq!(
            (known.clusters[0].title.as_deref(), class.apath_text.as_deref()),
            (Some("Topic N"), Some("html/body/a"))
        );
        assert_eq!(board.place(Apath(9)), "html/body/a");
    }
}
