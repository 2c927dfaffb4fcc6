//! Reads items from microformats: h-entry, h-feed, h-card and h-cite, and their forerunners hAtom and hCard. Their
//! properties get the names that schema.org has for them.

use super::attributes::{Marked, attribute_value};
use super::items::{Item, ItemIndex, ItemValue, Items};
use crate::tree::{NodeIndex, Tree};

/// Classes of roots, and what they are in the vocabulary of schema.org.
const ROOTS: [(&str, &str); 7] = [
    ("h-entry", "BlogPosting"),
    ("h-cite", "Comment"),
    ("h-card", "Person"),
    ("h-feed", "Blog"),
    ("hentry", "BlogPosting"),
    ("vcard", "Person"),
    ("hfeed", "Blog"),
];
/// Classes of properties with a prefix that tells their kind.
const PROPERTIES: [(&str, &str); 17] = [
    ("p-name", "name"),
    ("p-summary", "description"),
    ("e-content", "text"),
    ("p-content", "text"),
    ("dt-published", "datePublished"),
    ("dt-updated", "dateModified"),
    ("p-author", "author"),
    ("u-author", "author"),
    ("u-url", "url"),
    ("u-uid", "uid"),
    ("u-in-reply-to", "parentItem"),
    ("p-in-reply-to", "parentItem"),
    ("p-category", "keywords"),
    ("u-category", "keywords"),
    ("p-comment", "comment"),
    ("u-comment", "comment"),
    ("p-nickname", "alternateName"),
];
/// Classes of properties of the forerunners.
const CLASSIC: [(&str, &str); 9] = [
    ("entry-title", "name"),
    ("entry-content", "text"),
    ("entry-summary", "description"),
    ("published", "datePublished"),
    ("updated", "dateModified"),
    ("author", "author"),
    ("fn", "name"),
    ("nickname", "alternateName"),
    ("url", "url"),
];

/// A root whose elements are being read.
struct Open {
    item: ItemIndex,
    node: NodeIndex,
    end: NodeIndex,
    is_classic: bool,
}

/// Reads the items of a page.
pub(super) fn read<'t>(tree: &'t Tree, marked: &Marked) -> Items<'t> {
    let mut items = Items::new(tree);
    let mut read_until = 0;
    for root in marked.microformats.iter().copied() {
        if root >= read_until {
            read_root(&mut items, tree, root);
            read_until = tree.node(root).end;
        }
    }
    items.link();
    items
}

/// Reads a root and all roots in it.
fn read_root(items: &mut Items<'_>, tree: &Tree, root: NodeIndex) {
    let mut open: Vec<Open> = Vec::new();
    for node in tree.inside(root) {
        while let Some(ended) = open.pop_if(|last| last.end <= node) {
            imply(items, tree, &ended);
        }
        let classes = tree.attribute(node, "class").unwrap_or_default();
        let root_class = ROOTS.iter().find(|(class, _)| classes.split_ascii_whitespace().any(|of| of == *class));
        let item = root_class.and_then(|(_, kind)| {
            items.push(Item { types: vec![(*kind).to_owned()], node: Some(node), ..Item::default() })
        });
        if let Some(around) = open.last() {
            add(items, tree, around, &Found { node, classes, item });
        }
        if let (Some(item), Some((class, _))) = (item, root_class) {
            open.push(Open { item, node, end: tree.node(node).end, is_classic: !class.starts_with("h-") });
        }
    }
    open.iter().for_each(|ended| imply(items, tree, ended));
}

/// An element in a root, and its item if it is a root itself.
struct Found<'t> {
    node: NodeIndex,
    classes: &'t str,
    item: Option<ItemIndex>,
}

/// Adds the properties that an element is.
fn add(items: &mut Items<'_>, tree: &Tree, around: &Open, found: &Found<'_>) {
    let Found { node, classes, item } = *found;
    let table: &[_] = if around.is_classic { &CLASSIC } else { &PROPERTIES };
    let mut is_added = false;
    for class in classes.split_ascii_whitespace() {
        let Some((_, name)) = table.iter().find(|(of, _)| *of == class) else { continue };
        is_added = true;
        items.add(around.item, name, item.map_or_else(|| value_of(tree, node, name), ItemValue::Item));
    }
    if around.is_classic
        && tree.attribute(node, "rel").is_some_and(|rel| rel.split_ascii_whitespace().any(|rel| rel == "bookmark"))
    {
        items.add(around.item, "url", value_of(tree, node, "url"));
    }
    // An entry in a feed, and a card in the forerunners, have no class for the property that they are.
    if let (Some(item), false) = (item, is_added) {
        items.add(around.item, "child", ItemValue::Item(item));
    }
}

fn value_of(tree: &Tree, node: NodeIndex, property: &str) -> ItemValue {
    let attribute = match property {
        "url" | "uid" | "parentItem" => {
            ["href", "src", "data", "value", "content"].into_iter().find_map(|name| tree.attribute(node, name))
        }
        "datePublished" | "dateModified" => {
            ["datetime", "title", "value", "content"].into_iter().find_map(|name| tree.attribute(node, name))
        }
        "text" => None,
        _ => match tree.name(node) {
            "abbr" => tree.attribute(node, "title"),
            "img" | "area" => tree.attribute(node, "alt"),
            "a" | "link" => None,
            _ => attribute_value(tree, node),
        },
    };
    attribute.map_or(ItemValue::Element(node), |text| ItemValue::Text(text.trim().to_owned()))
}

/// Adds the name and the address of a person that are only told by its own element.
fn imply(items: &mut Items<'_>, tree: &Tree, root: &Open) {
    if !items.item(root.item).is_a(&["Person"]) {
        return;
    }
    if items.values(root.item, &["name"]).next().is_none() {
        // A person that is only a picture is named by its label.
        let label = |node| ["alt", "title"].into_iter().find_map(|name| tree.attribute(node, name));
        let label = (tree.node(root.node).words == 0).then(|| tree.inside(root.node).find_map(label)).flatten();
        let value = label.map_or(ItemValue::Element(root.node), |text| ItemValue::Text(text.to_owned()));
        items.add(root.item, "name", value);
    }
    if items.values(root.item, &["url"]).next().is_none() {
        let mut links = tree.inside(root.node).filter_map(|node| tree.attribute(node, "href"));
        if let (Some(link), None) = (links.next(), links.next()) {
            items.add(root.item, "url", ItemValue::Text(link.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_their_authors_are_read() {
        let tree = Tree::parse(
            "<div class=h-feed><h1 class=p-name>Notes</h1><article class='h-entry x'><a class='p-author h-card' href=/ann>ann</a>\
             <a class=u-url href=/n/1><time class=dt-published datetime='2020-04-01 10:00'>April</time></a>\
             <a class=u-in-reply-to href=/n/0>that</a><div class=e-content>a <b>note</b></div>\
             <div class='p-comment h-cite'><a class='p-author h-card' href=/bob><img alt=Bob></a><p class=p-content>yes</p></div>\
             </article></div>",
        )
        .unwrap();
        let items = read(&tree, &Marked::of(&tree));
        let entry = items.child(0, &["child"]).unwrap();
        let text = |item, name| items.text(item, &[name]).unwrap_or_default();
        assert_eq!((text(0, "name"), text(entry, "text")), ("Notes".into(), "a note".into()));
        assert_eq!((text(entry, "author"), text(entry, "url")), ("ann".into(), "/n/1".into()));
        assert_eq!(items.address(entry, &["author"]).as_deref(), Some("/ann"));
        assert_eq!(
            (text(entry, "datePublished"), text(entry, "parentItem")),
            ("2020-04-01 10:00".into(), "/n/0".into())
        );
        let comment = items.child(entry, &["comment"]).unwrap();
        assert_eq!(
            (text(comment, "text"), items.address(comment, &["author"]).as_deref()),
            ("yes".into(), Some("/bob"))
        );
    }

    #[test]
    fn the_forerunners_are_read() {
        let tree = Tree::parse(
            "<div class=hentry><h2 class=entry-title><a rel=bookmark href=/p/1>Title</a></h2>\
             <span class='author vcard'><a class='url fn n' href=/ann>Ann</a></span>\
             <abbr class=published title=2020-04-01>April</abbr><div class=entry-content>text</div></div>",
        )
        .unwrap();
        let items = read(&tree, &Marked::of(&tree));
        let text = |name| items.text(0, &[name]).unwrap_or_default();
        assert_eq!((text("name"), text("url"), text("author")), ("Title".into(), "/p/1".into(), "Ann".into()));
        assert_eq!((text("datePublished"), text("text")), ("2020-04-01".into(), "text".into()));
        assert_eq!(items.address(0, &["author"]).as_deref(), Some("/ann"));
    }
}
