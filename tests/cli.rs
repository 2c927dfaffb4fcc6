//! The behaviour of the binary for users: help, mistakes, precedence, exit codes, printed configuration; and a check
//! that the generated documentation is up to date.
#![allow(clippy::unwrap_used, reason = "the helpers belong to the tests")]

#[path = "cli/identity.rs"]
mod identity;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Returns the binary, without the settings of this process's environment.
fn harvestman() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HARVESTMAN_") {
            command.env_remove(name);
        }
    }
    command
}

fn run(args: &[&str]) -> Output {
    harvestman().args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Creates a configuration file in a directory that is removed when dropped.
fn file(text: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("harvestman.toml");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

fn printed(output: &Output) -> toml::Table {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    stdout(output).parse().unwrap()
}

#[test]
fn all_mistakes_of_file_environment_and_flags_are_reported_at_once() {
    let (_dir, path) = file("[budget]\npages = \"many\"\nbites = 3\n");
    let output = harvestman()
        .args(["crawl", "https://example.org/", "--out", "/nonexistent/x", "--time", "soon", "--config"])
        .arg(&path)
        .args(["--set", "crawl.thread=2"])
        .env("HARVESTMAN_LOG_LEVEL", "loud")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    let at = |line: usize| format!("{}:{line}: ", path.display());
    for part in [
        "5 mistakes in the configuration:",
        &format!("{}`budget.pages`: ", at(2)),
        &format!("{}unknown setting `budget.bites`; did you mean `budget.bytes`?", at(3)),
        "--time: `budget.time`: `soon` is not a duration",
        "--set crawl.thread: unknown setting `crawl.thread`; did you mean `crawl.threads`?",
        "environment variable HARVESTMAN_LOG_LEVEL: `log.level`: unknown variant `loud`",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    assert!(stdout(&output).is_empty());
}

#[test]
fn flags_override_the_environment_which_overrides_the_file() {
    let (_dir, path) = file("[budget]\npages = 1\nrequests = 1\ndepth = 1\n");
    let output = harvestman()
        .args(["config", "--pages", "3", "--config"])
        .arg(&path)
        .env("HARVESTMAN_BUDGET_PAGES", "2")
        .env("HARVESTMAN_BUDGET_REQUESTS", "2")
        .output()
        .unwrap();
    let budget = printed(&output)["budget"].clone();
    assert_eq!(["pages", "requests", "depth"].map(|key| budget[key].as_integer().unwrap()), [3, 2, 1]);
}

#[test]
fn the_printed_configuration_loads_to_the_same_configuration() {
    let output = run(&[
        "config",
        "--pages",
        "7",
        "--bytes",
        "1GiB",
        "--time",
        "90s",
        "--set",
        "crawl.seeds=a.example,b.example",
    ]);
    let (_dir, path) = file(&stdout(&output));
    let again = run(&["config", "--config", path.to_str().unwrap()]);
    assert_eq!(stdout(&again), stdout(&output));
    assert_eq!(printed(&output)["budget"]["bytes"].as_str(), Some("1GiB"));
    assert_ne!(stdout(&run(&["config"])), stdout(&output));
}

#[test]
fn the_defaults_are_printed_regardless_of_the_environment() {
    let output = harvestman().args(["config", "--defaults"]).env("HARVESTMAN_BUDGET_PAGES", "2").output().unwrap();
    assert_eq!(printed(&output)["budget"]["pages"].as_integer(), Some(0));
    assert!(stdout(&output).contains("# Number of pages fetched successfully."));
}

#[test]
fn the_help_has_examples_and_exit_codes() {
    let text = stdout(&run(&["--help"]));
    for part in ["Examples:", "Exit codes:", "130", "--contact"] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    let text = stdout(&run(&["crawl", "--help"]));
    for part in ["Examples:", "[budget.pages]", "[crawl.out]", "When to stop"] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
}

#[test]
fn completions_are_written_for_three_shells() {
    for (shell, part) in [("bash", "_harvestman()"), ("zsh", "#compdef harvestman"), ("fish", "complete -c harvestman")]
    {
        let output = run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains(part) && stdout(&output).contains("pages"), "{shell}");
    }
}

#[test]
fn an_invalid_seed_is_quoted_and_nothing_is_created() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let output = run(&["crawl", "https://ok.example/", "forum", "ftp://example.org/", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("seed `forum` is not a URL") && text.contains("`ftp://example.org/`"), "{text}");
    assert!(!out.exists());
}

#[test]
fn a_crawl_without_a_seed_says_that_it_is_missing() {
    let output = run(&["crawl", "--out", "/nonexistent/x"]);
    assert_eq!((output.status.code(), stderr(&output).contains("no seed")), (Some(2), true));
}

#[test]
fn a_crawl_without_an_output_directory_makes_one_that_is_named_after_the_host() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["127.0.0.1", "127.0.0.1-2"] {
        // Nothing listens there.
        let crawl = ["crawl", "http://127.0.0.1:1/", "--requests", "1"];
        let output = harvestman().args(crawl).current_dir(dir.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert!(stderr(&output).contains(&format!("the new directory {name}")), "{}", stderr(&output));
        assert!(stdout(&output).contains(&format!("output    {name}\n")), "{}", stdout(&output));
        assert!(dir.path().join(name).join("report.json").exists());
    }
}

#[test]
fn seeds_that_are_given_more_than_once_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let seeds = ["http://127.0.0.1:1/", "127.0.0.1:1", "http://127.0.0.1:1/a"];
    let crawl = harvestman()
        .arg("crawl")
        .args(seeds)
        .args(["--requests", "1", "--out", "out"])
        .current_dir(dir.path())
        .output();
    let said = stderr(&crawl.unwrap());
    assert!(said.contains("seeds repeat others: each URL is requested once repeated=1"), "{said}");
    let config = std::fs::read_to_string(dir.path().join("out/config.toml")).unwrap();
    let config: toml::Table = config.parse().unwrap();
    assert_eq!(config["crawl"]["seeds"].as_array().unwrap().len(), 2);
}

#[test]
fn a_url_in_the_place_of_a_command_is_a_mistake_that_names_the_command() {
    for url in ["https://example.org/", "forum.example.org", "http://127.0.0.1:9/?a&b"] {
        let output = run(&[url]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("`{url}`")) && said.contains("harvestman crawl "), "{said}");
    }
    assert!(!stderr(&run(&["crowl"])).contains("harvestman crawl "));
}

#[test]
fn a_nonempty_output_directory_is_refused_and_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine"), "mine").unwrap();
    let output = run(&["crawl", "http://127.0.0.1:9/", "--out", dir.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("not empty"), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_metrics_address_in_use_is_a_mistake_and_the_directory_stays_usable() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = run(&["crawl", "http://127.0.0.1:9/", "--metrics", &address, "--out", dir.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(&format!("cannot listen on {address}")), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn in_the_json_format_every_line_on_standard_error_is_a_json_object() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    // Port 9 (discard) of this machine: nothing is fetched.
    let output = run(&[
        "crawl",
        "127.0.0.1:9",
        "--log-format",
        "json",
        "--metrics",
        "127.0.0.1:0",
        "--requests",
        "1",
        "--time",
        "5s",
        "--out",
        out.to_str().unwrap(),
    ]);
    let text = stderr(&output);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{text}"))).collect();
    assert!(lines.iter().any(|line| line["message"] == "a seed has no scheme; assuming http://127.0.0.1:9/"), "{text}");
    assert_eq!(output.status.code(), Some(3), "nothing could be fetched");
    assert!(lines.iter().all(|line| line["level"].is_string() && line["timestamp"].is_string()), "{text}");
}

#[test]
fn an_unknown_flag_is_a_usage_error_with_a_suggestion() {
    let output = run(&["crawl", "--page", "3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--pages"), "{}", stderr(&output));
}

#[test]
fn a_command_that_is_gone_names_what_does_the_same() {
    for (command, instead) in [
        ("lab", "harvestman-lab lab"),
        ("replay", "harvestman-lab replay"),
        ("index", "harvestman-lab index"),
        ("learn", "--policy ucc --pages 500"),
    ] {
        let output = run(&[command, "x"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(instead), "{}", stderr(&output));
    }
    let output = run(&["crawl", "http://127.0.0.1:9/", "--policy", "opic"]);
    assert!(output.status.code() == Some(2) && stderr(&output).contains("harvestman-lab"), "{}", stderr(&output));
}

#[test]
fn a_page_is_not_requested_without_a_browser_that_could_render_it() {
    let (_dir, path) = file("");
    let empty = path.parent().unwrap();
    let output = harvestman().args(["inspect", "render", "http://127.0.0.1:1/"]).env("PATH", empty).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("Debian: apt-get install chromium-headless-shell"), "{}", stderr(&output));
    let named = run(&["inspect", "render", "http://127.0.0.1:1/", "--set", "render.browser=/nonexistent/chrome"]);
    assert_eq!(named.status.code(), Some(1));
    assert!(stderr(&named).contains("render.browser: /nonexistent/chrome"), "{}", stderr(&named));
    let invalid = run(&["inspect", "render", "ftp://example.org/"]);
    assert_eq!(invalid.status.code(), Some(2));
    assert!(stderr(&invalid).contains("`ftp://example.org/` has the scheme ftp"), "{}", stderr(&invalid));
}

#[test]
fn an_unreadable_configuration_file_is_named() {
    let output = run(&["config", "--config", "/nonexistent/h.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot read /nonexistent/h.toml"), "{}", stderr(&output));
}

#[test]
fn explain_refuses_other_directories() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path().to_str().unwrap();
    for (dir, why) in [(here, "is not a crawl directory"), ("/nonexistent/crawl", "does not exist")] {
        let output = run(&["explain", dir, "http://example.org/"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    std::fs::write(dir.path().join("config.toml"), "").unwrap();
    let output = run(&["explain", here, "nonsense"]);
    assert!(stderr(&output).contains("`nonsense` is not a URL"), "{}", stderr(&output));
}

#[test]
fn a_policy_without_its_example_is_refused() {
    let output = run(&["crawl", "http://127.0.0.1:9/", "--policy", "target", "--out", "/nonexistent/x"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("needs an example page"), "{}", stderr(&output));
}

#[test]
fn the_metrics_pass_promtool_if_installed() {
    let metrics = harvestman::metrics::Metrics::new();
    metrics.fetch.count_status(200);
    metrics.fetch.duration.by("whole").observe(std::time::Duration::from_millis(20));
    metrics.crawl.fates.by("failed", "tls").inc();
    let promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut promtool) = promtool else {
        // Bypasses the harness, which hides the output of passing tests.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            "SKIPPED: promtool is not installed (Debian: apt-get install prometheus)\n".as_bytes(),
        );
        return;
    };
    promtool.stdin.take().unwrap().write_all(metrics.encode().as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = stdout(&output) + &stderr(&output);
    assert!(output.status.success() && said.trim().is_empty(), "{said}");
}

/// Compares a file of `docs/` with its generated content; with `HARVESTMAN_BLESS=1`, writes it.
fn up_to_date(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if std::env::var_os("HARVESTMAN_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, made).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == made,
        "docs/{name} is out of date: regenerate it with `HARVESTMAN_BLESS=1 cargo test --test cli`"
    );
}

#[test]
fn the_generated_documentation_is_up_to_date() {
    up_to_date("METRICS.md", &harvestman::metrics::reference());
    up_to_date("configuration.md", &harvestman::config::reference());
    up_to_date("cli.md", &harvestman::cli::reference());
}

#[test]
fn the_posts_of_a_page_are_shown() {
    let post = |name: &str, day: u32, text: &str| {
        format!(
            "<li><a class=user href=/u/{name}>{name}</a> <time>{day} Apr 2020 10:00</time><p class=body>{text}</p></li>"
        )
    };
    let posts = [
        ("ann", "how do I clean an old lens"),
        ("bob", "with a soft brush and patience"),
        ("ann", "that worked thank you"),
    ];
    let posts: String = posts.iter().zip(3..).map(|((name, text), day)| post(name, day, text)).collect();
    let (_dir, path) = file(&format!("<title>t</title><ul>{posts}</ul>"));
    let path = path.to_str().unwrap();
    let listed = stdout(&run(&["inspect", "posts", path]));
    assert!(listed.contains("2. bob · 2020-04-04T10:00:00  /u/bob\n   with a soft brush and patience\n"), "{listed}");
    assert!(
        listed.contains("\n   author   (li > a.user)\n   time     (li > time)\n   text     (li > p.body)\n"),
        "{listed}"
    );
    assert!(listed.ends_with("3 posts\n"), "{listed}");
    let output = stdout(&run(&["inspect", "posts", path, "--json", "--url", "https://a.example/t/1"]));
    let answer: serde_json::Value = serde_json::from_str(&output).unwrap();
    let third = &answer["posts"][2];
    assert_eq!(third["author_url"], "https://a.example/u/ann");
    assert_eq!((third["position"].as_u64(), &third["text"]), (Some(3), &"that worked thank you".into()));
    assert_eq!(third["places"][0], serde_json::json!({"field": "author", "source": "template", "path": "li > a.user"}));
    let (_dir, empty) = file("<p>nothing to see");
    let listed = stdout(&run(&["inspect", "posts", empty.to_str().unwrap()]));
    assert!(listed.starts_with("no posts: the page shows no date"), "{listed}");
    let output = run(&["inspect", "posts", "https://a.example/t/1"]);
    assert!(output.status.code() == Some(2) && stderr(&output).contains("--crawl"), "{}", stderr(&output));
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>nothing to see";
    let (_dir, warc) = file(&format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         WARC-Target-URI: https://a.example/\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    ));
    let output = run(&["posts", warc.to_str().unwrap()]);
    let said = stderr(&output);
    assert!(output.status.code() == Some(0) && said.contains("`harvestman inspect posts FILE` tells why"), "{said}");
    let (_dir, deep) = file(&"<div>".repeat(100_000));
    let output = run(&["inspect", "posts", deep.to_str().unwrap()]);
    assert!(output.status.code() == Some(1) && stderr(&output).contains("nested too deep"), "{}", stderr(&output));
    assert_eq!(run(&["inspect", "posts", "/nonexistent"]).status.code(), Some(1));
}
