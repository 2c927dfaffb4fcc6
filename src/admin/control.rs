//! The control socket: a Unix socket in the crawl directory, by which other processes of the same user ask where the crawl stands, and
//! tell it to rest, to go on, or to stop. What was told is recorded in the directory.

use std::fs::OpenOptions;
use std::future::IntoFuture;
use std::io::Write;
use std::path::{Path, PathBuf};

use axum::extract::{Path as Named, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Serialize;
use tokio::net::UnixListener;
use tokio::task::JoinHandle;

use super::StatusProvider;
use crate::clock::Clock;
use crate::report::{PauseSwitch, StopFlag};

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

#[derive(Serialize)]
struct Told<'a> {
    time: String,
    command: &'a str,
}

async fn carry_out(Named(command): Named<String>, State(sources): State<Sources>) -> Result<(), (StatusCode, String)> {
    let Sources { controls, journal } = sources;
    // First recorded, then done: what cannot be recorded is not done in secret.
    let record = || {
        let told = Told { time: controls.clock.now().timestamp().to_string(), command: &command };
        let mut line = serde_json::to_vec(&told).map_err(std::io::Error::from)?;
        line.push(b'\n');
        OpenOptions::new().create(true).append(true).open(&journal)?.write_all(&line)
    };
    let act: fn(&Controls) = match command.as_str() {
        "pause" => |controls| controls.pause.set(true),
        "go-on" => |controls| controls.pause.set(false),
        "stop" => |controls| controls.stop.request(),
        _ => return Err((StatusCode::NOT_FOUND, format!("there is no command {command}"))),
    };
    record().map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, format!("it cannot be recorded: {error}")))?;
    act(&controls);
    Ok(())
}
