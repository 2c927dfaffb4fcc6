//! A server that answers what its test says, for cases that the simulator does not have; it logs what it was asked for.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// One request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub at: Instant,
    /// The host's name, without the port.
    pub host: String,
    pub path: String,
    /// The `Signature-Input` header; empty if there is none.
    pub signature: String,
}

/// A request as a script sees it.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub host: String,
    pub path: String,
    /// How often the URL was asked for before.
    pub before: usize,
    /// The headers, names in lower case.
    pub headers: HashMap<String, String>,
    pub body: String,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

/// What is answered to a request.
type Script = dyn Fn(&Request) -> Reply + Send + Sync;

pub struct Scripted {
    address: SocketAddr,
    log: Arc<Mutex<Vec<Asked>>>,
    stopped: Arc<AtomicBool>,
}

impl Reply {
    pub fn html(body: impl Into<String>) -> Self {
        Self { status: 200, headers: vec![("Content-Type", "text/html".to_owned())], body: body.into() }
    }

    pub fn text(body: impl Into<String>) -> Self {
        Self { status: 200, headers: vec![("Content-Type", "text/plain".to_owned())], body: body.into() }
    }

    pub fn xml(body: impl Into<String>) -> Self {
        Self { status: 200, headers: vec![("Content-Type", "application/xml".to_owned())], body: body.into() }
    }

    /// A page that links to each of `hrefs`.
    pub fn links(hrefs: &[&str]) -> Self {
        let links = hrefs.iter().map(|href| format!("<p><a href=\"{href}\">a link</a></p>"));
        Self::html(format!("<html><body>{}</body></html>", links.collect::<String>()))
    }

    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: "no\n".to_owned() }
    }

    pub fn redirect(status: u16, to: impl Into<String>) -> Self {
        Self::status(status).with("Location", to)
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl Scripted {
    /// Starts a server that answers by host, path, and how often the URL was asked for before.
    pub fn start(script: impl Fn(&str, &str, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::answering(move |request| script(&request.host, &request.path, request.before))
    }

    /// Starts a server that answers by the whole request.
    pub fn answering(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (log, stopped) = (Arc::new(Mutex::default()), Arc::new(AtomicBool::new(false)));
        let script: Arc<Script> = Arc::new(script);
        let server = Self { address, log: Arc::clone(&log), stopped: Arc::clone(&stopped) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let (script, log) = (Arc::clone(&script), Arc::clone(&log));
                std::thread::spawn(move || serve(stream.unwrap(), &*script, &log));
            }
        });
        server
    }

    pub fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}.localhost:{}{path}", self.address.port())
    }

    pub fn log(&self) -> Vec<Asked> {
        self.log.lock().clone()
    }

    /// The paths that were asked of a host, in order.
    pub fn paths(&self, host: &str) -> Vec<String> {
        self.log().into_iter().filter(|asked| asked.host == host).map(|asked| asked.path).collect()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

/// Answers the requests of one connection until its client ends it.
fn serve(stream: TcpStream, script: &Script, log: &Mutex<Vec<Asked>>) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let (mut line, mut headers) = (String::new(), HashMap::new());
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let mut words = line.split(' ').map(str::to_owned);
        let (method, path) = (words.next()?, words.next()?);
        while line.trim_end() != "" {
            line.clear();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            if let Some((name, value)) = line.split_once(':') {
                headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
            }
        }
        let header = |name: &str| headers.get(name).cloned().unwrap_or_default();
        let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
        reader.read_exact(&mut body).ok()?;
        let body = String::from_utf8_lossy(&body).into_owned();
        let host = header("host").split('.').next().unwrap_or_default().to_owned();
        let signature = header("signature-input");
        let before = {
            let mut log = log.lock();
            let before = log.iter().filter(|asked| asked.host == host && asked.path == path).count();
            log.push(Asked { at: Instant::now(), host: host.clone(), path: path.clone(), signature });
            before
        };
        let reply = script(&Request { method, host, path, before, headers, body });
        let mut head = format!("HTTP/1.1 {} X\r\nContent-Length: {}\r\n", reply.status, reply.body.len());
        for (name, value) in &reply.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let answer = format!("{head}\r\n{}", reply.body);
        reader.get_mut().write_all(answer.as_bytes()).ok()?;
    }
}
