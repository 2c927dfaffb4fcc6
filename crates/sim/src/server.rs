//! Serves a world over HTTP/1.1 on loopback, on threads of its own.
//!
//! Each thread runs a runtime of its own and accepts from the same listener, so that nothing is handed between threads and the
//! server works the same whether or not its user is in an asynchronous context.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, watch};

use super::aside::{self, Validators};
use super::log::{Arrival, Caller, RequestLog};
use super::world::World;
use harvestman_core::clock::{Clock, Instant};

/// How the server behaves; what it serves is the world's matter.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerOptions {
    /// Mean time from a request's arrival to its answer.
    pub latency: Duration,
    /// How far that time goes up or down; which way depends on the URL only.
    pub jitter: Duration,
    /// A limit on the rate of a host.
    pub rate_limit: Option<RateLimit>,
    /// Where to write the log, a JSON line a request.
    pub log: Option<PathBuf>,
    /// How many entries of the log to keep in memory (about 100 bytes each).
    pub keep: usize,
    /// Whether to count the requests of each URL (about 40 bytes each). Always done where the world has transient errors.
    pub count_urls: bool,
    /// What it makes of conditional requests.
    pub validators: Validators,
    /// How fast the time of a world that changes goes on: seconds of it a second. It can be moved on besides.
    pub speed: f64,
    /// Number of threads that serve.
    pub threads: usize,
    /// The most connections open at once, on each thread; further ones wait to be accepted.
    pub connections: usize,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            rate_limit: None,
            log: None,
            keep: 100_000,
            count_urls: true,
            validators: Validators::None,
            speed: 0.0,
            threads: 1,
            connections: 10_000,
        }
    }
}

/// A limit on the rate of requests to a host; above it they are refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimit {
    /// Requests a second that are answered in the long run.
    pub per_second: f64,
    /// Requests that may come at once.
    pub burst: u64,
    /// The status that refuses: 429 or 503.
    pub status: u16,
    /// The wait that is asked for.
    pub retry_after: Duration,
    /// How it is asked for.
    pub form: RetryAfterForm,
}

impl RateLimit {
    /// 429 above `per_second` requests a second, asking to wait for a second.
    pub const fn per_second(per_second: f64) -> Self {
        Self { per_second, burst: 1, status: 429, retry_after: Duration::from_secs(1), form: RetryAfterForm::Seconds }
    }

    fn interval_us(&self) -> u64 {
        (1e6 / self.per_second.max(1e-6)) as u64
    }
}

/// The form of a `Retry-After` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum RetryAfterForm {
    /// A number of seconds.
    Seconds,
    /// An HTTP date.
    Date,
    /// No header.
    None,
}

/// A server that runs until it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    world: Arc<World>,
    log: Arc<RequestLog>,
    stop: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
}

struct Context {
    world: Arc<World>,
    log: Arc<RequestLog>,
    options: ServerOptions,
    clock: Clock,
    started: Instant,
}

/// What belongs to a connection; ends its count when dropped.
struct Connection {
    context: Arc<Context>,
    caller: Caller,
    hosts: Mutex<Vec<Arc<str>>>,
}

/// A request that is being answered. Where the client goes away first, it is dropped, and logged with status 0.
struct InFlight<'a> {
    context: &'a Context,
    arrival: Option<Arrival>,
}

impl Server {
    /// Serves `world` at `addr`. Port 0 takes a free port; where the world was given no port, its URLs carry the server's
    /// (see [`Server::world`]).
    pub fn start(world: Arc<World>, addr: SocketAddr, options: ServerOptions) -> io::Result<Self> {
        let listener = TcpListener::bind(addr)?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let world = match world.options().port {
            Some(_) => world,
            None => Arc::new(World::clone(&world).with_port(addr.port())),
        };
        let count_urls = options.count_urls || world.options().error_rate > 0.0;
        let log = Arc::new(RequestLog::new(options.log.as_deref(), options.keep, count_urls)?);
        let (stop, stopped) = watch::channel(false);
        let threads = options.threads.max(1);
        let clock = Clock::system();
        let started = clock.now();
        let context = Context { world: Arc::clone(&world), log: Arc::clone(&log), options, clock, started };
        let context = Arc::new(context);
        let mut server = Self { addr, world, log, stop, threads: Vec::with_capacity(threads) };
        for number in 0..threads {
            let (listener, context, stopped) = (listener.try_clone()?, Arc::clone(&context), stopped.clone());
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let run = move || runtime.block_on(accept_until_stopped(listener, context, stopped));
            server.threads.push(std::thread::Builder::new().name(format!("sim-{number}")).spawn(run)?);
        }
        Ok(server)
    }

    /// Where it listens.
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The world as it is served, with the right port in its URLs.
    pub const fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// What was asked of it.
    pub const fn log(&self) -> &Arc<RequestLog> {
        &self.log
    }

    /// Closes all connections and waits for the threads to end; then writes out the log, and says whether it is whole.
    pub fn stop(mut self) -> io::Result<()> {
        self.end();
        self.log.flush()
    }

    fn end(&mut self) {
        self.stop.send_replace(true);
        for thread in self.threads.drain(..) {
            // A thread that panicked has printed why; there is nothing else to end.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
        // Who wants to know whether the log is whole calls `stop`.
        let _ = self.log.flush();
    }
}

/// The connections' tasks belong to the runtime, and end with it.
async fn accept_until_stopped(listener: TcpListener, context: Arc<Context>, mut stopped: watch::Receiver<bool>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    tokio::select! {
        () = accept(listener, context) => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

async fn accept(listener: tokio::net::TcpListener, context: Arc<Context>) {
    let slots = Arc::new(Semaphore::new(context.options.connections));
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        let Ok((stream, peer)) = listener.accept().await else {
            // Out of file descriptors, most likely: wait for connections to be closed.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        // A failure only costs speed.
        let _ = stream.set_nodelay(true);
        let caller = context.log.connected(peer.ip());
        let connection = Arc::new(Connection { context: Arc::clone(&context), caller, hosts: Mutex::default() });
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(Arc::clone(&connection), request));
            // A client that breaks off is no matter of ours.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            drop(slot);
        });
    }
}

type HttpResponse = http::Response<Full<Bytes>>;

async fn answer(connection: Arc<Connection>, request: http::Request<Incoming>) -> Result<HttpResponse, Infallible> {
    let context = &*connection.context;
    let at = context.clock.now();
    let uri = request.uri();
    // A proxy is asked with the whole URL; otherwise the host stands in its header.
    let host = uri.authority().map(http::uri::Authority::as_str);
    let host = host.or_else(|| request.headers().get(header::HOST)?.to_str().ok());
    let Some(host) = host.map(str::to_ascii_lowercase) else {
        return Ok(plain(StatusCode::BAD_REQUEST));
    };
    let path = uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    context.keep_time(at);
    if let Some((status, text)) = aside::answer(&context.world, path) {
        let mut response = HttpResponse::new(Full::new(text.into()));
        *response.status_mut() = status;
        return Ok(response);
    }
    let arrival = context.log.arrived(at, &host, path, connection.caller, &mut connection.hosts.lock());
    let attempt = arrival.attempt;
    let within_rate = context.is_within_rate(&arrival);
    let in_flight = InFlight { context, arrival: Some(arrival) };
    let latency = context.latency(&host, path);
    if !latency.is_zero() {
        tokio::time::sleep(latency).await;
    }
    let response = match request.method() {
        _ if !within_rate => context.refusal(),
        &Method::GET | &Method::HEAD => context.page(&host, path, attempt, request.headers()),
        _ => plain(StatusCode::METHOD_NOT_ALLOWED),
    };
    in_flight.end(response.status().as_u16());
    Ok(response)
}

fn plain(status: StatusCode) -> HttpResponse {
    let mut response = HttpResponse::new(Full::new(Bytes::from_static(b"no\n")));
    *response.status_mut() = status;
    response
}

impl Context {
    /// Moves the site's time on as the clock goes.
    fn keep_time(&self, now: Instant) {
        if self.options.speed > 0.0 {
            self.world.set_time((now.since(self.started).as_secs_f64() * self.options.speed) as u64);
        }
    }

    fn page(&self, host: &str, path: &str, attempt: u32, request: &HeaderMap) -> HttpResponse {
        let simulated = self.world.respond_to_attempt(host, path, attempt);
        let is_page = simulated.status == 200 && simulated.content_type.starts_with("text/html");
        let etag = is_page.then(|| self.options.validators.etag(&simulated.body)).flatten();
        let not_modified = self.options.validators.not_modified(etag.as_ref(), request);
        let body = match () {
            () if not_modified => Bytes::new(),
            () if is_page && self.world.options().noise => {
                aside::noisy(&simulated.body, self.clock.now(), self.log.requests())
            }
            () => simulated.body,
        };
        let mut response = HttpResponse::new(Full::new(body));
        let status = if not_modified { 304 } else { simulated.status };
        *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        aside::put_etag(headers, etag);
        if !not_modified {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(simulated.content_type));
        }
        if let Some(location) = simulated.location.and_then(|location| HeaderValue::try_from(location).ok()) {
            headers.insert(header::LOCATION, location);
        }
        response
    }

    fn is_within_rate(&self, arrival: &Arrival) -> bool {
        let Some(limit) = &self.options.rate_limit else { return true };
        self.log.is_within_rate(&arrival.entry, limit.interval_us(), limit.burst)
    }

    fn refusal(&self) -> HttpResponse {
        let mut response = plain(StatusCode::TOO_MANY_REQUESTS);
        let Some(limit) = &self.options.rate_limit else { return response };
        *response.status_mut() = StatusCode::from_u16(limit.status).unwrap_or(StatusCode::TOO_MANY_REQUESTS);
        if let Some(value) = retry_after(limit, self.clock.now()) {
            response.headers_mut().insert(header::RETRY_AFTER, value);
        }
        response
    }

    /// The same URL always takes the same time.
    fn latency(&self, host: &str, path: &str) -> Duration {
        let (mean, jitter) = (self.options.latency, self.options.jitter.min(self.options.latency));
        if jitter.is_zero() {
            return mean;
        }
        let draw = self.world.seed().child("latency").child(host).child(path).0;
        mean - jitter + (jitter * 2).mul_f64(draw as f64 / u64::MAX as f64)
    }
}

/// HTTP dates have whole seconds, so a date is rounded up: never earlier than what is asked for.
fn retry_after(limit: &RateLimit, now: Instant) -> Option<HeaderValue> {
    match limit.form {
        RetryAfterForm::Seconds => Some(HeaderValue::from(limit.retry_after.as_millis().div_ceil(1_000) as u64)),
        RetryAfterForm::Date => {
            let at = (now + limit.retry_after).as_micros().div_ceil(1_000_000);
            HeaderValue::try_from(httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(at))).ok()
        }
        RetryAfterForm::None => None,
    }
}

impl InFlight<'_> {
    fn end(mut self, status: u16) {
        self.finish(status);
    }

    fn finish(&mut self, status: u16) {
        if let Some(arrival) = self.arrival.take() {
            self.context.log.answered(self.context.clock.now(), status, arrival);
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.finish(0);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.context.log.disconnected(&self.hosts.lock());
    }
}
