//! Reads items from the attributes of elements: microdata and RDFa Lite; and finds the elements that carry such markup.

use std::collections::HashMap;

use super::items::{Item, ItemIndex, ItemValue, Items, local_name};
use crate::tree::{NodeIndex, Tree};

/// The elements that carry each kind of markup, in document order.
#[derive(Debug, Default)]
pub(super) struct Marked {
    /// With `itemscope` or `itemprop`.
    pub microdata: Vec<NodeIndex>,
    /// Whether one has `itemref`.
    pub has_item_references: bool,
    /// With `typeof`, `property` or `vocab`.
    pub rdfa: Vec<NodeIndex>,
    /// With the class of a microformat.
    pub microformats: Vec<NodeIndex>,
}

impl Marked {
    /// Finds them in one pass.
    pub fn of(tree: &Tree) -> Self {
        let mut marked = Self::default();
        for at in tree.all() {
            let (mut is_microdata, mut is_rdfa) = (false, false);
            for (name, value) in tree.attributes(at) {
                match name {
                    "itemscope" | "itemprop" => is_microdata = true,
                    "itemref" => marked.has_item_references = true,
                    "typeof" | "property" | "vocab" => is_rdfa = true,
                    "class" if value.split_ascii_whitespace().any(is_root_class) => marked.microformats.push(at),
                    _ => {}
                }
            }
            marked.microdata.extend(is_microdata.then_some(at));
            marked.rdfa.extend(is_rdfa.then_some(at));
        }
        marked
    }
}

/// Whether a class is that of the root of a microformat.
fn is_root_class(class: &str) -> bool {
    class.starts_with(['h', 'v'])
        && matches!(class, "h-entry" | "h-feed" | "h-card" | "h-cite" | "hentry" | "hfeed" | "vcard")
}

/// Attributes that hold the value of an element, as HTML defines for microdata.
const VALUES: [(&[&str], &str); 6] = [
    (&["audio", "embed", "iframe", "img", "source", "track", "video"], "src"),
    (&["a", "area", "link"], "href"),
    (&["object"], "data"),
    (&["data", "meter"], "value"),
    (&["time"], "datetime"),
    (&["meta"], "content"),
];

/// Returns the value that an element has in an attribute; `None` if its value is its text.
pub(super) fn attribute_value(tree: &Tree, node: NodeIndex) -> Option<&str> {
    let name = tree.name(node);
    let of = VALUES.iter().find(|(names, _)| names.contains(&name)).map(|(_, attribute)| *attribute);
    let found = of.and_then(|attribute| tree.attribute(node, attribute));
    // Only `meta` should have it, but others that are empty carry it as well.
    found.or_else(|| tree.attribute(node, "content").filter(|_| tree.node(node).words == 0))
}

/// Number of visits of elements by references, for each element with markup.
const VISITS_MAX: usize = 4;

/// Reads the items of a page.
pub(super) fn read_microdata<'t>(tree: &'t Tree, marked: &Marked) -> Items<'t> {
    let mut items = Items::new(tree);
    let mut by_node = HashMap::new();
    // The items around an element, the innermost last, and where each ends.
    let mut open: Vec<(ItemIndex, NodeIndex)> = Vec::new();
    for node in marked.microdata.iter().copied() {
        while open.last().is_some_and(|(_, end)| *end <= node) {
            open.pop();
        }
        let item = tree.attribute(node, "itemscope").and_then(|_| items.push(microdata_item(tree, node)));
        if let Some((owner, _)) = open.last() {
            add(&mut items, *owner, tree, node, item);
        }
        if let Some(item) = item {
            by_node.insert(node, item);
            open.push((item, tree.node(node).end));
        }
    }
    if marked.has_item_references {
        add_referred(&mut items, tree, marked, &by_node);
    }
    items.link();
    items
}

fn microdata_item(tree: &Tree, node: NodeIndex) -> Item {
    let types = tree.attribute(node, "itemtype").unwrap_or_default().split_ascii_whitespace();
    let types = types.map(|name| local_name(name).to_owned()).collect();
    let id = tree.attribute(node, "itemid").map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
    Item { types, id, node: Some(node), ..Item::default() }
}

/// Properties that are names, also where they are links.
const NAMES: [&str; 4] = ["author", "creator", "name", "headline"];

/// Adds the properties that an element is.
fn add(items: &mut Items<'_>, owner: ItemIndex, tree: &Tree, node: NodeIndex, item: Option<ItemIndex>) {
    let Some(names) = tree.attribute(node, "itemprop") else { return };
    let is_name = tree.name(node) == "a" && tree.node(node).words > 0;
    let is_name = is_name && names.split_ascii_whitespace().any(|name| NAMES.contains(&name));
    let value = match (item, attribute_value(tree, node)) {
        (Some(item), _) => ItemValue::Item(item),
        // By the standard the value is the address, but pages mean the text.
        _ if is_name => ItemValue::Element(node),
        (None, Some(value)) => ItemValue::Text(value.trim().to_owned()),
        (None, None) => ItemValue::Element(node),
    };
    names.split_ascii_whitespace().for_each(|name| items.add(owner, name, value.clone()));
}

/// Adds the properties in elements that items refer to.
fn add_referred(items: &mut Items<'_>, tree: &Tree, marked: &Marked, by_node: &HashMap<NodeIndex, ItemIndex>) {
    let nodes = tree.all().filter_map(|node| Some((tree.attribute(node, "id")?, node)));
    let by_id: HashMap<&str, NodeIndex> = nodes.collect();
    let mut owners: Vec<_> = by_node.iter().map(|(node, item)| (*item, *node)).collect();
    owners.sort_unstable();
    let mut visits = marked.microdata.len() * VISITS_MAX;
    for (owner, scope) in owners {
        let names = tree.attribute(scope, "itemref").unwrap_or_default().split_ascii_whitespace();
        for root in names.filter_map(|name| by_id.get(name)) {
            let range = tree.range(*root);
            let from = marked.microdata.partition_point(|node| *node < range.start);
            let mut inside_until = 0;
            for node in marked.microdata[from..].iter().copied().take_while(|node| *node < range.end) {
                visits = visits.saturating_sub(1);
                if visits == 0 {
                    return;
                }
                // What is in another item is a property of that one.
                if node < inside_until || tree.range(node).contains(&scope) {
                    continue;
                }
                let item = by_node.get(&node).copied();
                add(items, owner, tree, node, item);
                inside_until = if item.is_some() { tree.node(node).end } else { inside_until };
            }
        }
    }
}

/// Reads the items of a page.
pub(super) fn read_rdfa<'t>(tree: &'t Tree, marked: &Marked) -> Items<'t> {
    let mut items = Items::new(tree);
    let mut open: Vec<(ItemIndex, NodeIndex)> = Vec::new();
    for node in marked.rdfa.iter().copied() {
        while open.last().is_some_and(|(_, end)| *end <= node) {
            open.pop();
        }
        let item = tree.attribute(node, "typeof").and_then(|types| items.push(rdfa_item(tree, node, types)));
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
fn rdfa_item(tree: &Tree, node: NodeIndex, types: &str) -> Item {
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

    fn texts(source: &str, names: &[&str]) -> Vec<Option<String>> {
        let tree = Tree::parse(source).unwrap();
        let items = read_microdata(&tree, &Marked::of(&tree));
        names.iter().map(|name| items.text(0, &[name])).collect()
    }

    #[test]
    fn values_are_those_of_the_elements() {
        let source = "<div itemscope itemtype='https://schema.org/Comment'><a itemprop=url href=/c/1>link</a>\
            <time itemprop=dateCreated datetime=2020-04-01T10:00Z>April</time><meta itemprop=position content=3>\
            <img itemprop=image src=/i.png><data itemprop=upvoteCount value=7>seven</data><object itemprop=o data=/d></object>\
            <span itemprop='text extra'>some <b>text</b></span><time itemprop=t>10:00</time><i itemprop=x content=y></i></div>";
        let names = ["url", "dateCreated", "position", "image", "upvoteCount", "o", "text", "extra", "t", "x"];
        let wanted = ["/c/1", "2020-04-01T10:00Z", "3", "/i.png", "7", "/d", "some text", "some text", "10:00", "y"];
        assert_eq!(texts(source, &names), wanted.map(|text| Some(text.to_owned())));
    }

    #[test]
    fn items_are_nested_by_their_elements() {
        let source = "<div itemscope itemtype=//schema.org/Question><p itemprop=author itemscope><b itemprop=name>ann</b></p>\
            <p itemprop=name>title</p></div><p itemprop=text>outside";
        assert_eq!(
            texts(source, &["author", "name", "text"]),
            [Some("ann".to_owned()), Some("title".to_owned()), None]
        );
    }

    #[test]
    fn elements_that_an_item_refers_to_are_its_properties() {
        let source = "<div itemscope itemref='a b missing'><p itemprop=name>n</p></div>\
            <div id=a><p itemprop=text>t</p></div><p id=b itemprop=author itemscope><i itemprop=name>ann</i></p>";
        assert_eq!(texts(source, &["name", "text", "author"]), ["n", "t", "ann"].map(|text| Some(text.to_owned())));
        // An item in what it refers to.
        let around = "<div id=a itemprop=x><div itemscope itemref=a><p itemprop=name>n</p></div></div>";
        assert_eq!(texts(around, &["x"]), [None]);
    }

    #[test]
    fn items_are_read_by_their_vocabulary() {
        let source = "<div vocab='https://schema.org/' typeof=Comment resource='#c1'><a property=url href=/c/1>x</a>\
            <p property='schema:author' typeof='Person schema:Thing'><b property=name>ann</b></p>\
            <p property='https://schema.org/text'>a text</p><meta property=og:title content=no>\
            <time property=dateCreated datetime=2020-04-01>April</time><i property=isPartOf resource='#t'></i></div>\
            <p typeof=sioc:Post resource='#t'></p>";
        let tree = Tree::parse(source).unwrap();
        let items = read_rdfa(&tree, &Marked::of(&tree));
        let text = |name| items.text(0, &[name]).unwrap_or_default();
        assert_eq!((text("url"), text("author"), text("text")), ("/c/1".into(), "ann".into(), "a text".into()));
        assert_eq!((text("dateCreated"), text("title")), ("2020-04-01".into(), String::new()));
        let (comment, other) = (items.item(0), items.item(items.child(0, &["isPartOf"]).unwrap()));
        assert!(comment.is_a(&["Comment"]) && comment.id.as_deref() == Some("#c1") && !other.is_a(&["Post"]));
    }
}
