//! Items with properties: what JSON-LD, microdata, RDFa and microformats all describe.

use std::collections::HashMap;

use crate::tree::{NodeIndex, Tree};

/// Maximum number of items of a page, and of properties of all of them.
const ITEMS_MAX: usize = 60_000;
const PROPERTIES_MAX: usize = 400_000;

/// The index of an item.
pub(super) type ItemIndex = usize;

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ItemValue {
    /// A text or an address.
    Text(String),
    /// The text of an element.
    Element(NodeIndex),
    /// An item.
    Item(ItemIndex),
    /// The item with this identifier, which is described elsewhere or not at all.
    Reference(String),
}

/// Something that is described. Names of types and properties are local: without their vocabulary.
#[derive(Debug, Clone, Default)]
pub(super) struct Item {
    /// Its types.
    pub types: Vec<String>,
    /// Its global identifier, as written.
    pub id: Option<String>,
    /// The element that is marked as this item.
    pub node: Option<NodeIndex>,
    /// Its properties.
    pub properties: Vec<(String, ItemValue)>,
    /// The item that it is a value of, and the property.
    pub owner: Option<(ItemIndex, String)>,
}

impl Item {
    /// Whether it is of one of these types.
    pub fn is_a(&self, types: &[&str]) -> bool {
        self.types.iter().any(|of| types.contains(&of.as_str()))
    }
}

/// The items of a page, each before those that are its properties.
#[derive(Debug)]
pub(super) struct Items<'t> {
    tree: &'t Tree,
    items: Vec<Item>,
    properties: usize,
    /// The items of elements, in document order.
    by_node: Vec<(NodeIndex, ItemIndex)>,
}

impl<'t> Items<'t> {
    /// No items, of this page.
    pub fn new(tree: &'t Tree) -> Self {
        Self { tree, items: Vec::new(), properties: 0, by_node: Vec::new() }
    }

    /// Adds an item. Returns `None` if there are too many.
    pub fn push(&mut self, item: Item) -> Option<ItemIndex> {
        (self.items.len() < ITEMS_MAX).then(|| {
            self.by_node.extend(item.node.map(|node| (node, self.items.len())));
            self.items.push(item);
            self.items.len() - 1
        })
    }

    /// Adds a property, unless there are too many.
    pub fn add(&mut self, owner: ItemIndex, name: &str, value: ItemValue) {
        let name = local_name(name);
        if self.properties >= PROPERTIES_MAX || name.is_empty() || value == ItemValue::Item(owner) {
            return;
        }
        self.properties += 1;
        self.own(owner, name, &value);
        self.items[owner].properties.push((name.to_owned(), value));
    }

    fn own(&mut self, owner: ItemIndex, name: &str, value: &ItemValue) {
        let ItemValue::Item(item) = value else { return };
        let of = &mut self.items[*item].owner;
        if of.is_none() {
            *of = Some((owner, name.to_owned()));
        }
    }

    /// Replaces references by the items with these identifiers.
    pub fn link(&mut self) {
        let mut by_id: HashMap<&str, ItemIndex> = HashMap::new();
        for (index, item) in self.items.iter().enumerate() {
            let Some(id) = item.id.as_deref() else { continue };
            let known = by_id.entry(id).or_insert(index);
            if self.items[*known].properties.len() < item.properties.len() {
                *known = index;
            }
        }
        let mut found = Vec::new();
        for (owner, item) in self.items.iter().enumerate() {
            for (number, (_, value)) in item.properties.iter().enumerate() {
                let ItemValue::Reference(id) = value else { continue };
                found.extend(by_id.get(id.as_str()).filter(|item| **item != owner).map(|item| (owner, number, *item)));
            }
        }
        for (owner, number, item) in found {
            let value = ItemValue::Item(item);
            let name = self.items[owner].properties[number].0.clone();
            self.own(owner, &name, &value);
            self.items[owner].properties[number].1 = value;
        }
    }

    /// Returns all items with their indices.
    pub fn all(&self) -> impl Iterator<Item = (ItemIndex, &Item)> {
        self.items.iter().enumerate()
    }

    /// Returns an item.
    pub fn item(&self, at: ItemIndex) -> &Item {
        &self.items[at]
    }

    /// Returns the values of the first of these properties that an item has.
    pub fn values<'a>(&'a self, at: ItemIndex, names: &[&str]) -> impl Iterator<Item = &'a ItemValue> + use<'a> {
        let properties = &self.items[at].properties;
        let name = names.iter().find_map(|name| properties.iter().map(|(of, _)| of).find(|of| of == name));
        properties.iter().filter(move |(of, _)| name == Some(of)).map(|(_, value)| value)
    }

    /// Returns the first item that is a value of one of these properties.
    pub fn child(&self, at: ItemIndex, names: &[&str]) -> Option<ItemIndex> {
        self.values(at, names).find_map(|value| match value {
            ItemValue::Item(item) => Some(*item),
            _ => None,
        })
    }

    /// Returns the text of the first of these properties that an item has: of an item its name, and that is not empty.
    pub fn text(&self, at: ItemIndex, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.values(at, &[name]).find_map(|value| self.text_of(value)))
    }

    /// Returns the address that is the first of these properties that an item has.
    pub fn address(&self, at: ItemIndex, names: &[&str]) -> Option<String> {
        let of = |value: &ItemValue| match value {
            ItemValue::Text(text) | ItemValue::Reference(text) => Some(text.trim().to_owned()),
            ItemValue::Element(node) => Some(self.tree.text(*node)),
            ItemValue::Item(item) => {
                self.items[*item].id.clone().or_else(|| self.values(*item, &["url"]).find_map(text_only))
            }
        };
        names.iter().find_map(|name| self.values(at, &[name]).find_map(of).filter(|found| is_address(found)))
    }

    /// Returns the text of a value without what items of these types in it say.
    pub fn own_text(&self, value: &ItemValue, types: &[&str]) -> Option<String> {
        let ItemValue::Element(node) = value else { return self.text_of(value) };
        let range = self.tree.range(*node);
        let from = self.by_node.partition_point(|(node, _)| *node <= range.start);
        let inside = self.by_node[from..].iter().take_while(|(node, _)| *node < range.end);
        let posts: Vec<NodeIndex> = inside
            .filter(|(_, item)| self.items[*item].owner.is_some())
            .filter(|(_, item)| self.items[*item].is_a(types))
            .map(|(node, _)| *node)
            .collect();
        let text = self.tree.text_without(*node, &|node| posts.binary_search(&node).is_ok());
        (!text.is_empty()).then_some(text)
    }

    /// Returns the text of a value.
    pub fn text_of(&self, value: &ItemValue) -> Option<String> {
        let text = match value {
            ItemValue::Text(text) => text.trim().to_owned(),
            ItemValue::Element(node) => self.tree.text(*node),
            ItemValue::Item(item) => self.values(*item, &["name"]).find_map(text_only).or_else(|| {
                let element = self.values(*item, &["name"]).find_map(|value| match value {
                    ItemValue::Element(node) => Some(self.tree.text(*node)),
                    _ => None,
                });
                element.or_else(|| self.values(*item, &["alternateName"]).find_map(text_only))
            })?,
            ItemValue::Reference(_) => return None,
        };
        (!text.is_empty()).then_some(text)
    }
}

fn text_only(value: &ItemValue) -> Option<String> {
    match value {
        ItemValue::Text(text) | ItemValue::Reference(text) => Some(text.trim().to_owned()),
        _ => None,
    }
}

/// Whether a text may be an address. Addresses with blanks are texts that stand in the wrong place.
fn is_address(text: &str) -> bool {
    !text.is_empty() && !text.starts_with("_:") && !text.contains(char::is_whitespace)
}

/// Returns a name without its vocabulary: `Comment` of `https://schema.org/Comment` and `schema:Comment`.
pub(super) fn local_name(name: &str) -> &str {
    name.rsplit(['/', '#', ':']).map(str::trim).find(|part| !part.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_local() {
        for name in ["Comment", "schema:Comment", "https://schema.org/Comment", "http://schema.org/Comment/"] {
            assert_eq!(local_name(name), "Comment");
        }
        assert_eq!((local_name(""), local_name("://")), ("", ""));
    }

    #[test]
    fn references_lead_to_the_item_that_is_described() {
        let tree = Tree::default();
        let mut items = Items::new(&tree);
        let of = |id: &str| Item { id: Some(id.to_owned()), ..Item::default() };
        let (post, stub) = (items.push(of("#p")).unwrap(), items.push(of("#a")).unwrap());
        let author = items.push(of("#a")).unwrap();
        items.add(author, "name", ItemValue::Text("ann".to_owned()));
        items.add(post, "schema:author", ItemValue::Reference("#a".to_owned()));
        items.add(post, "about", ItemValue::Reference("#p".to_owned()));
        items.link();
        assert_eq!(items.child(post, &["author"]), Some(author));
        assert_eq!(items.text(post, &["creator", "author"]).as_deref(), Some("ann"));
        assert_eq!((items.item(stub).owner.is_none(), items.child(post, &["about"])), (true, None));
    }

    #[test]
    fn items_are_bounded() {
        let tree = Tree::default();
        let mut items = Items::new(&tree);
        assert_eq!((0..ITEMS_MAX + 9).filter_map(|_| items.push(Item::default())).count(), ITEMS_MAX);
        (0..PROPERTIES_MAX + 9).for_each(|_| items.add(0, "a", ItemValue::Text(String::new())));
        assert_eq!(items.item(0).properties.len(), PROPERTIES_MAX);
    }
}
