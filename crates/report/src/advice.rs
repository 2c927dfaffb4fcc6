//! What to do about what went wrong, for the end of the report.

use super::{Report, figures};

/// A share of requests from which on a failure is worth a line.
const NOTABLE: f64 = 0.05;

/// Settings and causes worth checking, by reason of failure.
pub fn remedy(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "dns" => "check the spelling of the host, or name its address with --resolve HOST:ADDR",
        "forbidden_address" => {
            "the host leads to a private or loopback address; if it is yours, set fetch.private_addresses"
        }
        "connect" | "connect_timeout" => "the server is down or blocks this machine; check --proxy if one is needed",
        "tls" | "tls_timeout" => "check --ca-file if the site has a certificate authority of its own",
        "first_byte_timeout" | "whole_timeout" => "the server is slow: raise its time-outs, or --delay",
        "disconnected" | "protocol" => "the server breaks off; fewer --per-host connections may help",
        "http_401" => "the site wants a login: --cookie, --cookies FILE or --header",
        "http_403" => "the site refuses this crawler: say who you are with --contact, or ask its operator",
        "http_429" | "http_503" => "the site asks for fewer requests: raise --delay",
        "host_given_up" => "too many failures in a row; see the reasons above it in pages.jsonl",
        "internal" => "this is a fault of Harvestman; please report it with the log",
        _ => return None,
    })
}

/// What advice goes by: a closing report in this process, or one that was read from a file.
#[derive(Debug, Clone, Default)]
pub struct Findings<'a> {
    /// Why the crawl ended, as `report.json` has it.
    pub stop_reason: &'a str,
    /// Requests made.
    pub requests: u64,
    /// Hosts that answered (nearly) nothing: which, of how many requests how many failed, and why.
    pub troubles: Vec<(&'a str, u64, u64, &'a str)>,
    /// Requests that failed, by reason.
    pub errors: Vec<(&'a str, u64)>,
    /// Whether no page could be had.
    pub has_nothing: bool,
    /// Links that robots.txt kept back, and links that were out of scope.
    pub kept_back: (u64, u64),
}

impl<'a> Findings<'a> {
    fn of(report: &'a Report) -> Self {
        let troubles = report.troubles.iter();
        Self {
            stop_reason: report.stop_reason.label(),
            requests: report.requests,
            troubles: troubles.map(|at| (at.host.as_str(), at.requests, at.failed, at.reason.as_ref())).collect(),
            errors: report.errors.iter().map(|(reason, count)| (reason.as_ref(), *count)).collect(),
            has_nothing: report.has_nothing(),
            kept_back: (report.fates.named("robots"), report.fates.named("out_of_scope")),
        }
    }
}

/// One line for each thing that went wrong and can be acted on, the worst first.
pub fn advice(report: &Report) -> Vec<String> {
    advise(&Findings::of(report))
}

/// The same for whatever was found.
pub fn advise(found: &Findings<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if found.stop_reason == "archive_error" {
        lines.push("the output could not be written: see the log; what was written before is whole".to_owned());
    }
    if found.stop_reason == "dedup_error" {
        lines.push(
            "the URLs seen could not be kept on disk: see the log; free some space, or raise dedup.memory".to_owned(),
        );
    }
    for (host, requests, failed, reason) in &found.troubles {
        let what = match (failed, requests) {
            (1, 1) => format!("the only request to {host} failed with {reason}"),
            (failed, all) => format!("{} requests to {host} failed with {reason}", part(*failed, *all)),
        };
        lines.push(with_remedy(what, reason));
    }
    let named = |reason: &str| found.troubles.iter().any(|trouble| trouble.3 == reason);
    for (reason, count) in &found.errors {
        if !named(reason) && notable(*count, found.requests) && remedy(reason).is_some() {
            let what = format!("{} requests failed with {reason}", figures::count(*count));
            lines.push(with_remedy(what, reason));
        }
    }
    if found.has_nothing {
        lines.push(nothing_fetched(found));
    }
    lines
}

/// `all 12`, or `11 of 12`.
fn part(count: u64, all: u64) -> String {
    if count == all {
        format!("all {}", figures::count(all))
    } else {
        format!("{} of {}", figures::count(count), figures::count(all))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share")]
fn notable(count: u64, requests: u64) -> bool {
    count as f64 >= NOTABLE * requests as f64
}

fn with_remedy(what: String, reason: &str) -> String {
    match remedy(reason) {
        Some(remedy) => format!("{what}: {remedy}"),
        None => what,
    }
}

fn nothing_fetched(found: &Findings<'_>) -> String {
    let why = if found.kept_back.0 > 0 {
        "robots.txt keeps the crawler out"
    } else if found.kept_back.1 > 0 {
        "no seed is in scope: check --scope, --include and --exclude"
    } else if found.stop_reason != "frontier_empty" {
        "the crawl ended before the first page was there"
    } else {
        "see the reasons in pages.jsonl"
    };
    format!("nothing was fetched: {why}")
}

#[cfg(test)]
mod tests {
    use super::super::closing::tests::report;
    use super::super::{HostTrouble, Report};
    use super::*;
    use harvestman_core::model::{Fate, FateTable, RobotsRefusal};

    #[test]
    fn a_crawl_that_went_well_gets_no_advice() {
        assert_eq!(advice(&report()), Vec::<String>::new());
    }

    #[test]
    fn a_host_that_failed_altogether_is_named_with_what_to_check() {
        let mut report = report();
        let host = "https://intranet.example".to_owned();
        report.troubles = vec![HostTrouble { host, requests: 12, failed: 12, reason: "tls".into() }];
        report.errors.insert("tls".into(), 12);
        let expected = "all 12 requests to https://intranet.example failed with tls: check --ca-file if the site has a \
                        certificate authority of its own";
        assert_eq!(advice(&report), [expected]);
    }

    #[test]
    fn a_part_of_the_requests_and_a_single_one_are_told_as_such() {
        let told = |requests, failed| {
            let host = "https://a.example".to_owned();
            let troubles = vec![HostTrouble { host, requests, failed, reason: "dns".into() }];
            advice(&Report { troubles, ..report() }).remove(0)
        };
        assert!(told(1, 1).starts_with("the only request to https://a.example failed with dns: "));
        assert!(told(12, 11).starts_with("11 of 12 requests to https://a.example failed with dns: "));
    }

    #[test]
    fn rare_failures_are_not_worth_a_line() {
        let with = |count| {
            let mut report = Report { requests: 1_000, ..report() };
            report.errors.insert("http_429".into(), count);
            advice(&report).len()
        };
        assert_eq!((with(49), with(50)), (0, 1));
    }

    #[test]
    fn an_empty_crawl_says_why() {
        let mut fates = FateTable::default();
        fates.add(Fate::Robots(RobotsRefusal::Disallowed), 1);
        let lines = advice(&Report { pages: 0, fates, ..report() });
        assert_eq!(lines, ["nothing was fetched: robots.txt keeps the crawler out"]);
    }
}
