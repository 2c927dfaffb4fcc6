//! Splits a robots.txt into lines, each with its directive and value.
//!
//! Input: any bytes, of which the first 500 KiB are read. CR, LF, CRLF and NUL each end a line. Empty lines, comments
//! and unknown directives (`Host`, `Request-rate`, `Clean-param`, `Noindex`, …) are skipped, so that they cannot
//! interfere with the grouping of the others (RFC 9309, section 2.2.4). Statements about the use of content are
//! returned too, and must not interfere either.

use super::BYTE_LIMIT;
use harvestman_consent::RobotsLine;

/// Lines are truncated to this length, as in Google's parser: eight times the longest URL that old browsers accepted,
/// minus one.
pub const LINE_LIMIT: usize = 2083 * 8 - 1;

/// A line with a known directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// `User-agent`: the name as written, with its version.
    Agent(&'a [u8]),
    /// `Allow` or `Disallow`.
    Rule {
        /// True for `Allow`.
        allow: bool,
        /// Its pattern.
        pattern: &'a [u8],
    },
    /// `Crawl-delay`, in seconds.
    CrawlDelay(&'a [u8]),
    /// `Sitemap`.
    Sitemap(&'a [u8]),
    /// A statement about the use of content.
    Stated(RobotsLine<'a>),
}

/// A directive.
#[derive(Clone, Copy)]
enum Key {
    Agent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
    ContentSignal,
    ContentUsage,
    License,
}

impl Key {
    const fn with(self, value: &[u8]) -> Line<'_> {
        match self {
            Self::Agent => Line::Agent(value),
            Self::Allow => Line::Rule { allow: true, pattern: value },
            Self::Disallow => Line::Rule { allow: false, pattern: value },
            Self::CrawlDelay => Line::CrawlDelay(value),
            Self::Sitemap => Line::Sitemap(value),
            Self::ContentSignal => Line::Stated(RobotsLine::ContentSignal(value)),
            Self::ContentUsage => Line::Stated(RobotsLine::ContentUsage(value)),
            Self::License => Line::Stated(RobotsLine::License(value)),
        }
    }
}

/// The accepted spellings of each directive, including common mistakes: the ones that `robotxt` accepts.
const SPELLINGS: &[(&[u8], Key)] = &[
    (b"user-agent", Key::Agent),
    (b"useragent", Key::Agent),
    (b"allow", Key::Allow),
    (b"alow", Key::Allow),
    (b"allaw", Key::Allow),
    (b"disallow", Key::Disallow),
    (b"dissallow", Key::Disallow),
    (b"dissalow", Key::Disallow),
    (b"disalow", Key::Disallow),
    (b"diasllow", Key::Disallow),
    (b"disallaw", Key::Disallow),
    (b"crawl-delay", Key::CrawlDelay),
    (b"crawldelay", Key::CrawlDelay),
    (b"sitemap", Key::Sitemap),
    (b"site-map", Key::Sitemap),
    (b"content-signal", Key::ContentSignal),
    (b"content-signals", Key::ContentSignal),
    (b"content-usage", Key::ContentUsage),
    (b"license", Key::License),
];

/// Directives that also occur as two words.
const TWO_WORDS: &[(&[u8], &[u8], Key)] =
    &[(b"user", b"agent", Key::Agent), (b"crawl", b"delay", Key::CrawlDelay), (b"site", b"map", Key::Sitemap)];

/// Returns the lines of a file that have a known directive, in order.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let lines = whole_lines(without_bom(bytes)).split(|byte| matches!(byte, b'\n' | b'\r' | 0));
    lines.filter_map(|line| read(&line[..line.len().min(LINE_LIMIT)]))
}

/// Parses `name: value`, or `name value` if the colon is missing.
fn read(line: &[u8]) -> Option<Line<'_>> {
    let line = line.split(|&byte| byte == b'#').next().unwrap_or_default().trim_ascii();
    let end = line.iter().position(|byte| matches!(byte, b':' | b' ' | b'\t'))?;
    let (name, rest) = line.split_at(end);
    for (first, second, key) in TWO_WORDS {
        if name.eq_ignore_ascii_case(first)
            && let Some((word, rest)) = rest.trim_ascii_start().split_at_checked(second.len())
            && word.eq_ignore_ascii_case(second)
        {
            return Some(key.with(value_of(rest)?));
        }
    }
    let (_, key) = SPELLINGS.iter().find(|(spelling, _)| name.eq_ignore_ascii_case(spelling))?;
    Some(key.with(value_of(rest)?))
}

/// Returns the value after a name: after the colon, or after whitespace if there is no colon.
fn value_of(rest: &[u8]) -> Option<&[u8]> {
    let value = rest.trim_ascii_start();
    match value.strip_prefix(b":") {
        Some(value) => Some(value.trim_ascii()),
        None => (value.len() < rest.len()).then_some(value),
    }
}

/// Returns the file without its byte order mark, which may be incomplete.
fn without_bom(bytes: &[u8]) -> &[u8] {
    let marked = bytes.iter().zip(b"\xEF\xBB\xBF").take_while(|(byte, mark)| byte == mark).count();
    &bytes[marked..]
}

/// Returns the part of the file within the size limit. A line that crosses the limit is excluded, because its truncated
/// pattern would match too much.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let Some(window) = bytes.get(..=BYTE_LIMIT) else { return bytes };
    let end = window.iter().rposition(|byte| matches!(byte, b'\n' | b'\r' | 0));
    &bytes[..end.unwrap_or(0)]
}
