//! Establishes connections: resolve, guard, dial, tunnel, TLS, each with its own time-out and its own failure. TLS is
//! rustls with ring, the built-in roots and the configured ones.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use hyper::client::conn::{http1, http2};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::Connection as _;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower_service::Service;

use super::bounds::ClientBounds;
use super::connection::{Connection, Ready, Sender, Wire};
use super::failure;
use super::proxy::Proxy;
use super::resolve::Resolver;
use super::target::Target;
use harvestman_core::clock::Clock;
use harvestman_core::config::FetchOptions;
use harvestman_core::model::{Failure, LocalFailure};

type Stream = MaybeHttpsStream<TokioIo<Wire>>;

/// Opens connections.
pub(super) struct Connector {
    clock: Clock,
    resolver: Resolver,
    proxy: Option<Proxy>,
    tls: Arc<ClientConfig>,
    /// The same without HTTP/2.
    tls_http1: Arc<ClientConfig>,
    /// Of each step.
    timeout: Duration,
    heads_max: u64,
    h1: http1::Builder,
    h2: http2::Builder<TokioExecutor>,
}

impl Connector {
    pub(super) fn new(
        options: &FetchOptions,
        bounds: ClientBounds,
        clock: Clock,
        resolver: Resolver,
        proxy: Option<Proxy>,
        tls: Arc<ClientConfig>,
    ) -> Self {
        let (h1, h2) = (h1_builder(bounds), h2_builder(bounds));
        let heads_max = (bounds.head_max.max(READ_BUFFER_MIN) as u64).saturating_mul(HEADS_MAX);
        let mut without_http2 = (*tls).clone();
        without_http2.alpn_protocols = vec![b"http/1.1".to_vec()];
        let tls_http1 = Arc::new(without_http2);
        Self { clock, resolver, proxy, tls, tls_http1, timeout: options.connect_timeout.0, heads_max, h1, h2 }
    }

    pub(super) fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    pub(super) fn proxy(&self) -> Option<&Proxy> {
        self.proxy.as_ref()
    }

    /// Opens a new connection to `target`. `http1`: one that does not speak HTTP/2.
    pub(super) async fn connect(&self, target: &Target<'_>, http1: bool) -> Result<Connection, Failure> {
        let wire = match &self.proxy {
            Some(proxy) => self.by_proxy(proxy, target).await?,
            None => self.dial(&self.resolver.addresses(target.host(), target.port).await?).await?,
        };
        let remote = if self.proxy.is_none() { wire.peer() } else { None };
        let reading = wire.reading();
        let io = TokioIo::new(wire);
        let stream = if target.https { self.handshake(io, target, http1).await? } else { MaybeHttpsStream::Http(io) };
        let sender = self.speak(stream).await.map_err(|error| failure::of_exchange(&error, target.https))?;
        Ok(Connection {
            sender,
            remote,
            used: self.clock.now(),
            reused: false,
            reading,
            read_before: 0,
            heads_max: self.heads_max,
            tls: target.https,
        })
    }

    async fn by_proxy(&self, proxy: &Proxy, target: &Target<'_>) -> Result<Wire, Failure> {
        match proxy.resolves_alone() {
            true => self.resolver.check_name(target.host())?,
            false => self.resolver.check_proxied(target.host()).await?,
        }
        let addresses = self.resolver.proxy_addresses(proxy.host(), proxy.port()).await?;
        let wire = self.dial(&addresses).await.map_err(|failure| match failure {
            Failure::Local(_) => failure,
            _ => Failure::Local(LocalFailure::Proxy),
        })?;
        if proxy.takes_absolute_form(target.https) {
            return Ok(wire);
        }
        let uri = target.with_port().ok_or(Failure::Internal)?;
        let tunnel = timeout(self.timeout, proxy.tunnel(TokioIo::new(wire), uri)).await;
        tunnel.map_err(|_| Failure::ConnectTimeout)?.map(TokioIo::into_inner)
    }

    /// Tries the addresses in turn. Each gets an equal share of the remaining time, so that one unresponsive address
    /// does not use up the time of the others. Where this machine lacks something, no other address is tried, because
    /// the failure of the last one would hide it.
    async fn dial(&self, addresses: &[SocketAddr]) -> Result<Wire, Failure> {
        let until = self.clock.now() + self.timeout;
        let mut failure = Failure::Dns;
        for (address, left_to_try) in addresses.iter().zip((1..=addresses.len()).rev()) {
            let share = until.since(self.clock.now()) / u32::try_from(left_to_try).unwrap_or(u32::MAX);
            match timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // A failure costs only latency.
                    let _ = stream.set_nodelay(true);
                    return Ok(Wire::new(stream));
                }
                Ok(Err(error)) => match failure::of_connect(&error, *address) {
                    Some(lack) => return Err(Failure::Local(lack)),
                    None => failure = Failure::Connect,
                },
                Err(_) => failure = Failure::ConnectTimeout,
            }
        }
        Err(failure)
    }

    async fn handshake(&self, io: TokioIo<Wire>, target: &Target<'_>, http1: bool) -> Result<Stream, Failure> {
        let tls = if http1 { &self.tls_http1 } else { &self.tls };
        let uri: Uri = target.with_port().ok_or(Failure::Internal)?;
        let mut https = HttpsConnector::from((Ready::new(io), Arc::clone(tls)));
        match timeout(self.timeout, https.call(uri)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(error)) => Err(failure::of_handshake(&*error)),
            Err(_) => Err(Failure::TlsTimeout),
        }
    }

    /// Starts HTTP on a stream, in the version that ALPN negotiated. hyper's task ends with the connection, and the
    /// connection with its last sender and response.
    async fn speak(&self, stream: Stream) -> Result<Sender, hyper::Error> {
        if stream.connected().is_negotiated_h2() {
            let (sender, connection) = self.h2.handshake(stream).await?;
            // The exchanges on the connection receive its errors.
            tokio::spawn(async move { connection.await.unwrap_or_default() });
            Ok(Sender::H2(sender))
        } else {
            let (sender, connection) = self.h1.handshake(stream).await?;
            tokio::spawn(async move { connection.await.unwrap_or_default() });
            Ok(Sender::H1(sender))
        }
    }
}

/// The smallest read buffer that hyper accepts.
const READ_BUFFER_MIN: usize = 8_192;
/// The maximum number of bytes before the head of a response is complete, as a multiple of the largest head (or read
/// buffer). Includes informational responses and what was read ahead of the body.
const HEADS_MAX: u64 = 16;

fn h1_builder(bounds: ClientBounds) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .max_headers(bounds.headers_max)
        .max_header_size(bounds.head_max)
        .max_buf_size(bounds.head_max.max(READ_BUFFER_MIN))
        .title_case_headers(true)
        // Deviations that browsers tolerate: sites are tested with browsers.
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .ignore_invalid_headers_in_responses(true);
    builder
}

fn h2_builder(bounds: ClientBounds) -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder.timer(TokioTimer::new()).max_header_list_size(u32::try_from(bounds.head_max).unwrap_or(u32::MAX));
    builder
}

/// Returns the configuration of all connections of a client. Appends errors in the settings to `errors`.
pub(super) fn tls_config(options: &FetchOptions, errors: &mut Vec<String>) -> Option<Arc<ClientConfig>> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if !options.ca_file.is_empty() {
        add_authorities(&options.ca_file, &mut roots, errors);
    }
    // The provider is explicit: with two in the dependency tree, rustls' default choice would panic.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = match builder {
        Ok(builder) => builder.with_root_certificates(roots).with_no_client_auth(),
        Err(error) => {
            errors.push(format!("fetch: TLS cannot be set up: {error}"));
            return None;
        }
    };
    config.alpn_protocols =
        if options.http2 { vec![b"h2".to_vec(), b"http/1.1".to_vec()] } else { vec![b"http/1.1".to_vec()] };
    Some(Arc::new(config))
}

fn add_authorities(file: &str, roots: &mut RootCertStore, errors: &mut Vec<String>) {
    let wrong = |why: &dyn std::fmt::Display| format!("fetch.ca_file: `{file}` cannot be used: {why}");
    let certificates = match CertificateDer::pem_file_iter(file) {
        Ok(certificates) => certificates,
        Err(error) => return errors.push(wrong(&error)),
    };
    let before = roots.len();
    for certificate in certificates {
        let added =
            certificate.map_err(|error| wrong(&error)).and_then(|der| roots.add(der).map_err(|error| wrong(&error)));
        if let Err(error) = added {
            errors.push(error);
        }
    }
    if roots.len() == before && errors.is_empty() {
        errors.push(wrong(&"it contains no certificate in PEM format"));
    }
}
