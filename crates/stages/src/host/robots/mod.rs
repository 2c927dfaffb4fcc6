//! robots.txt: what a host's owner asks of crawlers (RFC 9309).
//!
//! [`RobotsRules`] is one parsed file as it applies to one crawler. [`RobotsState`] is a host's robots.txt over time:
//! when it must be fetched, what a reply means, what applies while it is unavailable. Both are pure.
//!
//! Precedence and matching of rules are implemented by `robotxt`. `lines` and `agent_groups` select what applies to the
//! crawler, because the crate ends a group's agents at `Crawl-delay`, does not recognise agent names with a version and
//! does not truncate overlong lines. `agent_groups` also rewrites patterns and URLs, so that the crate handles patterns
//! that begin with `*`, and literal `*` and `$` in URLs, correctly.

mod agent_groups;
mod lines;
mod robots_signals;
mod robots_state;
#[cfg(test)]
mod tests;

use std::time::Duration;

use harvestman_consent::RobotsStatements;

pub(super) use robots_state::http_url;
pub use robots_state::{Next, REDIRECTS_MAX, Reply, RobotsState, Verdict};

/// The number of bytes of a robots.txt that are read: 500 KiB (RFC 9309, section 2.5).
pub use robotxt::BYTE_LIMIT;

/// Whether a URL may be fetched, and the rule that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether it may be fetched.
    pub allowed: bool,
    /// The rule that decided, such as `Disallow: /private/`, with its percent-encoding normalised; `None` if no rule
    /// matches.
    pub rule: Option<String>,
}

/// The rules of a robots.txt for one crawler.
#[derive(Debug, Clone)]
pub struct RobotsRules {
    rules: robotxt::Robots,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
    statements: RobotsStatements,
}

impl RobotsRules {
    /// Parses a robots.txt for the crawler whose product token is `agent`; a `/` in `agent` and what follows it (the
    /// version) are ignored. Accepts any bytes: invalid lines are skipped, and only the first 500 KiB are read.
    pub fn parse(bytes: &[u8], agent: &str) -> Self {
        let agent = agent.split('/').next().unwrap_or_default().trim();
        let agent_groups::Groups { rules, crawl_delay, sitemaps } = agent_groups::Groups::read(bytes, agent);
        let statements = robots_signals::read(bytes, agent);
        Self { rules: robotxt::Robots::parse(&rules, agent), crawl_delay, sitemaps, statements }
    }

    /// Returns the rules of a host without robots.txt.
    pub fn allow_all() -> Self {
        let rules = robotxt::Robots::allow_all();
        Self { rules, crawl_delay: None, sitemaps: Vec::new(), statements: RobotsStatements::default() }
    }

    /// Decides whether the URL with this path and query may be fetched, and by which rule: the longest matching rule
    /// wins, and `Allow` wins among rules of equal length. `/robots.txt` itself is always allowed.
    ///
    /// The time per rule is linear in the length of the path.
    pub fn decide(&self, path_and_query: &str) -> Decision {
        let path = agent_groups::rewrite(path_and_query);
        if agent_groups::is_robots_txt(&path) {
            return Decision { allowed: true, rule: None };
        }
        match self.rules.matching_rule(&path) {
            None => Decision { allowed: true, rule: None },
            Some(rule) => Decision { allowed: rule.is_allow(), rule: Some(spell_out(rule)) },
        }
    }

    /// Returns the `Crawl-delay` of the crawler's groups, uncapped; the shortest if several groups have one.
    pub const fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// Returns the values of the `Sitemap` lines as written (they should be absolute URLs, but many are relative),
    /// without duplicates.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// Returns what the crawler's groups state about the use of content.
    pub const fn statements(&self) -> &RobotsStatements {
        &self.statements
    }
}

/// Formats a rule as a line of robots.txt.
fn spell_out(rule: &robotxt::Rule) -> String {
    let name = if rule.is_allow() { "Allow" } else { "Disallow" };
    let pattern = rule.pattern();
    format!("{name}: {}", pattern.strip_prefix(agent_groups::SENTINEL).unwrap_or(pattern))
}
