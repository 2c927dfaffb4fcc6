//! Errors in the settings of URLs and scope.

use std::fmt;

/// An unusable value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadEntry {
    /// The setting, such as `scope.include`.
    pub setting: &'static str,
    /// The value.
    pub value: String,
    /// What is wrong with it, and what to do.
    pub problem: String,
}

impl fmt::Display for BadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`: {}", self.setting, self.value, self.problem)
    }
}

/// Unusable settings. All of them are listed, so that they can be corrected together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Bad entries of lists.
    #[error("{}", lines(.0))]
    Entries(Vec<BadEntry>),
}

impl Error {
    /// Returns `Ok` if there are no bad entries.
    pub(super) fn unless_empty(entries: Vec<BadEntry>) -> Result<(), Self> {
        if entries.is_empty() { Ok(()) } else { Err(Self::Entries(entries)) }
    }
}

fn lines(entries: &[BadEntry]) -> String {
    entries.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
