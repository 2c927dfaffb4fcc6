//! Crawls of sites that ask for signed requests.

use std::path::Path;

use harvestman::config::{Config, Period, SignMode};
use harvestman::identity::{SigningKey, file};

use crate::crawling::{config, crawl};
use crate::scripted::{Reply, Scripted};

const SEED: [u8; 32] = [13; 32];
const ACCEPT: &str = "Accept-Signature";

/// Settings of a crawl whose requests are signed.
fn signing(folder: &Path, seeds: Vec<String>, sign: SignMode) -> Config {
    let key = folder.join("key.pem");
    file::create(&key, &SEED).unwrap();
    let mut config = config(seeds);
    (config.identity.key_file, config.identity.sign) = (key.display().to_string(), sign);
    config.identity.agent = "https://bot.test".to_owned();
    config
}

/// The URLs that were asked for, in order, each with whether the request was signed.
fn requests(server: &Scripted) -> Vec<(String, bool)> {
    server.log().into_iter().map(|asked| (asked.path, !asked.signature.is_empty())).collect()
}

fn as_strs(requests: &[(String, bool)]) -> Vec<(&str, bool)> {
    requests.iter().map(|(path, signed)| (path.as_str(), *signed)).collect()
}

#[test]
fn a_site_that_asks_for_signatures_gets_one_request_without() {
    let server = Scripted::start(|_, path, before| match (path, before) {
        ("/robots.txt", 0) => Reply::status(403).with(ACCEPT, "sig1=(\"@authority\");created"),
        ("/robots.txt", _) => Reply::text("User-agent: *\nDisallow: /closed\n"),
        ("/", _) => Reply::links(&["/moved", "/closed"]),
        ("/moved", _) => Reply::redirect(301, "/a"),
        _ => Reply::html("a page"),
    });
    let folder = tempfile::tempdir().unwrap();
    let crawled = crawl(signing(folder.path(), vec![server.url("a", "/")], SignMode::Asked));
    let expected = [("/robots.txt", false), ("/robots.txt", true), ("/", true), ("/moved", true), ("/a", true)];
    assert_eq!(as_strs(&requests(&server)), expected);
    assert_eq!(crawled.fate_of(&server.url("a", "/a")), "fetched");
    assert_eq!(crawled.fate_of(&server.url("a", "/closed")), "robots: disallowed", "rules behind a signature hold");
}

#[test]
fn a_page_that_asks_is_requested_again_after_the_delay() {
    let server = Scripted::start(|_, path, before| match (path, before) {
        ("/robots.txt", _) => Reply::status(404),
        ("/", 0) => Reply::status(401).with(ACCEPT, "sig1=(\"@method\")"),
        _ => Reply::html("a page"),
    });
    let folder = tempfile::tempdir().unwrap();
    let mut config = signing(folder.path(), vec![server.url("a", "/")], SignMode::Asked);
    (config.host.delay, config.host.retries_max) = (Period::millis(300), 0);
    let crawled = crawl(config);
    assert_eq!(as_strs(&requests(&server)), [("/robots.txt", false), ("/", false), ("/", true)]);
    assert_eq!(crawled.fate_of(&server.url("a", "/")), "fetched");
    let log = server.log();
    assert!(log.windows(2).all(|pair| pair[1].at - pair[0].at >= Period::millis(290).0), "{log:?}");
}

#[test]
fn a_site_that_does_not_ask_gets_no_signature_unless_all_requests_are_signed() {
    for (sign, signed) in [(SignMode::Asked, false), (SignMode::Always, true)] {
        let server = Scripted::start(|_, path, _| match path {
            "/" => Reply::links(&["/a"]),
            _ => Reply::html("a page"),
        });
        let folder = tempfile::tempdir().unwrap();
        crawl(signing(folder.path(), vec![server.url("a", "/")], sign));
        let requests = requests(&server);
        assert!(requests.len() == 3 && requests.iter().all(|request| request.1 == signed), "{requests:?}");
    }
}

#[test]
fn a_site_that_is_never_content_gets_two_requests_per_url() {
    let server = Scripted::start(|_, path, before| match path {
        "/" => Reply::links(&["/a", "/b", "/c"]),
        _ => Reply::status(403).with(ACCEPT, format!("sig1=();nonce=\"{path}{before}\"")),
    });
    let folder = tempfile::tempdir().unwrap();
    let crawled = crawl(signing(folder.path(), vec![server.url("a", "/")], SignMode::Always));
    for path in ["/robots.txt", "/a", "/b", "/c"] {
        let times = server.paths("a").iter().filter(|asked| *asked == path).count();
        assert!((1..=2).contains(&times), "{path}: {times} requests");
    }
    assert_eq!(crawled.fate_of(&server.url("a", "/a")), "failed: http_403");
}

#[test]
fn no_file_of_a_crawl_contains_the_key() {
    let server = Scripted::start(|_, path, _| match path {
        "/" => Reply::links(&["/a"]),
        _ => Reply::html("a page"),
    });
    let folder = tempfile::tempdir().unwrap();
    let mut config = signing(folder.path(), vec![server.url("a", "/")], SignMode::Always);
    config.archive.compress = false;
    let crawled = crawl(config);
    let pem = SigningKey::new_pem(&SEED);
    let secrets = [pem.lines().nth(1).unwrap().as_bytes()[22..].to_vec(), SEED.to_vec()];
    let mut signatures = 0;
    for file in files_below(&crawled.out()) {
        let bytes = std::fs::read(&file).unwrap();
        let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
        assert!(!secrets.iter().any(|secret| has(secret)), "{}", file.display());
        signatures += usize::from(has(b"signature-input: sig1=(") || has(b"Signature-Input: sig1=("));
    }
    assert!(signatures > 0, "the archive has the requests as they were sent");
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}
