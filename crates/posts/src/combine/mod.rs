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

mod dates;
mod fields;
mod leftovers;
mod matching;

pub(crate) use self::fields::filled;
use self::fields::{Support, fuse, thread};
use self::leftovers::{Side, Verdict, drop_page_as_post};
pub(crate) use self::matching::pairs;
use crate::records::{PagePost, PageRecords, PageUser, ParentRef};

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

#[cfg(test)]
mod tests;
