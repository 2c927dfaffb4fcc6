use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::server::GRACE;
use super::*;
use harvestman_core::clock::Clock;
use harvestman_report::live::LiveView;
use harvestman_report::{Command, Commands, PauseSwitch};

const TOKEN: &str = "of this test alone";

/// A server over a crawl that does not exist.
struct Bench {
    admin: Admin,
    metrics: Metrics,
    live: Live,
    stop: StopFlag,
    commands: Commands,
    directory: tempfile::TempDir,
}

async fn start() -> Bench {
    start_at("127.0.0.1:0", "").await.unwrap()
}

async fn start_at(listen: &str, token: &str) -> Result<Bench, Error> {
    let (served, stop, directory) = served();
    let (metrics, live, commands) = (served.metrics.clone(), served.live.clone(), served.controls.commands.clone());
    let options = MetricsOptions { listen: listen.to_owned(), token: token.to_owned(), names: Vec::new() };
    let admin = Admin::start(&options, served, TOKEN.to_owned()).await?;
    Ok(Bench { admin, metrics, live, stop, commands, directory })
}

/// The parts of a crawl that does not exist, in a directory of its own.
fn served() -> (Served, StopFlag, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let (metrics, live, stop) = (Metrics::new(), Live::open(), StopFlag::new());
    let controls = Controls {
        status: Arc::new(|| CrawlStatus { pages: 7, ..CrawlStatus::default() }),
        stop: stop.clone(),
        leave: None,
        pause: PauseSwitch::new(),
        commands: Commands::new(),
        in_fleet: false,
        clock: Clock::system(),
    };
    let page_views: PageViews = Arc::new(|url: &str| match url {
        "http://h/a b" => Ok("{\"posts\":1}".to_owned()),
        other => Err(format!("{other} is not known")),
    });
    let at = directory.path().to_owned();
    (Served { metrics, live, controls, directory: at, page_views: Some(page_views) }, stop, directory)
}

impl Bench {
    /// Sends a request and returns the head and the body of the response.
    async fn ask(&self, request: &str, headers: &[(&str, &str)], body: &str) -> (String, String) {
        let mut stream = TcpStream::connect(self.admin.address()).await.unwrap();
        let mut text = format!("{request} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_lowercase(), body.to_owned())
    }

    async fn get(&self, path: &str) -> (String, String) {
        self.ask(&format!("GET {path}"), &[("Host", "localhost")], "").await
    }

    fn journal(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("control.jsonl")).unwrap_or_default()
    }
}

#[tokio::test]
async fn metrics_status_health_and_the_page_are_served_and_nothing_else() {
    let bench = start().await;
    bench.metrics.crawl.pages.add(3);
    let (head, body) = bench.get("/metrics").await;
    assert!(head.contains("content-type: text/plain; version=0.0.4"), "{head}");
    assert!(body.contains("\nharvestman_crawl_pages_total 3\n"), "{body}");
    let (head, body) = bench.get("/api/status").await;
    assert!(head.contains("content-type: application/json"), "{head}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&body).unwrap()["pages"], 7);
    assert_eq!(bench.get("/healthz").await.1, "ok\n");
    let (head, body) = bench.get("/").await;
    assert!(head.contains("content-security-policy: default-src 'none'") && body.contains("<html"), "{head}");
    assert!(bench.get("/elsewhere").await.0.starts_with("http/1.1 404"));
    bench.admin.stop().await;
}

#[tokio::test]
async fn views_are_streamed_to_clients_until_the_crawl_ends() {
    let bench = start().await;
    let live = bench.live.clone();
    let crawl = tokio::spawn(async move {
        for at in 0.. {
            live.show(&LiveView { time: format!("at {at}"), ..LiveView::default() });
            tokio::time::sleep(Duration::from_millis(10)).await;
            if at > 20 && !live.is_watched() {
                break;
            }
            if at == 40 {
                live.end("nothing is left");
                break;
            }
        }
    });
    let (head, body) = bench.get("/api/live").await;
    assert!(head.starts_with("http/1.1 200") && body.contains("\"time\":\"at "), "{head} {body}");
    let (head, body) = bench.get("/api/events").await;
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    assert!(
        body.matches("event: view\ndata: {").count() >= 2
            && body.contains("event: ended\ndata: {\"reason\":\"nothing is left\"}")
    );
    crawl.await.unwrap();
    bench.admin.stop().await;
}

#[tokio::test]
async fn requests_without_token_from_other_pages_or_for_other_names_change_nothing() {
    let bench = start().await;
    let token = format!("Bearer {TOKEN}");
    let ours = ("Host", "localhost");
    let wrong: &[(&[(&str, &str)], &str)] = &[
        (&[ours], "401"),
        (&[ours, ("Authorization", "Bearer wrong")], "401"),
        (&[ours, ("Authorization", &token), ("Origin", "http://evil.test")], "403"),
        (&[ours, ("Authorization", &token), ("Origin", "null")], "403"),
        (&[ours, ("Authorization", &token), ("Sec-Fetch-Site", "cross-site")], "403"),
        (&[("Host", "evil.test"), ("Authorization", &token)], "403"),
        (&[("Host", "evil.test"), ("Authorization", &token), ("Origin", "http://evil.test")], "403"),
    ];
    for (headers, expected) in wrong {
        for command in ["stop", "pause", "unpause", "ban", "set"] {
            let (head, _) = bench.ask(&format!("POST /api/{command}"), headers, "").await;
            assert!(head.starts_with(&format!("http/1.1 {expected}")), "{command} {headers:?}: {head}");
        }
    }
    let (head, _) = bench.ask("GET /api/stop", &[ours, ("Authorization", &token)], "").await;
    assert!(head.starts_with("http/1.1 405"), "{head}");
    for path in ["/", "/api/status", "/api/live", "/api/events", "/api/posts?url=http://h/"] {
        let (head, _) = bench.ask(&format!("GET {path}"), &[("Host", "evil.test")], "").await;
        assert!(head.starts_with("http/1.1 403"), "{path}: {head}");
    }
    assert!(!bench.stop.requested());
    assert_eq!(bench.journal(), "");
    let (head, _) = bench.ask("POST /api/stop", &[ours, ("Authorization", &token)], "").await;
    assert!(head.starts_with("http/1.1 200") && bench.stop.requested(), "with token: {head}");
    assert!(bench.journal().contains("\"command\":\"stop\""));
    bench.admin.stop().await;
}

#[tokio::test]
async fn a_crawl_outside_a_fleet_rejects_the_command_leave() {
    let bench = start().await;
    let (head, body) =
        bench.ask("POST /api/leave", &[("Host", "localhost"), ("Authorization", &format!("Bearer {TOKEN}"))], "").await;
    assert!(head.starts_with("http/1.1 422") && body.contains("no fleet to leave"), "{head} {body}");
    assert!(!bench.stop.requested() && bench.journal().is_empty());
    bench.admin.stop().await;
}

#[tokio::test]
async fn commands_reach_the_crawl_with_their_arguments() {
    let bench = start().await;
    let mut crawl = bench.commands.listen().unwrap();
    let receiver = tokio::spawn(async move {
        let given = crawl.recv().await.unwrap();
        assert_eq!(given.command, Command::Ban("5".to_owned()));
        given.answer.send(Ok("it holds".to_owned())).unwrap();
    });
    let token = format!("Bearer {TOKEN}");
    let host = ("Host", "127.0.0.1");
    let json = ("Content-Type", "application/json");
    let (head, _) = bench.ask("POST /api/ban", &[host, ("Authorization", &token)], "[\"5\"]").await;
    assert!(head.starts_with("http/1.1 415"), "{head}");
    let (head, _) = bench.ask("POST /api/ban", &[host, json, ("Authorization", &token)], "no list").await;
    assert!(head.starts_with("http/1.1 400"), "{head}");
    let (head, _) = bench.ask("POST /api/ban", &[host, json, ("Authorization", &token)], "[]").await;
    assert!(head.starts_with("http/1.1 422"), "{head}");
    let (_, body) = bench.ask("POST /api/ban", &[host, json, ("Authorization", &token)], "[\"5\"]").await;
    assert_eq!(body, "it holds");
    receiver.await.unwrap();
    bench.admin.stop().await;
}

#[tokio::test]
async fn what_a_page_was_taken_as_is_shown_or_why_it_is_not() {
    let bench = start().await;
    let (head, body) = bench.get("/api/posts?url=http%3A%2F%2Fh%2Fa%20b").await;
    assert!(head.contains("content-type: application/json") && body == "{\"posts\":1}", "{head} {body}");
    let (head, body) = bench.get("/api/posts?url=http%3A%2F%2Fx%2F").await;
    assert!(head.starts_with("http/1.1 422") && body == "http://x/ is not known\n", "{head} {body}");
    assert!(bench.get("/api/posts").await.0.starts_with("http/1.1 400"));
    bench.admin.stop().await;
}

#[tokio::test]
async fn without_a_token_only_metrics_are_open_to_other_machines() {
    let unset = start_at("0.0.0.0:0", "").await.unwrap();
    assert!(unset.admin.page().is_none());
    assert!(unset.get("/metrics").await.0.starts_with("http/1.1 200"));
    assert!(unset.get("/").await.0.starts_with("http/1.1 403"));
    assert!(unset.get("/api/status").await.0.starts_with("http/1.1 403"));
    unset.admin.stop().await;
    let set = start_at("0.0.0.0:0", "chosen by the user").await.unwrap();
    assert!(!set.admin.page().unwrap().contains("token"));
    assert!(set.get("/").await.0.starts_with("http/1.1 200"));
    assert!(set.get("/api/status").await.0.starts_with("http/1.1 401"));
    let with = [("Host", "192.0.2.1"), ("Authorization", "Bearer chosen by the user")];
    assert!(set.ask("GET /api/status", &with, "").await.0.starts_with("http/1.1 200"));
    set.admin.stop().await;
}

#[tokio::test]
async fn an_address_in_use_is_reported_in_the_error() {
    let bench = start().await;
    let taken = bench.admin.address().to_string();
    let error = start_at(&taken, "").await.err().unwrap();
    assert!(error.to_string().contains(&taken), "{error}");
    bench.admin.stop().await;
}

#[tokio::test]
async fn silent_and_streaming_clients_do_not_delay_the_end_of_the_server() {
    let bench = start().await;
    let silent = TcpStream::connect(bench.admin.address()).await.unwrap();
    let mut watching = TcpStream::connect(bench.admin.address()).await.unwrap();
    watching.write_all(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut head = [0; 12];
    watching.read_exact(&mut head).await.unwrap();
    tokio::time::timeout(GRACE * 5, bench.admin.stop()).await.expect("the server ends within its grace period");
    drop((silent, watching));
}

#[tokio::test]
async fn other_pages_start_no_reads() {
    let bench = start().await;
    let of_page = [("Host", "localhost"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")];
    for path in
        ["/", "/metrics", "/healthz", "/api/status", "/api/live", "/api/events", "/api/posts?url=http://h/a%20b"]
    {
        let (head, _) = bench.ask(&format!("GET {path}"), &of_page, "").await;
        assert!(head.starts_with("http/1.1 403"), "{path}: {head}");
    }
    bench.admin.stop().await;
}

#[tokio::test]
async fn clients_that_wait_for_views_leave_places_for_others() {
    let bench = start().await;
    let mut waiting = Vec::new();
    let mut refused = 0;
    for number in 0..server::CONNECTIONS_MAX {
        let mut stream = TcpStream::connect(bench.admin.address()).await.unwrap();
        let path = if number % 2 == 0 { "live" } else { "events" };
        let request = format!("GET /api/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        // Requests for `live` are not answered while there is no view.
        if number >= server::CONNECTIONS_MAX / 2 {
            let mut head = [0; 12];
            stream.read_exact(&mut head).await.unwrap();
            refused += u32::from(&head == b"HTTP/1.1 503");
        }
        waiting.push(stream);
    }
    assert_eq!(refused, 16);
    assert_eq!(bench.get("/healthz").await.1, "ok\n");
    bench.admin.stop().await;
}

#[tokio::test]
async fn only_the_user_of_the_process_may_open_the_control_socket() {
    let (served, _stop, directory) = served();
    let path = directory.path().join(SOCKET);
    let socket = ControlSocket::listen(served).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let mut stream = tokio::net::UnixStream::connect(&path).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("\r\n\r\nok\n"), "{answer}");
    socket.close().await;
    assert!(!path.exists());
}
