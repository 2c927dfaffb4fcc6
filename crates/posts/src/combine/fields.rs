//! Takes each field of a post, or of a thread, from the source that has it or that is better supported.

use super::matching::{joined, same_name};
use crate::maps::HashSet;
use crate::records::{PagePost, PageThread, PostSource};
use crate::words::Words;

/// The factor of each field in which two sources differ.
const DIFFERS: f64 = 0.9;
/// Minimum F-measure of the words of texts that agree.
const TEXT_MIN: f64 = 0.8;
/// How many more different values speak against a source.
const DISTINCT_MIN: f64 = 2.0;

/// Which source is better supported where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Support {
    /// Whether the authors of the template are.
    pub template_authors: bool,
    /// Whether the dates of the template are.
    pub template_dates: bool,
}

impl Support {
    /// Compares the fields of posts that both sources have.
    pub fn of(template: &[PagePost], markup: &[PagePost], pairs: &[Option<usize>]) -> Self {
        let both: Vec<_> =
            pairs.iter().enumerate().filter_map(|(one, two)| Some((&template[one], &markup[(*two)?]))).collect();
        let better = |field: fn(&PagePost) -> Option<&str>| {
            let distinct = |values: HashSet<&str>| values.len() as f64;
            let one = distinct(both.iter().filter_map(|(one, _)| field(one)).collect());
            let two = distinct(both.iter().filter_map(|(_, two)| field(two)).collect());
            one >= two * DISTINCT_MIN
        };
        Self {
            template_authors: better(|post| post.author.as_deref()),
            template_dates: better(|post| post.date.as_deref()),
        }
    }
}

/// Makes one post of what both sources say of it.
pub(super) fn fuse(template: &PagePost, markup: &PagePost, support: &Support) -> PagePost {
    let mut post = filled(template, markup);
    let (text, texts_differ) = text(template, markup);
    (post.text, post.html, post.is_excerpt) = (text.text.clone(), text.html.clone(), text.is_excerpt);
    let mut differences = u32::from(texts_differ);
    if let (Some(one), Some(two)) = (&template.date, &markup.date) {
        let both = joined(one, two);
        differences += u32::from(both.is_none());
        post.date = both.or_else(|| Some(if support.template_dates { one.clone() } else { two.clone() }));
    }
    if template.author.is_some()
        && markup.author.is_some()
        && !same_name(template.author.as_deref(), markup.author.as_deref())
    {
        differences += 1;
        let better = if support.template_authors { template } else { markup };
        (post.author, post.author_url) = (better.author.clone(), better.author_url.clone());
    }
    post.edited = markup.edited.clone().or(post.edited);
    post.source = PostSource::Markup;
    let both_wrong = (1.0 - template.confidence) * (1.0 - markup.confidence);
    post.confidence = (1.0 - both_wrong).clamp(0.0, 1.0) * DIFFERS.powi(differences.cast_signed());
    post
}

/// Returns the post whose text counts, and whether the texts differ. That of the template is as shown; that of the
/// markup has neither what stands around it nor gaps, but may be cut short, or may include what the post answers to.
fn text<'p>(template: &'p PagePost, markup: &'p PagePost) -> (&'p PagePost, bool) {
    let (one, two) = (Words::of(&template.text), Words::of(&markup.text));
    if one.len() == 0 || two.len() == 0 {
        return (if one.len() == 0 { markup } else { template }, false);
    }
    let is_cut = markup.is_excerpt && two.len() <= one.len();
    // Where quotes are left out, or not, is that of all posts of the page.
    let is_without_quote = one.ends(&two) || two.ends(&one);
    let agrees = one.f_measure(&two) >= TEXT_MIN;
    let is_incomplete = one.len() < two.len() && one.begins(&two);
    let is_template = is_cut || is_without_quote || (agrees && one.len() <= two.len() && !is_incomplete);
    (if is_template { template } else { markup }, !(agrees || is_cut || is_without_quote))
}

/// Returns a post with the fields of another one that it lacks.
pub(crate) fn filled(post: &PagePost, other: &PagePost) -> PagePost {
    let or = |one: &Option<String>, two: &Option<String>| one.clone().or_else(|| two.clone());
    let text = if post.text.is_empty() { other } else { post };
    let is_same_author = post.author.is_none() || same_name(post.author.as_deref(), other.author.as_deref());
    PagePost {
        id: or(&post.id, &other.id),
        url: or(&post.url, &other.url),
        parent: post.parent.clone(),
        thread: post.thread.clone().or_else(|| other.thread.clone()),
        author: or(&post.author, &other.author),
        author_url: if is_same_author { or(&post.author_url, &other.author_url) } else { post.author_url.clone() },
        date: or(&post.date, &other.date),
        edited: or(&post.edited, &other.edited),
        title: or(&post.title, &other.title),
        text: text.text.clone(),
        html: text.html.clone(),
        is_excerpt: text.is_excerpt,
        source: post.source,
        confidence: post.confidence,
    }
}

/// Returns the thread that two sources describe: each field by the second one, if it has it.
pub(super) fn thread(first: Option<PageThread>, second: Option<PageThread>) -> Option<PageThread> {
    let (one, two) = match (first, second) {
        (Some(one), Some(two)) => (one, two),
        (one, two) => return one.or(two),
    };
    let or = |two: Vec<String>, one: Vec<String>| if two.is_empty() { one } else { two };
    Some(PageThread {
        url: two.url.or(one.url),
        title: two.title.or(one.title),
        forums: or(two.forums, one.forums),
        tags: or(two.tags, one.tags),
    })
}
