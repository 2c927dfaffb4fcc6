//! One HTTP connection: its peer, its state of use, and its sender.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};

use super::wire::Reading;
use harvestman_core::clock::Instant;

/// The body of a request: empty, but for a form.
pub(super) type RequestBody = Full<Bytes>;

/// The sender of a connection; hyper's own task does the rest.
pub(super) enum Sender {
    /// HTTP/1.1: one request at a time.
    H1(http1::SendRequest<RequestBody>),
    /// HTTP/2: any number of requests, through clones.
    H2(http2::SendRequest<RequestBody>),
}

/// An established connection.
pub(super) struct Connection {
    pub(super) sender: Sender,
    /// The address of the server; `None` behind a proxy.
    pub(super) remote: Option<IpAddr>,
    /// When it was last used.
    pub(super) used: Instant,
    /// Whether it has carried an exchange before.
    pub(super) reused: bool,
    /// The counter of bytes read from its socket, updated by the socket.
    pub(super) reading: Arc<Reading>,
    /// Bytes read before the current exchange began.
    pub(super) read_before: u64,
    /// The maximum number of bytes before the head of a response is complete.
    pub(super) heads_max: u64,
    pub(super) tls: bool,
}

/// The maximum size of a TLS close_notify (RFC 8446, section 5.2: 5 + 2 + 1 + 16 bytes, more in TLS 1.2).
const CLOSE_NOTIFY_BYTES: u64 = 40;

impl Connection {
    /// Returns the HTTP version of the connection.
    pub(super) fn version(&self) -> Version {
        match self.sender {
            Sender::H1(_) => Version::HTTP_11,
            Sender::H2(_) => Version::HTTP_2,
        }
    }

    /// Returns whether nothing can be sent on it any more.
    pub(super) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::H1(sender) => sender.is_closed(),
            Sender::H2(sender) => sender.is_closed(),
        }
    }

    /// Returns a clone for the next exchange; `None` for HTTP/1.1, which carries one exchange at a time.
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
    pub(super) async fn send(&mut self, request: Request<RequestBody>) -> Result<Response<Incoming>, hyper::Error> {
        match &mut self.sender {
            Sender::H1(sender) => {
                sender.ready().await?;
                // hyper limits the size of one head, but any number of informational responses may precede it, and
                // while they arrive fast, hyper reads on without yielding its thread.
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

    /// Returns whether the failure may only mean that the server had closed the connection between two requests: the
    /// connection was used before, and no byte of a response arrived. (HTTP/2 connections also read for other
    /// exchanges, so there it is enough that it was used before.) The request can then safely be sent again, on a fresh
    /// connection.
    pub(super) fn was_stale(&self) -> bool {
        let read = self.reading.bytes().saturating_sub(self.read_before);
        let silent = read <= if self.tls { CLOSE_NOTIFY_BYTES } else { 0 };
        self.reused && (silent || self.version() == Version::HTTP_2)
    }
}
