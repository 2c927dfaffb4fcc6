//! What somebody tells a running crawl, and the way to it.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

/// Commands that wait for the crawl at most; who gives more waits.
const WAITING_MAX: usize = 16;

/// What a crawl is told to do differently from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Change settings: `section.key` and the value as it is written.
    Set(Vec<(String, String)>),
    /// Refuse links to a cluster, of a class or of a form, and let go of what waits.
    Ban(String),
    /// Refuse them no longer.
    Unban(String),
    /// Follow such links first.
    Pin(String),
    /// Follow them in the policy's order again.
    Unpin(String),
    /// Send a host nothing.
    Block(String),
    /// Send it something again.
    Unblock(String),
    /// Begin nothing for now, on all nodes of a fleet. On one machine the crawl has a switch for it, as for the two below.
    Pause,
    /// Begin something again.
    GoOn,
    /// End the crawl, on all nodes.
    Stop,
}

impl Command {
    /// What it is called.
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
            Self::GoOn => "go-on",
            Self::Stop => "stop",
        }
    }

    /// What lets all nodes of a fleet rest, go on or end; none where nothing of this is called so.
    pub fn of_fleet(name: &str) -> Option<Self> {
        [Self::Pause, Self::GoOn, Self::Stop].into_iter().find(|command| command.name() == name)
    }

    /// The command that is called so; none where there is no such, what is wrong where it lacks something.
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
    if settings.is_empty() { Err("no setting is named: write section.key=value".to_owned()) } else { Ok(settings) }
}

/// A command with the way back for what came of it: what it did, or why it was not done.
#[derive(Debug)]
pub struct Given {
    /// What is to be done.
    pub command: Command,
    /// Where the answer goes.
    pub answer: oneshot::Sender<Result<String, String>>,
}

/// The way to the crawl. All clones are one way.
#[derive(Debug, Clone)]
pub struct Commands {
    sender: mpsc::Sender<Given>,
    receiver: Arc<Mutex<Option<mpsc::Receiver<Given>>>>,
}

impl Commands {
    /// A way that nobody listens at yet.
    pub fn new() -> Self {
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        Self { sender, receiver: Arc::new(Mutex::new(Some(receiver))) }
    }

    /// The crawl's end of it, once.
    pub fn listen(&self) -> Option<mpsc::Receiver<Given>> {
        self.receiver.lock().take()
    }

    /// Tells the crawl something, and waits until it is done.
    ///
    /// # Errors
    /// Says why it was not done.
    pub async fn give(&self, command: Command) -> Result<String, String> {
        let over = || "the crawl is ending".to_owned();
        let (answer, answered) = oneshot::channel();
        self.sender.send(Given { command, answer }).await.map_err(|_| over())?;
        answered.await.map_err(|_| over())?
    }
}

impl Default for Commands {
    fn default() -> Self {
        Self::new()
    }
}

/// What somebody has told the crawl and holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InForce {
    /// Settings that were changed while it ran, with their values now.
    pub set: std::collections::BTreeMap<String, String>,
    /// What is banned.
    pub banned: Vec<String>,
    /// What is pinned.
    pub pinned: Vec<String>,
    /// Hosts that are blocked.
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
    async fn who_gives_a_command_is_told_what_came_of_it() {
        let commands = Commands::new();
        let mut crawl = commands.listen().unwrap();
        assert!(commands.listen().is_none());
        let giving = tokio::spawn({
            let commands = commands.clone();
            async move { commands.give(Command::Block("a.test".to_owned())).await }
        });
        let given = crawl.recv().await.unwrap();
        assert_eq!(given.command, Command::Block("a.test".to_owned()));
        given.answer.send(Ok("done".to_owned())).unwrap();
        assert_eq!(giving.await.unwrap(), Ok("done".to_owned()));
        drop(crawl);
        assert!(commands.give(Command::Pin("5".to_owned())).await.unwrap_err().contains("ending"));
    }
}
