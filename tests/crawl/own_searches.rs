//! Crawls that use the searches of the seeds' own sites.

use harvestman::config::{Config, Period, PolicyKind};
use harvestman::pipeline;
use harvestman::report::Hooks;

use super::crawling::{self, Crawled};
use super::scripted::{Reply, Scripted};

/// Number of threads of the site. The seed links to the first one, and no thread to another.
const THREADS: usize = 24;
/// The largest number of queries that an own search may be asked without anything new: `search.fruitless_max`, and some
/// that wait for words.
const QUERIES_MAX: usize = 12;
const NAVIGATION: &str = "<nav><a href='/'>home</a><a href='/about'>about</a><a href='/rules'>rules</a></nav>";
const DESCRIBED: &str = "<link rel=search type='application/opensearchdescription+xml' href='/os.xml'>";
const FORM: &str =
    "<form action='/find' role=search><input type=hidden name=in value=all><input name=q><button>go</button></form>";

/// Answers the query with this number.
type Answers = Box<dyn Fn(usize) -> Reply + Send + Sync>;

fn page(head: &str, body: &str) -> Reply {
    Reply::html(format!("<html><head>{head}</head><body>{NAVIGATION}{body}</body></html>"))
}

/// A thread: besides the words of all threads it has those of the next one.
fn thread(number: usize) -> Reply {
    let next = (number + 1) % THREADS;
    page("", &format!("<article class=post><p>zoom lens word{} other{}</p></article>", letters(number), letters(next)))
}

/// A number as letters: words with digits are no words of a query.
fn letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect()
}

/// An answer with this page of the site's threads.
fn answer(first: usize) -> Reply {
    let links = (first..first + 5).map(|number| format!("<li><a href='/t/{}'>thread</a></li>", number % THREADS));
    page("", &format!("<ol>{}</ol><a href='?in=all&q=zoom&page=2'>next</a>", links.collect::<String>()))
}

fn description(template: &str) -> Reply {
    let xml = format!(
        "<?xml version='1.0'?><OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/'>\
         <Url type='application/x-suggestions+json' template='/suggest?q={{searchTerms}}'/>\
         <Url type='text/html' template='{template}'/></OpenSearchDescription>"
    );
    Reply { headers: vec![("Content-Type", "application/opensearchdescription+xml".to_owned())], ..Reply::text(xml) }
}

/// A site whose seed has `head` and `form`; `other` answers what is neither a thread nor a page of the navigation, and
/// gets the path and the number of earlier answers.
fn start(
    (head, form): (&'static str, &'static str),
    robots: &'static str,
    other: impl Fn(&str, usize) -> Reply + Send + Sync + 'static,
) -> Scripted {
    let answered = std::sync::atomic::AtomicUsize::new(0);
    Scripted::start(move |host, path, _| match path {
        _ if host != "one" => Reply::status(404),
        "/robots.txt" => Reply::text(robots),
        "/" => page(head, &format!("{form}<a href='/t/0'>first</a>")),
        "/about" | "/rules" => page("", "<p>text</p>"),
        _ => match path.strip_prefix("/t/").and_then(|number| number.parse().ok()) {
            Some(number) if number < THREADS => thread(number),
            _ => other(path, answered.fetch_add(1, std::sync::atomic::Ordering::SeqCst)),
        },
    })
}

fn config(server: &Scripted) -> Config {
    let mut config = crawling::config(vec![server.url("one", "/")]);
    config.scope.hosts.clear();
    config.crawl.policy = PolicyKind::Xcrawl;
    config.policy.want = vec!["selector:article.post".to_owned()];
    config.search.url = vec!["site".to_owned()];
    config
}

fn threads(server: &Scripted, crawled: &Crawled) -> usize {
    let prefix = server.url("one", "/t/");
    crawled.urls("fetched").iter().filter(|url| url.starts_with(&prefix)).count()
}

/// The paths that were asked for and begin like this.
fn asked(server: &Scripted, prefix: &str) -> Vec<String> {
    server.paths("one").into_iter().filter(|path| path.starts_with(prefix)).collect()
}

/// Crawls a site, and checks that the crawl went on with its seed.
fn crawl(server: &Scripted) -> Crawled {
    let crawled = crawling::crawl(config(server));
    assert!(threads(server, &crawled) >= 1 && asked(server, "/about").len() == 1, "{:?}", server.paths("one"));
    crawled
}

#[test]
fn a_form_finds_the_threads_that_no_page_links_to() {
    let server = start(("", FORM), "", |_, answered| answer(5 * answered));
    let crawled = crawl(&server);
    assert_eq!(threads(&server, &crawled), THREADS, "{:?}", server.paths("one"));
    let queries = asked(&server, "/find");
    assert!(queries.iter().all(|query| query.starts_with("/find?in=all&q=")), "{queries:?}");
    assert!(queries.iter().all(|query| !query.contains("page=")), "further pages are no results: {queries:?}");
}

#[test]
fn a_description_is_preferred_to_a_form() {
    let server = start((DESCRIBED, FORM), "", |path, answered| match path {
        "/os.xml" => description("/search?q={searchTerms}&amp;p={startPage?}"),
        _ => answer(5 * answered),
    });
    let crawled = crawl(&server);
    assert_eq!(threads(&server, &crawled), THREADS, "{:?}", server.paths("one"));
    assert!(asked(&server, "/find").is_empty() && asked(&server, "/search?q=").len() > 4);
}

#[test]
fn a_description_that_has_moved_is_read_at_its_new_address() {
    let server = start((DESCRIBED, FORM), "", |path, answered| match path {
        "/os.xml" => Reply::redirect(301, "/search/description.xml"),
        "/search/description.xml" => description("/search?q={searchTerms}"),
        _ => answer(5 * answered),
    });
    let crawled = crawl(&server);
    assert_eq!(threads(&server, &crawled), THREADS, "{:?}", server.paths("one"));
    assert!(asked(&server, "/find").is_empty() && asked(&server, "/search?q=").len() > 4);
}

#[test]
fn a_description_that_is_broken_or_very_long_leaves_the_form() {
    let long = || {
        let filling = "<!-- filling -->".repeat(10 << 16);
        let begin = "<OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/'>";
        let url = "<Url type='text/html' template='/search?q={searchTerms}'/>";
        Reply::xml(format!("{begin}{filling}{url}</OpenSearchDescription>"))
    };
    let descriptions: [fn() -> Reply; 6] = [
        || Reply::xml("<OpenSearchDescription><Url type='text/html' templ"),
        || Reply::html("<html><p>not found"),
        || Reply::status(500),
        || Reply::redirect(302, "/"),
        || description("http://elsewhere.localhost/?q={searchTerms}"),
        || description("/search?key={x:key}&amp;q={searchTerms}"),
    ];
    for reply in descriptions.into_iter().chain([long as fn() -> Reply]) {
        let server = start((DESCRIBED, FORM), "", move |path, answered| match path {
            "/os.xml" => reply(),
            _ => answer(5 * answered),
        });
        let crawled = crawl(&server);
        assert!(asked(&server, "/search").is_empty() && asked(&server, "/find").len() > 4, "{:?}", server.paths("one"));
        assert_eq!(threads(&server, &crawled), THREADS);
    }
}

#[test]
fn a_search_is_asked_where_links_run_out() {
    // The seed leads to half of the threads.
    let linked = THREADS / 2;
    let links: String = (0..linked).map(|number| format!("<a href='/t/{number}'>thread</a> ")).collect();
    let server = Scripted::start(move |host, path, _| {
        let number = path.strip_prefix("/t/").and_then(|number| number.parse().ok());
        match (path, number) {
            _ if host != "one" => Reply::status(404),
            ("/", _) => page("", &format!("{FORM}{links}")),
            (_, Some(number)) if number < THREADS => thread(number),
            _ if path.starts_with("/find?") => answer(linked),
            _ => Reply::status(404),
        }
    });
    let crawled = crawling::crawl(config(&server));
    let paths = server.paths("one");
    assert!(threads(&server, &crawled) > linked + 4, "{paths:?}");
    let is_linked =
        |path: &String| path.strip_prefix("/t/").is_some_and(|number| number.parse().is_ok_and(|n: usize| n < linked));
    let until = paths.iter().rposition(is_linked).unwrap();
    let early = paths[..until].iter().filter(|path| path.starts_with("/find?")).count();
    assert!(early <= 2 && early < asked(&server, "/find?").len(), "{paths:?}");
}

#[test]
fn robots_txt_holds_for_a_search_that_was_found() {
    for robots in ["User-agent: *\nDisallow: /find\n", "User-agent: *\nDisallow: /find?\n"] {
        let server = start(("", FORM), robots, |_, answered| answer(5 * answered));
        let crawled = crawl(&server);
        assert!(asked(&server, "/find").is_empty());
        assert_eq!(crawled.fate("robots"), 1, "one query was refused: {:?}", crawled.report.fates);
        assert_eq!(threads(&server, &crawled), 1);
    }
}

#[test]
fn forms_by_post_or_with_two_texts_and_pages_without_a_form_are_no_searches() {
    for form in [
        "<form action='/find' method=post><input name=q></form>",
        "<form action='/find'><input name=q><input name=author></form>",
        "<form action='https://elsewhere.localhost/find'><input name=q></form>",
        "",
    ] {
        let server = start(("", form), "", |_, answered| answer(5 * answered));
        let crawled = crawl(&server);
        assert!(asked(&server, "/find").is_empty(), "{form}");
        assert_eq!(threads(&server, &crawled), 1);
    }
}

#[test]
fn a_search_that_fails_or_shows_nothing_new_is_given_up_and_the_crawl_ends() {
    let html = |body: &str| page("", body);
    let replies: [(&str, Answers); 7] = [
        ("an error", Box::new(|_| Reply::status(500))),
        ("not found", Box::new(|_| Reply::status(404))),
        ("a captcha", Box::new(move |_| html("<h1>Are you a robot?</h1><form><input name=captcha></form>"))),
        ("nothing", Box::new(|_| Reply::html(""))),
        (
            "broken JSON",
            Box::new(|_| Reply {
                headers: vec![("Content-Type", "application/json".to_owned())],
                ..Reply::text("{\"results\": [")
            }),
        ),
        ("the same for ever", Box::new(|_| answer(1))),
        ("a login", Box::new(|_| Reply::redirect(302, "/about"))),
    ];
    for (name, reply) in replies {
        let server = start(("", FORM), "", move |_, answered| reply(answered));
        let crawled = crawl(&server);
        let queries: std::collections::BTreeSet<String> = asked(&server, "/find").into_iter().collect();
        assert!((1..=QUERIES_MAX).contains(&queries.len()), "{name}: {queries:?}");
        assert!(threads(&server, &crawled) <= 6, "{name}");
    }
}

#[test]
fn a_seed_that_refuses_connections_ends_the_crawl() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = start(("", FORM), "", |_, answered| answer(5 * answered));
    let mut config = config(&server);
    config.crawl.seeds.push(format!("http://{closed}/"));
    let crawled = crawling::crawl(config);
    assert_eq!(threads(&server, &crawled), THREADS);
    assert_eq!(crawled.fate("failed"), 1, "{:?}", crawled.report.fates);
}

#[test]
fn a_search_is_on_a_crawled_host_and_keeps_its_delay() {
    let server = start(("", FORM), "", |_, answered| answer(5 * answered));
    let mut config = config(&server);
    config.host.delay = Period::millis(30);
    let crawled = crawling::crawl(config);
    assert_eq!(threads(&server, &crawled), THREADS);
    let times: Vec<_> = server.log().into_iter().map(|asked| asked.at).collect();
    let short = times.windows(2).filter(|pair| pair[1] - pair[0] < std::time::Duration::from_millis(25)).count();
    assert_eq!(short, 0, "requests that came too soon");
}

#[test]
fn a_resumed_crawl_knows_the_search_that_was_found() {
    let server = start((DESCRIBED, ""), "", |path, answered| match path {
        "/os.xml" => description("/find?q={searchTerms}"),
        _ => answer(5 * answered),
    });
    let mut config = config(&server);
    config.budget.requests = 9;
    let crawled = crawling::crawl(config.clone());
    let before = asked(&server, "/find").len();
    assert!((1..5).contains(&before), "{:?}", server.paths("one"));
    config.budget.requests = 0;
    config.crawl.out = crawled.out().display().to_string();
    pipeline::runtime(&config).block_on(pipeline::resume(&config, Hooks::none())).unwrap();
    let paths = server.paths("one");
    assert_eq!(paths.iter().filter(|path| *path == "/" || *path == "/os.xml").count(), 2, "{paths:?}");
    assert_eq!(asked(&server, "/t/").len(), THREADS, "{paths:?}");
    assert!(asked(&server, "/find").len() > before);
}
