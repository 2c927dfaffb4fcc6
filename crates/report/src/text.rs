//! The closing report and the status of a running crawl, as text for the terminal.

use std::fmt;
use std::time::Duration;

use super::advice::advice;
use super::{CrawlStatus, InForce, PostProgress, Report, Waits, feature_figures, figures, rendering_line};
use harvestman_core::model::{Fate, FateTable, FoundSite, SearchRecord, TrapMeasure, TrapRecord};
use harvestman_stages::frontier::YieldForecast;
use harvestman_stages::host::CappedDelay;

/// Writes one line of the report: a name and its text.
fn line(f: &mut fmt::Formatter<'_>, name: &str, text: &str) -> fmt::Result {
    writeln!(f, "{name:<10}{text}")
}

/// Formats counts with their names, the largest first, at most `most` of them.
fn largest<N: fmt::Display>(counts: impl Iterator<Item = (N, u64)>, most: usize) -> String {
    let mut counts: Vec<_> = counts.collect();
    // The sort is stable, so equal counts retain their order.
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let more = counts.len().saturating_sub(most);
    let shown = counts.iter().take(most).map(|(name, count)| format!("{} {name}", figures::count(*count)));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(", {more} more"));
    }
    text
}

/// Writes `1,234 out_of_scope (1,200 host, 34 trap)` for each fate.
fn fate_lines(f: &mut fmt::Formatter<'_>, fates: &FateTable) -> fmt::Result {
    let unknown = fates.iter().map(|row| row.fate).filter(|name| !Fate::NAMES.contains(name));
    let mut names: Vec<&str> = Fate::NAMES.into_iter().filter(|name| fates.named(name) > 0).chain(unknown).collect();
    names.dedup();
    for name in names {
        let reasons = fates.iter().filter(|row| row.fate == name && !row.reason.is_empty());
        let reasons = largest(reasons.map(|row| (row.reason, row.count)), 6);
        let reasons = if reasons.is_empty() { reasons } else { format!("  ({reasons})") };
        writeln!(f, "{:>10}{:>12} {name}{reasons}", "", figures::count(fates.named(name)))?;
    }
    Ok(())
}

/// Writes the URL patterns whose links were refused, each with an example.
fn trap_lines(f: &mut fmt::Formatter<'_>, traps: &[TrapRecord]) -> fmt::Result {
    const MOST: usize = 8;
    let refused = || traps.iter().filter(|trap| trap.measure >= TrapMeasure::Cut);
    for trap in refused().take(MOST) {
        let TrapRecord { form, example, measure, fetched, refused, since, .. } = trap;
        let (fetched, refused, since) = (figures::count(*fetched), figures::count(*refused), figures::count(*since));
        let what = measure.describe();
        line(f, "trap", &format!("{form} {what} after {since} requests: {fetched} fetched, {refused} refused"))?;
        writeln!(f, "{:>10}for example {example}", "")?;
    }
    if let more @ 1.. = refused().count().saturating_sub(MOST) {
        line(f, "trap", &format!("{more} more; all are in report.json"))?;
    }
    Ok(())
}

/// Writes what searches have found: each site with its wanted pages, and whether it was left.
fn search_lines(f: &mut fmt::Formatter<'_>, searches: &SearchRecord) -> fmt::Result {
    const MOST: usize = 8;
    let SearchRecord { queries, found, own_wanted, sites } = searches;
    let own = match own_wanted {
        0 => String::new(),
        pages => format!(", and {} wanted pages by searches of the seeds' own sites", figures::count(*pages)),
    };
    let (queries, found_sites) = (figures::count(*queries), figures::count(*found));
    line(f, "searches", &format!("{queries} queries found {found_sites} sites with wanted pages{own}"))?;
    for FoundSite { site, requests, wanted, left } in sites.iter().take(MOST) {
        let left = if *left { "; left: others bring far more per request" } else { "" };
        let (wanted, requests) = (figures::count(*wanted), figures::count(*requests));
        writeln!(f, "{:>10}{site}: {wanted} wanted pages of {requests} requests{left}", "")?;
    }
    if let more @ 1.. = found.saturating_sub(MOST as u64) {
        writeln!(f, "{:>10}{} more; those with the most wanted pages are in report.json", "", figures::count(more))?;
    }
    Ok(())
}

/// Writes the hosts whose crawl delay is capped.
fn capped_delay_lines(f: &mut fmt::Formatter<'_>, hosts: u64, capped: &[CappedDelay]) -> fmt::Result {
    const MOST: usize = 3;
    if hosts == 0 {
        return Ok(());
    }
    let asked = if hosts == 1 { "1 host asks".to_owned() } else { format!("{} hosts ask", figures::count(hosts)) };
    line(f, "delays", &format!("{asked} for a Crawl-delay above robots.crawl_delay_max"))?;
    for CappedDelay { host, asked_seconds, used_seconds } in capped.iter().take(MOST) {
        let (asked, used) = (figures::seconds(*asked_seconds), figures::seconds(*used_seconds));
        writeln!(f, "{:>10}{host} asks for {asked}, {used} used", "")?;
    }
    if let more @ 1.. = hosts.saturating_sub(MOST as u64) {
        writeln!(f, "{:>10}{} more; the longest are in report.json", "", figures::count(more))?;
    }
    Ok(())
}

impl fmt::Display for Report {
    /// Writes the summary shown on the terminal at the end: compact, without colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pace = format!("{} pages/s", figures::rate(self.pages_per_second));
        line(f, "ended", &format!("after {}: {}", figures::time(self.wall), self.stop_reason.describe()))?;
        let hosts = format!("{} host{}", figures::count(self.hosts), if self.hosts == 1 { "" } else { "s" });
        line(f, "pages", &format!("{} ({pace}) from {hosts}", figures::count(self.pages)))?;
        if let Some(wanted) = self.wanted {
            line(f, "wanted", &format!("{} of these pages, without repetitions", figures::count(wanted)))?;
        }
        self.searches.iter().try_for_each(|searches| search_lines(f, searches))?;
        line(f, "requests", &format!("{}, {} received", figures::count(self.requests), figures::bytes(self.bytes)))?;
        if !self.statuses.is_empty() {
            line(
                f,
                "statuses",
                &largest(self.statuses.iter().map(|(status, count)| (format!("× {status}"), *count)), 8),
            )?;
        }
        if !self.errors.is_empty() {
            line(f, "errors", &largest(self.errors.iter().map(|(reason, count)| (reason, *count)), 8))?;
        }
        if let Some(fleet) = &self.fleet {
            let others = format!("other nodes fetched {} pages", figures::count(fleet.pages_of_others));
            let others = if fleet.was_over { "it had ended before this node joined".to_owned() } else { others };
            line(f, "fleet", &format!("node {} of the crawl `{}`; {others}", fleet.node, fleet.crawl))?;
        }
        if let Some(YieldForecast { expected_yield, requests }) = self.outlook {
            let share = format!("{:.1} % of the next {requests:.0} requests", expected_yield * 100.0);
            line(f, "ahead", &format!("{share} were expected to return a wanted, new page"))?;
        }
        if let Some(recrawl) = &self.recrawl {
            let ahead = format!("about {:.0} more are expected to have changed", recrawl.expected);
            line(f, "recrawl", &format!("{}; {ahead}", recrawl.line()))?;
        }
        if let Some(known) = &self.rendering {
            line(f, "rendered", &rendering_line(known))?;
        }
        capped_delay_lines(f, self.crawl_delays_capped_hosts, &self.crawl_delays_capped)?;
        line(f, "links", &format!("{} discovered; each has one fate:", figures::count(self.discovered)))?;
        fate_lines(f, &self.fates)?;
        trap_lines(f, &self.traps)?;
        if let Some(figures) = &self.dedup {
            line(f, "seen", &feature_figures::dedup_line(figures))?;
        }
        line(f, "cost", &self.cost())?;
        for advice in advice(self) {
            line(f, "note", &advice)?;
        }
        Ok(())
    }
}

impl Report {
    fn cost(&self) -> String {
        let mut parts = Vec::new();
        if let Some(cpu) = self.cpu_seconds {
            parts.push(format!("{} of CPU time", figures::time(Duration::try_from_secs_f64(cpu).unwrap_or_default())));
        }
        if let Some(rate) = self.pages_per_cpu_second {
            parts.push(format!("{} pages per CPU second", figures::rate(rate)));
        }
        if let Some(peak) = self.peak_memory_bytes {
            parts.push(format!("{} of peak memory", figures::bytes(peak)));
        }
        if parts.is_empty() { "unknown on this system".to_owned() } else { parts.join(", ") }
    }
}

impl fmt::Display for CrawlStatus {
    /// Writes the status as lines, ended by a line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pages, requests, queued, leased, hosts, .. } = self;
        let seconds = self.elapsed.as_secs_f64().round();
        writeln!(
            f,
            "pages {pages}, requests {requests}, waiting {queued}, in flight {leased}, hosts {hosts}, running for {seconds} s"
        )?;
        for budget in &self.budgets {
            writeln!(f, "budget of {}: {} of {}", budget.budget.label(), budget.used, budget.limit)?;
        }
        if let Some(PostProgress { posts, threads, authors, behind_bytes }) = self.posts {
            let behind = match behind_bytes {
                0 => String::new(),
                bytes => format!("; {} of the page log are not read for posts yet", figures::bytes(bytes)),
            };
            writeln!(f, "posts {posts} in {threads} threads by {authors} authors{behind}")?;
        }
        if self.draining {
            writeln!(f, "stopping: requests in flight are finished")?;
        } else if self.paused {
            writeln!(f, "paused: `harvestman ctl DIR unpause` ends the pause")?;
        }
        if let Some(stall) = &self.stall {
            writeln!(f, "stalled: {stall}")?;
        }
        write!(f, "{}{}", self.waits, self.in_force)?;
        self.fleet.as_ref().map_or(Ok(()), |fleet| write!(f, "{fleet}"))
    }
}

impl fmt::Display for Waits {
    /// Writes the hosts that are not contacted, one per line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for wait in &self.first {
            writeln!(f, "  {} is not contacted for {} s: {}", wait.host, wait.seconds, cause(&wait.reason))?;
        }
        match self.hosts.saturating_sub(self.first.len() as u64) {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more hosts"),
        }
    }
}

impl fmt::Display for InForce {
    /// Writes the settings, bans, pins and blocks in force, one per line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.set {
            writeln!(f, "set: {name} = {value}")?;
        }
        for (name, list) in [("banned", &self.banned), ("pinned", &self.pinned), ("blocked", &self.blocked)] {
            for what in list {
                writeln!(f, "{name}: {what}")?;
            }
        }
        Ok(())
    }
}

/// Describes why a host is not contacted.
fn cause(reason: &str) -> &str {
    match reason {
        "back_off" => "it failed or asked for a pause (429, 503)",
        "log_in" => "the crawl is not logged in there",
        "block_page" => "it sends a challenge, a log-in page or a refusal in place of its pages",
        "breaker" => "it could not be reached several times in a row",
        "robots" => "its robots.txt cannot be fetched",
        "group" => "another host of its group asked for a pause (429, 503)",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::closing::tests::report;
    use super::*;
    use crate::read_object;

    #[test]
    fn the_report_is_short_and_lists_every_fate_with_its_reasons() {
        let text = report().to_string();
        let expected = "\
ended     after 10 s: nothing was left to fetch
pages     30 (3.0 pages/s) from 1 host
requests  33, 4.0 KiB received
statuses  30 × 200
errors    1 tls
links     32 discovered; each has one fate:
                    30 fetched
                     2 failed  (2 tls)
cost      1.5 s of CPU time, 20.0 pages per CPU second, 1.0 MiB of peak memory
";
        assert_eq!(text, expected);
    }

    #[test]
    fn only_the_largest_counts_are_shown() {
        let counts = [("a", 1), ("b", 3_000), ("c", 2)];
        assert_eq!(largest(counts.into_iter(), 2), "3,000 b, 2 c, 1 more");
        assert_eq!(largest(counts.into_iter(), 3), "3,000 b, 2 c, 1 a");
    }

    fn text(status: &serde_json::Value) -> String {
        read_object::<CrawlStatus>("status", status.to_string().as_bytes()).unwrap().to_string()
    }

    #[test]
    fn a_stalled_crawl_states_what_it_waits_for() {
        let status = json!({
            "pages": 3, "requests": 9, "queued": 5, "leased": 0, "hosts": 2, "elapsed_seconds": 7.4, "paused": false,
            "budgets": [{"budget": "pages", "used": 3, "limit": 100}],
            "stall": "nothing can be fetched",
            "waits": {"hosts": 3, "first": [
                {"host": "http://a.test", "reason": "back_off", "until": "2026-01-01T00:00:09Z", "seconds": 9},
                {"host": "http://b.test", "reason": "robots", "until": "2026-01-01T01:00:00Z", "seconds": 3600},
            ]},
            "in_force": {"set": {"host.delay": "2s"}, "banned": ["5", "/tag/*"], "pinned": [], "blocked": ["c.test"]},
        });
        let text = text(&status);
        for part in [
            "waiting 5",
            "running for 7 s",
            "budget of pages: 3 of 100",
            "stalled: nothing can be fetched\n",
            "http://a.test is not contacted for 9 s: it failed",
            "its robots.txt cannot be fetched",
            "and 1 more hosts",
            "set: host.delay = 2s\nbanned: 5\nbanned: /tag/*\nblocked: c.test\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("fleet") && !text.contains("posts"), "{text}");
    }

    #[test]
    fn a_node_states_the_progress_of_its_fleet() {
        let mut status = crate::files_tests::status();
        status.stall = None;
        let text = status.to_string();
        assert!(text.contains("fleet: crawl `x`") && text.contains("this is node a;"), "{text}");
        assert!(text.contains("stopping:") && !text.contains("stalled"), "{text}");
        assert!(text.contains("posts 90 in 12 threads by 7 authors; 1.0 KiB of the page log are not read"), "{text}");
    }
}
