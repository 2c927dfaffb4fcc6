//! Groups of hosts that are treated as one server, because one server answers for all of their names.
//!
//! A look-up is free if there are no groups, and otherwise takes one table look-up for the authority, one for the host
//! and one for each of the names above it.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::HostKey;
use super::authority::{self, HostPattern};
use super::refusal::{BadEntry, Error};

/// Maximum number of patterns of all groups together. Each is compared with each when the settings are read.
pub const GROUPED_MAX: usize = 2_000;

/// A group, by its position in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostGroup(pub u16);

/// The groups of hosts, usually none. Cheap to clone.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct HostGroups(Option<Arc<Table>>);

#[derive(Debug, Default)]
struct Table {
    written: Vec<String>,
    /// The first pattern of each group, which represents the group where a host name is needed.
    first: Vec<Box<str>>,
    /// Names, and names with a port.
    exactly: HashMap<Box<str>, HostGroup, FixedState>,
    /// Endings of names, without the leading dot.
    below: HashMap<Box<str>, HostGroup, FixedState>,
}

impl HostGroups {
    /// Parses the groups of the setting `host.groups`: each entry is one group, of patterns separated by spaces.
    ///
    /// # Errors
    ///
    /// If an entry is empty, a pattern is malformed, a host is in two groups, or there are too many patterns; all such
    /// errors together.
    pub fn new(written: &[String]) -> Result<Self, Error> {
        let mut bad = Vec::new();
        let mut patterns: Vec<(HostGroup, &str, HostPattern)> = Vec::new();
        let count: usize = written.iter().map(|group| group.split_whitespace().count()).sum();
        if count > GROUPED_MAX {
            let problem =
                format!("are more than the maximum of {GROUPED_MAX}; write *.example.org for all hosts below a name");
            Error::unless_empty(vec![entry(&format!("{count} patterns"), problem)])?;
        }
        for (group, text) in (0..).map(HostGroup).zip(written) {
            if text.trim().is_empty() {
                bad.push(entry(text, "names no host; write the hosts of a group separated by spaces".to_owned()));
            }
            for one in text.split_whitespace() {
                match HostPattern::parse(one) {
                    _ if one.contains(',') => bad.push(entry(one, "separate hosts by spaces, not commas".to_owned())),
                    Ok(pattern) => patterns.push((group, one, pattern)),
                    Err(problem) => bad.push(entry(one, problem.to_owned())),
                }
            }
        }
        bad.extend(in_two_groups(&patterns));
        Error::unless_empty(bad)?;
        Ok(Self((!patterns.is_empty()).then(|| Arc::new(Table::new(written, patterns)))))
    }

    /// Returns whether there are no groups.
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the group of a host, if it is in one.
    pub fn of(&self, host: &HostKey) -> Option<HostGroup> {
        self.of_authority(authority::of(host.as_str()))
    }

    /// Returns the group of a host, given its authority.
    pub fn of_authority(&self, authority: &str) -> Option<HostGroup> {
        self.0.as_ref()?.group(authority)
    }

    /// Returns the authority that represents a host where all hosts of a group are to be the same: its own if it is in
    /// no group, otherwise the first pattern of its group.
    pub fn representative<'a>(&'a self, authority: &'a str) -> &'a str {
        let Some(table) = &self.0 else { return authority };
        let first = table.group(authority).and_then(|group| table.first.get(usize::from(group.0)));
        first.map_or(authority, |first| first)
    }
}

impl Table {
    fn new(written: &[String], patterns: Vec<(HostGroup, &str, HostPattern)>) -> Self {
        let mut table = Self { written: written.to_vec(), ..Self::default() };
        for (group, _, pattern) in patterns {
            let text = match &pattern {
                HostPattern::Name(name) | HostPattern::Authority(name) => name.clone(),
                HostPattern::Below(ending) => format!("*{ending}").into(),
            };
            if table.first.len() == usize::from(group.0) {
                table.first.push(text);
            }
            match pattern {
                HostPattern::Name(name) | HostPattern::Authority(name) => table.exactly.insert(name, group),
                HostPattern::Below(ending) => table.below.insert(ending[1..].into(), group),
            };
        }
        table
    }

    fn group(&self, authority: &str) -> Option<HostGroup> {
        let host = authority::host_of(authority);
        let exactly = self.exactly.get(authority).or_else(|| self.exactly.get(host));
        exactly.copied().or_else(|| {
            let mut above = host;
            while let Some((_, rest)) = above.split_once('.').filter(|_| !self.below.is_empty()) {
                if let Some(group) = self.below.get(rest) {
                    return Some(*group);
                }
                above = rest;
            }
            None
        })
    }
}

fn in_two_groups(patterns: &[(HostGroup, &str, HostPattern)]) -> Vec<BadEntry> {
    let mut bad = Vec::new();
    for (at, (group, written, pattern)) in patterns.iter().enumerate() {
        let twice = patterns[..at].iter().find(|(other, _, before)| other != group && before.overlaps(pattern));
        if let Some((other, before, _)) = twice {
            let (group, other) = (group.0 + 1, other.0 + 1);
            bad.push(entry(
                written,
                format!(
                    "its hosts are in group {other} by `{before}` and in group {group}; put them into one of these groups"
                ),
            ));
        }
    }
    bad
}

fn entry(value: &str, problem: String) -> BadEntry {
    BadEntry { setting: "host.groups", value: value.to_owned(), problem }
}

impl PartialEq for HostGroups {
    fn eq(&self, other: &Self) -> bool {
        let written = |groups: &Self| groups.0.as_ref().map(|table| table.written.clone());
        written(self) == written(other)
    }
}

impl Eq for HostGroups {}

impl TryFrom<Vec<String>> for HostGroups {
    type Error = Error;

    fn try_from(written: Vec<String>) -> Result<Self, Error> {
        Self::new(&written)
    }
}

impl From<HostGroups> for Vec<String> {
    fn from(groups: HostGroups) -> Self {
        groups.0.map(|table| table.written.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
#[path = "host_groups_tests.rs"]
mod tests;
