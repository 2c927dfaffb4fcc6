//! The channel that delivers commands to a running crawl.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use harvestman_core::model::Command;

/// The capacity of the command channel; senders wait while it is full.
const WAITING_MAX: usize = 16;

/// A command with the channel for its result: its effect, or why it failed.
#[derive(Debug)]
pub struct CommandRequest {
    /// The command.
    pub command: Command,
    /// Receives the result.
    pub answer: oneshot::Sender<Result<String, String>>,
}

/// The channel for commands to the crawl. All clones share one channel.
#[derive(Debug, Clone)]
pub struct Commands {
    sender: mpsc::Sender<CommandRequest>,
    receiver: Arc<Mutex<Option<mpsc::Receiver<CommandRequest>>>>,
}

impl Commands {
    /// Creates a channel without a listener.
    pub fn new() -> Self {
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        Self { sender, receiver: Arc::new(Mutex::new(Some(receiver))) }
    }

    /// Returns the receiver for the crawl; `None` after the first call.
    pub fn listen(&self) -> Option<mpsc::Receiver<CommandRequest>> {
        self.receiver.lock().take()
    }

    /// Sends a command to the crawl, waits until it has been executed, and returns its effect.
    ///
    /// # Errors
    /// States why the command failed.
    pub async fn give(&self, command: Command) -> Result<String, String> {
        let over = || "the crawl is ending".to_owned();
        let (answer, answered) = oneshot::channel();
        self.sender.send(CommandRequest { command, answer }).await.map_err(|_| over())?;
        answered.await.map_err(|_| over())?
    }
}

impl Default for Commands {
    fn default() -> Self {
        Self::new()
    }
}

/// The commands in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InForce {
    /// Settings that were changed while the crawl ran, with their current values.
    pub set: std::collections::BTreeMap<String, String>,
    /// Banned clusters, link classes and URL patterns.
    pub banned: Vec<String>,
    /// Pinned clusters, link classes and URL patterns.
    pub pinned: Vec<String>,
    /// Blocked hosts.
    pub blocked: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_sender_of_a_command_receives_its_result() {
        let commands = Commands::new();
        let mut crawl = commands.listen().unwrap();
        assert!(commands.listen().is_none());
        let sending = tokio::spawn({
            let commands = commands.clone();
            async move { commands.give(Command::Block("a.test".to_owned())).await }
        });
        let given = crawl.recv().await.unwrap();
        assert_eq!(given.command, Command::Block("a.test".to_owned()));
        given.answer.send(Ok("done".to_owned())).unwrap();
        assert_eq!(sending.await.unwrap(), Ok("done".to_owned()));
        drop(crawl);
        assert!(commands.give(Command::Pin("5".to_owned())).await.unwrap_err().contains("ending"));
    }
}
