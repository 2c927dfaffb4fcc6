//! The connection to a browser: commands with their answers, and events.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

use super::frames::Frames;
use crate::page::RenderFailure;

/// Maximum number of bytes of a message of the browser. The largest is a page's document as text.
const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// Maximum number of commands that wait to be written.
const COMMANDS_MAX: usize = 256;
/// Maximum number of events that wait to be handled.
const EVENTS_MAX: usize = 4_096;

/// Maximum time for which a browser may leave its pipe unread.
const WRITE_MAX: Duration = Duration::from_secs(10);

/// A command that was not executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CommandError {
    /// The browser is gone.
    #[error("the browser has ended")]
    Ended,
    /// There was no answer in time.
    #[error("the browser did not answer {0} in time")]
    Late(&'static str),
    /// The browser rejected it.
    #[error("the browser rejected {0}: {1}")]
    Rejected(&'static str, String),
}

impl From<CommandError> for RenderFailure {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Ended => Self::Crashed,
            CommandError::Late(_) => Self::Hung,
            CommandError::Rejected(..) => Self::Rejected(error.to_string()),
        }
    }
}

/// An event of the browser.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) method: String,
    pub(super) params: Value,
}

#[derive(Debug, Deserialize)]
struct Message {
    id: Option<u64>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    error: Option<Rejection>,
}

#[derive(Debug, Deserialize)]
struct Rejection {
    message: String,
}

type Answer = Result<Value, String>;

#[derive(Debug, Default)]
struct Shared {
    /// The commands without an answer; `None` once the browser has ended.
    waiting: Mutex<Option<HashMap<u64, oneshot::Sender<Answer>>>>,
    next_id: AtomicU64,
    lost_events: AtomicBool,
}

/// The connection to a browser.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    shared: Arc<Shared>,
    commands: mpsc::Sender<Vec<u8>>,
}

impl Connection {
    /// Starts the connection over the two directions of a pipe. Returns it with the events of the browser.
    pub(super) fn start(
        to: impl AsyncWrite + Send + Unpin + 'static,
        from: impl AsyncRead + Send + Unpin + 'static,
    ) -> (Self, mpsc::Receiver<Event>) {
        let shared = Arc::new(Shared { waiting: Mutex::new(Some(HashMap::new())), ..Shared::default() });
        let (commands, queue) = mpsc::channel(COMMANDS_MAX);
        let (events, received) = mpsc::channel(EVENTS_MAX);
        tokio::spawn(write(to, queue));
        tokio::spawn(read(from, events, Arc::clone(&shared)));
        (Self { shared, commands }, received)
    }

    /// Executes a command, and returns its result.
    pub(super) async fn command(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
        deadline: Duration,
    ) -> Result<Value, CommandError> {
        let (sender, answer) = oneshot::channel();
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        match self.shared.waiting.lock().as_mut() {
            Some(waiting) => drop(waiting.insert(id, sender)),
            None => return Err(CommandError::Ended),
        }
        let answered = async {
            self.write(id, session, method, params).await?;
            match answer.await {
                Ok(Ok(result)) => Ok(result),
                Ok(Err(why)) => Err(CommandError::Rejected(method, why)),
                Err(_) => Err(CommandError::Ended),
            }
        };
        let result = tokio::time::timeout(deadline, answered).await.unwrap_or(Err(CommandError::Late(method)));
        if let Some(waiting) = self.shared.waiting.lock().as_mut() {
            waiting.remove(&id);
        }
        result
    }

    /// Sends a command whose answer does not matter.
    pub(super) async fn tell(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<(), CommandError> {
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let written = self.write(id, session, method, params);
        tokio::time::timeout(WRITE_MAX, written).await.unwrap_or(Err(CommandError::Late(method)))
    }

    async fn write(&self, id: u64, session: Option<&str>, method: &str, params: Value) -> Result<(), CommandError> {
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.commands.send(bytes).await.map_err(|_| CommandError::Ended)
    }

    /// Returns whether events were lost since the last call, because more waited than can be held.
    pub(super) fn has_lost_events(&self) -> bool {
        self.shared.lost_events.swap(false, Ordering::Relaxed)
    }

    /// Returns whether the browser has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.shared.waiting.lock().is_none()
    }
}

async fn write(mut to: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = queue.recv().await {
        if to.write_all(&message).await.is_err() {
            break;
        }
    }
}

async fn read(from: impl AsyncRead + Unpin, events: mpsc::Sender<Event>, shared: Arc<Shared>) {
    let mut frames = Frames::new(from, MESSAGE_BYTES_MAX);
    loop {
        match frames.next().await {
            Ok(Some(message)) => handle(&message, &events, &shared),
            Ok(None) => break,
            Err(error) => {
                tracing::warn!(%error, "the connection to the browser is given up");
                break;
            }
        }
    }
    // Every command that waits gets its answer now: the senders are dropped.
    *shared.waiting.lock() = None;
}

fn handle(message: &[u8], events: &mpsc::Sender<Event>, shared: &Shared) {
    let message: Message = match serde_json::from_slice(message) {
        Ok(message) => message,
        Err(error) => return tracing::debug!(%error, "a message of the browser cannot be read"),
    };
    if let Some(id) = message.id {
        let answer = message.error.map_or(Ok(message.result), |error| Err(error.message));
        if let Some(sender) = shared.waiting.lock().as_mut().and_then(|waiting| waiting.remove(&id)) {
            // The caller may have given up.
            let _ = sender.send(answer);
        }
    } else if let Some(method) = message.method {
        let event = Event { method, params: message.params };
        if let Err(mpsc::error::TrySendError::Full(_)) = events.try_send(event) {
            shared.lost_events.store(true, Ordering::Relaxed);
        }
    }
}

/// Returns the events among the messages in `bytes`.
pub(super) fn events_in(bytes: &[u8]) -> Vec<Event> {
    let (events, mut received) = mpsc::channel(EVENTS_MAX);
    let shared = Shared::default();
    let mut read = Vec::new();
    for message in bytes.split_inclusive(|byte| *byte == 0).filter_map(|message| message.strip_suffix(&[0])) {
        handle(message, &events, &shared);
        read.extend(received.try_recv());
    }
    read
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
