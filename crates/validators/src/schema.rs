//! A validator by the schema.org type of what a page describes, also in JSON-LD 1.1.

use std::fmt;

use scraper::{ElementRef, Html};
use serde_json::{Map, Value};

use crate::required::Name;
use crate::{InvalidWant, PageView, Validator};

/// Maximum length of the name of a type, in bytes.
const NAME_BYTES_MAX: usize = 128;

/// Accepts pages that describe an item of a schema.org type. Subtypes are other types.
#[derive(Debug, Clone)]
pub struct Schema {
    text: String,
    /// In lower case, without the vocabulary.
    name: String,
    /// The same, to search sources for it.
    required: Option<Name>,
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Schema {}

impl Schema {
    /// Parses a type: a bare name, or its URL (`https://schema.org/Product`).
    ///
    /// # Errors
    ///
    /// The last segment of the path is not a name of ASCII letters and digits.
    pub fn new(text: &str) -> Result<Self, InvalidWant> {
        let name = local_name(text);
        let is_name = !name.is_empty() && name.len() <= NAME_BYTES_MAX;
        if is_name && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            let name = name.to_ascii_lowercase();
            Ok(Self { text: text.to_owned(), required: Name::value(&name), name })
        } else {
            Err(InvalidWant::Schema(text.to_owned()))
        }
    }

    /// Whether this is the name of a type in a page: `Product`, `schema:Product`, `http://schema.org/Product`.
    fn is(&self, type_name: &str) -> bool {
        local_name(type_name).eq_ignore_ascii_case(&self.name)
    }

    fn is_one_of(&self, type_names: &str) -> bool {
        type_names.split_ascii_whitespace().any(|name| self.is(name))
    }

    /// Whether an element is an item of this type in microdata or RDFa.
    fn is_item(&self, element: ElementRef<'_>) -> bool {
        let value = element.value();
        let describes_page = |property: &str| value.attr(property).is_none_or(is_main_entity);
        let microdata = || value.attr("itemtype").filter(|_| describes_page("itemprop"));
        let rdfa = || value.attr("typeof").filter(|_| describes_page("property") && describes_page("rel"));
        microdata().is_some_and(|types| self.is_one_of(types)) || rdfa().is_some_and(|types| self.is_one_of(types))
    }

    pub(crate) fn is_in(&self, document: &Html) -> Option<bool> {
        let elements = || document.tree.root().descendants().filter_map(ElementRef::wrap);
        if elements().any(|element| self.is_item(element)) {
            return Some(true);
        }
        let mut items = Items::default();
        elements()
            .filter(|element| is_json_ld(*element))
            .for_each(|script| items.read(&script.text().collect::<String>()));
        if items.types().any(|name| self.is(name)) { Some(true) } else { items.is_complete().then_some(false) }
    }
}

/// Returns what follows the vocabulary in the name of a type.
fn local_name(type_name: &str) -> &str {
    let name = type_name.trim().trim_end_matches('/');
    name.rsplit(['/', '#', ':']).next().unwrap_or_default()
}

fn is_main_entity(properties: &str) -> bool {
    properties.split_ascii_whitespace().any(|name| local_name(name).eq_ignore_ascii_case("mainEntity"))
}

fn is_json_ld(element: ElementRef<'_>) -> bool {
    let media_type = element.value().attr("type").filter(|_| element.value().name() == "script");
    let essence = media_type.map(|value| value.split(';').next().unwrap_or_default().trim());
    essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/ld+json"))
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "schema:{}", self.text)
    }
}

impl Validator for Schema {
    /// Cannot tell where the type is named but was not found, and a part of the page's JSON-LD is malformed or exceeds
    /// a bound.
    fn accepts(&self, page: &PageView<'_>) -> Option<bool> {
        let source = page.source()?;
        match &self.required {
            Some(name) if !name.may_be_in_json(source) => Some(false),
            _ => self.is_in(page.document()?),
        }
    }

    fn name(&self) -> String {
        self.to_string()
    }
}

/// Maximum length of one script, in bytes.
const SCRIPT_BYTES_MAX: usize = 1 << 20;
/// Maximum number of items of a page.
pub const ITEMS_MAX: usize = 1_000;
/// Maximum number of objects and arrays around an item.
pub const DEPTH_MAX: usize = 64;
/// The properties whose values are items of the page, not of the item that has them.
const WITHIN: [&str; 2] = ["@graph", "mainEntity"];

/// The items of a page, from all of its scripts.
#[derive(Default)]
pub struct Items {
    types: Vec<String>,
    count: usize,
    is_cut: bool,
}

impl Items {
    /// Reads the content of a script.
    pub fn read(&mut self, script: &str) {
        if script.len() > SCRIPT_BYTES_MAX {
            self.is_cut = true;
            return;
        }
        match serde_json::from_str(script) {
            Ok(value) => self.take_in(&value),
            Err(_) => self.is_cut = true,
        }
    }

    /// Returns the types of all items, as they are written.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.types.iter().map(String::as_str)
    }

    /// Returns whether all items were read: none was malformed or beyond a bound.
    pub fn is_complete(&self) -> bool {
        !self.is_cut
    }

    fn take_in(&mut self, value: &Value) {
        let mut unread = vec![(value, 0)];
        while let Some((value, depth)) = unread.pop() {
            if depth > DEPTH_MAX {
                self.is_cut = true;
                continue;
            }
            match value {
                Value::Array(values) => unread.extend(values.iter().map(|value| (value, depth + 1))),
                Value::Object(item) => {
                    if self.count == ITEMS_MAX {
                        self.is_cut = true;
                        return;
                    }
                    self.count += 1;
                    self.add_types(item);
                    unread.extend(WITHIN.iter().filter_map(|name| item.get(*name)).map(|value| (value, depth + 1)));
                }
                _ => {}
            }
        }
    }

    fn add_types(&mut self, item: &Map<String, Value>) {
        match item.get("@type") {
            Some(Value::String(name)) => self.types.push(name.clone()),
            Some(Value::Array(names)) => self.types.extend(names.iter().filter_map(Value::as_str).map(str::to_owned)),
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
