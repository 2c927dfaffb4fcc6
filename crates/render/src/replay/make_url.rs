//! Makes the URL of a request from its plan.

use url::Url;

use super::source::{PartSource, Situation};
use super::template::{PartPlan, UrlPlan, UrlShape};
use super::url_parts::{UrlParts, is_volatile_value};

/// Maximum length of a URL that is made, in bytes.
const URL_BYTES_MAX: usize = 4_096;

impl PartPlan {
    /// Returns the part; `None` if a value is missing.
    pub(super) fn text(&self, situation: &Situation<'_>) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            text.push_str(&first_text(&piece.sources, situation)?);
            text.push_str(&piece.separator);
        }
        Some(text)
    }
}

/// Returns the text of the first source that has one. A parameter that is left out has none.
fn first_text(sources: &[PartSource], situation: &Situation<'_>) -> Option<String> {
    let mut sources = sources.iter().take_while(|source| **source != PartSource::LeftOut);
    sources.find_map(|source| source.text(situation))
}

impl UrlShape {
    /// Returns whether a URL has this shape.
    pub fn fits(&self, url: &Url) -> bool {
        let Some(parts) = UrlParts::of(url) else { return false };
        let is_same = |(wanted, found): (&Option<String>, &String)| wanted.as_ref().is_none_or(|text| text == found);
        is_same((&self.origin, &parts.origin))
            && self.segments.len() == parts.segments.len()
            && self.segments.iter().zip(&parts.segments).all(is_same)
            && self.keys == stable_keys(&parts)
    }
}

/// Returns the keys whose values do not look volatile, sorted.
pub(super) fn stable_keys(parts: &UrlParts) -> Vec<String> {
    let stable = parts.query.iter().filter(|(key, value)| !is_volatile_value(key, value));
    let mut keys: Vec<String> = stable.map(|(key, _)| key.clone()).collect();
    keys.sort();
    keys
}

impl UrlPlan {
    /// Returns the URL of a request; `None` if a value is missing or the URL is invalid or too long.
    pub(super) fn url(&self, situation: &Situation<'_>) -> Option<Url> {
        let url = match self {
            Self::Whole { sources, shape } => {
                let base = Url::parse(situation.page_url).ok()?;
                let mut urls = sources.iter().filter_map(|source| resolve(&base, &source.text(situation)?));
                urls.find(|url| shape.fits(url))?
            }
            Self::Parts { origin, segments, query } => {
                let origin = origin.text(situation)?;
                let segments = segments.iter().map(|part| part.text(situation)).collect::<Option<Vec<_>>>()?;
                let pairs = query.iter().filter_map(|(key, part)| match part.text(situation) {
                    None if part.is_volatile() => None,
                    text => Some(text.map(|text| (key.clone(), text))),
                });
                let query = pairs.collect::<Option<Vec<_>>>()?;
                Url::parse(&UrlParts { origin, segments, query }.assemble()).ok()?
            }
        };
        let is_valid = matches!(url.scheme(), "http" | "https") && url.as_str().len() <= URL_BYTES_MAX;
        is_valid.then_some(url)
    }
}

/// Returns the URL that a text means on a page, without its fragment.
pub(super) fn resolve(base: &Url, text: &str) -> Option<Url> {
    let mut url = base.join(text).ok()?;
    url.set_fragment(None);
    Some(url)
}

/// Returns a URL without the parameters of these keys, and without those whose values look volatile.
pub(super) fn without_volatile(url: &Url, keys: &[String]) -> String {
    let Some(mut parts) = UrlParts::of(url) else { return url.to_string() };
    parts.query.retain(|(key, value)| !keys.contains(key) && !is_volatile_value(key, value));
    parts.assemble()
}
