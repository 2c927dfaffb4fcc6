//! What the servers say when they don't do something, and what it means.

use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use async_nats::jetstream::ErrorCode;
use async_nats::{ConnectError, ConnectErrorKind, RequestErrorKind};

use crate::bus::BusError;

/// Why there is no bus.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NatsError {
    /// A crawl cannot be called so.
    #[error("“{0}” cannot be the name of a crawl: take letters, digits, - and _, at most 64")]
    Name(String),
    /// A URL of a server is wrong.
    #[error("“{url}” is not the URL of a NATS server ({why}): write nats://HOST:4222 or tls://HOST:4222")]
    Url {
        /// The URL, without what is before its `@`.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// A file cannot be read.
    #[error("cannot read {path} ({why}), which is to hold {what}")]
    File {
        /// The file.
        path: PathBuf,
        /// What should be in it.
        what: &'static str,
        /// What the system says.
        why: String,
    },
    /// No server answers.
    #[error(
        "no NATS server answers at {servers} ({why}): see that nats-server runs there, and that this machine may connect to it"
    )]
    Unreachable {
        /// The addresses.
        servers: String,
        /// What was last heard of them.
        why: String,
    },
    /// TLS did not come about.
    #[error(
        "no TLS with the NATS server at {servers} ({why}): see that it speaks TLS, that its certificate names this host and is from an \
         authority of the roots' file, and that it gets a certificate of ours where it wants one"
    )]
    Tls {
        /// The addresses.
        servers: String,
        /// What is wrong.
        why: String,
    },
    /// The server lets nobody in who says what we say.
    #[error(
        "the NATS server at {servers} does not let us in: see the user and password, the token or the credentials file"
    )]
    Credentials {
        /// The addresses.
        servers: String,
    },
    /// The server is older than what a fleet needs.
    #[error("the NATS server {server} is of version {version}: a fleet needs {}.{} or later", .floor.0, .floor.1)]
    TooOld {
        /// The server's name.
        server: String,
        /// What it says of itself.
        version: String,
        /// The oldest version that will do.
        floor: (u32, u32),
    },
    /// The servers are older than what replicas of keys are exact with.
    #[error(
        "the NATS server {server} is of version {version}: before {}.{} a cluster loses acknowledged writes of keys when its leader changes. \
         Take newer servers, or ask for one replica", .floor.0, .floor.1
    )]
    TooOldForReplicas {
        /// The server's name.
        server: String,
        /// What it says of itself.
        version: String,
        /// The oldest version that will do.
        floor: (u32, u32),
    },
    /// JetStream is off.
    #[error(
        "the NATS server {server} has no JetStream ({why}): start it with --jetstream and --store_dir, and allow it for the account"
    )]
    NoJetStream {
        /// The server's name.
        server: String,
        /// What it says.
        why: String,
    },
    /// There are not as many servers as are to keep everything.
    #[error(
        "the NATS servers cannot keep everything {asked} times ({why}): start {asked} of them as one cluster, or ask for fewer replicas"
    )]
    Replicas {
        /// How many replicas were wanted.
        asked: usize,
        /// What the servers say.
        why: String,
    },
    /// There is no crawl of that name.
    #[error("there is no crawl “{0}” on these NATS servers: create it first, or see that its name is right")]
    NoSuchCrawl(String),
    /// A part of the crawl is gone.
    #[error(
        "of the crawl “{crawl}” the stream {stream} is missing on the NATS servers: somebody removed it, or it was never wholly created"
    )]
    Incomplete {
        /// The crawl.
        crawl: String,
        /// The stream.
        stream: String,
    },
    /// Something else went wrong.
    #[error(transparent)]
    Bus(#[from] BusError),
}

impl NatsError {
    /// Why no connection came about.
    pub(super) fn of_connecting(error: &ConnectError, servers: &[String]) -> Self {
        let servers = servers.join(", ");
        if matches!(error.kind(), ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication) {
            return Self::Credentials { servers };
        }
        match tls_trouble(error) {
            Some(why) => Self::Tls { servers, why },
            None if error.kind() == ConnectErrorKind::Tls => Self::Tls { servers, why: error.to_string() },
            None => Self::Unreachable { servers, why: error.to_string() },
        }
    }
}

/// What TLS says, somewhere among the reasons.
fn tls_trouble(error: &(dyn StdError + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        // The reason of an error of the system is inside it, and not among its sources.
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(tls) = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            return Some(tls.to_string());
        }
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return Some(tls.to_string());
        }
        next = error.source();
    }
    None
}

/// What a request that got no answer means.
pub(super) fn unanswered(error: &async_nats::RequestError) -> BusError {
    match error.kind() {
        RequestErrorKind::TimedOut => BusError::Unreachable("it took too long".into()),
        // So it is while a stream has no leader; whoever knows that the stream is gone says so instead.
        RequestErrorKind::NoResponders => BusError::Unreachable("nobody answers for it now".into()),
        RequestErrorKind::InvalidSubject | RequestErrorKind::MaxPayloadExceeded => BusError::Refused(error.to_string()),
        RequestErrorKind::Other => BusError::Unreachable(error.to_string()),
    }
}

/// What an error that a server answered means.
pub(super) fn answered(error: &async_nats::jetstream::Error) -> BusError {
    let text = error.to_string();
    match error.error_code() {
        ErrorCode::STREAM_WRONG_LAST_SEQUENCE | ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT => BusError::Conflict,
        ErrorCode::ACCOUNT_RESOURCES_EXCEEDED
        | ErrorCode::INSUFFICIENT_RESOURCES
        | ErrorCode::STORAGE_RESOURCES_EXCEEDED
        | ErrorCode::MEMORY_RESOURCES_EXCEEDED
        | ErrorCode::STREAM_MAX_STREAM_BYTES_EXCEEDED => BusError::Full(text),
        ErrorCode::STREAM_STORE_FAILED if is_full(&text) => BusError::Full(text),
        ErrorCode::STREAM_STORE_FAILED
        | ErrorCode::CLUSTER_NOT_AVAILABLE
        | ErrorCode::CLUSTER_NOT_LEADER
        | ErrorCode::CLUSTER_INCOMPLETE
        | ErrorCode::CLUSTER_NOT_ACTIVE
        | ErrorCode::STREAM_OFFLINE
        // A new leader that does not know all yet, or another write to the key under way: nothing was decided.
        | ErrorCode::STREAM_EXPECTED_LAST_SEQ_PER_SUBJECT_NOT_READY
        | ErrorCode::STREAM_TOO_MANY_REQUESTS
        | ErrorCode::RAFT_GENERAL => BusError::Unreachable(text),
        _ => BusError::Refused(text),
    }
}

/// The code is the same for a stream at its limit and for a disk that fails.
fn is_full(text: &str) -> bool {
    text.contains("maximum") || text.contains("no space left") || text.contains("resource limits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server_says(code: u64, text: &str) -> BusError {
        let json = serde_json::json!({"code": 503, "err_code": code, "description": text});
        answered(&serde_json::from_value(json).unwrap())
    }

    #[test]
    fn an_error_of_the_servers_says_what_can_be_done() {
        assert_eq!(server_says(10071, "wrong last sequence: 4"), BusError::Conflict);
        assert_eq!(server_says(10164, "wrong last sequence"), BusError::Conflict);
        for (code, text) in [
            (10077, "maximum bytes exceeded"),
            (10077, "maximum messages exceeded"),
            (10077, "write: no space left on device"),
            (10047, "insufficient storage resources available"),
            (10023, "insufficient resources"),
            (10002, "resource limits exceeded for account"),
        ] {
            assert!(matches!(server_says(code, text), BusError::Full(_)), "{code} {text}");
        }
        for (code, text) in [
            (10077, "store is closed"),
            (10008, "JetStream system temporarily unavailable"),
            (10009, "JetStream cluster can not handle request"),
            (10163, "expected last sequence per subject temporarily unavailable"),
        ] {
            assert!(matches!(server_says(code, text), BusError::Unreachable(_)), "{code} {text}");
        }
        for (code, text) in
            [(10054, "message size exceeds maximum allowed"), (10059, "stream not found"), (10109, "sealed")]
        {
            assert!(matches!(server_says(code, text), BusError::Refused(_)), "{code} {text}");
        }
    }
}
