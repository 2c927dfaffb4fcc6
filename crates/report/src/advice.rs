//! Remedies for what went wrong, for the end of the report.

use super::document::OwnFigures;
use super::{HostTrouble, Report, StopReason, figures};
use harvestman_core::model::{Failure, Fate};

/// The least share of the requests that must fail for one reason to be mentioned.
const NOTABLE: f64 = 0.05;

/// Returns the settings and causes to check, by reason of failure.
pub fn remedy(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "dns" => "check the spelling of the host, or give its address with --resolve HOST:ADDR",
        "forbidden_address" => {
            "the host resolves to a private or loopback address; set fetch.private_addresses if that is intended"
        }
        "connect" | "connect_timeout" => "the server is down or blocks this machine; check --proxy if one is needed",
        "tls" | "tls_timeout" => "check --ca-file if the site uses a private certificate authority",
        "first_byte_timeout" | "whole_timeout" => "the server is slow: raise the time-outs or --delay",
        "disconnected" | "protocol" => "the server closes connections early; fewer connections (--per-host) may help",
        "http_401" => "the site requires a login: --cookie, --cookies FILE or --header",
        "http_403" => "the site refuses this crawler: identify yourself with --contact, or ask the operator",
        "http_429" | "http_503" => "the site asks for fewer requests: raise --delay",
        "host_given_up" => "too many failures in a row; see the reasons before it in pages.jsonl",
        "wait_over" => "`harvestman resume` tries them again; `budget.wait` says how long a crawl waits",
        "internal" => "this is a bug in Harvestman; please report it with the log",
        _ => return None,
    })
}

/// Returns one line for each problem that can be acted on, the worst first.
pub fn advice(report: &Report) -> Vec<String> {
    advise(&report.into())
}

/// Returns the same for the figures of a report or of a running crawl.
pub fn advise(own: &OwnFigures<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    match own.stop_reason {
        Some(StopReason::ArchiveError) => {
            lines.push("the output could not be written: see the log; what was written before is intact".to_owned());
        }
        Some(StopReason::DedupError) => lines.push(
            "the set of URLs seen could not be written to disk: see the log; free disk space, or raise dedup.memory"
                .to_owned(),
        ),
        _ => {}
    }
    lines.extend(own.troubles.iter().map(trouble));
    let is_named = |reason: &str| own.troubles.iter().any(|trouble| trouble.reason == reason);
    for (reason, count) in own.errors {
        if !is_named(reason) && notable(*count, own.requests) && remedy(reason).is_some() {
            let what = format!("{} requests failed with {reason}", figures::count(*count));
            lines.push(with_remedy(what, reason));
        }
    }
    let waited = own.fates.of(Fate::Failed(Failure::WaitOver));
    if waited > 0 {
        let what =
            format!("{} URLs were not fetched, because their hosts did not answer in time", figures::count(waited));
        lines.push(with_remedy(what, Failure::WaitOver.label()));
    }
    lines.extend(own.stop_reason.filter(|_| own.has_nothing()).map(|reason| nothing_fetched(own, reason)));
    lines
}

fn trouble(HostTrouble { host, requests, failed, reason }: &HostTrouble) -> String {
    let what = match (failed, requests) {
        (1, 1) => format!("the only request to {host} failed with {reason}"),
        (failed, all) => format!("{} requests to {host} failed with {reason}", part(*failed, *all)),
    };
    with_remedy(what, reason)
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

fn nothing_fetched(own: &OwnFigures<'_>, stop_reason: StopReason) -> String {
    let why = if own.fates.named("robots") > 0 {
        "robots.txt disallows crawling"
    } else if own.fates.named("refused_by_site") + own.fates.named("not_kept") > 0 {
        "the site refuses the purpose of the crawl (--purpose); the signals in pages.jsonl say how"
    } else if own.fates.named("out_of_scope") > 0 {
        "no seed is in scope: check --scope, --include and --exclude"
    } else if stop_reason != StopReason::FrontierEmpty {
        "the crawl ended before the first page was fetched"
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
    use harvestman_core::model::{FateTable, RobotsRefusal, Signal};

    #[test]
    fn a_crawl_that_went_well_gets_no_advice() {
        assert_eq!(advice(&report()), Vec::<String>::new());
    }

    #[test]
    fn a_crawl_that_waited_in_vain_is_told_how_to_go_on() {
        let mut report = report();
        report.fates.add(Fate::Failed(Failure::WaitOver), 3);
        assert!(report.leaves_some());
        let advice = advice(&report);
        assert!(
            advice.iter().any(|line| line.starts_with("3 URLs") && line.contains("harvestman resume")),
            "{advice:?}"
        );
    }

    #[test]
    fn a_crawl_whose_purpose_is_refused_is_told_so() {
        let mut fates = FateTable::default();
        fates.add(Fate::RefusedBySite(Signal::ContentUsage), 1);
        let report = Report { pages: 0, fates, ..report() };
        assert!(advice(&report)[0].contains("refuses the purpose of the crawl"), "{:?}", advice(&report));
    }

    #[test]
    fn a_host_that_always_failed_is_named_with_a_remedy() {
        let mut report = report();
        let host = "https://intranet.example".to_owned();
        report.troubles = vec![HostTrouble { host, requests: 12, failed: 12, reason: "tls".into() }];
        report.errors.insert("tls".into(), 12);
        let expected = "all 12 requests to https://intranet.example failed with tls: check --ca-file if the site uses a \
                        private certificate authority";
        assert_eq!(advice(&report), [expected]);
    }

    #[test]
    fn some_requests_and_a_single_one_are_worded_differently() {
        let first = |requests, failed| {
            let host = "https://a.example".to_owned();
            let troubles = vec![HostTrouble { host, requests, failed, reason: "dns".into() }];
            advice(&Report { troubles, ..report() }).remove(0)
        };
        assert!(first(1, 1).starts_with("the only request to https://a.example failed with dns: "));
        assert!(first(12, 11).starts_with("11 of 12 requests to https://a.example failed with dns: "));
    }

    #[test]
    fn rare_failures_are_not_mentioned() {
        let with = |count| {
            let mut report = Report { requests: 1_000, ..report() };
            report.errors.insert("http_429".into(), count);
            advice(&report).len()
        };
        assert_eq!((with(49), with(50)), (0, 1));
    }

    #[test]
    fn a_crawl_without_pages_states_why() {
        let mut fates = FateTable::default();
        fates.add(Fate::Robots(RobotsRefusal::Disallowed), 1);
        let lines = advice(&Report { pages: 0, fates, ..report() });
        assert_eq!(lines, ["nothing was fetched: robots.txt disallows crawling"]);
    }
}
