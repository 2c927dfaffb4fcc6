//! `harvestman sim`: serves a simulated social site on this machine, for trial crawls.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;

use harvestman_core::config::{ByteSize, Period};
use harvestman_core::seed::Seed;
use harvestman_report::terminal;
use harvestman_sim::{Family, RateLimit, RetryAfterForm, Server, ServerOptions, Validators, World, WorldOptions};

/// Serve a simulated social site on this machine
///
/// The site is generated from a seed: forums, a blog network with one host per user, question-and-answer sites and
/// photo sites, linked through a portal. Pages are computed on request; the same options and seed always give the same
/// bytes. --truth writes every URL that links lead to, with its status, type, robots decision, redirect target and, for
/// duplicate views, its canonical address: the result that a complete crawl must have.
#[derive(Debug, Clone, Args)]
pub struct SimArgs {
    /// Approximate number of URLs that answer 200 and are allowed by robots.txt, over all hosts (never fewer)
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    pub pages: u64,
    /// Number of hosts, including the portal; 1 with a single family omits the portal
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub hosts: u64,
    /// Families of sites: forum, blogs, qa, media; also client, a forum that builds its pages in the browser by a
    /// script (/.sim/rendered lists what its pages show, /__counts counts requests by POST)
    #[arg(long, value_delimiter = ',', default_value = "forum,blogs,qa,media", value_name = "NAMES")]
    pub families: Vec<Family>,
    /// Serve a static site of one host, with about 25 KB and 90 links per page, cheap to serve: for benchmarks. Uses
    /// --pages and --tags only
    #[arg(long = "static", conflicts_with_all = ["hosts", "families"])]
    pub static_site: bool,
    /// Seed of the simulated world
    #[arg(long, default_value_t = 7, value_name = "N")]
    pub seed: u64,

    /// Domain of all hosts. Browsers resolve all names below localhost to this machine; other crawlers may need
    /// configuration
    #[arg(long, default_value = "localhost", value_name = "NAME", help_heading = "Address")]
    pub domain: String,
    /// Address to listen on
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDR", help_heading = "Address")]
    pub address: IpAddr,
    /// Port to listen on; 0 picks a free port
    #[arg(long, default_value_t = 8_080, value_name = "PORT", help_heading = "Address")]
    pub port: u16,

    /// Text bytes of a content page, e.g. 4KiB (20KB with --static)
    #[arg(long, value_name = "SIZE", help_heading = "Pages")]
    pub page_bytes: Option<ByteSize>,
    /// Links on a list page, without navigation (90 with --static) [default: 40]
    #[arg(long, value_name = "N", help_heading = "Pages")]
    pub links: Option<usize>,
    /// Number of tags of the static site: each page shows two, and further pages list the pages of each tag
    #[arg(long, value_name = "N", default_value_t = 0, requires = "static_site", help_heading = "Pages")]
    pub tags: u64,
    /// Links on each page to pages of random hosts
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Pages")]
    pub elsewhere: usize,

    /// Share of items with an address that redirects to them
    #[arg(long, default_value_t = 0.2, value_name = "SHARE", help_heading = "Pages")]
    pub redirects: f64,
    /// Share of items with further addresses for the same content (permalinks, print views, sort orders)
    #[arg(long, default_value_t = 0.3, value_name = "SHARE", help_heading = "Pages")]
    pub duplicates: f64,
    /// Share of items that are listed but answer 404
    #[arg(long, default_value_t = 0.02, value_name = "SHARE", help_heading = "Pages")]
    pub dead_links: f64,
    /// Add a session id to some links
    #[arg(long, help_heading = "Pages")]
    pub session_ids: bool,
    /// Also link to feeds and image files
    #[arg(long, help_heading = "Pages")]
    pub non_html: bool,
    /// Write every link plainly (by default, one in eight is spelled in an unusual but equivalent way)
    #[arg(long, help_heading = "Pages")]
    pub plain_links: bool,
    /// Add traps: an endless calendar and ever-deeper paths; they are not in the truth file
    #[arg(long, help_heading = "Pages")]
    pub traps: bool,

    /// Allow everything in robots.txt
    #[arg(long, help_heading = "Robots")]
    pub allow_all: bool,
    /// Crawl-delay in robots.txt, e.g. 500ms
    #[arg(long, value_name = "TIME", help_heading = "Robots")]
    pub crawl_delay: Option<Period>,
    /// List no sitemaps in robots.txt
    #[arg(long, help_heading = "Robots")]
    pub no_sitemaps: bool,

    /// Mean response time
    #[arg(long, default_value = "0s", value_name = "TIME", help_heading = "Behaviour")]
    pub latency: Period,
    /// Maximum deviation from the mean response time, per URL
    #[arg(long, default_value = "0s", value_name = "TIME", help_heading = "Behaviour")]
    pub jitter: Period,
    /// Compress pages with gzip for clients that accept it
    #[arg(long, help_heading = "Behaviour")]
    pub gzip: bool,
    /// Share of requests that answer 500 or 503; at most two in a row per URL
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", help_heading = "Behaviour")]
    pub error_rate: f64,
    /// Requests per second and host above which the server refuses
    #[arg(long, value_name = "RATE", help_heading = "Behaviour")]
    pub rate_limit: Option<f64>,
    /// Burst size that --rate-limit allows per host
    #[arg(long, default_value_t = 1, value_name = "N", requires = "rate_limit", help_heading = "Behaviour")]
    pub burst: u64,
    /// Status of refusals: 429 or 503
    #[arg(
        long, default_value_t = 429, value_name = "STATUS", requires = "rate_limit",
        value_parser = clap::value_parser!(u16).range(400..=599), help_heading = "Behaviour"
    )]
    pub limit_status: u16,
    /// Delay in the Retry-After header of refusals
    #[arg(long, default_value = "1s", value_name = "TIME", requires = "rate_limit", help_heading = "Behaviour")]
    pub retry_after: Period,
    /// Format of the Retry-After header
    #[arg(long, value_enum, default_value = "seconds", requires = "rate_limit", help_heading = "Behaviour")]
    pub retry_after_form: RetryAfterForm,

    /// Change the site over simulated time: posts, comments, new topics; busy pages often, old ones rarely. Requests
    /// for /.sim/time?to=SECONDS advance the time; /.sim/changes?since=SECONDS lists the changed pages, one JSON line
    /// per page
    #[arg(long, help_heading = "Changes")]
    pub changes: bool,
    /// Advance the simulated time by itself, by this much per minute, e.g. 7d
    #[arg(long, default_value = "0s", value_name = "TIME", requires = "changes", help_heading = "Changes")]
    pub a_minute: Period,
    /// Send ETags: answer If-None-Match with 304 (etag), or ignore the header (ignored)
    #[arg(long, value_enum, default_value = "none", help_heading = "Changes")]
    pub validators: Validators,
    /// Vary each answer outside its content: a clock, a counter, a token
    #[arg(long, help_heading = "Changes")]
    pub noise: bool,

    /// Write the ground truth to this file, one JSON line per URL
    #[arg(long, value_name = "FILE", help_heading = "Records")]
    pub truth: Option<PathBuf>,
    /// Write the request log to this file, one JSON line per request
    #[arg(long, value_name = "FILE", help_heading = "Records")]
    pub log: Option<PathBuf>,
    /// Stop after this time, e.g. 60s (default: at SIGINT or SIGTERM)
    #[arg(long = "for", value_name = "TIME")]
    pub for_time: Option<Period>,
    /// Number of server threads
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub threads: usize,
}

impl SimArgs {
    /// Returns the options of the world.
    fn world_options(&self) -> WorldOptions {
        let base = if self.static_site {
            WorldOptions::static_site(self.pages)
        } else {
            WorldOptions {
                pages: self.pages,
                hosts: self.hosts,
                families: self.families.clone(),
                ..WorldOptions::default()
            }
        };
        WorldOptions {
            domain: self.domain.to_ascii_lowercase(),
            page_bytes: self.page_bytes.map_or(base.page_bytes, ByteSize::as_usize),
            links: self.links.unwrap_or(base.links),
            error_rate: self.error_rate,
            redirects: self.redirects,
            duplicates: self.duplicates,
            tags: self.tags,
            elsewhere: self.elsewhere,
            dead_links: self.dead_links,
            session_ids: self.session_ids,
            non_html: self.non_html,
            spellings: base.spellings && !self.plain_links,
            traps: self.traps,
            disallow: !self.allow_all,
            crawl_delay: self.crawl_delay.map(|period| period.0),
            sitemaps: base.sitemaps && !self.no_sitemaps,
            changes: self.changes,
            noise: self.noise,
            ..base
        }
    }

    /// Returns the options of the server.
    pub fn server_options(&self) -> ServerOptions {
        let rate_limit = self.rate_limit.map(|per_second| RateLimit {
            per_second,
            burst: self.burst,
            status: self.limit_status,
            retry_after: self.retry_after.0,
            form: self.retry_after_form,
        });
        ServerOptions {
            latency: self.latency.0,
            jitter: self.jitter.0,
            rate_limit,
            log: self.log.clone(),
            gzip: self.gzip,
            validators: self.validators,
            speed: self.a_minute.0.as_secs_f64() / 60.0,
            threads: self.threads,
            // The log file suffices; keep no requests in memory.
            keep: 0,
            count_urls: false,
            ..ServerOptions::default()
        }
    }
}

/// Serves until a signal or the end of `--for`.
pub fn run(args: &SimArgs) -> anyhow::Result<()> {
    let world = World::new(&args.world_options(), Seed(args.seed))?;
    let addr = SocketAddr::new(args.address, args.port);
    let server = Server::start(Arc::new(world), addr, args.server_options()).with_context(|| {
        format!("cannot serve at {addr}: choose another --port or --address, or a writable --log file")
    })?;
    if let Some(path) = &args.truth {
        let rows = write_truth(server.world(), path);
        let rows = rows.with_context(|| format!("cannot write the ground truth to {}", path.display()))?;
        writeln!(terminal::stderr(), "wrote {rows} URLs to {}", path.display())?;
    }
    announce(server.world(), &mut terminal::stdout())?;
    wait(args.for_time)?;
    let requests = server.log().requests();
    let connections = server.log().connections();
    server.stop().context("cannot write the end of the request log")?;
    writeln!(terminal::stderr(), "served {requests} requests over {connections} connections")?;
    Ok(())
}

/// Writes the ground truth of `world` to a file, one JSON line per URL. Returns the number of lines.
fn write_truth(world: &World, path: &Path) -> io::Result<u64> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut rows = 0;
    for row in world.truth() {
        serde_json::to_writer(&mut file, &row)?;
        file.write_all(b"\n")?;
        rows += 1;
    }
    file.flush()?;
    Ok(rows)
}

/// Prints the start URLs, one per line, so that a script can read the first; then how to crawl them.
fn announce(world: &World, out: &mut impl Write) -> io::Result<()> {
    let seeds = world.seeds();
    for seed in &seeds {
        writeln!(out, "{seed}")?;
    }
    // The seeds' own hosts may be local by default; the other hosts must be put in scope and private addresses allowed.
    let others = match world.options() {
        options if options.hosts > 1 => {
            format!(" --set scope.hosts='*.{}' --set fetch.private_addresses=true", options.domain)
        }
        _ => String::new(),
    };
    writeln!(out, "\nCrawl it: harvestman crawl {} --out crawl --delay 0s{others}", seeds.join(" "))?;
    writeln!(out, "Stop it:  Ctrl-C")?;
    out.flush()
}

/// Waits for SIGINT, SIGTERM or the end of `period`.
fn wait(period: Option<Period>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        let over = async {
            match period {
                Some(period) => tokio::time::sleep(period.0).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted?,
            _ = terminated.recv() => {}
            () = over => {}
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        sim: SimArgs,
    }

    fn parsed(arguments: &[&str]) -> SimArgs {
        Command::try_parse_from([&["sim"], arguments].concat()).unwrap_or_else(|error| panic!("{error}")).sim
    }

    #[test]
    fn without_arguments_the_world_is_the_default() {
        assert_eq!(parsed(&[]).world_options(), WorldOptions::default());
    }

    #[test]
    fn static_alone_is_the_static_site() {
        assert_eq!(parsed(&["--static", "--pages", "9"]).world_options(), WorldOptions::static_site(9));
        assert_eq!(parsed(&["--static", "--tags", "9"]).world_options().tags, 9);
        assert!(Command::try_parse_from(["sim", "--static", "--hosts", "5"]).is_err());
        assert!(Command::try_parse_from(["sim", "--tags", "9"]).is_err());
    }

    #[test]
    fn arguments_reach_the_world_and_the_server() {
        let args = parsed(&[
            "--families=qa,media",
            "--hosts=9",
            "--page-bytes=2KiB",
            "--latency=20ms",
            "--gzip",
            "--crawl-delay=1.5s",
            "--rate-limit=2",
            "--retry-after-form=date",
            "--error-rate=0.01",
            "--allow-all",
            "--for=60s",
        ]);
        let world = args.world_options();
        assert_eq!((world.families, world.hosts, world.page_bytes), (vec![Family::Qa, Family::Media], 9, 2_048));
        assert_eq!((world.error_rate, world.disallow), (0.01, false));
        assert_eq!(world.crawl_delay, Some(std::time::Duration::from_millis(1_500)));
        let server = args.server_options();
        assert_eq!(server.latency, std::time::Duration::from_millis(20));
        assert!(server.gzip && !parsed(&[]).server_options().gzip);
        let limit = RateLimit { form: RetryAfterForm::Date, ..RateLimit::per_second(2.0) };
        assert_eq!(server.rate_limit, Some(limit));
        assert!(Command::try_parse_from(["sim", "--families=wiki"]).is_err());
        assert!(Command::try_parse_from(["sim", "--burst=3"]).is_err());
    }

    #[test]
    fn the_truth_file_has_one_line_per_url_and_can_be_read_back() {
        let options = WorldOptions { pages: 50, hosts: 1, families: vec![Family::Qa], ..WorldOptions::default() };
        let world = World::new(&options, Seed(1)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("truth.jsonl");
        let rows = write_truth(&world, &path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let read: Vec<harvestman_sim::TruthRow> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(read.len() as u64, rows);
        assert!(read.into_iter().eq(world.truth()));
    }
}
