//! Crawls that log in by the form of the site: members' pages are fetched, nothing ends the session, and a session that
//! is lost is found again without a page as guests see it.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use super::crawling::{self, Crawled};
use super::forum::{Forum, PASSWORD_ENV, PRIVATE, Rules, TOPICS};
use harvestman::archive::reader::{Limits, WarcReader};
use harvestman::config::{Config, Period};
use harvestman::pipeline;
use harvestman::report::{Hooks, Report, RunLimits, StopReason};

/// All pages for members are there, as members see them, and the account has every request.
fn check(forum: &Forum, crawled: &Crawled) {
    for number in 0..PRIVATE {
        assert_eq!(crawled.fate_of(&forum.url(&format!("/private/{number}"))), "fetched", "private {number}");
    }
    for number in 0..TOPICS {
        assert_eq!(crawled.fate_of(&forum.url(&format!("/topic/{number}"))), "fetched", "topic {number}");
        let print = forum.url(&format!("/print/{number}"));
        let page = crawled.pages.iter().find(|page| page.url == print).unwrap();
        assert_eq!(page.title.as_deref(), Some(format!("Print {number} for members").as_str()));
    }
    let titles = crawled.pages.iter().filter_map(|page| page.title.as_deref());
    assert_eq!(titles.filter(|title| title.contains("Log in") || title.contains("guest")).count(), 0);
    assert_eq!(crawled.fate("queued"), 0);
    assert_eq!(forum.asked("/bye"), 0, "a link that ends the session was followed");
    assert_eq!(crawled.report.requests as usize, forum.server.paths("one").len());
}

/// The number of links that the policy rejected for this reason.
fn with_reason(report: &Report, reason: &str) -> u64 {
    report.fates.iter().filter(|count| (count.fate, count.reason) == ("policy", reason)).map(|count| count.count).sum()
}

#[test]
fn members_pages_are_fetched_and_nothing_ends_the_session() {
    let forum = Forum::start(Rules::default());
    let hooks = Hooks::none();
    let crawled = crawling::crawl_with(forum.config(), hooks.clone());
    check(&forum, &crawled);
    assert_eq!((forum.log_ins(), forum.as_guest()), (1, Vec::new()));
    assert!(with_reason(&crawled.report, "log_out") >= TOPICS as u64);
    // robots.txt forbids the log-in page, which only the user asked for: links to it are not followed.
    assert_eq!(forum.asked("/login"), 2);
    assert_eq!(hooks.metrics.host.log_ins.by("succeeded").get(), 1);
    assert_eq!(hooks.metrics.host.sessions_lost.get(), 0);
}

#[test]
fn the_password_is_written_nowhere_and_the_cookies_only_for_their_owner() {
    let forum = Forum::start(Rules::default());
    let crawled = crawling::crawl(forum.config());
    let password = std::env::var(PASSWORD_ENV).unwrap();
    let encoded: String = url::form_urlencoded::byte_serialize(password.as_bytes()).collect();
    let mut files = 0;
    for file in files_below(&crawled.out()) {
        let bytes = std::fs::read(&file).unwrap();
        let contains = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        assert!(!contains(&password) && !contains(&encoded), "{} has the password", file.display());
        files += 1;
    }
    assert!(files > 4);
    for name in &crawled.report.warc_files {
        let mut reader = WarcReader::new(std::fs::File::open(crawled.out().join(name)).unwrap(), Limits::default());
        while let Some(mut record) = reader.next_record().unwrap() {
            let url = record.target_uri().unwrap_or_default().to_owned();
            let mut block = Vec::new();
            record.read_to_end(&mut block).unwrap();
            let block = String::from_utf8_lossy(&block);
            assert!(!url.contains("/login") && !block.contains(&encoded) && !block.contains("POST "), "{url}");
        }
    }
    let session = crawled.out().join("session.json");
    assert!(std::fs::read_to_string(&session).unwrap().contains("\"session\""));
    assert_eq!(std::fs::metadata(&session).unwrap().permissions().mode() & 0o777, 0o600);
    let config = std::fs::read_to_string(crawled.out().join("config.toml")).unwrap();
    assert!(config.contains(&format!("password_env = \"{PASSWORD_ENV}\"")));
}

fn files_below(directory: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn a_session_that_is_lost_is_found_again_and_no_page_is_missed() {
    for expiries in [vec![4], vec![9, 21], vec![5, 6, 7], (3..40).step_by(4).collect()] {
        let forum = Forum::start(Rules { expiries: expiries.clone(), ..Rules::default() });
        let hooks = Hooks::none();
        let crawled = crawling::crawl_with(forum.config(), hooks.clone());
        check(&forum, &crawled);
        let lost = hooks.metrics.host.sessions_lost.get() as usize;
        // A session may end while the log-in is still checked.
        assert!((1..=expiries.len()).contains(&lost), "{expiries:?}: {lost}");
        assert!((lost + 1..=expiries.len() + 1).contains(&forum.log_ins()), "{expiries:?}: {}", forum.log_ins());
        assert!(hooks.metrics.parse.substitutes.by("guest_view").get() >= 1, "{expiries:?}");
        // What is asked for again is another attempt: the log has every request but those of the log-in.
        let own = ["/login", "/robots.txt"];
        let asked =
            forum.server.paths("one").iter().filter(|path| !own.iter().any(|own| path.starts_with(own))).count();
        let attempts: usize = crawled.pages.iter().map(|page| usize::from(page.attempts)).sum();
        let checks = asked - attempts;
        assert!(checks <= 60, "{expiries:?}: {checks} requests of the check page");
    }
}

#[test]
fn a_link_that_ends_the_session_without_saying_so_is_found_out() {
    let forum = Forum::start(Rules { has_trap: true, ..Rules::default() });
    let crawled = crawling::crawl(forum.config());
    check(&forum, &crawled);
    // Each session has another address of it.
    assert!((1..=3).contains(&forum.asked("/leave")), "{}", forum.asked("/leave"));
    assert!(forum.log_ins() <= 4, "{}", forum.log_ins());
    assert!(
        crawled.pages.iter().all(|page| !page.url.contains("/leave") || page.fate == "policy"),
        "{:?}",
        crawled.pages
    );
    assert!(crawled.pages.iter().any(|page| page.url.contains("/leave") && page.reason.as_deref() == Some("log_out")));
}

#[test]
fn a_detector_of_substitute_pages_does_not_get_in_the_way() {
    let forum = Forum::start(Rules { expiries: vec![9, 21], ..Rules::default() });
    let mut config = forum.config();
    config.filter.substitutes = true;
    check(&forum, &crawling::crawl(config));
}

#[test]
fn with_a_text_or_a_link_that_only_members_see_nothing_is_learned() {
    for (text, link) in [("see you at log OUT", ""), ("Log out", ""), ("", "/bye?k=")] {
        let forum = Forum::start(Rules { expiries: vec![9], ..Rules::default() });
        let mut config = forum.config();
        (config.login.member_text, config.login.member_link) = (text.to_owned(), link.to_owned());
        if text.starts_with("see") {
            let error = run(config).unwrap_err().to_string();
            assert!(error.contains("login.member_text"), "{error}");
        } else {
            check(&forum, &crawling::crawl(config));
        }
    }
}

/// Runs a crawl, which may fail.
pub fn run(config: Config) -> Result<Report, pipeline::Error> {
    run_with(config, Hooks::none(), false)
}

/// Runs or resumes a crawl in a directory of its own, or in that of the settings.
fn run_with(mut config: Config, hooks: Hooks, resumes: bool) -> Result<Report, pipeline::Error> {
    let dir = tempfile::tempdir().unwrap();
    if config.crawl.out.is_empty() || config.crawl.out == Config::default().crawl.out {
        config.crawl.out = dir.path().join("out").display().to_string();
    }
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = sender.send(pipeline::runtime(&config).block_on(async {
            if resumes { pipeline::resume(&config, hooks).await } else { pipeline::run(&config, hooks).await }
        }));
    });
    ended.recv_timeout(Duration::from_secs(100)).expect("the crawl ends in time")
}

#[test]
fn a_resumed_crawl_has_its_session_and_logs_in_again_if_that_has_ended() {
    for has_ended in [false, true] {
        let forum = Forum::start(Rules::default());
        let dir = tempfile::tempdir().unwrap();
        let mut config = forum.config();
        config.crawl.out = dir.path().join("out").display().to_string();
        config.budget.pages = 6;
        let first = run_with(config.clone(), Hooks::none(), false).unwrap();
        assert_eq!(first.stop_reason, StopReason::PagesBudget);
        if has_ended {
            forum.delete_sessions();
        }
        config.budget.pages = 0;
        let second = run_with(config, Hooks::none(), true).unwrap();
        assert_eq!(second.fates.named("queued"), 0);
        assert_eq!(forum.log_ins(), 1 + usize::from(has_ended));
        assert_eq!(forum.asked("/private/"), PRIVATE);
    }
}

#[test]
fn a_host_where_nobody_can_log_in_again_waits_and_collects_nothing() {
    let forum = Forum::start(Rules { expiries: vec![9], log_ins_max: 1, ..Rules::default() });
    let dir = tempfile::tempdir().unwrap();
    let mut config = forum.config();
    config.crawl.out = dir.path().join("out").display().to_string();
    config.login.tries = 3;
    let hooks = Hooks::none();
    let (watched, stop) = (hooks.clone(), hooks.stop.clone());
    std::thread::spawn(move || {
        while watched.metrics.host.log_ins.by("failed").get() < 3 {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(300));
        stop.request();
    });
    let report = run_with(config, hooks.clone(), false).unwrap();
    assert_eq!(report.stop_reason, StopReason::Interrupted);
    assert!(report.fates.named("queued") >= 10, "{:?}", report.fates);
    assert_eq!(hooks.metrics.host.log_ins.by("failed").get(), 3);
    let pages = std::fs::read_to_string(dir.path().join("out/pages.jsonl")).unwrap();
    assert!(!pages.contains("guests") && !pages.contains("/login"), "{pages}");
}

#[test]
fn a_stopped_crawl_does_not_wait_for_the_session() {
    let forum = Forum::start(Rules::default());
    let mut config = forum.config();
    // Answers without a sign of the session would wait for an hour.
    config.login.unsure_time = Period::secs(3_600);
    config.host.delay = Period::millis(30);
    let hooks = Hooks { limits: RunLimits { unsure_answers: 1_000, ..RunLimits::default() }, ..Hooks::none() };
    let stop = hooks.stop.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(1_500));
        stop.request();
    });
    run_with(config, hooks, false).unwrap();
}

#[test]
fn with_cookies_of_a_browser_links_that_end_the_session_are_not_followed() {
    let forum = Forum::start(Rules::default());
    // A session to use.
    crawling::crawl(forum.config());
    let mut config = forum.config();
    config.login = Config::default().login;
    config.fetch.cookie = "session=s1".to_owned();
    let crawled = crawling::crawl(config);
    assert_eq!((forum.asked("/bye"), forum.as_guest()), (0, Vec::new()));
    assert_eq!(crawled.fate_of(&forum.url("/private/1")), "fetched");
}

#[test]
fn cookies_of_a_crawl_without_a_log_in_survive_too() {
    let forum = Forum::start(Rules::default());
    let dir = tempfile::tempdir().unwrap();
    let mut config = forum.config();
    config.login = Config::default().login;
    config.crawl.out = dir.path().join("out").display().to_string();
    config.crawl.seeds = vec![forum.url("/login")];
    (config.fetch.cookie_jar, config.robots.obey) = (true, false);
    run_with(config, Hooks::none(), false).unwrap();
    let stored = std::fs::read_to_string(dir.path().join("out/session.json")).unwrap();
    assert!(stored.contains("t0k3n-0123456789"), "{stored}");
}
