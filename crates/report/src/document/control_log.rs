//! The commands given while the crawl ran: the lines of `control.jsonl`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::configuration::period;

/// The maximum number of commands that are stored: the latest.
pub(super) const ENTRIES_MAX: usize = 100;

/// A command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlEntry {
    /// When it was given.
    pub time: String,
    /// Its name.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Its effect.
    #[serde(default)]
    pub effect: Option<String>,
}

/// The commands.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ControlLog {
    /// The latest commands.
    pub entries: VecDeque<ControlEntry>,
    /// The number of commands before these.
    pub earlier: u64,
    /// Lines that could not be read.
    pub damaged: u64,
    /// The shortest `host.delay` that they set, in milliseconds.
    pub least_delay_ms: Option<u64>,
}

impl ControlLog {
    /// Reads a line.
    pub fn add(&mut self, line: &[u8]) {
        let Ok(entry) = serde_json::from_slice::<ControlEntry>(line) else {
            self.damaged += 1;
            return;
        };
        if entry.command == "set" {
            let delays = entry.arguments.iter().filter_map(|argument| argument.split_once('='));
            let delays = delays.filter(|(name, _)| name.trim() == "host.delay");
            let delays = delays.filter_map(|(_, value)| period(value.trim()));
            self.least_delay_ms = delays.chain(self.least_delay_ms).min();
        }
        self.entries.push_back(entry);
        self.shorten();
    }

    /// Drops the earliest commands beyond the limit, and counts them.
    pub(super) fn shorten(&mut self) {
        while self.entries.len() > ENTRIES_MAX {
            self.entries.pop_front();
            self.earlier += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_stored_with_the_shortest_delay_that_they_set() {
        let mut log = ControlLog::default();
        for line in [
            r#"{"time":"t","command":"set","arguments":["host.delay=2s","budget.pages=5"],"effect":"e"}"#,
            r#"{"time":"t","command":"set","arguments":["host.delay = 50ms"]}"#,
            r#"{"time":"t","command":"pause"}"#,
            "{",
        ] {
            log.add(line.as_bytes());
        }
        assert_eq!((log.entries.len(), log.damaged, log.least_delay_ms), (3, 1, Some(50)));
        (0..ENTRIES_MAX).for_each(|_| log.add(br#"{"time":"t","command":"stop"}"#));
        assert_eq!((log.entries.len(), log.earlier), (ENTRIES_MAX, 3));
    }
}
