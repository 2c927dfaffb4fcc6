//! A server that follows a script, byte by byte, and the client to ask it with.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use harvestman::clock::Clock;
use harvestman::config::{ByteSize, FetchOptions, Period};
use harvestman::fetch::{Client, ClientBounds, Request, Trust};
use harvestman::model::{Answer, Exchange, Failure};
use harvestman::url::CanonicalUrl;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What a server has seen, shared with its test.
#[derive(Default)]
pub struct Seen {
    connections: AtomicUsize,
    bytes_sent: AtomicUsize,
    requests: Mutex<Vec<String>>,
}

/// A scripted server; it ends with its test.
pub struct Server {
    pub address: SocketAddr,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

/// The server's side of one connection.
pub struct Peer {
    pub stream: TcpStream,
    seen: Arc<Seen>,
}

impl Server {
    /// Runs `script` on every connection.
    pub async fn start<F, S>(script: S) -> Self
    where
        S: Fn(Peer) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let shared = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(script(Peer { stream, seen: Arc::clone(&shared) }));
            }
        });
        Self { address, seen, task }
    }

    /// Answers the first request of every connection with `answer`, and closes.
    pub async fn once(answer: impl AsRef<[u8]> + Clone + Send + Sync + 'static) -> Self {
        Self::start(move |mut peer| {
            let answer = answer.clone();
            async move {
                peer.request().await;
                peer.send(&answer).await;
            }
        })
        .await
    }

    /// Answers every request with `answer`.
    pub async fn always(answer: impl AsRef<[u8]> + Clone + Send + Sync + 'static) -> Self {
        Self::start(move |mut peer| {
            let answer = answer.clone();
            async move { while peer.request().await.is_some() && peer.send(&answer).await {} }
        })
        .await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub fn bytes_sent(&self) -> usize {
        self.seen.bytes_sent.load(Ordering::SeqCst)
    }

    /// The heads of all requests, as they came.
    pub fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Peer {
    /// Reads the head of a request; none where the connection ended.
    pub async fn request(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let byte = self.stream.read_u8().await.ok()?;
            head.push(byte);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        self.seen.requests.lock().push(head.clone());
        Some(head)
    }

    /// Whether the other side still takes bytes.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        let sent = self.stream.write_all(bytes.as_ref()).await.is_ok();
        self.seen.bytes_sent.fetch_add(if sent { bytes.as_ref().len() } else { 0 }, Ordering::SeqCst);
        sent
    }

    /// Sends `bytes` again and again, until nobody listens any more (or 20 s have passed, which no test allows).
    pub async fn flood(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = tokio::time::timeout(Duration::from_secs(20), async { while self.send(&bytes).await {} }).await;
    }

    /// Sends `bytes` again and again, with a pause.
    pub async fn drip(&mut self, bytes: impl AsRef<[u8]>, pause: Duration) {
        while self.send(&bytes).await {
            tokio::time::sleep(pause).await;
        }
    }

    /// Ends the connection by a reset.
    pub fn reset(self) {
        self.stream.set_zero_linger().unwrap();
    }

    /// Keeps the connection and says nothing more.
    pub async fn stall(self) {
        tokio::time::sleep(Duration::from_secs(20)).await;
    }
}

/// Settings with short times, which let loopback be fetched.
pub fn quick() -> FetchOptions {
    FetchOptions {
        connect_timeout: Period::millis(300),
        first_byte_timeout: Period::millis(400),
        whole_timeout: Period::millis(1_000),
        body_max: ByteSize(100_000),
        private_addresses: true,
        ..Default::default()
    }
}

pub fn client_with(options: &FetchOptions, trust: Trust) -> Client {
    Client::new(options, Clock::system(), trust).unwrap()
}

/// A client with these bounds.
pub fn client_within(bounds: ClientBounds, options: &FetchOptions) -> Client {
    Client::bounded(options, bounds, None, Clock::system(), Trust::default()).unwrap()
}

pub fn client(options: &FetchOptions) -> Client {
    client_with(options, Trust::default())
}

/// Fetches, and holds the exchange to what every exchange promises.
pub async fn exchange(client: &Client, request: &Request) -> Exchange {
    let exchange = tokio::time::timeout(Duration::from_secs(5), client.fetch(request)).await;
    let exchange = exchange.expect("an exchange ends in time, whatever happens");
    assert_eq!(exchange.url, request.url);
    let timings = exchange.timings;
    assert!(timings.started <= timings.ended);
    assert!(timings.first_byte.is_none_or(|at| timings.started <= at && at <= timings.ended));
    assert!(exchange.result.is_err() || timings.first_byte.is_some());
    exchange
}

pub fn page(url: &str) -> Request {
    Request::page(CanonicalUrl::from_canonical(url))
}

pub async fn get_with(client: &Client, url: &str) -> Result<Answer, Failure> {
    exchange(client, &page(url)).await.result
}

/// Fetches with a client of its own.
pub async fn get(url: &str) -> Result<Answer, Failure> {
    get_with(&client(&quick()), url).await
}

/// What comes of a server that answers with these bytes and closes.
pub async fn answered(bytes: impl AsRef<[u8]> + Clone + Send + Sync + 'static) -> Result<Answer, Failure> {
    let server = Server::once(bytes).await;
    get(&server.url("/")).await
}
