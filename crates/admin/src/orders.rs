//! What somebody tells a running crawl, by whichever way: it is carried out, and recorded in the crawl directory with what it did.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::StatusCode;
use serde::Serialize;

use super::guard::Refused;
use harvestman_core::clock::Clock;
use harvestman_report::{Command, Commands, CrawlStatus, PauseSwitch, StopFlag};

/// What was told, in the crawl directory.
const JOURNAL: &str = "control.jsonl";

/// Where the server gets a snapshot of the crawl.
pub type StatusProvider = Arc<dyn Fn() -> CrawlStatus + Send + Sync>;

/// What orders act on.
#[derive(Clone)]
pub struct Controls {
    /// Where the crawl stands.
    pub status: StatusProvider,
    /// Ends it.
    pub stop: StopFlag,
    /// Lets it leave its fleet; none where it is in none.
    pub leave: Option<StopFlag>,
    /// Lets it rest.
    pub pause: PauseSwitch,
    /// Tells it everything else.
    pub commands: Commands,
    /// Whether it is the crawl of a fleet: then all nodes rest, go on and end together, and are told so as everything else.
    pub in_fleet: bool,
    /// The time.
    pub clock: Clock,
}

/// Carries orders out.
#[derive(Clone)]
pub(super) struct Orders {
    pub(super) controls: Controls,
    journal: PathBuf,
}

/// A line of the journal.
#[derive(Serialize)]
struct Told<'a> {
    time: String,
    command: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    arguments: &'a [String],
    /// What it did, where that says more than the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<&'a str>,
}

impl Orders {
    /// Orders to the crawl in a directory.
    pub(super) fn new(directory: &Path, controls: Controls) -> Self {
        Self { controls, journal: directory.join(JOURNAL) }
    }

    /// Carries an order out, and says what it did. Its arguments stand in the body, as a list in JSON.
    pub(super) async fn carry_out(&self, command: &str, body: &Bytes) -> Result<String, Refused> {
        let arguments: Vec<String> = match body.is_empty() {
            true => Vec::new(),
            false => serde_json::from_slice(body).map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?,
        };
        match Command::of(command, &arguments) {
            Some(Ok(given)) => self.tell(given, (command, &arguments)).await,
            Some(Err(wrong)) => Err((StatusCode::UNPROCESSABLE_ENTITY, wrong)),
            None => match Command::of_fleet(command).filter(|_| self.controls.in_fleet) {
                Some(given) => self.tell(given, (command, &[])).await,
                None => self.switch(command).map(|()| String::new()),
            },
        }
    }

    /// Has the crawl do something, and records what it did.
    async fn tell(&self, given: Command, (command, arguments): (&str, &[String])) -> Result<String, Refused> {
        let effect = self.controls.commands.give(given).await.map_err(|why| (StatusCode::UNPROCESSABLE_ENTITY, why))?;
        let recorded = self.record(command, arguments, Some(&effect));
        recorded.map_err(|error| {
            let told = format!("it is done ({effect}), but cannot be recorded: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, told)
        })?;
        Ok(effect)
    }

    /// Lets the crawl rest, go on or end. First recorded, then done: what cannot be recorded is not done in secret.
    fn switch(&self, command: &str) -> Result<(), Refused> {
        let act: fn(&Controls) = match command {
            "pause" => |controls| controls.pause.set(true),
            "go-on" => |controls| controls.pause.set(false),
            "stop" => |controls| controls.stop.request(),
            "leave" if self.controls.leave.is_none() => {
                let why =
                    "this crawl is on one machine alone, and there is no fleet to leave; `harvestman stop` ends it";
                return Err((StatusCode::UNPROCESSABLE_ENTITY, why.to_owned()));
            }
            "leave" => |controls| controls.leave.iter().for_each(StopFlag::request),
            _ => return Err((StatusCode::NOT_FOUND, format!("there is no command {command}"))),
        };
        let recorded = self.record(command, &[], None);
        recorded.map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, format!("it cannot be recorded: {error}")))?;
        act(&self.controls);
        Ok(())
    }

    /// Appends a line to the journal. It is on the disk afterwards.
    fn record(&self, command: &str, arguments: &[String], effect: Option<&str>) -> std::io::Result<()> {
        let time = self.controls.clock.now().timestamp().to_string();
        let mut line = serde_json::to_vec(&Told { time, command, arguments, effect })?;
        line.push(b'\n');
        let mut journal = OpenOptions::new().create(true).append(true).open(&self.journal)?;
        journal.write_all(&line)?;
        journal.sync_data()
    }
}
