//! The status of a running crawl.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::handles::FrontierHandle;
use crate::hosts::HostDirectory;
use crate::operate::control::CrawlControl;
use crate::operate::tally::Tally;
use crate::page::seen::SeenMonitor;
use crate::policy_thread::policy_board::PolicyBoard;
use crate::recrawl::RecrawlHandle;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::BudgetOptions;
use harvestman_core::model::{FleetProgress, Ledger};
use harvestman_metrics::{HostMetrics, Metrics, RecrawlMetrics};
use harvestman_report::{BudgetKind, BudgetUse, CrawlStatus, HostWait, InForce, PostBoard, RecrawlFigures, Waits};
use harvestman_stages::host::WaitReason;

/// The maximum number of hosts that a status names.
const WAITS_MAX: usize = 20;

/// Reads the status of a crawl from its stages.
pub(crate) struct StatusReader {
    pub(crate) frontier: FrontierHandle,
    pub(crate) hosts: Arc<HostDirectory>,
    pub(crate) control: Arc<CrawlControl>,
    pub(crate) ledger: Arc<Mutex<Ledger>>,
    pub(crate) tally: Arc<Tally>,
    pub(crate) board: Arc<PolicyBoard>,
    /// In a recrawl: its scheduler.
    pub(crate) recrawl: Option<RecrawlHandle>,
    /// The progress of its fleet, as the node reports it about once a second; `None` outside a fleet.
    pub(crate) fleet: Arc<Mutex<Option<FleetProgress>>>,
    /// How far the posts are.
    pub(crate) posts: PostBoard,
    pub(crate) clock: Clock,
    pub(crate) started: Instant,
    pub(crate) directory: PathBuf,
    pub(crate) metrics: Metrics,
}

impl StatusReader {
    /// Returns the current status. `draining`: whether the crawl only finishes what is in progress.
    pub(crate) fn read(&self, draining: bool) -> CrawlStatus {
        let ledger = self.ledger.lock().clone();
        let allowance = self.frontier.allowance();
        let (statuses, errors) = self.tally.totals();
        let (open, leased) = (ledger.open(), allowance.leases());
        let mut status = CrawlStatus {
            elapsed: self.clock.now().since(self.started),
            pages: ledger.pages(),
            bytes: ledger.bytes(),
            requests: ledger.requests(),
            queued: open.saturating_sub(leased),
            leased,
            hosts: self.hosts.len() as u64,
            discovered: ledger.discovered(),
            fates: (&ledger.fates(open)).into(),
            errors,
            statuses,
            wanted: self.board.wanted(),
            searches: self.board.searches(),
            posts: self.posts.latest(),
            traps: self.board.traps(),
            budgets: Vec::new(),
            outlook: allowance.forecast(),
            recrawl: self.recrawl.as_ref().map(RecrawlHandle::figures),
            draining,
            paused: false,
            waits: self.waits(),
            outage: self.tally.outages.now(self.clock.now()),
            stall: None,
            in_force: InForce::default(),
            fleet: self.fleet.lock().clone(),
        };
        status.budgets = budgets(&self.control.config().budget, &status);
        status.in_force = self.control.in_force();
        status
    }

    /// Sets the metrics that are not counted event by event.
    pub(crate) fn export(&self, status: &CrawlStatus, seen: &SeenMonitor) {
        let metrics = &self.metrics;
        if !metrics.is_on() {
            return;
        }
        seen.export(&metrics.dedup);
        let remaining = status.budgets.iter().map(|budget| (budget.budget.label(), 1.0 - budget.fraction()));
        metrics.crawl.set_budgets(&remaining.collect::<Vec<_>>());
        metrics.crawl.paused.set(u64::from(status.paused));
        metrics.crawl.stopping.set(u64::from(status.draining));
        metrics.policy.banned.set(status.in_force.banned.len() as u64);
        metrics.policy.pinned.set(status.in_force.pinned.len() as u64);
        metrics.host.blocked.set(status.in_force.blocked.len() as u64);
        if let Ok(disk) = rustix::fs::statvfs(&self.directory) {
            metrics.archive.free_bytes.set(disk.f_bavail.saturating_mul(disk.f_frsize));
        }
        self.export_waits(&metrics.host);
        if let Some(figures) = &status.recrawl {
            export_recrawl(figures, &metrics.recrawl);
        }
    }

    fn export_waits(&self, metrics: &HostMetrics) {
        let causes = [
            WaitReason::BackOff,
            WaitReason::Breaker,
            WaitReason::Robots,
            WaitReason::Blocked,
            WaitReason::BlockPage,
            WaitReason::LogIn,
            WaitReason::Group,
        ];
        for cause in causes {
            metrics.waiting.by(cause.label()).set(self.hosts.waits().count(cause));
        }
    }

    /// Returns the hosts that are not contacted now, those that continue soonest first.
    fn waits(&self) -> Waits {
        let now = self.clock.now();
        let (blocked, others): (Vec<_>, Vec<_>) =
            self.hosts.waits().now(now).into_iter().partition(|wait| wait.reason == WaitReason::Blocked);
        let mut all: Vec<_> = others.iter().map(|wait| (wait.until, &wait.host, wait.reason.label())).collect();
        all.sort_unstable();
        let named = all.iter().take(WAITS_MAX).map(|(until, host, reason)| HostWait {
            host: host.to_string(),
            reason: (*reason).into(),
            until: until.timestamp().to_string(),
            seconds: until.since(now).as_secs_f64().ceil() as u64,
        });
        Waits { hosts: all.len() as u64, first: named.collect(), blocked: blocked.len() as u64 }
    }
}

fn export_recrawl(figures: &RecrawlFigures, metrics: &RecrawlMetrics) {
    metrics.new_pages.raise_to(figures.new_pages);
    let RecrawlFigures { changed, not_modified, same, gone, failed, .. } = figures;
    let outcomes =
        [("changed", changed), ("not_modified", not_modified), ("same", same), ("gone", gone), ("failed", failed)];
    outcomes.into_iter().for_each(|(outcome, count)| metrics.visits.by(outcome).raise_to(*count));
}

fn budgets(options: &BudgetOptions, status: &CrawlStatus) -> Vec<BudgetUse> {
    let all = [
        (BudgetKind::Pages, status.pages, options.pages),
        (BudgetKind::Bytes, status.bytes, options.bytes.0),
        (BudgetKind::Time, status.elapsed.as_secs(), options.time.0.as_secs()),
        (BudgetKind::Requests, status.requests, options.requests),
    ];
    let set = all.into_iter().filter(|(_, _, limit)| *limit > 0);
    set.map(|(budget, used, limit)| BudgetUse { budget, used, limit }).collect()
}
