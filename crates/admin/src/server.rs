//! The loop of every HTTP server of the program, with bounds on what clients can occupy.
//!
//! An open connection is a file descriptor, and the crawl needs descriptors too. So a server has at most
//! [`CONNECTIONS_MAX`] connections. At this limit, a new client takes the place of one that has sent no complete
//! request: idle clients, however many, neither exhaust the descriptors nor keep others out. Which connection
//! is closed for a new one is a rule over values, and the turns by which connections wait.

use std::cmp::Reverse;
use std::convert::Infallible;
use std::error::Error;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use axum::http::{Request, Response, StatusCode};
use axum::serve::Listener;
use http_body_util::{BodyExt, Either, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use harvestman_report::StopFlag;

/// Maximum number of connections that a server has open: twice as many as streams of live pages, and few against the
/// descriptors of a process (256 on some systems).
pub(super) const CONNECTIONS_MAX: usize = 32;
/// How long a client may take for the head of a request, also on a connection that it used before, and for its body.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum size of the body of a request, such as the arguments of a command, in bytes.
const BODY_MAX: usize = 64 * 1024;
/// How long clients whose responses are in progress can delay the end of the server.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// The address of a client, as far as it tells clients apart.
pub trait Peer {
    /// Returns the address of the machine; `None` for a client of a Unix socket.
    fn machine(&self) -> Option<IpAddr>;
}

impl Peer for std::net::SocketAddr {
    fn machine(&self) -> Option<IpAddr> {
        Some(self.ip().to_canonical())
    }
}

impl Peer for tokio::net::unix::SocketAddr {
    fn machine(&self) -> Option<IpAddr> {
        None
    }
}

/// Answers the requests of all clients of `listener` by `service` until `stop` is requested. Responses in progress then
/// get one second to finish. The body of a request is complete when `service` gets it.
pub async fn serve<L, S, B>(mut listener: L, service: S, stop: StopFlag)
where
    L: Listener,
    L::Addr: Peer,
    S: Service<Request<Full<Bytes>>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let mut connections = Connections::default();
    loop {
        let (io, address) = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.wait() => break,
        };
        tokio::select! {
            () = connections.make_place() => {}
            () = stop.wait() => break,
        }
        let waiting = connections.turns.new_connection();
        let task = connection(io, service.clone(), waiting.clone(), stop.clone());
        let task = connections.tasks.spawn(task);
        connections.open.push(Open { machine: address.machine(), waiting, task });
    }
    drop(listener);
    connections.finish().await;
}

/// The open connections of a server.
#[derive(Default)]
struct Connections {
    /// Dropping it closes them.
    tasks: JoinSet<()>,
    open: Vec<Open>,
    turns: Arc<Turns>,
}

struct Open {
    machine: Option<IpAddr>,
    waiting: Waiting,
    task: AbortHandle,
}

impl Connections {
    /// Returns when there is place for one more connection. It closes one that waits for its client, if there is no
    /// place.
    async fn make_place(&mut self) {
        loop {
            while self.tasks.try_join_next().is_some() {}
            self.open.retain(|open| !open.task.is_finished());
            if self.tasks.len() < CONNECTIONS_MAX {
                return;
            }
            let open: Vec<_> = self.open.iter().map(|open| (open.machine, open.waiting.since())).collect();
            if let Some(open) = to_close(&open).and_then(|position| self.open.get(position)) {
                open.task.abort();
            }
            tokio::select! {
                _ = self.tasks.join_next() => {}
                () = self.turns.next_begins() => {}
            }
        }
    }

    /// Waits for the responses in progress.
    async fn finish(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        // What is left is closed when it is dropped.
        let _ = timeout(GRACE, all).await;
    }
}

/// Answers the requests of one client.
async fn connection<I, S, B>(io: I, service: S, waiting: Waiting, stop: StopFlag)
where
    I: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    S: Service<Request<Full<Bytes>>, Response = Response<B>, Error = Infallible> + Clone + 'static,
    B: HttpBody<Data = Bytes> + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let service = service_fn(move |request| answer(service.clone(), request, waiting.clone()));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT);
    let mut connection = pin!(http.serve_connection(TokioIo::new(io), service));
    // That a client disconnects, or takes too long, is no error of the server.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.wait() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Reads the body of a request and answers it. The connection waits for its client until the request is complete, and
/// again from the end of the response.
async fn answer<S, B>(
    service: S,
    request: Request<Incoming>,
    waiting: Waiting,
) -> Result<Response<impl HttpBody<Data = Bytes, Error = impl Into<Box<dyn Error + Send + Sync>>>>, Infallible>
where
    S: Service<Request<Full<Bytes>>, Response = Response<B>, Error = Infallible>,
    B: HttpBody<Data = Bytes>,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let (head, body) = request.into_parts();
    let body = match timeout(REQUEST_TIMEOUT, Limited::new(body, BODY_MAX).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) => {
            let why = format!("the body cannot be read ({error}): it may have {BODY_MAX} bytes\n");
            return Ok(refusal(StatusCode::PAYLOAD_TOO_LARGE, why));
        }
        Err(_) => return Ok(refusal(StatusCode::REQUEST_TIMEOUT, "the body of the request is late\n".to_owned())),
    };
    let answering = waiting.answer();
    let Ok(response) = service.call(Request::from_parts(head, Full::new(body))).await;
    // The body takes what ends with it.
    let until_sent = move |error: B::Error| {
        let _ = &answering;
        error.into()
    };
    Ok(response.map(|body| Either::Right(body.map_err(until_sent))))
}

fn refusal<B>(status: StatusCode, why: String) -> Response<Either<Full<Bytes>, B>> {
    let mut response = Response::new(Either::Left(Full::new(Bytes::from(why))));
    *response.status_mut() = status;
    response
}

/// Says since which turn a connection waits: it does not, as it is being answered.
const ANSWERED: u64 = u64::MAX;

/// Counts the turns at which connections of a server began to wait.
#[derive(Debug, Default)]
struct Turns {
    count: AtomicU64,
    begun: Notify,
}

impl Turns {
    /// Returns the state of a new connection: it waits for its client.
    fn new_connection(self: &Arc<Self>) -> Waiting {
        let waiting = Waiting { since: Arc::default(), turns: Arc::clone(self) };
        waiting.begin();
        waiting
    }

    /// Returns when another connection begins to wait, or has begun to since the last call.
    async fn next_begins(&self) {
        self.begun.notified().await;
    }
}

/// Whether a connection waits for its client, and since when.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    since: Arc<AtomicU64>,
    turns: Arc<Turns>,
}

impl Waiting {
    /// Returns the turn at which it began to wait; `None` if it is being answered.
    pub(super) fn since(&self) -> Option<u64> {
        Some(self.since.load(Ordering::Relaxed)).filter(|since| *since != ANSWERED)
    }

    /// Marks the connection as one that is being answered, until the returned value is dropped.
    pub(super) fn answer(&self) -> Answering {
        self.since.store(ANSWERED, Ordering::Relaxed);
        Answering(self.clone())
    }

    fn begin(&self) {
        self.since.store(self.turns.count.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        self.turns.begun.notify_one();
    }
}

/// A response in progress.
#[derive(Debug)]
pub(super) struct Answering(Waiting);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.begin();
    }
}

/// Returns the position of the connection to close for a new one. Each is given by its client's machine and the turn
/// since which it waits, if it does: the machine with the most connections loses the one that waits longest. `None` if
/// every connection is being answered.
fn to_close(open: &[(Option<IpAddr>, Option<u64>)]) -> Option<usize> {
    let of_machine = |machine| open.iter().filter(|each| each.0 == machine).count();
    let waiting = open.iter().enumerate().filter_map(|(at, (machine, since))| Some((at, *machine, (*since)?)));
    waiting.max_by_key(|(_, machine, since)| (of_machine(*machine), Reverse(*since))).map(|(at, ..)| at)
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
