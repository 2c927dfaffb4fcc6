use std::collections::HashSet;

use super::catalogue::groups;
use super::instrument::Kind;
use super::*;
use harvestman_core::model::{Budget, Failure, Fate, OutOfScope, PolicyRefusal, RobotsRefusal};

#[test]
fn every_metric_of_the_catalogue_is_encoded_from_the_start() {
    let text = Metrics::of_node("a").encode();
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
            assert!(names.insert(name), "{name} is in the catalogue twice");
            assert!(name.starts_with(&prefix), "{name} is no metric of {title}");
            assert_eq!(name.ends_with("_total"), definition.kind == Kind::Counter, "{name}");
            assert_eq!(definition.buckets.is_empty(), definition.kind != Kind::Histogram, "{name}");
            assert!(definition.help.ends_with('.'), "{name}: {}", definition.help);
            assert!(definition.help.len() > 15, "{name} is not explained: {}", definition.help);

            let units = ["_ms", "_micros", "_millis", "_percent", "_kib", "_mib", "_minutes"];
            let in_base_units = !units.iter().any(|unit| name.contains(unit));
            assert!(in_base_units, "{name} is not in base units");
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
        F::WaitOver,
        F::Internal,
        F::SoftNotFound,
    ];
    let statuses = (100..=599).map(F::Http);
    for failure in failures.into_iter().chain(statuses) {
        assert!(labels::FAILURES.contains(&failure.label()), "{failure:?}");
    }
    use OutOfScope as O;
    let scope =
        [O::Scheme, O::Invalid, O::Host, O::Prefix, O::Excluded, O::NotIncluded, O::TooLong, O::Trap].map(O::label);
    assert_eq!(scope, *labels::SCOPE_REFUSALS);
    for label in scope.iter().chain(PolicyRefusal::LABELS).chain(Budget::LABELS) {
        assert!(labels::REFUSALS.contains(label), "{label}");
    }
}

#[test]
fn countable_series_exist_from_the_start() {
    let text = Metrics::new().encode();
    for line in [
        "harvestman_crawl_fates_total{fate=\"failed\",reason=\"tls\"} 0\n",
        "harvestman_crawl_fates_total{fate=\"fetched\",reason=\"\"} 0\n",
        "harvestman_crawl_fates_total{fate=\"over_budget\",reason=\"depth\"} 0\n",
        "harvestman_fetch_responses_total{class=\"4xx\",status=\"429\"} 0\n",
        "harvestman_fetch_responses_total{class=\"5xx\",status=\"other\"} 0\n",
        "harvestman_crawl_commands_total{command=\"ban\",result=\"refused\"} 0\n",
    ] {
        assert!(text.contains(line), "{line}");
    }
    assert!(!text.contains("{class=\"2xx\",status=\"404\"}") && !text.contains("{fate=\"fetched\",reason=\"tls\"}"));
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
        Fate::HandedOver,
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
    let lines = text.lines().filter(|line| line.starts_with("harvestman_crawl_fates_total{") && !line.ends_with(" 0"));
    assert_eq!(lines.count(), fates.len(), "a fate was counted as something else:\n{text}");
}

#[test]
fn a_value_outside_the_set_counts_as_other() {
    let metrics = Metrics::new();
    metrics.fetch.stage.dropped.by("http://example.org/").inc();
    metrics.fetch.stage.dropped.by("tls").add(2);
    metrics.fetch.count_status(299);
    metrics.fetch.count_status(404);
    metrics.fetch.count_status(999);
    let text = metrics.encode();
    assert!(!text.contains("example.org"));
    assert!(text.contains("harvestman_fetch_dropped_total{reason=\"other\"} 1\n"));
    assert!(text.contains("harvestman_fetch_dropped_total{reason=\"tls\"} 2\n"));
    assert!(text.contains("harvestman_fetch_responses_total{class=\"2xx\",status=\"other\"} 1\n"));
    assert!(text.contains("harvestman_fetch_responses_total{class=\"4xx\",status=\"404\"} 1\n"));
    assert!(text.contains("harvestman_fetch_responses_total{class=\"other\",status=\"other\"} 1\n"));
}

#[test]
fn only_the_first_clusters_have_a_series_of_their_own() {
    let metrics = Metrics::new();
    let pages = &metrics.classify.pages;
    (0..2).for_each(|_| (0..2 * NUMBERS as u32).for_each(|cluster| pages.by(1000 - cluster).inc()));
    pages.named("unknown").inc();
    let text = metrics.encode();
    let series: Vec<&str> = text.lines().filter(|line| line.starts_with("harvestman_classify_pages_total{")).collect();
    assert_eq!(series.len(), NUMBERS + 2, "{series:?}");
    assert!(series.contains(&"harvestman_classify_pages_total{cluster=\"1000\"} 2"), "{series:?}");
    assert!(series.contains(&"harvestman_classify_pages_total{cluster=\"unknown\"} 1"), "{series:?}");
    let others = format!("harvestman_classify_pages_total{{cluster=\"other\"}} {}", 2 * NUMBERS);
    assert!(series.contains(&others.as_str()), "{series:?}");
}

#[test]
fn an_info_has_one_series_with_listed_values_only() {
    let metrics = Metrics::new();
    let infos = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("harvestman_crawl_info{")).map(str::to_owned).collect()
    };
    for (policy, shown) in [("ucc", "ucc"), ("http://example.org/", "other")] {
        metrics.crawl.info.set(&[policy, "graph-dup", "bloom-exact"]);
        let line = format!("harvestman_crawl_info{{order=\"graph-dup\",policy=\"{shown}\",store=\"bloom-exact\"}} 1");
        assert_eq!(infos(&metrics.encode()), [line]);
    }
    let version = format!("harvestman_build_info{{version=\"{}\"}} 1\n", env!("CARGO_PKG_VERSION"));
    assert!(metrics.encode().contains(&version));
}

#[test]
fn a_budget_that_is_not_set_remains_whole() {
    let metrics = Metrics::new();
    let remaining = |budget: &str| {
        let line = format!("harvestman_crawl_budget_remaining_ratio{{budget=\"{budget}\"}} ");
        metrics.encode().lines().find_map(|found| found.strip_prefix(&line)?.parse::<f64>().ok())
    };
    let all = || ["pages", "bytes", "time", "requests", "other"].map(|budget| remaining(budget).unwrap());
    assert_eq!(all(), [1.0; 5], "no budget is set");
    metrics.crawl.set_budgets(&[("bytes", 0.25)]);
    assert_eq!(all(), [1.0, 0.25, 1.0, 1.0, 1.0]);
    metrics.crawl.set_budgets(&[("time", 0.0)]);
    assert_eq!(all(), [1.0, 1.0, 0.0, 1.0, 1.0], "the first budget was lifted");
}

#[test]
fn metrics_that_are_off_count_nothing_and_encode_nothing() {
    let metrics = Metrics::off();
    metrics.crawl.count_fate(Fate::Fetched, 3);
    metrics.fetch.count_status(200);
    metrics.fetch.duration.by("whole").observe(std::time::Duration::from_secs(1));
    metrics.frontier.queued.set(7);
    metrics.frontier.expected_yield.set(0.5);
    metrics.classify.pages.by(3).inc();
    metrics.parse.busy_seconds.add(std::time::Duration::from_secs(1));
    metrics.recrawl.new_pages.raise_to(9);
    assert_eq!((metrics.crawl.pages.get(), metrics.frontier.queued.get(), metrics.recrawl.new_pages.get()), (0, 0, 0));
    assert!(!metrics.parse.busy_seconds.is_on() && Metrics::new().parse.busy_seconds.is_on());
    assert_eq!(metrics.encode(), "");
}

#[test]
fn a_counter_is_raised_to_an_external_total_and_never_lowered() {
    let metrics = Metrics::new();
    for (total, shown) in [(3, 3), (3, 3), (8, 8), (2, 8)] {
        metrics.recrawl.new_pages.raise_to(total);
        assert_eq!(metrics.recrawl.new_pages.get(), shown);
    }
}

#[test]
fn in_a_fleet_every_metric_names_the_node_and_outside_none_does() {
    let (alone, node) = (Metrics::new(), Metrics::of_node("a-1"));
    let series = |metrics: &Metrics| -> Vec<String> {
        metrics.encode().lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    };
    let (of_node, of_alone) = (series(&node), series(&alone));
    let nameless: Vec<_> = of_node.iter().filter(|line| !line.contains("node=\"a-1\"")).collect();
    assert!(of_node.len() > of_alone.len() && nameless.is_empty(), "{nameless:?}");
    assert!(of_node.iter().any(|line| line.starts_with("process_open_fds{")), "those of the process too");
    let named: Vec<_> = of_alone.iter().filter(|line| line.contains("node=") || line.contains("_fleet_")).collect();
    assert!(named.is_empty(), "{named:?}");
    let labels = |definition: &Definition| definition.labels.iter().any(|label| label.name == "node");
    assert!(!catalogue::definitions().any(|definition| labels(&definition)), "that name is taken");
    alone.fleet.evictions.inc();
    node.fleet.evictions.inc();
    assert_eq!((alone.fleet.evictions.get(), node.fleet.evictions.get()), (0, 1));
}

#[test]
fn metrics_of_a_session_are_reset_when_it_ends() {
    let metrics = Metrics::of_node("a");
    metrics.fleet.partitions.by("held").set(7);
    metrics.fleet.lease_margin.set(std::time::Duration::from_millis(1_500));
    metrics.fleet.leads.set(1);
    assert!(metrics.encode().contains("harvestman_fleet_lease_margin_seconds{node=\"a\"} 1.5\n"));
    metrics.fleet.reset();
    for line in ["partitions{state=\"held\",node=\"a\"} 0", "lease_margin_seconds{node=\"a\"} 0", "leads{node=\"a\"} 0"]
    {
        assert!(metrics.encode().contains(&format!("harvestman_fleet_{line}\n")), "{line}");
    }
    assert!(metrics.encode().contains("harvestman_fleet_bus_reachable{node=\"a\"} 1\n"), "that is no session's");
}

#[test]
fn two_registries_do_not_share_their_counts() {
    let (a, b) = (Metrics::new(), Metrics::new());
    a.crawl.pages.inc();
    assert_eq!((a.crawl.pages.get(), a.clone().crawl.pages.get(), b.crawl.pages.get()), (1, 1, 0));
}
