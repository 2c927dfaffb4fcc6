//! Connects to NATS servers, and checks that they meet the requirements: a tested version, with JetStream.

use std::path::Path;
use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::{ConnectOptions, Event, ServerInfo};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use super::connection::Connection;
use super::error::NatsError;
use super::options::{NatsOptions, Secret};
use super::traffic::TrafficKind;
use crate::bus::BusError;
use crate::retry::{RETRY_FOR, retry};
use harvestman_core::clock::Clock;

/// The oldest server version that a fleet is tested with.
pub const SERVER_VERSION_MIN: (u32, u32) = (2, 9);

/// The oldest version whose clusters honour compare-and-swap. Older ones lose acknowledged writes when the leader of a
/// key changes after refused writes, because replicas then disagree on the assigned sequence numbers (seen with
/// 2.9.10).
pub const CLUSTER_VERSION_MIN: (u32, u32) = (2, 11);

/// The interval of pings to the server. After three without an answer the client tries another server.
const PING_INTERVAL: Duration = Duration::from_secs(2);
/// How long one server may take to identify itself. Others are not tried meanwhile.
const GREETING_TIMEOUT: Duration = Duration::from_secs(2);

/// Connects.
pub(super) async fn connect(options: &NatsOptions) -> Result<Connection, NatsError> {
    let (addresses, _) = options.addresses()?;
    let (connected, _) = watch::channel(false);
    let connecting = settings(options, connected.clone()).await?.connect(addresses.as_slice());
    let client = match timeout(options.connect_timeout, connecting).await {
        Ok(Ok(client)) => client,
        Ok(Err(error)) => return Err(NatsError::of_connecting(&error, &addresses)),
        Err(_) => {
            let why = format!("no answer within {:?}", options.connect_timeout);
            return Err(NatsError::Unreachable { servers: addresses.join(", "), why });
        }
    };
    connected.send_replace(true);
    let info = client.server_info();
    check_version(&info)?;
    let connection = Connection::new(client, connected, options.request_timeout);
    check_jetstream(&connection, &info).await?;
    Ok(connection)
}

async fn settings(options: &NatsOptions, connected: watch::Sender<bool>) -> Result<ConnectOptions, NatsError> {
    let (_, login) = options.addresses()?;
    let mut settings = ConnectOptions::new()
        .name(format!("harvestman {}", options.crawl))
        .ping_interval(PING_INTERVAL)
        .connection_timeout(options.connect_timeout.min(GREETING_TIMEOUT))
        .request_timeout(Some(options.request_timeout))
        .max_reconnects(None)
        .event_callback(move |event| {
            track(&connected, &event);
            std::future::ready(())
        });
    let user = options.user.clone().or(login.user);
    let password = options.password.clone().or(login.password).unwrap_or_default();
    if let Some(user) = user {
        settings = settings.user_and_password(user, password.0);
    }
    if let Some(Secret(token)) = options.token.clone().or(login.token) {
        settings = settings.token(token);
    }
    if let Some(path) = &options.credentials_file {
        let what = "credentials";
        settings = settings.credentials_file(path).await.map_err(|error| unreadable(path, what, &error))?;
    }
    tls(options, settings)
}

fn tls(options: &NatsOptions, mut settings: ConnectOptions) -> Result<ConnectOptions, NatsError> {
    let files = [
        (&options.tls_roots, "certificates of authorities"),
        (&options.tls_certificate, "a certificate"),
        (&options.tls_key, "the key of the certificate"),
    ];
    for (path, what) in files {
        let readable = path.as_ref().map_or(Ok(()), |path| std::fs::File::open(path).map(drop));
        readable.map_err(|error| unreadable(path.as_deref().unwrap_or(Path::new("")), what, &error))?;
    }
    if let Some(path) = &options.tls_roots {
        settings = settings.add_root_certificates(path.clone());
    }
    match (&options.tls_certificate, &options.tls_key) {
        (Some(certificate), Some(key)) => settings = settings.add_client_certificate(certificate.clone(), key.clone()),
        (None, None) => (),
        (Some(path), None) | (None, Some(path)) => {
            let why = "a certificate and its key must be given together".to_owned();
            return Err(NatsError::File { path: path.clone(), what: "the certificate or its key", why });
        }
    }
    Ok(settings.require_tls(options.tls))
}

fn unreadable(path: &Path, what: &'static str, error: &std::io::Error) -> NatsError {
    NatsError::File { path: path.to_owned(), what, why: error.to_string() }
}

/// Tracks whether there is a connection, and logs each change once.
fn track(connected: &watch::Sender<bool>, event: &Event) {
    let change = |to: bool| connected.send_if_modified(|now| std::mem::replace(now, to) != to);
    match event {
        Event::Connected if change(true) => tracing::info!("connected to NATS"),
        Event::Disconnected if change(false) => {
            tracing::warn!("lost the connection to NATS; reconnecting");
        }
        // Closed by this client.
        Event::Closed => {
            change(false);
        }
        Event::LameDuckMode => tracing::info!("the NATS server is shutting down"),
        Event::SlowConsumer(_) => {
            tracing::warn!("dropped messages from NATS because their reader is too slow; reading them again")
        }
        Event::ServerError(error) => tracing::warn!(%error, "error from the NATS server"),
        _ => (),
    }
}

fn check_version(info: &ServerInfo) -> Result<(), NatsError> {
    if version(&info.version).is_some_and(|version| version >= SERVER_VERSION_MIN) {
        return Ok(());
    }
    let (server, version) = (info.server_name.clone(), info.version.clone());
    Err(NatsError::TooOld { server, version, floor: SERVER_VERSION_MIN })
}

/// Checks that this number of replicas is safe with the server's version.
pub(super) fn check_replication(info: &ServerInfo, replicas: usize) -> Result<(), NatsError> {
    if replicas <= 1 || version(&info.version).is_some_and(|version| version >= CLUSTER_VERSION_MIN) {
        return Ok(());
    }
    let (server, version) = (info.server_name.clone(), info.version.clone());
    Err(NatsError::TooOldForReplicas { server, version, floor: CLUSTER_VERSION_MIN })
}

/// Parses the first two numbers of a version.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim_start_matches('v').split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Waits until JetStream is ready: a cluster that has just started elects its leader first.
async fn check_jetstream(connection: &Connection, info: &ServerInfo) -> Result<(), NatsError> {
    let off = |why: String| NatsError::NoJetStream { server: info.server_name.clone(), why };
    if !info.jetstream && info.cluster.is_none() {
        return Err(off("the server reports it as disabled".into()));
    }
    let ask = || async {
        let answer = connection.request_raw::<Value>(TrafficKind::Servers, "INFO", &Value::Null).await?;
        Ok(match answer.map_err(|error| (error.error_code(), error.to_string())) {
            Ok(_) => Ok(()),
            Err((ErrorCode::JETSTREAM_NOT_ENABLED | ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT, why)) => Err(why),
            Err((_, why)) => return Err(BusError::Unreachable(why)),
        })
    };
    match retry(&Clock::system(), ask).await {
        Ok(ready) => ready.map_err(off),
        Err(error) => Err(off(format!(
            "not ready within {RETRY_FOR:?}: {error}; in a cluster, more than half of the servers must be up"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version("2.9.10"), Some((2, 9)));
        assert_eq!(version("v2.15.1-RC.1"), Some((2, 15)));
        assert_eq!(version("3.0"), Some((3, 0)));
        for bad in ["", "2", "x.y", "2."] {
            assert_eq!(version(bad), None, "{bad}");
        }
        let info = |version: &str| ServerInfo { version: version.into(), ..ServerInfo::default() };
        assert!(check_version(&info("2.9.0")).is_ok());
        assert!(check_version(&info("2.15.1")).is_ok());
        assert!(check_replication(&info("2.9.10"), 1).is_ok());
        assert!(check_replication(&info("2.11.0"), 3).is_ok());
        assert!(matches!(check_replication(&info("2.10.29"), 2), Err(NatsError::TooOldForReplicas { .. })));
        for old in ["2.8.4", "1.99.0", "", "new"] {
            assert!(matches!(check_version(&info(old)), Err(NatsError::TooOld { .. })), "{old}");
        }
    }

    #[test]
    fn a_change_is_told_once() {
        let (connected, mut connections) = watch::channel(true);
        track(&connected, &Event::Connected);
        assert!(!connections.has_changed().unwrap());
        track(&connected, &Event::Disconnected);
        assert!(!*connections.borrow_and_update());
        track(&connected, &Event::Disconnected);
        assert!(!connections.has_changed().unwrap());
        track(&connected, &Event::Connected);
        assert!(*connections.borrow_and_update());
    }
}
