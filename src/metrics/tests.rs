use std::collections::HashSet;

use super::catalogue::groups;
use super::instrument::Kind;
use super::*;
use crate::page::{Budget, Failure, Fate, OutOfScope, PolicyRefusal, RobotsRefusal};

#[test]
fn every_metric_of_the_catalogue_is_written_out_from_the_start() {
    let text = Metrics::new().encode();
    for definition in groups().into_iter().flat_map(|(_, _, definitions)| definitions) {
        let head = format!("# TYPE {} {}\n", definition.name, definition.kind.name());
        assert!(text.contains(&head), "{head} is missing");
        assert!(text.contains(&format!("# HELP {} {}\n", definition.name, definition.help)), "{}", definition.name);
    }
}

#[test]
fn names_are_unique_and_follow_the_scheme() {
    let mut names = HashSet::new();
    for (title, _, definitions) in groups() {
        let prefix = format!("harvestman_{}_", title.to_lowercase());
        for definition in definitions {
            let name = definition.name;
            assert!(names.insert(name), "{name} stands twice in the catalogue");
            assert!(name.starts_with(&prefix), "{name} is no metric of {title}");
            assert_eq!(name.ends_with("_total"), definition.kind == Kind::Counter, "{name}");
            assert_eq!(definition.buckets.is_empty(), definition.kind != Kind::Histogram, "{name}");
            assert!(definition.help.ends_with('.'), "{name}: {}", definition.help);
        }
    }
}

#[test]
fn every_failure_and_refusal_has_a_label_value_of_its_own() {
    use Failure as F;
    let failures = [
        F::Dns,
        F::ForbiddenAddress,
        F::Connect,
        F::ConnectTimeout,
        F::Tls,
        F::TlsTimeout,
        F::FirstByteTimeout,
        F::WholeTimeout,
        F::Disconnected,
        F::Protocol,
        F::HeadTooLarge,
        F::BadRedirect,
        F::TooManyRedirects,
        F::HostGivenUp,
        F::Internal,
    ];
    let statuses = (100..=599).map(F::Http);
    for failure in failures.into_iter().chain(statuses) {
        assert!(labels::FAILURES.contains(&failure.label()), "{failure:?}");
    }
    use OutOfScope as O;
    let scope =
        [O::Scheme, O::Invalid, O::Host, O::Prefix, O::Excluded, O::NotIncluded, O::TooLong, O::Trap].map(O::label);
    for label in scope.iter().chain(PolicyRefusal::LABELS).chain(Budget::LABELS) {
        assert!(labels::REFUSALS.contains(label), "{label}");
    }
}

#[test]
fn every_fate_counts_under_its_own_name_and_reason() {
    let metrics = Metrics::new();
    let fates = [
        Fate::Fetched,
        Fate::Redirected,
        Fate::Duplicate,
        Fate::OutOfScope(OutOfScope::Trap),
        Fate::Robots(RobotsRefusal::Unavailable),
        Fate::Policy(PolicyRefusal::Nofollow),
        Fate::Failed(Failure::Http(503)),
        Fate::UnwantedType,
        Fate::OverBudget(Budget::Depth),
        Fate::NotModified,
    ];
    for (n, fate) in fates.iter().enumerate() {
        metrics.crawl.fates.by(fate.name(), fate.reason().unwrap_or_default()).add(n as u64 + 1);
    }
    let text = metrics.encode();
    for (n, fate) in fates.iter().enumerate() {
        let (name, reason) = (fate.name(), fate.reason().unwrap_or_default());
        let line = format!("harvestman_crawl_fates_total{{fate=\"{name}\",reason=\"{reason}\"}} {}\n", n + 1);
        assert!(text.contains(&line), "{line}");
    }
    let lines = text.lines().filter(|line| line.starts_with("harvestman_crawl_fates_total{"));
    assert_eq!(lines.count(), fates.len(), "a fate was counted as something else:\n{text}");
}

#[test]
fn a_value_outside_the_set_counts_as_other() {
    let metrics = Metrics::new();
    metrics.fetch.failures.by("http://example.org/").inc();
    metrics.fetch.failures.by("tls").add(2);
    metrics.fetch.count_status(299);
    metrics.fetch.count_status(404);
    metrics.fetch.count_status(999);
    let text = metrics.encode();
    assert!(!text.contains("example.org"));
    assert!(text.contains("harvestman_fetch_failures_total{reason=\"other\"} 1\n"));
    assert!(text.contains("harvestman_fetch_failures_total{reason=\"tls\"} 2\n"));
    assert!(text.contains("harvestman_fetch_responses_total{class=\"2xx\",status=\"other\"} 1\n"));
    assert!(text.contains("harvestman_fetch_responses_total{class=\"4xx\",status=\"404\"} 1\n"));
    assert!(text.contains("harvestman_fetch_responses_total{class=\"other\",status=\"other\"} 1\n"));
}

#[test]
fn two_registries_do_not_share_their_counts() {
    let (a, b) = (Metrics::new(), Metrics::new());
    a.crawl.pages.inc();
    assert_eq!((a.crawl.pages.get(), a.clone().crawl.pages.get(), b.crawl.pages.get()), (1, 1, 0));
}
