//! A server that follows a script, byte by byte.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// No script goes on for longer than this, whatever the crawl does.
const SCRIPT_MAX: Duration = Duration::from_secs(40);

/// A site on loopback; it closes with its test.
pub struct Site {
    pub address: SocketAddr,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    closed: AtomicBool,
    connections: AtomicUsize,
    requests: Mutex<Vec<String>>,
}

/// The site's side of one connection.
pub struct Peer {
    stream: TcpStream,
    /// Whether the last byte of the request's head was left unread: a connection that is closed like that is reset.
    unread: bool,
    /// The head of the request, as it came.
    pub head: String,
    until: Instant,
}

/// Whether the connection goes on.
pub enum Then {
    Keep,
    Close,
    Reset,
}

impl Site {
    /// Answers every request, robots.txt included, as `answer` does: it gets the request's target.
    pub fn scripted(answer: impl Fn(&str, &mut Peer) -> Then + Send + Sync + 'static) -> Self {
        Self::at(TcpListener::bind("127.0.0.1:0").unwrap(), answer)
    }

    /// The same at an address that is bound already.
    pub fn at(listener: TcpListener, answer: impl Fn(&str, &mut Peer) -> Then + Send + Sync + 'static) -> Self {
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let (shared, answer) = (Arc::clone(&seen), Arc::new(answer));
        thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                if shared.closed.load(Ordering::SeqCst) {
                    return;
                }
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let (seen, answer) = (Arc::clone(&shared), Arc::clone(&answer));
                thread::spawn(move || serve(stream, &seen, &*answer));
            }
        });
        Self { address, seen }
    }

    /// Has no robots.txt, a start page that links to `links` and to the healthy pages (`/ok/1` to `/ok/5`), and answers
    /// everything else as `hostile` does.
    pub fn with_links(links: &[&str], hostile: impl Fn(&str, &mut Peer) -> Then + Send + Sync + 'static) -> Self {
        let start = start_page(links);
        Self::scripted(move |target, peer| match target {
            "/" => peer.page(&start),
            "/robots.txt" => peer.answer("404 Not Found", "", b""),
            ok if ok.starts_with("/ok/") => peer.page("<title>healthy</title><p>fine</p>"),
            other => hostile(other, peer),
        })
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// The heads of all requests, as they came.
    pub fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().clone()
    }

    /// From now on nobody listens here.
    pub fn close(&self) {
        self.seen.closed.store(true, Ordering::SeqCst);
        // Wakes the listener up, so that it sees.
        let _ = TcpStream::connect(self.address);
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.close();
    }
}

/// A page that links to the healthy pages and to `links`.
pub fn start_page(links: &[&str]) -> String {
    let mut page = "<title>start</title>".to_owned();
    let healthy: Vec<String> = (1..=5).map(|n| format!("/ok/{n}")).collect();
    for link in links.iter().copied().chain(healthy.iter().map(String::as_str)) {
        page.push_str(&format!("<a href=\"{link}\">x</a>\n"));
    }
    page
}

fn serve(stream: TcpStream, seen: &Seen, answer: &(impl Fn(&str, &mut Peer) -> Then + ?Sized)) {
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(SCRIPT_MAX)).unwrap();
    stream.set_write_timeout(Some(SCRIPT_MAX)).unwrap();
    let mut peer = Peer { stream, unread: false, head: String::new(), until: Instant::now() + SCRIPT_MAX };
    while let Some(target) = peer.request() {
        seen.requests.lock().push(peer.head.clone());
        match answer(&target, &mut peer) {
            Then::Keep if !seen.closed.load(Ordering::SeqCst) => {}
            Then::Keep | Then::Close => break,
            Then::Reset => return,
        }
    }
    peer.read_rest();
}

impl Peer {
    /// Reads the head of a request but for its last byte; none where the connection ended.
    fn request(&mut self) -> Option<String> {
        self.read_rest();
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r") {
            self.stream.read_exact(&mut byte).ok()?;
            head.push(byte[0]);
        }
        self.unread = true;
        self.head = String::from_utf8_lossy(&head).into_owned();
        self.head.split(' ').nth(1).map(str::to_owned)
    }

    fn read_rest(&mut self) {
        if std::mem::take(&mut self.unread) {
            let _ = self.stream.read_exact(&mut [0]);
        }
    }

    /// The body of the request, as long as its head says.
    pub fn body(&mut self) -> Vec<u8> {
        self.read_rest();
        let length = self
            .head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        self.stream.read_exact(&mut body).unwrap();
        body
    }

    /// Whether the other side still takes bytes.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        Instant::now() < self.until && self.stream.write_all(bytes.as_ref()).is_ok()
    }

    /// A whole answer; `headers` are lines with their ends.
    pub fn answer(&mut self, status: &str, headers: &str, body: &[u8]) -> Then {
        let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        if self.send(head) && self.send(body) { Then::Keep } else { Then::Close }
    }

    /// A healthy page.
    pub fn page(&mut self, html: &str) -> Then {
        self.answer("200 OK", "Content-Type: text/html; charset=utf-8\r\n", html.as_bytes())
    }

    /// These bytes, and the end of the connection.
    pub fn raw(&mut self, bytes: impl AsRef<[u8]>) -> Then {
        self.send(bytes);
        Then::Close
    }

    /// The same bytes again and again until nobody listens any more.
    pub fn flood(&mut self, bytes: impl AsRef<[u8]>) -> Then {
        while self.send(&bytes) {}
        Then::Close
    }

    /// The same with a pause.
    pub fn drip(&mut self, bytes: impl AsRef<[u8]>, pause: Duration) -> Then {
        while self.send(&bytes) {
            thread::sleep(pause);
        }
        Then::Close
    }

    /// Says nothing more and keeps the connection until the other side ends it.
    pub fn stall(&mut self) -> Then {
        self.read_rest();
        let _ = self.stream.read(&mut [0]);
        Then::Close
    }
}
