//! robots.txt: what a host's owner asks of crawlers (RFC 9309).
//!
//! [`RobotsRules`] is one parsed file, as far as it concerns one crawler; [`RobotsState`] is a host's robots.txt over time:
//! when it must be fetched, what a reply means, what holds while it cannot be had. Both are pure.
//!
//! Precedence and matching of rules are `robotxt`'s. `lines` and `groups` select what concerns the crawler, as the crate ends a
//! group's agents at `Crawl-delay`, knows no agent names with a version and does not cut over-long lines. `path` rewrites
//! patterns and URLs, so that the crate also reads patterns that begin with `*`, and literal `*` and `$` in URLs, rightly.

mod groups;
mod lines;
mod path;
mod state;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use state::{Next, Reply, RobotsState, Verdict};

/// How many bytes of a robots.txt count: 500 KiB (RFC 9309, section 2.5).
pub use robotxt::BYTE_LIMIT;

/// Whether a URL may be fetched, and which rule says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether it may be fetched.
    pub allowed: bool,
    /// The rule that decided, such as `Disallow: /private/`, with its percent-encoding normalised; none where no rule matches.
    pub rule: Option<String>,
}

/// The rules of a robots.txt for one crawler.
#[derive(Debug, Clone)]
pub struct RobotsRules {
    rules: robotxt::Robots,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

impl RobotsRules {
    /// Reads a robots.txt for the crawler whose product token is `agent`; whatever follows a `/` in `agent` is its version and
    /// ignored. Takes any bytes: what is not understood is skipped, and only the first 500 KiB are looked at.
    pub fn parse(bytes: &[u8], agent: &str) -> Self {
        let agent = agent.split('/').next().unwrap_or_default().trim();
        let groups::Groups { rules, crawl_delay, sitemaps } = groups::Groups::read(bytes, agent);
        Self { rules: robotxt::Robots::parse(&rules, agent), crawl_delay, sitemaps }
    }

    /// The rules of a host that has no robots.txt.
    pub fn allow_all() -> Self {
        Self { rules: robotxt::Robots::allow_all(), crawl_delay: None, sitemaps: Vec::new() }
    }

    /// Whether the URL with this path and query may be fetched, and why: the longest rule that matches wins, and among equally
    /// long ones an `Allow`. `/robots.txt` itself always may.
    ///
    /// Linear in the length of the path for each rule.
    pub fn decide(&self, path_and_query: &str) -> Decision {
        let path = path::rewrite(path_and_query);
        if path::is_robots_txt(&path) {
            return Decision { allowed: true, rule: None };
        }
        match self.rules.matching_rule(&path) {
            None => Decision { allowed: true, rule: None },
            Some(rule) => Decision { allowed: rule.is_allow(), rule: Some(spell_out(rule)) },
        }
    }

    /// Returns the `Crawl-delay` of the crawler's groups, uncapped; the shortest where several groups have one.
    pub const fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The values of the `Sitemap` lines, as written (they should be absolute URLs, but many are relative) and each once.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// The rule as a line of robots.txt.
fn spell_out(rule: &robotxt::Rule) -> String {
    let name = if rule.is_allow() { "Allow" } else { "Disallow" };
    let pattern = rule.pattern();
    format!("{name}: {}", pattern.strip_prefix(path::SENTINEL).unwrap_or(pattern))
}
