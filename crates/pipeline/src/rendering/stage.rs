//! The browsers, and the queue of pages that wait for one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{Mutex, mpsc};

use super::page::PageToRender;
use super::requests::CrawlRequests;
use crate::Error;
use crate::bounds::leases_max;
use crate::handles::PageQueue;
use crate::subrequests::Subrequests;
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, RenderOptions};
use harvestman_metrics::RenderMetrics;
use harvestman_render::{
    Browser, Chromium, ChromiumSettings, Confinement, Executable, PageRequests, PageTask, RenderFailure, RenderLimits,
    RenderedPage,
};
use harvestman_stages::fetch::{self, DecodeLimits};

/// The queue of pages that wait for a browser. It has room for every lease, so sending never blocks.
#[derive(Clone)]
pub(crate) struct RenderQueue(mpsc::Sender<Box<PageToRender>>);

impl RenderQueue {
    /// Sends a page to the browsers. Returns it if they are gone.
    pub(crate) fn send(&self, page: Box<PageToRender>) -> Result<(), Box<PageToRender>> {
        self.0.try_send(page).map_err(mpsc::error::TrySendError::into_inner)
    }
}

/// The browsers, before they run.
pub(crate) struct RenderStage {
    pages: mpsc::Receiver<Box<PageToRender>>,
    browsers: Vec<Arc<dyn Browser>>,
    setup: RenderSetup,
}

/// What the browsers work with.
#[derive(Clone)]
pub(crate) struct RenderSetup {
    requests: Arc<dyn PageRequests>,
    workers: PageQueue,
    decode: DecodeLimits,
    clock: Clock,
    metrics: Arc<RenderMetrics>,
}

impl RenderStage {
    /// Prepares the browsers of a crawl, if it has any.
    ///
    /// # Errors
    ///
    /// There is no browser on this machine.
    pub(crate) fn new(
        config: &Config,
        (subrequests, workers): (Subrequests, PageQueue),
        clock: &Clock,
        metrics: &Arc<RenderMetrics>,
    ) -> Result<Option<(RenderQueue, Self)>, Error> {
        if !config.render.is_on() {
            return Ok(None);
        }
        let settings = settings(config, clock)?;
        let browsers = (0..config.render.browsers.max(1)).map(|_| Arc::new(Chromium::new(settings.clone())) as _);
        let (queue, pages) = mpsc::channel(leases_max(config));
        let setup = RenderSetup {
            requests: Arc::new(CrawlRequests::new(subrequests, config.render.assets.as_usize())),
            workers,
            decode: DecodeLimits::from(&config.fetch),
            clock: clock.clone(),
            metrics: Arc::clone(metrics),
        };
        Ok(Some((RenderQueue(queue), Self { pages, browsers: browsers.collect(), setup })))
    }

    /// Starts to render, as tasks of the current runtime. They end with the queue.
    pub(crate) fn spawn(self) {
        let pages = Arc::new(Mutex::new(self.pages));
        for browser in self.browsers {
            let (pages, setup) = (Arc::clone(&pages), self.setup.clone());
            tokio::spawn(async move {
                loop {
                    let next = pages.lock().await.recv().await;
                    let Some(page) = next else { break };
                    let rendered = setup.render(&*browser, &page).await;
                    setup.workers.rendered(page, rendered);
                }
            });
        }
    }
}

impl RenderSetup {
    async fn render(&self, browser: &dyn Browser, page: &PageToRender) -> Result<RenderedPage, RenderFailure> {
        let Ok(answer) = &page.exchange.result else {
            return Err(RenderFailure::Rejected("a page without an answer".to_owned()));
        };
        let begun = self.clock.now();
        let headers = answer
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
        let body: Bytes = fetch::decode_answer(answer, &self.decode).bytes;
        let url = page.lease.item.url.as_str().to_owned();
        let task = PageTask { url, status: answer.status, headers: headers.collect(), body };
        let rendered = browser.render(task, Arc::clone(&self.requests)).await;
        self.metrics.seconds.observe(self.clock.now().since(begun));
        if let Ok(page) = &rendered {
            for note in &page.requests {
                self.metrics.requests.by(note.outcome.map_or_else(|refusal| refusal.label(), |_| "answered")).inc();
            }
        }
        rendered
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

/// Checks that there is a browser if the settings need one.
///
/// # Errors
///
/// There is none.
pub(crate) fn require_browser(config: &Config, clock: &Clock) -> Result<(), Error> {
    if config.render.is_on() { settings(config, clock).map(drop) } else { Ok(()) }
}

/// Returns how browsers are started.
///
/// # Errors
///
/// There is no browser on this machine.
fn settings(config: &Config, clock: &Clock) -> Result<ChromiumSettings, Error> {
    let RenderOptions { browser, sandbox, page_time, quiet, requests, page_bytes, heap_mib, .. } = &config.render;
    let named = (!browser.is_empty()).then(|| Path::new(browser));
    let search = std::env::var_os("PATH").unwrap_or_default();
    let executable = Executable::find(named, &search).map_err(Error::Configuration)?;
    Ok(ChromiumSettings {
        executable,
        confinement: Confinement { sandbox: *sandbox },
        agent: fetch::user_agent(&config.fetch),
        // Not the directory of the crawl, which the user that a browser runs as may not be able to reach.
        temporary: std::env::temp_dir(),
        limits: RenderLimits {
            active: page_time.0,
            quiet: quiet.0,
            requests: *requests,
            answers_bytes: page_bytes.as_usize(),
            heap_mib: *heap_mib,
            ..RenderLimits::default()
        },
        clock: clock.clone(),
    })
}
