//! A browser: started when it is needed, replaced when it is worn or fails.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use harvestman_core::clock::Clock;
use serde_json::json;
use tokio::sync::{Mutex, mpsc};

use super::connection::{CommandError, Connection, Event};
use super::events::PageEvent;
use super::executable::Executable;
use super::flags::{Confinement, command, flags};
use super::process::Process;
use super::session::Session;
use super::tab::{Tab, Work};
use crate::limits::RenderLimits;
use crate::page::{Browser, Later, PageRequests, PageTask, RenderFailure, RenderedPage};

/// Time in which a browser starts.
const START_MAX: Duration = Duration::from_secs(30);
/// Number of pages after which the memory of the processes is measured.
const MEASURE_EVERY: u32 = 10;

/// How a browser is started.
#[derive(Debug, Clone)]
pub struct ChromiumSettings {
    /// Its executable.
    pub executable: Executable,
    /// How it is confined.
    pub confinement: Confinement,
    /// The `User-Agent`: that of the crawl, so that a server gives both the same.
    pub agent: String,
    /// The folder for its temporary files.
    pub temporary: PathBuf,
    /// The limits on pages and processes.
    pub limits: RenderLimits,
    /// The clock.
    pub clock: Clock,
}

/// A Chromium without network that renders one page at a time.
#[derive(Debug)]
pub struct Chromium {
    settings: ChromiumSettings,
    running: Mutex<Option<Running>>,
    starts: AtomicU64,
}

#[derive(Debug)]
struct Running {
    process: Process,
    connection: Connection,
    events: mpsc::Receiver<Event>,
    pages: u32,
    /// Whether a page could not be closed.
    is_broken: bool,
}

impl Chromium {
    /// Creates the browser. It is started for the first page.
    pub const fn new(settings: ChromiumSettings) -> Self {
        Self { settings, running: Mutex::const_new(None), starts: AtomicU64::new(0) }
    }

    /// Returns how often a process was started.
    pub fn starts(&self) -> u64 {
        self.starts.load(Ordering::Relaxed)
    }

    /// Ends the browser's processes, if any.
    pub async fn end(&self) {
        if let Some(running) = self.running.lock().await.take() {
            running.process.end().await;
        }
    }

    /// Starts the browser, and returns its name and version.
    ///
    /// # Errors
    ///
    /// It does not start; the failure says what to do.
    pub async fn version(&self) -> Result<String, RenderFailure> {
        let running = self.start().await?;
        let version = running.connection.command(None, "Browser.getVersion", json!({}), START_MAX).await;
        running.process.end().await;
        let version = version?;
        Ok(version["product"].as_str().unwrap_or("unknown").to_owned())
    }

    async fn start(&self) -> Result<Running, RenderFailure> {
        self.starts.fetch_add(1, Ordering::Relaxed);
        let ChromiumSettings { executable, confinement, agent, temporary, limits, .. } = &self.settings;
        let is_root = rustix::process::geteuid().is_root();
        let words = |profile: &std::path::Path| {
            let flags = flags(executable, profile, *confinement, agent, limits);
            command(executable, profile, is_root, flags)
        };
        let (process, pipe) = Process::start(temporary, is_root, words).map_err(|error| {
            RenderFailure::CannotStart(format!("{} does not start: {error}", executable.path.display()))
        })?;
        let (connection, events) = Connection::start(pipe.to, pipe.from);
        let running = Running { process, connection, events, pages: 0, is_broken: false };
        match running.prepare().await {
            Ok(()) => Ok(running),
            Err(error) => Err(RenderFailure::CannotStart(running.cannot_start(&error, executable).await)),
        }
    }

    async fn render_page(
        &self,
        page: PageTask,
        requests: Arc<dyn PageRequests>,
    ) -> Result<RenderedPage, RenderFailure> {
        // The process is taken out: if this future is dropped, it ends, because its state is unknown.
        let mut place = self.running.lock().await;
        let mut running = match place.take().filter(|running| !running.connection.has_ended()) {
            Some(running) => running,
            None => self.start().await?,
        };
        let result = running.render(page, requests, &self.settings).await;
        let is_usable = result.is_ok() || matches!(result, Err(RenderFailure::TooLarge | RenderFailure::Rejected(_)));
        if is_usable && !running.is_worn(&self.settings.limits) {
            *place = Some(running);
        } else {
            running.process.end().await;
        }
        result
    }
}

impl Browser for Chromium {
    fn render(
        &self,
        page: PageTask,
        requests: Arc<dyn PageRequests>,
    ) -> Later<'_, Result<RenderedPage, RenderFailure>> {
        Box::pin(self.render_page(page, requests))
    }

    /// Ends the processes; the next page starts others.
    fn rest(&self) -> Later<'_, ()> {
        Box::pin(self.end())
    }
}

impl Running {
    /// Has all requests of all pages and workers wait for an answer.
    async fn prepare(&self) -> Result<(), CommandError> {
        let ask = |method, params| self.connection.command(None, method, params, START_MAX);
        ask("Fetch.enable", json!({"patterns": [{"urlPattern": "*", "requestStage": "Request"}]})).await?;
        ask("Target.setDiscoverTargets", json!({"discover": true})).await?;
        ask("Browser.setDownloadBehavior", json!({"behavior": "deny"})).await.map(drop)
    }

    async fn render(
        &mut self,
        page: PageTask,
        requests: Arc<dyn PageRequests>,
        settings: &ChromiumSettings,
    ) -> Result<RenderedPage, RenderFailure> {
        self.pages += 1;
        let session = Session::open(&self.connection).await?;
        let (target, context) = session.names();
        let work = Work { page, requests, limits: &settings.limits, clock: &settings.clock };
        let tab = Tab::new(&self.connection, &mut self.events, session, work)?;
        let rendered = tab.render().await;
        // What was rendered counts also if the browser ends with it.
        match Session::close(&self.connection, &target, &context).await {
            Ok(()) => self.refuse_rest().await?,
            Err(_) => self.is_broken = true,
        }
        rendered
    }

    /// Refuses requests of the closed page that still wait.
    async fn refuse_rest(&mut self) -> Result<(), RenderFailure> {
        while let Ok(event) = self.events.try_recv() {
            if let Some(PageEvent::Paused(paused)) = PageEvent::of(event) {
                let fail = json!({"requestId": paused.id, "errorReason": "Aborted"});
                self.connection.tell(None, "Fetch.failRequest", fail).await?;
            }
        }
        Ok(())
    }

    /// Returns whether the process has had its pages, or needs too much memory.
    fn is_worn(&self, limits: &RenderLimits) -> bool {
        self.is_broken
            || self.pages >= limits.pages_per_process
            || (self.pages.is_multiple_of(MEASURE_EVERY) && self.process.bytes() > limits.process_bytes)
    }

    /// Ends a browser that does not start. Returns why, and what to do.
    async fn cannot_start(self, error: &CommandError, executable: &Executable) -> String {
        // Its messages come over another pipe.
        tokio::time::sleep(Duration::from_millis(200)).await;
        let messages = self.process.messages();
        self.process.end().await;
        let last = messages.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let advice = advice(&messages);
        format!("{} does not start: {error} ({last}){advice}", executable.path.display())
    }
}

/// Returns what to do about what a browser, or the programs that confine it, wrote before they ended.
fn advice(messages: &str) -> &'static str {
    if messages.contains("unshare") {
        "; the system does not permit a namespace without network, which rendering needs: permit user namespaces, or run \
         the crawler as root"
    } else if messages.contains("sandbox") || messages.contains("Sandbox") {
        "; the system does not permit the browser's sandbox: permit user namespaces, or set render.sandbox = false if \
         you trust the pages (the browser has no network either way)"
    } else {
        ""
    }
}
