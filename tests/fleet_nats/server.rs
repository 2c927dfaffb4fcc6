//! Real NATS servers on this machine: one alone, or a cluster of three, on free ports of the loopback, with their files
//! in a directory that goes when they do. Each can be killed, paused, and started again on its port and its files.
//!
//! The program is what `HARVESTMAN_NATS_SERVER` names, or `nats-server` on the path. Where there is none, tests say so
//! and pass, unless `HARVESTMAN_REQUIRE_NATS=1` is set.

#![allow(dead_code)]

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use harvestman::fleet::nats::CLUSTER_VERSION_MIN;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// How long a server may take to start.
const STARTS_WITHIN: Duration = Duration::from_secs(30);
/// How long servers that have just started may take to elect the leader of their cluster.
const ELECTS_WITHIN: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The program; none where it is missing and may be.
pub fn program() -> Option<PathBuf> {
    let found = match std::env::var_os("HARVESTMAN_NATS_SERVER") {
        Some(path) => Some(PathBuf::from(path)).filter(|path| path.is_file()),
        None => std::env::var_os("PATH").and_then(|paths| on(&paths)),
    };
    let required = std::env::var_os("HARVESTMAN_REQUIRE_NATS").is_some_and(|value| value == "1");
    assert!(found.is_some() || !required, "nats-server is missing: install it, or name it in HARVESTMAN_NATS_SERVER");
    if found.is_none() {
        eprintln!("SKIPPED: nats-server is missing (install it, or name it in HARVESTMAN_NATS_SERVER)");
    }
    found
}

fn on(paths: &std::ffi::OsStr) -> Option<PathBuf> {
    let usual = ["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from);
    std::env::split_paths(paths).chain(usual).map(|path| path.join("nats-server")).find(|path| path.is_file())
}

/// The first two numbers of the program's version.
pub fn version(program: &Path) -> (u32, u32) {
    let said = Command::new(program).arg("--version").output().unwrap().stdout;
    let said = String::from_utf8(said).unwrap();
    let mut numbers = said.rsplit_once('v').unwrap().1.trim().split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// A port that nobody listens on, another one for each of some thousand calls. It is below those that the system gives
/// to connections, so that none of them takes it before the server does, or while the server is down.
pub fn free_port() -> u16 {
    const RANGE: std::ops::Range<u16> = 16_000..32_000;
    static CALLS: AtomicU16 = AtomicU16::new(0);
    let offset = std::process::id() % RANGE.len() as u32;
    for _ in RANGE {
        let call = u32::from(CALLS.fetch_add(1, Ordering::Relaxed));
        let port = RANGE.start + ((offset + call) % RANGE.len() as u32) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port of {RANGE:?} is free");
}

/// A process, which ends with this.
pub struct Server {
    pub name: String,
    pub port: u16,
    program: PathBuf,
    config: PathBuf,
    log: PathBuf,
    child: Option<Child>,
}

impl Server {
    /// Writes its configuration and starts it. `more` is added to the configuration.
    fn start(program: &Path, dir: &Path, name: &str, port: u16, more: &str) -> Self {
        let config = dir.join(format!("{name}.conf"));
        std::fs::write(&config, format!("server_name: {name}\nlisten: \"127.0.0.1:{port}\"\n{more}\n")).unwrap();
        let log = dir.join(format!("{name}.log"));
        let mut server = Self { name: name.into(), port, program: program.into(), config, log, child: None };
        server.spawn();
        server
    }

    fn spawn(&mut self) {
        let log = File::options().create(true).append(true).open(&self.log).unwrap();
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(&self.config).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.child = Some(command.spawn().unwrap());
    }

    /// Its process.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(self.child.as_ref().expect("it runs"));
        kill_process(pid, signal).unwrap();
    }

    /// Kills it at once.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Lets it do nothing, with all its connections open.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets a paused one go on.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Starts one that was killed again, and waits until it greets.
    pub async fn restart(&mut self) {
        self.kill();
        self.spawn();
        self.greets().await;
    }

    /// Waits until it says who it is.
    pub async fn greets(&self) {
        let greets = async {
            loop {
                if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)).await {
                    let mut greeting = [0; 4];
                    if stream.read_exact(&mut greeting).await.is_ok() && &greeting == b"INFO" {
                        return;
                    }
                }
                sleep(LOOK_EVERY).await;
            }
        };
        if timeout(STARTS_WITHIN, greets).await.is_err() {
            panic!("nats-server did not start:\n{}", std::fs::read_to_string(&self.log).unwrap_or_default());
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Servers that belong together.
pub struct Servers {
    pub servers: Vec<Server>,
    /// Where their files are. Dropped after them.
    pub dir: TempDir,
}

impl Servers {
    /// One that stands alone, with JetStream. `more` is added to its configuration.
    pub async fn one(more: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let store = format!("jetstream {{ store_dir: {:?}, max_file_store: 1GB }}\n{more}", dir.path().join("n1"));
        Self::plain_in(dir, &store).await
    }

    /// One that stands alone, with this configuration and nothing else.
    pub async fn plain(config: &str) -> Option<Self> {
        Self::plain_in(tempfile::tempdir().unwrap(), config).await
    }

    async fn plain_in(dir: TempDir, config: &str) -> Option<Self> {
        let server = Server::start(&program()?, dir.path(), "n1", free_port(), config);
        server.greets().await;
        Some(Self { servers: vec![server], dir })
    }

    /// A cluster of three, with JetStream. None also where the program is too old for clusters that keep what they
    /// acknowledge.
    pub async fn three() -> Option<Self> {
        let program = program()?;
        let version = version(&program);
        if version < CLUSTER_VERSION_MIN {
            eprintln!(
                "SKIPPED: a cluster needs nats-server {CLUSTER_VERSION_MIN:?} or later, and this one is of {version:?}"
            );
            return None;
        }
        Some(Self::three_of(&program).await)
    }

    /// A cluster of three that has a leader, whatever its version. Servers that elect none in time are replaced by
    /// others, once.
    pub async fn three_of(program: &Path) -> Self {
        let first = Self::start_three(program).await;
        if first.elect().await.is_ok() {
            return first;
        }
        drop(first);
        let second = Self::start_three(program).await;
        second.elect().await.unwrap_or_else(|logs| panic!("the cluster has no leader:\n{logs}"));
        second
    }

    /// Starts three. Their cluster has a name of its own, so that no server of another test can join it.
    async fn start_three(program: &Path) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let routes: Vec<u16> = std::iter::repeat_with(free_port).take(3).collect();
        let cluster = format!("hm-{}-{}", std::process::id(), routes[0]);
        let list: Vec<String> = routes.iter().map(|port| format!("\"nats-route://127.0.0.1:{port}\"")).collect();
        let start = |(n, route): (usize, &u16)| {
            let name = format!("n{}", n + 1);
            let more = format!(
                "jetstream {{ store_dir: {:?}, max_file_store: 1GB }}\n\
                 cluster {{ name: {cluster:?}, listen: \"127.0.0.1:{route}\", routes: [{}] }}",
                dir.path().join(&name),
                list.join(", "),
            );
            Server::start(program, dir.path(), &name, free_port(), &more)
        };
        let servers: Vec<Server> = routes.iter().enumerate().map(start).collect();
        for server in &servers {
            server.greets().await;
        }
        Self { servers, dir }
    }

    /// Waits until JetStream answers, which needs a leader of the cluster. If it does not: the logs.
    async fn elect(&self) -> Result<(), String> {
        let asking = async {
            while self.ask("INFO").await.is_none_or(|answer| !answer["error"].is_null()) {
                sleep(LOOK_EVERY).await;
            }
        };
        timeout(ELECTS_WITHIN, asking).await.map_err(|_| {
            let logs = self.servers.iter().map(|server| std::fs::read_to_string(&server.log).unwrap_or_default());
            logs.collect::<Vec<_>>().join("\n")
        })
    }

    /// Where they all are, as one text.
    pub fn url(&self) -> String {
        let urls: Vec<String> = self.servers.iter().map(|server| format!("nats://127.0.0.1:{}", server.port)).collect();
        urls.join(",")
    }

    /// Where one of them is.
    pub fn url_of(&self, server: usize) -> String {
        format!("nats://127.0.0.1:{}", self.servers[server].port)
    }

    /// Which of them leads a stream, once one does.
    pub async fn leader(&self, stream: &str) -> usize {
        let looking = async {
            loop {
                if let Some(name) = self.leader_now(stream).await
                    && let Some(leader) = self.servers.iter().position(|server| server.name == name)
                {
                    return leader;
                }
                sleep(LOOK_EVERY).await;
            }
        };
        timeout(STARTS_WITHIN, looking).await.expect("the stream has a leader")
    }

    async fn leader_now(&self, stream: &str) -> Option<String> {
        let info = self.ask(&format!("STREAM.INFO.{stream}")).await?;
        Some(info["cluster"]["leader"].as_str()?.to_owned())
    }

    /// What JetStream answers to this request; none if it does not within two seconds.
    async fn ask(&self, request: &str) -> Option<Value> {
        let urls: Vec<String> = (0..self.servers.len()).map(|server| self.url_of(server)).collect();
        let client = async_nats::connect(urls).await.ok()?;
        let ask = client.request(format!("$JS.API.{request}"), "".into());
        let answer = timeout(Duration::from_secs(2), ask).await.ok()?.ok()?;
        serde_json::from_slice(&answer.payload).ok()
    }
}
