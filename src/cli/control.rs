//! `harvestman ctl`: control of a running crawl from another terminal.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;

use super::endpoints::ADDRESS_FILE;
use harvestman_admin::SOCKET;
use harvestman_report::{CrawlStatus, read_object, terminal};

/// Time limit for the answer of a crawl.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// Arguments of `harvestman ctl`.
#[derive(Debug, Clone, clap::Args)]
#[command(subcommand_value_name = "COMMAND", after_help = AFTER_HELP)]
pub struct ControlArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    directory: PathBuf,

    /// What to do.
    #[command(subcommand)]
    command: Control,
}

const AFTER_HELP: &str = "\
Examples:
  harvestman ctl forum status
  harvestman ctl forum set host.delay=5s
  harvestman ctl forum ban '/search*'";

/// A command to a running crawl.
#[derive(Debug, Clone, clap::Subcommand)]
enum Control {
    /// Show the progress and what the crawl waits for
    Status {
        /// Print everything as JSON
        #[arg(long)]
        json: bool,
    },
    /// Pause: start no new request
    Pause,
    /// End a pause
    Unpause,
    /// Stop the crawl and write its report
    Stop,
    /// Change settings
    Set(SetArgs),
    /// Refuse links to a cluster, link class or URL pattern
    Ban(SteerArgs),
    /// Remove a ban
    Unban(SteerArgs),
    /// Fetch a cluster, link class or URL pattern first
    Pin(SteerArgs),
    /// Remove a pin
    Unpin(SteerArgs),
    /// Suspend requests to a host
    Block(HostArgs),
    /// Resume requests to a blocked host
    Unblock(HostArgs),
}

/// New values of settings.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = SET_HELP)]
struct SetArgs {
    /// Settings and their new values
    #[arg(value_name = "SECTION.KEY=VALUE", required = true)]
    settings: Vec<String>,
}

const SET_HELP: &str = "\
Examples:
  Slow down:
    harvestman ctl forum set host.delay=5s
  Enlarge the budget before it is used up:
    harvestman ctl forum set budget.pages=200000

docs/configuration.md marks the settings that can be changed while a crawl runs as live: budgets of
pages, bytes, time, requests and pages per host; delays, retries, back-off and circuit breaker of
hosts; frontier.queued_max. New values take effect at once, are written to the crawl's config.toml
and remain in force after `harvestman resume`.";

/// The target of `ban`, `unban`, `pin` and `unpin`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = TARGET_HELP)]
struct SteerArgs {
    /// Cluster of pages (5), link class (3/00c0ffee00c0ffee/8badf00d8badf00d) or URL pattern (/tag/*)
    #[arg(value_name = "WHAT")]
    what: String,
}

const TARGET_HELP: &str = "\
Clusters are numbered by the policies that cluster pages (ucc, target, cluster-graph), as in
pages.jsonl, policy.jsonl and `harvestman inspect site`; for an unknown number, the known ones are
listed. A cluster stands for all URLs of the patterns whose fetched pages mostly belong to it. Link
classes are written as in pages.jsonl and policy.jsonl. In a URL pattern, * matches any characters;
a pattern that begins with / is matched against path and query, any other against the whole URL. URL
patterns work with every policy.

Banned links are refused from now on, and queued URLs are dropped with the fate `policy: banned`.
After `unban`, new links are followed; dropped URLs stay dropped. Pinned URLs are fetched before all
others. A ban overrides a pin. Both stay in force until they are removed, also after
`harvestman resume`.";

/// The host of `block` and `unblock`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HOST_HELP)]
struct HostArgs {
    /// Host: example.org or example.org:8080 for both http and https, or `https://example.org`
    #[arg(value_name = "HOST")]
    host: String,
}

const HOST_HELP: &str = "\
A blocked host gets no new requests once the command has been answered; requests in flight are
finished. Its URLs wait until the host is unblocked, and the crawl does not end before: if nothing
else is left, `harvestman ctl DIR status` says so. The host stays blocked after `harvestman resume`.";

/// Runs the command.
pub fn run(args: &ControlArgs) -> anyhow::Result<()> {
    let (directory, command) = (args.directory.as_path(), &args.command);
    let one = |name, argument: &String| give(directory, name, std::slice::from_ref(argument));
    match command {
        Control::Status { json } => status(directory, *json),
        Control::Pause => switch(directory, "pause"),
        Control::Unpause => switch(directory, "unpause"),
        Control::Stop => switch(directory, "stop"),
        Control::Set(args) => give(directory, "set", &args.settings),
        Control::Ban(args) => one("ban", &args.what),
        Control::Unban(args) => one("unban", &args.what),
        Control::Pin(args) => one("pin", &args.what),
        Control::Unpin(args) => one("unpin", &args.what),
        Control::Block(args) => one("block", &args.host),
        Control::Unblock(args) => one("unblock", &args.host),
    }
}

/// Sends a command to a running crawl and prints its effect.
fn give(directory: &Path, command: &str, arguments: &[String]) -> anyhow::Result<()> {
    let effect = ask(directory, http::Method::POST, command, serde_json::to_vec(arguments)?)?;
    let _ = writeln!(terminal::stdout(), "{effect}");
    Ok(())
}

/// Prints the progress of a crawl and what it waits for.
fn status(directory: &Path, json: bool) -> anyhow::Result<()> {
    let text = ask(directory, http::Method::GET, "status", Vec::new())?;
    let shown = if json { text + "\n" } else { parsed(&text)?.to_string() + &page(directory) };
    // A closed pipe (`| head`) is not an error.
    let _ = terminal::stdout().write_all(shown.as_bytes());
    Ok(())
}

/// Checks that a crawl runs in a directory.
pub(super) fn reach(directory: &Path) -> anyhow::Result<()> {
    ask(directory, http::Method::GET, "status", Vec::new()).map(drop)
}

/// Returns the status of the crawl that runs in a directory, or `None` if none runs there.
///
/// # Errors
/// The crawl runs but does not answer.
pub(super) fn status_of(directory: &Path) -> anyhow::Result<Option<CrawlStatus>> {
    if std::os::unix::net::UnixStream::connect(directory.join(SOCKET)).is_err() {
        // A killed crawl leaves a socket without a listener.
        return Ok(None);
    }
    let text = ask(directory, http::Method::GET, "status", Vec::new())?;
    parsed(&text).map(Some)
}

fn parsed(text: &str) -> anyhow::Result<CrawlStatus> {
    Ok(read_object("status", text.as_bytes())?)
}

/// Sends a command without arguments to a running crawl.
pub(super) fn switch(directory: &Path, command: &str) -> anyhow::Result<()> {
    ask(directory, http::Method::POST, command, Vec::new()).map(drop)
}

/// Sends a request to the crawl in a directory and returns its answer.
fn ask(directory: &Path, method: http::Method, what: &str, body: Vec<u8>) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answered = async { tokio::time::timeout(ANSWER_MAX, exchange(directory, method, what, body)).await };
    runtime.block_on(answered).context("the crawl does not answer")?
}

async fn exchange(directory: &Path, method: http::Method, what: &str, body: Vec<u8>) -> anyhow::Result<String> {
    let name = directory.display();
    let stream = match tokio::net::UnixStream::connect(directory.join(SOCKET)).await {
        Ok(stream) => stream,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            bail!("{name} belongs to another user: only the user who crawls may ask the crawl or command it");
        }
        Err(_) if directory.join("report.json").exists() || directory.join("state").exists() => {
            bail!("no crawl runs in {name}; `harvestman resume {name}` resumes the crawl");
        }
        Err(_) => bail!("{name} is not a crawl directory"),
    };
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake::<_, Full<Bytes>>(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = http::Request::builder().method(method).uri(format!("/api/{what}")).header("host", "crawl");
    let answer = sender.send_request(request.body(Full::new(Bytes::from(body)))?).await?;
    let status = answer.status();
    let text = String::from_utf8(answer.into_body().collect().await?.to_bytes().to_vec())?;
    if !status.is_success() {
        bail!("the crawl rejected the command: {text}");
    }
    Ok(text)
}

/// Returns a line with the address of the crawl's live page, if it has one.
fn page(directory: &Path) -> String {
    std::fs::read_to_string(directory.join(ADDRESS_FILE))
        .map_or_else(|_| String::new(), |page| format!("live page: {page}"))
}
