//! One HTTP connection: its peer, its state of use, its sender, and its TCP stream, which counts the bytes that it
//! reads and enforces a limit on them.

use std::future::{Ready as ReadyFuture, ready};
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response, Uri, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::client::legacy::connect::{self, Connected};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tower_service::Service;

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

/// A TCP stream that counts the bytes read from it.
pub(super) struct Wire {
    stream: TcpStream,
    reading: Arc<Reading>,
}

/// The number of bytes read from a stream, and their limit. Shared with the stream, which hyper owns.
#[derive(Debug)]
pub(super) struct Reading {
    bytes: AtomicU64,
    stop_at: AtomicU64,
}

/// The limit set by [`Reading::limit`] was reached.
#[derive(Debug, thiserror::Error)]
#[error("read limit exceeded")]
pub(super) struct TooMuchRead;

impl Default for Reading {
    fn default() -> Self {
        Self { bytes: AtomicU64::new(0), stop_at: AtomicU64::new(u64::MAX) }
    }
}

impl Reading {
    /// Returns the number of bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Fails every read that begins after `more` further bytes.
    pub(super) fn limit(&self, more: u64) {
        self.stop_at.store(self.bytes().saturating_add(more), Ordering::Relaxed);
    }

    /// Removes the limit.
    fn lift(&self) {
        self.stop_at.store(u64::MAX, Ordering::Relaxed);
    }

    fn is_used_up(&self) -> bool {
        self.bytes() >= self.stop_at.load(Ordering::Relaxed)
    }
}

impl Wire {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, reading: Arc::default() }
    }

    /// Returns the address of the peer.
    pub(super) fn peer(&self) -> Option<IpAddr> {
        self.stream.peer_addr().ok().map(|peer| peer.ip())
    }

    /// Returns the counter, which is updated even after hyper has taken the stream.
    pub(super) fn reading(&self) -> Arc<Reading> {
        Arc::clone(&self.reading)
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.reading.is_used_up() {
            return Poll::Ready(Err(io::Error::other(TooMuchRead)));
        }
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        let read = buf.filled().len() - before;
        self.reading.bytes.fetch_add(read as u64, Ordering::Relaxed);
        polled
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }
}

impl connect::Connection for Wire {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

/// A "connector" that returns one established connection, for layers (tunnel, TLS) that want to connect themselves.
pub(super) struct Ready(Option<TokioIo<Wire>>);

impl Ready {
    pub(super) fn new(io: TokioIo<Wire>) -> Self {
        Self(Some(io))
    }
}

impl Service<Uri> for Ready {
    type Response = TokioIo<Wire>;
    type Error = io::Error;
    type Future = ReadyFuture<io::Result<TokioIo<Wire>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        ready(self.0.take().ok_or_else(|| io::ErrorKind::NotConnected.into()))
    }
}
