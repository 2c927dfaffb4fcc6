//! Settings of the log.

use serde::{Deserialize, Serialize};

crate::options! {
    /// The log, which goes to standard error.
    pub struct LogOptions in "log" {
        /// What is worth a line: `off`, `error`, `warn`, `info`, `debug` or `trace`. From `debug` on, every request is.
        level: LogLevel = LogLevel::Info,
        /// How a line is written: `text` for people, `json` for programs (one object a line).
        format: LogFormat = LogFormat::Text,
    }
}

/// What is worth a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What ends the crawl or loses something.
    Error,
    /// What somebody should look at.
    Warn,
    /// What happens a few times a crawl, and the progress.
    Info,
    /// What happens to each URL.
    Debug,
    /// What happens within.
    Trace,
}

impl LogLevel {
    /// The level as the log's filter names it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

/// How a line of the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}
