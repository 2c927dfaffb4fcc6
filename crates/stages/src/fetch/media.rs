//! The media types that are read to the end.

use harvestman_core::model::ContentType;

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

#[cfg(test)]
mod tests {
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
}
