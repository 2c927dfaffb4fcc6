//! `harvestman demo`: serves a simulated site on this machine, crawls it, and compares the result with the truth.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;

use super::crawl;
use super::exit::{Exit, Failure};
use harvestman_core::config::{Config, Period};
use harvestman_core::seed::Seed;
use harvestman_report::terminal;
use harvestman_sim::compare::{Comparison, compare};
use harvestman_sim::{Server, ServerOptions, World, WorldOptions};

/// Crawl a simulated site on this machine and check the result
///
/// Serves forums, blogs (one host per user), question-and-answer sites and photo sites on loopback and crawls them with
/// the same pipeline as real sites. The expected result is known, and the crawl is compared with it, URL by URL.
#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// Approximate number of pages of the simulated world
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    pub pages: u64,
    /// Number of hosts
    #[arg(long, default_value_t = 60, value_name = "N")]
    pub hosts: u64,
    /// Seed of the simulated world
    #[arg(long, default_value_t = 7, value_name = "N")]
    pub seed: u64,
    /// Directory for the output of the crawl; must be empty or not exist yet [default: a new temporary directory]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Hide the progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// Concurrent requests per simulated host and in total, since all hosts share one address.
const CONNECTIONS: (u32, u32) = (4, 32);

/// Serves the world, crawls it and compares the result.
pub fn run(args: &DemoArgs) -> Result<Exit, Failure> {
    let server = serve(args)?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| std::env::temp_dir().join(format!("harvestman-demo-{}", std::process::id())));
    say(&format!(
        "Serving a simulated world of about {} pages on {} hosts at {}; crawling it from {}\n",
        args.pages,
        args.hosts,
        server.addr(),
        server.world().seeds().join(" "),
    ));
    let exit = crawl::crawl_with(config(args, &server, &out), args.quiet)?;
    if exit != Exit::Done {
        return Ok(exit);
    }
    let world = Arc::clone(server.world());
    let comparison = compare(world.truth(), &out.join("pages.jsonl"), |_| false)
        .with_context(|| format!("cannot read the page log in {}", out.display()))?;
    say(&verdict(&comparison, &out));
    Ok(if comparison.is_perfect() { Exit::Done } else { Exit::Failed })
}

fn serve(args: &DemoArgs) -> Result<Server, Failure> {
    let options = WorldOptions { pages: args.pages, hosts: args.hosts, ..WorldOptions::default() };
    let world = World::new(&options, Seed(args.seed)).map_err(Failure::usage)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let options = ServerOptions { keep: 0, count_urls: false, ..ServerOptions::default() };
    let server = Server::start(Arc::new(world), address, options).context("cannot serve on the loopback address")?;
    Ok(server)
}

/// Returns the configuration: no delay, since no foreign server is involved. Names below `localhost` always resolve to
/// loopback in the crawler.
fn config(args: &DemoArgs, server: &Server, out: &Path) -> Config {
    let mut config = Config::default();
    config.crawl.seeds = server.world().seeds();
    config.crawl.out = out.display().to_string();
    config.crawl.seed = args.seed.max(1);
    config.scope.hosts = vec!["*.localhost".to_owned()];
    config.fetch.private_addresses = true;
    config.fetch.contact = "demo@localhost".to_owned();
    config.host.delay = Period::secs(0);
    (config.host.connections_per_host, config.host.connections_per_ip) = CONNECTIONS;
    config
}

fn verdict(comparison: &Comparison, out: &Path) -> String {
    let mut text = format!(
        "\nComparison with the truth: {} of {} pages found, each once; {} URLs with a wrong fate, {} that do not \
         exist.\n",
        comparison.pages_fetched,
        comparison.pages_true,
        comparison.wrong.len(),
        comparison.unknown.len(),
    );
    for mistake in comparison.wrong.iter().chain(&comparison.twice).chain(&comparison.unknown) {
        text += &format!("  {mistake}\n");
    }
    let out = out.display();
    text + &format!(
        "\nResults in {out}:\n  \
         report.json    results and statistics\n  \
         pages.jsonl    one line per URL: head -1 {out}/pages.jsonl\n  \
         warc/          requests and responses: harvestman inspect warc {out}/warc/*.warc.gz\n  \
         config.toml    the configuration\n\nStart a real crawl with:\n\n    \
         harvestman crawl https://forum.example.org/ --out forum --contact you@example.org\n"
    )
}

fn say(text: &str) {
    // Standard output may be closed.
    let _ = terminal::stdout().write_all(text.as_bytes());
}
