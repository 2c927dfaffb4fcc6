//! The values that stand in a page or an answer, by places that are the same on other pages of the cluster.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::extract::{Extract, decode, extracts};
use super::html::{HTML_BYTES_MAX, HtmlItem, scan_html, truncate};
use super::json::{answer_text, parse_json, visit_json};
use super::script::scan_script;

/// Maximum number of values that are remembered of a page or an answer.
const VALUES_MAX: usize = 20_000;
/// Maximum length of a value, in bytes; longer ones are skipped.
const VALUE_BYTES_MAX: usize = 2_048;
/// Maximum number of ways to extract the same text from a page or an answer that are remembered.
const ORIGINS_MAX: usize = 64;
/// Maximum number of texts that are extracted from the values of a page or an answer.
const EXTRACTS_MAX: usize = 200_000;

/// A place of a page or an answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ValuePlace {
    /// The path of the JSON field that is or holds the value: keys joined by dots, `*` for the elements of a list.
    /// Empty for a page, and for an answer that is HTML.
    pub field: String,
    /// Where in the field the value stands.
    pub spot: Spot,
}

/// Where in a text a value stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Spot {
    /// An attribute of an element in HTML.
    Attribute {
        /// Name of the element.
        element: String,
        /// `#id`, or else `.class` (the first one without digits), or else empty: digits differ between pages.
        mark: String,
        /// Name of the attribute.
        attribute: String,
    },
    /// A value of an inline script, or of JSON in an attribute, by its dotted name.
    Script(String),
    /// The JSON value itself.
    Field,
    /// Number of elements of a JSON list.
    Length,
}

/// The values of a page or an answer.
#[derive(Debug, Default)]
pub struct Places {
    values: BTreeMap<ValuePlace, Vec<String>>,
    count: usize,
    origins: OnceLock<Origins>,
}

/// Where each text can be extracted.
#[derive(Debug, Default)]
struct Origins {
    places: Vec<ValuePlace>,
    /// Indexes of places, and ways to extract the text there.
    ways: HashMap<String, Vec<(usize, Extract)>>,
}

impl Places {
    /// Reads a page: attributes and inline scripts.
    pub fn of_page(html: &str) -> Self {
        let mut places = Self::default();
        places.read_html("", truncate(html, HTML_BYTES_MAX));
        places
    }

    /// Reads an answer: the fields of JSON and the HTML in them, or else HTML.
    pub fn of_answer(body: &[u8]) -> Self {
        let mut places = Self::default();
        match parse_json(body) {
            Some(json) => visit_json(&json, &mut |path, value| places.read_field(path, value)),
            None => places.read_html("", &answer_text(body)),
        }
        places
    }

    /// Returns the values at a place in order, with duplicates.
    pub fn at(&self, place: &ValuePlace) -> &[String] {
        self.values.get(place).map_or(&[], Vec::as_slice)
    }

    /// Returns all places with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&ValuePlace, &[String])> {
        self.values.iter().map(|(place, values)| (place, values.as_slice()))
    }

    /// Returns the places from which a percent-decoded text can be extracted, at most 64, with the way to extract it.
    pub fn origins_of(&self, text: &str) -> impl Iterator<Item = (&ValuePlace, &Extract)> {
        let origins = self.origins.get_or_init(|| self.index());
        origins.ways.get(text).into_iter().flatten().map(|(place, way)| (&origins.places[*place], way))
    }

    fn index(&self) -> Origins {
        let mut origins = Origins::default();
        let mut left = EXTRACTS_MAX;
        for (place, values) in self.iter().filter(|(place, _)| place.spot != Spot::Length) {
            origins.places.push(place.clone());
            let index = origins.places.len() - 1;
            for (way, text) in values.iter().flat_map(|value| extracts(value)).take(left) {
                left -= 1;
                let found = origins.ways.entry(decode(text)).or_default();
                if found.len() < ORIGINS_MAX && !found.contains(&(index, way.clone())) {
                    found.push((index, way));
                }
            }
        }
        for found in origins.ways.values_mut() {
            // A whole value is less often there by chance than a part of one.
            found.sort_by_key(|(_, way)| *way != Extract::Whole);
        }
        origins
    }

    fn add(&mut self, field: &str, spot: Spot, value: &str) {
        if self.count < VALUES_MAX && value.len() <= VALUE_BYTES_MAX && !value.is_empty() {
            self.count += 1;
            let place = ValuePlace { field: truncate(field, VALUE_BYTES_MAX).to_owned(), spot };
            self.values.entry(place).or_default().push(value.to_owned());
        }
    }

    fn read_field(&mut self, path: &str, value: &Value) {
        match value {
            Value::String(text) => {
                self.add(path, Spot::Field, text);
                if text.contains('<') {
                    self.read_html(path, text);
                }
            }
            Value::Number(number) => self.add(path, Spot::Field, &number.to_string()),
            Value::Bool(flag) => self.add(path, Spot::Field, if *flag { "true" } else { "false" }),
            Value::Array(elements) => self.add(path, Spot::Length, &elements.len().to_string()),
            Value::Null | Value::Object(_) => {}
        }
    }

    fn read_html(&mut self, field: &str, html: &str) {
        scan_html(html, &mut |item| match item {
            HtmlItem::Tag(element, attributes) => {
                let mark = mark(&attributes);
                for (attribute, value) in &attributes {
                    if value.starts_with(['{', '[']) {
                        self.read_script(field, value);
                    }
                    let (element, mark, attribute) = (element.clone(), mark.clone(), attribute.clone());
                    self.add(field, Spot::Attribute { element, mark, attribute }, value.trim());
                }
            }
            HtmlItem::Script(script) => self.read_script(field, script),
            HtmlItem::Text(_) => {}
        });
    }

    fn read_script(&mut self, field: &str, script: &str) {
        scan_script(script, &mut |name, value| self.add(field, Spot::Script(name.to_owned()), value));
    }
}

/// Returns what distinguishes an element from others of its name, and is the same on other pages.
fn mark(attributes: &[(String, std::borrow::Cow<'_, str>)]) -> String {
    let get = |wanted: &str| attributes.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.as_ref());
    let is_fixed = |text: &&str| !text.is_empty() && !text.contains(|c: char| c.is_ascii_digit() || c.is_whitespace());
    let class = || get("class").split_ascii_whitespace().find(is_fixed).map(|class| format!(".{class}"));
    Some(get("id")).filter(is_fixed).map(|id| format!("#{id}")).or_else(class).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_pages_and_answers_have_places() {
        let page = Places::of_page("<div class='p1 top' data-load-from='/a/17'></div><script>d={id:5}</script>");
        let found: Vec<_> = page.iter().map(|(place, values)| format!("{place} = {}", values.join(","))).collect();
        assert_eq!(found, ["div.top[class] = p1 top", "div.top[data-load-from] = /a/17", "script d.id = 5"]);
        assert_eq!(page.origins_of("17").count(), 3, "as the last segment, counted from both ends, or the last number");
        let answer = Places::of_answer(br#"{"next":12,"more":false,"items":[{"id":3},{"id":4}],"h":"<a href='/y'>"}"#);
        let at = |field: &str, spot| answer.at(&ValuePlace { field: field.into(), spot }).join(",");
        assert_eq!(at("next", Spot::Field), "12");
        assert_eq!(at("more", Spot::Field), "false");
        assert_eq!(at("items.*.id", Spot::Field), "3,4");
        assert_eq!(at("items", Spot::Length), "2");
        let attribute = Spot::Attribute { element: "a".into(), mark: String::new(), attribute: "href".into() };
        assert_eq!(at("h", attribute), "/y");
    }

    #[test]
    fn the_number_of_values_is_bounded() {
        let places = Places::of_page(&"<a b=1 c=2>".repeat(VALUES_MAX));
        assert_eq!(places.iter().map(|(_, values)| values.len()).sum::<usize>(), VALUES_MAX);
        let field = "<a b=1>".repeat(1_000) + &"<a b='".repeat(500);
        assert!(Places::of_page(&field).count <= 1_000 + 64);
    }
}
