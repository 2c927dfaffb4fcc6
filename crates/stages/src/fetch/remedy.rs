//! What an error or an answer tells a client to do: no fault of the host, and no result.

use std::collections::HashSet;

use h2::Reason;
use http::{StatusCode, Version};
use parking_lot::Mutex;

use super::connection::Connection;
use super::failure;

/// What to do before a request is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Open another connection: this one takes no more requests, and has not processed this one.
    NewConnection,
    /// Open a connection that speaks HTTP/1.1.
    Http1,
}

impl Remedy {
    /// Returns what an error tells (RFC 9113, sections 7 and 8.7).
    pub(super) fn of_error(error: &hyper::Error) -> Option<Self> {
        let error = failure::find::<h2::Error>(error)?;
        match error.reason()? {
            Reason::HTTP_1_1_REQUIRED => Some(Self::Http1),
            Reason::REFUSED_STREAM => Some(Self::NewConnection),
            // Only requests that are not processed end with the error of an orderly shutdown.
            Reason::NO_ERROR if error.is_go_away() => Some(Self::NewConnection),
            _ => None,
        }
    }

    /// Returns what a status tells that is about the connection rather than the resource (RFC 9110, sections 15.5.20,
    /// 15.5.22 and 15.6.6).
    pub(super) fn of_status(status: StatusCode, connection: &Connection) -> Option<Self> {
        match (status, connection.version()) {
            (
                StatusCode::MISDIRECTED_REQUEST | StatusCode::UPGRADE_REQUIRED | StatusCode::HTTP_VERSION_NOT_SUPPORTED,
                Version::HTTP_2,
            ) => Some(Self::Http1),
            (StatusCode::MISDIRECTED_REQUEST, _) if connection.reused => Some(Self::NewConnection),
            _ => None,
        }
    }
}

/// The maximum number of origins that are remembered. Beyond it they are forgotten: each then costs one request more.
const ORIGINS_MAX: usize = 10_000;

/// The origins that are to be spoken to in HTTP/1.1.
#[derive(Debug, Default)]
pub(super) struct Http1Origins(Mutex<HashSet<Box<str>>>);

impl Http1Origins {
    /// Remembers an origin.
    pub(super) fn add(&self, origin: &str) {
        let mut origins = self.0.lock();
        if origins.len() >= ORIGINS_MAX {
            origins.clear();
        }
        origins.insert(origin.into());
    }

    /// Returns whether an origin is remembered.
    pub(super) fn contains(&self, origin: &str) -> bool {
        self.0.lock().contains(origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_remembered_up_to_a_limit() {
        let origins = Http1Origins::default();
        (0..ORIGINS_MAX).for_each(|number| origins.add(&format!("https://{number}.test")));
        assert!(origins.contains("https://0.test") && !origins.contains("https://x.test"));
        origins.add("https://x.test");
        assert!(origins.contains("https://x.test") && !origins.contains("https://0.test"));
    }
}
