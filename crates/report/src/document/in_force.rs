//! `in-force.json`: the settings, bans, pins and blocks that hold until they are revoked, also after a resume.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

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
