//! The HTTP server for monitoring and control of a crawl: `/metrics` (Prometheus' text format) and `/healthz`, which
//! reveal nothing about what is crawled and are open to everyone who can reach them; the live page at `/` and its data
//! (`/api/status`, `/api/live`, `/api/events`, `/api/posts`); and commands to the crawl (`POST /api/COMMAND`).
//! [`Guard`] restricts access to the page, its data and commands.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod control;
mod guard;
mod orders;
mod page;
mod relay;
mod server;
mod watch;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path as Named, Query, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use harvestman_core::config::MetricsOptions;
use harvestman_metrics as metrics;
use harvestman_metrics::Metrics;
use harvestman_report::live::Live;
use harvestman_report::{CrawlStatus, StopFlag};

pub use control::{ControlSocket, SOCKET};
pub use guard::{Guard, Names, Refusal};
use orders::{AskedPage, Orders, Pages};
pub use orders::{Controls, PageViews, StatusProvider};
use page::PAGE;
pub use relay::Relay;
pub use server::{Peer, serve};
use watch::Views;

/// Why the server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server cannot listen on the address.
    #[error("cannot listen on {listen} for metrics: {source}; choose another address with --metrics")]
    Bind {
        /// The address as configured.
        listen: String,
        /// The cause.
        source: std::io::Error,
    },
}

/// The parts of a crawl that the server exposes.
#[derive(Clone)]
pub struct Served {
    /// Its metrics.
    pub metrics: Metrics,
    /// The channel of its views.
    pub live: Live,
    /// Its controls.
    pub controls: Controls,
    /// The crawl directory, where commands are recorded.
    pub directory: PathBuf,
    /// Shows what fetched pages are taken as; `None` if the crawl keeps no pages.
    pub page_views: Option<PageViews>,
}

#[derive(Clone)]
struct Sources {
    metrics: Metrics,
    views: Views,
    orders: Orders,
    pages: Pages,
    guard: Arc<Guard>,
}

/// A running server.
#[derive(Debug)]
pub struct Admin {
    address: SocketAddr,
    guard: Arc<Guard>,
    stop: StopFlag,
    task: JoinHandle<()>,
}

impl Admin {
    /// Listens as `options` specify (port 0 selects a free port) and serves in its own task on the current runtime.
    /// `token` authorises commands if the options contain no token.
    ///
    /// # Errors
    /// The server cannot listen on the address.
    pub async fn start(options: &MetricsOptions, served: Served, token: String) -> Result<Self, Error> {
        let listen = &options.listen;
        let bind = async {
            let listener = TcpListener::bind(listen).await?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = bind.await.map_err(|source| Error::Bind { listen: listen.clone(), source })?;
        let guard = Arc::new(Guard::new(address.ip(), &options.token, token, &options.names));
        let sources = Sources {
            metrics: served.metrics,
            views: Views::new(served.live),
            orders: Orders::new(&served.directory, served.controls),
            pages: Pages::new(served.page_views),
            guard: Arc::clone(&guard),
        };
        let stop = StopFlag::new();
        let task = tokio::spawn(serve(listener, TowerToHyperService::new(router(sources)), stop.clone()));
        Ok(Self { address, guard, stop, task })
    }

    /// Returns the address of the server.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the live page's address, including the token if it was generated; `None` if the page is not served.
    pub fn page(&self) -> Option<String> {
        self.guard.page(self.address)
    }

    /// Stops the server; responses in progress get one second to finish.
    pub async fn stop(self) {
        self.stop.request();
        // It does not panic, and nobody aborts it.
        let _ = self.task.await;
    }
}

fn router(sources: Sources) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/metrics", get(figures))
        .route("/healthz", get(health))
        .route("/api/status", get(status))
        .route("/api/live", get(newest))
        .route("/api/events", get(events))
        .route("/api/posts", get(posts))
        .route("/api/{command}", post(run_command))
        .with_state(sources)
}

fn encoded(metrics: &Metrics) -> Response {
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics.encode()).into_response()
}

async fn figures(State(sources): State<Sources>, headers: HeaderMap) -> Result<Response, Refusal> {
    sources.guard.may_measure(&headers)?;
    Ok(encoded(&sources.metrics))
}

async fn health(State(sources): State<Sources>, headers: HeaderMap) -> Result<&'static str, Refusal> {
    sources.guard.may_measure(&headers)?;
    Ok("ok\n")
}

async fn page(State(sources): State<Sources>, headers: HeaderMap) -> Result<Response, Refusal> {
    page_for(&sources.guard, &headers)
}

/// Returns the live page if the guard allows it.
fn page_for(guard: &Guard, headers: &HeaderMap) -> Result<Response, Refusal> {
    guard.may_open(headers)?;
    let more = [
        (CONTENT_SECURITY_POLICY, PAGE.policy.clone()),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((more, Html(PAGE.html.as_str())).into_response())
}

async fn status(State(sources): State<Sources>, headers: HeaderMap) -> Result<Json<CrawlStatus>, Refusal> {
    sources.guard.may_read(&headers)?;
    Ok(Json((sources.orders.controls.status)()))
}

async fn newest(State(sources): State<Sources>, headers: HeaderMap) -> Result<Response, Refusal> {
    sources.guard.may_read(&headers)?;
    sources.views.newest().await
}

async fn events(State(sources): State<Sources>, headers: HeaderMap) -> Result<Response, Refusal> {
    sources.guard.may_read(&headers)?;
    sources.views.stream()
}

async fn posts(
    State(sources): State<Sources>,
    headers: HeaderMap,
    Query(asked): Query<AskedPage>,
) -> Result<Response, Refusal> {
    sources.guard.may_read(&headers)?;
    sources.pages.view(asked).await
}

async fn run_command(
    State(sources): State<Sources>,
    Named(command): Named<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<String, Refusal> {
    sources.guard.may_change(&headers)?;
    let json = headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    if !body.is_empty() && !json {
        return Err((
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "arguments must be a JSON list (application/json)\n".to_owned(),
        ));
    }
    sources.orders.carry_out(&command, &body).await
}

#[cfg(test)]
mod tests;
