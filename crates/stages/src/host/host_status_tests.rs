use std::sync::Arc;
use std::time::Duration;

use super::*;
use harvestman_core::config::{Config, RobotsOptions};
use harvestman_core::seed::Seed;
use harvestman_core::url::HostKey;

/// A host without requests so far, its rules, and the time.
fn host() -> (HostCore, HostRules, Instant) {
    let mut config = Config::default();
    config.robots.obey = false;
    let robots = Arc::new(RobotsOptions { obey: false, ..RobotsOptions::default() });
    let core = HostCore::new(HostKey::from_origin("http://h.test"), robots, Seed(1).rng());
    (core, HostRules::from(&config), Instant::EPOCH + Duration::from_secs(1_000))
}

#[test]
fn a_contacted_host_shows_its_delay_and_requests_in_progress() {
    let (mut core, rules, now) = host();
    assert_eq!((core.status(now, &rules).state, core.status(now, &rules).under_way), ("ready", 0));
    core.begin_resolve();
    assert_eq!(core.status(now, &rules).state, "busy");
    core.resolved(None);
    core.started();
    let status = core.status(now, &rules);
    assert_eq!((status.state, status.under_way, status.until), ("busy", 1, None));
    assert_eq!(status.delay, Config::default().host.delay.0);
}

#[test]
fn a_host_that_waits_for_others_shows_this_unless_it_has_its_own_reason_to_wait() {
    let (mut core, rules, now) = host();
    let until = Some(now + Duration::from_secs(5));
    for (why, state) in [(WaitReason::Group, "group"), (WaitReason::Address, "address")] {
        let status = core.status(now, &rules).queued(why, until);
        assert_eq!((status.state, status.until), (state, until));
    }
    core.resolved(None);
    core.started();
    assert_eq!(core.status(now, &rules).queued(WaitReason::Group, until).state, "busy");
}
