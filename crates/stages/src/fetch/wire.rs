//! The TCP stream below everything, which counts what it reads, and stops reading where a limit is set.

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

/// A TCP stream and how many bytes have been read from it.
pub(super) struct Wire {
    stream: TcpStream,
    reading: Arc<Reading>,
}

/// What is known of the bytes read from a stream, and how many there may be. Shared with the stream, which is deep inside hyper.
#[derive(Debug)]
pub(super) struct Reading {
    bytes: AtomicU64,
    stop_at: AtomicU64,
}

/// The limit of [`Reading::limit`] was reached.
#[derive(Debug, thiserror::Error)]
#[error("more was read than is allowed")]
pub(super) struct TooMuchRead;

impl Default for Reading {
    fn default() -> Self {
        Self { bytes: AtomicU64::new(0), stop_at: AtomicU64::new(u64::MAX) }
    }
}

impl Reading {
    /// Bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Lets no read begin once `more` bytes have been read from now on.
    pub(super) fn limit(&self, more: u64) {
        self.stop_at.store(self.bytes().saturating_add(more), Ordering::Relaxed);
    }

    /// Takes the limit away.
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

    /// The address at the other end.
    pub(super) fn peer(&self) -> Option<IpAddr> {
        self.stream.peer_addr().ok().map(|peer| peer.ip())
    }

    /// What is read. It goes on counting when the stream is deep inside hyper.
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

/// A "connector" that hands out one connection that stands already, for layers (tunnel, TLS) that want to connect themselves.
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
