//! `harvestman inspect robots`: evaluates a robots.txt file.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer_lines;
use harvestman_consent::{UrlPath, combined, effect};
use harvestman_core::config::{Purpose, RobotsOptions};
use harvestman_core::model::{Effect, Statement};
use harvestman_report::terminal;
use harvestman_stages::host::robots::{BYTE_LIMIT, RobotsRules};

/// Show what a robots.txt file allows, and by which rule, and for which purposes it refuses pages
///
/// Without FILE, answers JSON lines on standard input, `{id, robots_b64, agent, url}`, each with `{id, allowed, rule,
/// crawl_delay}`, and with `signals` if the file states something about the use of the URL's content.
#[derive(Debug, Clone, Args)]
pub struct RobotsArgs {
    /// robots.txt file to read; `-` for standard input
    pub file: Option<PathBuf>,
    /// Product token of the crawler
    #[arg(long, default_value_t = RobotsOptions::default().agent)]
    pub agent: String,
    /// URL, or path and query, to check; may be repeated
    #[arg(long = "url", value_name = "URL", requires = "file")]
    pub urls: Vec<String>,
}

#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    id: Value,
    robots_b64: String,
    #[serde(default)]
    agent: Option<String>,
    url: String,
}

/// Runs the command.
pub fn run(args: RobotsArgs) -> anyhow::Result<()> {
    let mut output = terminal::stdout();
    let Some(file) = &args.file else {
        return Ok(answer_lines(io::stdin().lock(), output, answer)?);
    };
    if file.as_os_str() != "-" {
        let file = File::open(file).with_context(|| format!("cannot open {}", file.display()))?;
        return describe(file, &args, &mut output);
    }
    let mut input = io::stdin().lock();
    if input.fill_buf()?.trim_ascii_start().starts_with(b"{") {
        return Ok(answer_lines(input, output, answer)?);
    }
    describe(input, &args, &mut output)
}

fn answer(question: Question) -> Value {
    let bytes = match data_encoding::BASE64.decode(question.robots_b64.as_bytes()) {
        Ok(bytes) => bytes,
        Err(error) => return json!({"id": question.id, "error": format!("robots_b64 is not base64: {error}")}),
    };
    let agent = question.agent.unwrap_or_else(|| RobotsOptions::default().agent);
    let rules = RobotsRules::parse(&bytes, &agent);
    let decision = rules.decide(&path_and_query(&question.url));
    let mut answer = json!({
        "id": question.id,
        "allowed": decision.allowed,
        "rule": decision.rule,
        "crawl_delay": rules.crawl_delay().map(|delay| seconds(delay.as_secs_f64())),
    });
    let signals: Vec<Value> = statements(&rules, &question.url).iter().map(signal).collect();
    if !signals.is_empty() {
        answer["signals"] = Value::Array(signals);
    }
    answer
}

/// Returns what the file states about the use of a URL's content.
fn statements(rules: &RobotsRules, url: &str) -> Vec<Statement> {
    let path = path_and_query(url);
    combined(rules.statements().of(&UrlPath::new(&path)).cloned())
}

/// Returns the purposes for which a statement keeps a page from being fetched.
fn refused_purposes(statement: &Statement) -> Vec<&'static str> {
    let is_refused = |purpose: &Purpose| effect(*purpose, statement) == Effect::NotFetched;
    Purpose::ALL.into_iter().filter(is_refused).map(Purpose::label).collect()
}

fn signal(statement: &Statement) -> Value {
    let (signal, refuses) = (statement.signal.label(), refused_purposes(statement));
    json!({"signal": signal, "says": &*statement.says, "refuses": refuses})
}

/// Returns a number of seconds, as an integer where it is one.
fn seconds(seconds: f64) -> Value {
    if seconds.fract() == 0.0 && seconds < 9e15 { json!(seconds as u64) } else { json!(seconds) }
}

/// Returns the part of a URL that robots.txt applies to. Text without a scheme is treated as a path.
fn path_and_query(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(url) if url.has_host() => url[url::Position::BeforePath..url::Position::AfterQuery].to_owned(),
        _ => url.to_owned(),
    }
}

fn describe(input: impl Read, args: &RobotsArgs, output: &mut impl Write) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    // One byte more than the limit lets the parser detect a longer file.
    input.take(BYTE_LIMIT as u64 + 1).read_to_end(&mut bytes).context("cannot read robots.txt")?;
    let rules = RobotsRules::parse(&bytes, &args.agent);
    if let Some(delay) = rules.crawl_delay() {
        writeln!(output, "crawl-delay  {} s", delay.as_secs_f64())?;
    }
    for sitemap in rules.sitemaps() {
        writeln!(output, "sitemap      {sitemap}")?;
    }
    if args.urls.is_empty() {
        for statement in combined(rules.statements().all().cloned()) {
            writeln!(output, "stated       {} {}", statement.signal.label(), statement.says)?;
        }
    }
    for url in &args.urls {
        let decision = rules.decide(&path_and_query(url));
        let verdict = if decision.allowed { "allowed" } else { "disallowed" };
        let reason = decision.rule.unwrap_or_else(|| "no rule matches".to_owned());
        writeln!(output, "{verdict:<11}  {url}  ({reason})")?;
        for statement in statements(&rules, url) {
            let refused = refused_purposes(&statement);
            let refuses = if refused.is_empty() {
                String::new()
            } else {
                format!("  (refuses the purposes: {})", refused.join(", "))
            };
            writeln!(output, "stated       {} {}{refuses}", statement.signal.label(), statement.says)?;
        }
    }
    if bytes.len() > BYTE_LIMIT {
        writeln!(output, "note         only the first {BYTE_LIMIT} bytes are used")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "User-agent: *\nDisallow: /private/\nCrawl-delay: 2.5\nSitemap: https://h/s.xml\n";

    fn ask(file: &str, agent: Value, url: &str) -> Value {
        let robots_b64 = data_encoding::BASE64.encode(file.as_bytes());
        answer(serde_json::from_value(json!({"id": 7, "robots_b64": robots_b64, "agent": agent, "url": url})).unwrap())
    }

    #[test]
    fn a_question_is_answered_with_the_decision_its_rule_and_the_delay() {
        assert_eq!(
            ask(FILE, json!("bot"), "http://h/private/x?y"),
            json!({"id": 7, "allowed": false, "rule": "Disallow: /private/", "crawl_delay": 2.5})
        );
        assert_eq!(
            ask("User-agent: *\nCrawl-delay: 3\n", Value::Null, "/private/x"),
            json!({"id": 7, "allowed": true, "rule": null, "crawl_delay": 3})
        );
        assert_eq!(ask("", json!("bot"), "/")["crawl_delay"], Value::Null);
    }

    #[test]
    fn statements_about_the_use_of_content_are_shown_with_the_purposes_that_they_refuse() {
        let file = "User-agent: *\nContent-Signal: ai-train=no, search=yes\nContent-Usage: /a/ search=n\nLicense: https://l/\n";
        assert_eq!(
            ask(file, Value::Null, "/a/b")["signals"],
            json!([
                {"signal": "content_signal", "says": "ai-train=no", "refuses": ["train-ai"]},
                {"signal": "content_signal", "says": "search=yes", "refuses": []},
                {"signal": "content_usage", "says": "search=n", "refuses": ["search"]},
                {"signal": "license", "says": "https://l/", "refuses": []},
            ])
        );
        let listing = |urls: &[&str]| {
            let urls = urls.iter().map(|url| (*url).to_owned()).collect();
            let mut output = Vec::new();
            describe(file.as_bytes(), &RobotsArgs { file: None, agent: "bot".into(), urls }, &mut output).unwrap();
            String::from_utf8(output).unwrap()
        };
        assert!(
            listing(&["/b"]).contains("stated       content_signal ai-train=no  (refuses the purposes: train-ai)\n")
        );
        assert!(!listing(&["/b"]).contains("content_usage") && listing(&[]).contains("content_usage search=n\n"));
    }

    #[test]
    fn invalid_base64_is_answered_with_an_error() {
        let question = serde_json::from_value(json!({"id": "a", "robots_b64": "?", "agent": "b", "url": "/"})).unwrap();
        let answer = answer(question);
        assert_eq!(answer["id"], "a");
        assert!(answer["error"].is_string());
    }

    #[test]
    fn urls_may_be_absolute_or_paths() {
        for (url, path) in [
            ("http://h/a/../b?c#d", "/b?c"),
            ("https://user@h:8080", "/"),
            ("/a?b", "/a?b"),
            ("/x?u=http://h/y", "/x?u=http://h/y"),
            ("", ""),
        ] {
            assert_eq!(path_and_query(url), path, "{url}");
        }
    }

    #[test]
    fn the_listing_shows_delay_sitemaps_and_verdicts() {
        let args = RobotsArgs { file: None, agent: "bot".into(), urls: vec!["/private/".into(), "http://h/".into()] };
        let mut output = Vec::new();
        describe(FILE.as_bytes(), &args, &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0], ["crawl-delay", "2.5", "s"]);
        assert_eq!(words[1], ["sitemap", "https://h/s.xml"]);
        assert_eq!(words[2], ["disallowed", "/private/", "(Disallow:", "/private/)"]);
        assert_eq!(words[3][..2], ["allowed", "http://h/"]);
    }
}
