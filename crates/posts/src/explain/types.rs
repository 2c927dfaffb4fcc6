//! What is told of where the records of a page come from.

use serde::Serialize;

use crate::records::PageRecords;
use crate::tree::NodeIndex;

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
