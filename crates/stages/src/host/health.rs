//! Classifies an exchange by what it says about the host's health, and what a host is told of its pages.

use std::time::Duration;

use super::retry_after;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Exchange, Failure, Truncation};

/// The health of a host according to one exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// The host responded normally; 404 and the like are healthy too.
    Good,
    /// The host asks for a pause (429, 503), with `Retry-After` if present.
    Overloaded(Option<Duration>),
    /// The host responded with a server error.
    ServerError,
    /// No connection could be made: a failure of the host, whatever the URL.
    Unreachable,
    /// A connection was made, but no complete response came: none at all, none that is HTTP, or a truncated one.
    /// Possibly a failure of this URL only.
    Broken,
    /// The result says nothing about the host: the failure concerns this URL only, or is ours.
    Neutral,
}

impl Health {
    /// Returns the health that an exchange which ended at `now` indicates.
    pub fn of(exchange: &Exchange, now: Instant) -> Self {
        match &exchange.result {
            Ok(answer) => match Self::of_status(answer.status, answer.header(http::header::RETRY_AFTER), now) {
                Self::Good if answer.truncated == Some(Truncation::Disconnect) => Self::Broken,
                health => health,
            },
            Err(failure) => Self::of_failure(*failure),
        }
    }

    /// Returns the health that an answer indicates by its status and its `Retry-After`, at `now`.
    pub fn of_status(status: u16, retry_after: Option<&str>, now: Instant) -> Self {
        match status {
            429 | 503 => Self::Overloaded(retry_after.and_then(|value| retry_after::parse(value, now))),
            500.. => Self::ServerError,
            _ => Self::Good,
        }
    }

    const fn of_failure(failure: Failure) -> Self {
        match failure {
            Failure::Http(429 | 503) => Self::Overloaded(None),
            Failure::Http(500..=599) => Self::ServerError,
            Failure::Http(_) => Self::Good,
            Failure::Dns | Failure::Connect | Failure::ConnectTimeout | Failure::Tls | Failure::TlsTimeout => {
                Self::Unreachable
            }
            Failure::FirstByteTimeout | Failure::WholeTimeout | Failure::Disconnected | Failure::Protocol => {
                Self::Broken
            }
            Failure::ForbiddenAddress
            | Failure::HeadTooLarge
            | Failure::BadRedirect
            | Failure::TooManyRedirects
            | Failure::HostGivenUp
            | Failure::Internal
            | Failure::SoftNotFound
            | Failure::ContentCoding
            | Failure::Local(_)
            | Failure::WaitOver => Self::Neutral,
        }
    }
}

/// Reports what the pages of the host turned out to be.
#[derive(Debug)]
pub enum ContentReport {
    /// A block page, several times in a row: the host pauses.
    BlockPage,
    /// What was asked for, again.
    AsAsked,
    /// What guests see: the session is lost, and pages wait for the next log-in.
    SessionLost,
    /// The crawl is logged in.
    SessionFound,
}
