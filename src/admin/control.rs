//! The control socket: a Unix socket in the crawl directory, by which other processes of the same user ask where the crawl stands, and
//! tell it to rest, to go on, to stop, or to do something differently. What was told is recorded in the directory, with what it did.

use std::fs::OpenOptions;
use std::future::IntoFuture;
use std::io::Write;
use std::path::{Path, PathBuf};

use axum::body::Bytes;
use axum::extract::{Path as Named, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Serialize;
use tokio::net::UnixListener;
use tokio::task::JoinHandle;

use super::StatusProvider;
use crate::clock::Clock;
use crate::report::{Command, Commands, PauseSwitch, StopFlag};

/// The socket, in the crawl directory.
pub const SOCKET: &str = "control.sock";
/// What was told, in the crawl directory.
const JOURNAL: &str = "control.jsonl";

/// What the socket acts on.
#[derive(Clone)]
pub struct Controls {
    /// Where the crawl stands.
    pub status: StatusProvider,
    /// Ends it.
    pub stop: StopFlag,
    /// Lets it rest.
    pub pause: PauseSwitch,
    /// Tells it everything else.
    pub commands: Commands,
    /// The time.
    pub clock: Clock,
}

#[derive(Clone)]
struct Sources {
    controls: Controls,
    journal: PathBuf,
}

/// The socket that is listened on; it goes when this is dropped.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    task: JoinHandle<()>,
}

impl ControlSocket {
    /// Listens in a crawl directory, which nobody else has, in a task of its own on the current runtime.
    pub fn listen(directory: &Path, controls: Controls) -> std::io::Result<Self> {
        let path = directory.join(SOCKET);
        // A run that was killed leaves its own.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        let sources = Sources { controls, journal: directory.join(JOURNAL) };
        let server = axum::serve(listener, router(sources)).into_future();
        let task = tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::warn!(%error, "the control socket has ended");
            }
        });
        Ok(Self { path, task })
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        self.task.abort();
        // Whoever finds it nevertheless is told that nobody answers.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn router(sources: Sources) -> Router {
    let status = |State(sources): State<Sources>| async move { Json((sources.controls.status)()) };
    Router::new().route("/api/status", get(status)).route("/api/{command}", post(carry_out)).with_state(sources)
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

impl Sources {
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

/// What went wrong, as the client is told.
type Refused = (StatusCode, String);

/// The arguments of a command stand in the body, as a list in JSON.
async fn carry_out(
    Named(command): Named<String>,
    State(sources): State<Sources>,
    body: Bytes,
) -> Result<String, Refused> {
    let arguments: Vec<String> = match body.is_empty() {
        true => Vec::new(),
        false => serde_json::from_slice(&body).map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?,
    };
    match Command::of(&command, &arguments) {
        Some(Ok(given)) => tell(&sources, given, (&command, &arguments)).await,
        Some(Err(wrong)) => Err((StatusCode::UNPROCESSABLE_ENTITY, wrong)),
        None => switch(&sources, &command).map(|()| String::new()),
    }
}

/// Has the crawl do something, and records what it did.
async fn tell(sources: &Sources, given: Command, (command, arguments): (&str, &[String])) -> Result<String, Refused> {
    let effect = sources.controls.commands.give(given).await.map_err(|why| (StatusCode::UNPROCESSABLE_ENTITY, why))?;
    let recorded = sources.record(command, arguments, Some(&effect));
    recorded.map_err(|error| {
        let told = format!("it is done ({effect}), but cannot be recorded: {error}");
        (StatusCode::INTERNAL_SERVER_ERROR, told)
    })?;
    Ok(effect)
}

/// Lets the crawl rest, go on or end. First recorded, then done: what cannot be recorded is not done in secret.
fn switch(sources: &Sources, command: &str) -> Result<(), Refused> {
    let act: fn(&Controls) = match command {
        "pause" => |controls| controls.pause.set(true),
        "go-on" => |controls| controls.pause.set(false),
        "stop" => |controls| controls.stop.request(),
        _ => return Err((StatusCode::NOT_FOUND, format!("there is no command {command}"))),
    };
    let recorded = sources.record(command, &[], None);
    recorded.map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, format!("it cannot be recorded: {error}")))?;
    act(&sources.controls);
    Ok(())
}
