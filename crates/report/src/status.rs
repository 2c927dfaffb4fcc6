//! The status of a crawl: a snapshot that the pipeline fills and that the progress line, the admin API and the report
//! read; with how far its posts are.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::{InForce, RecrawlFigures, seconds};
use harvestman_core::model::{FateTable, FleetProgress, Ledger, SearchRecord, TrapRecord};
use harvestman_stages::frontier::YieldForecast;

/// A budget of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetKind {
    /// Pages fetched with success.
    Pages,
    /// Bytes of bodies received.
    Bytes,
    /// Seconds since the start.
    Time,
    /// Requests made.
    Requests,
}

impl BudgetKind {
    /// Returns the name of the budget in settings, reports and metric labels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Pages => "pages",
            Self::Bytes => "bytes",
            Self::Time => "time",
            Self::Requests => "requests",
        }
    }
}

/// The used part of a budget. Time is in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BudgetUse {
    /// The budget.
    pub budget: BudgetKind,
    /// The used amount.
    pub used: u64,
    /// The limit.
    pub limit: u64,
}

impl BudgetUse {
    /// Returns the used share, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
    pub fn fraction(&self) -> f64 {
        if self.limit == 0 { 1.0 } else { (self.used as f64 / self.limit as f64).min(1.0) }
    }
}

/// A host that is not contacted for longer than its usual delay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostWait {
    /// The host.
    pub host: String,
    /// The reason: `back_off`, `breaker`, `robots`, `block_page`, `log_in` or `group`.
    pub reason: Cow<'static, str>,
    /// When the wait ends.
    pub until: String,
    /// Seconds until the wait ends.
    pub seconds: u64,
}

/// The hosts that are not contacted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Waits {
    /// The number of these hosts.
    pub hosts: u64,
    /// Those whose waits end first.
    pub first: Vec<HostWait>,
    /// Other hosts that have URLs waiting and are blocked.
    pub blocked: u64,
}

/// A snapshot of a running crawl. Counts are since the start.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CrawlStatus {
    /// Time since the start, in seconds.
    #[serde(rename = "elapsed_seconds", with = "seconds")]
    pub elapsed: Duration,
    /// Pages fetched with success.
    pub pages: u64,
    /// Bytes of bodies received.
    pub bytes: u64,
    /// Requests made, including retries and those for robots.txt.
    pub requests: u64,
    /// URLs that wait.
    pub queued: u64,
    /// URLs handed out for fetching whose outcome is not recorded yet.
    pub leased: u64,
    /// Hosts known.
    pub hosts: u64,
    /// Links discovered.
    pub discovered: u64,
    /// The fates of links so far.
    pub fates: FateTable,
    /// Failed requests by reason ([`harvestman_core::model::Failure::label`]); every attempt counts.
    pub errors: BTreeMap<Cow<'static, str>, u64>,
    /// Responses by status.
    pub statuses: BTreeMap<u16, u64>,
    /// The configured budgets and their use.
    pub budgets: Vec<BudgetUse>,
    /// Pages that were wanted and new when they came, if the policy tells pages apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<u64>,
    /// What searches have found, if the crawl has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<SearchRecord>,
    /// How far its posts are, if `archive.posts` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posts: Option<PostProgress>,
    /// The yield forecast, if the policy makes one.
    pub outlook: Option<YieldForecast>,
    /// URL patterns that bring nothing new, with the measures against them, the strictest first.
    pub traps: Vec<TrapRecord>,
    /// Visits to known pages, in a recrawl.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recrawl: Option<RecrawlFigures>,
    /// Whether the crawl is stopping and only finishes the requests in flight.
    pub draining: bool,
    /// Whether the crawl is paused by a command.
    pub paused: bool,
    /// The hosts that are not contacted, and why.
    pub waits: Waits,
    /// Describes what this machine lacks, if requests wait for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outage: Option<String>,
    /// Describes what a stalled crawl waits for ([`Self::stall`]).
    pub stall: Option<String>,
    /// The commands in force.
    pub in_force: InForce,
    /// The progress in its fleet, if the crawl is a node of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetProgress>,
}

impl CrawlStatus {
    /// Returns the pages per second since the start.
    pub fn pages_per_second(&self) -> f64 {
        per_second(self.pages, self.elapsed)
    }

    /// Describes what the crawl waits for if it is stalled: requests wait for this machine, or nothing is in flight and
    /// nothing can be sent. Returns `None` if it is not stalled.
    pub fn stall(&self) -> Option<String> {
        if self.outage.is_some() {
            return self.outage.clone();
        }
        if self.leased > 0 || self.queued == 0 || self.paused {
            return None;
        }
        let (queued, Waits { hosts, blocked, first }) = (self.queued, &self.waits);
        match first.first() {
            Some(HostWait { host, reason, until, seconds }) => Some(format!(
                "nothing can be fetched before {until} (in {seconds} s): {queued} URLs wait for {hosts} hosts that are not \
                 contacted, first {host} ({reason})"
            )),
            None if *blocked > 0 => Some(format!(
                "nothing is in flight: {queued} URLs wait, and {blocked} hosts with waiting URLs are blocked \
                 (`harvestman ctl DIR unblock`)"
            )),
            None => None,
        }
    }

    /// Replaces the counts with those of `account`, so that only committed outcomes count.
    pub fn count_by(&mut self, account: &Ledger) {
        let open = account.open();
        (self.pages, self.bytes, self.requests) = (account.pages(), account.bytes(), account.requests());
        (self.discovered, self.fates) = (account.discovered(), FateTable::from(&account.fates(open)));
        (self.queued, self.leased) = (open, 0);
    }

    /// Sets the field `stall`, for readers that cannot call [`Self::stall`].
    #[must_use]
    pub fn with_stall(mut self) -> Self {
        self.stall = self.stall();
        self
    }

    /// Returns the time until the first budget is used up, extrapolated from the crawl so far; `None` if there is no
    /// budget or none has been used yet.
    pub fn time_left(&self) -> Option<Duration> {
        let left = |budget: &BudgetUse| {
            let used = budget.fraction();
            let left = self.elapsed.as_secs_f64() * (1.0 - used) / used;
            Duration::try_from_secs_f64(left).ok()
        };
        self.budgets.iter().filter(|budget| budget.used > 0).filter_map(left).min()
    }
}

/// Returns `count` per second; zero if no time has passed.
#[expect(clippy::cast_precision_loss, reason = "a rate for people to read")]
pub(super) fn per_second(count: u64, time: Duration) -> f64 {
    let seconds = time.as_secs_f64();
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}

/// The posts that were written so far, if `archive.posts` is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PostProgress {
    /// Number of posts.
    pub posts: u64,
    /// Number of threads that they are in.
    pub threads: u64,
    /// Number of their authors.
    pub authors: u64,
    /// Bytes of the page log whose pages were not read for posts yet.
    pub behind_bytes: u64,
}

/// Passes the progress from the thread that writes posts to the status. All clones share one value.
#[derive(Debug, Clone, Default)]
pub struct PostBoard(Arc<Mutex<Option<PostProgress>>>);

impl PostBoard {
    /// Replaces the progress.
    pub fn show(&self, progress: PostProgress) {
        *self.0.lock() = Some(progress);
    }

    /// Returns the latest progress; `None` if no posts are written.
    pub fn latest(&self) -> Option<PostProgress> {
        *self.0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(elapsed: u64, budgets: Vec<BudgetUse>) -> CrawlStatus {
        CrawlStatus { elapsed: Duration::from_secs(elapsed), budgets, ..CrawlStatus::default() }
    }

    #[test]
    fn the_time_left_is_that_of_the_budget_that_is_used_up_first() {
        let pages = BudgetUse { budget: BudgetKind::Pages, used: 25, limit: 100 };
        let time = BudgetUse { budget: BudgetKind::Time, used: 10, limit: 20 };
        assert_eq!(status(10, vec![pages, time]).time_left(), Some(Duration::from_secs(10)));
        assert_eq!(status(10, vec![pages]).time_left(), Some(Duration::from_secs(30)));
    }

    #[test]
    fn a_stall_states_what_the_crawl_waits_for() {
        let host = "http://a.test".to_owned();
        let wait = HostWait { host, reason: "back_off".into(), until: "2026-01-01T00:00:09Z".to_owned(), seconds: 9 };
        let waits = Waits { hosts: 2, first: vec![wait], blocked: 0 };
        let stalled = CrawlStatus { queued: 5, waits, ..CrawlStatus::default() };
        let said = stalled.stall().unwrap();
        assert!(said.contains("5 URLs wait for 2 hosts") && said.contains("http://a.test (back_off)"), "{said}");
        let not_stalled = [
            CrawlStatus { leased: 1, ..stalled.clone() },
            CrawlStatus { queued: 0, ..stalled.clone() },
            CrawlStatus { paused: true, ..stalled.clone() },
            CrawlStatus { waits: Waits::default(), ..stalled.clone() },
        ];
        assert!(not_stalled.iter().all(|status| status.stall().is_none()));
        let blocked = CrawlStatus { waits: Waits { blocked: 1, ..Waits::default() }, ..stalled.clone() };
        assert!(blocked.stall().unwrap().contains("1 hosts with waiting URLs are blocked"));
        assert_eq!(stalled.clone().with_stall().stall, stalled.stall());
        let outage = Some("the proxy cannot be reached".to_owned());
        let waits_for_machine = CrawlStatus { leased: 1, outage: outage.clone(), ..stalled };
        assert_eq!(waits_for_machine.stall(), outage, "also while requests are in flight");
    }

    #[test]
    fn uncommitted_outcomes_do_not_count() {
        let mut account = Ledger::default();
        account.discover(&harvestman_core::model::Fates::default(), 3);
        account.settle(harvestman_core::model::Fate::Fetched);
        account.request(10);
        let mut status = CrawlStatus { pages: 9, requests: 9, queued: 1, leased: 1, ..CrawlStatus::default() };
        status.count_by(&account);
        assert_eq!((status.pages, status.requests, status.bytes, status.queued, status.leased), (1, 1, 10, 2, 0));
        assert_eq!((status.discovered, status.fates.total()), (3, 3));
    }

    #[test]
    fn the_time_left_is_unknown_without_a_budget_or_a_page() {
        let unused = BudgetUse { budget: BudgetKind::Pages, used: 0, limit: 100 };
        assert_eq!(status(10, vec![]).time_left(), None);
        assert_eq!(status(10, vec![unused]).time_left(), None);
    }

    #[test]
    fn an_overdrawn_budget_leaves_no_time() {
        let over = BudgetUse { budget: BudgetKind::Bytes, used: 300, limit: 100 };
        assert_eq!(status(10, vec![over]).time_left(), Some(Duration::ZERO));
    }

    #[test]
    fn the_snapshot_is_json_with_fates_as_in_the_report() {
        let mut snapshot = status(2, vec![BudgetUse { budget: BudgetKind::Pages, used: 1, limit: 4 }]);
        snapshot.fates.add(harvestman_core::model::Fate::Fetched, 1);
        snapshot.errors.insert("tls".into(), 3);
        let json = serde_json::to_value(&snapshot).unwrap();
        assert_eq!(json["elapsed_seconds"], 2.0);
        assert_eq!(json["fates"], serde_json::json!({"fetched": 1}));
        assert_eq!(json["errors"], serde_json::json!({"tls": 3}));
        assert_eq!(json["budgets"][0], serde_json::json!({"budget": "pages", "used": 1, "limit": 4}));
    }
}
