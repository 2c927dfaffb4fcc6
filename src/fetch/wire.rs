//! The TCP stream below everything, which counts what it reads.

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
    read: Arc<AtomicU64>,
}

impl Wire {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, read: Arc::default() }
    }

    /// The address at the other end.
    pub(super) fn peer(&self) -> Option<IpAddr> {
        self.stream.peer_addr().ok().map(|peer| peer.ip())
    }

    /// The counter of bytes read. It goes on counting when the stream is deep inside hyper.
    pub(super) fn read_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        let read = buf.filled().len() - before;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
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
