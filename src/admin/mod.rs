//! The HTTP server for people and programs that watch a crawl: `/metrics` (Prometheus' text format), `/api/status` (JSON) and
//! `/healthz`. It only reads, and asks nobody who they are: it belongs on addresses that only trusted people reach.

mod control;

use std::future::IntoFuture;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::metrics::{self, Metrics};
use crate::report::{CrawlStatus, StopFlag};

pub use control::{ControlSocket, Controls, SOCKET};

/// How long a client that is being answered keeps the server from ending.
const GRACE: Duration = Duration::from_secs(1);

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

/// Where the server gets a snapshot of the crawl.
pub type StatusProvider = Arc<dyn Fn() -> CrawlStatus + Send + Sync>;

#[derive(Clone)]
struct Sources {
    metrics: Metrics,
    status: StatusProvider,
}

/// A running server.
#[derive(Debug)]
pub struct Admin {
    address: SocketAddr,
    stop: StopFlag,
    task: JoinHandle<()>,
}

impl Admin {
    /// Listens on `listen` (`ADDR:PORT`; port 0 takes a free one) and answers in a task of its own on the current runtime.
    pub async fn start(listen: &str, metrics: Metrics, status: StatusProvider) -> Result<Self, Error> {
        let bind = async {
            let listener = TcpListener::bind(listen).await?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = bind.await.map_err(|source| Error::Bind { listen: listen.to_owned(), source })?;
        let stop = StopFlag::new();
        let asked = stop.clone();
        let server = axum::serve(listener, router(Sources { metrics, status }))
            .with_graceful_shutdown(async move { asked.wait().await })
            .into_future();
        let task = tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::warn!(%error, "the metrics server has ended");
            }
        });
        Ok(Self { address, stop, task })
    }

    /// The address that is listened on.
    pub fn address(&self) -> SocketAddr {
        self.address
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
        .route("/metrics", get(encoded))
        .route("/api/status", get(|State(sources): State<Sources>| async move { Json((sources.status)()) }))
        .route("/healthz", get(|| async { "ok\n" }))
        .with_state(sources)
}

async fn encoded(State(sources): State<Sources>) -> impl IntoResponse {
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], sources.metrics.encode())
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    async fn start(metrics: Metrics) -> Admin {
        let status: StatusProvider = Arc::new(|| CrawlStatus { pages: 7, ..CrawlStatus::default() });
        Admin::start("127.0.0.1:0", metrics, status).await.unwrap()
    }

    /// The head and the body of the answer.
    async fn get(admin: &Admin, path: &str) -> (String, String) {
        let mut stream = TcpStream::connect(admin.address()).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_lowercase(), body.to_owned())
    }

    #[tokio::test]
    async fn metrics_status_and_health_are_served_and_nothing_else() {
        let metrics = Metrics::new();
        let admin = start(metrics.clone()).await;
        metrics.crawl.pages.add(3);
        let (head, body) = get(&admin, "/metrics").await;
        assert!(head.contains("content-type: text/plain; version=0.0.4"), "{head}");
        assert!(body.contains("\nharvestman_crawl_pages_total 3\n"), "{body}");
        let (head, body) = get(&admin, "/api/status").await;
        assert!(head.contains("content-type: application/json"), "{head}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&body).unwrap()["pages"], 7);
        assert_eq!(get(&admin, "/healthz").await.1, "ok\n");
        assert!(get(&admin, "/elsewhere").await.0.starts_with("http/1.1 404"));
        admin.stop().await;
    }

    #[tokio::test]
    async fn an_address_in_use_is_an_error_that_names_it() {
        let admin = start(Metrics::new()).await;
        let taken = admin.address().to_string();
        let error = Admin::start(&taken, Metrics::new(), Arc::new(CrawlStatus::default)).await.unwrap_err();
        assert!(error.to_string().contains(&taken), "{error}");
        admin.stop().await;
    }

    #[tokio::test]
    async fn a_client_that_never_asks_does_not_keep_the_server_from_ending() {
        let admin = start(Metrics::new()).await;
        let address = admin.address();
        let silent = TcpStream::connect(address).await.unwrap();
        tokio::time::timeout(GRACE * 5, admin.stop()).await.expect("the server ends within its grace");
        drop(silent);
    }
}
