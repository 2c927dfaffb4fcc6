//! The types of the items that JSON-LD describes (JSON-LD 1.1).

use serde_json::{Map, Value};

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
