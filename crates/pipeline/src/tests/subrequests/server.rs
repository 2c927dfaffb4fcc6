//! A server on loopback that answers as its test says, and logs what it is asked for.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use harvestman_core::clock::{Clock, Instant};

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) at: Instant,
    /// The first label of the host's name, and the path.
    pub(super) target: String,
    /// The lines of the head.
    pub(super) head: Vec<String>,
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: &'static str,
    pub(super) body: Vec<u8>,
    pub(super) after: Duration,
}

impl Reply {
    pub(super) fn ok(body: &str) -> Self {
        Self { status: 200, headers: "Content-Type: text/plain\r\n", body: body.into(), ..Self::default() }
    }
}

type Script = dyn Fn(&str) -> Reply + Send + Sync;

/// The server. Its threads end with the process.
pub(super) struct Server {
    address: SocketAddr,
    log: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub(super) fn start(script: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, log) = (listener.local_addr().unwrap(), Arc::default());
        let server = Self { address, log: Arc::clone(&log) };
        let (script, clock): (Arc<Script>, _) = (Arc::new(script), Clock::system());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (script, log, clock) = (Arc::clone(&script), Arc::clone(&log), clock.clone());
                std::thread::spawn(move || serve(stream.unwrap(), &*script, &log, &clock));
            }
        });
        server
    }

    pub(super) fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}.localhost:{}{path}", self.address.port())
    }

    /// The requests to a host, in their order.
    pub(super) fn asked(&self, host: &str) -> Vec<Asked> {
        self.log.lock().iter().filter(|asked| asked.target.split('/').next() == Some(host)).cloned().collect()
    }

    /// The targets of all requests to a host, in their order.
    pub(super) fn targets(&self, host: &str) -> Vec<String> {
        self.asked(host).into_iter().map(|asked| asked.target).collect()
    }

    pub(super) fn requests(&self) -> u64 {
        self.log.lock().len() as u64
    }
}

/// Answers the requests of a connection until its client ends it.
fn serve(stream: TcpStream, script: &Script, log: &Mutex<Vec<Asked>>, clock: &Clock) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            head.push(line);
        }
        let host = head.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix("host: ").map(str::to_owned))?;
        let target = format!("{}{}", host.split('.').next()?, head[0].split(' ').nth(1)?);
        log.lock().push(Asked { at: clock.now(), target: target.clone(), head });
        let Reply { status, headers, body, after } = script(&target);
        std::thread::sleep(after);
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
        reader.get_mut().write_all(&[head.as_bytes(), &body].concat()).ok()?;
    }
}
