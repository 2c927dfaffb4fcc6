use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Version};

use super::*;
use crate::host::step::{Errand, RobotsResult, Step};
use harvestman_core::config::{Config, RobotsOptions};
use harvestman_core::model::{Answer, RequestSignature, Timings};
use harvestman_core::seed::Seed;
use harvestman_core::url::HostKey;

const NOW: Instant = Instant::from_micros(1_000_000_000_000);
const GUESS: &str = "http://h.test/sitemap.xml";

fn host(options: RobotsOptions) -> (HostCore, HostRules) {
    let mut core = HostCore::new(HostKey::from_origin("http://h.test"), Arc::new(options), Seed(1).rng());
    core.resolved(None);
    (core, HostRules::from(&Config::default()))
}

fn exchange(path: &str, status: u16) -> Exchange {
    let answer = Answer {
        status,
        version: Version::HTTP_11,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        truncated: None,
        remote: None,
        reservation: None,
    };
    Exchange {
        url: CanonicalUrl::from_canonical(format!("http://h.test{path}")),
        request_headers: HeaderMap::new(),
        signature: RequestSignature::default(),
        result: Ok(answer),
        timings: Timings { started: NOW, first_byte: Some(NOW), ended: NOW },
    }
}

/// Returns the guess after robots.txt was answered.
fn guess(options: RobotsOptions, (status, robots): (u16, &str)) -> Option<String> {
    let (mut core, rules) = host(options);
    assert_eq!(core.sitemap_guess(NOW, &rules), None, "robots.txt is not known");
    core.robots_ended(&exchange("/robots.txt", status), robots.as_bytes(), NOW, &rules);
    core.sitemap_guess(NOW, &rules)
}

#[test]
fn the_usual_place_is_tried_where_robots_txt_names_no_sitemap_or_does_not_exist() {
    for robots in [(200, ""), (200, "User-agent: *\nDisallow: /private\n"), (404, "gone"), (403, "")] {
        assert_eq!(guess(RobotsOptions::default(), robots).as_deref(), Some(GUESS), "{robots:?}");
    }
}

#[test]
fn nothing_is_guessed_where_a_sitemap_is_named_or_forbidden_or_not_wanted() {
    let named = (200, "Sitemap: /maps.xml\n");
    let forbidden = (200, "User-agent: *\nDisallow: /sitemap\n");
    for robots in [named, forbidden, (503, "")] {
        assert_eq!(guess(RobotsOptions::default(), robots), None, "{robots:?}");
    }
    let options = RobotsOptions::default;
    for options in [
        RobotsOptions { sitemaps: false, ..options() },
        RobotsOptions { sitemap_guess: false, ..options() },
        RobotsOptions { obey: false, ..options() },
    ] {
        assert_eq!(guess(options, (200, "")), None);
    }
}

#[test]
fn a_guess_is_requested_once_and_a_named_sitemap_again_after_an_error() {
    for (robots, sent) in [("", Disposition::Final), ("Sitemap: /sitemap.xml\n", Disposition::Retry(NOW))] {
        let (mut core, rules) = host(RobotsOptions::default());
        let result = core.robots_ended(&exchange("/robots.txt", 200), robots.as_bytes(), NOW, &rules);
        assert!(matches!(result, RobotsResult::Rules(_)));
        assert_eq!(core.take_on_sitemaps(vec![GUESS.to_owned(), GUESS.to_owned()], 0), 1);
        let later = NOW + std::time::Duration::from_secs(60);
        let Step::Errand(errand @ Errand::Sitemap { .. }) = core.next(later, 0, &rules) else { panic!() };
        core.begin_errand(&errand);
        let entry = sitemap::Entry { url: GUESS.to_owned(), depth: 0, attempts: 0 };
        let ended = core.sitemap_ended(entry, &exchange("/sitemap.xml", 502), NOW, &rules);
        assert_eq!(matches!(ended, Disposition::Retry(_)), matches!(sent, Disposition::Retry(_)), "{robots}");
        assert_eq!(core.sitemaps.first().is_some(), ended != Disposition::Final);
    }
}

#[test]
fn a_guess_of_an_earlier_run_is_dropped_if_robots_txt_forbids_it_by_now() {
    let (mut core, rules) = host(RobotsOptions::default());
    core.take_on_sitemaps(vec![GUESS.to_owned()], 0);
    assert!(!core.drop_forbidden_guess(NOW, &rules), "robots.txt is not known yet");
    let forbids = b"User-agent: *\nDisallow: /sitemap\n";
    core.robots_ended(&exchange("/robots.txt", 200), forbids, NOW, &rules);
    assert!(core.drop_forbidden_guess(NOW, &rules) && !core.drop_forbidden_guess(NOW, &rules));
    assert!(core.is_idle());
}
