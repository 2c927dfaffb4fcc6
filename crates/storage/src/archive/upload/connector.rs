//! HTTP for the storage client, with the same libraries and trust roots as the crawl's own fetches.

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt as _;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
    HttpService,
};

/// The connect timeout.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// The timeout from sending a request to the start of its answer. It is long because uploading a part over a slow
/// connection takes time.
const ANSWER_MAX: Duration = Duration::from_secs(300);

/// Creates HTTP clients.
#[derive(Debug)]
pub(super) struct Connector;

#[derive(Debug)]
struct Service(Client<HttpsConnector<TcpConnector>, HttpRequestBody>);

/// The answer did not start in time.
#[derive(Debug, thiserror::Error)]
#[error("no answer within {} s", ANSWER_MAX.as_secs())]
struct NoAnswer;

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let mut tcp = TcpConnector::new();
        tcp.set_connect_timeout(Some(CONNECT_MAX));
        tcp.set_nodelay(true);
        tcp.enforce_http(false);
        let tls = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().wrap_connector(tcp);
        let mut client = Client::builder(TokioExecutor::new());
        Ok(HttpClient::new(Service(client.pool_timer(TokioTimer::new()).build(tls))))
    }
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answer = tokio::time::timeout(ANSWER_MAX, self.0.request(request)).await;
        let answer = answer.map_err(|_| HttpError::new(HttpErrorKind::Timeout, NoAnswer))?;
        let answer = answer.map_err(|error| {
            let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Interrupted };
            HttpError::new(kind, error)
        })?;
        let interrupted = |error| HttpError::new(HttpErrorKind::Interrupted, error);
        Ok(answer.map(|body| HttpResponseBody::new(body.map_err(interrupted))))
    }
}
