//! Directives to robots: `X-Robots-Tag` headers, and `meta` elements named `robots` or like the product token.
//!
//! `X-Robots-Tag: noindex, nofollow` addresses all robots; `X-Robots-Tag: somebot: noindex, nofollow` addresses one. A
//! name applies to the rest of its header line, or up to the next name (a proxy may have joined several lines with
//! commas). There is no standard; this follows the documentation of the search engines that introduced the header, and
//! draft-illyes-repext. Names of directives are case-insensitive.
//! Dates of `unavailable_after`: RFC 822, RFC 850 and ISO 8601, as the documentation of the directive allows.

use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::statements::recorded;
use harvestman_core::model::{Signal, StatedIn, Statement, Usage, Wish};

/// Maximum number of directives of one value that are read.
const DIRECTIVES_MAX: usize = 64;

/// Directives that have a value after a colon.
const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// One directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Its name, in lower case.
    pub name: String,
    /// Its value; empty if it has none.
    pub value: String,
}

/// The directives of a header or an element, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directives(pub Vec<Directive>);

impl Directives {
    /// Reads the value of an `X-Robots-Tag` header: the directives for all robots and for the one with the product
    /// token `agent`.
    pub fn of_header(value: &str, agent: &str) -> Self {
        Self::read(value, Some(agent))
    }

    /// Reads the content of an element, which addresses this robot as a whole.
    pub fn of_element(content: &str) -> Self {
        Self::read(content, None)
    }

    fn read(text: &str, agent: Option<&str>) -> Self {
        let mut found = Vec::new();
        let mut is_addressed = true;
        let mut parts = text.split(',').peekable();
        while let Some(part) = parts.next() {
            let mut directive = part.trim();
            if let Some((name, rest)) = directive.split_once(':')
                && let Some(agent) = agent
                && !takes_value(name)
                && is_name(name.trim())
            {
                let name = name.trim();
                is_addressed = name == "*" || name.eq_ignore_ascii_case(agent);
                directive = rest.trim();
            }
            let valued = directive.split_once(':').filter(|(name, _)| takes_value(name));
            if let Some((name, value)) = valued {
                let mut value = value.trim().to_owned();
                // The comma of `Friday, 25-Jun-30 15:00:00 PST` does not end the date.
                let is_day = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphabetic());
                if let Some(date) = parts.next_if(|_| is_day) {
                    value = format!("{value},{date}");
                }
                found.extend(is_addressed.then(|| Directive { name: name.trim().to_ascii_lowercase(), value }));
            } else if is_addressed {
                let words = directive.split_whitespace().map(str::to_ascii_lowercase);
                found.extend(words.take(DIRECTIVES_MAX).map(|name| Directive { name, value: String::new() }));
            }
            if found.len() >= DIRECTIVES_MAX {
                found.truncate(DIRECTIVES_MAX);
                break;
            }
        }
        Self(found)
    }

    /// Returns whether a directive of this name is among them; `none` stands for `noindex` and `nofollow`.
    pub fn has(&self, name: &str) -> bool {
        let stands_for = |directive: &Directive| {
            directive.name == name || directive.name == "none" && matches!(name, "noindex" | "nofollow")
        };
        self.0.iter().any(stands_for)
    }

    /// Returns the statements among them at the time `now`.
    pub fn statements(&self, stated_in: StatedIn, now: Timestamp) -> Vec<Statement> {
        let statement = |signal, usage, says: &str| Statement {
            signal,
            stated_in,
            wish: Some(Wish { is_allowed: false, usage }),
            says: recorded(says.as_bytes()),
        };
        let mut statements = Vec::new();
        for Directive { name, value } in &self.0 {
            match name.as_str() {
                "none" => statements.extend([
                    statement(Signal::Noindex, Usage::Indexing, "none"),
                    statement(Signal::Nofollow, Usage::Following, "none"),
                ]),
                "noindex" => statements.push(statement(Signal::Noindex, Usage::Indexing, "")),
                "nofollow" => statements.push(statement(Signal::Nofollow, Usage::Following, "")),
                // `nocache` is another name of it.
                "noarchive" => statements.push(statement(Signal::Noarchive, Usage::Copies, "")),
                "nocache" => statements.push(statement(Signal::Noarchive, Usage::Copies, "nocache")),
                "nosnippet" => statements.push(statement(Signal::Nosnippet, Usage::Excerpts, "")),
                "max-snippet" if value == "0" => {
                    statements.push(statement(Signal::Nosnippet, Usage::Excerpts, "max-snippet:0"));
                }
                "noai" => statements.push(statement(Signal::Noai, Usage::Ai, "")),
                "noimageai" => statements.push(statement(Signal::Noimageai, Usage::AiImages, "")),
                "unavailable_after" => {
                    let is_past = parse(value).is_some_and(|date| date <= now);
                    let dated = statement(Signal::UnavailableAfter, Usage::Anything, value);
                    statements.push(Statement { wish: dated.wish.filter(|_| is_past), ..dated });
                }
                _ => {}
            }
        }
        statements
    }
}

/// Returns whether `name` can name a robot. The time in a date with a comma (`unavailable_after: Friday, 25-Jun-30
/// 15:00:00 PST`) cannot.
fn is_name(name: &str) -> bool {
    let starts = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'*' | b'_' | b'-');
    name.as_bytes().first().is_some_and(starts) && !name.contains(char::is_whitespace)
}

fn takes_value(name: &str) -> bool {
    WITH_VALUE.iter().any(|known| name.trim().eq_ignore_ascii_case(known))
}

/// Maximum length of a date.
const LENGTH_MAX: usize = 64;

/// Reads a date; `None` if it is in no known format. One without a time zone is in UTC.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > LENGTH_MAX {
        return None;
    }
    text.parse::<Timestamp>().ok().or_else(|| civil(text)).or_else(|| mail(text))
}

fn civil(text: &str) -> Option<Timestamp> {
    let utc = |time: DateTime| TimeZone::UTC.to_timestamp(time).ok();
    let time = text.parse::<DateTime>().ok().and_then(utc);
    time.or_else(|| utc(text.parse::<Date>().ok()?.at(0, 0, 0, 0)))
}

/// Reads a date of RFC 822 or RFC 850: with hyphens or spaces, the name of the day and the zone may be missing.
fn mail(text: &str) -> Option<Timestamp> {
    let text = text.split_once(',').map_or(text, |(_, date)| date);
    let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
    let date: Vec<&str> = words.first()?.split('-').collect();
    if let [day, month, year] = date[..] {
        words.splice(..1, [day, month, year]);
    }
    let zone = match words.get(4..).unwrap_or_default() {
        [] | ["UTC" | "Z"] => "GMT",
        [zone] => zone,
        _ => return None,
    };
    let [day, month, year, time, ..] = words[..] else { return None };
    let year = full_year(year)?;
    let parse = |zone: &str| rfc2822::parse(&format!("{day} {month} {year} {time} {zone}")).ok();
    parse(zone).map(|zoned: Zoned| zoned.timestamp())
}

/// Returns a year of two digits in full: 69 and below are of this century.
fn full_year(year: &str) -> Option<i32> {
    let number = year.parse::<i32>().ok()?;
    Some(match year.len() {
        2 if number < 70 => 2_000 + number,
        2 => 1_900 + number,
        _ => number,
    })
}

#[cfg(test)]
#[path = "directives_tests.rs"]
mod tests;
