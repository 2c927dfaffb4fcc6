//! One HTTP connection: who is at its other end, whether it has served before, and the way to send on it.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};

use super::wire::Reading;
use harvestman_core::clock::Instant;

/// The body of all requests: none.
pub(super) type NoBody = Empty<Bytes>;

/// The sending side of a connection; hyper's own task does the rest.
pub(super) enum Sender {
    /// HTTP/1.1: one request at a time.
    H1(http1::SendRequest<NoBody>),
    /// HTTP/2: any number, through clones.
    H2(http2::SendRequest<NoBody>),
}

/// A connection that stands.
pub(super) struct Connection {
    pub(super) sender: Sender,
    /// Who is connected to; none behind a proxy.
    pub(super) remote: Option<IpAddr>,
    /// When it was last used.
    pub(super) used: Instant,
    /// Whether it has carried an exchange before.
    pub(super) reused: bool,
    /// What is read from its socket, kept up to date by the socket.
    pub(super) reading: Arc<Reading>,
    /// Bytes that had been read when the present exchange began.
    pub(super) read_before: u64,
    /// Bytes that may come before the head of an answer is whole.
    pub(super) heads_max: u64,
    pub(super) tls: bool,
}

/// What a TLS close_notify weighs at most (RFC 8446, section 5.2: 5 + 2 + 1 + 16 bytes, more in TLS 1.2).
const CLOSE_NOTIFY_BYTES: u64 = 40;

impl Connection {
    /// The version that is spoken on it.
    pub(super) fn version(&self) -> Version {
        match self.sender {
            Sender::H1(_) => Version::HTTP_11,
            Sender::H2(_) => Version::HTTP_2,
        }
    }

    /// Whether nothing can be sent on it any more.
    pub(super) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::H1(sender) => sender.is_closed(),
            Sender::H2(sender) => sender.is_closed(),
        }
    }

    /// This connection once more, for the next exchange; none where it carries only one at a time.
    pub(super) fn share(&self) -> Option<Self> {
        let Sender::H2(sender) = &self.sender else { return None };
        Some(Self {
            sender: Sender::H2(sender.clone()),
            remote: self.remote,
            used: self.used,
            reused: true,
            reading: Arc::clone(&self.reading),
            read_before: self.read_before,
            heads_max: self.heads_max,
            tls: self.tls,
        })
    }

    /// Marks the beginning of an exchange at `now`.
    pub(super) fn begin(&mut self, now: Instant) {
        self.used = now;
        self.read_before = self.reading.bytes();
    }

    /// Sends a request and waits for the response's head.
    pub(super) async fn send(&mut self, request: Request<NoBody>) -> Result<Response<Incoming>, hyper::Error> {
        match &mut self.sender {
            Sender::H1(sender) => {
                sender.ready().await?;
                // A head has its limit in hyper, but any number of informational ones may stand before it, and as long as they
                // come fast, hyper reads on without giving its thread to anybody else.
                self.reading.limit(self.heads_max);
                let head = sender.send_request(request).await;
                self.reading.lift();
                head
            }
            Sender::H2(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
        }
    }

    /// Whether the end of this connection may simply be that the server had closed it between two requests: it served
    /// before, and not a byte of an answer came. (HTTP/2 connections read for other exchanges too, so there it is enough
    /// that it served before.) The request can then safely be sent once more, on a fresh connection.
    pub(super) fn was_stale(&self) -> bool {
        let read = self.reading.bytes().saturating_sub(self.read_before);
        let silent = read <= if self.tls { CLOSE_NOTIFY_BYTES } else { 0 };
        self.reused && (silent || self.version() == Version::HTTP_2)
    }
}
