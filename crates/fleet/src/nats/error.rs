//! Errors of the servers, and their classification.

use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use async_nats::jetstream::ErrorCode;
use async_nats::{ConnectError, ConnectErrorKind, RequestErrorKind};

use crate::bus::BusError;

/// Why the bus is not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NatsError {
    /// The name of the crawl is invalid.
    #[error("“{0}” is not a valid name of a crawl: use letters, digits, - and _, at most 64")]
    Name(String),
    /// The URL of a server is invalid.
    #[error("“{url}” is not the URL of a NATS server ({why}): use nats://HOST:4222 or tls://HOST:4222")]
    Url {
        /// The URL, without what precedes its `@`.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// A file cannot be read.
    #[error("cannot read {path} ({why}), which should contain {what}")]
    File {
        /// The file.
        path: PathBuf,
        /// What it should contain.
        what: &'static str,
        /// The error of the system.
        why: String,
    },
    /// No server answers.
    #[error(
        "no NATS server answers at {servers} ({why}): check that nats-server is running there and that this machine can connect to it"
    )]
    Unreachable {
        /// The addresses.
        servers: String,
        /// The last error.
        why: String,
    },
    /// The TLS handshake failed.
    #[error(
        "cannot use TLS with the NATS server at {servers} ({why}): check that it supports TLS, that its certificate names this host and is \
         signed by an authority in the CA file, and that a client certificate is configured if it requires one"
    )]
    Tls {
        /// The addresses.
        servers: String,
        /// What is wrong.
        why: String,
    },
    /// The server rejects the credentials.
    #[error(
        "the NATS server at {servers} rejects the credentials: check the user and password, the token or the credentials file"
    )]
    Credentials {
        /// The addresses.
        servers: String,
    },
    /// The server is older than the minimum version of a fleet.
    #[error("the NATS server {server} has version {version}: a fleet requires {}.{} or later", .floor.0, .floor.1)]
    TooOld {
        /// The server's name.
        server: String,
        /// Its version.
        version: String,
        /// The minimum version.
        floor: (u32, u32),
    },
    /// The server is older than the minimum version for replicated keys.
    #[error(
        "the NATS server {server} has version {version}: before {}.{} a cluster loses acknowledged writes of keys when its leader changes. \
         Upgrade the servers, or configure one replica", .floor.0, .floor.1
    )]
    TooOldForReplicas {
        /// The server's name.
        server: String,
        /// Its version.
        version: String,
        /// The minimum version.
        floor: (u32, u32),
    },
    /// JetStream is disabled.
    #[error(
        "JetStream is not available on the NATS server {server} ({why}): start it with --jetstream and --store_dir, and enable it for the account"
    )]
    NoJetStream {
        /// The server's name.
        server: String,
        /// Its error.
        why: String,
    },
    /// There are fewer servers than replicas.
    #[error(
        "the NATS servers cannot store {asked} replicas ({why}): start {asked} of them as one cluster, or configure fewer replicas"
    )]
    Replicas {
        /// The requested number of replicas.
        asked: usize,
        /// The error of the servers.
        why: String,
    },
    /// There is no crawl of that name.
    #[error("there is no crawl “{0}” on these NATS servers: create it first, or check its name")]
    NoSuchCrawl(String),
    /// A part of the crawl is missing.
    #[error(
        "the stream {stream} of the crawl “{crawl}” is missing on the NATS servers: it was removed, or the crawl was not created completely"
    )]
    Incomplete {
        /// The crawl.
        crawl: String,
        /// The missing stream.
        stream: String,
    },
    /// Any other error.
    #[error(transparent)]
    Bus(#[from] BusError),
}

impl NatsError {
    /// Classifies a connection error.
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

/// Finds an error of TLS in the chain of causes.
fn tls_trouble(error: &(dyn StdError + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        // The cause of an I/O error is inside it, and not in its chain of sources.
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

/// Classifies a request without an answer.
pub(super) fn classify_request(error: &async_nats::RequestError) -> BusError {
    match error.kind() {
        RequestErrorKind::TimedOut => BusError::Unreachable("the request timed out".into()),
        // A stream without a leader answers like this; callers that know that the stream is gone report that instead.
        RequestErrorKind::NoResponders => BusError::Unreachable("no server responds".into()),
        RequestErrorKind::InvalidSubject | RequestErrorKind::MaxPayloadExceeded => BusError::Refused(error.to_string()),
        RequestErrorKind::Other => BusError::Unreachable(error.to_string()),
    }
}

/// Classifies an error that a server returned.
pub(super) fn classify_api(error: &async_nats::jetstream::Error) -> BusError {
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
        // A new leader that is not ready yet, or a concurrent write to the key: nothing was decided.
        | ErrorCode::STREAM_EXPECTED_LAST_SEQ_PER_SUBJECT_NOT_READY
        | ErrorCode::STREAM_TOO_MANY_REQUESTS
        | ErrorCode::RAFT_GENERAL => BusError::Unreachable(text),
        _ => BusError::Refused(text),
    }
}

/// The code is the same for a stream at its limit and for a failing disk.
fn is_full(text: &str) -> bool {
    text.contains("maximum") || text.contains("no space left") || text.contains("resource limits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server_says(code: u64, text: &str) -> BusError {
        let json = serde_json::json!({"code": 503, "err_code": code, "description": text});
        classify_api(&serde_json::from_value(json).unwrap())
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
