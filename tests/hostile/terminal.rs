//! What commands print of a site whose titles, names, addresses, headers, forms, sitemaps, feeds and robots.txt hold
//! characters that act on a terminal.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

use super::crawl::{Crawl, Outcome, harvestman};
use super::site::{Peer, Site, Then};

/// Renames the window, changes the colour, clears the screen (with C0 and with C1 characters), deletes, and reorders
/// what follows.
const EVIL: &str = "\u{1b}]0;pwned\u{7}\u{1b}[31m\u{9b}2J\u{8}\u{7f}\u{202e}\u{2066}\u{200f}\u{61c}";

/// Commands that are not tried, because nothing that they print comes from a site: they take no page and no crawl, or
/// only send an order.
const NOTHING_OF_A_SITE: &[&str] = &[
    "ctl ban",
    "ctl block",
    "completions",
    "config",
    "demo",
    "doctor",
    "fleet demo",
    "fleet join",
    "fleet leave",
    "fleet rebalance",
    "fleet status",
    "identity directory",
    "identity new",
    "identity page",
    "identity show",
    "identity sign",
    "man",
    "ctl pause",
    "ctl pin",
    "ctl unpause",
    "ctl set",
    "sim",
    "ctl stop",
    "ctl unban",
    "ctl unblock",
    "ctl unpin",
    "upload",
];
/// Commands that are not tried, because they need a browser or never end. They print by the same writer.
const NOT_TRIED: &[&str] = &["ctl status", "inspect render", "live"];

fn page(target: &str) -> String {
    let number: usize = target.bytes().map(usize::from).sum();
    let posts: String = (0..3)
        .map(|post| {
            let words: String = (1..30).map(|word| format!("w{} ", number * word % 977 + post)).collect();
            format!(
                "<article class='post' id=p{post}><a class=author href='/u/{post}{EVIL}'>Ann{EVIL}</a> \
                 <time datetime='2025-05-0{}T10:00:00Z'>{EVIL}</time><p class='{EVIL} text'>{EVIL} {words}</p></article>",
                post + 1
            )
        })
        .collect();
    let links: String = (0..9)
        .map(|link| {
            format!("<li><a class='{EVIL}' href='/t/{}?x={EVIL}'>t{EVIL}</a></li>", (number * 7 + link * 13) % 97)
        })
        .collect();
    format!(
        "<title>A{EVIL} title\nFORGED</title><base href='/{EVIL}/..'><link rel=canonical href='/c{EVIL}\nFORGED'>\
         <meta name=robots content='{EVIL}'><link rel=alternate type='application/rss+xml' href='/feed{EVIL}'>\
         <ul>{links}</ul>{posts}<form action='/search{EVIL}'><input name='{EVIL}'></form>"
    )
}

fn robots() -> String {
    format!(
        "User-agent: *{EVIL}\nDisallow: /no{EVIL}\nCrawl-delay: {EVIL}\n{EVIL}: x\nSitemap: http://h.test/{EVIL}\nSitemap: /map{EVIL}\n"
    )
}

fn sitemap() -> String {
    format!("<urlset><url><loc>http://h.test/{EVIL}\nFORGED</loc><lastmod>{EVIL}</lastmod></url></urlset>")
}

fn log_in_form() -> String {
    format!(
        "<form method=post><input name=user><input type=password name=p><input name=q required placeholder='{EVIL}\nFORGED'></form>"
    )
}

fn answer(target: &str, peer: &mut Peer) -> Then {
    // Other characters cannot be part of a header.
    let header = "\u{9b}2J\u{202e}";
    let html = format!(
        "Content-Type: text/html; charset=utf-8; x=\"{header}\"\r\nX-Robots-Tag: {header}\r\nETag: \"{header}\"\r\n"
    );
    match target {
        "/robots.txt" => peer.answer("200 OK", "Content-Type: text/plain\r\n", robots().as_bytes()),
        "/login" => peer.answer("200 OK", &html, log_in_form().as_bytes()),
        map if map.starts_with("/map") => peer.answer("200 OK", "Content-Type: text/xml\r\n", sitemap().as_bytes()),
        feed if feed.starts_with("/feed") => {
            let feed = format!(
                "<rss version='2.0'><channel><title>{EVIL}</title><item><title>{EVIL}</title><link>/t/1{EVIL}</link></item></channel></rss>"
            );
            peer.answer("200 OK", "Content-Type: application/rss+xml\r\n", feed.as_bytes())
        }
        "/t/1" => peer.answer("302 Found", &format!("Location: /moved{header}\r\n"), b""),
        "/t/2" => peer.answer("200 OK", &format!("Content-Type: {header}\r\n"), b"x"),
        "/t/3" => peer.answer("200 OK", &format!("Content-Type: text/html\r\nContent-Encoding: {header}\r\n"), b"x"),
        _ => peer.answer("200 OK", &html, page(target).as_bytes()),
    }
}

/// Fails where a text acts on a terminal, or where a line break of the site made a line of its own.
fn assert_harmless(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let acts = |c: char| {
        matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}')
    };
    for line in text.lines() {
        assert!(!line.contains(acts), "{what}: {line:?}");
        assert!(!line.starts_with("FORGED"), "{what}: {text}");
    }
}

struct Tried {
    commands: BTreeSet<String>,
}

impl Tried {
    /// Runs a command; `arguments` begin with its name. Only messages count where standard output is data.
    fn run(&mut self, arguments: &[&str], is_data: bool) {
        let has_parts = ["inspect", "export"].contains(&arguments[0]) || arguments.starts_with(&["posts", "teach"]);
        let words = if has_parts { 2 } else { 1 };
        self.commands.insert(arguments[..words].join(" "));
        let output = harvestman().args(arguments).stdin(Stdio::null()).output().unwrap();
        let what = arguments.join(" ");
        assert!(!(output.stdout.is_empty() && output.stderr.is_empty()) || is_data, "{what} prints nothing");
        assert_harmless(&what, &output.stderr);
        if !is_data {
            assert_harmless(&what, &output.stdout);
        }
        let is_json = arguments.contains(&"--json") || arguments.windows(2).any(|pair| pair == ["--format", "json"]);
        if is_json && output.status.success() && !is_data {
            let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert!(!value.is_null(), "{what}");
        }
    }
}

fn crawl(site: &Site) -> Outcome {
    let crawl =
        Crawl::of(site).arg("--policy").arg("ucc").arg("--pages").arg("90").arg("--posts").set("log.level=debug");
    let outcome = crawl.set("archive.links=true").run();
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_harmless("the log of a crawl", outcome.stderr.as_bytes());
    assert_harmless("the end of a crawl", outcome.stdout.as_bytes());
    outcome
}

#[test]
fn no_command_passes_on_what_acts_on_a_terminal() {
    let site = Site::scripted(answer);
    let crawled = crawl(&site);
    let log = std::fs::read_to_string(crawled.out.join("pages.jsonl")).unwrap();
    assert!(log.contains("\\u001b]0;pwned") && log.contains('\u{202e}'), "files keep what the site sent");
    let files = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = files.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (html, robots, map) =
        (file("page.html", &page("/t/9")), file("robots.txt", &robots()), file("map.xml", &sitemap()));
    let out = crawled.out.to_str().unwrap();
    let url = crawled.lines().into_iter().find(|line| line.fate == "fetched" && line.url.contains("/t/")).unwrap().url;
    let warc = std::fs::read_dir(crawled.out.join("warc")).unwrap().next().unwrap().unwrap().path();
    let warc = warc.to_str().unwrap();
    let mut tried = Tried { commands: ["crawl".to_owned()].into() };
    for arguments in [
        &["explain", out, &url][..],
        &["explain", out, &url, "--json"],
        &["explain", out, &site.url("/t/1")],
        &["explain", out, &site.url("/no")],
        &["inspect", "site", out],
        &["inspect", "site", out, "--format", "json"],
        &["inspect", "site", out, "--format", "dot"],
        &["inspect", "site", out, "--format", "graphml"],
        &["report", out, "--format", "markdown", "--out", "-"],
        &["report", out, "--format", "html", "--out", "-"],
        &["report", out, "--format", "json", "--out", "-"],
        &["inspect", "page", &html, "--url", "http://h.test/"],
        &["inspect", "page", &html, "--url", "http://h.test/", "--json"],
        &["inspect", "posts", &html, "--url", "http://h.test/"],
        &["inspect", "posts", &html, "--url", "http://h.test/", "--json"],
        &["inspect", "posts", &url, "--crawl", out],
        &["inspect", "robots", &robots, "--url", "/x"],
        &["inspect", "sitemap", &map],
        &["inspect", "url", EVIL],
        &["inspect", "url", EVIL, "--base", "http://h.test/"],
        &["inspect", "warc", warc],
        &["posts", "teach", out, &url, "--field", "author", "--path", "a.author"],
        &["posts", "teach", out, "--list"],
        &["posts", warc, "--out", files.path().join("posts").to_str().unwrap()],
        &["resume", out, "--pages", "95"],
        &["recrawl", out, "--pages", "10"],
        &[
            "crawl",
            &site.url("/"),
            "--out",
            files.path().join("login").to_str().unwrap(),
            "--delay",
            "0",
            "--login",
            &site.url("/login"),
            "--user",
            "u",
            "--password-env",
            "PATH",
        ],
        &[
            "crawl",
            &site.url("/"),
            "--out",
            files.path().join("json").to_str().unwrap(),
            "--delay",
            "0",
            "--pages",
            "9",
            "--log-format",
            "json",
        ],
    ] {
        tried.run(arguments, false);
    }
    for export in ["cdxj", "links", "pages", "posts", "site", "text", "wacz"] {
        let to = files.path().join(format!("export-{export}"));
        tried.run(&["export", export, out, "--out", to.to_str().unwrap()], false);
    }
    tried.run(&["export", "text", out, "--out", "-"], true);
    assert_all_tried(&tried.commands);
}

/// Every command was tried, or there is a reason why it was not.
fn assert_all_tried(tried: &BTreeSet<String>) {
    fn leaves(command: &clap::Command, name: &str, all: &mut Vec<String>) {
        for sub in command.get_subcommands() {
            let name = format!("{name} {}", sub.get_name()).trim().to_owned();
            if sub.has_subcommands() { leaves(sub, &name, all) } else { all.push(name) }
        }
    }
    let mut all = Vec::new();
    leaves(&harvestman::cli::command(), "", &mut all);
    let is_known = |name: &str| tried.contains(name) || NOTHING_OF_A_SITE.contains(&name) || NOT_TRIED.contains(&name);
    let forgotten: Vec<_> = all.iter().filter(|name| !is_known(name)).collect();
    assert!(forgotten.is_empty(), "neither tried nor named: {forgotten:?}");
    let gone: Vec<_> =
        NOTHING_OF_A_SITE.iter().chain(NOT_TRIED).filter(|name| !all.iter().any(|other| other == *name)).collect();
    assert!(gone.is_empty(), "there are no such commands: {gone:?}");
}

#[test]
fn nothing_prints_past_the_writer_that_makes_text_harmless() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src"), root.join("crates")];
    let mut past = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.file_name().unwrap().to_string_lossy().into_owned();
            let is_test =
                ["tests", "benches", "examples", "target"].contains(&name.as_str()) || name.ends_with("tests.rs");
            if entry.is_dir() && !is_test {
                folders.push(entry);
            } else if name.ends_with(".rs") && !is_test && !entry.ends_with("report/src/terminal.rs") {
                let text = std::fs::read_to_string(&entry).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                let mut code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                let calls = ["io::stdout()", "io::stderr()", "print!(", "println!("];
                let prints = code.any(|line| calls.iter().any(|call| line.contains(call)));
                past.extend(prints.then_some(entry));
            }
        }
    }
    assert!(past.is_empty(), "print by harvestman_report::terminal: {past:?}");
}
