//! Sites whose structure makes addresses without end: a crawl ends by itself, has all that is real, and says what the
//! trap was.

use std::collections::BTreeSet;

use harvestman::config::{Config, FilterOrder, PolicyKind};
use harvestman::model::{PolicyRefusal, TrapMeasure};
use harvestman::report::{Hooks, StopReason};

use crate::crawling::{Crawled, config, crawl_with};
use crate::scripted::{Reply, Scripted};

/// Threads of the forum.
const THREADS: usize = 300;
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A forum of 300 threads with a board in pages, a calendar without end, and a log-in page that leads to itself with
/// its own address, escaped in another way each time, so that no shape of an address tells.
fn forum() -> Scripted {
    Scripted::start(|_, target, _| {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let number = path.trim_matches('/').rsplit('/').next().and_then(|last| last.parse::<usize>().ok()).unwrap_or(0);
        let body = match path.split('/').nth(1).unwrap_or_default() {
            "robots.txt" => return Reply::status(404),
            "" | "board" => board(number),
            "thread" => thread(number),
            "login" => login(query),
            "calendar" => calendar(number),
            _ => return Reply::status(404),
        };
        let home = "<p><a href=\"/\">Home</a> <a href=\"/calendar/24312/\">Calendar</a></p>";
        Reply::html(format!("<html><body>{home}{body}</body></html>"))
    })
}

fn board(number: usize) -> String {
    let threads = (number * 20..(number + 1) * 20).filter(|n| *n < THREADS);
    let threads = threads.map(|n| format!("<li><a href=\"/thread/{n}/\">Of {} and more</a></li>", word(n)));
    let next = if (number + 1) * 20 < THREADS {
        format!("<a href=\"/board/{}/\">next</a>", number + 1)
    } else {
        String::new()
    };
    format!("<ul>{}</ul>{next}", threads.collect::<String>())
}

fn thread(number: usize) -> String {
    let text: String = (0..40).map(|n| word(number * 41 + n) + " ").collect();
    format!("<p>{text}</p><a href=\"/login?next=/thread/{number}/\">Reply</a>")
}

/// A word without digits.
fn word(n: usize) -> String {
    let n = n.wrapping_mul(0x9e37_79b9) % 456_976;
    [n % 26, n / 26 % 26, n / 676 % 26, n / 17_576].map(|letter| (b'a' + letter as u8) as char).iter().collect()
}

fn login(query: &str) -> String {
    let hash = query.bytes().fold(7_u64, |hash, b| hash.wrapping_mul(31).wrapping_add(u64::from(b)));
    format!("<p>User name</p><p>Password</p><a href=\"/login?next=x{hash:x}y\">Log in</a>")
}

fn calendar(month: usize) -> String {
    let days: String = (1..=28).map(|day| format!("<td>{day}</td>")).collect();
    let (before, next) = (month.saturating_sub(1), month + 1);
    format!(
        "<h1>{} {}</h1><table><tr>{days}</tr></table><a href=\"/calendar/{before}/\">before</a><a href=\"/calendar/{next}/\">next</a>",
        MONTHS[month % 12],
        month / 12
    )
}

fn crawled(server: &Scripted, change: impl FnOnce(&mut Config)) -> (Crawled, Hooks) {
    let mut config = config(vec![server.url("a", "/")]);
    // Neither ends what the guard should end.
    (config.budget.depth, config.budget.requests) = (u16::MAX, 6_000);
    change(&mut config);
    let hooks = Hooks::none();
    (crawl_with(config, hooks.clone()), hooks)
}

/// It ended by itself and holds all threads; both traps are named, and little was spent on them.
fn check(server: &Scripted, crawled: &Crawled, hooks: &Hooks) {
    let report = &crawled.report;
    assert_eq!(report.stop_reason, StopReason::FrontierEmpty, "{report}");
    let fetched: BTreeSet<&str> = crawled.urls("fetched").into_iter().collect();
    let missing =
        (0..THREADS).map(|n| server.url("a", &format!("/thread/{n}/"))).filter(|url| !fetched.contains(url.as_str()));
    assert_eq!(missing.count(), 0, "{report}");
    for form in ["/login?next=", "/calendar/N/"] {
        let trap = report.traps.iter().find(|trap| trap.form == server.url("a", form));
        let trap = trap.unwrap_or_else(|| panic!("{form} is not named in {report}"));
        assert!(trap.measure >= TrapMeasure::Cut && trap.refused > 0, "{trap:?}");
        assert!(report.to_string().contains(&trap.form) && report.to_string().contains(&trap.example), "{report}");
    }
    let why = PolicyRefusal::StructureTrap.label();
    let json = serde_json::to_value(report).unwrap();
    assert!(json["fates"]["policy"][why].as_u64().unwrap() > 0, "{report}");
    assert!(json["traps"].as_array().unwrap().len() >= 2);
    assert_eq!(hooks.metrics.policy.forms_refused.get(), 2, "{report}");
    // What brings something, and some hundreds for each trap; on its way may be more than the guard has seen.
    assert!(report.requests < 1_700, "{report}");
}

#[test]
fn a_crawl_of_everything_ends_by_itself_where_log_in_pages_nest_and_the_calendar_has_no_end() {
    let server = forum();
    let (crawled, hooks) = crawled(&server, |_| {});
    check(&server, &crawled, &hooks);
    assert!(crawled.pages.iter().all(|page| page.score.is_none()), "breadth-first has nothing to explain");
    assert!(!crawled.out().join("policy.jsonl").exists());
}

#[test]
fn a_crawl_that_learns_ends_there_too_whatever_the_order_of_the_filter() {
    for order in [FilterOrder::DupGraph, FilterOrder::DupOnly] {
        let server = forum();
        let (crawled, hooks) = crawled(&server, |config| {
            config.crawl.policy = PolicyKind::Ucc;
            config.filter.order = order;
        });
        check(&server, &crawled, &hooks);
    }
}

#[test]
fn without_the_guard_only_a_budget_ends_it() {
    let server = forum();
    let (crawled, _) = crawled(&server, |config| {
        config.filter.trap_guard = false;
        config.budget.requests = 2_500;
    });
    assert_eq!(crawled.report.stop_reason, StopReason::RequestsBudget);
    assert!(crawled.report.traps.is_empty());
}
