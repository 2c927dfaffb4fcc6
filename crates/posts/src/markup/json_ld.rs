//! Reads items from JSON-LD scripts.

use serde_json::{Map, Value as Json};

use super::items::{Item, ItemIndex, ItemValue, Items, local_name};
use crate::tree::Tree;

/// Reads the items of scripts. Those that are no JSON, or of another vocabulary than that of schema.org, are skipped.
pub(super) fn read<'t>(tree: &'t Tree, scripts: &[String]) -> Items<'t> {
    let mut items = Items::new(tree);
    for json in scripts.iter().filter_map(|script| parse(script)) {
        read_top(&mut items, &json);
    }
    items.link();
    items
}

/// Parses a script, whose text may be in comments, and may have line breaks in its strings.
fn parse(script: &str) -> Option<Json> {
    let text = script.trim();
    let text = text.strip_prefix("<!--").unwrap_or(text);
    let text = text.trim_start().strip_prefix("//").unwrap_or(text).trim_start();
    let text = text.strip_prefix("<![CDATA[").unwrap_or(text);
    let text = text.get(text.find(['{', '['])?..)?;
    // What stands behind the first value is the end of a comment.
    let first = |text: &str| serde_json::Deserializer::from_str(text).into_iter().next()?.ok();
    first(text).or_else(|| first(&text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>()))
}

fn read_top(items: &mut Items<'_>, json: &Json) {
    match json {
        Json::Array(list) => list.iter().for_each(|json| read_top(items, json)),
        Json::Object(object) if !object.get("@context").is_none_or(is_schema) => {}
        Json::Object(object) => {
            if let Some(graph) = object.get("@graph") {
                read_top(items, graph);
            }
            if object.keys().any(|key| !matches!(key.as_str(), "@context" | "@graph" | "@id")) {
                read_item(items, object);
            }
        }
        _ => {}
    }
}

/// Whether a context is that of schema.org, or has it among others.
fn is_schema(context: &Json) -> bool {
    match context {
        Json::String(text) => text.contains("schema.org"),
        Json::Array(list) => {
            list.iter().any(|context| matches!(context, Json::String(_) | Json::Object(_)) && is_schema(context))
        }
        Json::Object(object) => object.values().filter_map(Json::as_str).any(|text| text.contains("schema.org")),
        _ => true,
    }
}

/// Nesting is bounded by the parser.
fn read_item(items: &mut Items<'_>, object: &Map<String, Json>) -> Option<ItemIndex> {
    let types = texts(object.get("@type")).map(|name| local_name(name).to_owned()).collect();
    let id = object.get("@id").and_then(Json::as_str).map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
    let at = items.push(Item { types, id, ..Item::default() })?;
    for (name, value) in object.iter().filter(|(name, _)| !name.starts_with('@')) {
        read_property(items, at, name, value);
    }
    Some(at)
}

fn read_property(items: &mut Items<'_>, at: ItemIndex, name: &str, json: &Json) {
    let value = match json {
        Json::Null => None,
        Json::Bool(is) => Some(ItemValue::Text(is.to_string())),
        Json::Number(number) => Some(ItemValue::Text(number.to_string())),
        Json::String(text) => Some(ItemValue::Text(text.clone())),
        Json::Array(list) => return list.iter().for_each(|json| read_property(items, at, name, json)),
        Json::Object(object) => match ["@value", "@list", "@set"].into_iter().find_map(|key| object.get(key)) {
            Some(json) => return read_property(items, at, name, json),
            None if object.len() == 1 => match object.get("@id").and_then(Json::as_str) {
                Some(id) => Some(ItemValue::Reference(id.trim().to_owned())),
                None => read_item(items, object).map(ItemValue::Item),
            },
            None => read_item(items, object).map(ItemValue::Item),
        },
    };
    if let Some(value) = value {
        items.add(at, name, value);
    }
}

fn texts(json: Option<&Json>) -> impl Iterator<Item = &str> {
    let list = match json {
        Some(Json::Array(list)) => list.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    list.iter().filter_map(Json::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(script: &str) -> Vec<String> {
        let tree = Tree::default();
        read(&tree, &[script.to_owned()]).all().map(|(_, item)| item.types.join("+")).collect()
    }

    #[test]
    fn items_are_read_in_all_forms_of_contexts() {
        for context in [
            r#""https://schema.org""#,
            r#""http://schema.org/""#,
            r#"{"@vocab": "https://schema.org/"}"#,
            r#"["https://schema.org", {"x": "https://x.example/"}]"#,
            r#"{"schema": "http://schema.org/"}"#,
        ] {
            let script = format!(r#"{{"@context": {context}, "@type": "schema:Comment", "text": "a"}}"#);
            assert_eq!(types(&script), ["Comment"], "{context}");
        }
        let other = r#"{"@context": "https://www.w3.org/ns/activitystreams", "@type": "Comment"}"#;
        assert_eq!(types(other), <[String; 0]>::default());
    }

    #[test]
    fn graphs_lists_and_broken_scripts_are_read() {
        let graph =
            r#"{"@context": "https://schema.org", "@graph": [{"@type": ["Question", "Thing"]}, {"@type": "Person"}]}"#;
        assert_eq!(types(graph), ["Question+Thing", "Person"]);
        assert_eq!(types(r#"[{"@type": "Answer", "author": {"@type": "Person"}}]"#), ["Answer", "Person"]);
        assert_eq!(types("<!-- //<![CDATA[\n{\"@type\": \"Answer\", \"text\": \"a\nb\"};\n//]]> -->"), ["Answer"]);
        for broken in ["", "{", "}{", "nothing", "{\"@type\":}", "]["] {
            assert_eq!(types(broken), <[String; 0]>::default(), "{broken}");
        }
        assert_eq!(types(&"[".repeat(100_000)), <[String; 0]>::default());
    }

    #[test]
    fn values_are_read_in_all_forms() {
        let tree = Tree::default();
        let script = r##"{"@type": "Comment", "@id": "/c#1", "text": {"@value": "a"}, "upvoteCount": 3, "isOld": true,
            "keywords": {"@list": ["x", "y"]}, "author": {"@id": "/u"}, "x": null}"##;
        let items = read(&tree, &[script.to_owned()]);
        let text = |name| items.text(0, &[name]);
        assert_eq!((text("text").as_deref(), text("upvoteCount").as_deref()), (Some("a"), Some("3")));
        assert_eq!((items.values(0, &["keywords"]).count(), text("isOld").as_deref()), (2, Some("true")));
        assert_eq!((text("author"), items.address(0, &["author"]).as_deref()), (None, Some("/u")));
    }
}
