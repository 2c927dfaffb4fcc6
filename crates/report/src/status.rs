//! Where a crawl stands: a snapshot that the pipeline fills and that the progress line, the admin API and the report read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{InForce, RecrawlFigures, seconds};
use harvestman_core::model::{FateTable, Ledger, TrapRecord};
use harvestman_fleet::status::FleetProgress;
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
    /// The budget's name as it stands in settings, reports and metric labels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Pages => "pages",
            Self::Bytes => "bytes",
            Self::Time => "time",
            Self::Requests => "requests",
        }
    }
}

/// How much of a budget is used up. Time is in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BudgetUse {
    /// Which budget.
    pub budget: BudgetKind,
    /// What is used up.
    pub used: u64,
    /// What there was to begin with.
    pub limit: u64,
}

impl BudgetUse {
    /// The used share, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
    pub fn fraction(&self) -> f64 {
        if self.limit == 0 { 1.0 } else { (self.used as f64 / self.limit as f64).min(1.0) }
    }
}

/// A host that is left alone for more than its usual delay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostWait {
    /// Which host.
    pub host: String,
    /// Why: `back_off`, `breaker`, `robots`, `group`.
    pub reason: Cow<'static, str>,
    /// Until when.
    pub until: String,
    /// How many seconds that is from now.
    pub seconds: u64,
}

/// The hosts that are left alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Waits {
    /// How many there are.
    pub hosts: u64,
    /// Those that go on soonest.
    pub first: Vec<HostWait>,
    /// Hosts besides that have URLs and are blocked.
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
    /// Requests made, those for robots.txt and retries included.
    pub requests: u64,
    /// URLs that wait.
    pub queued: u64,
    /// URLs handed out whose outcome is not recorded yet.
    pub leased: u64,
    /// Hosts met.
    pub hosts: u64,
    /// Links discovered.
    pub discovered: u64,
    /// What became of links so far.
    pub fates: FateTable,
    /// Requests that failed, each try counted, by reason ([`harvestman_core::model::Failure::label`]).
    pub errors: BTreeMap<Cow<'static, str>, u64>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// The budgets that were set, and what is used of them.
    pub budgets: Vec<BudgetUse>,
    /// What is expected of the next requests, where the policy estimates that.
    pub outlook: Option<YieldForecast>,
    /// Forms of address that bring nothing, with what is done about them, the strictest first.
    pub traps: Vec<TrapRecord>,
    /// Visits to pages that were known before, in a recrawl.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recrawl: Option<RecrawlFigures>,
    /// Whether the crawl was asked to stop and only finishes what is in flight.
    pub draining: bool,
    /// Whether it rests because somebody has asked it to.
    pub paused: bool,
    /// The hosts that are left alone, and why.
    pub waits: Waits,
    /// What everything waits for, in words, where nothing moves ([`Self::stall`]).
    pub stall: Option<String>,
    /// What somebody has told it that holds.
    pub in_force: InForce,
    /// Where it stands in its fleet, if it is a node of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetProgress>,
}

impl CrawlStatus {
    /// Pages a second since the start.
    pub fn pages_per_second(&self) -> f64 {
        per_second(self.pages, self.elapsed)
    }

    /// What everything waits for, where nothing is under way and nothing can be: in words.
    pub fn stall(&self) -> Option<String> {
        if self.leased > 0 || self.queued == 0 || self.paused {
            return None;
        }
        let (queued, Waits { hosts, blocked, first }) = (self.queued, &self.waits);
        match first.first() {
            Some(HostWait { host, reason, until, seconds }) => Some(format!(
                "nothing can be fetched before {until} (in {seconds} s): {queued} URLs wait for {hosts} hosts that are left alone, first {host} ({reason})"
            )),
            None if *blocked > 0 => Some(format!(
                "nothing is under way: {queued} URLs wait, and {blocked} hosts that have some are blocked (`harvestman unblock`)"
            )),
            None => None,
        }
    }

    /// Counts what stands in an account, and nothing else.
    pub fn count_by(&mut self, account: &Ledger) {
        let open = account.open();
        (self.pages, self.bytes, self.requests) = (account.pages(), account.bytes(), account.requests());
        (self.discovered, self.fates) = (account.discovered(), FateTable::from(&account.fates(open)));
        (self.queued, self.leased) = (open, 0);
    }

    /// With what everything waits for, for those who only read.
    #[must_use]
    pub fn with_stall(mut self) -> Self {
        self.stall = self.stall();
        self
    }

    /// How long until the first budget is used up, if the crawl goes on as it did so far; none where there is no budget or
    /// nothing to judge by.
    pub fn time_left(&self) -> Option<Duration> {
        let left = |budget: &BudgetUse| {
            let used = budget.fraction();
            let left = self.elapsed.as_secs_f64() * (1.0 - used) / used;
            Duration::try_from_secs_f64(left).ok()
        };
        self.budgets.iter().filter(|budget| budget.used > 0).filter_map(left).min()
    }
}

/// `count` a second; zero where no time has passed.
#[expect(clippy::cast_precision_loss, reason = "a rate for people to read")]
pub(super) fn per_second(count: u64, time: Duration) -> f64 {
    let seconds = time.as_secs_f64();
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
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
    fn a_stall_names_what_everything_waits_for() {
        let host = "http://a.test".to_owned();
        let wait = HostWait { host, reason: "back_off".into(), until: "2026-01-01T00:00:09Z".to_owned(), seconds: 9 };
        let waits = Waits { hosts: 2, first: vec![wait], blocked: 0 };
        let stalled = CrawlStatus { queued: 5, waits, ..CrawlStatus::default() };
        let said = stalled.stall().unwrap();
        assert!(said.contains("5 URLs wait for 2 hosts") && said.contains("http://a.test (back_off)"), "{said}");
        let moving = [
            CrawlStatus { leased: 1, ..stalled.clone() },
            CrawlStatus { queued: 0, ..stalled.clone() },
            CrawlStatus { paused: true, ..stalled.clone() },
            CrawlStatus { waits: Waits::default(), ..stalled.clone() },
        ];
        assert!(moving.iter().all(|status| status.stall().is_none()));
        let blocked = CrawlStatus { waits: Waits { blocked: 1, ..Waits::default() }, ..stalled.clone() };
        assert!(blocked.stall().unwrap().contains("1 hosts that have some are blocked"));
        assert_eq!(stalled.clone().with_stall().stall, stalled.stall());
    }

    #[test]
    fn what_was_not_kept_does_not_count() {
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
    fn without_a_budget_or_a_page_nothing_is_said_of_the_time_left() {
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
