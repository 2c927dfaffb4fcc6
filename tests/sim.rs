//! The simulator's promises: what links lead to is exactly the ground truth, and the same seed gives the same bytes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use std::io::{BufRead as _, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use harvestman::lab::sim::{
    Error, Family, RateLimit, Response, RetryAfterForm, Server, ServerOptions, TruthRow, World, WorldOptions,
};
use harvestman::seed::Seed;
use proptest::prelude::*;
use url::Url;

/// What a naive crawl may follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manners {
    /// Everything, robots.txt unread.
    FollowsAll,
    /// Only what robots.txt allows is fetched; what it disallows is still found.
    KeepsToRobots,
}

/// The hrefs of all anchors, as an HTML5 parser sees them, and the base that they resolve against.
fn anchors(page: &Url, body: &str) -> Vec<Url> {
    let document = scraper::Html::parse_document(body);
    let select = |css: &str| scraper::Selector::parse(css).unwrap();
    let base = document.select(&select("base[href]")).next();
    let base = base.map_or_else(|| page.clone(), |base| page.join(base.attr("href").unwrap()).unwrap());
    document.select(&select("a[href]")).map(|a| base.join(a.attr("href").unwrap()).unwrap()).collect()
}

/// The canonical form, as far as the simulator's spellings need it: no fragment, no empty query, unreserved characters
/// not escaped. The rest is what parsing by the URL standard does.
fn canonical(mut url: Url) -> String {
    url.set_fragment(None);
    if url.query() == Some("") {
        url.set_query(None);
    }
    let text = url.as_str();
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let code = u8::from_str_radix(&rest[at + 1..at + 3], 16).unwrap();
        out.push_str(&rest[..at]);
        if code.is_ascii_alphanumeric() || b"-._~".contains(&code) {
            out.push(code as char);
        } else {
            out.push_str(&rest[at..at + 3].to_ascii_uppercase());
        }
        rest = &rest[at + 3..];
    }
    out + rest
}

fn get(world: &World, url: &str) -> Response {
    let url = Url::parse(url).unwrap();
    world.respond(&authority(&url), &path_and_query(&url))
}

fn authority(url: &Url) -> String {
    url[url::Position::BeforeHost..url::Position::AfterPort].to_owned()
}

fn path_and_query(url: &Url) -> String {
    url[url::Position::BeforePath..url::Position::AfterQuery].to_owned()
}

fn robots_of(world: &World, url: &str) -> robotxt::Robots {
    let host = authority(&Url::parse(url).unwrap());
    robotxt::Robots::parse(&world.respond(&host, "/robots.txt").body, "harvestman")
}

/// Everything that can be reached from the world's seeds: URL → (status, redirect target), none where robots.txt kept it.
fn reachable(world: &World, manners: Manners) -> BTreeMap<String, Option<(u16, Option<String>)>> {
    let mut found = BTreeMap::new();
    let mut robots: BTreeMap<String, robotxt::Robots> = BTreeMap::new();
    let mut queue: VecDeque<String> = world.seeds().into();
    let mut seen: BTreeSet<String> = world.seeds().into_iter().collect();
    while let Some(text) = queue.pop_front() {
        let url = Url::parse(&text).unwrap();
        let rules = robots.entry(authority(&url)).or_insert_with(|| robots_of(world, &text));
        if manners == Manners::KeepsToRobots && !rules.is_allowed(&path_and_query(&url)) {
            found.insert(text, None);
            continue;
        }
        let response = get(world, &text);
        let target = response.location.as_ref().map(|location| canonical(Url::parse(location).unwrap()));
        let mut links: Vec<String> = target.iter().cloned().collect();
        if response.content_type.starts_with("text/html") && !response.body.is_empty() {
            let body = std::str::from_utf8(&response.body).unwrap();
            links.extend(anchors(&url, body).into_iter().map(canonical));
        }
        found.insert(text, Some((response.status, target)));
        for link in links {
            let link_path = path_and_query(&Url::parse(&link).unwrap());
            if !world.is_trap(&link_path) && seen.insert(link.clone()) {
                queue.push_back(link);
            }
        }
    }
    found
}

fn truth_by_url(world: &World) -> BTreeMap<String, TruthRow> {
    let mut rows = BTreeMap::new();
    for row in world.truth() {
        assert!(rows.insert(row.url.clone(), row.clone()).is_none(), "{} stands twice in the truth", row.url);
    }
    rows
}

/// The whole promise, for one world.
fn assert_truth_is_exact(options: &WorldOptions, seed: u64) {
    let world = World::new(options, Seed(seed)).unwrap();
    let truth = truth_by_url(&world);
    for manners in [Manners::FollowsAll, Manners::KeepsToRobots] {
        let found = reachable(&world, manners);
        let missing: Vec<&String> = truth.keys().filter(|url| !found.contains_key(*url)).collect();
        let extra: Vec<&String> = found.keys().filter(|url| !truth.contains_key(*url)).collect();
        assert!(missing.is_empty(), "{manners:?}: {} in the truth, not reached: {:?}", missing.len(), &missing[..1]);
        assert!(extra.is_empty(), "{manners:?}: {} reached, not in the truth: {:?}", extra.len(), &extra[..1]);
        for (url, answer) in found {
            let row = &truth[&url];
            match answer {
                None => assert!(!row.robots_allowed, "{url} is disallowed, the truth says allowed"),
                Some(answer) => {
                    assert_eq!(answer, (row.status, row.redirect_to.clone()), "{url}");
                    assert!(manners == Manners::FollowsAll || row.robots_allowed, "{url} is allowed");
                }
            }
        }
    }
    for row in truth.values() {
        for other in row.duplicate_of.iter().chain(&row.redirect_to) {
            let other = truth.get(other).unwrap_or_else(|| panic!("{} points to {other}, which is not there", row.url));
            assert!(other.duplicate_of.is_none() && other.redirect_to.is_none(), "{} points to a pointer", row.url);
        }
    }
    let fetchable = |row: &&TruthRow| row.status == 200 && row.robots_allowed;
    assert!(truth.values().filter(fetchable).count() as u64 >= options.pages);
}

fn small(families: &[Family], hosts: u64) -> WorldOptions {
    WorldOptions {
        pages: 200,
        hosts,
        families: families.to_vec(),
        page_bytes: 300,
        links: 16,
        ..WorldOptions::default()
    }
}

#[test]
fn what_is_reachable_on_a_forum_is_its_truth() {
    assert_truth_is_exact(&small(&[Family::Forum], 1), 1);
}

#[test]
fn what_is_reachable_in_a_blog_network_is_its_truth() {
    assert_truth_is_exact(&small(&[Family::Blogs], 7), 2);
}

#[test]
fn what_is_reachable_on_a_qa_site_is_its_truth() {
    assert_truth_is_exact(&small(&[Family::Qa], 1), 3);
}

#[test]
fn what_is_reachable_on_a_photo_site_is_its_truth() {
    assert_truth_is_exact(&small(&[Family::Media], 1), 4);
}

#[test]
fn what_is_reachable_in_a_world_of_all_families_is_its_truth() {
    assert_truth_is_exact(&WorldOptions { pages: 800, port: Some(8_080), ..small(&Family::SOCIAL, 12) }, 5);
}

#[test]
fn every_combination_of_extremes_keeps_the_truth_exact() {
    let base = WorldOptions { port: Some(8_080), ..small(&Family::SOCIAL, 6) };
    let everything = WorldOptions {
        redirects: 1.0,
        duplicates: 1.0,
        dead_links: 0.3,
        session_ids: true,
        non_html: true,
        traps: true,
        ..base.clone()
    };
    let nothing = WorldOptions {
        redirects: 0.0,
        duplicates: 0.0,
        dead_links: 0.0,
        spellings: false,
        disallow: false,
        sitemaps: false,
        ..base.clone()
    };
    let all_dead = WorldOptions { dead_links: 1.0, ..base.clone() };
    let many_links = WorldOptions { links: 200, ..base.clone() };
    let one_page = WorldOptions { pages: 1, ..base };
    for (seed, options) in [everything, nothing, all_dead, many_links, one_page].iter().enumerate() {
        assert_truth_is_exact(options, seed as u64);
    }
}

#[test]
fn what_is_reachable_on_the_static_site_is_its_truth_and_has_the_promised_size() {
    let options = WorldOptions::static_site(300);
    assert_truth_is_exact(&options, 6);
    let world = World::new(&options, Seed(6)).unwrap();
    assert_eq!(world.truth().count(), 300);
    let body = get(&world, &world.seeds()[0]).body;
    assert!((22_000..30_000).contains(&body.len()), "{}", body.len());
    let links = anchors(&Url::parse("http://localhost/").unwrap(), std::str::from_utf8(&body).unwrap()).len();
    assert_eq!(links, 90);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_another_world() {
    let options = small(&Family::SOCIAL, 9);
    let [one, twin, other] = [7, 7, 8].map(|seed| World::new(&options, Seed(seed)).unwrap());
    let urls: Vec<TruthRow> = one.truth().collect();
    assert_eq!(urls, twin.truth().collect::<Vec<_>>());
    assert_ne!(urls, other.truth().collect::<Vec<_>>());
    for row in &urls {
        assert_eq!(get(&one, &row.url), get(&twin, &row.url), "{}", row.url);
    }
}

#[test]
fn a_duplicate_shows_the_content_of_its_original() {
    let options = WorldOptions { duplicates: 1.0, ..small(&[Family::Forum], 1) };
    let world = World::new(&options, Seed(9)).unwrap();
    let posts = |url: &str| -> Vec<String> {
        let document = scraper::Html::parse_document(std::str::from_utf8(&get(&world, url).body).unwrap());
        let bodies = scraper::Selector::parse(".postbody").unwrap();
        document.select(&bodies).map(|post| post.text().collect()).collect()
    };
    let permalinks = world.truth().filter(|row| row.page_type == "forum:post_permalink").take(50);
    let mut compared = 0;
    for row in permalinks {
        let shown = posts(&row.url);
        assert!(!shown.is_empty());
        assert_eq!(shown, posts(&row.duplicate_of.unwrap()), "{}", row.url);
        compared += 1;
    }
    assert_eq!(compared, 50);
}

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

#[test]
fn a_large_world_answers_every_url_as_its_truth_says() {
    let options = WorldOptions { pages: 60_000, hosts: 64, page_bytes: 100, links: 20, ..WorldOptions::default() };
    let world = World::new(&options, Seed(12)).unwrap();
    let mut fetchable = 0;
    let mut hosts = BTreeSet::new();
    let mut urls = BTreeSet::new();
    for (index, row) in world.truth().enumerate() {
        assert!(urls.insert(harvestman::url::Fingerprint::of(&row.url)), "{} twice", row.url);
        fetchable += u64::from(row.status == 200 && row.robots_allowed);
        if index % 7 == 0 {
            let response = get(&world, &row.url);
            assert_eq!(response.status, row.status, "{}", row.url);
        }
        hosts.insert(row.host);
    }
    assert_eq!(hosts.len(), 64);
    assert_eq!(hosts, world.hosts().map(str::to_owned).collect());
    assert!((options.pages..options.pages + 64 * 40).contains(&fetchable), "{fetchable}");
}

#[test]
fn a_sitemap_names_only_urls_of_the_truth() {
    let options = small(&Family::SOCIAL, 6);
    let world = World::new(&options, Seed(13)).unwrap();
    let truth = truth_by_url(&world);
    let locations = |host: &str, path: &str| -> Vec<String> {
        let response = world.respond(host, path);
        assert_eq!(response.status, 200, "{host}{path}");
        let text = String::from_utf8(response.body.to_vec()).unwrap();
        text.split("<loc>").skip(1).map(|rest| rest.split_once("</loc>").unwrap().0.to_owned()).collect()
    };
    let mut named = 0;
    for host in world.hosts() {
        let robots = world.respond(host, "/robots.txt").body;
        assert!(std::str::from_utf8(&robots).unwrap().contains(&format!("Sitemap: http://{host}/sitemap.xml")));
        for file in locations(host, "/sitemap.xml") {
            for url in locations(host, &path_and_query(&Url::parse(&file).unwrap())) {
                assert!(truth.contains_key(&url), "{url}");
                named += 1;
            }
        }
        assert_eq!(world.respond(host, "/sitemap-9.xml").status, 404);
    }
    assert!(named > 20, "{named}");
}

#[test]
fn what_cannot_be_made_is_refused_with_a_reason() {
    let refused = |options: WorldOptions| World::new(&options, Seed(1)).unwrap_err();
    assert_eq!(refused(WorldOptions { families: vec![], ..WorldOptions::default() }), Error::NoFamily);
    let few = WorldOptions { hosts: 4, ..WorldOptions::default() };
    assert_eq!(refused(few), Error::TooFewHosts { hosts: 4, needed: 5 });
    assert!(World::new(&WorldOptions { hosts: 5, pages: 10, ..WorldOptions::default() }, Seed(1)).is_ok());
    assert_eq!(refused(WorldOptions { hosts: 2, ..WorldOptions::static_site(10) }), Error::StaticIsAlone);
    for error_rate in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(refused(WorldOptions { error_rate, ..WorldOptions::default() }), Error::NoShare { .. }));
    }
    let many = WorldOptions { pages: 1_000_000_001, ..WorldOptions::default() };
    assert!(matches!(refused(many), Error::TooMany { name: "pages", .. }));
}

fn shared_world() -> &'static World {
    static WORLD: std::sync::OnceLock<World> = std::sync::OnceLock::new();
    WORLD.get_or_init(|| {
        let options = WorldOptions { duplicates: 1.0, redirects: 1.0, traps: true, ..small(&Family::SOCIAL, 6) };
        World::new(&options, Seed(14)).unwrap()
    })
}

/// Paths that look like the world's, with numbers that are too large, zero or missing.
const NUMBERS: &str = "(0|1|2|99|18446744073709551615|99999999999999999999)?";

fn any_path() -> impl Strategy<Value = String> {
    let shapes = [
        "/threads/[a-z.-]{0,5}N/(page-N|post-N|latest|reply|\\?sid=N)?",
        "/(boards|members)/[a-z]{0,3}\\.N/(threads)?(\\?page=N|\\?sort=posts&page=N)?",
        "/login\\?next=%2Fthreads%2F.{0,3}N%2F",
        "/N/N/([a-z]-)?N/(comment-page-N/|page/N/|\\?replyto=N|\\?print=1)?",
        "/(\\?p=N|page/N/|tag/[a-z]{1,3}/page/N/)",
        "/(questions|users|a|q|p|files|tags)/N(/[a-z]{1,4}|\\.jpg)?(\\?page=N|\\?tab=questions)?",
        "/(photos|people)/[a-z]{0,3}-N/(N/(sizes/|in/set-N/)?|sets/N/pageN/|pageN/)?",
        "/(calendar/N/N/|deeper/[a-z/]{0,9}|sitemap-N.xml|directory/\\?page=N|robots.txt)",
        "\\PC{0,40}",
    ];
    shapes
        .map(|shape| proptest::string::string_regex(&shape.replace('N', NUMBERS)).unwrap().boxed())
        .into_iter()
        .reduce(|one, other| prop_oneof![one, other].boxed())
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_path_makes_the_world_panic_and_only_urls_of_the_truth_are_found(path in any_path()) {
        static TRUTH: std::sync::OnceLock<BTreeSet<String>> = std::sync::OnceLock::new();
        let world = shared_world();
        let truth = TRUTH.get_or_init(|| world.truth().map(|row| row.url).collect());
        for host in ["forum1.localhost", "u1.blogs.localhost", "qa1.localhost", "media1.localhost", "portal.localhost"] {
            let response = world.respond(host, &path);
            let outside = world.is_trap(&path) || ["/robots", "/sitemap", "/img/", "/static/"].iter().any(|start| path.starts_with(start));
            let known = truth.contains(&format!("http://{host}{path}"));
            prop_assert!(known || outside || response.status == 404, "{} {}", host, path);
        }
    }
}
