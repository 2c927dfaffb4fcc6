//! Builds views of the running crawl.

use std::sync::Arc;
use std::time::Duration;

use super::board::LiveBoard;
use super::forms::LatestPages;
use super::site::site_map;
use crate::handles::FrontierHandle;
use crate::hosts::HostDirectory;
use crate::operate::control::CrawlControl;
use crate::rendering::Renders;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::Config;
use harvestman_core::model::{Priority, QueueKey};
use harvestman_core::url::HostKey;
use harvestman_metrics::ArchiveMetrics;
use harvestman_policy::PolicySnapshot;
use harvestman_policy::steering::PatternClusters;
use harvestman_report::live::{
    ClassRow, ClassTable, CrawlNamed, ErrorRow, History, HostRow, HostTable, LiveView, ROWS, Sample, SiteMap,
};
use harvestman_report::{CrawlStatus, FunnelStep, funnel, remedy};
use harvestman_stages::frontier::{QueueSurvey, WaitingClass};

/// After a view, none is built for this many times as long as it took, but never for longer than a viewer would wait.
const VIEW_PAUSE: u32 = 20;
const VIEW_PAUSE_MAX: Duration = Duration::from_secs(2);
/// The same for a survey of the frontier. It takes longer the more link classes there are, so there is no such limit.
const SURVEY_PAUSE: u32 = 20;

/// The parts of a crawl that a view is built from.
pub(crate) struct LiveSources {
    pub(crate) board: Arc<LiveBoard>,
    pub(crate) control: Arc<CrawlControl>,
    pub(crate) frontier: FrontierHandle,
    pub(crate) hosts: Arc<HostDirectory>,
    pub(crate) archive: Arc<ArchiveMetrics>,
    /// Decides which pages are rendered, if any may be.
    pub(crate) renders: Option<Arc<Renders>>,
    pub(crate) clock: Clock,
    pub(crate) seeds: Vec<String>,
}

/// Shows views of a crawl to all viewers, with the history from view to view.
pub(crate) struct LiveViewer<'a> {
    crawl: &'a LiveSources,
    history: History,
    next: Option<Instant>,
    survey: QueueSurvey,
    next_survey: Option<Instant>,
}

/// The status with short lists only.
fn shown(status: &CrawlStatus) -> CrawlStatus {
    let mut status = status.clone();
    if let Some(progress) = &mut status.fleet {
        progress.keep_first(ROWS);
    }
    status
}

impl<'a> LiveViewer<'a> {
    /// Creates a viewer that has shown nothing yet.
    pub(crate) fn new(crawl: &'a LiveSources) -> Self {
        Self { crawl, history: History::default(), next: None, survey: QueueSurvey::default(), next_survey: None }
    }

    /// Shows the status of the crawl, if there are viewers.
    pub(crate) async fn show(&mut self, status: &CrawlStatus) {
        let crawl = self.crawl;
        let live = crawl.board.live();
        if !live.is_open() {
            return;
        }
        let archived = crawl.control.config().archive.enabled.then(|| crawl.archive.exchanges());
        let mut stages = funnel(&status.fates, status.leased);
        stages.extend(archived.map(FunnelStep::archived));
        self.history.add(Sample::of(status.elapsed, &stages));
        let began = crawl.clock.now();
        if !live.is_watched() || is_early(began, self.next) {
            return;
        }
        live.show(&self.view(status, stages).await);
        let done = crawl.clock.now();
        self.next = Some(done + VIEW_PAUSE_MAX.min(VIEW_PAUSE * done.since(began)));
    }

    /// Surveys the frontier, if a survey is due.
    async fn survey_frontier(&mut self) {
        let began = self.crawl.clock.now();
        if is_early(began, self.next_survey) {
            return;
        }
        self.survey = self.crawl.frontier.survey(ROWS).await;
        let done = self.crawl.clock.now();
        self.next_survey = Some(done + SURVEY_PAUSE * done.since(began));
    }

    async fn view(&mut self, status: &CrawlStatus, funnel: Vec<FunnelStep>) -> LiveView {
        self.survey_frontier().await;
        let (crawl, survey) = (self.crawl, &self.survey);
        let publisher = crawl.control.publisher();
        let snapshot = publisher.snapshot();
        let config = crawl.control.config();
        LiveView {
            time: crawl.clock.now().timestamp().to_string(),
            crawl: named(&config, &crawl.seeds),
            status: shown(status),
            funnel,
            history: self.history.clone(),
            site: crawl.site(&config, &*snapshot).await,
            classes: class_table(survey, status.queued, &*snapshot, &publisher.leads_to(), &crawl.board),
            hosts: crawl.host_table(survey).await,
            fetches: crawl.board.fetches(),
            errors: crawl.errors(status),
            rendering: crawl.renders.as_ref().map(|renders| renders.summary(ROWS)),
        }
    }
}

fn is_early(now: Instant, next: Option<Instant>) -> bool {
    next.is_some_and(|next| now < next)
}

fn named(config: &Config, seeds: &[String]) -> CrawlNamed {
    CrawlNamed {
        seeds: seeds.iter().take(ROWS).cloned().collect(),
        policy: config.crawl.policy.name().to_owned(),
        out: config.crawl.out.clone(),
        version: env!("CARGO_PKG_VERSION"),
    }
}

fn class_table(
    survey: &QueueSurvey,
    waiting: u64,
    snapshot: &dyn PolicySnapshot,
    leads: &PatternClusters,
    board: &LiveBoard,
) -> ClassTable {
    let rows = survey.best.iter().map(|waiting| class_row(waiting, snapshot, leads, board)).collect();
    ClassTable { total: survey.classes as u64, waiting, rows }
}

fn class_row(
    waiting: &WaitingClass,
    snapshot: &dyn PolicySnapshot,
    leads: &PatternClusters,
    board: &LiveBoard,
) -> ClassRow {
    let QueueKey { class, priority } = waiting.queue;
    let score = if priority == Priority::Pinned { snapshot.score(class) } else { waiting.score };
    ClassRow {
        class: class.to_string(),
        cluster: class.cluster.0,
        place: board.place(class.apath),
        pattern: snapshot.spell(&waiting.example),
        example: waiting.example.clone(),
        waiting: waiting.waiting as u64,
        score: Some(score).filter(|score| score.is_finite()),
        terms: snapshot.explain(class),
        leads_to: leads.cluster(class.pattern).map(|cluster| cluster.0),
        standing: priority_label(priority),
    }
}

const fn priority_label(priority: Priority) -> Option<&'static str> {
    match priority {
        Priority::Pinned => Some("pinned"),
        Priority::Last => Some("last"),
        Priority::Normal => None,
    }
}

impl LiveSources {
    async fn site(&self, config: &Config, snapshot: &dyn PolicySnapshot) -> SiteMap {
        let board = &self.board;
        let known = board.facts().filter(|facts| !facts.clusters.is_empty());
        let Some(facts) = known else {
            return SiteMap { note: Some(no_map(config)), ..map_of_forms(board.pages()).await };
        };
        site_map(&facts, &self.control.publisher().steering(), |url| snapshot.spell(url))
    }

    async fn host_table(&self, survey: &QueueSurvey) -> HostTable {
        let mut rows = Vec::with_capacity(survey.largest.len());
        for (host, waiting) in &survey.largest {
            rows.push(self.host_row(host, *waiting as u64).await);
        }
        HostTable { total: survey.hosts as u64, rows }
    }

    async fn host_row(&self, host: &HostKey, waiting: u64) -> HostRow {
        let now = self.clock.now();
        let row = HostRow { host: host.to_string(), waiting, state: "ready", ..HostRow::default() };
        let blocked = self.hosts.blocks(host);
        let Some(status) = self.hosts.status(host).await else {
            return HostRow { state: if blocked { "blocked" } else { "ready" }, ..row };
        };
        HostRow {
            under_way: status.under_way,
            state: if blocked { "blocked" } else { status.state },
            next_seconds: status.until.filter(|_| !blocked).map(|until| seconds(until.since(now))),
            delay_seconds: seconds(status.delay),
            failures: status.failures,
            ..row
        }
    }

    fn errors(&self, status: &CrawlStatus) -> Vec<ErrorRow> {
        let mut errors: Vec<_> = status.errors.iter().map(|(reason, count)| (reason.as_ref(), *count)).collect();
        errors.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let row = |(reason, count): (&str, u64)| ErrorRow {
            reason: reason.to_owned(),
            count,
            advice: remedy(reason),
            examples: self.board.failed(reason),
        };
        errors.into_iter().map(row).collect()
    }
}

/// Returns the map of URL forms; empty if there are no pages. It is not built on the thread of the actors.
async fn map_of_forms(pages: LatestPages) -> SiteMap {
    if pages.is_empty() {
        return SiteMap::default();
    }
    tokio::task::spawn_blocking(move || pages.site_map()).await.unwrap_or_default()
}

/// Returns why there is no site map.
fn no_map(config: &Config) -> String {
    let policy = config.crawl.policy.name();
    format!(
        "The policy `{policy}` has not found any page types (yet): `ucc`, `target` and `cluster-graph` do, from their \
         first model update on. The map shows the URL forms of the latest pages."
    )
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}
