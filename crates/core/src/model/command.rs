//! Commands to a running crawl.

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
    /// The names of the commands that take arguments.
    pub const NAMES: &[&str] = &["set", "ban", "unban", "pin", "unpin", "block", "unblock"];

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
        // A command that the list forgets cannot be given, rather than be counted as another one.
        let make: fn(String) -> Self = match name {
            _ if !Self::NAMES.contains(&name) => return None,
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
        assert!(
            Command::NAMES.iter().all(|name| of(name, &["a.b=c"]).is_some_and(|made| made.unwrap().name() == *name))
        );
    }
}
