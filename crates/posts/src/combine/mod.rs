//! Combines what the template and the markup of one page say of its posts: pure.
//!
//! Posts are matched by identifier, address, text and order. A post in both is as sure as at least one of two
//! independent sources being right, `1 - (1 - a)(1 - b)`, times 0.9 for each field in which they differ. Of a field
//! that both have and agree on, the text and the name of the author are those of the template, which are as shown, and
//! the rest is that of the markup. Where they differ, the source counts whose values differ more between the posts: a
//! wrong place often has the same for all.
//!
//! A post that is only in one source stays, with a factor of 0.8 where the other has most of the posts, unless nothing
//! speaks for it: markup that is less sure than 0.5, or what the template has before or after all posts of the markup
//! without author or date.

mod fields;
mod matching;

use self::fields::{Support, fuse, thread};
use crate::records::{PagePost, PageRecords, PageUser, ParentRef};
use crate::words::Words;

pub(crate) use self::fields::filled;
pub(crate) use self::matching::pairs;

/// Where a post comes from: its index in the template, and in the markup.
pub(crate) type PostOrigin = (Option<usize>, Option<usize>);

/// Combines the records of a page that its template shows with those that its markup describes.
pub fn combine(template: PageRecords, markup: PageRecords) -> PageRecords {
    combine_with_origins(template, markup).0
}

/// Combines records as [`combine`] does, and tells for each post where it comes from.
pub(crate) fn combine_with_origins(template: PageRecords, mut markup: PageRecords) -> (PageRecords, Vec<PostOrigin>) {
    drop_page_as_post(&mut markup.posts, &template.posts);
    let pairs = pairs(&template.posts, &markup.posts);
    let support = Support::of(&template.posts, &markup.posts, &pairs);
    let verdict = Verdict::of(&template.posts, &markup.posts, &pairs);
    let mut posts = Vec::new();
    let mut origins = Vec::new();
    for origin in order(&pairs, markup.posts.len()) {
        let post = match origin {
            (Some(one), Some(other)) => Some(fuse(&template.posts[one], &markup.posts[other], &support)),
            (Some(one), None) => verdict.keep(Side::Template, one, &template.posts[one]),
            (None, Some(other)) => verdict.keep(Side::Markup, other, &markup.posts[other]),
            (None, None) => None,
        };
        if let Some(post) = post {
            posts.push(post);
            origins.push(origin);
        }
    }
    set_parents(&mut posts, &origins, &template.posts, &markup.posts);
    let thread = thread(template.thread, markup.thread).filter(|_| !posts.is_empty());
    let mut users = template.users;
    add_users(&mut users, markup.users);
    if !posts.is_empty() {
        // Persons of whom only the name is told are the authors of the posts.
        users.retain(|user| user.joined.is_some() || user.posts.is_some() || !is_author(&posts, user));
    }
    (PageRecords { posts, thread, users, ..PageRecords::default() }, origins)
}

/// Adds what other records of the same page have and the first ones lack.
pub(crate) fn fill(mut first: PageRecords, other: PageRecords) -> PageRecords {
    let pairs = pairs(&first.posts, &other.posts);
    let mut posts = Vec::new();
    let origins = order(&pairs, other.posts.len());
    for origin in &origins {
        posts.push(match *origin {
            (Some(one), Some(two)) => filled(&first.posts[one], &other.posts[two]),
            (Some(one), None) => first.posts[one].clone(),
            (None, two) => two.map(|two| other.posts[two].clone()).unwrap_or_default(),
        });
    }
    set_parents(&mut posts, &origins, &first.posts, &other.posts);
    first.posts = posts;
    first.thread = match (first.thread, other.thread) {
        (Some(one), other) => fields::thread(other, Some(one)),
        (None, other) => other,
    };
    add_users(&mut first.users, other.users);
    first
}

/// Returns all posts in the order of the first source, and those that only the second has behind the one that they
/// follow there.
fn order(pairs: &[Option<usize>], others: usize) -> Vec<PostOrigin> {
    let mut of_other = vec![None; others];
    pairs.iter().enumerate().for_each(|(one, other)| {
        if let Some(other) = other {
            of_other[*other] = Some(one);
        }
    });
    // The posts of the second source that follow each of the first; those before all are at 0.
    let mut following: Vec<Vec<usize>> = vec![Vec::new(); pairs.len() + 1];
    let mut last = 0;
    for (other, one) in of_other.iter().enumerate() {
        match one {
            Some(one) => last = one + 1,
            None => following[last].push(other),
        }
    }
    let mut origins: Vec<PostOrigin> = following[0].iter().map(|other| (None, Some(*other))).collect();
    for (one, other) in pairs.iter().enumerate() {
        origins.push((Some(one), *other));
        origins.extend(following[one + 1].iter().map(|other| (None, Some(*other))));
    }
    origins
}

/// Sets what each post answers: what the second source says, or else the first, by the new indices of the posts.
fn set_parents(posts: &mut [PagePost], origins: &[PostOrigin], first: &[PagePost], second: &[PagePost]) {
    let indices = |of: fn(&PostOrigin) -> Option<usize>, number: usize| {
        let mut indices = vec![None; number];
        let known = origins.iter().enumerate().filter_map(|(index, origin)| Some((of(origin)?, index)));
        known.for_each(|(old, index)| indices[old] = Some(index));
        indices
    };
    let (of_first, of_second) = (indices(|origin| origin.0, first.len()), indices(|origin| origin.1, second.len()));
    let resolve = |indices: &[Option<usize>], parent: &ParentRef| match parent {
        ParentRef::Index(index) => indices.get(*index).copied().flatten().map(ParentRef::Index),
        other => Some(other.clone()),
    };
    for (number, origin) in origins.iter().enumerate() {
        let theirs = origin.1.and_then(|at| second[at].parent.as_ref()).and_then(|parent| resolve(&of_second, parent));
        let ours = origin.0.and_then(|at| first[at].parent.as_ref()).and_then(|parent| resolve(&of_first, parent));
        let parent = theirs.or(ours);
        posts[number].parent = parent.filter(|parent| *parent != ParentRef::Index(number));
    }
}

fn is_author(posts: &[PagePost], user: &PageUser) -> bool {
    posts
        .iter()
        .any(|post| post.author.as_ref() == Some(&user.name) || (user.url.is_some() && post.author_url == user.url))
}

/// Adds users, each once.
fn add_users(users: &mut Vec<PageUser>, others: Vec<PageUser>) {
    for other in others {
        let is_same = |user: &&mut PageUser| match (&user.url, &other.url) {
            (Some(one), Some(two)) => one == two,
            _ => user.name == other.name,
        };
        match users.iter_mut().find(is_same) {
            Some(user) => {
                user.url = user.url.take().or(other.url);
                user.joined = user.joined.take().or(other.joined);
                user.posts = user.posts.or(other.posts);
            }
            None => users.push(other),
        }
    }
}

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
fn drop_page_as_post(markup: &mut Vec<PagePost>, template: &[PagePost]) {
    let [one] = markup.as_slice() else { return };
    let words = Words::of(&one.text);
    let others = template.iter().map(|post| Words::of(&post.text)).filter(|other| other.len() >= CONTAINED_MIN);
    if others.filter(|other| words.contains(other)).take(BOTH_MIN).count() == BOTH_MIN {
        markup.clear();
    }
}

#[cfg(test)]
mod tests;
