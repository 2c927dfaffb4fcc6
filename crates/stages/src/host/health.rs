//! What an exchange says about the host's health.

use std::time::Duration;

use super::retry_after;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Exchange, Failure, Truncation};

/// What a request meant for the host's health.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// It answered as it should; 404 and the like are healthy too.
    Good,
    /// It asks to be left alone (429, 503), with `Retry-After` where given.
    Overloaded(Option<Duration>),
    /// It answered with a server error.
    ServerError,
    /// No connection could be made: whatever the URL was, the host is to blame.
    Unreachable,
    /// A connection was made, but no whole answer came: none at all, none that is HTTP, or one that broke off. Perhaps only this
    /// URL is to blame.
    Broken,
    /// The answer says nothing about the host: the failure was of this one URL or on our side.
    Neutral,
}

impl Health {
    /// Returns the health that an exchange, which ended at `now`, speaks of.
    pub fn of(exchange: &Exchange, now: Instant) -> Self {
        match &exchange.result {
            Ok(answer) if matches!(answer.status, 429 | 503) => {
                let asked = answer.header(http::header::RETRY_AFTER);
                Self::Overloaded(asked.and_then(|value| retry_after::parse(value, now)))
            }
            Ok(answer) if answer.status >= 500 => Self::ServerError,
            Ok(answer) if answer.truncated == Some(Truncation::Disconnect) => Self::Broken,
            Ok(_) => Self::Good,
            Err(failure) => Self::of_failure(*failure),
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
            | Failure::Internal => Self::Neutral,
        }
    }
}
