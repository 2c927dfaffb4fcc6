//! The groups of a robots.txt that apply to one crawler (RFC 9309, sections 2.2.1 and 2.2.4).
//!
//! A group is a run of `User-agent` lines and the rules after it. Only a rule (`Allow`, `Disallow`, even an empty one)
//! ends the run. Groups that name the same agent are merged. A crawler follows the groups that name it, or otherwise
//! those of `*`.
//!
//! `Crawl-delay` is not part of the RFC and does not end a run: it applies to all agents of its group. If a group has
//! several between its `User-agent` lines, an agent uses the next one after its own line, as the authors of such files
//! intend; an agent with none after its line uses the longest before it.
//!
//! Paths and patterns are rewritten to a form that `robotxt` compares correctly:
//!
//! * Both get a leading [`SENTINEL`]. The crate prepends a `/` to a pattern that has none, so that `*/print/` would no
//!   longer match `/print/`; with the sentinel in front of both, that `/` is the sentinel.
//! * `*` and `$` are literal in a path and special in a pattern, where only `%2A` and `%24` are literal (RFC 9309,
//!   section 2.2.3). Therefore they are encoded in paths, as is a `$` in a pattern anywhere but at its end.
//! * In a query `:`, `/`, `?` and `@` are not delimiters, and are equivalent to their encoded forms (RFC 9309, section
//!   2.2.2, has `?baz=https://foo.bar` as an example), so they are decoded there. In the path `%2F` is not a `/`.
//!
//! All other percent-encoding is normalised by the crate.

use std::collections::HashSet;
use std::time::Duration;

use super::lines::{Line, lines};

/// Maximum number of `Sitemap` values that are returned.
pub const SITEMAP_LINE_LIMIT: usize = 10_000;

/// The parts of a robots.txt that apply to one crawler.
#[derive(Debug, Default)]
pub struct Groups {
    /// Its rules as one group for `*`, in the form that `robotxt` interprets correctly ([`self`]). No longer
    /// than the lines read, except for patterns with `$` or an escape.
    pub rules: Vec<u8>,
    /// Its crawl delay.
    pub crawl_delay: Option<Duration>,
    /// The values of the `Sitemap` lines, which belong to no group, without duplicates.
    pub sitemaps: Vec<String>,
}

impl Groups {
    /// Parses a file for the crawler whose product token is `agent`.
    pub fn read(bytes: &[u8], agent: &str) -> Self {
        let (mut own, mut star) = (Agent::default(), Agent::default());
        let (mut sitemaps, mut seen) = (Vec::new(), HashSet::new());
        let mut in_agents = false;
        for line in lines(bytes) {
            match line {
                Line::Agent(value) => {
                    let token = product_token(value, agent.as_bytes());
                    for (known, is_named) in [
                        (&mut own, !token.is_empty() && token.eq_ignore_ascii_case(agent.as_bytes())),
                        (&mut star, token == b"*"),
                    ] {
                        known.on_agent(is_named, in_agents);
                    }
                    in_agents = true;
                }
                Line::Rule { allow, pattern } => {
                    in_agents = false;
                    own.on_rule(allow, pattern);
                    star.on_rule(allow, pattern);
                }
                Line::CrawlDelay(value) => {
                    if let Some(delay) = parse_delay(value) {
                        own.group.on_delay(delay);
                        star.group.on_delay(delay);
                    }
                }
                // They must not end a run of agents: other crawlers do not know them.
                Line::Stated(_) => {}
                Line::Sitemap(value) => {
                    let value = String::from_utf8_lossy(value);
                    if !value.is_empty() && sitemaps.len() < SITEMAP_LINE_LIMIT && seen.insert(value.to_string()) {
                        sitemaps.push(value.into_owned());
                    }
                }
            }
        }
        let mut selected = if own.is_known { own } else { star };
        selected.end_group();
        Self { rules: selected.rules, crawl_delay: selected.crawl_delay, sitemaps }
    }
}

/// The rules and delays collected for one agent.
#[derive(Debug, Default)]
struct Agent {
    /// Whether a `User-agent` line has named it.
    is_known: bool,
    rules: Vec<u8>,
    /// The shortest delay of its completed groups.
    crawl_delay: Option<Duration>,
    group: Group,
}

impl Agent {
    fn on_agent(&mut self, is_named: bool, continues: bool) {
        if !continues {
            self.end_group();
        }
        self.is_known |= is_named;
        self.group.on_agent(is_named);
    }

    fn on_rule(&mut self, allow: bool, pattern: &[u8]) {
        if !self.group.is_named {
            return;
        }
        if self.rules.is_empty() {
            self.rules.extend_from_slice(b"useragent:*\n");
        }
        // The crate reads only 500 KiB, and the sentinel adds one byte per rule: the shortest spelling that the crate
        // accepts makes room for it.
        let name: &[u8] = if allow { b"alow:" } else { b"disalow:" };
        let (first, second) = rewrite_pattern(pattern);
        for pattern in std::iter::once(first).chain(second) {
            self.rules.extend([name, &pattern, b"\n"].concat());
        }
    }

    fn end_group(&mut self) {
        let delay = std::mem::take(&mut self.group).delay();
        self.crawl_delay = [self.crawl_delay, delay].into_iter().flatten().min();
    }
}

/// The group being read, from the point of view of one agent.
#[derive(Debug, Default)]
struct Group {
    /// Whether the group names the agent.
    is_named: bool,
    /// The longest delay before the agent was named.
    before: Option<Duration>,
    /// The delay after the agent was named: the shortest up to the next `User-agent` line.
    after: Option<Duration>,
    /// Whether another agent was named since `after` was found, so that further delays are that agent's.
    is_settled: bool,
}

impl Group {
    fn on_agent(&mut self, is_named: bool) {
        self.is_named |= is_named;
        self.is_settled = self.after.is_some();
    }

    fn on_delay(&mut self, delay: Duration) {
        if !self.is_named {
            self.before = self.before.max(Some(delay));
        } else if !self.is_settled {
            self.after = [self.after, Some(delay)].into_iter().flatten().min();
        }
    }

    fn delay(&self) -> Option<Duration> {
        self.after.or(self.before).filter(|_| self.is_named)
    }
}

/// Parses a `Crawl-delay`: seconds, possibly with a fraction.
fn parse_delay(value: &[u8]) -> Option<Duration> {
    let seconds = std::str::from_utf8(value).ok()?.parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns the product token of a `User-agent` value: `*`, or its leading letters, `_` and `-` (RFC 9309, section
/// 2.2.1). Crawlers with other characters in their names are recognised by the whole word before a space or a `/`.
pub fn product_token<'a>(value: &'a [u8], agent: &[u8]) -> &'a [u8] {
    let word = value.split(|byte| matches!(byte, b' ' | b'\t' | b'/')).next().unwrap_or_default();
    if word == b"*" && !value.starts_with(b"*/") || word.eq_ignore_ascii_case(agent) {
        return word;
    }
    let is_token = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-');
    &value[..value.iter().position(|byte| !is_token(byte)).unwrap_or(value.len())]
}

/// The character that is prepended to every path and pattern.
pub const SENTINEL: char = '/';

/// The characters that are decoded in queries, each after its encoded form.
const QUERY_ESCAPES: [(&[u8; 3], u8); 4] = [(b"%3A", b':'), (b"%2F", b'/'), (b"%3F", b'?'), (b"%40", b'@')];

/// Rewrites a URL's path and query. A fragment is removed.
pub fn rewrite(path_and_query: &str) -> String {
    let path = path_and_query.split('#').next().unwrap_or_default();
    let mut text = String::with_capacity(path.len() + 2);
    text.push(SENTINEL);
    if !path.starts_with('/') {
        text.push('/');
    }
    let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    for part in [path, &decode_query(query)] {
        for c in part.chars() {
            match c {
                '*' => text.push_str("%2A"),
                '$' => text.push_str("%24"),
                c => text.push(c),
            }
        }
    }
    text
}

/// Returns whether a rewritten path is that of robots.txt.
pub fn is_robots_txt(path: &str) -> bool {
    path.strip_prefix(SENTINEL) == Some("/robots.txt")
}

/// Rewrites a rule's pattern. Returns a second pattern if the rule stands for two, because a `*` may or may not match
/// the `?` that begins the query. An empty pattern matches nothing and stays empty.
pub fn rewrite_pattern(pattern: &[u8]) -> (Vec<u8>, Option<Vec<u8>>) {
    if pattern.is_empty() {
        return (Vec::new(), None);
    }
    let query = pattern.iter().position(|&byte| byte == b'?').unwrap_or(pattern.len());
    let (path, rest) = pattern.split_at(query);
    let second = if rest.is_empty() { in_query(path) } else { None };
    (with_sentinel(&[path, &decode_query_bytes(rest)].concat()), second.map(|second| with_sentinel(&second)))
}

/// Returns the pattern for URLs in which the last `*` before the first escape matches the `?`, or `None` if that is the
/// same pattern.
fn in_query(pattern: &[u8]) -> Option<Vec<u8>> {
    let decoded = decode_query_bytes(pattern);
    let same = pattern.iter().zip(&decoded).take_while(|(before, after)| before == after).count();
    if same == pattern.len() {
        return None;
    }
    let star = pattern[..same].iter().rposition(|&byte| byte == b'*')?;
    Some([&decoded[..star], b"*?*", &decoded[star + 1..]].concat())
}

fn with_sentinel(pattern: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(pattern.len() + 2);
    text.push(SENTINEL as u8);
    if !pattern.starts_with(b"/") && !pattern.starts_with(b"*") {
        text.push(b'/');
    }
    for (at, &byte) in pattern.iter().enumerate() {
        if byte == b'$' && at + 1 < pattern.len() {
            text.extend_from_slice(b"%24");
        } else {
            text.push(byte);
        }
    }
    text
}

fn decode_query(query: &str) -> String {
    // ASCII is replaced by ASCII only, so that the text remains valid UTF-8.
    String::from_utf8(decode_query_bytes(query.as_bytes())).expect("replacing ASCII by ASCII keeps UTF-8 valid")
}

fn decode_query_bytes(query: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(query.len());
    let mut rest = query;
    while let Some((&byte, tail)) = rest.split_first() {
        let escape = QUERY_ESCAPES.iter().find(|(escape, _)| byte == b'%' && starts_with_ignoring_case(rest, *escape));
        match escape {
            Some((_, plain)) => {
                decoded.push(*plain);
                rest = &rest[3..];
            }
            None => {
                decoded.push(byte);
                rest = tail;
            }
        }
    }
    decoded
}

fn starts_with_ignoring_case(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}
