//! The control socket: a Unix socket in the crawl directory, through which other processes of the same user query the
//! status of the crawl, watch it, and send it commands: to pause, to resume, to stop, or to change something.

use std::future::IntoFuture;
use std::path::PathBuf;

use axum::body::Bytes;
use axum::extract::{Path as Named, Query, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use tokio::net::UnixListener;
use tokio::task::JoinHandle;

use super::orders::Orders;
use super::page_views::{AskedPage, Pages};
use super::watch::Views;
use super::{GRACE, Served, encoded};
use harvestman_metrics::Metrics;
use harvestman_report::StopFlag;

/// The name of the socket in the crawl directory.
pub const SOCKET: &str = "control.sock";

/// The listening socket; it is removed when this is dropped.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    stop: StopFlag,
    task: JoinHandle<()>,
}

impl ControlSocket {
    /// Listens in the crawl directory, which belongs to this process alone, and serves in its own task on the current
    /// runtime.
    pub fn listen(served: Served) -> std::io::Result<Self> {
        let path = served.directory.join(SOCKET);
        // A killed run leaves its socket behind.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        let stop = StopFlag::new();
        let asked = stop.clone();
        let server = axum::serve(listener, router(served))
            .with_graceful_shutdown(async move { asked.wait().await })
            .into_future();
        let task = tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::warn!(%error, "control socket failed");
            }
        });
        Ok(Self { path, stop, task })
    }

    /// Stops serving; responses in progress get one second to finish.
    pub async fn close(mut self) {
        // Later clients find no server.
        let _ = std::fs::remove_file(&self.path);
        self.stop.request();
        let _ = tokio::time::timeout(GRACE, &mut self.task).await;
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        self.task.abort();
        let _ = std::fs::remove_file(&self.path);
    }
}

#[derive(Clone)]
struct Sources {
    metrics: Metrics,
    orders: Orders,
    views: Views,
    pages: Pages,
}

/// No further checks: whoever may open the socket may do everything.
fn router(served: Served) -> Router {
    let Served { metrics, live, controls, directory, page_views } = served;
    let sources = Sources {
        metrics,
        views: Views::new(live),
        orders: Orders::new(&directory, controls),
        pages: Pages::new(page_views),
    };
    let carry_out = |Named(command): Named<String>, State(sources): State<Sources>, body: Bytes| async move {
        sources.orders.carry_out(&command, &body).await
    };
    let posts =
        |State(sources): State<Sources>, Query(asked): Query<AskedPage>| async move { sources.pages.view(asked).await };
    Router::new()
        .route("/metrics", get(|State(sources): State<Sources>| async move { encoded(&sources.metrics) }))
        .route("/healthz", get(|| async { "ok\n" }))
        .route(
            "/api/status",
            get(|State(sources): State<Sources>| async move { Json((sources.orders.controls.status)()) }),
        )
        .route("/api/live", get(|State(sources): State<Sources>| async move { sources.views.newest().await }))
        .route("/api/events", get(|State(sources): State<Sources>| async move { sources.views.stream() }))
        .route("/api/posts", get(posts))
        .route("/api/{command}", post(carry_out))
        .with_state(sources)
}
