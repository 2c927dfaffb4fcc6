//! The thread that a page shows: its address without paging, its title, its forums, its tags.

use std::collections::HashSet;

use url::Url;

use crate::addresses::{AddressPart, PartRules, without_parts};
use crate::records::PageThread;
use crate::segments::Record;
use crate::tree::{NodeIndex, Tree};

/// Words for threads, and for what is beside them, in links.
const THREAD: [&str; 3] = ["thread", "topic", "discussion"];
const BESIDE: [&str; 7] = ["prev", "next", "newer", "older", "all ", "new ", "index"];
/// Maximum number of words of a link to a thread.
const LINK_WORDS_MAX: usize = 6;
/// Names of headings, the outermost first.
const HEADINGS: [&str; 4] = ["h1", "h2", "h3", "h4"];
/// Maximum number of words of a title.
const TITLE_WORDS_MAX: usize = 60;
/// Maximum number of forums and tags.
const NAMES_MAX: usize = 20;

/// Returns the thread of a page with these records; `is_single` tells that it is the page of one post, which may link
/// to it.
pub fn thread_of(tree: &Tree, page: &Url, records: &[Record], is_single: bool) -> PageThread {
    let first = records.iter().map(|record| record.parts[0]).min().unwrap_or(tree.nodes().len());
    let title = title(tree, first);
    let forums = forums(tree, first, title.as_deref());
    let linked = if records.len() == 1 { thread_link(tree, page, is_single) } else { None };
    let mut url = linked.unwrap_or_else(|| page.clone());
    url.set_fragment(None);
    PageThread { url: Some(url.into()), title, forums, tags: tags(tree) }
}

/// Returns the link of a post's page to its thread: its text or label says so, and does not name the one before or
/// after.
fn thread_link(tree: &Tree, page: &Url, is_single: bool) -> Option<Url> {
    let leads = |node: &NodeIndex| {
        let label = ["title", "aria-label", "class"].iter().filter_map(|name| tree.attribute(*node, name));
        let text = (tree.node(*node).words <= LINK_WORDS_MAX).then(|| tree.text(*node));
        let said: String = label.map(str::to_owned).chain(text).collect::<Vec<_>>().join(" ").to_lowercase();
        THREAD.iter().any(|word| said.contains(word)) && !BESIDE.iter().any(|word| said.contains(word))
    };
    let links = tree.all().filter(|node| tree.name(*node) == "a").filter(leads);
    let mut urls = links.filter_map(|node| page.join(tree.attribute(node, "href")?).ok());
    // In a thread with a single post, only a link to a place in another page leads to the thread.
    urls.find(|url| {
        url.host_str() == page.host_str() && url.path() != page.path() && (is_single || url.fragment().is_some())
    })
}

/// Returns an address without the parts that tell a place in the thread. Where nothing is known of a number or
/// parameter, it tells one if the page links to the address without it by the title of the thread, or as one of its
/// pages.
pub fn without_places(tree: &Tree, url: &Url, title: Option<&str>, parts: &PartRules) -> Url {
    let links = tree.all().filter(|node| tree.name(*node) == "a").filter(|node| {
        let text = tree.text(*node);
        let is_page = text.contains(|c: char| c.is_ascii_digit()) && !text.contains(char::is_alphabetic);
        is_page || Some(text.as_str()) == title
    });
    let addresses = links.filter_map(|node| url.join(tree.attribute(node, "href")?).ok());
    let linked: HashSet<Url> = addresses.map(plain).collect();
    let is_linked = |part: &AddressPart| part.may_be_place && linked.contains(&plain(part.rest.clone()));
    without_parts(url, |part| parts.is_place(part).unwrap_or_else(|| part.is_page || is_linked(part)))
}

/// Returns an address without its fragment and the slash at the end of its path.
fn plain(mut url: Url) -> Url {
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    url
}

/// Returns the heading before the first record: the last of the outermost kind.
fn title(tree: &Tree, first: NodeIndex) -> Option<String> {
    let is_title = |node: &NodeIndex, name: &str| {
        tree.name(*node) == name && (1..=TITLE_WORDS_MAX).contains(&tree.node(*node).words)
    };
    let before = |name: &&str| (0..first).rev().find(|node| is_title(node, name));
    let inside = |name: &&str| tree.visit(first..tree.nodes().len()).find(|node| is_title(node, name));
    let node = HEADINGS.iter().find_map(before).or_else(|| HEADINGS.iter().take(2).find_map(inside))?;
    Some(tree.text(node))
}

/// Returns the links of the path to the thread: those of an element that says so, without the start page and the thread
/// itself.
fn forums(tree: &Tree, first: NodeIndex, title: Option<&str>) -> Vec<String> {
    let says = |node: &NodeIndex| {
        ["class", "id", "aria-label"].iter().filter_map(|name| tree.attribute(*node, name)).any(|value| {
            let value = value.to_ascii_lowercase();
            value.contains("breadcrumb") || value.contains("crumbs") || value.contains("nav-path")
        })
    };
    let Some(node) = (0..first).find(says) else { return Vec::new() };
    let links = tree.inside(node).filter(|node| tree.name(*node) == "a" && tree.node(*node).words > 0);
    let names: Vec<String> = links.map(|node| tree.text(node)).filter(|name| Some(name.as_str()) != title).collect();
    let skip = usize::from(names.len() > 1);
    names.into_iter().skip(skip).take(NAMES_MAX).collect()
}

/// Returns the texts of the links that say that they are tags.
fn tags(tree: &Tree) -> Vec<String> {
    let is_tag = |node: &NodeIndex| {
        tree.name(*node) == "a"
            && tree.attribute(*node, "rel").is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word == "tag"))
    };
    let mut tags: Vec<String> = Vec::new();
    for tag in tree.all().filter(is_tag).map(|node| tree.text(node)) {
        if !tag.is_empty() && !tags.contains(&tag) && tags.len() < NAMES_MAX {
            tags.push(tag);
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(source: &str, url: &str) -> String {
        let tree = Tree::parse(source).unwrap();
        without_places(&tree, &url.parse().unwrap(), Some("Old lenses"), &PartRules::default()).into()
    }

    #[test]
    fn a_link_by_the_title_or_as_a_page_tells_the_thread() {
        let titled = "<h1><a href=/topic/7/old-lenses>Old lenses</a></h1>";
        assert_eq!(thread(titled, "http://h/topic/7/old-lenses/12"), "http://h/topic/7/old-lenses");
        assert_eq!(thread(titled, "http://h/topic/7/old-lenses?sort=new#5"), "http://h/topic/7/old-lenses");
        let pages = "<a href='/show.php?t=7&a=1'>1</a> <a href='/show.php?t=7&a=1&s=20'>2</a>";
        assert_eq!(thread(pages, "http://h/show.php?t=7&a=1&s=20"), "http://h/show.php?t=7&a=1");
        let comments = "<a href=/2020/5/old-lenses/>1</a>";
        assert_eq!(thread(comments, "http://h/2020/5/old-lenses/comment-page-2/"), "http://h/2020/5/old-lenses/");
    }

    #[test]
    fn other_links_to_what_is_around_a_page_do_not() {
        let forum = "<a href=/forum/7>Lenses</a> <a href=/show?f=7>Lenses</a>";
        assert_eq!(thread(forum, "http://h/forum/7/12"), "http://h/forum/7/12");
        assert_eq!(thread(forum, "http://h/show?f=7&t=12"), "http://h/show?f=7&t=12");
    }
}
