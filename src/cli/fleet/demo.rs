//! `harvestman fleet demo`: runs a NATS server and three nodes on this machine, kills one, and checks that nothing is
//! lost.

mod children;
mod secrets;

use std::fs;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;

use self::children::Child;
use self::secrets::Secrets;
use crate::cli::exit::{Exit, Failure};
use harvestman_core::seed::Seed;
use harvestman_report::terminal;
use harvestman_sim::compare::{Comparison, compare};
use harvestman_sim::{Server, ServerOptions, World, WorldOptions};

/// Run a fleet of three on this machine, kill a node and check the result
///
/// Serves a simulated world on loopback and crawls it with three processes that share the work over a NATS server.
/// After a third of the work, one process is killed. The other two take over its work, and the results of all three are
/// compared with the truth.
#[derive(Debug, Clone, Args)]
pub struct FleetDemoArgs {
    /// Approximate number of pages of the simulated world
    #[arg(long, default_value_t = 6_000, value_name = "N")]
    pages: u64,
    /// Number of hosts
    #[arg(long, default_value_t = 60, value_name = "N")]
    hosts: u64,
    /// Directory for the output of the nodes; must be empty or not exist yet [default: a new temporary directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Environment variable with the path of a NATS server that is not in `PATH`.
const SERVER_VARIABLE: &str = "HARVESTMAN_NATS_SERVER";
/// The nodes; the last one is killed.
const NODES: [&str; 3] = ["a", "b", "c"];
/// The share of the world after which it is killed.
const KILLED_AFTER: f64 = 0.35;
/// The maximum number of polls until the crawl must have ended.
const LOOKS_MAX: u32 = 3_000;
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Serves the world, crawls it, kills a node and compares the result.
pub fn run(args: &FleetDemoArgs) -> Result<Exit, Failure> {
    let program = nats_server()?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| std::env::temp_dir().join(format!("harvestman-fleet-{}", std::process::id())));
    fs::create_dir_all(&out).with_context(|| format!("cannot write to {}", out.display()))?;
    let site = serve(args)?;
    let port = free_port().context("cannot find a free port")?;
    let secrets = Secrets::draw();
    let nats = secrets.server_configuration(&out, port)?;
    let _nats = Child::start("nats", &program, &["-c".to_owned(), nats], &[], &out)?;
    until_open(port)?;
    say(&format!(
        "Serving a simulated world of about {} pages on {} hosts at {}, with a NATS server at port {port}.\nThree nodes crawl it from {}; \
         what they write is in {}.\n\n",
        args.pages,
        args.hosts,
        site.addr(),
        site.world().seeds().join(" "),
        out.display(),
    ));
    let truth = site.world().truth().count() as u64;
    let mut nodes = start_nodes(&site, port, &out, &secrets)?;
    let twice_at_most = watch(&mut nodes, &out, truth)?;
    let comparison = union(&out).and_then(|log| compare(site.world().truth(), &log, |_| false));
    let comparison = comparison.with_context(|| format!("cannot read the page logs in {}", out.display()))?;
    say(&verdict(&comparison, &out, twice_at_most));
    let lost = !comparison.wrong.is_empty() || !comparison.unknown.is_empty();
    Ok(if lost || comparison.pages_fetched != comparison.pages_true { Exit::Failed } else { Exit::Done })
}

/// Returns the path of the NATS server, or an error that explains how to install it.
fn nats_server() -> Result<PathBuf, Failure> {
    if let Some(named) = std::env::var_os(SERVER_VARIABLE) {
        return Ok(PathBuf::from(named));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("nats-server")).find(|file| file.is_file());
    found.ok_or_else(|| {
        Failure::usage(format!(
            "`nats-server` is not installed. On Debian and Ubuntu: `sudo apt-get install nats-server`; elsewhere, download it from \
             https://nats.io/download/. If it is not in PATH, set {SERVER_VARIABLE} to its path"
        ))
    })
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

fn until_open(port: u16) -> Result<(), Failure> {
    for _ in 0..100 {
        if std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(());
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Err(Failure::from(anyhow::anyhow!("the NATS server did not start; see nats.log")))
}

fn serve(args: &FleetDemoArgs) -> Result<Server, Failure> {
    let options = WorldOptions { pages: args.pages, hosts: args.hosts, ..WorldOptions::default() };
    let world = World::new(&options, Seed(7)).map_err(Failure::usage)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let options = ServerOptions { keep: 0, count_urls: false, ..ServerOptions::default() };
    Ok(Server::start(Arc::new(world), address, options).context("cannot serve on the loopback address")?)
}

fn start_nodes(site: &Server, port: u16, out: &Path, secrets: &Secrets) -> Result<Vec<Child>, Failure> {
    let program = std::env::current_exe().context("cannot find the path of this program")?;
    let servers = format!("nats://127.0.0.1:{port}");
    let mut nodes = Vec::new();
    for node in NODES {
        let directory = out.join(node).display().to_string();
        let common = ["--node", node, "--out", &directory, "--fleet-name", "demo"].map(str::to_owned);
        let mut arguments: Vec<String> = if nodes.is_empty() {
            let seeds = site.world().seeds();
            let crawl = ["crawl".to_owned()].into_iter().chain(seeds);
            let flags = ["--fleet", &servers, "--delay", "100ms", "--per-host", "1", "--contact", "demo@localhost"];
            let settings = [
                "scope.hosts=*.localhost",
                "fetch.private_addresses=true",
                "host.connections_per_ip=64",
                "fleet.lease=5s",
            ];
            let settings = settings.iter().flat_map(|setting| ["--set", setting]);
            crawl.chain(flags.into_iter().chain(settings).map(str::to_owned)).collect()
        } else {
            ["fleet", "join", &servers, "--set", "fetch.private_addresses=true"].map(str::to_owned).to_vec()
        };
        arguments.extend(common);
        nodes.push(Child::start(node, &program, &arguments, &secrets.variables(), out)?);
        // The first node creates the crawl that the others join.
        if nodes.len() == 1 {
            std::thread::sleep(LOOK_EVERY * 10);
        }
    }
    Ok(nodes)
}

/// Waits until the crawl has ended and kills the last node meanwhile. Returns how many pages may be fetched twice
/// because of that.
fn watch(nodes: &mut [Child], out: &Path, truth: u64) -> Result<u64, Failure> {
    let mut killed = false;
    for look in 0..LOOKS_MAX {
        let done: Vec<u64> = NODES.iter().map(|node| lines(&out.join(node).join("pages.jsonl"))).collect();
        let all: u64 = done.iter().sum();
        let counts =
            NODES.iter().zip(&done).map(|(node, done)| format!("{node} {done}")).collect::<Vec<_>>().join(", ");
        if look % 10 == 0 {
            say(&format!("{:>3} s  URLs done: {counts}; {truth} in total\n", look / 5));
        }
        if !killed && all as f64 >= truth as f64 * KILLED_AFTER {
            killed = true;
            if let Some(last) = nodes.last_mut() {
                last.kill();
                say(&format!(
                    "       node {} was killed; the others take over its work when its lease expires\n",
                    last.name()
                ));
            }
        }
        let survivors = &mut nodes[..NODES.len() - 1];
        let failed = survivors.iter_mut().position(Child::has_failed);
        if let Some(failed) = failed {
            let name = survivors[failed].name();
            return Err(Failure::from(anyhow::anyhow!(
                "node {name} failed: see {}",
                out.join(name).with_extension("log").display()
            )));
        }
        if survivors.iter_mut().all(Child::has_ended) {
            return Ok(u64::from(harvestman_core::config::Config::default().frontier.in_flight_max));
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Err(Failure::from(anyhow::anyhow!("the crawl did not end in time: see the logs in {}", out.display())))
}

fn lines(log: &Path) -> u64 {
    fs::read(log).map_or(0, |text| text.iter().filter(|byte| **byte == b'\n').count() as u64)
}

/// Concatenates all page logs. A line that the killed node did not complete is left out.
fn union(out: &Path) -> io::Result<PathBuf> {
    let mut all = Vec::new();
    for node in NODES {
        let text = fs::read(out.join(node).join("pages.jsonl"))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        all.extend_from_slice(&text[..whole]);
    }
    let path = out.join("pages.jsonl");
    fs::write(&path, all)?;
    Ok(path)
}

fn verdict(comparison: &Comparison, out: &Path, twice_at_most: u64) -> String {
    let mut text = format!(
        "\nComparison with the truth: {} of {} pages found; {} of them twice, as they were in flight when the node was \
         killed (at most {twice_at_most}); {} URLs with a wrong fate, {} that do not exist.\n",
        comparison.pages_fetched,
        comparison.pages_true,
        comparison.twice.len(),
        comparison.wrong.len(),
        comparison.unknown.len(),
    );
    for mistake in comparison.wrong.iter().chain(&comparison.unknown) {
        text += &format!("  {mistake}\n");
    }
    let out = out.display();
    text + &format!(
        "\nIn {out}: a, b, c (results of each node), their logs, the server log. Start a real fleet, on servers that ask for a token, with:\n\n  \
         export HARVESTMAN_FLEET_TOKEN=… HARVESTMAN_FLEET_SEAL=$(openssl rand -hex 32)\n  \
         harvestman crawl https://forum.example.org/ --fleet tls://10.0.0.1:4222 --node a --out a --contact you@example.org\n  \
         harvestman fleet join tls://10.0.0.1:4222 --node b --out b\n"
    )
}

fn say(text: &str) {
    // Standard output may be closed.
    let _ = terminal::stdout().write_all(text.as_bytes());
}
