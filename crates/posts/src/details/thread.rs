//! The thread that a page shows: its address without paging, its title, its forums, its tags.

use url::Url;

use crate::records::PageThread;
use crate::segments::Record;
use crate::tree::{NodeIndex, Tree};

/// Parameters of addresses that tell a part of a thread, not another one.
const PARAMETERS: [&str; 22] = [
    "page",
    "p",
    "pg",
    "start",
    "st",
    "offset",
    "from",
    "post",
    "answer",
    "comment",
    "sort",
    "order",
    "highlight",
    "show_poll",
    "view",
    "sid",
    "s",
    "replytocom",
    "replyto",
    "after",
    "before",
    "cpage",
];
/// Starts of the last part of a path that tell a page of a thread.
const PAGES: [&str; 3] = ["page-", "page", "comment-page-"];
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

/// Returns the thread of a page with these records; `is_single` tells that it is the page of one post, which may link to it.
pub fn thread_of(tree: &Tree, page: &Url, records: &[Record], is_single: bool) -> PageThread {
    let first = records.iter().map(|record| record.parts[0]).min().unwrap_or(tree.nodes().len());
    let title = title(tree, first);
    let forums = forums(tree, first, title.as_deref());
    let linked = if records.len() == 1 { thread_link(tree, page, is_single) } else { None };
    let url = without_paging(linked.as_ref().unwrap_or(page));
    let url = without_place(tree, &url).unwrap_or(url);
    PageThread { url: Some(url.into()), title, forums, tags: tags(tree) }
}

/// Returns the link of a post's page to its thread: its text or label says so, and does not name the one before or after.
fn thread_link(tree: &Tree, page: &Url, is_single: bool) -> Option<Url> {
    let leads = |node: &NodeIndex| {
        let label = ["title", "aria-label", "class"].iter().filter_map(|name| tree.attribute(*node, name));
        let text = (tree.node(*node).words <= LINK_WORDS_MAX).then(|| tree.text(*node));
        let said: String = label.map(str::to_owned).chain(text).collect::<Vec<_>>().join(" ").to_lowercase();
        THREAD.iter().any(|word| said.contains(word)) && !BESIDE.iter().any(|word| said.contains(word))
    };
    let links = (0..tree.nodes().len()).filter(|node| tree.name(*node) == "a").filter(leads);
    let mut urls = links.filter_map(|node| page.join(tree.attribute(node, "href")?).ok());
    // In a thread with a single post, only a link to a place in another page leads to the thread.
    urls.find(|url| {
        url.host_str() == page.host_str() && url.path() != page.path() && (is_single || url.fragment().is_some())
    })
}

/// Returns the address of the first page of a thread.
fn without_paging(page: &Url) -> Url {
    let mut url = page.clone();
    url.set_fragment(None);
    let is_paging = |name: &str, value: &str| {
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        PARAMETERS.contains(&name)
            && (is_number || matches!(name, "sort" | "order" | "sid" | "s" | "view" | "highlight" | "show_poll"))
    };
    // A short name may be that of the thread itself, if it is the only one.
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let kept: Vec<&(String, String)> = pairs.iter().filter(|(name, value)| !is_paging(name, value)).collect();
    if kept.len() < pairs.len() && (!kept.is_empty() || url.path().len() > 1 && !url.path().ends_with(".php")) {
        url.set_query(None);
        if !kept.is_empty() {
            url.query_pairs_mut().extend_pairs(kept);
        }
    }
    if let Some(path) = without_page(url.path()) {
        url.set_path(&path);
    }
    url
}

/// Returns a path without its last part if this tells a page, such as `/t/5/page/2/` or `/t/5/page-2`.
fn without_page(path: &str) -> Option<String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let slash = if path.ends_with('/') { "/" } else { "" };
    let (before, last) = path.trim_end_matches('/').rsplit_once('/')?;
    let is_page = PAGES.iter().any(|start| last.strip_prefix(start).is_some_and(is_number));
    if is_page {
        return Some(format!("{before}{slash}"));
    }
    let (before, name) = before.rsplit_once('/').filter(|_| is_number(last))?;
    (name == "page").then(|| format!("{before}{slash}"))
}

/// Returns an address without the number of a place in the thread, such as `/topic/7/title/12`: what is before it has a number
/// itself, and the page links to it.
fn without_place(tree: &Tree, url: &Url) -> Option<Url> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (before, _) = url.path().trim_end_matches('/').rsplit_once('/').filter(|(_, last)| is_number(last))?;
    if !before.rsplit('/').take(2).any(is_number) {
        return None;
    }
    let mut thread = url.clone();
    thread.set_path(before);
    let links = (0..tree.nodes().len()).filter_map(|node| tree.attribute(node, "href"));
    let mut paths =
        links.filter_map(|link| url.join(link).ok()).map(|link| link.path().trim_end_matches('/').to_owned());
    paths.any(|path| path == before).then_some(thread)
}

/// Returns the heading before the first record: the last of the outermost kind.
fn title(tree: &Tree, first: NodeIndex) -> Option<String> {
    let is_title = |node: &NodeIndex, name: &str| {
        tree.name(*node) == name && (1..=TITLE_WORDS_MAX).contains(&tree.node(*node).words)
    };
    let before = |name: &&str| (0..first).rev().find(|node| is_title(node, name));
    let inside = |name: &&str| (first..tree.nodes().len()).find(|node| is_title(node, name));
    let node = HEADINGS.iter().find_map(before).or_else(|| HEADINGS.iter().take(2).find_map(inside))?;
    Some(tree.text(node))
}

/// Returns the links of the path to the thread: those of an element that says so, without the start page and the thread itself.
fn forums(tree: &Tree, first: NodeIndex, title: Option<&str>) -> Vec<String> {
    let says = |node: &NodeIndex| {
        ["class", "id", "aria-label"].iter().filter_map(|name| tree.attribute(*node, name)).any(|value| {
            let value = value.to_ascii_lowercase();
            value.contains("breadcrumb") || value.contains("crumbs") || value.contains("nav-path")
        })
    };
    let Some(node) = (0..first).find(says) else { return Vec::new() };
    let links = tree.range(node).filter(|node| tree.name(*node) == "a" && tree.node(*node).words > 0);
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
    for tag in (0..tree.nodes().len()).filter(is_tag).map(|node| tree.text(node)) {
        if !tag.is_empty() && !tags.contains(&tag) && tags.len() < NAMES_MAX {
            tags.push(tag);
        }
    }
    tags
}
