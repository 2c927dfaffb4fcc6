//! Sub-requests in a crawl over a real network: they keep the delay and robots.txt, they are counted and archived, and
//! none of their callers waits forever.

mod server;

use std::fs::File;
use std::io::Write as _;
use std::sync::mpsc;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::join_all;
use http::HeaderMap;
use http::header::{ACCEPT, COOKIE, HeaderValue};
use tempfile::TempDir;

use self::server::{Reply, Server};
use crate::extensions::Extensions;
use crate::run::crawl::Handles;
use crate::run::environment::LiveEnvironment;
use crate::run::output;
use crate::run::resume::Start;
use crate::run::threads::Threads;
use crate::wiring::{CrawlBuilder, runtime};
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, Period};
use harvestman_core::model::{Failure, Initiator};
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, HostKey, origin_of};
use harvestman_report::Hooks;
use harvestman_stages::frontier::EndReason;
use harvestman_stages::host::{BlockedHosts, HostName, Subrequest, SubrequestRefusal, SubrequestReply};
use harvestman_storage::archive::reader::{Limits, WarcReader};

/// No crawl of these tests may take longer, on however busy a machine.
const DEADLINE: Duration = Duration::from_secs(100);
const DELAY: Duration = Duration::from_millis(300);

/// What is left of a crawl.
struct Crawled<T> {
    reason: EndReason,
    value: T,
    /// The requests that the crawl has counted.
    requests: u64,
    /// Type and URL of each record with a URL.
    records: Vec<(String, String)>,
}

fn config(server: &Server) -> Config {
    let mut config = Config::default();
    config.crawl.seeds = vec![server.url("site", "/")];
    (config.crawl.threads, config.crawl.io_threads) = (1, 2);
    config.scope.hosts = vec!["*.localhost".to_owned()];
    config.fetch.private_addresses = true;
    config.fetch.contact = "tests@localhost".to_owned();
    (config.host.delay, config.host.retries_max) = (Period::millis(DELAY.as_millis() as u64), 0);
    config.host.connections_per_ip = 64;
    config.robots.sitemap_guess = false;
    config
}

/// Crawls while `act` uses the handles of the crawl, and until `act` has ended.
fn crawl<T: Send + 'static>(mut config: Config, act: impl AsyncFnOnce(&Handles) -> T + Send + 'static) -> Crawled<T> {
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let directory = TempDir::new().unwrap();
        config.crawl.out = directory.path().join("out").display().to_string();
        let crawled = runtime(&config).block_on(async {
            let (hooks, clock, environment) = (Hooks::none(), Clock::system(), &LiveEnvironment);
            let start = Start::new_crawl;
            let (config, hooks, extensions) = (&config, &hooks, &Extensions::default());
            let builder = CrawlBuilder { config, hooks, extensions, clock, seed: Seed(1), start, environment };
            let mut running = builder.build().unwrap().start(Threads::spawn).unwrap();
            let handles = &running.crawl.handles;
            let (hold, allowance) = (handles.frontier.hold(), handles.frontier.allowance().clone());
            running.begin();
            let acts = async {
                let value = act(&running.crawl.handles).await;
                drop(hold);
                value
            };
            let (reason, value) = tokio::join!(running.until_over(hooks), acts);
            running.close().await.unwrap();
            Crawled { reason: reason.unwrap(), value, requests: allowance.requests(), records: records(config) }
        });
        let _ = sender.send(crawled);
    });
    ended.recv_timeout(DEADLINE).expect("the crawl ends in time")
}

fn records(config: &Config) -> Vec<(String, String)> {
    let mut records = Vec::new();
    for name in output::warc_files(&output::directory(config)) {
        let file = File::open(output::directory(config).join(name)).unwrap();
        let mut reader = WarcReader::new(file, Limits::default());
        while let Some(mut record) = reader.next_record().unwrap() {
            let record_type = record.record_type().to_owned();
            records.extend(record.target_uri().map(|url| (record_type, url.to_owned())));
            record.verify().unwrap();
        }
    }
    records
}

fn wanted(url: &str) -> Subrequest {
    Subrequest::new(CanonicalUrl::from_canonical(url), &HeaderMap::new())
}

/// The status and the body, or why there is none.
fn outcome(reply: SubrequestReply) -> Result<(u16, Bytes), SubrequestRefusal> {
    match reply {
        SubrequestReply::Answered { exchange, body } => Ok((exchange.result.unwrap().status, body)),
        SubrequestReply::Refused(why) => Err(why),
    }
}

#[test]
fn sub_requests_keep_the_delay_and_robots_txt_and_are_archived() {
    let server = Server::start(|target| match target {
        "site/robots.txt" => Reply { status: 404, ..Reply::default() },
        "static/robots.txt" => Reply::ok("User-agent: *\nDisallow: /closed\n"),
        "static/gone.css" => Reply { status: 404, ..Reply::default() },
        "static/a.js" => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(b"let a = 1;").unwrap();
            Reply { headers: "Content-Encoding: gzip\r\n", body: encoder.finish().unwrap(), ..Reply::ok("") }
        }
        _ => Reply::ok("some text"),
    });
    let urls = ["/a.js", "/closed/b.js", "/gone.css", "/c.json"].map(|path| server.url("static", path));
    let asked = urls.clone();
    let crawled = crawl(config(&server), async move |handles| {
        let replies = asked.iter().map(|url| handles.subrequests.fetch(wanted(url)));
        join_all(replies).await.into_iter().map(outcome).collect::<Vec<_>>()
    });
    let expected = [
        Ok((200, Bytes::from("let a = 1;"))),
        Err(SubrequestRefusal::Robots),
        Ok((404, Bytes::new())),
        Ok((200, Bytes::from("some text"))),
    ];
    assert_eq!(crawled.value, expected);
    assert_eq!(crawled.reason, EndReason::Empty);
    let targets = ["static/robots.txt", "static/a.js", "static/gone.css", "static/c.json"];
    assert_eq!(server.targets("static"), targets);
    for pair in server.asked("static").windows(2) {
        // A millisecond for the granularity of the clocks.
        let waited = pair[1].at.since(pair[0].at) + Duration::from_millis(1);
        assert!(waited >= DELAY, "{} came after {waited:?}", pair[1].target);
    }
    assert_eq!(crawled.requests, server.requests(), "every request counts");
    for url in [&urls[0], &urls[2], &urls[3]] {
        for record_type in ["request", "response"] {
            let record = (record_type.to_owned(), url.clone());
            assert_eq!(crawled.records.iter().filter(|found| **found == record).count(), 1, "{record:?}");
        }
    }
    assert!(!crawled.records.iter().any(|(_, url)| *url == urls[1]));
}

#[test]
fn only_some_headers_of_the_browser_are_sent() {
    let server = Server::start(|_| Reply::ok(""));
    let url = server.url("static", "/a.css");
    crawl(config(&server), async move |handles| {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/css,*/*;q=0.1"));
        headers.insert(COOKIE, HeaderValue::from_static("id=1"));
        handles.subrequests.fetch(Subrequest::new(CanonicalUrl::from_canonical(url), &headers)).await;
    });
    let head = server.asked("static").pop().unwrap().head.join("\n").to_ascii_lowercase();
    assert!(head.contains("\naccept: text/css,*/*;q=0.1") && !head.contains("\ncookie:"), "{head}");
    assert!(head.contains("\nuser-agent: harvestman/"), "{head}");
}

#[test]
fn only_what_an_origin_requests_of_itself_carries_the_credentials_of_the_crawl() {
    let server = Server::start(|_| Reply::ok(""));
    let mut config = config(&server);
    config.fetch.cookie = "session=1".to_owned();
    config.host.delay = Period::millis(0);
    let (own, other) = (server.url("site", "/"), server.url("other", "/"));
    let causes = [
        ("/logout", Initiator::Origin(HostKey::from_origin(origin_of(&own)))),
        ("/own", Initiator::Origin(HostKey::from_origin(origin_of(&own)))),
        ("/other", Initiator::Origin(HostKey::from_origin(origin_of(&other)))),
        ("/unknown", Initiator::Unknown),
    ];
    let asked = causes.map(|(path, cause)| wanted(&server.url("site", path)).caused_by(cause));
    crawl(config, async move |handles| {
        for wanted in asked {
            handles.subrequests.fetch(wanted).await;
        }
    });
    let has_cookie = |head: &[String]| head.iter().any(|line| line.eq_ignore_ascii_case("cookie: session=1"));
    let found: Vec<(String, bool)> =
        server.asked("site").into_iter().map(|asked| (asked.target.clone(), has_cookie(&asked.head))).collect();
    for (target, expected) in
        [("site/", true), ("site/own", true), ("site/other", false), ("site/unknown", false), ("site/logout", false)]
    {
        assert!(found.contains(&(target.to_owned(), expected)), "{target}: {found:?}");
    }
}

#[test]
fn what_may_not_be_sent_is_refused_without_a_request() {
    let server = Server::start(|_| Reply::ok(""));
    let (blocked, host) = (server.url("blocked", "/a.js"), server.url("blocked", ""));
    let crawled = crawl(config(&server), async move |handles| {
        let name: HostName = host.parse().unwrap();
        let mut hosts = BlockedHosts::default();
        hosts.0.insert(name.clone());
        handles.hosts.directory().block(hosts, &name);
        let file = handles.subrequests.fetch(wanted("ftp://static.localhost/a.js")).await;
        let replies = [handles.subrequests.fetch(wanted(&blocked)).await, file];
        replies.map(outcome)
    });
    assert_eq!(crawled.value, [Err(SubrequestRefusal::HostBlocked), Err(SubrequestRefusal::NotHttp)]);
    assert!(server.targets("blocked").is_empty());
    assert_eq!(crawled.requests, server.requests());
}

#[test]
fn a_host_that_cannot_be_reached_is_reported() {
    let server = Server::start(|_| Reply::ok(""));
    let crawled = crawl(config(&server), async move |handles| {
        // Port 1 of loopback: nothing listens.
        outcome(handles.subrequests.fetch(wanted("http://static.localhost:1/a.js")).await)
    });
    assert_eq!(crawled.value, Err(SubrequestRefusal::Failed(Failure::Connect)));
}

#[test]
fn a_spent_budget_refuses_sub_requests() {
    let server = Server::start(|_| Reply::ok("text"));
    let mut config = config(&server);
    config.budget.requests = 4;
    let urls = ["/a.js", "/b.js", "/c.js", "/d.js"].map(|path| server.url("static", path));
    let crawled = crawl(config, async move |handles| {
        join_all(urls.iter().map(|url| handles.subrequests.fetch(wanted(url)))).await.into_iter().map(outcome).collect()
    });
    let replies: Vec<Result<_, _>> = crawled.value;
    assert!(replies.iter().all(|reply| reply.is_ok() || *reply == Err(SubrequestRefusal::Budget)), "{replies:?}");
    assert!(replies.contains(&Err(SubrequestRefusal::Budget)));
    assert!(server.requests() <= 4 && crawled.requests == server.requests());
}

#[test]
fn a_stop_ends_the_wait_of_sub_requests_for_their_host() {
    let server = Server::start(|_| Reply::ok("text"));
    let mut config = config(&server);
    config.host.delay = Period::secs(3_600);
    let url = server.url("static", "/a.js");
    let crawled = crawl(config, async move |handles| {
        let stop = async {
            tokio::time::sleep(DELAY * 2).await;
            handles.frontier.stop();
        };
        outcome(tokio::join!(handles.subrequests.fetch(wanted(&url)), stop).0)
    });
    assert_eq!((crawled.value, crawled.reason), (Err(SubrequestRefusal::Budget), EndReason::Stopped));
    assert_eq!(server.targets("static"), ["static/robots.txt"]);
}

#[test]
fn a_sub_request_that_nobody_waits_for_is_withdrawn_and_does_not_hold_up_the_crawl() {
    let server = Server::start(|_| Reply::ok("text"));
    let mut config = config(&server);
    config.host.delay = Period::secs(3_600);
    config.crawl.seeds = vec![server.url("site", "/robots.txt")];
    config.robots.obey = false;
    let (first, second) = (server.url("static", "/a.js"), server.url("static", "/b.js"));
    let crawled = crawl(config, async move |handles| {
        let first = handles.subrequests.fetch(wanted(&first)).await;
        let second = handles.subrequests.fetch(wanted(&second));
        (outcome(first).is_ok(), tokio::time::timeout(DELAY, second).await.is_err())
    });
    assert_eq!((crawled.value, crawled.reason), ((true, true), EndReason::Empty));
    assert_eq!(server.targets("static"), ["static/a.js"]);
}

#[test]
fn an_abort_refuses_what_is_under_way_and_the_crawl_goes_on() {
    let server = Server::start(|target| match target {
        "static/slow.js" => Reply { after: Duration::from_secs(5), ..Reply::ok("text") },
        _ => Reply::ok("text"),
    });
    let urls = ["/slow.js", "/fast.js"].map(|path| server.url("static", path));
    let mut config = config(&server);
    config.robots.obey = false;
    let crawled = crawl(config, async move |handles| {
        let abort = async {
            tokio::time::sleep(DELAY * 3).await;
            handles.requests.abort();
        };
        let (slow, ()) = tokio::join!(handles.subrequests.fetch(wanted(&urls[0])), abort);
        [slow, handles.subrequests.fetch(wanted(&urls[1])).await].map(outcome)
    });
    assert_eq!(crawled.value, [Err(SubrequestRefusal::Aborted), Ok((200, Bytes::from("text")))]);
    assert_eq!((crawled.reason, crawled.requests), (EndReason::Empty, server.requests()));
}

#[test]
fn a_pause_holds_sub_requests_back_until_it_is_over() {
    let server = Server::start(|_| Reply::ok("text"));
    let mut config = config(&server);
    config.robots.obey = false;
    let url = server.url("static", "/a.js");
    let crawled = crawl(config, async move |handles| {
        use harvestman_stages::frontier::Control;
        handles.frontier.send(Control::Pause);
        tokio::time::sleep(DELAY).await;
        let mut fetch = std::pin::pin!(handles.subrequests.fetch(wanted(&url)));
        let paused = tokio::time::timeout(DELAY * 2, &mut fetch).await.is_err();
        handles.frontier.send(Control::Resume);
        (paused, outcome(fetch.await).is_ok())
    });
    assert_eq!((crawled.value, crawled.requests), ((true, true), server.requests()));
}
