//! Reads items from microdata: `itemscope`, `itemtype`, `itemprop`, `itemid`, `itemref`.

use std::collections::HashMap;

use super::items::{Item, ItemIndex, ItemValue, Items, local_name};
use super::marked::{Marked, attribute_value};
use crate::tree::{NodeIndex, Tree};

/// Number of visits of elements by references, for each element with markup.
const VISITS_MAX: usize = 4;

/// Reads the items of a page.
pub(super) fn read<'t>(tree: &'t Tree, marked: &Marked) -> Items<'t> {
    let mut items = Items::new(tree);
    let mut by_node = HashMap::new();
    // The items around an element, the innermost last, and where each ends.
    let mut open: Vec<(ItemIndex, NodeIndex)> = Vec::new();
    for node in marked.microdata.iter().copied() {
        while open.last().is_some_and(|(_, end)| *end <= node) {
            open.pop();
        }
        let item = tree.attribute(node, "itemscope").and_then(|_| items.push(item_of(tree, node)));
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

fn item_of(tree: &Tree, node: NodeIndex) -> Item {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str, names: &[&str]) -> Vec<Option<String>> {
        let tree = Tree::parse(source).unwrap();
        let items = read(&tree, &Marked::of(&tree));
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
}
