//! Reads the tags and the author of a page by CSS selectors.

use regex::Regex;
use scraper::{ElementRef, Html, Selector};

use crate::corpus::Label;

/// The selectors of a rule.
#[derive(Debug, Default)]
pub(super) struct Selectors {
    /// The elements whose texts are the tags.
    pub tags: Option<Selector>,
    /// The elements of which the first one with a text names the author.
    pub author: Option<Selector>,
    /// The expression whose first group, or whole match without groups, is the name in that text.
    pub author_pattern: Option<Regex>,
}

impl Selectors {
    /// Returns `label` with the tags and the author in the document `body`, which is read as UTF-8.
    pub fn apply(&self, label: Label, body: &[u8]) -> Label {
        if self.tags.is_none() && self.author.is_none() {
            return label;
        }
        let document = Html::parse_document(&String::from_utf8_lossy(body));
        let texts = |selector: &Option<Selector>| -> Vec<String> {
            let Some(selector) = selector else { return Vec::new() };
            document.select(selector).map(text).collect()
        };
        let authors = texts(&self.author);
        let author = authors.iter().map(|text| self.name(text.trim())).find(|name| !name.is_empty());
        label.with_tags(texts(&self.tags).iter().map(String::as_str)).with_author(author.unwrap_or_default())
    }

    fn name<'a>(&self, text: &'a str) -> &'a str {
        let Some(pattern) = &self.author_pattern else { return text };
        let found = pattern.captures(text).and_then(|found| found.get(1).or_else(|| found.get(0)));
        found.map_or("", |found| found.as_str())
    }
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &[u8] = b"<html><a class=user> <img src=x></a><a class=user>Ada <b>B.</b></a><a class=user>C</a>\
        <ul class=tags><li><a>Night  sky</a><li><a>tea</a><li><a>TEA</a></ul>";

    fn selectors(tags: Option<&str>, author: Option<&str>) -> Selectors {
        let parse = |text: &str| Selector::parse(text).unwrap();
        Selectors { tags: tags.map(parse), author: author.map(parse), author_pattern: None }
    }

    #[test]
    fn tags_are_all_texts_and_the_author_is_the_first_one() {
        let label = selectors(Some(".tags a"), Some("a.user")).apply(Label::default(), PAGE);
        assert_eq!(label.tags().join(","), "night sky,tea");
        assert_eq!(label.author.as_deref(), Some("Ada B."));
    }

    #[test]
    fn a_pattern_takes_the_name_from_the_text() {
        let author = |pattern: &str| {
            let author_pattern = Some(Regex::new(pattern).unwrap());
            let selectors = Selectors { author_pattern, ..selectors(None, Some(".user")) };
            selectors.apply(Label::default(), PAGE).author.map(String::from)
        };
        assert_eq!(author("^Ada (.*)$").as_deref(), Some("B."));
        assert_eq!(author("^.$").as_deref(), Some("C"));
        assert_eq!(author("[0-9]"), None);
    }

    #[test]
    fn a_page_without_the_elements_and_a_rule_without_selectors_give_nothing() {
        let none = Label::default();
        assert_eq!(selectors(Some(".x"), Some(".y")).apply(none.clone(), PAGE), none);
        assert_eq!(selectors(None, None).apply(none.clone(), PAGE), none);
        assert_eq!(selectors(Some("a"), Some("a")).apply(none.clone(), b"\xff\x00<"), none);
    }
}
