//! The live page of a crawl that was started without one: a server in another process of the same user, which forwards
//! the requests that its [`Guard`] allows to the crawl's control socket.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, UnixStream};

use super::guard::{Guard, Refusal};
use super::{Error, SOCKET, page_for, serve};
use harvestman_core::config::MetricsOptions;
use harvestman_report::StopFlag;

/// The server of a live page that forwards requests.
pub struct Relay {
    listener: TcpListener,
    guard: Arc<Guard>,
    socket: PathBuf,
}

#[derive(Clone)]
struct Sources {
    guard: Arc<Guard>,
    socket: PathBuf,
}

impl Relay {
    /// Listens as `options` specify, for the crawl in `directory`. `token` authorises commands if the options contain
    /// no token.
    ///
    /// # Errors
    /// The server cannot listen on the address.
    pub async fn listen(options: &MetricsOptions, directory: &Path, token: String) -> Result<Self, Error> {
        let listen = &options.listen;
        let listener = TcpListener::bind(listen).await;
        let listener = listener.map_err(|source| Error::Bind { listen: listen.clone(), source })?;
        let address = listener.local_addr().map_err(|source| Error::Bind { listen: listen.clone(), source })?;
        let guard = Arc::new(Guard::new(address.ip(), &options.token, token, &options.names));
        Ok(Self { listener, guard, socket: directory.join(SOCKET) })
    }

    /// Returns the page's address, including the token if it was generated; `None` if the page is not served.
    pub fn page(&self) -> Option<String> {
        let address = self.listener.local_addr().ok()?;
        self.guard.page(address)
    }

    /// Serves until `stop` is requested.
    pub async fn serve(self, stop: StopFlag) {
        let sources = Sources { guard: self.guard, socket: self.socket };
        serve(self.listener, TowerToHyperService::new(router(sources)), stop).await;
    }
}

fn router(sources: Sources) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/api/{what}", any(relay_request))
        .route("/metrics", get(relay_request))
        .route("/healthz", get(relay_request))
        .with_state(sources)
}

async fn page(State(sources): State<Sources>, headers: HeaderMap) -> Result<Response, Refusal> {
    page_for(&sources.guard, &headers)
}

async fn relay_request(State(sources): State<Sources>, request: Request) -> Result<Response, Refusal> {
    let is_open = !request.uri().path().starts_with("/api/");
    match *request.method() {
        _ if is_open => sources.guard.may_measure(request.headers())?,
        Method::GET | Method::HEAD => sources.guard.may_read(request.headers())?,
        _ => sources.guard.may_change(request.headers())?,
    }
    let answer = forward(&sources.socket, request).await;
    answer.map_err(|error| {
        (StatusCode::BAD_GATEWAY, format!("the crawl does not respond: it has ended or was killed ({error})\n"))
    })
}

async fn forward(socket: &Path, request: Request) -> Result<Response, Box<dyn std::error::Error + Send + Sync>> {
    let stream = UnixStream::connect(socket).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake::<_, Body>(TokioIo::new(stream)).await?;
    // The connection ends with the response, or when the client is gone.
    tokio::spawn(connection);
    Ok(sender.send_request(request).await?.into_response())
}
