//! Finds the posts among the items of a page, and reads their fields.

use std::collections::{HashMap, HashSet};

use super::items::{Item, ItemIndex, ItemValue, Items};
use super::values::{absolute, is_address, read_date};
use crate::combine::filled;
use crate::parsed_page::Page;
use crate::records::{PagePost, ParentRef, PostSource};
use crate::tree::Tree;

/// Types of posts.
pub(super) const POSTS: [&str; 10] = [
    "DiscussionForumPosting",
    "Question",
    "Answer",
    "Comment",
    "UserComments",
    "SocialMediaPosting",
    "BlogPosting",
    "Article",
    "NewsArticle",
    "TechArticle",
];
/// Types of posts that open no thread.
pub(super) const REPLIES: [&str; 3] = ["Comment", "UserComments", "Answer"];
/// Properties whose values are posts that are only mentioned.
const MENTIONS: [&str; 8] =
    ["isPartOf", "parentItem", "sharedContent", "citation", "mentions", "about", "discusses", "hasPart"];
/// Properties with the text of a post, and with a part of it or a description.
pub(super) const TEXTS: [&str; 4] = ["text", "articleBody", "commentText", "reviewBody"];
pub(super) const EXCERPTS: [&str; 2] = ["description", "abstract"];
pub(super) const AUTHORS: [&str; 3] = ["author", "creator", "accountablePerson"];
/// Properties with the date of a post, with that of its last edit, with its title, and with its address.
pub(super) const DATES: [&str; 3] = ["datePublished", "dateCreated", "commentTime"];
pub(super) const EDITED: [&str; 1] = ["dateModified"];
pub(super) const TITLES: [&str; 2] = ["headline", "name"];
pub(super) const ADDRESSES: [&str; 4] = ["url", "mainEntityOfPage", "discussionUrl", "uid"];
/// Elements of texts that are written as HTML.
const FORMATS: [&str; 20] = [
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "div",
    "em",
    "h2",
    "h3",
    "i",
    "img",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "span",
    "strong",
    "u",
    "ul",
];
/// Maximum number of posts of a page.
const POSTS_MAX: usize = 20_000;
/// Minimum length of a text that is hardly that of two posts, in bytes.
const COPY_BYTES_MIN: usize = 20;
/// Maximum length of the name of an author, and of a title, in bytes.
const NAME_BYTES_MAX: usize = 200;
const TITLE_BYTES_MAX: usize = 1_000;
/// Numbers of nodes in and around the name of an author where its link is.
const AUTHOR_NODES: usize = 16;
const AUTHOR_LEVELS: usize = 3;
/// Maximum number of items around an item that are considered.
const LEVELS: usize = 8;

/// A post, and the item that describes it.
#[derive(Debug)]
pub(super) struct Posting {
    pub item: ItemIndex,
    pub post: PagePost,
}

/// Finds the posts, in the order of their items. Those without a text are kept if most have one.
pub(super) fn find(items: &Items<'_>, page: &Page) -> Vec<Posting> {
    let is_post = |at: ItemIndex, item: &Item| {
        let is_mentioned = item.owner.as_ref().is_some_and(|(_, name)| MENTIONS.contains(&name.as_str()));
        item.is_a(&POSTS) && !is_mentioned && !is_copy(items, at)
    };
    let found = items.all().filter(|(at, item)| is_post(*at, item)).take(POSTS_MAX);
    let mut found: Vec<Posting> = found.map(|(item, _)| Posting { item, post: post(items, item, page) }).collect();
    let with_text = found.iter().filter(|posting| !posting.post.text.is_empty()).count();
    let is_mostly_text = with_text * 2 > found.len();
    found.retain(|Posting { post, .. }| {
        !post.text.is_empty() || (is_mostly_text && post.author.is_some() && post.date.is_some())
    });
    let mut known = HashSet::new();
    found.retain(|Posting { post, .. }| {
        post.url.is_none() || known.insert((post.url.clone(), post.date.clone(), post.text.clone()))
    });
    drop_copy_of_opening(&mut found, items);
    found
}

/// Drops a comment that is the post which it is said to be on: some sites describe the post that opens a thread as
/// both.
fn drop_copy_of_opening(found: &mut Vec<Posting>, items: &Items<'_>) {
    let [opening, copy, ..] = found.as_mut_slice() else { return };
    if items.item(opening.item).is_a(&REPLIES) || !items.item(copy.item).is_a(&REPLIES) {
        return;
    }
    let (one, two) = (&opening.post, &copy.post);
    let is_same_person = one.author.is_none() || one.author == two.author || one.author_url == two.author_url;
    if one.text == two.text && is_same_person && one.text.len() >= COPY_BYTES_MIN {
        let address = one.url.clone();
        opening.post = filled(one, two);
        // The address of the comment is that of the post; the other one is that of the thread.
        opening.post.url = two.url.clone().or(address);
        found.remove(1);
    }
}

/// Whether a text is that of an item within it: a post that is also described as the main entity of the page.
fn is_copy(items: &Items<'_>, at: ItemIndex) -> bool {
    let main = items.child(at, &["mainEntity"]);
    main.is_some_and(|main| items.item(main).is_a(&POSTS))
}

fn post(items: &Items<'_>, at: ItemIndex, page: &Page) -> PagePost {
    let date = |names: &[&str]| read_date(&items.text(at, names)?, page.fetched);
    let short = |names: &[&str], bytes| {
        items.text(at, names).map(|text| plain(&text).0).filter(|text| (1..=bytes).contains(&text.len()))
    };
    let whole = text(items, at, &TEXTS);
    let is_excerpt = whole.is_none();
    let (text, html) = whole.or_else(|| text(items, at, &EXCERPTS)).unwrap_or_default();
    let edited = date(&EDITED);
    let date = date(&DATES);
    PagePost {
        url: items.address(at, &ADDRESSES).or_else(|| own_address(items, at)).and_then(|url| absolute(page, &url)),
        author: short(&AUTHORS, NAME_BYTES_MAX),
        author_url: author_address(items, at, page).and_then(|url| absolute(page, &url)),
        edited: edited.filter(|edited| date.as_ref() != Some(edited)),
        date,
        title: short(&TITLES, TITLE_BYTES_MAX),
        is_excerpt: is_excerpt && !text.is_empty(),
        text,
        html,
        source: PostSource::Markup,
        ..PagePost::default()
    }
}

/// Returns the identifier of an item if it is an address.
fn own_address(items: &Items<'_>, at: ItemIndex) -> Option<String> {
    items.item(at).id.clone().filter(|id| is_address(id))
}

/// Returns the address of the page of an author: what the markup says, or where the link leads that is, has or is
/// around the element with the name.
fn author_address(items: &Items<'_>, at: ItemIndex, page: &Page) -> Option<String> {
    let author = items.child(at, &AUTHORS);
    let address = author.and_then(|author| items.address(author, &["url"]).or_else(|| own_address(items, author)));
    let node = || match items.values(at, &AUTHORS).next()? {
        ItemValue::Item(author) => items.item(*author).node,
        ItemValue::Element(node) => Some(*node),
        _ => None,
    };
    let linked = || {
        let (tree, node) = (&page.tree, node()?);
        let mut nodes = tree.inside(node).take(AUTHOR_NODES).chain(tree.upwards(node).take(AUTHOR_LEVELS));
        nodes.find_map(|node| tree.attribute(node, "href")).map(str::to_owned)
    };
    // An author may be only an address.
    let only = || items.address(at, &AUTHORS).filter(|text| text.starts_with("http"));
    address.or_else(only).or_else(linked)
}

/// Returns the text of the first of some properties, without the posts in it, and its HTML if it was written as such.
fn text(items: &Items<'_>, at: ItemIndex, names: &[&str]) -> Option<(String, Option<String>)> {
    names.iter().find_map(|name| {
        let mut texts = items.values(at, &[name]).filter_map(|value| match value {
            ItemValue::Element(_) => items.own_text(value, &POSTS).map(|text| (text, None)),
            ItemValue::Text(text) => Some(plain(text)),
            _ => None,
        });
        texts.find(|(text, _)| !text.is_empty())
    })
}

/// Returns a text that may be written as HTML as it would be shown, and its HTML if it is.
pub(crate) fn plain(text: &str) -> (String, Option<String>) {
    let has_tags = text.contains('>') && text.match_indices('<').any(|(at, _)| is_formatting(&text[at + 1..]));
    let has_entities = text.split('&').skip(1).any(|rest| rest.bytes().take(10).any(|byte| byte == b';'));
    let collapsed = || text.split_whitespace().collect::<Vec<_>>().join(" ");
    // A text about HTML is no HTML.
    if (!has_tags && !has_entities) || text.contains("<script") {
        return (collapsed(), None);
    }
    match Tree::parse(text) {
        Some(tree) => (tree.text(0), has_tags.then(|| text.to_owned())),
        None => (collapsed(), None),
    }
}

/// Whether what follows a `<` is a tag that formats text.
fn is_formatting(rest: &str) -> bool {
    let name = rest.strip_prefix('/').unwrap_or(rest).split(|c: char| !c.is_ascii_alphanumeric()).next();
    name.is_some_and(|name| FORMATS.iter().any(|format| name.eq_ignore_ascii_case(format)))
}

/// Returns what a post answers. A comment on the post that opens a page answers nobody, but an answer to a question
/// does.
pub(super) fn parent(
    items: &Items<'_>,
    at: ItemIndex,
    page: &Page,
    posts: &HashMap<ItemIndex, usize>,
) -> Option<ParentRef> {
    if let Some(index) = items.child(at, &["parentItem"]).and_then(|parent| posts.get(&parent)) {
        return Some(ParentRef::Index(*index));
    }
    if let Some(address) = items.address(at, &["parentItem"]) {
        return absolute(page, &address).map(ParentRef::Url);
    }
    let mut above = items.item(at).owner.as_ref();
    for _ in 0..LEVELS {
        let (owner, property) = above?;
        let item = items.item(*owner);
        if let Some(index) = posts.get(owner).filter(|_| *owner != at) {
            let is_answer = ["comment", "suggestedAnswer", "acceptedAnswer", "replies"].contains(&property.as_str());
            let is_opening = !item.is_a(&["Question", "Answer", "Comment", "UserComments"]);
            return (is_answer && !is_opening).then_some(ParentRef::Index(*index));
        }
        above = item.owner.as_ref();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_as_shown() {
        assert_eq!(plain(" a  b "), ("a b".to_owned(), None));
        assert_eq!(plain("<p>a <b>b</b></p><p>c"), ("a b c".to_owned(), Some("<p>a <b>b</b></p><p>c".to_owned())));
        assert_eq!(plain("it&#039;s R&amp;D"), ("it's R&D".to_owned(), None));
        assert_eq!(plain("a <b>b</b>: <script>x</script>").0, "a <b>b</b>: <script>x</script>");
        assert_eq!(plain("1 < 2 && 3 > 2"), ("1 < 2 && 3 > 2".to_owned(), None));
        assert_eq!(plain("ends with <").0, "ends with <");
    }
}
