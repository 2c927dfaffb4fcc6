//! The places of the fields of one post, and of a thread. Author, date, text and title are where the template has them,
//! or where the markup has them, in the syntax that a post of several ones combined comes from. Identifiers and
//! addresses are looked for by their values.

use super::types::{FieldPlace, FieldSource, PostPlaces, RecordField, element_path};
use crate::combine::pairs;
use crate::corrections::{Taught, TaughtField};
use crate::details::resolve;
use crate::markup::{ItemPlaces, MarkedField, MarkupSyntax, SyntaxPosts, posts_by_syntax};
use crate::parsed_page::Page;
use crate::records::{PagePost, PageRecords, PageThread, ParentRef};
use crate::segments::Record;
use crate::templates::RecordNodes;
use crate::tree::{NodeIndex, Tree};

/// Number of elements around a record that may have its identifier.
const AROUND_MAX: usize = 3;
/// Names of headings.
const HEADINGS: [&str; 4] = ["h1", "h2", "h3", "h4"];

/// A post of a page, and what markup says of it.
pub(super) struct PlacedPost<'p> {
    pub page: &'p Page,
    pub post: &'p PagePost,
    pub theirs: Option<(&'p PagePost, Vec<SaidOfPost<'p>>)>,
    pub taught: Option<&'p Taught>,
}

/// A post of a template, and where it is.
type OfTemplate<'t> = (&'t PagePost, (&'t Record, &'t RecordNodes));

impl PlacedPost<'_> {
    /// Returns the places of the fields. `ours` is the post of the template, if it has one.
    pub fn of_post(&self, ours: Option<OfTemplate<'_>>) -> PostPlaces {
        let mut fields = Vec::new();
        if let Some((post, (record, nodes))) = ours {
            self.add_of_template(&mut fields, post, record, nodes);
        }
        self.add_of_markup(&mut fields);
        fields.sort_by_key(|place| place.field);
        if let Some(taught) = self.taught {
            mark_taught(&mut fields, taught);
        }
        let record = ours.map(|(_, (record, _))| record);
        PostPlaces {
            record: record.map(|record| element_path(&self.page.tree, record.parts[0], 0)),
            nodes: record.map_or_else(Vec::new, |record| record.parts.clone()),
            left_out: ours.map_or_else(Vec::new, |(_, (_, nodes))| nodes.left_out.clone()),
            fields,
        }
    }

    /// Adds the fields whose values are those of the template.
    fn add_of_template(&self, fields: &mut Vec<FieldPlace>, ours: &PagePost, record: &Record, nodes: &RecordNodes) {
        let (post, tree) = (self.post, &self.page.tree);
        let mut add = |field, source, nodes: Vec<NodeIndex>| {
            if let Some(first) = nodes.first() {
                let path = Some(element_path(tree, *first, part_with(tree, record, *first)));
                fields.push(FieldPlace { field, source, path, property: None, nodes });
            }
        };
        if post.author.is_some() && post.author == ours.author {
            let is_in_line = nodes.author.is_some() && nodes.author == nodes.date;
            let source = if is_in_line { FieldSource::Text } else { FieldSource::Template };
            add(RecordField::Author, source, nodes.author.into_iter().collect());
        }
        if post.date.is_some() && (post.date == ours.date || !self.has_their_date()) {
            add(RecordField::Time, FieldSource::Template, nodes.date.into_iter().collect());
        }
        if !post.text.is_empty() && post.text == ours.text {
            add(RecordField::Text, FieldSource::Template, nodes.texts.clone());
        }
        if post.title.is_some() && post.title == ours.title {
            match nodes.title {
                Some(title) => add(RecordField::Title, FieldSource::Template, vec![title]),
                None => add(RecordField::Title, FieldSource::Text, nodes.texts.clone()),
            }
        }
        fields.extend(self.id(record));
        fields.extend(self.url(record));
        fields.extend(self.parent(record));
    }

    fn has_their_date(&self) -> bool {
        self.theirs.as_ref().is_some_and(|(post, _)| post.date.is_some() && post.date == self.post.date)
    }

    /// Adds the fields that are left, which only markup has.
    fn add_of_markup(&self, fields: &mut Vec<FieldPlace>) {
        let (Some((_, said)), post) = (&self.theirs, self.post) else { return };
        let mut add = |field, marked, is_same: &dyn Fn(&PagePost) -> bool| {
            if fields.iter().any(|place| place.field == field) {
                return;
            }
            let Some(place) = place_of_field(said, marked, is_same) else { return };
            let path = place.node.map(|node| element_path(&self.page.tree, node, 0));
            let nodes = place.node.into_iter().collect();
            fields.push(FieldPlace { field, source: place.source, path, property: Some(place.property), nodes });
        };
        if post.author.is_some() {
            add(RecordField::Author, MarkedField::Author, &|other| other.author == post.author);
        }
        if post.date.is_some() {
            add(RecordField::Time, MarkedField::Date, &|other| other.date == post.date);
        }
        if post.edited.is_some() {
            add(RecordField::Edited, MarkedField::Edited, &|other| other.edited == post.edited);
        }
        if post.title.is_some() {
            add(RecordField::Title, MarkedField::Title, &|other| other.title == post.title);
        }
        if !post.text.is_empty() {
            add(RecordField::Text, MarkedField::Text, &|other| other.text == post.text);
        }
        if post.url.is_some() {
            add(RecordField::Url, MarkedField::Address, &|other| other.url == post.url);
        }
    }

    /// Returns the attribute with the identifier.
    fn id(&self, record: &Record) -> Option<FieldPlace> {
        let (tree, id) = (&self.page.tree, self.post.id.as_deref()?);
        let has = |node: NodeIndex| {
            let mut found = tree.attributes(node).filter(|(name, value)| {
                matches!(*name, "id" | "name") && value.ends_with(id) || name.starts_with("data-") && *value == id
            });
            found.next().map(|(name, _)| (node, name.to_owned()))
        };
        let around = tree.upwards(record.parts[0]).skip(1).take(AROUND_MAX);
        let (node, attribute) = around.chain(record.nodes(tree).map(|(node, _)| node)).find_map(has)?;
        let path = Some(element_path(tree, node, part_with(tree, record, node)));
        let (field, source) = (RecordField::Id, FieldSource::Template);
        Some(FieldPlace { field, source, path, property: Some(attribute), nodes: vec![node] })
    }

    /// Returns the link with the address, or whatever else it is made from.
    fn url(&self, record: &Record) -> Option<FieldPlace> {
        let (page, url) = (self.page, self.post.url.as_deref()?);
        let tree = &page.tree;
        let leads = |node: &NodeIndex| {
            let link = tree.attribute(*node, "href").filter(|_| tree.name(*node) == "a");
            link.and_then(|link| resolve(&page.url, link)).as_deref() == Some(url)
        };
        let link = record.nodes(tree).map(|(node, _)| node).find(leads);
        let is_page = url.split('#').next() == page.url.as_str().split('#').next();
        let (source, path) = match link {
            Some(node) => (FieldSource::Template, Some(element_path(tree, node, part_with(tree, record, node)))),
            None if is_page => (FieldSource::Page, None),
            None => return None,
        };
        let nodes = link.into_iter().collect();
        Some(FieldPlace { field: RecordField::Url, source, path, property: None, nodes })
    }

    /// Returns what tells which post is answered.
    fn parent(&self, record: &Record) -> Option<FieldPlace> {
        let tree = &self.page.tree;
        let quoted = |node: &NodeIndex| {
            let class = tree.attribute(*node, "class").unwrap_or_default();
            tree.name(*node) == "blockquote" || class.to_ascii_lowercase().contains("quote")
        };
        let place = |source, node: Option<NodeIndex>| FieldPlace {
            field: RecordField::Parent,
            source,
            path: node.map(|node| element_path(tree, node, part_with(tree, record, node))),
            property: None,
            nodes: node.into_iter().collect(),
        };
        match self.post.parent.as_ref()? {
            ParentRef::Quote { .. } => {
                Some(place(FieldSource::Template, record.nodes(tree).map(|(node, _)| node).find(quoted)))
            }
            ParentRef::Index(_) if self.theirs.as_ref().is_none_or(|(post, _)| post.parent.is_none()) => {
                Some(place(FieldSource::Nesting, None))
            }
            _ => None,
        }
    }
}

/// Tells of the fields whose elements users named.
fn mark_taught(fields: &mut [FieldPlace], taught: &Taught) {
    for place in fields {
        let field = match place.field {
            RecordField::Author => TaughtField::Author,
            RecordField::Time => TaughtField::Time,
            RecordField::Text => TaughtField::Text,
            RecordField::Title => TaughtField::Title,
            _ => continue,
        };
        let is_right = |node: &NodeIndex| taught.right(field).binary_search(node).is_ok();
        if place.source == FieldSource::Template && place.nodes.iter().any(is_right) {
            place.source = FieldSource::Taught;
        }
    }
}

/// Returns the part of a record that a node is in; the node itself if it is around the record.
fn part_with(tree: &Tree, record: &Record, node: NodeIndex) -> NodeIndex {
    record.parts.iter().copied().find(|part| tree.range(*part).contains(&node)).unwrap_or(node)
}

/// Returns the places of the fields of a thread, whose first post of the template begins at `first`.
pub(super) fn of_thread(page: &Page, thread: &PageThread, first: Option<NodeIndex>) -> Vec<FieldPlace> {
    let tree = &page.tree;
    let mut places = Vec::new();
    if let Some(title) = &thread.title {
        let is_title = |node: &NodeIndex| HEADINGS.contains(&tree.name(*node)) && tree.text(*node) == *title;
        let before = (0..first.unwrap_or_default()).rev().find(is_title);
        let node = before.or_else(|| tree.all().find(is_title));
        places.push(of_page(tree, RecordField::Title, node));
    }
    if let Some(url) = &thread.url {
        let leads = |node: &NodeIndex| {
            let link = tree.attribute(*node, "href").filter(|_| tree.name(*node) == "a");
            link.and_then(|link| resolve(&page.url, link)).is_some_and(|link| link == *url)
        };
        let is_page = page.url.as_str().starts_with(url.as_str());
        let node = if is_page { None } else { tree.all().find(leads) };
        let source = if is_page { FieldSource::Page } else { FieldSource::Head };
        let place = of_page(tree, RecordField::Url, node);
        places.push(if node.is_some() { place } else { FieldPlace { source, ..place } });
    }
    for (field, names) in [(RecordField::Forums, &thread.forums), (RecordField::Tags, &thread.tags)] {
        let Some(name) = names.first() else { continue };
        let is_name = |node: &NodeIndex| tree.name(*node) == "a" && tree.text(*node) == *name;
        places.push(of_page(tree, field, tree.all().find(is_name)));
    }
    places
}

/// Returns a place of a page; without an element, the head or markup has it.
fn of_page(tree: &Tree, field: RecordField, node: Option<NodeIndex>) -> FieldPlace {
    FieldPlace {
        field,
        source: if node.is_some() { FieldSource::Template } else { FieldSource::Head },
        path: node.map(|node| element_path(tree, node, 0)),
        property: None,
        nodes: node.into_iter().collect(),
    }
}

/// What each syntax says of the posts of markup.
pub(super) struct MarkupPlaces {
    syntaxes: Vec<SyntaxPosts>,
    /// For each syntax, its post that is the same as each post of markup.
    same: Vec<Vec<Option<usize>>>,
}

/// What one syntax says of a post.
pub(super) struct SaidOfPost<'m> {
    syntax: MarkupSyntax,
    post: &'m PagePost,
    places: &'m ItemPlaces,
}

/// A property of markup, and the element that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MarkedPlace {
    pub source: FieldSource,
    pub property: String,
    pub node: Option<NodeIndex>,
}

impl MarkupPlaces {
    /// Reads each syntax again, and finds the posts in it.
    pub fn of(page: &Page, markup: &PageRecords) -> Self {
        let syntaxes = if markup.posts.is_empty() { Vec::new() } else { posts_by_syntax(page) };
        let same = syntaxes.iter().map(|syntax| pairs(&markup.posts, &syntax.posts)).collect();
        Self { syntaxes, same }
    }

    /// Returns what each syntax says of a post of markup.
    pub fn of_post(&self, at: usize) -> Vec<SaidOfPost<'_>> {
        let said = self.syntaxes.iter().zip(&self.same).filter_map(|(syntax, same)| {
            let number = same.get(at).copied().flatten()?;
            let (post, places) = (&syntax.posts[number], &syntax.places[number]);
            Some(SaidOfPost { syntax: syntax.syntax, post, places })
        });
        said.collect()
    }
}

/// Returns the place of a field whose value `is_same` recognises in what a syntax says; the first that has any if none
/// is the same.
fn place_of_field(
    said: &[SaidOfPost<'_>],
    field: MarkedField,
    is_same: impl Fn(&PagePost) -> bool,
) -> Option<MarkedPlace> {
    let place = |SaidOfPost { syntax, places, .. }: &SaidOfPost<'_>| {
        let property = places.property(field)?;
        let name = format!("{}.{}", places.kind, property.name);
        Some(MarkedPlace { source: source(*syntax), property: name, node: property.node })
    };
    let same = said.iter().filter(|said| is_same(said.post)).find_map(place);
    same.or_else(|| said.iter().find_map(place))
}

const fn source(syntax: MarkupSyntax) -> FieldSource {
    match syntax {
        MarkupSyntax::Microdata => FieldSource::Microdata,
        MarkupSyntax::JsonLd => FieldSource::JsonLd,
        MarkupSyntax::Rdfa => FieldSource::Rdfa,
        MarkupSyntax::Microformats => FieldSource::Microformats,
    }
}
