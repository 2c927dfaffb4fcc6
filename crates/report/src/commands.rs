//! Commands to a running crawl, and the channel that delivers them.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

/// The capacity of the command channel; senders wait while it is full.
const WAITING_MAX: usize = 16;

/// A command to a running crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Change settings: `section.key` and the value as written.
    Set(Vec<(String, String)>),
    /// Refuse links to a cluster, of a link class or of a URL pattern, and drop those that wait.
    Ban(String),
    /// Revoke a ban.
    Unban(String),
    /// Follow such links first.
    Pin(String),
    /// Follow them in the policy's order again.
    Unpin(String),
    /// Send no requests to a host.
    Block(String),
    /// Revoke a block.
    Unblock(String),
    /// Pause all nodes of a fleet: start no new request. A crawl on one machine has a switch for this, and for the two
    /// commands below, instead.
    Pause,
    /// End a pause of all nodes of a fleet.
    Unpause,
    /// Stop the crawl on all nodes.
    Stop,
}

impl Command {
    /// Returns the name of the command.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Set(_) => "set",
            Self::Ban(_) => "ban",
            Self::Unban(_) => "unban",
            Self::Pin(_) => "pin",
            Self::Unpin(_) => "unpin",
            Self::Block(_) => "block",
            Self::Unblock(_) => "unblock",
            Self::Pause => "pause",
            Self::Unpause => "unpause",
            Self::Stop => "stop",
        }
    }

    /// Returns the command of this name that pauses, resumes or stops all nodes of a fleet.
    pub fn of_fleet(name: &str) -> Option<Self> {
        [Self::Pause, Self::Unpause, Self::Stop].into_iter().find(|command| command.name() == name)
    }

    /// Returns the command of this name with its arguments, or `None` if there is no such command.
    ///
    /// # Errors
    /// States which argument is missing or malformed.
    pub fn of(name: &str, arguments: &[String]) -> Option<Result<Self, String>> {
        let make: fn(String) -> Self = match name {
            "set" => return Some(settings(arguments).map(Self::Set)),
            "ban" => Self::Ban,
            "unban" => Self::Unban,
            "pin" => Self::Pin,
            "unpin" => Self::Unpin,
            "block" => Self::Block,
            "unblock" => Self::Unblock,
            _ => return None,
        };
        Some(match arguments {
            [one] => Ok(make(one.clone())),
            _ => Err(format!("{name} takes one argument")),
        })
    }
}

fn settings(arguments: &[String]) -> Result<Vec<(String, String)>, String> {
    let split = |text: &String| {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}`: write section.key=value"))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    let settings: Vec<_> = arguments.iter().map(split).collect::<Result<_, String>>()?;
    if settings.is_empty() { Err("no setting is given: write section.key=value".to_owned()) } else { Ok(settings) }
}

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

    fn of(name: &str, arguments: &[&str]) -> Option<Result<Command, String>> {
        Command::of(name, &arguments.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn commands_are_read_from_their_names_and_arguments() {
        let set = Command::Set(vec![("host.delay".to_owned(), "1s".to_owned())]);
        assert_eq!(of("set", &["host.delay = 1s"]), Some(Ok(set)));
        assert_eq!(of("ban", &["5"]), Some(Ok(Command::Ban("5".to_owned()))));
        assert!(of("set", &["host.delay"]).unwrap().unwrap_err().contains("section.key=value"));
        assert!(of("set", &[]).unwrap().is_err() && of("pin", &[]).unwrap().is_err());
        assert_eq!(of("fly", &["5"]), None);
    }

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
