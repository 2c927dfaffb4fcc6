//! Rewrites a robots.txt line by line into the spelling that `robotxt` reads rightly; see [`super::path`] for the patterns.
//!
//! Input: any bytes. Output: at most 500 KiB of `name:value` lines, and the sitemaps. Which misspelt names stand for which
//! directive is left to the crate: a name that is not known here goes through as it is.

use std::collections::HashSet;

use super::BYTE_LIMIT;
use super::path::rewrite_pattern;

/// Lines are cut to this length, as Google's parser does: eight times the longest URL that old browsers took, less one.
pub const LINE_LIMIT: usize = 2083 * 8 - 1;

/// How many `Sitemap` lines are taken.
pub const SITEMAP_LINE_LIMIT: usize = 10_000;

/// A rewritten file.
pub struct Rewritten {
    /// The lines that concern rules.
    pub text: Vec<u8>,
    /// The values of its `Sitemap` lines.
    pub sitemaps: Vec<String>,
}

/// Rewrites a file for the crawler called `agent`.
pub fn rewrite(bytes: &[u8], agent: &str) -> Rewritten {
    let mut text = Vec::with_capacity(bytes.len().min(BYTE_LIMIT));
    let mut sitemaps = Vec::new();
    let mut seen = HashSet::new();
    let counted = whole_lines(without_bom(bytes));
    for line in counted.split(|byte| matches!(byte, b'\n' | b'\r' | 0)) {
        let Some(line) = Line::read(&line[..line.len().min(LINE_LIMIT)]) else { continue };
        match line.kind() {
            Kind::Agent => push(&mut text, b"user-agent", agent_of(line.value, agent.as_bytes())),
            Kind::Sitemap => {
                let value = String::from_utf8_lossy(line.value);
                if !value.is_empty() && sitemaps.len() < SITEMAP_LINE_LIMIT && seen.insert(value.to_string()) {
                    sitemaps.push(value.into_owned());
                }
            }
            Kind::Rule(name) => {
                let (first, second) = rewrite_pattern(line.value);
                push(&mut text, name, &first);
                if let Some(second) = second {
                    push(&mut text, name, &second);
                }
            }
            Kind::Other => push(&mut text, line.name, line.value),
        }
    }
    Rewritten { text, sitemaps }
}

fn push(text: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    text.extend_from_slice(name);
    text.push(b':');
    text.extend_from_slice(value);
    text.push(b'\n');
}

/// What a line is about.
enum Kind<'a> {
    Agent,
    Sitemap,
    /// A rule, and the name under which it is handed on.
    Rule(&'a [u8]),
    Other,
}

/// A line that has a name: `name: value`, or `name value` where the colon was forgotten.
struct Line<'a> {
    name: &'a [u8],
    value: &'a [u8],
}

impl<'a> Line<'a> {
    fn read(line: &'a [u8]) -> Option<Self> {
        let line = line.split(|&byte| byte == b'#').next().unwrap_or_default().trim_ascii();
        let end = line.iter().position(|byte| matches!(byte, b':' | b' ' | b'\t'))?;
        let (name, rest) = line.split_at(end);
        // `user agent` and the like are names of two words.
        for (first, second) in [(&b"user"[..], &b"agent"[..]), (b"site", b"map"), (b"crawl", b"delay")] {
            if name.eq_ignore_ascii_case(first)
                && let Some((word, rest)) = rest.trim_ascii_start().split_at_checked(second.len())
                && word.eq_ignore_ascii_case(second)
            {
                return Some(Self { name: &line[..line.len() - rest.len()], value: value_of(rest)? });
            }
        }
        Some(Self { name, value: value_of(rest)? })
    }

    fn kind(&self) -> Kind<'a> {
        // The crate looks at 500 KiB only, and the sentinel is one byte more for each rule: the shortest spelling that it knows
        // makes room for that.
        match self.name.to_ascii_lowercase().as_slice() {
            b"allow" => Kind::Rule(b"alow"),
            b"disallow" => Kind::Rule(b"disalow"),
            b"user-agent" | b"useragent" | b"user agent" => Kind::Agent,
            b"sitemap" | b"site-map" | b"site map" => Kind::Sitemap,
            [b'a' | b'd', ..] => Kind::Rule(self.name),
            _ => Kind::Other,
        }
    }
}

/// The value after a name: behind the colon, or behind a space where there is none.
fn value_of(rest: &[u8]) -> Option<&[u8]> {
    let value = rest.trim_ascii_start();
    match value.strip_prefix(b":") {
        Some(value) => Some(value.trim_ascii()),
        None => (value.len() < rest.len()).then_some(value),
    }
}

/// The product token of a `User-agent` value: `*`, or its leading letters, `_` and `-` (RFC 9309, section 2.2.1). Crawlers whose
/// name has other characters are recognised by the whole word before a space or a `/`.
fn agent_of<'a>(value: &'a [u8], agent: &[u8]) -> &'a [u8] {
    let word = value.split(|byte| matches!(byte, b' ' | b'\t' | b'/')).next().unwrap_or_default();
    if word == b"*" && !value.starts_with(b"*/") || word.eq_ignore_ascii_case(agent) {
        return word;
    }
    let is_token = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-');
    &value[..value.iter().position(|byte| !is_token(byte)).unwrap_or(value.len())]
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
