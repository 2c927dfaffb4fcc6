//! The TCP stream of a connection, which counts the bytes that it reads and enforces a limit on them.

use std::future::{Ready as ReadyFuture, ready};
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use http::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tower_service::Service;

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
    pub(super) fn lift(&self) {
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

impl Connection for Wire {
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
