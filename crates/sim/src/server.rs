//! Serves a world over HTTP/1.1 on loopback, on its own threads.
//!
//! Each thread runs its own runtime and accepts from the same listener, so that nothing is passed between threads and
//! the server works in any context, asynchronous or not.

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

use super::aside::{ActionCounts, Validators};
use super::log::{Arrival, Caller, RequestLog};
use super::world::World;
use super::{aside, client};
use harvestman_core::clock::{Clock, Instant};

/// The behaviour of the server; its content is defined by the world.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerOptions {
    /// Mean time from the arrival of a request to its answer.
    pub latency: Duration,
    /// Maximum deviation from it; the actual value depends on the URL only.
    pub jitter: Duration,
    /// The rate limit of a host.
    pub rate_limit: Option<RateLimit>,
    /// The file of the log, one JSON line per request.
    pub log: Option<PathBuf>,
    /// Number of log entries to keep in memory (about 100 bytes each).
    pub keep: usize,
    /// Whether to count the requests of each URL (about 40 bytes each). Always done if the world has transient errors.
    pub count_urls: bool,
    /// Whether to send the bodies of 200 answers with the content coding gzip to clients that accept it.
    pub gzip: bool,
    /// The handling of conditional requests.
    pub validators: Validators,
    /// The speed of time in a changing world, in seconds per second. The time can also be advanced explicitly.
    pub speed: f64,
    /// Number of server threads.
    pub threads: usize,
    /// Maximum number of open connections per thread; further ones wait to be accepted.
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
            gzip: false,
            validators: Validators::None,
            speed: 0.0,
            threads: 1,
            connections: 10_000,
        }
    }
}

/// A limit on the rate of requests to a host; requests above it are refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimit {
    /// Sustained requests per second.
    pub per_second: f64,
    /// Burst size.
    pub burst: u64,
    /// The status of refusals: 429 or 503.
    pub status: u16,
    /// The requested delay.
    pub retry_after: Duration,
    /// The form of the requested delay.
    pub form: RetryAfterForm,
}

impl RateLimit {
    /// Returns a limit of `per_second` requests per second with status 429 and a requested delay of one second.
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
    counts: ActionCounts,
    log: Arc<RequestLog>,
    options: ServerOptions,
    clock: Clock,
    started: Instant,
}

/// The state of a connection; dropping it ends its count.
struct Connection {
    context: Arc<Context>,
    caller: Caller,
    hosts: Mutex<Vec<Arc<str>>>,
}

/// A request that is being answered. If the client disconnects first, it is dropped and logged with status 0.
struct InFlight<'a> {
    context: &'a Context,
    arrival: Option<Arrival>,
}

impl Server {
    /// Serves `world` at `addr`. Port 0 picks a free port; if the world has no port, its URLs contain that of the
    /// server (see [`Server::world`]).
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
        let context = Context {
            world: Arc::clone(&world),
            counts: ActionCounts::default(),
            log: Arc::clone(&log),
            options,
            clock,
            started,
        };
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

    /// Returns the listening address.
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Returns the served world, with the right port in its URLs.
    pub const fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Returns the request log.
    pub const fn log(&self) -> &Arc<RequestLog> {
        &self.log
    }

    /// Closes all connections, waits for the threads to end, and flushes the log. Returns an error if the log is
    /// incomplete.
    pub fn stop(mut self) -> io::Result<()> {
        self.end();
        self.log.flush()
    }

    fn end(&mut self) {
        self.stop.send_replace(true);
        for thread in self.threads.drain(..) {
            // A panicked thread has printed the reason; nothing else is left to end.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
        // Callers that need the result call `stop`.
        let _ = self.log.flush();
    }
}

/// Accepts connections; their tasks belong to the runtime and end with it.
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
            // Probably out of file descriptors: wait for connections to be closed.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        // A failure only costs speed.
        let _ = stream.set_nodelay(true);
        let caller = context.log.connected(peer.ip());
        let connection = Arc::new(Connection { context: Arc::clone(&context), caller, hosts: Mutex::default() });
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(Arc::clone(&connection), request));
            // Disconnecting clients are not an error of the server.
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
    // Proxy requests contain the whole URL; otherwise the host is in its header.
    let host = uri.authority().map(http::uri::Authority::as_str);
    let host = host.or_else(|| request.headers().get(header::HOST)?.to_str().ok());
    let Some(host) = host.map(str::to_ascii_lowercase) else {
        return Ok(plain(StatusCode::BAD_REQUEST));
    };
    let path = uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    context.keep_time(at);
    if path == aside::PATH {
        return Ok(HttpResponse::new(Full::new(context.counts.json().into())));
    }
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
        _ => context.act(path),
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
    /// Advances the time of the site with the clock.
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
        let zipped = self.options.gzip && simulated.status == 200 && !not_modified && aside::accepts_gzip(request);
        let body = if zipped { aside::gzipped(&body) } else { body };
        let mut response = HttpResponse::new(Full::new(body));
        let status = if not_modified { 304 } else { simulated.status };
        *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        aside::put_etag(headers, etag);
        if zipped {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if !not_modified {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(simulated.content_type));
        }
        if let Some(location) = simulated.location.and_then(|location| HeaderValue::try_from(location).ok()) {
            headers.insert(header::LOCATION, location);
        }
        response
    }

    /// Answers a request that would change something; it changes nothing but its count.
    fn act(&self, path: &str) -> HttpResponse {
        let action = client::action(path);
        self.counts.add(action);
        plain(if action.is_some() { StatusCode::OK } else { StatusCode::METHOD_NOT_ALLOWED })
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

    /// Returns the latency, which is constant per URL.
    fn latency(&self, host: &str, path: &str) -> Duration {
        let (mean, jitter) = (self.options.latency, self.options.jitter.min(self.options.latency));
        if jitter.is_zero() {
            return mean;
        }
        let draw = self.world.seed().child("latency").child(host).child(path).0;
        mean - jitter + (jitter * 2).mul_f64(draw as f64 / u64::MAX as f64)
    }
}

/// Returns the Retry-After header. HTTP dates have whole seconds, so a date is rounded up: never earlier than
/// requested.
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
