//! What goes over the wire, and what the log says of it.

use std::collections::BTreeSet;
use std::io::{BufRead as _, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use harvestman::seed::Seed;
use harvestman::sim::{Family, RateLimit, RetryAfterForm, Server, ServerOptions, TruthRow, World, WorldOptions};
use url::Url;

use super::{authority, get, path_and_query, small};

/// A client of one connection that says exactly what it is told to.
struct Client {
    stream: std::io::BufReader<TcpStream>,
}

/// What the server sent back.
struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Client {
    fn to(server: &Server) -> Self {
        let stream = TcpStream::connect(server.addr()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self { stream: std::io::BufReader::new(stream) }
    }

    fn send(&mut self, host: &str, path: &str) {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
    }

    fn receive(&mut self) -> Reply {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).unwrap() > 0, "the server hung up after {head:?}");
        }
        let length = header(&head, "content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        Reply { status: head[9..12].parse().unwrap(), head, body }
    }

    fn get(&mut self, host: &str, path: &str) -> Reply {
        self.send(host, path);
        self.receive()
    }

    fn get_url(&mut self, url: &str) -> Reply {
        let url = Url::parse(url).unwrap();
        self.get(&authority(&url), &path_and_query(&url))
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    fields.into_iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn serve(options: &WorldOptions, server: ServerOptions) -> Server {
    let world = Arc::new(World::new(options, Seed(11)).unwrap());
    Server::start(world, "127.0.0.1:0".parse().unwrap(), server).unwrap()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..2_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{what} did not come true");
}

#[test]
fn the_server_answers_what_the_world_responds_over_one_connection_and_logs_it() {
    let folder = tempfile::tempdir().unwrap();
    let log_file = folder.path().join("requests.jsonl");
    let options = ServerOptions { log: Some(log_file.clone()), ..ServerOptions::default() };
    let server = serve(&small(&Family::SOCIAL, 6), options);
    let world = Arc::clone(server.world());
    let port = format!(":{}/", server.addr().port());
    let rows: Vec<TruthRow> = world.truth().step_by(5).collect();
    let mut client = Client::to(&server);
    for row in &rows {
        assert!(row.url.contains(&port), "{}", row.url);
        let reply = client.get_url(&row.url);
        let expected = get(&world, &row.url);
        assert_eq!((reply.status, &reply.body[..]), (row.status, &expected.body[..]), "{}", row.url);
        assert_eq!(header(&reply.head, "location"), expected.location.as_deref(), "{}", row.url);
    }
    let log = Arc::clone(server.log());
    assert_eq!((log.requests(), log.connections(), log.urls()), (rows.len() as u64, 1, rows.len() as u64));
    assert!(rows.iter().all(|row| log.requests_of(&row.url) == 1));
    assert!(log.most_in_flight().values().all(|most| *most == 1));
    let entries = log.entries();
    assert!(entries.windows(2).all(|pair| pair[0].us + pair[0].took_us <= pair[1].us));
    let own = client.stream.get_ref().local_addr().unwrap().ip();
    assert!(entries.iter().all(|entry| entry.peer == own), "who asked stands in the log");
    server.stop().unwrap();
    let lines = std::fs::read_to_string(log_file).unwrap();
    for (line, entry) in lines.lines().zip(&entries) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line, serde_json::to_value(entry).unwrap());
    }
    assert_eq!(lines.lines().count(), rows.len());
}

#[test]
fn the_log_counts_what_is_in_flight_and_open_on_each_host() {
    let options = ServerOptions { latency: Duration::from_millis(300), ..ServerOptions::default() };
    let server = serve(&small(&[Family::Forum], 1), options);
    let mut clients: Vec<Client> = (0..4).map(|_| Client::to(&server)).collect();
    for client in &mut clients {
        client.send("forum1.localhost", "/");
    }
    for client in &mut clients {
        assert_eq!(client.receive().status, 200);
    }
    let log = server.log();
    assert_eq!(log.most_in_flight()["forum1.localhost"], 4);
    assert_eq!(log.most_open()["forum1.localhost"], 4);
    let in_flight: BTreeSet<u32> = log.entries().iter().map(|entry| entry.in_flight).collect();
    assert_eq!(in_flight, BTreeSet::from([1, 2, 3, 4]));
    drop(clients);
    // Who goes away before the answer is logged with status 0, and is not in flight any more.
    let mut hasty = Client::to(&server);
    hasty.send("forum1.localhost", "/");
    wait_until("the arrival", || log.requests() == 5);
    drop(hasty);
    wait_until("the hasty client's entry", || log.statuses().contains_key(&0));
    let mut last = Client::to(&server);
    last.get("forum1.localhost", "/");
    let entry = log.entries().pop().unwrap();
    assert_eq!((entry.in_flight, entry.open, entry.status), (1, 1, 200));
}

#[test]
fn above_the_rate_a_host_refuses_with_retry_after_in_both_forms_and_other_hosts_do_not() {
    for form in [RetryAfterForm::Seconds, RetryAfterForm::Date, RetryAfterForm::None] {
        let limit = RateLimit {
            burst: 2,
            retry_after: Duration::from_millis(1_500),
            form,
            status: if form == RetryAfterForm::Date { 503 } else { 429 },
            // So slow that no later request of this test is allowed, however long the test takes.
            ..RateLimit::per_second(0.000_1)
        };
        let options = ServerOptions { rate_limit: Some(limit), ..ServerOptions::default() };
        let server = serve(&small(&[Family::Forum, Family::Qa], 3), options);
        let mut client = Client::to(&server);
        assert_eq!(client.get("forum1.localhost", "/").status, 200);
        assert_eq!(client.get("forum1.localhost", "/members/").status, 200);
        let before =
            std::time::UNIX_EPOCH + Duration::from_micros(harvestman::clock::Clock::system().now().as_micros());
        let refused = client.get("forum1.localhost", "/");
        assert_eq!(refused.status, limit.status);
        let value = header(&refused.head, "retry-after");
        match form {
            RetryAfterForm::Seconds => assert_eq!(value, Some("2")),
            RetryAfterForm::Date => {
                let wait = httpdate::parse_http_date(value.unwrap()).unwrap();
                assert!(wait >= before + limit.retry_after, "{wait:?}");
            }
            RetryAfterForm::None => assert_eq!(value, None),
        }
        assert_eq!(client.get("qa1.localhost", "/").status, 200);
    }
}

#[test]
fn transient_errors_are_the_same_in_every_run_and_give_way_after_the_promised_number_of_attempts() {
    let options = WorldOptions { error_rate: 0.5, errors_in_a_row: 2, ..small(&[Family::Qa], 1) };
    let server = serve(&options, ServerOptions { count_urls: false, ..ServerOptions::default() });
    let world = server.world();
    let mut client = Client::to(&server);
    let mut failures = [0; 3];
    for row in world.truth().take(200) {
        for (attempt, failed) in failures.iter_mut().enumerate() {
            let status = client.get_url(&row.url).status;
            let url = Url::parse(&row.url).unwrap();
            let expected = world.respond_to_attempt(&authority(&url), &path_and_query(&url), attempt as u32);
            assert_eq!(status, expected.status, "{} attempt {attempt}", row.url);
            *failed += u32::from(matches!(status, 500 | 503));
        }
    }
    assert!((60..140).contains(&failures[0]) && (60..140).contains(&failures[1]), "{failures:?}");
    assert_eq!(failures[2], 0);
    assert_eq!(client.get("qa1.localhost", "/robots.txt").status, 200);
}

#[test]
fn requests_that_are_no_page_requests_are_answered_too() {
    let server = serve(&small(&[Family::Forum], 1), ServerOptions::default());
    let mut client = Client::to(&server);
    let mut raw = |request: &str| {
        client.stream.get_mut().write_all(request.as_bytes()).unwrap();
        client.receive().status
    };
    assert_eq!(raw("POST / HTTP/1.1\r\nHost: forum1.localhost\r\nContent-Length: 0\r\n\r\n"), 405);
    assert_eq!(raw("GET / HTTP/1.1\r\n\r\n"), 400);
    assert_eq!(raw("GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n"), 404);
    assert_eq!(raw("GET http://FORUM1.localhost/ HTTP/1.1\r\nHost: proxy\r\n\r\n"), 200);
    assert_eq!(raw("GET /img/x.gif HTTP/1.1\r\nHost: forum1.localhost\r\n\r\n"), 200);
    assert_eq!(raw("GET /calendar/2026/1/ HTTP/1.1\r\nHost: forum1.localhost\r\n\r\n"), 404);
}
