//! `harvestman status`, `pause`, `resume-crawl`, `stop`: a running crawl, from another terminal.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::TokioIo;
use serde_json::Value;

use crate::admin::SOCKET;

/// How long a crawl may take to answer.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// Arguments of the commands that tell a running crawl something.
#[derive(Debug, Clone, clap::Args)]
pub struct ControlArgs {
    /// The crawl's directory
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Arguments of `harvestman status`.
#[derive(Debug, Clone, clap::Args)]
pub struct StatusArgs {
    /// The crawl's directory
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Everything, as JSON
    #[arg(long)]
    json: bool,
}

/// Shows where a crawl stands, and what it waits for.
pub fn status(args: &StatusArgs) -> anyhow::Result<()> {
    let text = ask(&args.directory, http::Method::GET, "status")?;
    let shown = if args.json { text + "\n" } else { told(&serde_json::from_str(&text)?) };
    // A reader that has seen enough is no failure.
    let _ = io::stdout().write_all(shown.as_bytes());
    Ok(())
}

/// Tells a running crawl something.
pub fn tell(args: &ControlArgs, command: &str) -> anyhow::Result<()> {
    ask(&args.directory, http::Method::POST, command).map(drop)
}

/// Asks the crawl in a directory.
fn ask(directory: &Path, method: http::Method, what: &str) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let asked = async { tokio::time::timeout(ANSWER_MAX, exchange(directory, method, what)).await };
    runtime.block_on(asked).context("the crawl does not answer")?
}

async fn exchange(directory: &Path, method: http::Method, what: &str) -> anyhow::Result<String> {
    let name = directory.display();
    let Ok(stream) = tokio::net::UnixStream::connect(directory.join(SOCKET)).await else {
        if directory.join("report.json").exists() || directory.join("state").exists() {
            bail!("no crawl runs in {name}; `harvestman resume {name}` goes on with it");
        }
        bail!("{name} holds no crawl");
    };
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake::<_, Empty<Bytes>>(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = http::Request::builder().method(method).uri(format!("/api/{what}")).header("host", "crawl");
    let answer = sender.send_request(request.body(Empty::new())?).await?;
    let status = answer.status();
    let text = String::from_utf8(answer.into_body().collect().await?.to_bytes().to_vec())?;
    if !status.is_success() {
        bail!("the crawl refused: {text}");
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
    let first = status["waits"]["first"].as_array().cloned().unwrap_or_default();
    if let Some(next) = first.first().filter(|_| number("leased") == 0 && number("queued") > 0) {
        let _ = writeln!(
            text,
            "stalled: nothing can be fetched before {} (in {} s)",
            next["until"].as_str().unwrap_or_default(),
            next["seconds"]
        );
    }
    for wait in &first {
        let (host, reason) = (wait["host"].as_str().unwrap_or_default(), wait["reason"].as_str().unwrap_or_default());
        let _ = writeln!(text, "  {host} is left alone for {} s: {}", wait["seconds"], meaning(reason));
    }
    let more = status["waits"]["hosts"].as_u64().unwrap_or_default().saturating_sub(first.len() as u64);
    if more > 0 {
        let _ = writeln!(text, "  and {more} hosts more");
    }
    text
}

/// What a reason to wait means.
fn meaning(reason: &str) -> &str {
    match reason {
        "back_off" => "it failed, or asked for it (429, 503)",
        "breaker" => "it could not be reached several times in a row",
        "robots" => "its robots.txt cannot be had",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stalled_crawl_says_since_what_it_waits_for() {
        let status = serde_json::json!({
            "pages": 3, "requests": 9, "queued": 5, "leased": 0, "hosts": 2, "elapsed_seconds": 7.4, "paused": false,
            "budgets": [{"budget": "pages", "used": 3, "limit": 100}],
            "waits": {"hosts": 3, "first": [
                {"host": "http://a.test", "reason": "back_off", "until": "2026-01-01T00:00:09Z", "seconds": 9},
                {"host": "http://b.test", "reason": "robots", "until": "2026-01-01T01:00:00Z", "seconds": 3600},
            ]},
        });
        let text = told(&status);
        for part in [
            "waiting 5",
            "budget of pages: 3 of 100",
            "stalled: nothing can be fetched before 2026-01-01T00:00:09Z (in 9 s)",
            "http://a.test is left alone for 9 s: it failed",
            "its robots.txt cannot be had",
            "and 1 hosts more",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let busy = serde_json::json!({"leased": 1, "queued": 5, "waits": status["waits"]});
        assert!(!told(&busy).contains("stalled"));
    }
}
