//! `harvestman fleet demo`: a server of NATS and three nodes on this machine; one is killed, and nothing is lost.

mod children;

use std::fs;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;

use self::children::Child;
use crate::cli::exit::{Exit, Failure};
use harvestman_core::seed::Seed;
use harvestman_lab::compare::{Comparison, compare};
use harvestman_sim::{Server, ServerOptions, World, WorldOptions};

/// Start a NATS server and three nodes on this machine, kill one, and show that nothing is lost.
///
/// A simulated world is served on loopback and crawled by three processes that share the work over a NATS server. When a third of it is
/// done, one of them is killed. The others take over what it held, and what all three fetched is compared with what the world really has.
#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// About how many pages the world has
    #[arg(long, default_value_t = 6_000, value_name = "N")]
    pages: u64,
    /// Number of hosts
    #[arg(long, default_value_t = 60, value_name = "N")]
    hosts: u64,
    /// Directory for what the nodes write; must not exist yet, or be empty [default: a new temporary one]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Names a server of NATS that is not on the path.
const SERVER_VARIABLE: &str = "HARVESTMAN_NATS_SERVER";
/// The nodes; the last one is killed.
const NODES: [&str; 3] = ["a", "b", "c"];
/// When it is killed: after so much of the world.
const KILLED_AFTER: f64 = 0.35;
/// How long all of it may take.
const LOOKS_MAX: u32 = 3_000;
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Serves, crawls, kills, compares.
pub fn run(args: &DemoArgs) -> Result<Exit, Failure> {
    let program = nats_server()?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| std::env::temp_dir().join(format!("harvestman-fleet-{}", std::process::id())));
    fs::create_dir_all(&out).with_context(|| format!("cannot write to {}", out.display()))?;
    let site = serve(args)?;
    let port = free_port().context("this machine has no free port")?;
    let _nats = Child::start("nats", &program, &nats_arguments(&out, port), &out)?;
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
    let mut nodes = start_nodes(&site, port, &out)?;
    let twice_at_most = watch(&mut nodes, &out, truth)?;
    let comparison = union(&out).and_then(|log| compare(site.world().truth(), &log, |_| false));
    let comparison = comparison.with_context(|| format!("cannot read the page logs in {}", out.display()))?;
    say(&verdict(&comparison, &out, twice_at_most));
    let lost = !comparison.wrong.is_empty() || !comparison.unknown.is_empty();
    Ok(if lost || comparison.pages_fetched != comparison.pages_true { Exit::Failed } else { Exit::Done })
}

/// The server's program, or how to get it.
fn nats_server() -> Result<PathBuf, Failure> {
    if let Some(named) = std::env::var_os(SERVER_VARIABLE) {
        return Ok(PathBuf::from(named));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("nats-server")).find(|file| file.is_file());
    found.ok_or_else(|| {
        Failure::usage(format!(
            "there is no `nats-server` on this machine. On Debian and Ubuntu: `sudo apt-get install nats-server`; elsewhere take it from \
             https://nats.io/download/. One that is not on the path is named by {SERVER_VARIABLE}"
        ))
    })
}

fn nats_arguments(out: &Path, port: u16) -> Vec<String> {
    let store = out.join("nats").display().to_string();
    ["-js", "-a", "127.0.0.1", "-sd", &store, "-p", &port.to_string()].map(str::to_owned).to_vec()
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

fn serve(args: &DemoArgs) -> Result<Server, Failure> {
    let options = WorldOptions { pages: args.pages, hosts: args.hosts, ..WorldOptions::default() };
    let world = World::new(&options, Seed(7)).map_err(Failure::usage)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let options = ServerOptions { keep: 0, count_urls: false, ..ServerOptions::default() };
    Ok(Server::start(Arc::new(world), address, options).context("cannot serve on the loopback address")?)
}

fn start_nodes(site: &Server, port: u16, out: &Path) -> Result<Vec<Child>, Failure> {
    let program = std::env::current_exe().context("this program does not know where it is")?;
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
            ["fleet", "join", &servers].map(str::to_owned).to_vec()
        };
        arguments.extend(common);
        nodes.push(Child::start(node, &program, &arguments, out)?);
        // The first one begins the crawl that the others join.
        if nodes.len() == 1 {
            std::thread::sleep(LOOK_EVERY * 10);
        }
    }
    Ok(nodes)
}

/// Waits until the crawl is over; kills the last node on the way. How many pages may be fetched twice because of that.
fn watch(nodes: &mut [Child], out: &Path, truth: u64) -> Result<u64, Failure> {
    let mut killed = false;
    for look in 0..LOOKS_MAX {
        let done: Vec<u64> = NODES.iter().map(|node| lines(&out.join(node).join("pages.jsonl"))).collect();
        let all: u64 = done.iter().sum();
        let told = NODES.iter().zip(&done).map(|(node, done)| format!("{node} {done}")).collect::<Vec<_>>().join(", ");
        if look % 10 == 0 {
            say(&format!("{:>3} s  URLs done: {told}; of {truth} in all\n", look / 5));
        }
        if !killed && all as f64 >= truth as f64 * KILLED_AFTER {
            killed = true;
            if let Some(last) = nodes.last_mut() {
                last.kill();
                say(&format!(
                    "       node {} was killed; the others take over what it held when its lease has run out\n",
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
    Err(Failure::from(anyhow::anyhow!("the crawl did not end in time; see the logs in {}", out.display())))
}

fn lines(log: &Path) -> u64 {
    fs::read(log).map_or(0, |text| text.iter().filter(|byte| **byte == b'\n').count() as u64)
}

/// The lines of all page logs in one; a line that the killed node did not write to its end is left out.
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
        "\nCompared with what the world really has: {} of {} pages found; {} of them twice, as they were under way when the node was killed \
         ({twice_at_most} at most); {} URLs with another fate than they should have, {} that do not exist.\n",
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
        "\nIn {out}: a, b, c (what each node fetched), their logs, the server's log. A real fleet begins like this:\n\n  \
         harvestman crawl https://forum.example.org/ --fleet nats://10.0.0.1:4222 --node a --out a --contact you@example.org\n  \
         harvestman fleet join nats://10.0.0.1:4222 --node b --out b\n"
    )
}

fn say(text: &str) {
    // Nobody may be reading.
    let _ = io::stdout().write_all(text.as_bytes());
}
