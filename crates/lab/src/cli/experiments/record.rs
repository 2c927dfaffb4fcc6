//! `harvestman-lab lab record`: crawls a site completely and labels its pages by rules.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use url::Url;

use crate::cli::recordings::load_with_notes;
use crate::recording::{LabelRules, Labelled, label};
use harvestman::cli::crawl::{prepare, to_report};
use harvestman::cli::exit::{Exit, Failure};
use harvestman::cli::output::print_text;
use harvestman_core::config::{Config, Period, PolicyKind, SignalMode};
use harvestman_library::program::seeds;
use harvestman_pipeline::Beginning;
use harvestman_report::{Report, StopReason};

/// Arguments of `harvestman-lab lab record`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct RecordArgs {
    /// Rules that name the recording and label its URLs (TOML)
    #[arg(value_name = "RULES")]
    rules: PathBuf,
    /// The site to crawl: its scheme, host and port
    #[arg(long, value_name = "URL", required_unless_present = "relabel", conflicts_with = "relabel")]
    site: Option<String>,
    /// Only write the labels of the existing recording in --out again, after a change of the rules
    #[arg(long)]
    relabel: bool,
    /// Directory for NAME.warc.gz and NAME.labels.csv.gz
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Maximum number of pages; 0: no limit
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pages: u64,
    /// Number of concurrent requests
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    connections: u32,
    /// Hide the progress
    #[arg(long, short)]
    quiet: bool,
}

const AFTER_HELP: &str = "\
Record only a site of your own: robots.txt and nofollow are not obeyed, and there is no delay
between requests. The site is crawled breadth-first, every link of the host is followed with its
query, and no cookies are kept. Existing files of the same name are replaced.

Rules are a TOML file. The first [[rule]] whose url, a regular expression, is found in the path and
query of a URL labels it; URLs without a rule have the type other. URLs in which an expression of
skip is found are not requested:

  name = \"forum\"                # name of the recording
  software = \"Forum 1.0 (MIT)\"  # optional
  seeds = [\"/\"]                 # optional: paths to start from
  skip = ['[?&]day=\\d+']        # optional: URLs without end, such as calendars

  [[rule]]
  url = '^/topic/\\d+/\\?post='
  type = \"topic\"                # page type: the template
  ucc = true                    # shows user-created content
  duplicate = true              # another view of a page that has an address of its own
  role = \"detail\"               # list, detail (one item), profile (a member), tag or other
  tags = \".tags a\"              # CSS selector of the tags of the item
  author = \"a.user\"             # CSS selector of its author, or of the member of a profile
  author_pattern = '^By (.+)'   # optional: the first group is the name

Example:
  harvestman-lab lab record labels.toml --site http://127.0.0.1:8000/ --out corpora
  harvestman-lab lab ucc corpora/forum.warc.gz";

/// Records a site, or labels its recording again.
pub fn run(args: &RecordArgs) -> Result<(), Failure> {
    let rules = LabelRules::load(&args.rules).map_err(Failure::usage)?;
    let warc = args.out.join(format!("{}.warc.gz", rules.name));
    let complete = match &args.site {
        Some(site) => crawl(args, &rules, site, &warc)?,
        None => true,
    };
    let labelled = write_labels(&rules, &warc)?;
    report_unmatched(&labelled);
    let title = if rules.software.is_empty() { &rules.name } else { &rules.software };
    print_text(&labelled.table(title).to_text()).map_err(|error| Failure::new(Exit::Output, error))?;
    if complete { Ok(()) } else { Err(Failure::new(Exit::Failed, "the recording is incomplete, see above")) }
}

/// Crawls the site and joins its WARC files. Returns whether all its URLs were requested.
fn crawl(args: &RecordArgs, rules: &LabelRules, site: &str, warc: &Path) -> Result<bool, Failure> {
    let site = seeds::parse(site).map_err(Failure::usage)?.url;
    let crawl = args.out.join(format!("{}.crawl", rules.name));
    if crawl.exists() {
        let path = crawl.display();
        return Err(Failure::usage(format!("{path} exists: remove this remainder of a failed recording first")));
    }
    fs::create_dir_all(&args.out).with_context(|| format!("cannot create {}", args.out.display()))?;
    let (config, progress) = prepare(config(args, rules, &site, &crawl)?, args.quiet)?;
    let report = to_report(&config, &progress, Beginning::AtSeeds)?;
    if let exit @ (Exit::Output | Exit::NothingFetched | Exit::Interrupted) = Exit::after(&report) {
        let path = crawl.display();
        return Err(Failure::new(exit, format!("no recording was written; the crawl is in {path}")));
    }
    join(&crawl.join("warc"), warc).with_context(|| format!("cannot write {}", warc.display()))?;
    fs::remove_dir_all(&crawl).with_context(|| format!("cannot remove {}", crawl.display()))?;
    Ok(is_complete(&report))
}

fn is_complete(report: &Report) -> bool {
    let complete = report.stop_reason == StopReason::FrontierEmpty;
    if !complete {
        tell!("warning: the crawl ended early ({}): raise --pages", report.stop_reason.describe());
    }
    complete
}

fn config(args: &RecordArgs, rules: &LabelRules, site: &Url, out: &Path) -> Result<Config, Failure> {
    let seed = |path: &String| site.join(path).map(|url| url.to_string()).map_err(Failure::usage);
    let mut config = Config::default();
    config.crawl.seeds = rules.seeds.iter().map(seed).collect::<Result<_, _>>()?;
    config.crawl.out = out.display().to_string();
    config.crawl.policy = PolicyKind::Bfs;
    config.budget.pages = args.pages;
    config.scope.exclude.clone_from(&rules.skip);
    config.signals.mode = SignalMode::Off;
    (config.robots.obey, config.filter.nofollow_pages, config.filter.trap_guard) = (false, false, false);
    config.fetch.private_addresses = true;
    config.fetch.contact = "recording@localhost".to_owned();
    config.host.delay = Period::secs(0);
    (config.host.connections_per_host, config.host.connections_per_ip) = (args.connections, args.connections);
    // A recording contains each response once, completely.
    config.archive.prefix.clone_from(&rules.name);
    (config.archive.revisits, config.archive.request_records, config.archive.metadata_records) = (false, false, false);
    Ok(config)
}

/// Joins the WARC files of a crawl, in the order of their names. Files of gzip members can be joined as they are.
fn join(directory: &Path, to: &Path) -> io::Result<()> {
    let entries = fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path()));
    let mut parts = entries.collect::<io::Result<Vec<_>>>()?;
    parts.sort();
    let mut joined = File::create(to)?;
    for part in parts {
        io::copy(&mut File::open(part)?, &mut joined)?;
    }
    joined.sync_all()
}

fn write_labels(rules: &LabelRules, warc: &Path) -> anyhow::Result<Labelled> {
    let labelled = label(&load_with_notes(warc, None, true)?, rules);
    let path = warc.with_file_name(format!("{}.labels.csv.gz", rules.name));
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    labelled.write(file).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(labelled)
}

fn report_unmatched(labelled: &Labelled) {
    if labelled.unmatched > 0 {
        tell!("note: no rule matches {} URLs, for example:", labelled.unmatched);
        labelled.examples.iter().for_each(|url| tell!("  {url}"));
    }
}
