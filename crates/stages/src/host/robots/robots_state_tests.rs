use super::*;

const URL: &str = "https://h.example/robots.txt";
const RULES: &[u8] =
    b"User-agent: *\nDisallow: /no\nCrawl-delay: 900\nSitemap: /s.xml\nSitemap: https://o.example/t.xml\n";
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);
const START: Instant = Instant::from_micros(1_000_000_000_000_000);

fn state() -> RobotsState {
    RobotsState::new(Arc::new(RobotsOptions::default()), URL.to_owned())
}

fn state_with(options: RobotsOptions) -> RobotsState {
    RobotsState::new(Arc::new(options), URL.to_owned())
}

fn answered(status: u16) -> Reply<'static> {
    Reply::Answered { status, location: None, retry_after: None, body: RULES }
}

fn redirect(location: &str) -> Reply<'_> {
    Reply::Answered { status: 301, location: Some(location), retry_after: None, body: b"" }
}

fn until(verdict: Verdict) -> Duration {
    match verdict {
        Verdict::Unavailable { until } => until.since(START),
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_is_known_before_the_first_fetch() {
    let state = state();
    assert_eq!(state.verdict(START, "/"), Verdict::Unknown);
    assert_eq!(state.fetch_url(START), Some(URL));
}

#[test]
fn rules_are_cached_for_a_day_and_then_due_again() {
    let mut state = state();
    assert_eq!(state.on_reply(answered(200), START), Next::Settled);
    let just_before = START + DAY - Duration::from_micros(1);
    for now in [START, just_before] {
        assert_eq!(state.verdict(now, "/yes"), Verdict::Allowed);
        assert_eq!(state.verdict(now, "/no/1"), Verdict::Disallowed("Disallow: /no".to_owned()));
        assert_eq!(state.fetch_url(now), None);
    }
    assert_eq!(state.verdict(START + DAY, "/yes"), Verdict::Unknown);
    assert_eq!(state.fetch_url(START + DAY), Some(URL));
}

#[test]
fn a_client_error_means_that_there_are_no_rules() {
    for status in [400, 401, 403, 404, 410, 418, 451, 499] {
        let mut state = state();
        assert_eq!(state.on_reply(answered(status), START), Next::Settled);
        assert_eq!(state.verdict(START, "/no"), Verdict::Allowed, "{status}");
        assert_eq!(state.fetch_url(START + HOUR), None, "{status}");
    }
}

#[test]
fn a_server_error_429_or_no_reply_disallows_everything_until_the_next_attempt() {
    for reply in
        [answered(500), answered(503), answered(599), answered(429), answered(100), answered(700), Reply::Unreachable]
    {
        let mut state = state();
        assert_eq!(state.on_reply(reply, START), Next::Settled);
        assert_eq!(until(state.verdict(START, "/")), MINUTE, "{reply:?}");
        assert_eq!(state.fetch_url(START), None);
        assert_eq!(state.verdict(START + MINUTE, "/"), Verdict::Unknown);
        assert_eq!(state.fetch_url(START + MINUTE), Some(URL));
    }
}

#[test]
fn waits_double_up_to_the_maximum_and_start_over_after_a_success() {
    let mut state = state();
    let mut now = START;
    let mut waits = Vec::new();
    for _ in 0..9 {
        state.on_reply(Reply::Unreachable, now);
        let Verdict::Unavailable { until } = state.verdict(now, "/") else { panic!() };
        waits.push(until.since(now).as_secs() / 60);
        now = until;
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    state.on_reply(answered(200), now);
    now = now + DAY;
    state.on_reply(Reply::Unreachable, now);
    assert_eq!(state.fetch_url(now + MINUTE), Some(URL));
}

#[test]
fn retry_after_lengthens_the_wait_up_to_the_maximum_and_never_shortens_it() {
    for (asked, used) in [(10, 60), (600, 600), (3_600, 3_600), (3_601, 3_600), (u64::MAX, 3_600)] {
        for status in [429, 503] {
            let mut state = state();
            let retry_after = Some(Duration::from_secs(asked));
            state.on_reply(Reply::Answered { status, location: None, retry_after, body: b"" }, START);
            assert_eq!(until(state.verdict(START, "/")).as_secs(), used);
        }
    }
}

#[test]
fn old_rules_apply_while_a_refresh_fails() {
    let mut state = state();
    state.on_reply(answered(200), START);
    let later = START + DAY;
    state.on_reply(answered(503), later);
    assert_eq!(state.verdict(later, "/yes"), Verdict::Allowed);
    assert!(matches!(state.verdict(later, "/no"), Verdict::Disallowed(_)));
    assert_eq!(state.verdict(later + MINUTE, "/yes"), Verdict::Unknown, "the next attempt is due");
    state.on_reply(answered(404), later + MINUTE);
    assert_eq!(state.verdict(later + MINUTE, "/no"), Verdict::Allowed);
}

#[test]
fn a_host_that_fails_for_a_month_counts_as_having_no_robots_txt() {
    let mut state = state();
    let mut now = START;
    while now.since(START) < DAY * 30 {
        assert_eq!(state.fetch_url(now), Some(URL));
        state.on_reply(Reply::Unreachable, now);
        assert!(matches!(state.verdict(now, "/"), Verdict::Unavailable { .. }));
        now = now + HOUR;
    }
    state.on_reply(Reply::Unreachable, now);
    assert_eq!(state.verdict(now, "/"), Verdict::Allowed);
    assert_eq!(state.fetch_url(now + HOUR), Some(URL), "and is still retried");
}

#[test]
fn five_redirects_are_followed_to_any_host_and_the_sixth_means_no_rules() {
    let targets = ["/r2", "http://b.example/r", "//c.example/r?x", "r3", "https://d.example/"];
    let resolved = [
        "https://h.example/r2",
        "http://b.example/r",
        "http://c.example/r?x",
        "http://c.example/r3",
        "https://d.example/",
    ];
    let mut state = state();
    for (target, resolved) in targets.into_iter().zip(resolved) {
        assert_eq!(state.on_reply(redirect(target), START), Next::Follow(resolved.to_owned()));
        assert_eq!(state.fetch_url(START), Some(resolved));
        assert_eq!(state.verdict(START, "/"), Verdict::Unknown);
    }
    let mut followed_on = state.clone();
    assert_eq!(followed_on.on_reply(answered(200), START), Next::Settled);
    assert!(matches!(followed_on.verdict(START, "/no"), Verdict::Disallowed(_)));
    assert_eq!(state.on_reply(redirect("/again"), START), Next::Settled);
    assert_eq!(state.verdict(START, "/no"), Verdict::Allowed);
}

#[test]
fn a_redirect_without_a_valid_target_means_no_rules() {
    let without = Reply::Answered { status: 302, location: None, retry_after: None, body: b"" };
    for reply in [without, redirect("ftp://h.example/robots.txt"), redirect("file:///etc/passwd"), redirect("http://[")]
    {
        let mut state = state();
        assert_eq!(state.on_reply(reply, START), Next::Settled);
        assert_eq!(state.verdict(START, "/no"), Verdict::Allowed, "{reply:?}");
    }
}

#[test]
fn a_failure_after_a_redirect_restarts_at_the_host_itself() {
    let mut state = state();
    state.on_reply(redirect("https://b.example/r"), START);
    state.on_reply(Reply::Unreachable, START);
    assert_eq!(until(state.verdict(START, "/")), MINUTE);
    assert_eq!(state.fetch_url(START + MINUTE), Some(URL));
}

#[test]
fn crawl_delays_are_capped_and_sitemaps_are_made_absolute() {
    let mut state = state();
    assert_eq!((state.crawl_delay(), state.sitemaps()), (None, vec![]));
    state.on_reply(answered(200), START);
    assert_eq!((state.crawl_delay(), state.capped_crawl_delay()), (Some(10 * MINUTE), Some(15 * MINUTE)));
    assert_eq!(state.sitemaps(), ["https://h.example/s.xml", "https://o.example/t.xml"]);
    let mut silent = state_with(RobotsOptions { sitemaps: false, ..RobotsOptions::default() });
    silent.on_reply(answered(200), START);
    assert!(silent.sitemaps().is_empty());
}

#[test]
fn a_crawl_delay_that_a_widespread_server_asks_for_is_honoured() {
    let mut state = state();
    let body = b"User-agent: *\nCrawl-delay: 500\n";
    state.on_reply(Reply::Answered { status: 200, location: None, retry_after: None, body }, START);
    assert_eq!((state.crawl_delay(), state.capped_crawl_delay()), (Some(Duration::from_secs(500)), None));
}

#[test]
fn where_robots_txt_is_not_obeyed_everything_is_allowed_at_once() {
    let mut state = state_with(RobotsOptions { obey: false, ..RobotsOptions::default() });
    assert_eq!(state.verdict(START, "/no"), Verdict::Allowed);
    state.on_reply(answered(200), START);
    assert_eq!(state.verdict(START, "/no"), Verdict::Allowed);
    assert_eq!(state.crawl_delay(), None);
}

#[test]
fn no_setting_causes_continuous_requests_for_robots_txt() {
    let none = harvestman_core::config::Period(Duration::ZERO);
    let options =
        RobotsOptions { cache: none, unavailable_retry: none, unavailable_retry_max: none, ..RobotsOptions::default() };
    let mut fetched = state_with(options.clone());
    fetched.on_reply(answered(200), START);
    assert_eq!(fetched.verdict(START + Duration::from_secs(59), "/"), Verdict::Allowed);
    let mut failed = state_with(options);
    failed.on_reply(Reply::Unreachable, START);
    assert_eq!(until(failed.verdict(START, "/")), Duration::from_secs(1));
}
