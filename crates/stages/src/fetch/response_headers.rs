//! What the headers of an answer say: whether its media type is read to the end, and the directives of `X-Robots-Tag`
//! that say which links are followed.

use http::HeaderMap;

use harvestman_consent::Directives;
use harvestman_core::model::{ContentType, RobotsDirectives};

/// Patterns such as `text/html`, `text/*`, `*/*`.
#[derive(Debug, Clone, Default)]
pub(super) struct WantedTypes(Vec<(Box<str>, Box<str>)>);

impl WantedTypes {
    /// Parses the patterns; appends invalid ones to `errors`.
    pub(super) fn read(patterns: &[String], errors: &mut Vec<String>) -> Self {
        let mut wanted = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            match split(pattern) {
                Some((kind, subtype)) if kind != "*" || subtype == "*" => {
                    wanted.push((kind.to_ascii_lowercase().into(), subtype.to_ascii_lowercase().into()));
                }
                _ => errors.push(format!("fetch.types: `{pattern}` is not a media type; use text/html, text/* or */*")),
            }
        }
        Self(wanted)
    }

    /// Returns whether a body with this Content-Type is wanted. A missing or malformed type counts as wanted: servers
    /// that omit it mostly serve HTML.
    pub(super) fn wants(&self, content_type: Option<&str>) -> bool {
        let stated = content_type.and_then(ContentType::of);
        let Some((kind, subtype)) = stated.and_then(|stated| stated.essence.split_once('/')) else { return true };
        let matches = |pattern: &str, value: &str| pattern == "*" || pattern.eq_ignore_ascii_case(value);
        self.0
            .iter()
            .any(|(wanted_kind, wanted_subtype)| matches(wanted_kind, kind) && matches(wanted_subtype, subtype))
    }
}

fn split(text: &str) -> Option<(&str, &str)> {
    let is_token = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_graphic() && b != b'/');
    text.trim().split_once('/').filter(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

/// Returns the directives for the robot with the product token `agent`, in any letter case: those for all robots and
/// those for this one are combined, and the stricter one wins.
pub fn directives(headers: &HeaderMap, agent: &str) -> RobotsDirectives {
    let values = headers.get_all("x-robots-tag").iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    values.map(|value| of_value(&value, agent)).fold(RobotsDirectives::default(), RobotsDirectives::and)
}

fn of_value(value: &str, agent: &str) -> RobotsDirectives {
    let found = Directives::of_header(value, agent);
    RobotsDirectives {
        noindex: found.has("noindex"),
        nofollow: found.has("nofollow"),
        noarchive: found.has("noarchive"),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_type_is_wanted_if_a_pattern_matches_or_it_is_missing() {
        let mut errors = Vec::new();
        let wanted = WantedTypes::read(&["text/*".to_owned(), "Image/PNG".to_owned()], &mut errors);
        assert!(errors.is_empty());
        for yes in [
            "text/html",
            "TEXT/plain; charset=x",
            "image/png",
            "",
            "html",
            "text/",
            " text/css ,text/html",
            "*/*",
            "image/jpeg, text/html",
        ] {
            assert!(wanted.wants(Some(yes)), "{yes}");
        }
        for no in ["image/jpeg", "video/mp4", "application/xhtml+xml; a=text/html", "text/html, image/jpeg"] {
            assert!(!wanted.wants(Some(no)), "{no}");
        }
        assert!(wanted.wants(None));
        assert!(WantedTypes::read(&["*/*".to_owned()], &mut errors).wants(Some("x/y")));
    }

    #[test]
    fn every_invalid_pattern_is_reported() {
        let mut errors = Vec::new();
        WantedTypes::read(&["text", "*/html", "/", "text/", "a/b/c"].map(str::to_owned), &mut errors);
        assert_eq!(errors.len(), 5, "{errors:#?}");
    }

    fn of(values: &[&str]) -> (bool, bool, bool) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-robots-tag", HeaderValue::from_str(value).unwrap());
        }
        let found = directives(&headers, "harvestman");
        (found.noindex, found.nofollow, found.noarchive)
    }

    #[test]
    fn directives_for_all_robots_and_for_this_one_apply_and_those_for_others_do_not() {
        assert_eq!(of(&[]), (false, false, false));
        assert_eq!(of(&["NoIndex , nofollow"]), (true, true, false));
        assert_eq!(of(&["none"]), (true, true, false));
        assert_eq!(of(&["otherbot: noindex, nofollow"]), (false, false, false));
        assert_eq!(of(&["Harvestman: nofollow, noarchive"]), (false, true, true));
        assert_eq!(of(&["otherbot: none", "noarchive"]), (false, false, true));
        assert_eq!(of(&["otherbot: none, harvestman: nofollow"]), (false, true, false));
        assert_eq!(of(&["unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow"]), (false, true, false));
        assert_eq!(of(&["max-snippet: 5, noindex"]), (true, false, false));
        assert_eq!(of(&["unavailable_after: Friday, 25-Jun-30 15:00:00 PST, nofollow"]), (false, true, false));
        assert_eq!(of(&["harvestman: unavailable_after: Fri, 25 Jun 30 15:00:00 PST, none"]), (true, true, false));
        assert_eq!(of(&["otherbot: unavailable_after: Fri, 25 Jun 30 15:00:00 PST, none"]), (false, false, false));
        assert_eq!(of(&["otherbot: noindex", "harvestman: nofollow", "*: noarchive"]), (false, true, true));
        assert_eq!(of(&["noindex, f\u{fc}r alle"]), (true, false, false));
    }

    proptest! {
        #[test]
        fn no_value_makes_parsing_panic(value in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                let mut headers = HeaderMap::new();
                headers.append("x-robots-tag", value);
                directives(&headers, "harvestman");
            }
        }
    }
}
