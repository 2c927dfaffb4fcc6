//! What somebody told the crawl while it ran: the lines of `control.jsonl`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::asked::period;

/// Commands that are named: the latest.
pub(super) const TOLD_MAX: usize = 100;

/// A command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When it was given.
    pub time: String,
    /// Its name.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// What it did.
    #[serde(default)]
    pub effect: Option<String>,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Told {
    /// The latest.
    pub entries: VecDeque<Entry>,
    /// How many came before these.
    pub earlier: u64,
    /// Lines that could not be read.
    pub damaged: u64,
    /// The shortest `host.delay` that was set by them, milliseconds.
    pub least_delay_ms: Option<u64>,
}

impl Told {
    /// Reads a line.
    pub fn add(&mut self, line: &[u8]) {
        let Ok(entry) = serde_json::from_slice::<Entry>(line) else {
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
        if self.entries.len() > TOLD_MAX {
            self.entries.pop_front();
            self.earlier += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_kept_with_the_shortest_delay_that_they_set() {
        let mut told = Told::default();
        for line in [
            r#"{"time":"t","command":"set","arguments":["host.delay=2s","budget.pages=5"],"effect":"e"}"#,
            r#"{"time":"t","command":"set","arguments":["host.delay = 50ms"]}"#,
            r#"{"time":"t","command":"pause"}"#,
            "{",
        ] {
            told.add(line.as_bytes());
        }
        assert_eq!((told.entries.len(), told.damaged, told.least_delay_ms), (3, 1, Some(50)));
        (0..TOLD_MAX).for_each(|_| told.add(br#"{"time":"t","command":"stop"}"#));
        assert_eq!((told.entries.len(), told.earlier), (TOLD_MAX, 3));
    }
}
