//! What wanted pages may do to a crawl: be told by their words, be few among very many links, or vanish.

use harvestman::config::{Config, CrawlOptions, Period, PolicyKind};

use crate::crawling::{added, config, crawl};
use crate::scripted::{Reply, Scripted};

const OPTICS: &str = "telescope aperture eyepiece mirror galaxy nebula finder focal collimation mount refractor seeing";
const BAKING: &str = "sourdough flour oven crust yeast dough proofing hydration rye loaf kneading starter";
/// Number of pages of each subject.
const PAGES: usize = 300;

/// A page about one of two subjects, with words that pages of both have. Pages with odd numbers have another template.
fn article(subject: &str, number: usize) -> String {
    let names: Vec<_> = subject.split(' ').collect();
    let mut state = number as u64 + 1;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        names[(state >> 33) as usize % names.len()]
    };
    let text: String = (0..30).map(|_| format!("the {} and my {} is ", draw(), draw())).collect();
    let menu = "<nav><p>home forum members search help</p></nav>";
    let more = (1..=3).map(|step| format!("<a href='{}'>more</a>", (number + step) % PAGES)).collect::<String>();
    if number.is_multiple_of(2) {
        format!("<html><body>{menu}<article><p>{text}</p></article>{more}</body></html>")
    } else {
        format!("<html><body>{menu}<table><tr><td>{text}</td></tr></table>{more}</body></html>")
    }
}

fn subjects(path: &str) -> Reply {
    let parts: Vec<_> = path.trim_matches('/').split('/').collect();
    match parts[..] {
        [""] => Reply::links(&["/optics/0", "/baking/0"]),
        [subject @ ("optics" | "baking"), number] => match number.parse::<usize>() {
            Ok(number) if number < PAGES => {
                Reply::html(article(if subject == "optics" { OPTICS } else { BAKING }, number))
            }
            _ => Reply::status(404),
        },
        _ => Reply::status(404),
    }
}

#[test]
fn pages_are_told_by_the_words_of_examples_in_files() {
    let server = Scripted::start(|_, path, _| subjects(path));
    let examples = tempfile::tempdir().unwrap();
    let mut config = searching(&server, PolicyKind::Xcrawl, "words");
    for number in [100, 101, 102] {
        let file = examples.path().join(format!("{number}.html"));
        std::fs::write(&file, article(OPTICS, number)).unwrap();
        config.policy.example.0.push(file.display().to_string());
    }
    // One request after the other, so that each follows from what the one before has taught.
    config.frontier.in_flight_max = 1;
    config.host.delay = Period::millis(10);
    config.budget.pages = 120;
    let found = |config: Config| crawl(config).urls("fetched").iter().filter(|url| url.contains("/optics/")).count();
    let breadth_first =
        found(Config { crawl: CrawlOptions { policy: PolicyKind::Bfs, ..config.crawl.clone() }, ..config.clone() });
    let learned = found(config);
    assert!((50..70).contains(&breadth_first) && learned > 90, "breadth first: {breadth_first}, learned: {learned}");
}

/// Settings of a crawl by xCrawl for pages that this test accepts.
fn searching(server: &Scripted, policy: PolicyKind, want: &str) -> Config {
    let mut config = config(vec![server.url("h", "/")]);
    config.crawl.policy = policy;
    config.policy.want = vec![want.to_owned()];
    config.robots.obey = false;
    config
}

fn variants() -> [PolicyKind; 2] {
    [PolicyKind::Xcrawl, added("xcrawl:paper")]
}

#[test]
fn a_hub_with_a_hundred_thousand_links_neither_stops_nor_slows_the_search() {
    const LINKS: usize = 100_000;
    let hub = || {
        let links: String = (0..LINKS).map(|to| format!("<li>item {to} <a href=/i/{to}>x</a>")).collect();
        Reply::html(format!("<html><body><ul>{links}</ul></body></html>"))
    };
    for policy in variants() {
        let server = Scripted::start(move |_, path, _| match path {
            "/" => hub(),
            _ => Reply::html("<html><body><h1 class=wanted>one</h1><a href=/>up</a></body></html>"),
        });
        let mut config = searching(&server, policy, "selector:h1.wanted");
        config.budget.pages = 100;
        let crawled = crawl(config);
        assert_eq!((crawled.fate("fetched"), crawled.fate_of(&server.url("h", "/"))), (100, "fetched".to_owned()));
        assert!(crawled.report.discovered > 5_000, "{policy}: {}", crawled.report.discovered);
    }
}

/// Lists whose items are wanted. Every third item is gone when it is asked for, one in five of the others was moved
/// away.
fn vanishing(path: &str) -> Reply {
    const LISTS: usize = 12;
    let parts: Vec<_> = path.trim_matches('/').split('/').collect();
    let number = |text: &str| text.parse::<usize>().unwrap_or(usize::MAX);
    match parts[..] {
        [""] => Reply::links(&["/list/0"]),
        ["list", list] => {
            let list = number(list);
            let items = (0..10).map(|item| format!("<li><a href=/item/{}>x</a>", 10 * list + item)).collect::<String>();
            let next = if list + 1 < LISTS { format!("<a href=/list/{}>next</a>", list + 1) } else { String::new() };
            Reply::html(format!("<html><body><ul>{items}</ul>{next}</body></html>"))
        }
        ["item", item] => match number(item) {
            item if item % 3 == 0 => Reply::status(if item % 2 == 0 { 404 } else { 410 }),
            item if item % 5 == 0 => Reply::redirect(302, "/gone"),
            item => Reply::html(format!(
                "<html><body><h1 class=wanted>{item}</h1><a href=/item/{}>y</a></body></html>",
                item - item % 3
            )),
        },
        _ => Reply::status(410),
    }
}

#[test]
fn wanted_pages_that_are_gone_are_recorded_and_the_search_ends() {
    for policy in variants() {
        let server = Scripted::start(|_, path, _| vanishing(path));
        let crawled = crawl(searching(&server, policy, "selector:h1.wanted"));
        let fate = |path: &str| crawled.fate_of(&server.url("h", path));
        let fates = ["/item/6", "/item/9", "/gone"].map(fate);
        assert_eq!(fates, ["failed: http_404", "failed: http_410", "failed: http_410"], "{policy}");
        let found = crawled.urls("fetched").iter().filter(|url| url.contains("/item/")).count();
        assert_eq!(found, (0..120).filter(|item| item % 3 > 0 && item % 5 > 0).count(), "{policy}");
    }
}

#[test]
fn examples_that_their_own_test_rejects_are_an_error_that_names_them() {
    let examples = tempfile::tempdir().unwrap();
    let mut config = config(vec!["http://h.localhost/".to_owned()]);
    config.crawl.policy = PolicyKind::Xcrawl;
    config.crawl.out = examples.path().join("out").display().to_string();
    let run = |config: &Config| {
        let run = harvestman::pipeline::run(config, harvestman::report::Hooks::none());
        harvestman::pipeline::runtime(config).block_on(run).unwrap_err().to_string()
    };
    config.policy.want = vec!["words".to_owned()];
    let none = run(&config);
    assert!(none.contains("at least 2 example pages in files"), "{none}");
    for name in ["one", "other"] {
        let file = examples.path().join(name);
        std::fs::write(&file, format!("<link rel=canonical href=http://h.localhost/{name}><p>{name}</p>")).unwrap();
        config.policy.example.0.push(file.display().to_string());
    }
    config.policy.want = vec!["selector:h1.wanted".to_owned()];
    let error = run(&config);
    assert!(error.contains("`selector:h1.wanted` does not accept 2 of 2 examples"), "{error}");
    assert!(error.contains("http://h.localhost/one") && error.contains("http://h.localhost/other"), "{error}");
}
