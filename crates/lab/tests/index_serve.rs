//! `harvestman-lab index serve` over a socket: what it finds in WARC files, its formats, its end.
#![allow(clippy::unwrap_used, reason = "the helpers belong to the tests")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// How long an answer may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns a response record.
fn record(url: &str, head: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 {head}\r\n\r\n{body}");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n\
         {block}\r\n\r\n",
        block.len()
    )
}

fn page(url: &str, body: &str) -> String {
    record(url, "200 OK\r\nContent-Type: text/html; charset=utf-8", body)
}

/// A WARC file and a list of URLs.
fn files(directory: &Path) -> (PathBuf, PathBuf) {
    let warc = [
        page("https://a.example/1", "<title>Hot-shoe flash</title><p>A small <b>zoom</b> lens"),
        page("https://a.example/2", "<title>Flash</title><p>The hot-shoe of a zoom"),
        page("https://a.example/3", "<p>größe &amp; zoom"),
        page("https://a.example/1", "<p>second"),
        record("https://a.example/4", "404 Not Found\r\nContent-Type: text/html", "<p>zoom"),
        record("https://a.example/5", "200 OK\r\nContent-Type: image/png", "zoom"),
    ];
    let (warc_path, urls) = (directory.join("a.warc"), directory.join("urls.txt"));
    std::fs::write(&warc_path, warc.concat()).unwrap();
    std::fs::write(&urls, "https://b.example/tripod\n\nhttps://b.example/x\tA tripod for a zoom\n").unwrap();
    (warc_path, urls)
}

fn command(arguments: &[&Path]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman-lab"));
    command.args(["index", "serve"]).args(arguments);
    command
}

/// A running search engine, which is killed when dropped.
struct Engine {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// Host and port.
    address: String,
}

impl Engine {
    fn start(arguments: &[&Path]) -> Self {
        let mut child = command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/search?q={query}"));
        let address = address.unwrap_or_else(|| panic!("the first line is `{line}`")).to_owned();
        Self { child, stdout, address }
    }

    /// Returns the status and the body of an answer.
    fn get(&self, path: &str) -> (u16, String) {
        self.request("GET", path)
    }

    fn request(&self, method: &str, path: &str) -> (u16, String) {
        self.request_with(method, path, &format!("Host: {}\r\n", self.address))
    }

    /// The same with these header lines.
    fn request_with(&self, method: &str, path: &str, headers: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head[9..12].parse().unwrap(), body.to_owned())
    }

    /// Returns the number of hits and the URLs of the results.
    fn search(&self, parameters: &str) -> (u64, Vec<String>) {
        let (status, body) = self.get(&format!("/search?{parameters}"));
        assert_eq!(status, 200, "{body}");
        let answer: Value = serde_json::from_str(&body).unwrap();
        let results = answer["results"].as_array().unwrap();
        let urls = results.iter().map(|result| result["url"].as_str().unwrap().to_owned()).collect();
        (answer["number_of_results"].as_u64().unwrap(), urls)
    }

    /// Sends a signal, and returns the exit code and the rest of the output.
    fn end(mut self, signal: Signal) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn started(directory: &TempDir) -> Engine {
    let (warc, urls) = files(directory.path());
    Engine::start(&[&warc, Path::new("--urls"), &urls])
}

#[test]
fn html_pages_and_listed_urls_are_found_by_words_and_phrases() {
    let directory = tempfile::tempdir().unwrap();
    let engine = started(&directory);
    let found = |parameters: &str| engine.search(parameters).1;
    assert_eq!(engine.search("q=zoom").0, 4);
    assert_eq!(found("q=Hot-Shoe+ZOOM"), ["https://a.example/1", "https://a.example/2"]);
    assert_eq!(found("q=%22hot-shoe+flash%22"), ["https://a.example/1"]);
    assert_eq!(found("q=gr%C3%B6%C3%9Fe"), ["https://a.example/3"]);
    assert_eq!(found("q=tripod").len(), 2);
    assert_eq!(engine.search("q=second"), (0, Vec::new()));
}

#[test]
fn pages_of_results_join_to_all_results() {
    let directory = tempfile::tempdir().unwrap();
    let engine = started(&directory);
    let all = engine.search("q=zoom").1;
    let joined: Vec<String> =
        (1..=3).flat_map(|page| engine.search(&format!("q=zoom&count=2&page={page}")).1).collect();
    assert_eq!((joined.len(), joined), (4, all));
}

#[test]
fn the_other_formats_give_the_same_results() {
    let directory = tempfile::tempdir().unwrap();
    let engine = started(&directory);
    let (status, rss) = engine.get("/search?q=zoom+flash&format=rss");
    assert_eq!((status, rss.matches("<item>").count()), (200, 2));
    assert!(rss.contains("<opensearch:totalResults>2</opensearch:totalResults>"), "{rss}");
    let (status, html) = engine.get("/search?q=zoom+flash&format=html");
    assert_eq!((status, html.matches("<li><a href=\"https://a.example/").count()), (200, 2));
    let (status, description) = engine.get("/opensearch.xml");
    let template = format!("template=\"http://{}/search?q={{searchTerms}}&amp;", engine.address);
    assert!(status == 200 && description.contains(&template), "{description}");
}

#[test]
fn other_requests_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let engine = started(&directory);
    for (path, status) in [("/robots.txt", 404), ("/search", 400), ("/search?q=x&page=0", 400), ("/", 200)] {
        assert_eq!(engine.get(path).0, status, "{path}");
    }
    assert_eq!(engine.request("POST", "/search?q=zoom").0, 405);
    assert_eq!(engine.get("/search?q=%00%FF%22*:()").0, 200);
}

#[test]
fn pages_of_other_sites_cannot_search() {
    let directory = tempfile::tempdir().unwrap();
    let (warc, _) = files(directory.path());
    let engine = Engine::start(&[&warc, Path::new("--name"), Path::new("crawl.example.org")]);
    let status = |headers: &str| engine.request_with("GET", "/search?q=zoom", headers);
    for host in ["localhost", "127.0.0.1:1", "Crawl.Example.org:80"] {
        assert_eq!(status(&format!("Host: {host}\r\n")).0, 200, "{host}");
    }
    let (code, why) = status("Host: evil.test\r\n");
    assert!(code == 403 && why.contains("`evil.test` is not a name of this server") && why.contains("--name"), "{why}");
    assert_eq!(status("Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n").0, 403);
    assert_eq!(status("Host: localhost\r\nSec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n").0, 200);
}

#[test]
fn a_signal_ends_it_and_an_index_on_disk_is_removed() {
    for signal in [Signal::INT, Signal::TERM] {
        let directory = tempfile::tempdir().unwrap();
        let (warc, _) = files(directory.path());
        let below = directory.path().join("below");
        std::fs::create_dir(&below).unwrap();
        let engine = Engine::start(&[&warc, Path::new("--on-disk"), &below]);
        assert_eq!(engine.search("q=zoom").0, 3);
        assert_eq!(std::fs::read_dir(&below).unwrap().count(), 1);
        let (code, rest) = engine.end(signal);
        assert_eq!(code, Some(0));
        assert!(rest.contains("/opensearch.xml"), "{rest}");
        assert_eq!(std::fs::read_dir(&below).unwrap().count(), 0);
    }
}

#[test]
fn mistakes_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let failure = |arguments: &[&Path]| {
        let output = command(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (list, empty) = (at("list.txt", "https://a.example/\nforum\n"), at("empty.txt", "\n"));
    for (arguments, code, part) in [
        (vec![Path::new("/nonexistent.warc")], 1, "cannot open /nonexistent.warc"),
        (vec![list.as_path()], 1, "list.txt: no WARC record at byte 0"),
        (vec![Path::new("--urls"), &list], 1, "list.txt, line 2: `forum` is not a URL"),
        (vec![Path::new("--urls"), &empty], 1, "no HTML page with status 200 was found"),
        (vec![Path::new("--listen"), Path::new("everywhere"), &list], 2, "--listen"),
        (vec![], 2, "required"),
    ] {
        let (found, text) = failure(&arguments);
        assert!(found == Some(code) && text.contains(part), "{part}\nis not in\n{text}");
    }
}
