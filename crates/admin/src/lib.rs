//! The HTTP server for people and programs that watch a crawl: `/metrics` (Prometheus' text format) and `/healthz`, which tell nothing
//! of what is crawled and are open to all who reach them; the live page at `/`, what it reads (`/api/status`, `/api/live`,
//! `/api/events`), and what it tells the crawl (`POST /api/COMMAND`), for which [`Guard`] says who may.

mod control;
mod guard;
mod orders;
mod page;
mod relay;
mod watch;

use std::future::IntoFuture;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path as Named, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use harvestman_core::config::MetricsOptions;
use harvestman_metrics::{self as metrics, Metrics};
use harvestman_report::live::Live;
use harvestman_report::{CrawlStatus, StopFlag};

pub use control::{ControlSocket, SOCKET};
pub use guard::{Guard, Refused};
use orders::Orders;
pub use orders::{Controls, StatusProvider};
use page::PAGE;
pub use relay::Relay;
use watch::Views;

/// How long a client that is being answered keeps the server from ending.
const GRACE: Duration = Duration::from_secs(1);
/// Bytes of a command's arguments.
const BODY_MAX: usize = 64 * 1024;

/// Why the server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address cannot be listened on.
    #[error("cannot listen on {listen} for metrics: {source}; choose another address with --metrics")]
    Bind {
        /// The address as configured.
        listen: String,
        /// Why not.
        source: std::io::Error,
    },
}

/// What there is to serve of a crawl.
#[derive(Clone)]
pub struct Served {
    /// Its metrics.
    pub metrics: Metrics,
    /// Where its views are shown.
    pub live: Live,
    /// What it can be told.
    pub controls: Controls,
    /// The crawl directory, which records what was told.
    pub directory: PathBuf,
}

#[derive(Clone)]
struct Sources {
    metrics: Metrics,
    views: Views,
    orders: Orders,
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
    /// Listens as `options` say (port 0 takes a free one) and answers in a task of its own on the current runtime. `token`: that of
    /// those who tell the crawl something, where none is set.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub async fn start(options: &MetricsOptions, served: Served, token: String) -> Result<Self, Error> {
        let listen = &options.listen;
        let bind = async {
            let listener = TcpListener::bind(listen).await?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = bind.await.map_err(|source| Error::Bind { listen: listen.clone(), source })?;
        let guard = Arc::new(Guard::new(address.ip(), (&options.token, token), &options.names));
        let sources = Sources {
            metrics: served.metrics,
            views: Views::new(served.live),
            orders: Orders::new(&served.directory, served.controls),
            guard: Arc::clone(&guard),
        };
        let stop = StopFlag::new();
        let asked = stop.clone();
        let server = axum::serve(listener, router(sources))
            .with_graceful_shutdown(async move { asked.wait().await })
            .into_future();
        let task = tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::warn!(%error, "the metrics server has ended");
            }
        });
        Ok(Self { address, guard, stop, task })
    }

    /// The address that is listened on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The live page's address, with the token if that was drawn; none where the page is not served.
    pub fn page(&self) -> Option<String> {
        self.guard.page(self.address)
    }

    /// Ends the server; answers that are under way get a moment to finish.
    pub async fn stop(mut self) {
        self.stop.request();
        if tokio::time::timeout(GRACE, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

fn router(sources: Sources) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/metrics", get(|State(sources): State<Sources>| async move { encoded(&sources.metrics) }))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/api/status", get(status))
        .route("/api/live", get(newest))
        .route("/api/events", get(events))
        .route("/api/{command}", post(tell))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .with_state(sources)
}

fn encoded(metrics: &Metrics) -> Response {
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics.encode()).into_response()
}

async fn page(State(sources): State<Sources>, headers: HeaderMap) -> Result<Response, Refused> {
    page_for(&sources.guard, &headers)
}

/// The live page, for those who may have it.
fn page_for(guard: &Guard, headers: &HeaderMap) -> Result<Response, Refused> {
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

async fn status(State(sources): State<Sources>, headers: HeaderMap) -> Result<Json<CrawlStatus>, Refused> {
    sources.guard.may_read(&headers)?;
    Ok(Json((sources.orders.controls.status)()))
}

async fn newest(State(sources): State<Sources>, headers: HeaderMap) -> Result<Response, Refused> {
    sources.guard.may_read(&headers)?;
    Ok(sources.views.newest().await)
}

async fn events(State(sources): State<Sources>, headers: HeaderMap) -> Result<Response, Refused> {
    sources.guard.may_read(&headers)?;
    Ok(sources.views.stream())
}

async fn tell(
    State(sources): State<Sources>,
    Named(command): Named<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<String, Refused> {
    sources.guard.may_change(&headers)?;
    let json = headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    if !body.is_empty() && !json {
        return Err((
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "arguments are a list in JSON (application/json)\n".to_owned(),
        ));
    }
    sources.orders.carry_out(&command, &body).await
}

#[cfg(test)]
mod tests;
