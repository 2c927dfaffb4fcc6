//! The commands given while the crawl ran, which are the lines of `control.jsonl`; and `in-force.json`: the settings,
//! bans, pins and blocks that hold until they are revoked, also after a resume.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::configuration::period;
use crate::render::block::{Block, Cell, Table};

/// The maximum number of commands that are stored: the latest.
pub(crate) const ENTRIES_MAX: usize = 100;

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
    pub(crate) fn shorten(&mut self) {
        while self.entries.len() > ENTRIES_MAX {
            self.entries.pop_front();
            self.earlier += 1;
        }
    }
}

/// The content of `in-force.json`. The crawl writes it; here it is only shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InForceFile {
    /// The version of the format.
    pub format: u32,
    /// The names of settings that were changed; their values are in `config.toml`.
    pub set: BTreeSet<String>,
    /// Banned clusters, link classes and URL patterns.
    pub banned: Vec<String>,
    /// Pinned clusters, link classes and URL patterns.
    pub pinned: Vec<String>,
    /// Blocked hosts.
    pub blocked: Vec<String>,
}

impl InForceFile {
    /// Returns whether nothing is in force.
    pub fn is_empty(&self) -> bool {
        self.lists().into_iter().all(|(_, list)| list.is_empty())
    }

    /// The lists with their names.
    pub fn lists(&self) -> [(&'static str, Vec<&str>); 4] {
        [
            ("set", self.set.iter().map(String::as_str).collect()),
            ("banned", texts(&self.banned)),
            ("pinned", texts(&self.pinned)),
            ("blocked", texts(&self.blocked)),
        ]
    }
}

fn texts(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

/// The number of entries that are shown of a list in force.
const IN_FORCE_SHOWN: usize = 100;

pub(super) fn blocks(log: &ControlLog, file: Option<&InForceFile>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !log.entries.is_empty() {
        let header = vec!["time", "command", "effect"];
        let rows = log.entries.iter().map(row).collect();
        blocks.push(Block::Table(Table { caption: "Commands to the running crawl".to_owned(), header, rows }));
    }
    if log.earlier > 0 {
        blocks.push(Block::Text(format!("{} earlier commands are in control.jsonl.", log.earlier)));
    }
    let in_force = file.map(in_force).unwrap_or_default();
    if !in_force.is_empty() {
        blocks.push(Block::Text("These remain in force until they are revoked, also after a resume:".to_owned()));
        blocks.push(Block::Facts(in_force));
    }
    blocks
}

fn row(entry: &ControlEntry) -> Vec<Cell> {
    let command = format!("{} {}", entry.command, entry.arguments.join(" "));
    let effect = Cell::maybe(entry.effect.clone(), Cell::Text);
    vec![Cell::moment(&entry.time), Cell::Code(command.trim().to_owned()), effect]
}

fn in_force(file: &InForceFile) -> Vec<(String, Cell)> {
    let cell = |list: Vec<&str>| {
        Cell::Lines(list.into_iter().take(IN_FORCE_SHOWN).map(|text| Cell::Code(text.to_owned())).collect())
    };
    let lists = file.lists().into_iter().filter(|(_, list)| !list.is_empty());
    lists.map(|(name, list)| (name.to_owned(), cell(list))).collect()
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
