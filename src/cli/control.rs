//! `harvestman status`, `pause`, `resume-crawl`, `stop`, `set`, `ban`, `pin`, `block` and their opposites: control of a
//! running crawl from another terminal.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::Value;

use super::endpoints::ADDRESS_FILE;
use harvestman_admin::SOCKET;
use harvestman_fleet::status::FleetProgress;

/// Time limit for the answer of a crawl.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// Arguments of the commands that take a crawl directory only.
#[derive(Debug, Clone, clap::Args)]
pub struct ControlArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Arguments of `harvestman status`.
#[derive(Debug, Clone, clap::Args)]
pub struct StatusArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `harvestman set`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = SET_HELP)]
pub struct SetArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Settings and their new values
    #[arg(value_name = "SECTION.KEY=VALUE", required = true)]
    settings: Vec<String>,
}

const SET_HELP: &str = "\
Examples:
  Slow down:
    harvestman set forum host.delay=5s
  Enlarge the budget before it is used up:
    harvestman set forum budget.pages=200000

docs/configuration.md marks the settings that can be changed while a crawl runs as live: budgets of
pages, bytes, time, requests and pages per host; delays, retries, back-off and circuit breaker of
hosts; frontier.queued_max and frontier.explore_every. New values take effect at once, are written
to the crawl's config.toml and remain in force after `harvestman resume`.";

/// Arguments of `harvestman ban`, `unban`, `pin` and `unpin`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = TARGET_HELP)]
pub struct SteerArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Cluster of pages (5), link class (3/00c0ffee00c0ffee/8badf00d8badf00d) or URL pattern (/tag/*)
    #[arg(value_name = "WHAT")]
    what: String,
}

const TARGET_HELP: &str = "\
Clusters are numbered by the policies that cluster pages (ucc, target, cluster-graph), as in
pages.jsonl, policy.jsonl and `harvestman site`; for an unknown number, the known ones are listed.
A cluster stands for all URLs of the patterns whose fetched pages mostly belong to it. Link classes
are written as in pages.jsonl and policy.jsonl. In a URL pattern, * matches any characters; a
pattern that begins with / is matched against path and query, any other against the whole URL. URL
patterns work with every policy.

Banned links are refused from now on, and queued URLs are dropped with the fate `policy: banned`.
After `unban`, new links are followed; dropped URLs stay dropped. Pinned URLs are fetched before all
others. A ban overrides a pin. Both stay in force until they are removed, also after
`harvestman resume`.";

/// Arguments of `harvestman block` and `unblock`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HOST_HELP)]
pub struct HostArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Host: example.org or example.org:8080 for both http and https, or `https://example.org`
    #[arg(value_name = "HOST")]
    host: String,
}

const HOST_HELP: &str = "\
A blocked host gets no new requests once the command has been answered; requests in flight are
finished. Its URLs wait until the host is unblocked, and the crawl does not end before: if nothing
else is left, `harvestman status` says so. The host stays blocked after `harvestman resume`.";

/// Changes settings of a running crawl.
pub fn set(args: &SetArgs) -> anyhow::Result<()> {
    give(&args.directory, "set", &args.settings)
}

/// Bans or pins a target, or removes a ban or pin.
pub fn steer(args: &SteerArgs, command: &str) -> anyhow::Result<()> {
    give(&args.directory, command, std::slice::from_ref(&args.what))
}

/// Blocks or unblocks a host.
pub fn block(args: &HostArgs, command: &str) -> anyhow::Result<()> {
    give(&args.directory, command, std::slice::from_ref(&args.host))
}

/// Sends a command to a running crawl and prints its effect.
fn give(directory: &Path, command: &str, arguments: &[String]) -> anyhow::Result<()> {
    let effect = ask(directory, http::Method::POST, (command, serde_json::to_vec(arguments)?))?;
    let _ = writeln!(io::stdout(), "{effect}");
    Ok(())
}

/// Prints the progress of a crawl and what it waits for.
pub fn status(args: &StatusArgs) -> anyhow::Result<()> {
    let text = ask(&args.directory, http::Method::GET, ("status", Vec::new()))?;
    let shown = if args.json { text + "\n" } else { told(&serde_json::from_str(&text)?) + &page(&args.directory) };
    // A closed pipe (`| head`) is not an error.
    let _ = io::stdout().write_all(shown.as_bytes());
    Ok(())
}

/// Checks that a crawl runs in a directory.
pub(super) fn reach(directory: &Path) -> anyhow::Result<()> {
    ask(directory, http::Method::GET, ("status", Vec::new())).map(drop)
}

/// Returns the status of the crawl that runs in a directory, or `None` where none runs there.
///
/// # Errors
/// The crawl runs but does not answer.
pub(super) fn status_of(directory: &Path) -> anyhow::Result<Option<Value>> {
    if std::os::unix::net::UnixStream::connect(directory.join(SOCKET)).is_err() {
        // A killed crawl leaves a socket that nobody listens on.
        return Ok(None);
    }
    let text = ask(directory, http::Method::GET, ("status", Vec::new()))?;
    Ok(Some(serde_json::from_str(&text)?))
}

/// Sends a command without arguments to a running crawl.
pub fn tell(args: &ControlArgs, command: &str) -> anyhow::Result<()> {
    ask(&args.directory, http::Method::POST, (command, Vec::new())).map(drop)
}

/// Sends a request to the crawl in a directory and returns its answer.
fn ask(directory: &Path, method: http::Method, what: (&str, Vec<u8>)) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let asked = async { tokio::time::timeout(ANSWER_MAX, exchange(directory, method, what)).await };
    runtime.block_on(asked).context("the crawl does not answer")?
}

async fn exchange(directory: &Path, method: http::Method, (what, body): (&str, Vec<u8>)) -> anyhow::Result<String> {
    let name = directory.display();
    let Ok(stream) = tokio::net::UnixStream::connect(directory.join(SOCKET)).await else {
        if directory.join("report.json").exists() || directory.join("state").exists() {
            bail!("no crawl runs in {name}; `harvestman resume {name}` resumes the crawl");
        }
        bail!("{name} is not a crawl directory");
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

/// The status for people.
fn told(status: &Value) -> String {
    let number = |name: &str| status[name].as_u64().unwrap_or_default();
    let mut text = format!(
        "pages {}, requests {}, waiting {}, under way {}, hosts {}, running for {} s\n",
        number("pages"),
        number("requests"),
        number("queued"),
        number("leased"),
        number("hosts"),
        status["elapsed_seconds"].as_f64().unwrap_or_default().round(),
    );
    for budget in status["budgets"].as_array().into_iter().flatten() {
        let kind = budget["budget"].as_str().unwrap_or_default();
        let _ = writeln!(text, "budget of {kind}: {} of {}", budget["used"], budget["limit"]);
    }
    if status["draining"] == true {
        text.push_str("stopping: what is under way is finished\n");
    } else if status["paused"] == true {
        text.push_str("paused: `harvestman resume-crawl` lets it go on\n");
    }
    if let Some(stall) = status["stall"].as_str() {
        let _ = writeln!(text, "stalled: {stall}");
    }
    let first = status["waits"]["first"].as_array().cloned().unwrap_or_default();
    for wait in &first {
        let (host, reason) = (wait["host"].as_str().unwrap_or_default(), wait["reason"].as_str().unwrap_or_default());
        let _ = writeln!(text, "  {host} is left alone for {} s: {}", wait["seconds"], meaning(reason));
    }
    let more = status["waits"]["hosts"].as_u64().unwrap_or_default().saturating_sub(first.len() as u64);
    if more > 0 {
        let _ = writeln!(text, "  and {more} hosts more");
    }
    text + &held(&status["in_force"]) + &fleet(&status["fleet"])
}

/// Where the node stands in its fleet, if it is of one.
fn fleet(standing: &Value) -> String {
    FleetProgress::deserialize(standing).map_or_else(|_| String::new(), |standing| standing.to_string())
}

/// Where the crawl's live page is, if it has one.
fn page(directory: &Path) -> String {
    std::fs::read_to_string(directory.join(ADDRESS_FILE))
        .map_or_else(|_| String::new(), |page| format!("live page: {page}"))
}

/// What somebody has told the crawl and holds.
fn held(in_force: &Value) -> String {
    let mut text = String::new();
    for (name, value) in in_force["set"].as_object().into_iter().flatten() {
        let _ = writeln!(text, "set: {name} = {}", value.as_str().unwrap_or_default());
    }
    for list in ["banned", "pinned", "blocked"] {
        for what in in_force[list].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let _ = writeln!(text, "{list}: {what}");
        }
    }
    text
}

/// What a reason to wait means.
fn meaning(reason: &str) -> &str {
    match reason {
        "back_off" => "it failed, or asked for it (429, 503)",
        "breaker" => "it could not be reached several times in a row",
        "robots" => "its robots.txt cannot be had",
        "group" => "another host of its group asked for it (429, 503)",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_fleet::status::{FleetStatus, NodeStatus};

    #[test]
    fn a_stalled_crawl_says_since_what_it_waits_for() {
        let status = serde_json::json!({
            "pages": 3, "requests": 9, "queued": 5, "leased": 0, "hosts": 2, "elapsed_seconds": 7.4, "paused": false,
            "budgets": [{"budget": "pages", "used": 3, "limit": 100}],
            "stall": "nothing can be fetched",
            "waits": {"hosts": 3, "first": [
                {"host": "http://a.test", "reason": "back_off", "until": "2026-01-01T00:00:09Z", "seconds": 9},
                {"host": "http://b.test", "reason": "robots", "until": "2026-01-01T01:00:00Z", "seconds": 3600},
            ]},
            "in_force": {"set": {"host.delay": "2s"}, "banned": ["5", "/tag/*"], "pinned": [], "blocked": ["c.test"]},
        });
        let text = told(&status);
        for part in [
            "waiting 5",
            "budget of pages: 3 of 100",
            "stalled: nothing can be fetched\n",
            "http://a.test is left alone for 9 s: it failed",
            "its robots.txt cannot be had",
            "and 1 hosts more",
            "set: host.delay = 2s\nbanned: 5\nbanned: /tag/*\nblocked: c.test\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let node = NodeStatus { node: "a".to_owned(), state: "live".to_owned(), leads: true, ..NodeStatus::default() };
        let fleet = FleetStatus { name: "x".to_owned(), size: 1, nodes: vec![node], ..FleetStatus::default() };
        let standing = FleetProgress { session: "a.1".to_owned(), margin_seconds: 3.0, fleet };
        let text = told(&serde_json::json!({"pages": 3, "fleet": standing}));
        assert!(
            text.contains("fleet: crawl `x`") && text.contains("live, leads") && text.contains("this is node a;"),
            "{text}"
        );
        let busy = serde_json::json!({"leased": 1, "queued": 5, "waits": status["waits"]});
        assert!(!told(&busy).contains("stalled") && !told(&busy).contains("fleet"));
    }
}
