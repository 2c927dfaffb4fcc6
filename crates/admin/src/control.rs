//! The control socket: a Unix socket in the crawl directory, through which other processes of the same user query the
//! status of the crawl, watch it, and send it commands: to pause, to resume, to stop, or to change something.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use axum::body::Bytes;
use axum::extract::{Path as Named, Query, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use hyper_util::service::TowerToHyperService;
use tokio::net::UnixSocket;
use tokio::task::JoinHandle;

use super::orders::{AskedPage, Orders, Pages};
use super::watch::Views;
use super::{Served, encoded, serve};
use harvestman_metrics::Metrics;
use harvestman_report::StopFlag;

/// The name of the socket in the crawl directory.
pub const SOCKET: &str = "control.sock";
/// Maximum number of clients whose connections were not accepted yet.
const BACKLOG: u32 = 128;

/// The listening socket; it is removed when this is dropped.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    stop: StopFlag,
    task: JoinHandle<()>,
}

impl ControlSocket {
    /// Listens in the crawl directory, which belongs to this process alone, and serves in its own task on the current
    /// runtime. Only the user of this process may open the socket.
    pub fn listen(served: Served) -> std::io::Result<Self> {
        let path = served.directory.join(SOCKET);
        // A killed run leaves its socket behind.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let socket = UnixSocket::new_stream()?;
        socket.bind(&path)?;
        // Nobody can connect before it listens, so the mode that the umask gave it opens nothing.
        std::fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        let listener = socket.listen(BACKLOG)?;
        let stop = StopFlag::new();
        let task = tokio::spawn(serve(listener, TowerToHyperService::new(router(served)), stop.clone()));
        Ok(Self { path, stop, task })
    }

    /// Stops serving; responses in progress get one second to finish.
    pub async fn close(mut self) {
        // Later clients find no server.
        let _ = std::fs::remove_file(&self.path);
        self.stop.request();
        // It does not panic, and nobody aborts it.
        let _ = (&mut self.task).await;
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
