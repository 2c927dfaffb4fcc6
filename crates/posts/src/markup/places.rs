//! Where the fields of the posts of markup are: the item, its property, and the element that has it.

use super::items::{ItemIndex, ItemValue, Items};
use super::postings::{self, ADDRESSES, AUTHORS, DATES, EDITED, EXCERPTS, TEXTS, TITLES};
use crate::parsed_page::Page;
use crate::records::PagePost;
use crate::tree::{NodeIndex, Tree};

/// A syntax of markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkupSyntax {
    Microdata,
    JsonLd,
    Rdfa,
    Microformats,
}

impl MarkupSyntax {
    /// All of them, in the order in which they are read.
    pub const ALL: [Self; 4] = [Self::Microdata, Self::JsonLd, Self::Rdfa, Self::Microformats];
}

/// A field of a post that markup may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkedField {
    Author,
    Date,
    Edited,
    Title,
    Text,
    Address,
}

/// The properties that fields are read from, the first that an item has.
const PROPERTIES: [(MarkedField, &[&str]); 7] = [
    (MarkedField::Author, &AUTHORS),
    (MarkedField::Date, &DATES),
    (MarkedField::Edited, &EDITED),
    (MarkedField::Title, &TITLES),
    (MarkedField::Text, &TEXTS),
    (MarkedField::Text, &EXCERPTS),
    (MarkedField::Address, &ADDRESSES),
];

/// The posts that one syntax describes.
#[derive(Debug)]
pub(crate) struct SyntaxPosts {
    /// The syntax.
    pub syntax: MarkupSyntax,
    /// The posts.
    pub posts: Vec<PagePost>,
    /// The places of each.
    pub places: Vec<ItemPlaces>,
}

/// The places of the fields of one item.
#[derive(Debug)]
pub(crate) struct ItemPlaces {
    /// Its type.
    pub kind: String,
    /// The properties that it has.
    properties: Vec<(MarkedField, Property)>,
}

/// A property, and the element that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Property {
    pub name: &'static str,
    pub node: Option<NodeIndex>,
}

impl SyntaxPosts {
    /// Finds them among the items of a syntax.
    pub(super) fn of(syntax: MarkupSyntax, items: &Items<'_>, page: &Page) -> Self {
        let postings = postings::find(items, page);
        let places = postings.iter().map(|posting| ItemPlaces::of(items, posting.item, &page.tree)).collect();
        Self { syntax, posts: postings.into_iter().map(|posting| posting.post).collect(), places }
    }
}

impl ItemPlaces {
    fn of(items: &Items<'_>, at: ItemIndex, tree: &Tree) -> Self {
        let place = |(field, names): (MarkedField, &'static [&'static str])| {
            let name = *names.iter().find(|name| items.values(at, &[name]).next().is_some())?;
            Some((field, Property { name, node: node_of(items, at, name, tree) }))
        };
        let kind = items.item(at).types.first().cloned().unwrap_or_default();
        Self { kind, properties: PROPERTIES.into_iter().filter_map(place).collect() }
    }

    /// Returns the property that a field is read from.
    pub fn property(&self, field: MarkedField) -> Option<&Property> {
        self.properties.iter().find(|(of, _)| *of == field).map(|(_, property)| property)
    }
}

/// Returns the element that has a property, or else that of the item.
fn node_of(items: &Items<'_>, at: ItemIndex, name: &str, tree: &Tree) -> Option<NodeIndex> {
    let of_value = match items.values(at, &[name]).next()? {
        ItemValue::Element(node) => Some(*node),
        ItemValue::Item(item) => items.item(*item).node,
        ItemValue::Text(_) | ItemValue::Reference(_) => None,
    };
    let item = items.item(at).node;
    let says = |node: &NodeIndex| {
        let names = ["itemprop", "property"].iter().filter_map(|attribute| tree.attribute(*node, attribute));
        names.flat_map(str::split_ascii_whitespace).any(|said| said.rsplit([':', '/']).next() == Some(name))
    };
    of_value.or_else(|| tree.inside(item?).find(says)).or(item)
}
