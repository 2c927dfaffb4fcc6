//! Which syntax of markup a post of several ones combined comes from.

use crate::combine::pairs;
use crate::markup::{ItemPlaces, MarkedField, MarkupSyntax, SyntaxPosts, posts_by_syntax};
use crate::parsed_page::Page;
use crate::records::{PagePost, PageRecords};
use crate::tree::NodeIndex;

use super::types::FieldSource;

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
pub(super) struct MarkedPlace {
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
pub(super) fn place_of_field(
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
