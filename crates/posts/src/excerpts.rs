//! Posts that a page shows only the beginning of: their text ends in a link to the rest of it.

use url::Url;

use crate::details::resolve;
use crate::maps::HashMap;
use crate::parsed_page::Page;
use crate::records::{PagePost, PageRecords};
use crate::tree::{NodeIndex, Tree};

/// Words of links to the rest of a text, and the number of words at the beginning of the link that may be one of them.
const MORE: [&str; 24] = [
    "more",
    "continue",
    "read",
    "rest",
    "full",
    "mehr",
    "weiter",
    "weiterlesen",
    "lire",
    "suite",
    "más",
    "seguir",
    "leer",
    "mais",
    "leia",
    "continua",
    "leggi",
    "meer",
    "verder",
    "więcej",
    "czytaj",
    "далее",
    "читать",
    "läs",
];
const MORE_WORDS: usize = 3;
/// Maximum number of words of such a link, which often has the title of what it leads to.
const LINK_WORDS_MAX: usize = 30;

/// Returns whether a node is a link whose text tells that it leads to more of a text.
pub fn is_link_to_more(tree: &Tree, node: NodeIndex) -> bool {
    if tree.name(node) != "a" || !(1..=LINK_WORDS_MAX).contains(&tree.node(node).words) {
        return false;
    }
    let text = tree.text(node);
    words(&text).take(MORE_WORDS).any(is_more)
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns whether a word, in letters of either case, is one of links to the rest of a text.
fn is_more(word: &str) -> bool {
    MORE.iter().any(|more| word.chars().flat_map(char::to_lowercase).eq(more.chars()))
}

/// Returns whether a text may end in such a link, some of whose words may be two here: `don't`.
fn may_lead_on(text: &str) -> bool {
    words(text).rev().take(2 * LINK_WORDS_MAX).any(is_more)
}

/// Marks the posts whose text ends in a link to the page that they are on, or that opens their thread, and takes the
/// link out of the text. Posts of this page itself have no more than it shows.
pub fn mark_excerpts(page: &Page, records: &mut PageRecords) {
    if !records.posts.iter().any(|post| may_lead_on(&post.text) && addresses(page, post).next().is_some()) {
        return;
    }
    let tree = &page.tree;
    let mut links: HashMap<String, Vec<String>> = HashMap::default();
    for node in tree.all().filter(|node| is_link_to_more(tree, *node)) {
        if let Some(address) = tree.attribute(node, "href").and_then(|href| resolve(&page.url, href)) {
            links.entry(without_fragment(&address).to_owned()).or_default().push(tree.text(node));
        }
    }
    for post in records.posts.iter_mut().filter(|_| !links.is_empty()) {
        let of_post = addresses(page, post).filter_map(|address| links.get(address)).flatten();
        let rest = of_post.filter_map(|link| text_before(&post.text, link)).map(str::len).next();
        if let Some(length) = rest {
            post.text.truncate(length);
            post.is_excerpt = true;
        }
    }
}

/// Returns the addresses of the pages that a post leads to, other than this one.
fn addresses<'p>(page: &'p Page, post: &'p PagePost) -> impl Iterator<Item = &'p str> {
    let of_thread = post.thread.as_ref().and_then(|thread| thread.url.as_deref());
    let own = |url: &Url| without_fragment(url.as_str()).to_owned();
    let here = own(&page.url);
    of_thread.into_iter().chain(post.url.as_deref()).map(without_fragment).filter(move |url| *url != here)
}

fn without_fragment(address: &str) -> &str {
    address.split('#').next().unwrap_or_default()
}

/// Returns what stands before a link at the end of a text; `None` if it is nothing.
fn text_before<'t>(text: &'t str, link: &str) -> Option<&'t str> {
    let is_mark = |c: char| !c.is_alphanumeric();
    let before = text.trim_end_matches(is_mark).strip_suffix(link.trim_matches(is_mark))?;
    Some(before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '→' | '»')))
        .filter(|before| before.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn texts_that_end_in_a_link_to_their_rest_are_excerpts() {
        let source = "<p>Go down into Egypt… <a href=/p/1#more>Continue reading <b>A title</b> →</a></p>\
                      <p>All of it. <a href=/p/2>Link</a></p><p><a href=/p/3>Weiterlesen</a></p>";
        let page =
            Page::parse(&Url::parse("http://h.test/").unwrap(), source, date(2020, 4, 25).at(12, 0, 0, 0)).unwrap();
        let post = |number: u32, text: &str| PagePost {
            url: Some(format!("http://h.test/p/{number}")),
            text: text.to_owned(),
            ..PagePost::default()
        };
        let texts = ["Go down into Egypt… Continue reading A title →", "All of it. Link", "Weiterlesen"];
        let posts = (1..).zip(texts).map(|(number, text)| post(number, text)).collect();
        let mut records = PageRecords { posts, ..PageRecords::default() };
        mark_excerpts(&page, &mut records);
        let found = records.posts.iter().map(|post| (post.text.as_str(), post.is_excerpt));
        let expected = [("Go down into Egypt…", true), ("All of it. Link", false), ("Weiterlesen", false)];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn posts_of_the_page_itself_are_whole() {
        let source = "<p>See there: <a href=/p/1>read more</a></p>";
        let page =
            Page::parse(&Url::parse("http://h.test/p/1").unwrap(), source, date(2020, 4, 25).at(12, 0, 0, 0)).unwrap();
        let url = Some("http://h.test/p/1#c1".to_owned());
        let posts = vec![PagePost { url, text: "See there: read more".to_owned(), ..PagePost::default() }];
        let mut records = PageRecords { posts, ..PageRecords::default() };
        mark_excerpts(&page, &mut records);
        assert!(!records.posts[0].is_excerpt && records.posts[0].text.ends_with("more"));
    }
}
