//! What users say of the places of fields, for the pages of a host: a place that is right wins over the one that was
//! learned, and one that is wrong is not used. Pure.
//!
//! The selectors of corrections are matched in the tree that extraction reads: elements that are not shown, such as
//! scripts, are not there.

use std::collections::{BTreeMap, HashMap};

use html5ever::{Attribute, LocalName, QualName, ns};
use scraper::node::{Element, Text};
use scraper::{Html, Node as HtmlNode, Selector};
use serde::{Deserialize, Serialize};

use crate::anchors::{Anchor, anchor_at};
use crate::parsed_page::Page;
use crate::segments::Record;
use crate::tree::{NodeIndex, Tree};

/// Maximum number of nodes of a page on which selectors with `~` are tried: it may compare each element with all
/// siblings before it.
const SIBLINGS_MAX: usize = 20_000;

/// Corrections, ready to be used.
#[derive(Debug, Clone, Default)]
pub struct Corrections {
    hosts: BTreeMap<String, Vec<Rule>>,
}

#[derive(Debug, Clone)]
struct Rule {
    field: TaughtField,
    is_wrong: bool,
    selector: Selector,
    /// Whether matching may take long on pages with many siblings.
    has_siblings: bool,
}

impl Corrections {
    /// Reads the selectors of corrections.
    ///
    /// # Errors
    ///
    /// A selector cannot be used, or there are too many corrections.
    pub fn new(list: &[Correction]) -> Result<Self, InvalidCorrection> {
        if list.len() > CORRECTIONS_MAX {
            return Err(InvalidCorrection::TooMany);
        }
        let mut hosts: BTreeMap<String, Vec<Rule>> = BTreeMap::new();
        for Correction { host, field, path, is_wrong } in list {
            let rule =
                Rule { field: *field, is_wrong: *is_wrong, selector: parse(path)?, has_siblings: path.contains('~') };
            hosts.entry(host.clone()).or_default().push(rule);
        }
        Ok(Self { hosts })
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Returns whether some are about a host.
    pub(crate) fn concern(&self, host: &str) -> bool {
        self.hosts.contains_key(host)
    }

    /// Returns the elements of a page that the corrections of its host match; `None` if the host has none.
    pub(crate) fn on(&self, page: &Page) -> Option<Taught> {
        let rules = self.hosts.get(page.url.authority())?;
        let is_small = page.tree.nodes().len() <= SIBLINGS_MAX;
        let rules: Vec<&Rule> = rules.iter().filter(|rule| is_small || !rule.has_siblings).collect();
        let selectors: Vec<&Selector> = rules.iter().map(|rule| &rule.selector).collect();
        let found = select(&page.tree, &selectors);
        let mut taught = Taught::default();
        for (rule, nodes) in rules.iter().zip(found) {
            taught.add(rule.field, rule.is_wrong, nodes);
        }
        Some(taught)
    }
}

impl Correction {
    /// Returns the elements of a page that it matches, whatever its host.
    ///
    /// # Errors
    ///
    /// Its selector cannot be used.
    pub fn elements(&self, page: &Page) -> Result<Vec<NodeIndex>, InvalidCorrection> {
        let selector = parse(&self.path)?;
        Ok(select(&page.tree, &[&selector]).pop().unwrap_or_default())
    }
}

fn parse(path: &str) -> Result<Selector, InvalidCorrection> {
    if path.len() > SELECTOR_BYTES_MAX {
        return Err(InvalidCorrection::TooLong);
    }
    Selector::parse(path).map_err(|_| InvalidCorrection::Selector(path.to_owned()))
}

/// Maximum number of corrections, and of bytes of a selector.
const CORRECTIONS_MAX: usize = 1_000;
const SELECTOR_BYTES_MAX: usize = 1_000;

/// What a correction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaughtField {
    /// The name of the author.
    Author,
    /// When it was written.
    Time,
    /// The text.
    Text,
    /// The title.
    Title,
    /// The element of a post.
    Record,
}

/// A correction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The host, with its port unless it is the usual one.
    pub host: String,
    /// What it is about.
    pub field: TaughtField,
    /// The elements, as a CSS selector.
    pub path: String,
    /// Whether these are not the field.
    #[serde(rename = "not", default, skip_serializing_if = "is_false")]
    pub is_wrong: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(is: &bool) -> bool {
    !*is
}

/// Why corrections cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCorrection {
    /// A selector is malformed, or uses what a page has only in a browser.
    #[error("`{0}` is not a CSS selector that a stored page can be searched with")]
    Selector(String),
    /// A selector is too long.
    #[error("a CSS selector has more than {SELECTOR_BYTES_MAX} bytes")]
    TooLong,
    /// There are too many.
    #[error("there are more than {CORRECTIONS_MAX} corrections")]
    TooMany,
}

/// Returns the elements that each selector matches, in document order. The page is built again as the tree that
/// selectors are matched in, which takes about as long as parsing it.
pub(super) fn select(tree: &Tree, selectors: &[&Selector]) -> Vec<Vec<NodeIndex>> {
    let mut html = Html::new_document();
    let mut ids = vec![html.tree.root().id()];
    let mut index = HashMap::new();
    for (at, node) in tree.nodes().iter().enumerate().skip(1) {
        let Some(mut parent) = html.tree.get_mut(ids[node.parent]) else { return Vec::new() };
        let id = parent.append(html_node(tree, at)).id();
        index.insert(id, at);
        ids.push(id);
    }
    let found = selectors.iter().map(|selector| {
        let mut nodes: Vec<NodeIndex> =
            html.select(selector).filter_map(|element| index.get(&element.id()).copied()).collect();
        nodes.sort_unstable();
        nodes
    });
    found.collect()
}

fn html_node(tree: &Tree, at: NodeIndex) -> HtmlNode {
    let qualified = |name: &str, namespace| QualName::new(None, namespace, LocalName::from(name));
    match tree.name(at) {
        "" => HtmlNode::Text(Text { text: tree.text(at).as_str().into() }),
        name => {
            let attribute =
                |(name, value): (&str, &str)| Attribute { name: qualified(name, ns!()), value: value.into() };
            let attributes = tree.attributes(at).map(attribute);
            HtmlNode::Element(Element::new(qualified(name, ns!(html)), attributes.collect()))
        }
    }
}

/// The elements of a page that are said to be a field, and those that are said not to be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taught {
    right: BTreeMap<TaughtField, Vec<NodeIndex>>,
    wrong: BTreeMap<TaughtField, Vec<NodeIndex>>,
}

impl Taught {
    /// Adds the elements that a correction matches.
    pub(super) fn add(&mut self, field: TaughtField, is_wrong: bool, nodes: Vec<NodeIndex>) {
        let all = if is_wrong { &mut self.wrong } else { &mut self.right };
        let of_field = all.entry(field).or_default();
        of_field.extend(nodes);
        of_field.sort_unstable();
        of_field.dedup();
    }

    /// Returns the elements that are a field.
    pub fn right(&self, field: TaughtField) -> &[NodeIndex] {
        self.right.get(&field).map_or(&[], Vec::as_slice)
    }

    /// Returns the elements that are not a field.
    pub fn wrong(&self, field: TaughtField) -> &[NodeIndex] {
        self.wrong.get(&field).map_or(&[], Vec::as_slice)
    }

    /// Returns the elements of a record that are a field, without those within another one.
    pub fn right_in(&self, tree: &Tree, record: &Record, field: TaughtField) -> Vec<NodeIndex> {
        let mut outer: Vec<NodeIndex> = Vec::new();
        for node in record.parts.iter().flat_map(|part| within(self.right(field), tree.range(*part))) {
            if outer.last().is_none_or(|last| *node >= tree.node(*last).end) {
                outer.push(*node);
            }
        }
        outer
    }

    /// Returns whether an element is, is in, or only has one that is not a field.
    pub fn is_wrong(&self, tree: &Tree, node: NodeIndex, field: TaughtField) -> bool {
        let wrong = self.wrong(field);
        let words = tree.node(node).words;
        let has_only = |inner: &NodeIndex| tree.node(*inner).words == words && words > 0;
        !wrong.is_empty()
            && (tree.upwards(node).any(|above| wrong.binary_search(&above).is_ok())
                || within(wrong, tree.range(node)).iter().any(has_only))
    }

    /// Returns the dates of a page without those that are none of a post, and with those that are only known as such.
    pub fn anchors(&self, page: &Page, mut anchors: Vec<Anchor>) -> Vec<Anchor> {
        let tree = &page.tree;
        anchors.retain(|anchor| !self.is_wrong(tree, anchor.node, TaughtField::Time));
        let times = self.right(TaughtField::Time).iter();
        let more = times.filter(|node| anchor_of(tree, &anchors, **node).is_none());
        let more: Vec<Anchor> = more.filter_map(|node| anchor_at(tree, *node, page.fetched)).collect();
        anchors.extend(more);
        anchors.sort_by_key(|anchor| anchor.node);
        anchors
    }

    /// Returns the date of a record that is said to be its time.
    pub fn time_of(&self, tree: &Tree, record: &Record, anchors: &[Anchor]) -> Option<usize> {
        let times = self.right_in(tree, record, TaughtField::Time);
        times.into_iter().find_map(|node| anchor_of(tree, anchors, node))
    }
}

/// Returns the first date in an element, or the one that it is a part of.
fn anchor_of(tree: &Tree, anchors: &[Anchor], node: NodeIndex) -> Option<usize> {
    let range = tree.range(node);
    let from = anchors.partition_point(|anchor| anchor.node < range.start);
    let inside = anchors.get(from).filter(|anchor| range.contains(&anchor.node)).map(|_| from);
    let around = || from.checked_sub(1).filter(|before| tree.range(anchors[*before].node).contains(&node));
    inside.or_else(around)
}

/// Returns those of some sorted nodes that are in a range.
fn within(nodes: &[NodeIndex], range: std::ops::Range<NodeIndex>) -> &[NodeIndex] {
    let from = nodes.partition_point(|node| *node < range.start);
    let to = nodes.partition_point(|node| *node < range.end);
    &nodes[from..to.max(from)]
}

#[cfg(test)]
#[path = "corrections_tests.rs"]
mod tests;
