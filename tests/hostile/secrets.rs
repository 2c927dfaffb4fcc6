//! A crawl with six secrets: none is in what it writes and prints, nor in what other commands make of it.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::crawl::harvestman;
use super::leaks::Secrets;
use super::site::{Peer, Site, Then};

pub(super) const COOKIE: &str = "c00kie-s3cret-value";
pub(super) const HEADER: &str = "h3ader-s3cret-value";
pub(super) const OTHER_HEADER: &str = "t0ken-s3cret-value";
const PASSWORD: &str = "pass w0rd&s3cret-value";
const PROXY_PASSWORD: &str = "pr0xy-s3cret-value";
pub(super) const SEARCH_KEY: &str = "k3y-s3cret-value";
pub(super) const SEED_PASSWORD: &str = "s33d-s3cret-value";
const PASSWORD_ENV: &str = "FORUM_PASSWORD";
/// No wait may take longer.
pub(super) const DEADLINE: Duration = Duration::from_secs(60);

pub(super) fn secrets() -> Secrets {
    Secrets::new(&[
        ("the cookie", COOKIE),
        ("a header", HEADER),
        ("the other header", OTHER_HEADER),
        ("the password", PASSWORD),
        ("the proxy's password", PROXY_PASSWORD),
        ("the search's key", SEARCH_KEY),
        ("the seed's password", SEED_PASSWORD),
    ])
}

/// What the sites wait for.
#[derive(Default)]
pub(super) struct Held {
    pub is_asked: AtomicBool,
    pub is_released: AtomicBool,
}

fn thread(number: usize, is_member: bool) -> String {
    let more: String = (1..4).map(|step| format!("<a href='/t/{}'>more</a>", (number + step) % 20)).collect();
    let who = if is_member { "<a href='/logout'>Log out</a>" } else { "<a href='/login'>Log in</a>" };
    format!(
        "<title>Thread {number}</title>{who}<article class=post><p>zoom lens sensor shoe number {number}</p></article>{more}"
    )
}

/// A proxy, behind which are forums with a log-in and a search that wants a key.
pub(super) fn answer(target: &str, peer: &mut Peer, held: &Held) -> Then {
    if !peer.head.to_ascii_lowercase().contains("proxy-authorization") {
        return peer.answer("407 Proxy Authentication Required", "", b"");
    }
    let (host, path) = target.trim_start_matches("http://").split_once('/').unwrap_or((target, ""));
    let is_member = peer.head.contains("session=of-a-member");
    match (host, path) {
        (_, "robots.txt") => peer.answer("404 Not Found", "", b""),
        ("search.test", query) if query.contains(&format!("key={SEARCH_KEY}")) => {
            let body = "{\"results\":[{\"url\":\"http://forum.test/t/3\"},{\"url\":\"http://forum.test/t/7\"}]}";
            peer.answer("200 OK", "Content-Type: application/json\r\n", body.as_bytes())
        }
        // The search moved, and sends the key along.
        ("search.test", query) if query.starts_with("moved") => {
            let to = format!(
                "Location: http://search.test/find?key={SEARCH_KEY}&{}\r\n",
                query.split_once('&').map_or("", |(_, rest)| rest)
            );
            peer.answer("302 Found", &to, b"")
        }
        ("search.test", _) => peer.answer("403 Forbidden", "", b""),
        (_, "login") if peer.head.starts_with("POST") => {
            let body = String::from_utf8(peer.body()).unwrap();
            assert!(body.contains("p=pass+w0rd%26s3cret-value"), "{body}");
            peer.answer("303 See Other", "Location: /\r\nSet-Cookie: session=of-a-member; Path=/\r\n", b"")
        }
        (_, "login") => peer.page("<form method=post><input name=user><input type=password name=p></form>"),
        (_, "hold") => {
            held.is_asked.store(true, Ordering::SeqCst);
            let until = Instant::now() + DEADLINE;
            while !held.is_released.load(Ordering::SeqCst) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            peer.page(&thread(0, is_member))
        }
        (_, "") => peer.page(&(thread(0, is_member) + "<a href='/hold'>last</a>")),
        (_, path) => peer.page(&thread(path.bytes().map(usize::from).sum::<usize>() % 20, is_member)),
    }
}

/// The proxy with the password of one of its users.
pub(super) fn proxy(site: &Site, user: &str) -> String {
    format!("http://{user}:{PROXY_PASSWORD}@{}", site.address)
}

/// What a request of this user of the proxy says.
pub(super) fn proxy_user(user: &str) -> String {
    data_encoding::BASE64.encode(format!("{user}:{PROXY_PASSWORD}").as_bytes())
}

pub(super) fn with_secrets(command: &mut Command, site: &Site, user: &str) {
    let search = format!("http://search.test/find?key={SEARCH_KEY}&q={{query}}");
    command.env("HARVESTMAN_FETCH_COOKIE", format!("given={COOKIE}"));
    command.args(["--header", &format!("X-Api-Key: {HEADER}"), "--header", &format!("Private-Token: {OTHER_HEADER}")]);
    let moved = format!("http://search.test/moved?key={SEARCH_KEY}&q={{query}}");
    command.args(["--proxy", &proxy(site, user), "--search", &search, "--search", &moved]);
}

fn crawl(site: &Site, out: &Path) -> Command {
    let mut command = harvestman();
    command.args(["crawl", &format!("http://seeduser:{SEED_PASSWORD}@forum.test/"), "--out"]).arg(out);
    with_secrets(&mut command, site, "proxyuser");
    log_in(&mut command);
    command.args(["--policy", "xcrawl", "--query", "zoom lens", "--posts", "--delay", "0", "--log-level", "trace"]);
    command.args(["--metrics", "127.0.0.1:0"]);
    for setting in ["policy.want=['selector:article.post']", "archive.links=true", "robots.sitemap_guess=false"] {
        command.args(["--set", setting]);
    }
    command
}

fn log_in(command: &mut Command) {
    command.env(PASSWORD_ENV, PASSWORD);
    command.args(["--login", "http://forum.test/login", "--user", "me", "--password-env", PASSWORD_ENV]);
}

/// Runs a command; none of the secrets may be in what it prints.
pub(super) fn run(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let what = command.get_args().next().unwrap().to_string_lossy().into_owned();
    secrets().assert_not_in(&format!("what {what} prints"), &output.stdout);
    secrets().assert_not_in(&format!("the messages of {what}"), &output.stderr);
    output
}

pub(super) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Everything that a running crawl tells.
fn look_at_running(out: &Path) {
    for arguments in [&["status"][..], &["status", "--json"]] {
        let output = run(harvestman().arg("ctl").arg(out).args(arguments));
        assert!(output.status.success(), "{}", text(&output));
    }
    let address = std::fs::read_to_string(out.join("live.url")).unwrap();
    let url = url::Url::parse(address.trim()).unwrap();
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    for path in ["", "metrics", "api/status", "api/snapshot", "api/pages", "api/hosts"] {
        let mut stream = std::net::TcpStream::connect(url.socket_addrs(|| None).unwrap()[0]).unwrap();
        let host = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
        let request = format!("GET /{path}{query} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let mut answer = Vec::new();
        let _ = std::io::Read::read_to_end(&mut stream, &mut answer);
        secrets().assert_not_in(&format!("/{path} of the live page"), &answer);
    }
}

#[test]
fn secrets_of_a_crawl_are_sent_where_they_belong_and_written_nowhere() {
    let held = Arc::new(Held::default());
    let shared = Arc::clone(&held);
    let site = Site::scripted(move |target, peer| answer(target, peer, &shared));
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let (stdout, stderr) = (dir.path().join("stdout"), dir.path().join("stderr"));
    let mut command = crawl(&site, &out);
    command.stdout(std::fs::File::create(&stdout).unwrap()).stderr(std::fs::File::create(&stderr).unwrap());
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    let said = || std::fs::read_to_string(&stderr).unwrap();
    let until = Instant::now() + DEADLINE;
    while !(held.is_asked.load(Ordering::SeqCst) && out.join("live.url").exists()) {
        assert!(Instant::now() < until && child.try_wait().unwrap().is_none(), "{}", said());
        std::thread::sleep(Duration::from_millis(10));
    }
    look_at_running(&out);
    held.is_released.store(true, Ordering::SeqCst);
    assert!(child.wait().unwrap().success(), "{}", said());

    let heads = site.requests().join("\n");
    let user = proxy_user("proxyuser");
    for sent in [COOKIE, HEADER, OTHER_HEADER, &user, &format!("key={SEARCH_KEY}&q=zoom%20lens"), "session=of-a-member"]
    {
        assert!(heads.contains(sent), "{sent} was not sent: {}", said());
    }
    assert!(said().contains("the user name and password of the seed"), "{}", said());
    let log = std::fs::read_to_string(out.join("pages.jsonl")).unwrap();
    assert!(log.contains("http://search.test/find?key=left-out&q=zoom%20lens"), "{log}");

    let files = dir.path().join("made");
    std::fs::create_dir(&files).unwrap();
    for format in ["html", "markdown", "json"] {
        run(harvestman().arg("report").arg(&out).args(["--format", format, "--out"]).arg(files.join(format)));
    }
    for export in ["cdxj", "pages", "links", "text", "site", "posts", "wacz"] {
        run(harvestman().args(["export", export]).arg(&out).arg("--out").arg(files.join(export)));
    }
    for url in ["http://forum.test/t/3", "http://search.test/find?key=left-out&q=zoom%20lens"] {
        let explained = run(harvestman().arg("explain").arg(&out).arg(url));
        assert!(explained.status.success(), "{}", text(&explained));
    }
    for warc in std::fs::read_dir(out.join("warc")).unwrap() {
        run(harvestman().args(["inspect", "warc"]).arg(warc.unwrap().path()));
    }
    assert!(secrets().assert_not_below(dir.path()) > 15);
    let session = std::fs::read_to_string(out.join("session.json")).unwrap();
    assert!(session.contains("of-a-member"), "{session}");
    resume(&site, &out);
    secrets().assert_not_below(dir.path());
}

/// A resumed crawl asks for what its directory does not have.
fn resume(site: &Site, out: &Path) {
    let proxy = proxy(site, "proxyuser");
    let resumed = |change: &dyn Fn(&mut Command)| {
        let mut command = harvestman();
        command.arg("resume").arg(out);
        log_in(&mut command);
        change(&mut command);
        run(&mut command)
    };
    let refused = resumed(&|command| {
        command.args(["--proxy", &proxy]);
    });
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains("--search"), "{}", text(&refused));
    let warned = resumed(&|command| {
        command.args(["--proxy", &proxy, "--set", "search.url=[]", "--set", "search.query=[]", "--policy", "bfs"]);
    });
    assert!(text(&warned).contains("fetch.headers, fetch.cookie"), "{}", text(&warned));
    let again = resumed(&|command| {
        with_secrets(command, site, "proxyuser");
        command.args(["--policy", "xcrawl"]);
    });
    assert!(matches!(again.status.code(), Some(0 | 3)), "{}", text(&again));
}
