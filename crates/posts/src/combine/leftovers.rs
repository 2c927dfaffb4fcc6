//! Decides which posts stay that only one source has.

use crate::records::PagePost;
use crate::words::Words;

/// Minimum confidence of a post that only the markup has.
const MARKUP_MIN: f64 = 0.5;
/// The factor of a post that the other source lacks though it has most.
const ALONE: f64 = 0.8;
/// Minimum share of the posts of one source that the other has, so that it has most.
const MOST: f64 = 0.5;
/// Minimum number of posts in both.
const BOTH_MIN: usize = 2;

/// Minimum number of words of a text that another one contains.
const CONTAINED_MIN: usize = 5;

/// A source of posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Template,
    Markup,
}

/// What speaks for posts that only one source has.
#[derive(Debug)]
pub(super) struct Verdict {
    /// Whether most posts of the template are in the markup.
    has_most: bool,
    /// Whether all posts of the markup are in the template.
    has_all: bool,
    /// The first and the last post of the template that are in the markup.
    range: Option<(usize, usize)>,
    /// The source to drop: nothing of it is in the other, which is better supported.
    dropped: Option<Side>,
}

impl Verdict {
    /// Compares two sources of which some posts are the same.
    pub fn of(template: &[PagePost], markup: &[PagePost], pairs: &[Option<usize>]) -> Self {
        let both: Vec<usize> = pairs.iter().enumerate().filter(|(_, two)| two.is_some()).map(|(one, _)| one).collect();
        let range = both.first().copied().zip(both.last().copied());
        let is_disjoint = both.is_empty() && !template.is_empty() && !markup.is_empty();
        Self {
            has_most: both.len() >= BOTH_MIN && both.len() as f64 >= MOST * template.len() as f64,
            has_all: both.len() >= BOTH_MIN && both.len() == markup.len(),
            range,
            dropped: is_disjoint.then(|| worse(template, markup)).flatten(),
        }
    }

    /// Returns a post that only one source has; `None` if nothing speaks for it.
    pub fn keep(&self, side: Side, at: usize, post: &PagePost) -> Option<PagePost> {
        if self.dropped == Some(side) {
            return None;
        }
        let is_supported = match side {
            Side::Markup => post.confidence >= MARKUP_MIN && !(self.range.is_some() && post.text.is_empty()),
            Side::Template => {
                let is_inside = self.range.is_some_and(|(first, last)| (first..=last).contains(&at));
                !self.has_all || !self.has_most || is_inside || (post.author.is_some() && post.date.is_some())
            }
        };
        let factor = if self.has_most || (side == Side::Markup && self.range.is_some()) { ALONE } else { 1.0 };
        is_supported.then(|| PagePost { confidence: post.confidence * factor, ..post.clone() })
    }
}

/// Returns the source that has less of the text of the page, if the two have no post in common. One post of markup may
/// be an article, with comments in the template.
fn worse(template: &[PagePost], markup: &[PagePost]) -> Option<Side> {
    let bytes = |posts: &[PagePost]| posts.iter().map(|post| post.text.len()).sum::<usize>();
    let sure = markup.iter().map(|post| post.confidence).sum::<f64>() / markup.len() as f64;
    let (one, two) = (bytes(template), bytes(markup));
    let is_single = markup.len() == 1 && template.len() > 1;
    match () {
        () if sure < MARKUP_MIN => Some(Side::Markup),
        () if is_single => None,
        () if two >= one => Some(Side::Template),
        () => Some(Side::Markup),
    }
}

/// Drops the only post of markup if it has the texts of several others: the page is described as one post.
pub(super) fn drop_page_as_post(markup: &mut Vec<PagePost>, template: &[PagePost]) {
    let [one] = markup.as_slice() else { return };
    let words = Words::of(&one.text);
    let others = template.iter().map(|post| Words::of(&post.text)).filter(|other| other.len() >= CONTAINED_MIN);
    if others.filter(|other| words.contains(other)).take(BOTH_MIN).count() == BOTH_MIN {
        markup.clear();
    }
}
