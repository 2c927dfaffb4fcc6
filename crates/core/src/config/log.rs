//! Settings of the log.

use serde::{Deserialize, Serialize};

crate::options! {
    /// The log, which is written to standard error.
    pub struct LogOptions in "log" {
        /// The log level: `off`, `error`, `warn`, `info`, `debug` or `trace`. From `debug` on, every request is logged.
        level: LogLevel = LogLevel::Info,
        /// The format of a line: `text` for people, `json` for programs (one object per line).
        format: LogFormat = LogFormat::Text,
    }
}

/// The log level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// Events that end the crawl or lose data.
    Error,
    /// Events that need attention.
    Warn,
    /// Events that happen a few times per crawl, and the progress.
    Info,
    /// Events of each URL.
    Debug,
    /// Internal events.
    Trace,
}

impl LogLevel {
    /// Returns the level as the log's filter names it.
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

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}
