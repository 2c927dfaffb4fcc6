//! A running crawl, asked and told from outside.

use std::process::Command;
use std::time::{Duration, Instant};

use harvestman::sim::{RateLimit, RetryAfterForm, ServerOptions, WorldOptions};

use super::runs::{Runs, output, serve, serve_with};

fn said(command: Command) -> String {
    let output = output(command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Waits for something to come true.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < until, "{what} did not come true");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_status_of_a_stalled_crawl_names_the_reason_and_when_it_goes_on() {
    let limit = RateLimit {
        status: 503,
        retry_after: Duration::from_secs(1_800),
        form: RetryAfterForm::Seconds,
        burst: 12,
        ..RateLimit::per_second(0.01)
    };
    let options = ServerOptions { rate_limit: Some(limit), ..ServerOptions::default() };
    let server = serve_with(&WorldOptions { pages: 200, ..WorldOptions::default() }, options);
    let runs = Runs::of(&server, &["host.delay=0s", "host.retry_after_max=1h", "host.connections_per_host=1"]);
    let mut running = runs.start(runs.crawl());
    runs.await_pages();
    wait_until("a stall", || output(runs.tell("status")).stdout.windows(7).any(|part| part == b"stalled"));
    let text = said(runs.tell("status"));
    assert!(text.contains("nothing can be fetched before 20") && text.contains("429, 503"), "{text}");
    let mut json = runs.tell("status");
    json.arg("--json");
    let status: serde_json::Value = serde_json::from_str(&said(json)).unwrap();
    let seconds = status["waits"]["first"][0]["seconds"].as_u64().unwrap();
    assert!((1_700..=1_801).contains(&seconds), "{status:#}");
    said(runs.tell("stop"));
    assert_eq!(running.wait().unwrap().code(), Some(130));
    let over = output(runs.tell("status"));
    assert!(String::from_utf8_lossy(&over.stderr).contains("harvestman resume"), "{over:?}");
}

#[test]
fn a_paused_crawl_sends_no_request_until_it_is_resumed() {
    let server = serve(&WorldOptions { pages: 300, ..WorldOptions::default() }, Duration::from_millis(5));
    let runs = Runs::of(&server, &["host.delay=10ms", "host.delay_factor=0"]);
    let mut running = runs.start(runs.crawl());
    runs.await_pages();
    wait_until("a control socket", || output(runs.tell("pause")).status.success());
    wait_until("rest", || said(runs.tell("status")).contains("paused"));
    std::thread::sleep(Duration::from_millis(500));
    let before = server.log().requests();
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(server.log().requests(), before, "nothing is asked for");
    said(runs.tell("unpause"));
    wait_until("more requests", || server.log().requests() > before + 5);
    assert_eq!(running.wait().unwrap().code(), Some(0), "{}", runs.stderr());
    runs.check_complete(&server);
    let journal = std::fs::read_to_string(runs.out().join("control.jsonl")).unwrap();
    let told: Vec<serde_json::Value> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(told.iter().all(|line| line["time"].as_str().is_some_and(|time| time.starts_with("20"))));
    assert_eq!(told.last().unwrap()["command"], "unpause");
}

#[test]
fn where_no_crawl_runs_a_command_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let server = serve(&WorldOptions { pages: 10, ..WorldOptions::default() }, Duration::ZERO);
    let runs = Runs::of(&server, &[]).into(Some(dir.path().join("none")));
    for command in ["status", "pause", "unpause", "stop"] {
        let told = output(runs.tell(command));
        assert_eq!(told.status.code(), Some(1), "{command}");
        assert!(String::from_utf8_lossy(&told.stderr).contains("is not a crawl directory"), "{told:?}");
    }
    for (command, argument) in [("set", "host.delay=1s"), ("ban", "5"), ("unpin", "/x"), ("block", "a.test")] {
        let mut tell = runs.tell(command);
        tell.arg(argument);
        let told = output(tell);
        assert_eq!(told.status.code(), Some(1), "{command}");
        assert!(String::from_utf8_lossy(&told.stderr).contains("is not a crawl directory"), "{told:?}");
    }
}
