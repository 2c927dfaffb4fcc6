//! What is told of where the records of a page come from, with places of the page as CSS selectors.

use serde::Serialize;

use crate::records::PageRecords;
use crate::tree::{NodeIndex, Tree};

/// The records of a page, with the places that they were taken from.
#[derive(Debug, Clone, Default)]
pub struct ExplainedPage {
    /// The records.
    pub records: PageRecords,
    /// The places of each post.
    pub posts: Vec<PostPlaces>,
    /// The places of the thread.
    pub thread: Vec<FieldPlace>,
    /// The template by which the posts were found; `None` if only markup has some.
    pub template: Option<UsedTemplate>,
    /// What was found on the way.
    pub evidence: Evidence,
}

/// Where a post is on its page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PostPlaces {
    /// The first of its elements as a selector; `None` if only markup has it.
    pub record: Option<String>,
    /// The places of its fields, as far as it has them.
    pub fields: Vec<FieldPlace>,
    /// Its elements, which are siblings.
    #[serde(skip)]
    pub nodes: Vec<NodeIndex>,
    /// Elements within its text that are no part of it.
    #[serde(skip)]
    pub left_out: Vec<NodeIndex>,
}

/// Where a field was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldPlace {
    /// The field.
    pub field: RecordField,
    /// The kind of place.
    pub source: FieldSource,
    /// The element, as a selector within the record, or within the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The attribute of the element, or the type and the property of markup.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The elements.
    #[serde(skip)]
    pub nodes: Vec<NodeIndex>,
}

/// A field of a post or of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordField {
    /// The name of the author.
    Author,
    /// When it was written.
    Time,
    /// When it was last edited.
    Edited,
    /// The title.
    Title,
    /// The text.
    Text,
    /// The identifier.
    Id,
    /// The address.
    Url,
    /// What it answers.
    Parent,
    /// The forums of the thread.
    Forums,
    /// The tags of the thread.
    Tags,
}

/// The kind of place that a field was found at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldSource {
    /// An element of the template.
    Template,
    /// An element that users named.
    Taught,
    /// A part of a text: a name in the line with the date, a title at the beginning of the texts.
    Text,
    /// How the records lie in each other, or are indented.
    Nesting,
    /// JSON-LD.
    JsonLd,
    /// Microdata.
    Microdata,
    /// RDFa Lite.
    Rdfa,
    /// Microformats.
    Microformats,
    /// The head of the page, such as Open Graph.
    Head,
    /// The address of the page.
    Page,
}

/// The template that a page was read by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsedTemplate {
    /// The place of its first date, as a selector.
    pub dates: String,
    /// How exactly other pages must have dates there.
    pub exactness: PlaceExactness,
    /// Its number among the templates of its kind, from 1, those of the most worth first; and their number.
    pub number: usize,
    /// The number of templates of its kind.
    pub templates: usize,
    /// Whether it is one of pages with one post each.
    pub is_single: bool,
    /// How many of the pages that were learned from have dates at its place.
    pub pages: usize,
}

/// How exactly the place of dates is that of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceExactness {
    /// Under the same elements with the same classes.
    Classes,
    /// Under the same elements.
    Elements,
    /// In the same two or three elements.
    Near,
}

/// What was found on the way to the posts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The number of pages that were learned from; 0 if only the page itself was.
    pub learned_from: usize,
    /// The number of templates.
    pub templates: usize,
    /// The number of dates on the page.
    pub dates: usize,
    /// The most dates at one place.
    pub dates_at_one_place: usize,
    /// This place, as a selector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Whether users named the elements of the posts.
    pub is_taught: bool,
    /// The number of posts in the template.
    pub template_posts: usize,
    /// The number of posts in markup.
    pub markup_posts: usize,
}

/// Why a page shows no posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoPosts {
    /// It has no date.
    NoDates,
    /// It has dates, but not several at one place, and its template is unknown.
    NothingRepeats,
    /// Dates repeat, but what is around them are no posts.
    NoRecords,
    /// Its dates are not where those of the templates of the site are, or these find no posts there.
    UnknownTemplate,
    /// Posts were found, but nothing speaks for them.
    NotBelieved,
    /// Finding them takes too long.
    GivenUp,
}

impl ExplainedPage {
    /// Returns why there are no posts; `None` if there are some.
    pub fn why_none(&self) -> Option<NoPosts> {
        let Evidence { learned_from, dates, dates_at_one_place, template_posts, markup_posts, .. } = self.evidence;
        match () {
            () if !self.records.posts.is_empty() => None,
            () if self.records.is_given_up => Some(NoPosts::GivenUp),
            () if template_posts + markup_posts > 0 => Some(NoPosts::NotBelieved),
            () if dates == 0 => Some(NoPosts::NoDates),
            () if learned_from > 0 => Some(NoPosts::UnknownTemplate),
            () if dates_at_one_place < 2 => Some(NoPosts::NothingRepeats),
            () => Some(NoPosts::NoRecords),
        }
    }
}

/// Maximum number of elements of a path, and of classes of one of them.
const ELEMENTS_MAX: usize = 4;
const CLASSES_MAX: usize = 2;

/// Returns the place of a node within another one, such as `div.post > p.author > a`; that of a text is the element
/// that it is in. Of a long path the first and the last elements remain.
pub fn element_path(tree: &Tree, node: NodeIndex, top: NodeIndex) -> String {
    let inside = tree.upwards(node).take_while(|above| *above >= top && *above != 0);
    let mut elements: Vec<String> =
        inside.filter(|above| !tree.name(*above).is_empty()).map(|above| element(tree, above)).collect();
    elements.reverse();
    if elements.len() <= ELEMENTS_MAX {
        return elements.join(" > ");
    }
    let last = elements.split_off(elements.len() + 1 - ELEMENTS_MAX);
    format!("{} {}", elements[0], last.join(" > "))
}

/// Returns an element as a selector: its name and the classes that have no digits.
fn element(tree: &Tree, node: NodeIndex) -> String {
    let classes = tree.attribute(node, "class").unwrap_or_default().split_ascii_whitespace();
    let classes = classes.filter(|class| is_identifier(class)).take(CLASSES_MAX);
    let name = tree.name(node);
    classes.fold(name.to_owned(), |path, class| path + "." + class)
}

/// Whether a class can be written in a selector as it is, and is not that of a single element.
fn is_identifier(class: &str) -> bool {
    let starts = class.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && class.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_selectors() {
        let tree = Tree::parse(
            "<div class='post odd p12 -'><p><b>x</b></p><ul class='a b c'><li><i><u><a>n</a></u></i></li></ul></div>",
        )
        .unwrap();
        let find = |name: &str| (0..tree.nodes().len()).find(|at| tree.name(*at) == name).unwrap();
        let post = find("div");
        assert_eq!(element_path(&tree, find("b"), post), "div.post.odd > p > b");
        assert_eq!(element_path(&tree, find("b") + 1, post), "div.post.odd > p > b");
        assert_eq!(element_path(&tree, find("a"), post), "div.post.odd i > u > a");
        assert_eq!(element_path(&tree, find("a"), find("ul")), "ul.a.b i > u > a");
        assert_eq!(element_path(&tree, post, post), "div.post.odd");
        assert_eq!(element_path(&tree, find("p"), 0), "html > body > div.post.odd > p");
    }
}
