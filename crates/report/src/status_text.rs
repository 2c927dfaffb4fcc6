//! The status of a running crawl for the terminal.

use std::fmt;

use super::{CrawlStatus, InForce, PostProgress, Waits, figures};

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

    use super::*;
    use crate::read_object;

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
