//! The lines of a robots.txt: which directive each is, and its value.
//!
//! Input: any bytes, of which the first 500 KiB count. CR, LF, CRLF and NUL each end a line. Empty lines, comments and unknown
//! directives (`Host`, `Request-rate`, `Clean-param`, `Noindex`, …) are skipped, so that they cannot interfere with the
//! grouping of the others (RFC 9309, section 2.2.4).

use super::BYTE_LIMIT;

/// Lines are cut to this length, as Google's parser does: eight times the longest URL that old browsers took, less one.
pub const LINE_LIMIT: usize = 2083 * 8 - 1;

/// A line that means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// `User-agent`: the name as written, with its version.
    Agent(&'a [u8]),
    /// `Allow` or `Disallow`.
    Rule {
        /// Whether it allows.
        allow: bool,
        /// Its pattern.
        pattern: &'a [u8],
    },
    /// `Crawl-delay`, in seconds.
    CrawlDelay(&'a [u8]),
    /// `Sitemap`.
    Sitemap(&'a [u8]),
}

/// A directive.
#[derive(Clone, Copy)]
enum Key {
    Agent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

impl Key {
    const fn with(self, value: &[u8]) -> Line<'_> {
        match self {
            Self::Agent => Line::Agent(value),
            Self::Allow => Line::Rule { allow: true, pattern: value },
            Self::Disallow => Line::Rule { allow: false, pattern: value },
            Self::CrawlDelay => Line::CrawlDelay(value),
            Self::Sitemap => Line::Sitemap(value),
        }
    }
}

/// Every known spelling of every directive, common mistakes included: those that `robotxt` knows.
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
];

/// Directives that are also written as two words.
const TWO_WORDS: &[(&[u8], &[u8], Key)] =
    &[(b"user", b"agent", Key::Agent), (b"crawl", b"delay", Key::CrawlDelay), (b"site", b"map", Key::Sitemap)];

/// Returns the lines of a file that mean something, in their order.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let lines = whole_lines(without_bom(bytes)).split(|byte| matches!(byte, b'\n' | b'\r' | 0));
    lines.filter_map(|line| read(&line[..line.len().min(LINE_LIMIT)]))
}

/// Reads `name: value`, or `name value` where the colon was forgotten.
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

/// The value after a name: behind the colon, or behind a space where there is none.
fn value_of(rest: &[u8]) -> Option<&[u8]> {
    let value = rest.trim_ascii_start();
    match value.strip_prefix(b":") {
        Some(value) => Some(value.trim_ascii()),
        None => (value.len() < rest.len()).then_some(value),
    }
}

/// The file without its byte order mark, whole or torn.
fn without_bom(bytes: &[u8]) -> &[u8] {
    let marked = bytes.iter().zip(b"\xEF\xBB\xBF").take_while(|(byte, mark)| byte == mark).count();
    &bytes[marked..]
}

/// The part of the file that counts; a line that crosses the limit does not, since its cut pattern would match too much.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let Some(window) = bytes.get(..=BYTE_LIMIT) else { return bytes };
    let end = window.iter().rposition(|byte| matches!(byte, b'\n' | b'\r' | 0));
    &bytes[..end.unwrap_or(0)]
}
