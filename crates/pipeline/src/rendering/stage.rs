//! The browsers, and the queue of pages that wait for one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Mutex, mpsc};

use super::Renders;
use super::page::{PageToRender, RenderClass, RenderOutcome, RenderProgress, RenderRole};
use super::requests::CrawlRequests;
use crate::bounds::leases_max;
use crate::error::Error;
use crate::handles::PageQueue;
use crate::run::subrequests::Subrequests;
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, RenderOptions};
use harvestman_core::held_pages::{HeldPages, HoldLimits};
use harvestman_render::replay::ReplayTemplate;
use harvestman_render::{
    Browser, Chromium, ChromiumSettings, Confinement, Executable, KnownActions, Means, PageRequests, PageTask,
    RenderFailure, RenderLimits, RenderedPage, Turn, replay_page,
};
use harvestman_stages::fetch::{self, DecodeLimits};

/// Memory for scripts and style sheets, which are requested once for all pages: those of the templates of several
/// sites. Less would request and run them again, more would hold what no page needs any more.
const ASSET_BYTES: usize = 64 << 20;

/// The queue of pages that wait for a browser. It has room for every lease, so sending never blocks.
#[derive(Clone)]
pub(crate) struct RenderQueue(mpsc::Sender<Box<PageToRender>>);

impl RenderQueue {
    /// Sends a page to the browsers. Returns it if they are gone.
    pub(crate) fn send(&self, page: Box<PageToRender>) -> Result<(), Box<PageToRender>> {
        self.0.try_send(page).map_err(mpsc::error::TrySendError::into_inner)
    }
}

/// Time without a page after which a browser is ended: it takes memory and processor time also if it does nothing.
const REST_AFTER: Duration = Duration::from_secs(15);

/// The browsers of a crawl.
pub(crate) type Browsers = Vec<Arc<dyn Browser>>;

/// The queue of pages that wait, for those that wait again.
type Again = mpsc::WeakSender<Box<PageToRender>>;

/// The browsers, before they run.
pub(crate) struct RenderStage {
    pages: mpsc::Receiver<Box<PageToRender>>,
    again: Again,
    browsers: Browsers,
    setup: RenderSetup,
}

/// What the browsers work with.
#[derive(Clone)]
pub(crate) struct RenderSetup {
    rules: Arc<Renders>,
    requests: Arc<dyn PageRequests>,
    limits: RenderLimits,
    workers: PageQueue,
    decode: DecodeLimits,
    clock: Clock,
}

impl RenderStage {
    /// Prepares the stage for these browsers.
    pub(crate) fn new(
        config: &Config,
        subrequests: Subrequests,
        workers: PageQueue,
        clock: Clock,
        rules: Arc<Renders>,
        browsers: Browsers,
    ) -> (RenderQueue, Self) {
        let (queue, pages) = mpsc::channel(leases_max(config));
        let setup = RenderSetup {
            rules,
            requests: Arc::new(CrawlRequests::new(subrequests, ASSET_BYTES)),
            limits: limits(config),
            workers,
            decode: DecodeLimits::from(&config.fetch),
            clock,
        };
        (RenderQueue(queue.clone()), Self { pages, again: queue.downgrade(), browsers, setup })
    }

    /// Starts to render and to replay, as tasks of the current runtime. They end with the queue.
    pub(crate) fn spawn(self) {
        let Self { mut pages, again, browsers, setup } = self;
        let (to_browsers, waiting) = mpsc::channel(pages.max_capacity());
        let waiting = Arc::new(Mutex::new(waiting));
        for browser in browsers {
            let (waiting, setup, again) = (Arc::clone(&waiting), setup.clone(), again.clone());
            tokio::spawn(async move {
                loop {
                    let next = async { waiting.lock().await.recv().await };
                    let next = match tokio::time::timeout(REST_AFTER, next).await {
                        Ok(next) => next,
                        Err(_) => {
                            browser.rest().await;
                            waiting.lock().await.recv().await
                        }
                    };
                    let Some(page) = next else { break };
                    setup.complete(&*browser, page, &again).await;
                }
            });
        }
        let mut dispatcher = Dispatcher { setup, again, to_browsers, waiting: HeldPages::new(HoldLimits::LEASES) };
        tokio::spawn(async move {
            let rules = Arc::clone(&dispatcher.setup.rules);
            loop {
                tokio::select! {
                    page = pages.recv() => match page {
                        Some(page) => dispatcher.dispatch(page),
                        None => break,
                    },
                    () = rules.changed.notified() => dispatcher.dispatch_waiting(),
                }
            }
        });
    }
}

/// Gives each page its turn.
struct Dispatcher {
    setup: RenderSetup,
    again: Again,
    to_browsers: mpsc::Sender<Box<PageToRender>>,
    /// Pages that wait for the end of a trial of their class.
    waiting: HeldPages<RenderClass, Box<PageToRender>>,
}

impl Dispatcher {
    fn dispatch(&mut self, mut page: Box<PageToRender>) {
        match self.setup.rules.turn(&page) {
            Turn::Wait => return self.hold(page),
            Turn::Plain => return self.setup.workers.rendered(page, RenderOutcome::Unneeded),
            Turn::Render => page.progress = RenderProgress::Begun,
        }
        match self.setup.rules.means(page.class) {
            Means::Requests(template) => self.setup.spawn_replay(page, template, self.again.clone()),
            means => {
                if means == Means::Check {
                    page.progress = RenderProgress::Check;
                }
                // There is room for every lease.
                let _ = self.to_browsers.try_send(page);
            }
        }
    }

    fn hold(&mut self, page: Box<PageToRender>) {
        if let Err(page) = self.waiting.hold(page.class, page, 0, self.setup.clock.now()) {
            self.setup.workers.rendered(page, RenderOutcome::Unneeded);
        }
    }

    fn dispatch_waiting(&mut self) {
        for held in self.waiting.release_all() {
            self.dispatch(held.page);
        }
    }
}

impl RenderSetup {
    /// Completes a page that waited for a browser, by then perhaps without it.
    async fn complete(&self, browser: &dyn Browser, page: Box<PageToRender>, again: &Again) {
        let means = if page.progress == RenderProgress::Check { Means::Check } else { self.rules.means(page.class) };
        let outcome = match means {
            Means::Requests(template) => return self.spawn_replay(page, template, again.clone()),
            Means::Browser if self.rules.is_unneeded(page.class) && page.role != RenderRole::Retest => {
                RenderOutcome::Unneeded
            }
            Means::Browser | Means::Check => {
                self.render(browser, &page).await.map_or_else(RenderOutcome::Failed, RenderOutcome::Rendered)
            }
        };
        self.workers.rendered(page, outcome);
    }

    /// Replays a page as a task of its own. There are at most as many as leases.
    ///
    /// A page for which the requests bring nothing is dispatched again, as one of another class.
    fn spawn_replay(&self, mut page: Box<PageToRender>, template: Arc<ReplayTemplate>, again: Again) {
        let setup = self.clone();
        tokio::spawn(async move {
            let outcome = match setup.task(&page) {
                Ok(task) => {
                    let replayed = replay_page(&task, &template, &*setup.requests, &setup.limits).await;
                    setup.count_requests(&replayed);
                    let is_apart =
                        replayed.has_no_answer() && !replayed.is_cut_short() && setup.rules.set_apart(&mut page);
                    if let Some(again) = again.upgrade().filter(|_| is_apart) {
                        // There is room for every lease.
                        let _ = again.try_send(page);
                        return;
                    }
                    RenderOutcome::Replayed(replayed)
                }
                Err(why) => RenderOutcome::Failed(why),
            };
            setup.workers.rendered(page, outcome);
        });
    }

    async fn render(&self, browser: &dyn Browser, page: &PageToRender) -> Result<RenderedPage, RenderFailure> {
        let begun = self.clock.now();
        let task = PageTask { actions: self.rules.actions(page.class), ..self.task(page)? };
        let mut rendered = browser.render(task.clone(), Arc::clone(&self.requests)).await;
        // Something else may have ended the browser; a page that does so itself does it again.
        if matches!(rendered, Err(RenderFailure::Crashed)) {
            rendered = browser.render(task, Arc::clone(&self.requests)).await;
        }
        self.rules.metrics.seconds.observe(self.clock.now().since(begun));
        rendered.inspect(|page| self.count_requests(page))
    }

    /// Returns what a page is completed from.
    fn task(&self, page: &PageToRender) -> Result<PageTask, RenderFailure> {
        let Ok(answer) = &page.fetched.exchange.result else {
            return Err(RenderFailure::Rejected("a page without an answer".to_owned()));
        };
        let headers = answer
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
        let body: Bytes = fetch::decode_answer(answer, &self.decode).bytes;
        let url = page.fetched.lease.item.url.as_str().to_owned();
        Ok(PageTask { url, status: answer.status, headers: headers.collect(), body, actions: KnownActions::new() })
    }

    fn count_requests(&self, page: &RenderedPage) {
        for note in &page.requests {
            self.rules.metrics.requests.by(note.outcome.map_or_else(|refusal| refusal.label(), |_| "answered")).inc();
        }
    }
}

/// Whether pages can be rendered on this machine.
#[derive(Debug)]
pub struct BrowserCheck {
    /// The browser's executable, if one was found.
    pub path: Option<PathBuf>,
    /// Its name and version, or why it does not work, with what to do.
    pub result: Result<String, String>,
}

/// Starts the browser of the settings, without network as for a crawl, and ends it.
pub async fn check_browser(config: &Config) -> BrowserCheck {
    let settings = match settings(config, &Clock::system()) {
        Ok(settings) => settings,
        Err(error) => return BrowserCheck { path: None, result: Err(error.to_string()) },
    };
    let path = Some(settings.executable.path.clone());
    BrowserCheck { path, result: Chromium::new(settings).version().await.map_err(|why| why.to_string()) }
}

/// Returns the browsers of a crawl. They are started when they are needed.
///
/// # Errors
///
/// There is no browser on this machine.
pub(crate) fn browsers(config: &Config, clock: &Clock) -> Result<Browsers, Error> {
    let settings = settings(config, clock)?;
    Ok((0..config.render.browsers.max(1)).map(|_| Arc::new(Chromium::new(settings.clone())) as _).collect())
}

/// Returns how browsers are started.
///
/// # Errors
///
/// There is no browser on this machine.
fn settings(config: &Config, clock: &Clock) -> Result<ChromiumSettings, Error> {
    let RenderOptions { browser, sandbox, .. } = &config.render;
    let named = (!browser.is_empty()).then(|| Path::new(browser));
    let search = std::env::var_os("PATH").unwrap_or_default();
    let executable = Executable::find(named, &search).map_err(Error::Configuration)?;
    Ok(ChromiumSettings {
        executable,
        confinement: Confinement { sandbox: *sandbox },
        agent: fetch::user_agent(&config.fetch),
        // Not the directory of the crawl, which the user that a browser runs as may not be able to reach.
        temporary: std::env::temp_dir(),
        limits: limits(config),
        clock: clock.clone(),
    })
}

/// Returns the limits on pages.
fn limits(config: &Config) -> RenderLimits {
    let RenderOptions { page_time, quiet, scrolls, clicks, requests, heap_mib, .. } = &config.render;
    RenderLimits {
        active: page_time.0,
        quiet: quiet.0,
        scrolls: *scrolls,
        clicks: *clicks,
        requests: *requests,
        heap_mib: *heap_mib,
        ..RenderLimits::default()
    }
}
