//! The values of `--want`.

use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{CssSelector, InvalidWant, Over, PageView, Pattern, Schema, Table, Validator, WantedPosts, Words};

/// Which pages are wanted: `like`, `regex:PATTERN`, `regex-html:PATTERN`, `selector:CSS`, `schema:TYPE`,
/// `table:HEADING,…`, `posts:NUMBER`, `posts:NUMBER,since=DATE`, `words`, `words:LIKENESS`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Want {
    /// Pages with the template of the examples.
    Like,
    /// Pages in which a regular expression matches.
    Regex(Pattern),
    /// Pages with an element that matches a CSS selector.
    Selector(CssSelector),
    /// Pages that describe an item of a schema.org type.
    Schema(Schema),
    /// Pages with a table that has all of several headings.
    Table(Table),
    /// Pages with a number of posts.
    Posts(WantedPosts),
    /// Pages with the words of the examples.
    Words(Threshold),
}

/// The least likeness of a wanted page to the examples, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold(Option<f64>);

// It is not NaN.
impl Eq for Threshold {}

impl Threshold {
    fn parse(text: &str) -> Result<Self, InvalidWant> {
        let given = text.parse().ok().filter(|given| (0.0..=1.0).contains(given));
        given.map(|given| Self(Some(given))).ok_or_else(|| InvalidWant::Threshold(text.to_owned()))
    }
}

impl Want {
    /// Returns the validator; `None` for `like`, which is decided by a policy. `words` learns from the examples; for
    /// `posts`, dates such as `yesterday` count from `now`.
    ///
    /// # Errors
    /// There are too few examples to learn from.
    pub fn validator(
        &self,
        examples: &[PageView<'_>],
        now: DateTime,
    ) -> Result<Option<Box<dyn Validator>>, InvalidWant> {
        Ok(match self {
            Self::Like => None,
            Self::Regex(pattern) => Some(Box::new(pattern.clone())),
            Self::Selector(selector) => Some(Box::new(selector.clone())),
            Self::Schema(schema) => Some(Box::new(schema.clone())),
            Self::Table(table) => Some(Box::new(table.clone())),
            Self::Posts(posts) => Some(Box::new(posts.at(now))),
            Self::Words(Threshold(given)) => Some(Box::new(Words::learn(examples, *given)?)),
        })
    }
}

impl FromStr for Want {
    type Err = InvalidWant;

    fn from_str(text: &str) -> Result<Self, InvalidWant> {
        match text.split_once(':') {
            None if text == "like" => Ok(Self::Like),
            None if text == "words" => Ok(Self::Words(Threshold(None))),
            Some(("words", given)) => Threshold::parse(given).map(Self::Words),
            Some(("regex", pattern)) => Pattern::new(Over::Text, pattern).map(Self::Regex),
            Some(("regex-html", pattern)) => Pattern::new(Over::Source, pattern).map(Self::Regex),
            Some(("selector", selector)) => CssSelector::new(selector).map(Self::Selector),
            Some(("schema", name)) => Schema::new(name).map(Self::Schema),
            Some(("posts", posts)) => WantedPosts::parse(posts).map(Self::Posts),
            Some(("table", headings)) => Table::new(headings).map(Self::Table),
            _ => Err(InvalidWant::Kind(text.to_owned())),
        }
    }
}

impl fmt::Display for Want {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Like => f.write_str("like"),
            Self::Regex(pattern) => pattern.fmt(f),
            Self::Selector(selector) => selector.fmt(f),
            Self::Schema(schema) => schema.fmt(f),
            Self::Table(table) => table.fmt(f),
            Self::Posts(posts) => posts.fmt(f),
            Self::Words(Threshold(None)) => f.write_str("words"),
            Self::Words(Threshold(Some(given))) => write!(f, "words:{given}"),
        }
    }
}

impl Serialize for Want {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Want {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_displayed_and_serialised_as_they_are_parsed() {
        for text in [
            "like",
            r"regex:Price: \d+",
            "regex-html:<h1>",
            "selector:a:not([href]) > b",
            "schema:https://schema.org/Product",
            "table:name,body weight",
            "posts:20,since=2026-01-31",
            "words",
            "words:0.25",
        ] {
            let want: Want = text.parse().unwrap();
            assert_eq!(want.to_string(), text);
            let json = serde_json::to_string(&want).unwrap();
            assert_eq!(serde_json::from_str::<Want>(&json).unwrap(), want);
            let pages = ["one two three four five", "two three four five six"];
            let examples = pages.map(|page| PageView::new("http://h/", page.as_bytes()));
            let name = want.validator(&examples, DateTime::MAX).unwrap().map(|validator| validator.name());
            assert_eq!(name, (text != "like").then(|| text.to_owned()));
        }
    }

    #[test]
    fn errors_say_what_is_expected() {
        let error = |text: &str| text.parse::<Want>().unwrap_err().to_string();
        for text in ["", "Like", "like:x", "Words", "regex", "xpath://a", " words"] {
            assert!(error(text).starts_with(&format!("`{text}` is none of `like`, ")), "{text}");
        }
        assert!(error("regex:(").starts_with("not a regular expression as in `regex:Price: \\d+`: "));
        assert_eq!(
            error("selector:>"),
            "`>` is not a CSS selector for a static page as in `selector:article.post > h1`"
        );
        assert!(error("schema:a b").ends_with("as in `schema:Product` or `schema:https://schema.org/Product`"));
        for text in ["words:", "words:x", "words:2", "words:NaN", "words:-0.1"] {
            assert!(error(text).contains("is not a likeness from 0 to 1 as in `words:0.3`"), "{text}");
        }
        assert!(error("posts:0").ends_with("as in `posts:20` or `posts:20,since=2026-01-31`"));
        assert!(error("table:,").ends_with("as in `table:weight,sensor type`"));
        let json = serde_json::from_str::<Want>("\"x\"").unwrap_err().to_string();
        assert!(json.contains("`x` is none of"), "{json}");
    }
}
