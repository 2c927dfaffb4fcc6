//! The HTTP client: one request in, one exchange out, whatever the server does.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use hyper::body::{Body, Incoming};
use tokio::sync::Semaphore;

use super::bounds::{ClientBounds, DRAIN_MAX, Timer};
use super::connect::{self, Connector};
use super::connection::{Connection, RequestBody};
use super::cookies::{Cookies, StoredCookies};
use super::failure::{self, Http1Origins, Remedy};
use super::pool::Pool;
use super::proxy::Proxy;
use super::request::{Accept, Request, RequestHeaders};
use super::resolve::Resolver;
use super::response_headers::WantedTypes;
use super::signing::{Heard, RequestSigner};
use super::target::Target;
use super::trust::Guard;
use super::{Error, Trust, body, redirect};
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::FetchOptions;
use harvestman_core::model::{
    Answer, BodyReservation, ContentType, Exchange, Failure, RequestSignature, Timings, Truncation,
};
use harvestman_core::url::{CanonicalUrl, HostKey, SearchKeys};

/// An HTTP client. Cheap to clone; all clones share connections, resolver and cookies.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
    search_keys: Option<Arc<SearchKeys>>,
}

struct Inner {
    clock: Clock,
    connector: Connector,
    pool: Pool<Connection>,
    http1_only: Http1Origins,
    headers: RequestHeaders,
    cookies: Cookies,
    signer: Option<Arc<RequestSigner>>,
    types: WantedTypes,
    body_max: u64,
    places: Arc<Semaphore>,
    resends_unanswered: bool,
    first_byte_timeout: Duration,
    whole_timeout: Duration,
}

/// Pauses between attempts to connect while this machine lacks something: connections that are closed release it soon.
const LOCAL_WAITS: [Duration; 3] = [Duration::from_millis(10), Duration::from_millis(50), Duration::from_millis(200)];

/// What is recorded of an exchange while it runs, whether it succeeds or not.
struct Progress {
    started: Instant,
    request_headers: HeaderMap,
    signature: RequestSignature,
    first_byte: Option<Instant>,
    /// Whether the last attempt failed before any of the request was written.
    unsent: bool,
    /// What the error of the last attempt tells to do.
    remedy: Option<Remedy>,
}

/// How often a request is sent again because an error or a status tells to: on another connection, and in HTTP/1.1.
const REMEDIES_MAX: u32 = 2;

impl Client {
    /// Creates a client with these settings. `trust` says who receives the credentials, and who may have private
    /// addresses.
    ///
    /// # Errors
    ///
    /// Reports all invalid settings together.
    pub fn new(options: &FetchOptions, clock: Clock, trust: Trust) -> Result<Self, Error> {
        Self::bounded(options, ClientBounds::default(), None, clock, trust)
    }

    /// Creates a client like [`Self::new`] with these bounds, whose requests `signer` signs.
    ///
    /// # Errors
    ///
    /// Reports all invalid settings together.
    pub fn bounded(
        options: &FetchOptions,
        bounds: ClientBounds,
        signer: Option<Arc<RequestSigner>>,
        clock: Clock,
        trust: Trust,
    ) -> Result<Self, Error> {
        let mut errors = Vec::new();
        let proxy = Proxy::read(&options.proxy, &mut errors);
        let Trust { credentials, addresses } = trust;
        let guard = Guard { trusted: addresses, private_addresses: options.private_addresses };
        let resolver = Resolver::new(options, guard, &clock, &mut errors);
        let authorization = proxy.as_ref().and_then(Proxy::authorization);
        let cookies = Cookies::new(options, &credentials, clock.now(), &mut errors);
        let headers = RequestHeaders::new(options, credentials, authorization, &mut errors);
        let types = WantedTypes::read(&options.types, &mut errors);
        let tls = connect::tls_config(options, &mut errors);
        let Some(tls) = tls.filter(|_| errors.is_empty()) else { return Err(Error::Settings(errors)) };
        let inner = Inner {
            connector: Connector::new(options, bounds, clock.clone(), resolver, proxy, tls),
            pool: Pool::new(bounds),
            http1_only: Http1Origins::default(),
            clock,
            headers,
            cookies,
            signer,
            types,
            body_max: options.body_max.0,
            places: Arc::new(Semaphore::new(options.large_bodies.max(1) as usize)),
            resends_unanswered: bounds.resends_unanswered,
            first_byte_timeout: options.first_byte_timeout.0,
            whole_timeout: options.whole_timeout.0,
        };
        Ok(Self { inner: Arc::new(inner), search_keys: None })
    }

    /// Returns the client with the keys of searches. They are in its requests only: exchanges have the URL that was
    /// asked for.
    pub fn with_search_keys(self, search_keys: Option<Arc<SearchKeys>>) -> Self {
        Self { search_keys: search_keys.filter(|keys| !keys.is_empty()), ..self }
    }

    /// Sends `request` and returns the exchange. Completes within `fetch.whole_timeout`, reports every failure in the
    /// exchange's result, and does not follow redirects. Dropping the future aborts the request.
    pub async fn fetch(&self, request: &Request) -> Exchange {
        let inner = &*self.inner;
        let started = inner.clock.now();
        let mut progress = Progress {
            started,
            request_headers: HeaderMap::new(),
            signature: RequestSignature::default(),
            first_byte: None,
            unsent: false,
            remedy: None,
        };
        let with_key = self.search_keys.as_ref().and_then(|keys| keys.revealed(&request.url));
        let url = with_key.as_ref().unwrap_or(&request.url);
        let result = inner.run(request, url, &mut progress).await;
        let timings = Timings { started, first_byte: progress.first_byte, ended: inner.clock.now() };
        let Progress { request_headers, signature, .. } = progress;
        Exchange { url: request.url.clone(), request_headers, signature, result, timings }
    }

    /// Returns the cookies that sites have set, for a later run.
    pub fn stored_cookies(&self) -> StoredCookies {
        self.inner.cookies.stored()
    }

    /// Returns how often these cookies have changed.
    pub fn cookie_changes(&self) -> u64 {
        self.inner.cookies.changes()
    }

    /// Adds the cookies of an earlier run, if `fetch.cookie_jar` is set.
    pub fn restore_cookies(&self, stored: StoredCookies) {
        self.inner.cookies.restore(stored, self.inner.clock.now());
    }

    /// Takes in that these hosts had public addresses in an earlier run: they keep to such addresses.
    pub fn keep_public(&self, hosts: &[HostKey]) {
        let resolver = self.inner.connector.resolver();
        hosts.iter().for_each(|host| resolver.keep_public(host.host()));
    }

    /// Returns the address that a connection to `host` tries first, after the address guard. `None` behind a proxy,
    /// which resolves names itself.
    pub async fn address_of(&self, host: &HostKey) -> Result<Option<IpAddr>, Failure> {
        let connector = &self.inner.connector;
        if connector.proxy().is_some() {
            return connector.resolver().check_name(host.host()).map(|()| None);
        }
        let addresses = connector.resolver().addresses(host.host(), 0).await?;
        Ok(addresses.first().map(std::net::SocketAddr::ip))
    }
}

impl Inner {
    /// Sends `request` to `url`, which is its URL, except for the key of a search.
    async fn run(&self, request: &Request, url: &CanonicalUrl, progress: &mut Progress) -> Result<Answer, Failure> {
        let target = Target::of(url).ok_or(Failure::Internal)?;
        let end = progress.started + self.whole_timeout;
        let mut connection = match self.pool.take(target.origin, progress.started) {
            Some(pooled) => pooled,
            // Boxed: opening a connection is rare and its future is large.
            None => Box::pin(self.connect(&target, end)).await?,
        };
        let mut remedies_left = REMEDIES_MAX;
        loop {
            let began = self.clock.now();
            connection.begin(began);
            // The connection is established, so the first-byte time-out starts now.
            let first = self.first_byte_timeout.min(end.since(began));
            let sleep = pin!(tokio::time::sleep(first));
            let mut timer = Timer::new(&self.clock, sleep, end);
            let result = self.exchange(request, &target, &mut connection, &mut timer, progress).await;
            let remedy = match &result {
                Ok(response) => Remedy::of_status(response.status(), &connection),
                Err(_) => progress.remedy.take(),
            };
            if let Some(remedy) = remedy.filter(|_| remedies_left > 0) {
                remedies_left -= 1;
                // If the remedy fails, the answer is the result.
                if let Ok(other) = Box::pin(self.apply(remedy, &target, end)).await {
                    connection = other;
                    continue;
                }
            }
            match result {
                Ok(response) => return self.answer(request, &target, response, connection, &mut timer).await,
                // At most one retry: a fresh connection is never stale.
                // What is posted may have been processed.
                Err(Failure::Disconnected)
                    if connection.was_stale()
                        && (progress.unsent || self.resends_unanswered && request.body.is_none()) =>
                {
                    connection = Box::pin(self.connect(&target, end)).await?;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Opens the connection that a remedy names, in place of all to this origin.
    async fn apply(&self, remedy: Remedy, target: &Target<'_>, end: Instant) -> Result<Connection, Failure> {
        self.pool.forget(target.origin);
        match remedy {
            Remedy::NewConnection => self.connect(target, end).await,
            Remedy::Http1 => {
                let connection = self.connect_with(target, true, end).await?;
                // Only now: what speaks HTTP/2 alone is not asked in HTTP/1.1 for ever.
                self.http1_only.add(target.origin);
                Ok(connection)
            }
        }
    }

    /// Opens a new connection.
    async fn connect(&self, target: &Target<'_>, end: Instant) -> Result<Connection, Failure> {
        self.connect_with(target, self.http1_only.contains(target.origin), end).await
    }

    /// Opens a new connection. If this machine lacks something for it that unused connections occupy, closes those and
    /// tries again.
    async fn connect_with(&self, target: &Target<'_>, http1: bool, end: Instant) -> Result<Connection, Failure> {
        let mut waits = LOCAL_WAITS.iter();
        let connection = loop {
            let rest = end.since(self.clock.now());
            let opened = tokio::time::timeout(rest, self.connector.connect(target, http1)).await;
            match (opened.map_err(|_| Failure::WholeTimeout)?, waits.next()) {
                (Err(Failure::Local(lack)), Some(wait)) if lack.is_of_sockets() => {
                    self.pool.clear();
                    self.clock.sleep(*wait).await;
                }
                (opened, _) => break opened?,
            }
        };
        // A multiplexed connection is available to other exchanges at once.
        if let Some(shared) = connection.share() {
            self.pool.put(target.origin, shared, self.clock.now());
        }
        Ok(connection)
    }

    /// Sends the request on `connection` and waits for the head of the response.
    async fn exchange(
        &self,
        request: &Request,
        target: &Target<'_>,
        connection: &mut Connection,
        timer: &mut Timer<'_>,
        progress: &mut Progress,
    ) -> Result<Response<Incoming>, Failure> {
        let version = connection.version();
        let may_log_in = request.initiator.permits(target.origin);
        let cookies = if may_log_in { self.cookies.header(target, timer.now()) } else { None };
        progress.request_headers = self.headers.of(request, target, version, cookies);
        let signer = self.signer.as_deref();
        let method = if request.body.is_some() { http::Method::POST } else { http::Method::GET };
        let now = self.clock.calendar();
        let signed = signer.map(|signer| signer.sign(method.as_str(), target, &mut progress.request_headers, now));
        progress.signature.reason = signed.as_ref().and_then(|signed| signed.reason);
        let mut message = self.message(target, version, progress.request_headers.clone());
        *message.method_mut() = method;
        if let Some(body) = &request.body {
            *message.body_mut() = body.bytes.clone().into();
        }
        let is_h2 = version == http::Version::HTTP_2;
        let head = tokio::select! {
            biased;
            head = connection.send(message) => head.map_err(|error| {
                progress.unsent = error.is_canceled();
                progress.remedy = Remedy::of_error(&error);
                failure::of_exchange(&error, is_h2)
            }),
            () = timer.fired() => Err(Failure::FirstByteTimeout),
        };
        let now = timer.now();
        match &head {
            Ok(response) => {
                progress.first_byte = Some(now);
                if let (Some(signer), Some(signed)) = (signer, &signed) {
                    let heard = Heard { status: response.status().as_u16(), headers: response.headers() };
                    progress.signature = signer.note(target, &heard, signed, self.clock.calendar());
                }
            }
            Err(Failure::FirstByteTimeout) if now >= timer.end => return Err(Failure::WholeTimeout),
            Err(_) => {}
        }
        head
    }

    fn message(
        &self,
        target: &Target<'_>,
        version: http::Version,
        mut headers: HeaderMap,
    ) -> http::Request<RequestBody> {
        let absolute = self.connector.proxy().is_some_and(|proxy| proxy.takes_absolute_form(target.https));
        if absolute {
            self.headers.for_proxy(&mut headers);
        }
        let mut message = http::Request::new(RequestBody::default());
        *message.uri_mut() = target.request_target(version, absolute);
        *message.headers_mut() = headers;
        message
    }

    /// Reads the body within the limits, and returns the connection to the pool if it can be reused.
    async fn answer(
        &self,
        request: &Request,
        target: &Target<'_>,
        response: Response<Incoming>,
        connection: Connection,
        timer: &mut Timer<'_>,
    ) -> Result<Answer, Failure> {
        let (head, incoming) = response.into_parts();
        if request.initiator.permits(target.origin) {
            self.cookies.store(target, &head.headers, timer.now());
        }
        let content_type = ContentType::field_of(&head.headers);
        let wanted = request.accept == Accept::All || self.types.wants(content_type);
        if redirect::target(head.status.as_u16(), &head.headers).is_some() {
            // All that matters is in the head, and some servers never end what follows.
            timer.end_within(REDIRECT_BODY_TIME);
        }
        let (bytes, truncated, whole, reservation) = if is_bodiless(head.status) {
            (Bytes::new(), None, incoming.is_end_stream(), None)
        } else if wanted {
            let max = request.body_max.unwrap_or(self.body_max);
            let read = body::read(incoming, max, &self.places, timer).await;
            (read.bytes, read.truncated, read.truncated.is_none(), read.place.map(BodyReservation::new))
        } else {
            let nothing = incoming.is_end_stream();
            let drained = body::drain(incoming, DRAIN_MAX, timer).await;
            (Bytes::new(), (!nothing).then_some(Truncation::UnwantedType), drained, None)
        };
        let remote = connection.remote;
        if whole {
            self.recycle(target, connection);
        }
        if let (true, 200..=299, Some(failure)) = (bytes.is_empty(), head.status.as_u16(), empty_failure(truncated)) {
            return Err(failure);
        }
        let status = head.status.as_u16();
        Ok(Answer { status, version: head.version, headers: head.headers, body: bytes, truncated, remote, reservation })
    }

    fn recycle(&self, target: &Target<'_>, mut connection: Connection) {
        let is_h2 = connection.share().is_some();
        if !is_h2 {
            let now = self.clock.now();
            connection.used = now;
            connection.reused = true;
            self.pool.put(target.origin, connection, now);
        }
    }
}

/// How long the body of a redirect is waited for, in all. One that takes longer is cut, with its connection.
const REDIRECT_BODY_TIME: Duration = Duration::from_millis(500);

/// Returns whether a response ends with its head, whatever the head says (RFC 9110, sections 15.3.5 and 15.4.5). hyper
/// knows it in HTTP/1; in HTTP/2, a server may leave the stream open.
const fn is_bodiless(status: StatusCode) -> bool {
    matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
}

/// Returns the failure of a successful response whose body broke off before its first byte, which is worth a retry. For
/// any other response (a redirect, an error) the head is enough.
fn empty_failure(truncated: Option<Truncation>) -> Option<Failure> {
    match truncated? {
        Truncation::Time => Some(Failure::WholeTimeout),
        Truncation::Disconnect => Some(Failure::Disconnected),
        Truncation::Length | Truncation::UnwantedType => None,
    }
}
