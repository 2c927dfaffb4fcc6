//! Tests of the politeness rules: worked cases, and the invariants POL-1 to POL-3 under random responses.

use std::time::Duration;

use proptest::prelude::*;

use super::health::Health;
use super::host_rules::PolitenessRules;
use super::politeness::{Politeness, Readiness, RequestEnd, WaitReason};
use harvestman_core::clock::Instant;
use harvestman_core::seed::{Rng, Seed};
use harvestman_core::url::Fingerprint;

fn rules() -> PolitenessRules {
    PolitenessRules {
        delay: Duration::from_secs(1),
        delay_factor: 1.0,
        delay_max: Duration::from_secs(30),
        connections: 4,
        backoff_start: Duration::from_secs(1),
        backoff_max: Duration::from_secs(300),
        retry_after_max: Duration::from_secs(3600),
        breaker_failures: 3,
        breaker_pause: Duration::from_secs(60),
        breaker_openings_max: 2,
        block_pause: Duration::from_secs(60),
        block_pauses_max: 3,
        retry_share: 0.2,
    }
}

fn rng() -> Rng {
    Seed(1).rng()
}

fn at(millis: u64) -> Instant {
    Instant::from_micros(1_000_000_000) + Duration::from_millis(millis)
}

/// Plays one request from `start` whose first byte comes at `first` and which ends at `end` (milliseconds).
fn request(host: &mut Politeness, (start, first, end): (u64, u64, u64), health: Health, rules: &PolitenessRules) {
    host.started();
    host.ended(request_end(at(start), Some(at(first)), at(end)), health, rules, &mut rng());
}

/// The end of a request for a URL that no other request has.
fn request_end(started: Instant, first_byte: Option<Instant>, ended: Instant) -> RequestEnd {
    RequestEnd { url: Fingerprint(u128::from(started.as_micros())), started, first_byte, ended }
}

#[test]
fn the_delay_starts_at_the_first_byte_of_the_response() {
    let (mut host, rules) = (Politeness::default(), rules());
    assert_eq!(host.readiness(at(0), 0, &rules), Readiness::Ready);
    host.started();
    assert_eq!(host.readiness(at(5_000), 0, &rules), Readiness::Busy, "with a delay, one request at a time");
    host.ended(request_end(at(0), Some(at(100)), at(700)), Health::Good, &rules, &mut rng());
    let wait = Readiness::Wait { until: at(1_100), why: WaitReason::Delay };
    assert_eq!(host.readiness(at(1_099), 0, &rules), wait);
    assert_eq!(host.readiness(at(1_100), 0, &rules), Readiness::Ready);
}

#[test]
fn block_pages_pause_the_host_longer_each_time_and_at_last_for_good() {
    let (mut host, rules) = (Politeness::default(), rules());
    let wait = |until| Readiness::Wait { until, why: WaitReason::BlockPage };
    assert_eq!(host.pause_for_block_page(at(0), &rules), Some(at(60_000)));
    assert_eq!(host.pause_for_block_page(at(59_999), &rules), None, "a page that was on its way");
    assert_eq!(host.readiness(at(59_999), 0, &rules), wait(at(60_000)));
    assert_eq!(host.readiness(at(60_000), 0, &rules), Readiness::Ready);
    // A challenge has a status of success, which ends no pause.
    request(&mut host, (60_000, 60_010, 60_020), Health::Good, &rules);
    assert_eq!(host.pause_for_block_page(at(60_020), &rules), Some(at(180_020)));
    assert_eq!(host.readiness(at(180_019), 0, &rules), wait(at(180_020)));
    assert_eq!(host.pause_for_block_page(at(180_020), &rules), Some(at(420_020)));
    assert_eq!(host.pause_for_block_page(at(420_020), &rules), Some(at(900_020)));
    assert_eq!(host.readiness(at(1_000_000), 0, &rules), Readiness::GivenUp);
    host.end_block_page();
    assert_eq!(host.readiness(at(1_000_000), 0, &rules), Readiness::Ready);
}

#[test]
fn without_a_delay_the_connections_are_the_limit() {
    let (mut host, rules) = (Politeness::default(), PolitenessRules { delay: Duration::ZERO, ..rules() });
    for _ in 0..3 {
        host.started();
    }
    assert_eq!(host.readiness(at(0), 0, &rules), Readiness::Ready);
    assert_eq!(host.readiness(at(0), 1, &rules), Readiness::Busy, "a promised request counts");
    host.started();
    assert_eq!(host.readiness(at(0), 0, &rules), Readiness::Busy);
}

#[test]
fn after_an_error_a_single_request_probes_the_host() {
    let (mut host, rules) = (Politeness::default(), PolitenessRules { delay: Duration::ZERO, ..rules() });
    request(&mut host, (0, 1, 1), Health::ServerError, &rules);
    host.started();
    assert_eq!(host.readiness(at(60_000), 0, &rules), Readiness::Busy);
    host.ended(request_end(at(60_000), Some(at(60_001)), at(60_001)), Health::Good, &rules, &mut rng());
    host.started();
    assert_eq!(host.readiness(at(60_002), 0, &rules), Readiness::Ready);
}

#[test]
fn a_slow_host_is_contacted_less_often_up_to_the_limit() {
    let (mut host, rules) = (Politeness::default(), rules());
    request(&mut host, (0, 4_000, 4_000), Health::Good, &rules);
    assert_eq!(host.delay(&rules), Duration::from_secs(4));
    request(&mut host, (10_000, 1_000_000, 1_000_000), Health::Good, &rules);
    assert_eq!(host.delay(&rules), Duration::from_secs(30));
}

#[test]
fn the_crawl_delay_of_robots_txt_lengthens_and_never_shortens() {
    let (mut host, rules) = (Politeness::default(), rules());
    host.set_crawl_delay(Some(Duration::from_secs(7)));
    assert_eq!(host.delay(&rules), Duration::from_secs(7));
    host.set_crawl_delay(Some(Duration::from_millis(10)));
    assert_eq!(host.delay(&rules), Duration::from_secs(1));
}

#[test]
fn retry_after_is_honoured_and_capped() {
    let (mut host, rules) = (Politeness::default(), rules());
    request(&mut host, (0, 10, 10), Health::Overloaded(Some(Duration::from_secs(120))), &rules);
    assert_eq!(host.paused_until(), at(120_010));
    let mut host = Politeness::default();
    request(&mut host, (0, 10, 10), Health::Overloaded(Some(Duration::from_secs(1 << 40))), &rules);
    assert_eq!(host.paused_until(), at(3_600_010));
}

#[test]
fn back_off_doubles_with_each_new_error_and_good_responses_end_it() {
    let (mut host, rules) = (Politeness::default(), rules());
    let mut pauses = Vec::new();
    let mut now = 0;
    for _ in 0..4 {
        request(&mut host, (now, now, now), Health::ServerError, &rules);
        pauses.push(host.paused_until().since(at(now)).as_secs_f64());
        now += 1_000_000;
    }
    for (pause, base) in pauses.iter().zip([1.0, 2.0, 4.0, 8.0]) {
        assert!((base..=base * 1.5).contains(pause), "{pauses:?}");
    }
    request(&mut host, (now, now, now), Health::Good, &rules);
    request(&mut host, (now + 1, now + 1, now + 1), Health::ServerError, &rules);
    assert!(host.paused_until().since(at(now + 1)) <= Duration::from_millis(1_500));
}

#[test]
fn refusals_of_requests_sent_together_are_one_error() {
    let (mut host, rules) = (Politeness::default(), PolitenessRules { delay: Duration::ZERO, ..rules() });
    for _ in 0..4 {
        host.started();
    }
    for end in [100, 101, 102, 103] {
        host.ended(request_end(at(0), Some(at(end)), at(end)), Health::Overloaded(None), &rules, &mut rng());
    }
    assert!(host.paused_until() <= at(100) + Duration::from_millis(1_500));
}

#[test]
fn after_a_429_a_host_without_delay_gets_one() {
    let (mut host, rules) = (Politeness::default(), PolitenessRules { delay: Duration::ZERO, ..rules() });
    request(&mut host, (0, 1, 1), Health::Overloaded(None), &rules);
    let slowed = host.delay(&rules);
    assert_eq!(slowed, Duration::from_millis(250));
    request(&mut host, (60_000, 60_001, 60_001), Health::Overloaded(None), &rules);
    assert_eq!(host.delay(&rules), slowed * 2);
    for n in 0..60 {
        let start = 120_000 + n * 1_000;
        request(&mut host, (start, start + 1, start + 1), Health::Good, &rules);
    }
    assert_eq!(host.delay(&rules), Duration::ZERO, "good responses remove it again");
}

#[test]
fn the_breaker_opens_for_longer_each_time_until_the_host_is_given_up() {
    let (mut host, rules) = (Politeness::default(), rules());
    let mut now = 0;
    for opening in 1..=3_u32 {
        for _ in 0..3 {
            now += 10_000_000;
            request(&mut host, (now, now, now), Health::Unreachable, &rules);
        }
        if opening <= 2 {
            let wait = host.readiness(at(now), 0, &rules);
            assert_eq!(
                wait,
                Readiness::Wait { until: at(now + 60_000 * u64::from(opening)), why: WaitReason::Breaker },
                "opening {opening}"
            );
        }
    }
    assert_eq!(host.readiness(at(now), 0, &rules), Readiness::GivenUp);
}

/// Plays a request for this URL whose response breaks off.
fn broken(host: &mut Politeness, url: u128, start: u64, rules: &PolitenessRules) {
    host.started();
    let end = RequestEnd { url: Fingerprint(url), ..request_end(at(start), None, at(start + 1)) };
    host.ended(end, Health::Broken, rules, &mut rng());
}

#[test]
fn broken_responses_count_once_per_url() {
    let (mut host, rules) = (Politeness::default(), rules());
    for n in 0..20 {
        broken(&mut host, u128::from(n % 2), n * 1_000_000, &rules);
        assert!(host.paused_until() <= at(n * 1_000_000 + 3_001), "two errors: two seconds and half of that as jitter");
    }
    broken(&mut host, 2, 20_000_000, &rules);
    let wait = Readiness::Wait { until: at(20_060_001), why: WaitReason::Breaker };
    assert_eq!(host.readiness(at(20_000_001), 0, &rules), wait, "three bad URLs open the breaker");
}

#[test]
fn a_host_with_only_broken_responses_is_given_up() {
    let (mut host, rules) = (Politeness::default(), rules());
    (0..9).for_each(|n| broken(&mut host, n.into(), n * 10_000_000, &rules));
    assert_eq!(host.readiness(at(100_000_000), 0, &rules), Readiness::GivenUp);
}

#[test]
fn one_good_response_closes_the_breaker_even_if_requested_before_the_error() {
    let (mut host, rules) = (Politeness::default(), PolitenessRules { delay: Duration::ZERO, ..rules() });
    host.started();
    (1..4).for_each(|n| broken(&mut host, n.into(), n * 1_000_000, &rules));
    assert_eq!(host.paused_until(), at(3_060_001));
    host.ended(request_end(at(0), Some(at(3_000_500)), at(3_000_500)), Health::Good, &rules, &mut rng());
    assert!(host.paused_until() < at(3_010_000), "the back-off remains");
    // The count of failures restarts from zero.
    (4..6).for_each(|n| broken(&mut host, n.into(), n * 1_000_000, &rules));
    assert!(host.paused_until() < at(5_030_000));
}

#[test]
fn requests_that_fail_together_count_once_towards_the_breaker() {
    let (mut host, rules) = (Politeness::default(), PolitenessRules { delay: Duration::ZERO, ..rules() });
    for _ in 0..16 {
        host.started();
    }
    for millis in 100..116 {
        host.ended(request_end(at(0), None, at(millis)), Health::Unreachable, &rules, &mut rng());
    }
    assert_eq!(
        host.readiness(at(60_000), 0, &rules),
        Readiness::Ready,
        "one failure of three, and its back-off is over"
    );
}

#[test]
fn the_retry_budget_is_ten_and_a_share_of_the_requests() {
    let (mut host, rules) = (Politeness::default(), rules());
    let granted =
        |host: &mut Politeness| std::iter::repeat_with(|| host.grant_retry(&rules)).take(100).filter(|ok| *ok).count();
    assert_eq!(granted(&mut host), 10);
    for n in 0..50 {
        request(&mut host, (n, n, n), Health::Good, &rules);
    }
    assert_eq!(granted(&mut host), 10);
}

fn health() -> impl Strategy<Value = Health> {
    prop_oneof![
        4 => Just(Health::Good),
        1 => (0..100_u64).prop_map(|secs| Health::Overloaded(Some(Duration::from_secs(secs)))),
        1 => Just(Health::Overloaded(None)),
        1 => Just(Health::ServerError),
        1 => Just(Health::Unreachable),
        1 => Just(Health::Broken),
        1 => Just(Health::Neutral),
    ]
}

proptest! {
    /// A crawler that sends each request as soon as it may, to a host that responds at random.
    #[test]
    fn a_greedy_crawler_respects_the_delay_and_the_pauses(
        answers in prop::collection::vec((health(), 0..3_000_u64, 0..3_000_u64), 1..60),
        delay in 1..3_000_u64,
        seed in any::<u64>(),
    ) {
        let rules = PolitenessRules { delay: Duration::from_millis(delay), ..rules() };
        let (mut host, mut rng) = (Politeness::default(), Seed(seed).rng());
        let mut now = at(0);
        let (mut last_first_byte, mut asked_until) = (None::<Instant>, Instant::EPOCH);
        for (health, wait, body) in answers {
            match host.readiness(now, 0, &rules) {
                Readiness::Ready => {}
                Readiness::Wait { until, .. } => now = until,
                Readiness::Busy => prop_assert!(false, "nothing is in progress"),
                Readiness::GivenUp => return Ok(()),
            }
            prop_assert_eq!(host.readiness(now, 0, &rules), Readiness::Ready);
            if let Some(before) = last_first_byte {
                prop_assert!(now.since(before) >= rules.delay, "POL-2");
            }
            prop_assert!(now >= asked_until, "Retry-After");
            host.started();
            prop_assert_eq!(host.readiness(now, 0, &rules), Readiness::Busy);
            let delay_before = host.delay(&rules);
            let first_byte = now + Duration::from_millis(wait);
            let end = first_byte + Duration::from_millis(body);
            host.ended(request_end(now, Some(first_byte), end), health, &rules, &mut rng);
            if health != Health::Good {
                prop_assert!(host.delay(&rules) >= delay_before, "POL-3");
            }
            if let Health::Overloaded(Some(asked)) = health {
                asked_until = end + asked.min(rules.retry_after_max);
            }
            last_first_byte = Some(first_byte);
            now = end;
        }
    }
}

proptest! {
    #[test]
    fn a_wait_that_has_begun_follows_changed_rules(
        before in 0..5_000_u64, after in 0..5_000_u64, latency in 0..300_u64, factor in 0..3_u32,
    ) {
        let paced = |delay: u64| PolitenessRules { delay: Duration::from_millis(delay), delay_factor: f64::from(factor), ..rules() };
        let ended = |rules: &PolitenessRules| {
            let mut politeness = Politeness::default();
            let (started, came) = (at(0), at(latency));
            politeness.started();
            politeness.ended(request_end(started, Some(came), came), Health::Good, rules, &mut Seed(1).rng());
            politeness
        };
        let (old, new) = (paced(before), paced(after));
        let mut changed = ended(&old);
        changed.change_pace(&old, &new);
        prop_assert_eq!(changed, ended(&new));
    }
}
