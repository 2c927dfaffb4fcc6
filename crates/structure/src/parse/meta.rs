//! Statements of a page about itself: base, title, canonical address, directives to robots, refresh.

use super::attributes::Attributes;
use super::bytes::is_space;
use super::decoded_text::{Source, squeeze};
use harvestman_core::model::{ElementKind, PageElement, RobotsDirectives};

/// Maximum number of elements about the use of content that are kept of a page.
const STATED_MAX: usize = 32;
/// Maximum number of feeds that are kept of a page.
const FEEDS_MAX: usize = 16;
/// The media types of feeds.
const FEED_TYPES: [&str; 4] =
    ["application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"];

#[derive(Debug, Default)]
pub(super) struct Meta {
    pub base: Option<String>,
    pub title: Option<String>,
    pub canonical: Option<String>,
    pub robots: RobotsDirectives,
    /// The addresses of its feeds.
    pub feeds: Vec<Box<str>>,
    /// The elements that state something about the use of the content.
    pub stated: Vec<PageElement>,
}

impl Meta {
    /// Reads a `base` tag. The first one with an address counts.
    pub fn base(&mut self, source: Source<'_>, attributes: Attributes<'_>, value_max: usize) {
        let [href] = attributes.pick(["href"]);
        if let (None, Some(href)) = (&self.base, href.filter(|href| href.len() <= value_max)) {
            self.base = Some(source.attribute(href).into_owned());
        }
    }

    /// Reads the content of a `title` element. The first one that shows something counts.
    pub fn title(&mut self, source: Source<'_>, content: &[u8], title_max: usize) {
        if self.title.is_none() {
            // An unclosed title extends to the end of the page, so only the beginning is decoded.
            let beginning = &content[..content.len().min(title_max.saturating_mul(16))];
            let title = squeeze(&source.escapable(beginning), title_max);
            self.title = Some(title).filter(|title| !title.is_empty());
        }
    }

    /// Reads the address of a `link` tag for the canonical address.
    pub fn canonical(&mut self, source: Source<'_>, href: &[u8]) {
        if self.canonical.is_none() {
            self.canonical = Some(source.attribute(href).into_owned());
        }
    }

    /// Keeps the address of a `link` tag for another form of the page, if its media type is that of a feed.
    pub fn alternate(&mut self, source: Source<'_>, media: &[u8], href: &[u8]) {
        let essence = media.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
        let is_feed = FEED_TYPES.iter().any(|feed| essence.eq_ignore_ascii_case(feed.as_bytes()));
        if is_feed && self.feeds.len() < FEEDS_MAX {
            self.feeds.push(source.attribute(href).into());
        }
    }

    /// Keeps the address of a `link` tag for a licence.
    pub fn license(&mut self, source: Source<'_>, href: &[u8]) {
        self.state(ElementKind::License, &source.attribute(href));
    }

    fn state(&mut self, kind: ElementKind, content: &str) {
        if self.stated.len() < STATED_MAX {
            self.stated.push(PageElement { kind, content: content.into() });
        }
    }

    /// Reads a `meta` tag and returns the target of a refresh. Directives count if they address all robots or the
    /// product token `agent`.
    pub fn meta(
        &mut self,
        source: Source<'_>,
        attributes: Attributes<'_>,
        value_max: usize,
        agent: &str,
    ) -> Option<String> {
        let [name, http_equiv, content] = attributes.pick(["name", "http-equiv", "content"]);
        let content = source.attribute(content.filter(|content| content.len() <= value_max)?);
        if let Some(name) = name {
            let name = source.attribute(name);
            let name = name.trim();
            if name.eq_ignore_ascii_case("robots") || (name.eq_ignore_ascii_case(agent) && !agent.is_empty()) {
                self.robots = self.robots.and(directives(&content));
                self.state(ElementKind::Robots, &content);
            } else if name.eq_ignore_ascii_case("tdm-reservation") {
                self.state(ElementKind::TdmReservation, &content);
            } else if name.eq_ignore_ascii_case("tdm-policy") {
                self.state(ElementKind::TdmPolicy, &content);
            }
        }
        let refreshes = http_equiv.is_some_and(|value| source.attribute(value).eq_ignore_ascii_case("refresh"));
        refreshes.then(|| refresh_target(&content)).flatten().map(str::to_owned)
    }
}

/// Returns whether the blank-separated list `rel` has any of `wanted`.
pub(super) fn has_token(rel: &[u8], wanted: &[&str]) -> bool {
    let is_wanted = |token: &[u8]| wanted.iter().any(|wanted| token.eq_ignore_ascii_case(wanted.as_bytes()));
    rel.split(|b| is_space(*b)).any(is_wanted)
}

/// Reads directives such as `noindex, nofollow`. Unknown directives are ignored.
fn directives(content: &str) -> RobotsDirectives {
    let mut robots = RobotsDirectives::default();
    for directive in content.split(|c: char| c == ',' || c.is_whitespace()) {
        let is = |name: &str| directive.eq_ignore_ascii_case(name);
        robots.noindex |= is("noindex") || is("none");
        robots.nofollow |= is("nofollow") || is("none");
        robots.noarchive |= is("noarchive");
    }
    robots
}

/// Returns the address that `5; url=…` names, the content of a refresh element or a `Refresh` header (HTML standard,
/// section 4.2.5.3, "shared declarative refresh steps"). It is empty if the page itself is to be loaded again.
pub fn refresh_target(content: &str) -> Option<&str> {
    let trim = |text: &'_ str| -> usize { text.len() - text.trim_start_matches(is_html_space).len() };
    let rest = &content[trim(content)..];
    let time = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if time.len() == rest.len() && !rest.starts_with('.') {
        return None;
    }
    let rest = time.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.is_empty() && !rest.starts_with(|c| c == ';' || c == ',' || is_html_space(c)) {
        return None;
    }
    let rest = rest.trim_start_matches(is_html_space);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(is_html_space);
    let target = named_target(rest).unwrap_or(rest);
    Some(match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target[1..].split(quote).next().unwrap_or_default(),
        _ => target,
    })
}

/// Returns what follows `url =`.
fn named_target(text: &str) -> Option<&str> {
    let name = text.get(..3).filter(|name| name.eq_ignore_ascii_case("url"))?;
    let value = text[name.len()..].trim_start_matches(is_html_space).strip_prefix('=')?;
    Some(value.trim_start_matches(is_html_space))
}

fn is_html_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_is_read_in_all_its_spellings() {
        for spelling in
            ["5; url=/x", "0;URL='/x'", " 0 , Url = \"/x\" junk", "5;/x", ".5 /x", "1.5.2;url=/x", "0 url=/x", "0;'/x'"]
        {
            assert_eq!(refresh_target(spelling), Some("/x"), "{spelling}");
        }
        for itself in ["5", "5;", ".5 ", "5; url=", "5; url=''"] {
            assert_eq!(refresh_target(itself), Some(""), "{itself}");
        }
        for none in ["", "x; url=/x", "5x; url=/x", "url=/x", "x"] {
            assert_eq!(refresh_target(none), None, "{none}");
        }
        assert_eq!(refresh_target("5; urls/x"), Some("urls/x"));
        assert_eq!(refresh_target("0; url=/é"), Some("/é"));
        assert_eq!(refresh_target("0; ué"), Some("ué"));
    }

    #[test]
    fn robots_directives_add_up() {
        let all = RobotsDirectives { noindex: true, nofollow: true, noarchive: false };
        assert_eq!(directives("NONE"), all);
        assert_eq!(directives("noindex,NoFollow max-snippet:5"), all);
        assert_eq!(directives("index, follow, nofollower"), RobotsDirectives::default());
        assert!(directives(" noarchive ").noarchive);
    }

    #[test]
    fn relations_are_whole_words() {
        assert!(has_token(b" Me  NOFOLLOW", &["ugc", "nofollow"]));
        assert!(!has_token(b"nofollowing dofollow", &["nofollow"]));
    }
}
