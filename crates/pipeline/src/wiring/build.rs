//! Builds the stages of a crawl from sink to source: each gets the handles of those behind it.

use std::sync::Arc;

use parking_lot::Mutex;

use super::CrawlBuilder;
use super::lease_loop::LeaseLoop;
use super::parts::{Parts, parts, plant, plant_queries};
use super::sinks::Sinks;
use super::workers::Features;
use crate::error::Error;
use crate::live::{LiveBoard, LiveSources};
use crate::login::{LoggedIn, LoggedInSetup};
use crate::operate::control::{ControlSetup, CrawlControl};
use crate::operate::status::StatusReader;
use crate::page::seen::SeenMonitor;
use crate::policy_thread::policy_board::PolicyBoard;
use crate::policy_thread::policy_setup::PolicySetup;
use crate::policy_thread::snapshot_publisher::SnapshotPublisher;
use crate::rendering::{Browsers, RenderQueue, RenderStage, RenderWriter, Renders};
use crate::run::crawl::{Crawl, Handles, PreparedCrawl};
use crate::run::output;
use crate::run::output::CONFIG_FILE;
use crate::run::resume::Start;
use crate::run::threads::Stages;
use harvestman_report::Run;
use harvestman_stages::frontier::DiscoveredLinks;

/// The parts that show the crawl to others.
struct CrawlViews {
    board: Arc<PolicyBoard>,
    publisher: Arc<SnapshotPublisher>,
    live: Arc<LiveBoard>,
    seeds: Vec<String>,
}

impl CrawlBuilder<'_> {
    /// Builds all stages and connects them. The actors run; the other stages are started by [`PreparedCrawl::start`].
    pub(crate) fn build(&self) -> Result<PreparedCrawl, Error> {
        let (parts, mut policy) = parts(self)?;
        let is_rendering = self.config.render.is_on();
        let browsers = is_rendering.then(|| self.environment.browsers(self.config, &self.clock)).transpose()?;
        let crawl_directory = output::directory(self.config);
        // Only now, so that nothing is created if the settings are wrong.
        let Start { lock, left } = (self.start)(&crawl_directory)?;
        output::close_to_others(&crawl_directory, self.config, left.is_none())?;
        let (mut sinks, writer) = self.sinks(&parts, &mut policy, crawl_directory, left)?;
        let leases = self.lease_loop(&parts, &policy, &mut sinks)?;
        let seeds = self.seeds(&parts, &policy, &sinks, leases.is_new);
        let views = CrawlViews {
            board: Arc::clone(&policy.board),
            publisher: Arc::clone(&policy.publisher),
            live: Arc::new(LiveBoard::new(&self.hooks.live)),
            seeds: parts.seeds.iter().map(ToString::to_string).collect(),
        };
        let (queue, render_stage) = self.renders(&leases.handles, sinks.renders.as_ref().zip(browsers)).unzip();
        let logged_in = self.logged_in(&parts, &sinks, &leases.handles);
        let features = Features {
            session: logged_in.session.clone(),
            renders: sinks.renders.clone().zip(queue),
            validator: policy.validator.clone(),
        };
        let (observer, learner) = self.learner(policy, &views.live, &leases.handles, &sinks)?.unzip();
        let context = self.worker_context(&views.live, &leases.handles, &sinks);
        let stations = self.stations(features, &leases.handles, &sinks);
        let workers = sinks.files.workers(self, context, &sinks.rules, stations, observer.as_ref());
        let control = self.control(&leases, &sinks, &views);
        let status = self.status(&leases, &sinks, &views, &control);
        let live = LiveSources { renders: sinks.renders.clone(), ..self.live(&leases, &views, &control) };
        let render_writer = sinks.renders.clone();
        let render_writer =
            render_writer.map(|renders| RenderWriter::new(renders, &sinks.directory, self.clock.clone()));
        let LeaseLoop { handles, jobs, finished, state_writer, scheduler, .. } = leases;
        let crawl = Crawl {
            seen: SeenMonitor::new(sinks.seen, handles.frontier.clone()),
            handles,
            control,
            status,
            live,
            visits: sinks.visits,
            searches: parts.searches.clone(),
            logged_in,
            clock: self.clock.clone(),
            started: sinks.started,
            finished: Mutex::new(Some(finished)),
            seeds,
            run: Run { seeds: views.seeds, seed: self.seed.0, config: Some(CONFIG_FILE.to_owned()), ..Run::default() },
            lock,
        };
        Ok(PreparedCrawl {
            crawl,
            stages: Stages { workers, jobs, learner, render_stage, render_writer, scheduler, state_writer, writer },
        })
    }

    /// Returns the seeds as links (none if the crawl has begun before, or other nodes supply them), and the queries
    /// without an answer.
    fn seeds(&self, parts: &Parts, policy: &PolicySetup, sinks: &Sinks, is_new: bool) -> DiscoveredLinks {
        let seeds = parts.seeds.iter().chain(&policy.example_seeds).filter(|_| is_new && self.environment.has_seeds());
        let mut found = plant(seeds, &sinks.rules, &*policy.first());
        plant_queries(&sinks.queries, &sinks.rules, &mut found);
        found
    }

    /// Prepares the stage of the browsers, if pages may be rendered.
    fn renders(
        &self,
        handles: &Handles,
        browsers: Option<(&Arc<Renders>, Browsers)>,
    ) -> Option<(RenderQueue, RenderStage)> {
        let (rules, browsers) = browsers?;
        let (subrequests, pages) = (handles.subrequests.clone(), handles.pages.clone());
        Some(RenderStage::new(self.config, subrequests, pages, self.clock.clone(), Arc::clone(rules), browsers))
    }

    /// Prepares the session of a crawl that logs in, and the file of cookies.
    fn logged_in(&self, parts: &Parts, sinks: &Sinks, handles: &Handles) -> LoggedIn {
        let setup = LoggedInSetup {
            config: self.config,
            unsure_max: self.hooks.limits.unsure_answers,
            log_in: parts.log_in.as_ref(),
            directory: &sinks.directory,
            network: &parts.network,
            scope: &parts.scope,
            avoided: sinks.rules.links.avoided.as_ref(),
            subrequests: &handles.subrequests,
            pages: &handles.pages,
            frontier: &handles.frontier,
            hosts: &handles.hosts,
            clock: &self.clock,
            metrics: &self.hooks.metrics.host,
        };
        LoggedIn::prepare(setup)
    }

    fn control(&self, leases: &LeaseLoop, sinks: &Sinks, views: &CrawlViews) -> Arc<CrawlControl> {
        let setup = ControlSetup {
            active: sinks.active.clone(),
            directory: sinks.directory.clone(),
            publisher: Arc::clone(&views.publisher),
            frontier: leases.handles.frontier.clone(),
            hosts: Arc::clone(&leases.hosts),
            metrics: Arc::clone(&self.hooks.metrics.crawl),
            host_limits: self.hooks.limits.hosts,
            started: sinks.started,
        };
        Arc::new(CrawlControl::new(self.config, setup))
    }

    fn status(
        &self,
        leases: &LeaseLoop,
        sinks: &Sinks,
        views: &CrawlViews,
        control: &Arc<CrawlControl>,
    ) -> StatusReader {
        StatusReader {
            frontier: leases.handles.frontier.clone(),
            hosts: Arc::clone(&leases.hosts),
            control: Arc::clone(control),
            ledger: Arc::clone(&leases.ledger),
            tally: Arc::clone(&leases.tally),
            board: Arc::clone(&views.board),
            recrawl: leases.handles.recrawl.clone(),
            fleet: Arc::default(),
            posts: self.hooks.posts.clone(),
            clock: self.clock.clone(),
            started: sinks.started,
            directory: sinks.directory.clone(),
            metrics: self.hooks.metrics.clone(),
        }
    }

    fn live(&self, leases: &LeaseLoop, views: &CrawlViews, control: &Arc<CrawlControl>) -> LiveSources {
        LiveSources {
            board: Arc::clone(&views.live),
            control: Arc::clone(control),
            frontier: leases.handles.frontier.clone(),
            hosts: Arc::clone(&leases.hosts),
            archive: Arc::clone(&self.hooks.metrics.archive),
            renders: None,
            clock: self.clock.clone(),
            seeds: views.seeds.clone(),
        }
    }
}
