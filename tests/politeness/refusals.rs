//! Servers that refuse: 429 with and without `Retry-After`, and server errors. None may make a crawl faster.

use std::time::Duration;

use harvestman::config::{Config, Period};
use harvestman::sim::{Entry, RateLimit, RetryAfterForm, Server, ServerOptions, WorldOptions};

use super::{GRANULARITY, answered, blogs, by_host, check_waits};
use crate::crawling::{config, crawl_with, retrying_all, serve};

/// How far the calendar times of server and crawler may differ: each reads the machine's clock once, at its start, and
/// counts on from there; on a busy machine it may be interrupted between reading the two clocks that this takes.
const CLOCKS_APART: u64 = 20_000;

/// Crawls a few hosts that refuse what is above the rate.
fn limited(limit: RateLimit, change: impl FnOnce(&mut Config)) -> Server {
    let options = ServerOptions { rate_limit: Some(limit), ..ServerOptions::default() };
    let server = serve(&blogs(6, 300), options);
    let mut config = config(server.world().seeds());
    config.host.connections_per_host = 1;
    config.budget.time = Period::secs(7);
    change(&mut config);
    crawl_with(config, retrying_all()).check_requests(&server);
    server
}

fn refusals(server: &Server, status: u16) -> u64 {
    server.log().statuses().get(&status).copied().unwrap_or(0)
}

#[test]
fn retry_after_in_seconds_is_kept() {
    let limit = RateLimit { burst: 4, ..RateLimit::per_second(8.0) };
    let server = limited(limit, |_| {});
    assert!(refusals(&server, 429) >= 5);
    assert!(check_waits(&server, limit.retry_after, |entry| entry.status == 429) > 0);
}

#[test]
fn retry_after_as_a_date_is_kept_with_503_too() {
    let limit = RateLimit { burst: 4, status: 503, form: RetryAfterForm::Date, ..RateLimit::per_second(8.0) };
    let server = limited(limit, |_| {});
    assert!(refusals(&server, 503) >= 5);
    for (host, entries) in by_host(&server) {
        for pair in entries.windows(2).filter(|pair| pair[0].status == 503) {
            // The date is that of the refusal, or later, and a second, rounded up to a whole second.
            let until = (pair[0].us + 1_000_000).div_ceil(1_000_000) * 1_000_000;
            assert!(pair[1].us + CLOCKS_APART >= until, "{host}: {} µs too early", until - pair[1].us);
        }
    }
}

#[test]
fn a_retry_after_that_is_longer_than_honoured_is_cut_and_not_ignored() {
    let limit = RateLimit { burst: 4, retry_after: Duration::from_secs(3_600), ..RateLimit::per_second(8.0) };
    let server = limited(limit, |config| config.host.retry_after_max = Period::millis(900));
    assert!(refusals(&server, 429) >= 5);
    assert!(check_waits(&server, Duration::from_millis(900), |entry| entry.status == 429) > 0);
}

#[test]
fn without_retry_after_the_pauses_double_with_each_refusal_in_a_row() {
    // After the first three requests everything is refused, for good.
    let limit = RateLimit { burst: 3, form: RetryAfterForm::None, ..RateLimit::per_second(0.000_1) };
    let server = limited(limit, |config| {
        (config.host.backoff_start, config.host.backoff_max) = (Period::millis(60), Period::millis(480));
    });
    let mut hosts = 0;
    for (host, entries) in by_host(&server) {
        let refused: Vec<&Entry> = entries.iter().skip_while(|entry| entry.status != 429).collect();
        assert!(refused.iter().all(|entry| entry.status == 429), "{host}");
        for (turn, pair) in refused.windows(2).enumerate() {
            let least = (60_000 << turn.min(3)) as u64;
            let waited = pair[1].us - answered(pair[0]) + GRANULARITY;
            assert!(waited >= least, "{host}: {waited} µs after refusal {turn}, at least {least} expected");
        }
        hosts += usize::from(refused.len() > 4);
    }
    assert!(hosts > 0);
}

/// A server that refuses at once must not be asked more often for it: in the second after a refusal fewer requests come
/// than in the second before the first one, and the spacing grows.
#[test]
fn after_a_refusal_fewer_requests_come_than_before() {
    let limit = RateLimit { burst: 20, form: RetryAfterForm::None, ..RateLimit::per_second(4.0) };
    let server = limited(limit, |config| {
        (config.host.delay, config.host.delay_max) = (Period::millis(20), Period::secs(5));
        config.host.backoff_start = Period::millis(500);
        config.host.backoff_max = Period::secs(5);
    });
    assert!(refusals(&server, 429) >= 3);
    let second = 1_000_000;
    for (host, entries) in by_host(&server) {
        let within = |from: u64, to: u64| entries.iter().filter(|entry| (from..to).contains(&entry.us)).count();
        let Some(first) = entries.iter().find(|entry| entry.status == 429) else { continue };
        let before = within(first.us.saturating_sub(second), first.us);
        for refused in entries.iter().filter(|entry| entry.status == 429) {
            let after = within(answered(refused) + 1, answered(refused) + second);
            // Half a second of pause, and then at least a quarter of a second from one to the next.
            assert!(
                after <= 3 && after <= before.max(1),
                "{host}: {before} before the first refusal, {after} after one"
            );
        }
        // The delay has grown, and shrinks by a tenth with each answer only.
        for (at, _) in entries.iter().enumerate().filter(|(_, entry)| entry.status == 429) {
            for (turn, pair) in entries[at..].windows(2).skip(1).take(3).enumerate() {
                let least = 250_000.0 * 0.9_f64.powi(turn as i32 + 1);
                let gap = (pair[1].us - pair[0].us + GRANULARITY) as f64;
                assert!(gap >= least, "{host}: {gap} µs between requests {turn} after a refusal");
            }
        }
    }
}

#[test]
fn server_errors_pause_a_host_and_never_shorten_its_delay() {
    let world = WorldOptions { error_rate: 0.3, errors_in_a_row: 2, ..blogs(24, 400) };
    let server = serve(&world, ServerOptions::default());
    let mut config = config(server.world().seeds());
    (config.host.delay, config.host.delay_max) = (Period::millis(50), Period::millis(50));
    (config.host.backoff_start, config.host.backoff_max) = (Period::millis(200), Period::secs(2));
    config.budget.time = Period::secs(8);
    crawl_with(config, retrying_all()).check_requests(&server);
    let failed = |entry: &Entry| matches!(entry.status, 500 | 503);
    assert!(check_waits(&server, Duration::from_millis(200), failed) > 30);
    assert!(check_waits(&server, Duration::from_millis(50), |_| true) > 100);
}
