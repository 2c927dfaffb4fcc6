//! Commands to a running crawl from any source: executes them, and records each with its effect in the crawl directory.
//! Also tells what a fetched page is taken as: its texts, each with the field of a post that it is.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::guard::Refusal;
use harvestman_core::clock::Clock;
use harvestman_core::crawl_file;
use harvestman_report::{Command, Commands, CrawlStatus, PauseSwitch, StopFlag};

/// The journal of commands, in the crawl directory.
const JOURNAL: &str = "control.jsonl";

/// Provides a snapshot of the crawl's status.
pub type StatusProvider = Arc<dyn Fn() -> CrawlStatus + Send + Sync>;

/// The controls of a crawl that commands act on.
#[derive(Clone)]
pub struct Controls {
    /// The status of the crawl.
    pub status: StatusProvider,
    /// Stops the crawl.
    pub stop: StopFlag,
    /// Makes it leave its fleet; `None` if it is not in one.
    pub leave: Option<StopFlag>,
    /// Pauses it.
    pub pause: PauseSwitch,
    /// Sends it all other commands.
    pub commands: Commands,
    /// Whether it is the crawl of a fleet: then all nodes pause, resume and stop together, and these commands are sent
    /// like all others.
    pub in_fleet: bool,
    /// The clock.
    pub clock: Clock,
}

/// Executes commands.
#[derive(Clone)]
pub(super) struct Orders {
    pub(super) controls: Controls,
    journal: PathBuf,
}

/// A line of the journal.
#[derive(Serialize)]
struct JournalEntry<'a> {
    time: String,
    command: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    arguments: &'a [String],
    /// Its effect, if that says more than the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<&'a str>,
}

impl Orders {
    /// Creates the executor for the crawl in a directory.
    pub(super) fn new(directory: &Path, controls: Controls) -> Self {
        Self { controls, journal: directory.join(JOURNAL) }
    }

    /// Executes a command and returns its effect. The arguments are in the body, as a JSON list.
    pub(super) async fn carry_out(&self, command: &str, body: &Bytes) -> Result<String, Refusal> {
        let arguments: Vec<String> = match body.is_empty() {
            true => Vec::new(),
            false => serde_json::from_slice(body).map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?,
        };
        match Command::of(command, &arguments) {
            Some(Ok(given)) => self.execute(given, command, &arguments).await,
            Some(Err(wrong)) => Err((StatusCode::UNPROCESSABLE_ENTITY, wrong)),
            None => match Command::of_fleet(command).filter(|_| self.controls.in_fleet) {
                Some(given) => self.execute(given, command, &[]).await,
                None => self.switch(command).map(|()| String::new()),
            },
        }
    }

    /// Sends a command to the crawl, and records its effect.
    async fn execute(&self, given: Command, command: &str, arguments: &[String]) -> Result<String, Refusal> {
        let effect = self.controls.commands.give(given).await.map_err(|why| (StatusCode::UNPROCESSABLE_ENTITY, why))?;
        let recorded = self.record(command, arguments, Some(&effect));
        recorded.map_err(|error| {
            let why = format!("done ({effect}), but cannot record the command: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, why)
        })?;
        Ok(effect)
    }

    /// Pauses, resumes or stops the crawl. The command is recorded first, so that nothing is done that cannot be
    /// recorded.
    fn switch(&self, command: &str) -> Result<(), Refusal> {
        let act: fn(&Controls) = match command {
            "pause" => |controls| controls.pause.set(true),
            "unpause" => |controls| controls.pause.set(false),
            "stop" => |controls| controls.stop.request(),
            "leave" if self.controls.leave.is_none() => {
                let why = "this crawl runs on a single machine: there is no fleet to leave; `harvestman ctl DIR stop` ends it";
                return Err((StatusCode::UNPROCESSABLE_ENTITY, why.to_owned()));
            }
            "leave" => |controls| controls.leave.iter().for_each(StopFlag::request),
            _ => return Err((StatusCode::NOT_FOUND, format!("unknown command `{command}`"))),
        };
        let recorded = self.record(command, &[], None);
        recorded.map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, format!("cannot record the command: {error}")))?;
        act(&self.controls);
        Ok(())
    }

    /// Appends a line to the journal and syncs it to disk.
    fn record(&self, command: &str, arguments: &[String], effect: Option<&str>) -> std::io::Result<()> {
        let time = self.controls.clock.now().timestamp().to_string();
        let mut line = serde_json::to_vec(&JournalEntry { time, command, arguments, effect })?;
        line.push(b'\n');
        let mut journal = crawl_file::open_with(&self.journal, OpenOptions::new().create(true).append(true))?;
        journal.write_all(&line)?;
        journal.sync_data()
    }
}

/// Maximum number of pages that wait or are read at a time.
const PAGES_MAX: usize = 4;

/// Shows what the page at an address is taken as, as JSON, or tells why it cannot. It may take seconds.
pub type PageViews = Arc<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// The page that a client asks for.
#[derive(Debug, Deserialize)]
pub(super) struct AskedPage {
    url: String,
}

/// The pages of a crawl.
#[derive(Clone)]
pub(super) struct Pages {
    views: Option<PageViews>,
    places: Arc<Semaphore>,
}

impl Pages {
    pub(super) fn new(views: Option<PageViews>) -> Self {
        Self { views, places: Arc::new(Semaphore::new(PAGES_MAX)) }
    }

    /// Answers with what a page is taken as.
    pub(super) async fn view(&self, asked: AskedPage) -> Result<Response, Refusal> {
        let Some(views) = self.views.clone() else {
            let why = "the crawl keeps no pages (archive.enabled = false)\n";
            return Err((StatusCode::NOT_FOUND, why.to_owned()));
        };
        let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() else {
            let why = format!("{PAGES_MAX} pages are being read already: try again\n");
            return Err((StatusCode::SERVICE_UNAVAILABLE, why));
        };
        let read = move || {
            let view = views(&asked.url);
            drop(permit);
            view
        };
        let view = tokio::task::spawn_blocking(read).await;
        let view = view.map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")))?;
        let json = view.map_err(|why| (StatusCode::UNPROCESSABLE_ENTITY, format!("{why}\n")))?;
        Ok(([(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")], json).into_response())
    }
}
