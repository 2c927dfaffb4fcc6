//! `harvestman demo`: a simulated site on this machine, a crawl of it, and a look at what came.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;

use super::crawl;
use super::exit::{Exit, Failure};
use harvestman_core::config::{Config, Period};
use harvestman_core::seed::Seed;
use harvestman_lab::compare::{Comparison, compare};
use harvestman_sim::{Server, ServerOptions, World, WorldOptions};

/// Start a simulated social site on this machine, crawl it and show what happened.
///
/// Forums, blogs with a host a user, question-and-answer sites and photo sites are served on loopback and crawled with the
/// pipeline that crawls real sites. Because the world is simulated, what should have been found is known, and the crawl is
/// compared with it, URL by URL.
#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// About how many pages the world has
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    pub pages: u64,
    /// Number of hosts
    #[arg(long, default_value_t = 60, value_name = "N")]
    pub hosts: u64,
    /// The seed: another number, another world
    #[arg(long, default_value_t = 7, value_name = "N")]
    pub seed: u64,
    /// Directory for what the crawl writes; must not exist yet, or be empty [default: a new temporary one]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// Requests to one simulated host at a time, and to all of them: they share an address.
const CONNECTIONS: (u32, u32) = (4, 32);

/// Serves, crawls, compares.
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

/// No delay, as nobody is bothered; names below `localhost` are loopback for the crawler anyway.
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
        "\nCompared with what the world really has: {} of {} pages found, each once; {} URLs with another fate than \
         they should have, {} that do not exist.\n",
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
        "\nWhat to look at next, in {out}:\n  \
         report.json    what came of it, in figures\n  \
         pages.jsonl    a line a URL: head -1 {out}/pages.jsonl\n  \
         warc/          what was sent and received: harvestman inspect warc {out}/warc/*.warc.gz\n  \
         config.toml    the configuration of the crawl; a real one starts like this:\n\n    \
         harvestman crawl https://forum.example.org/ --out forum --contact you@example.org\n"
    )
}

fn say(text: &str) {
    // Nobody may be reading.
    let _ = io::stdout().write_all(text.as_bytes());
}
