//! Mistakes in a configuration, and their sources.

use std::fmt;
use std::path::PathBuf;

/// Where a setting was provided.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// In the configuration file, at a line.
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1 on.
        line: usize,
    },
    /// In an environment variable.
    Environment(String),
    /// On the command line, such as `--pages`.
    Flag(String),
    /// None: it is the default, or the mistake concerns the whole.
    Whole,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) => write!(f, "environment variable {name}"),
            Self::Flag(name) => f.write_str(name),
            Self::Whole => f.write_str("configuration"),
        }
    }
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Its source.
    pub source: Source,
    /// What is wrong, and what to do.
    pub text: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source, self.text)
    }
}

/// All mistakes in a configuration; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes(pub Vec<Mistake>);

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [one] => write!(f, "{one}"),
            many => {
                write!(f, "{} mistakes in the configuration:", many.len())?;
                many.iter().try_for_each(|mistake| write!(f, "\n  {mistake}"))
            }
        }
    }
}
