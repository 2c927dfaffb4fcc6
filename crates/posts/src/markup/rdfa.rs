//! Reads items from RDFa Lite: `vocab`, `typeof`, `property`, `resource`, as far as they use the vocabulary of
//! schema.org.

use super::items::{Item, ItemIndex, ItemValue, Items, local_name};
use super::marked::{Marked, attribute_value};
use crate::tree::{NodeIndex, Tree};

/// Reads the items of a page.
pub(super) fn read<'t>(tree: &'t Tree, marked: &Marked) -> Items<'t> {
    let mut items = Items::new(tree);
    let mut open: Vec<(ItemIndex, NodeIndex)> = Vec::new();
    for node in marked.rdfa.iter().copied() {
        while open.last().is_some_and(|(_, end)| *end <= node) {
            open.pop();
        }
        let item = tree.attribute(node, "typeof").and_then(|types| items.push(item_of(tree, node, types)));
        if let (Some((owner, _)), Some(names)) = (open.last(), tree.attribute(node, "property")) {
            let value = item.map_or_else(|| value_of(tree, node), ItemValue::Item);
            names
                .split_ascii_whitespace()
                .filter(|name| is_schema(name))
                .for_each(|name| items.add(*owner, name, value.clone()));
        }
        open.extend(item.map(|item| (item, tree.node(node).end)));
    }
    items.link();
    items
}

/// Types of other vocabularies keep their prefix, so that they are none of those that are read.
fn item_of(tree: &Tree, node: NodeIndex, types: &str) -> Item {
    let local = |name: &str| if is_schema(name) { local_name(name).to_owned() } else { name.to_owned() };
    let types = types.split_ascii_whitespace().map(local).collect();
    let id = ["resource", "about"].into_iter().find_map(|name| tree.attribute(node, name));
    Item { types, id: id.map(str::to_owned), node: Some(node), ..Item::default() }
}

/// Whether a name has no vocabulary of its own, or that of schema.org.
fn is_schema(name: &str) -> bool {
    !name.contains(':') || name.starts_with("schema:") || name.contains("schema.org/")
}

fn value_of(tree: &Tree, node: NodeIndex) -> ItemValue {
    let attribute = |name| tree.attribute(node, name).map(str::trim);
    if let Some(text) = attribute("content").or_else(|| attribute("datetime")) {
        return ItemValue::Text(text.to_owned());
    }
    match attribute("resource") {
        Some(id) => ItemValue::Reference(id.to_owned()),
        None => attribute_value(tree, node).map_or(ItemValue::Element(node), |text| ItemValue::Text(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_read_by_their_vocabulary() {
        let source = "<div vocab='https://schema.org/' typeof=Comment resource='#c1'><a property=url href=/c/1>x</a>\
            <p property='schema:author' typeof='Person schema:Thing'><b property=name>ann</b></p>\
            <p property='https://schema.org/text'>a text</p><meta property=og:title content=no>\
            <time property=dateCreated datetime=2020-04-01>April</time><i property=isPartOf resource='#t'></i></div>\
            <p typeof=sioc:Post resource='#t'></p>";
        let tree = Tree::parse(source).unwrap();
        let items = read(&tree, &Marked::of(&tree));
        let text = |name| items.text(0, &[name]).unwrap_or_default();
        assert_eq!((text("url"), text("author"), text("text")), ("/c/1".into(), "ann".into(), "a text".into()));
        assert_eq!((text("dateCreated"), text("title")), ("2020-04-01".into(), String::new()));
        let (comment, other) = (items.item(0), items.item(items.child(0, &["isPartOf"]).unwrap()));
        assert!(comment.is_a(&["Comment"]) && comment.id.as_deref() == Some("#c1") && !other.is_a(&["Post"]));
    }
}
