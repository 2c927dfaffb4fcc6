//! Finds what markup says wrongly: pure functions, each of which drops what it does not believe.
//!
//! A post of markup is as sure as it is complete: 0.4, and 0.25 for a text, 0.15 for an author, 0.15 for a date. Every
//! field that is dropped takes a factor of 0.7. A text that the page does not show takes a factor of 0.3: texts of
//! markup are compared with the text that the page shows.

use std::collections::HashMap;

use super::open_graph::site_names;
use crate::parsed_page::Page;
use crate::records::{PagePost, PageRecords};
use crate::tree::{Content, NodeIndex, Tree};
use crate::words::{Words, hashes};

const SURE: f64 = 0.4;
const SURE_TEXT: f64 = 0.25;
const SURE_AUTHOR: f64 = 0.15;
const SURE_DATE: f64 = 0.15;
/// The factors of a field that is not believed, and of a text that the page does not show.
const DROPPED: f64 = 0.7;
const NOT_SHOWN: f64 = 0.3;
/// Minimum number of posts with one date that tell that it is not theirs.
const ONE_DATE_MIN: usize = 3;
/// Minimum number of texts of one length that tell that they were cut there, and the minimum length, in characters.
const CUT_MIN: usize = 2;
const CUT_CHARS_MIN: usize = 80;
/// Minimum share of a text that a page shows.
const SHOWN_MIN: f64 = 0.7;

/// Sets how sure the posts of markup are, and drops what is wrong.
pub(super) fn checked(mut records: PageRecords, page: &Page) -> PageRecords {
    let PageRecords { posts, thread, .. } = &mut records;
    posts.iter_mut().for_each(|post| post.confidence = completeness(post));
    let title = thread.as_ref().and_then(|thread| thread.title.as_deref()).or(page.head.title.as_deref());
    drop_site_authors(posts, &site_names(page));
    drop_one_date(posts);
    drop_headline_texts(posts, title);
    drop_thread_titles(posts);
    let address = drop_one_address(posts);
    if let (Some(thread), Some(address)) = (thread, address) {
        thread.url.get_or_insert(address);
    }
    mark_cut_texts(posts);
    let words: usize = if page.head.json_ld.is_empty() {
        0
    } else {
        posts.iter().map(|post| post.text.split_whitespace().count()).sum()
    };
    // A page that shows less than its markup says is filled by scripts.
    if words > 0 && page.tree.node(0).words * 2 >= words {
        compare_with_shown(posts, &page.tree);
    }
    records
}

/// Returns how sure a post is by the fields that it has.
pub(crate) fn completeness(post: &PagePost) -> f64 {
    let text = if post.text.is_empty() { 0.0 } else { SURE_TEXT };
    let author = if post.author.is_some() { SURE_AUTHOR } else { 0.0 };
    SURE + text + author + if post.date.is_some() { SURE_DATE } else { 0.0 }
}

/// Drops the author of all posts if that is the site.
fn drop_site_authors(posts: &mut [PagePost], sites: &[&str]) {
    let is_site = |author: &str| sites.iter().any(|site| normal(site) == normal(author));
    if posts.is_empty() || !posts.iter().filter_map(|post| post.author.as_deref()).all(is_site) {
        return;
    }
    for post in posts.iter_mut().filter(|post| post.author.is_some()) {
        (post.author, post.author_url) = (None, None);
        post.confidence *= DROPPED;
    }
}

/// Drops the date of all posts if it is the same to the second.
fn drop_one_date(posts: &mut [PagePost]) {
    let Some(first) = posts.first().and_then(|post| post.date.clone()) else { return };
    let is_exact = first.contains('T');
    if posts.len() < ONE_DATE_MIN || !is_exact || posts.iter().any(|post| post.date.as_ref() != Some(&first)) {
        return;
    }
    for post in posts {
        (post.date, post.edited) = (None, None);
        post.confidence *= DROPPED;
    }
}

/// Drops texts that are only the title of the thread or of their post, and titles that are the text of their post.
fn drop_headline_texts(posts: &mut [PagePost], title: Option<&str>) {
    let is_one_of_many = posts.len() > 1 && posts.iter().all(|post| post.text == posts[0].text);
    for post in posts.iter_mut().filter(|post| !post.text.is_empty()) {
        let is_title = |title: &str| normal(title) == normal(&post.text);
        let is_own = post.title.as_deref().is_some_and(is_title);
        let is_thread = title.is_some_and(is_title);
        if is_thread || (is_own && is_one_of_many) {
            (post.text, post.html, post.is_excerpt) = (String::new(), None, false);
            post.confidence = (post.confidence - SURE_TEXT).max(0.0) * DROPPED;
        } else if is_own {
            post.title = None;
        }
    }
}

/// Drops the titles of all posts behind the first that have the one of the first: it is that of the thread.
fn drop_thread_titles(posts: &mut [PagePost]) {
    let Some((first, others)) = posts.split_first_mut() else { return };
    others.iter_mut().filter(|post| post.title == first.title).for_each(|post| post.title = None);
}

/// Drops the address of several posts if it is the same, and returns it: it is that of their thread.
fn drop_one_address(posts: &mut [PagePost]) -> Option<String> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    posts.iter().filter_map(|post| post.url.as_deref()).for_each(|url| *times.entry(url).or_default() += 1);
    let usual =
        times.into_iter().filter(|(_, times)| *times > 1).max_by_key(|(url, times)| (*times, std::cmp::Reverse(*url)));
    let usual = usual.map(|(url, _)| url.to_owned())?;
    posts.iter_mut().filter(|post| post.url.as_ref() == Some(&usual)).for_each(|post| post.url = None);
    Some(usual)
}

/// Whether a text ends as one that was cut short.
pub(crate) fn ends_in_dots(text: &str) -> bool {
    ["…", "...", "[…]", "[...]"].iter().any(|dots| text.ends_with(dots))
}

/// Marks texts that end in dots, and those of one length that no text exceeds.
fn mark_cut_texts(posts: &mut [PagePost]) {
    let length = |post: &PagePost| post.text.chars().count();
    let longest = posts.iter().map(length).max().unwrap_or_default();
    // Cutting at a word leaves some characters less.
    let near = |post: &PagePost| length(post) + 1 >= longest;
    let are_cut = longest >= CUT_CHARS_MIN && posts.iter().filter(|post| near(post)).count() > CUT_MIN;
    for post in posts.iter_mut().filter(|post| !post.text.is_empty()) {
        post.is_excerpt |= (ends_in_dots(&post.text) && length(post) >= CUT_CHARS_MIN) || (are_cut && near(post));
    }
}

/// Makes posts less sure whose text the page does not show, and completes those that go on where their text ends.
fn compare_with_shown(posts: &mut [PagePost], tree: &Tree) {
    let shown = Shown::of(tree);
    for post in posts.iter_mut().filter(|post| !post.text.is_empty()) {
        if shown.share(&post.text) < SHOWN_MIN {
            post.confidence *= NOT_SHOWN;
            continue;
        }
        post.is_excerpt |= shown.goes_on(&post.text);
        if let Some(whole) = shown.whole(tree, &post.text).filter(|_| post.is_excerpt) {
            (post.text, post.html, post.is_excerpt) = (whole, None, false);
        }
    }
}

fn normal(text: &str) -> Vec<u64> {
    hashes(text)
}

/// Number of words that are looked for together.
const TOGETHER: usize = 3;
/// Elements that may hold the text of a post, the number of elements around its beginning, and its maximum number of
/// words.
const BLOCKS: [&str; 6] = ["article", "blockquote", "div", "dd", "section", "td"];
const LEVELS: usize = 8;
const WHOLE_WORDS_MAX: usize = 20_000;
/// Maximum number of words of a page that are kept.
const WORDS_MAX: usize = 400_000;

/// The words that a page shows.
#[derive(Debug)]
pub(super) struct Shown {
    together: HashMap<u64, Together, foldhash::fast::FixedState>,
}

/// Words that follow each other.
#[derive(Debug)]
struct Together {
    /// The text that the last one is first in.
    node: NodeIndex,
    /// Whether another one of the same text follows wherever they are.
    is_followed: bool,
}

impl Shown {
    /// Reads a page.
    pub fn of(tree: &Tree) -> Self {
        let mut together: HashMap<u64, Together, _> = HashMap::with_hasher(foldhash::fast::FixedState::with_seed(3));
        let mut words: Vec<u64> = Vec::new();
        for node in tree.all() {
            let Content::Text(text) = tree.content(node) else { continue };
            if words.len() > WORDS_MAX {
                break;
            }
            let start = words.len();
            words.extend(hashes(text));
            for end in (start + 1..=words.len()).filter(|end| *end >= TOGETHER) {
                let is_followed = end < words.len();
                let known = together.entry(fold(&words[end - TOGETHER..end])).or_insert(Together { node, is_followed });
                known.is_followed &= is_followed;
            }
        }
        Self { together }
    }

    /// Returns the share of a text that the page shows: 0 to 1. A text of few words is shown if they are.
    pub fn share(&self, text: &str) -> f64 {
        let words = hashes(text);
        if words.len() < TOGETHER {
            return 1.0;
        }
        let found = words.windows(TOGETHER).filter(|words| self.together.contains_key(&fold(words))).count();
        found as f64 / (words.len() - TOGETHER + 1) as f64
    }

    /// Whether the page shows more of a text where it ends.
    pub fn goes_on(&self, text: &str) -> bool {
        let words = hashes(text);
        let last = words.len().checked_sub(TOGETHER).map(|from| fold(&words[from..]));
        last.is_some_and(|last| self.together.get(&last).is_some_and(|last| last.is_followed))
    }

    /// Returns the whole of a text that was cut short: that of the smallest block which begins with it.
    pub fn whole(&self, tree: &Tree, text: &str) -> Option<String> {
        let cut = Words::of(text);
        let first = self.together.get(&fold(cut.ordered.get(..TOGETHER)?))?;
        let blocks = tree.upwards(first.node).take(LEVELS).filter(|node| BLOCKS.contains(&tree.name(*node)));
        let mut blocks = blocks.take_while(|node| tree.node(*node).words <= WHOLE_WORDS_MAX);
        let block =
            blocks.find(|node| tree.node(*node).words >= cut.len() && cut.begins(&Words::of(&tree.text(*node))))?;
        Some(tree.text(block))
    }
}

fn fold(words: &[u64]) -> u64 {
    words.iter().fold(5, |hash: u64, word| hash.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(author: &str, date: &str, text: &str) -> PagePost {
        PagePost {
            author: Some(author.to_owned()),
            date: Some(date.to_owned()),
            text: text.to_owned(),
            confidence: 0.95,
            ..PagePost::default()
        }
    }

    #[test]
    fn a_site_is_no_author() {
        let mut posts = [post("The Site", "2020-04-01", "a"), post("the site", "2020-04-02", "b")];
        drop_site_authors(&mut posts, &["The Site"]);
        assert!(posts.iter().all(|post| post.author.is_none() && post.confidence < 0.7));
        // The team of the site may write among others.
        let mut posts = [post("The Site", "2020-04-01", "a"), post("ann", "2020-04-02", "b")];
        drop_site_authors(&mut posts, &["The Site"]);
        assert_eq!(posts[0].author.as_deref(), Some("The Site"));
    }

    #[test]
    fn one_date_is_not_that_of_all_posts() {
        let mut posts = [(); 3].map(|()| post("a", "2020-04-01T10:00:00Z", "t"));
        drop_one_date(&mut posts);
        assert!(posts.iter().all(|post| post.date.is_none() && post.confidence < 0.7));
        let mut posts = [(); 3].map(|()| post("a", "2020-04-01", "t"));
        drop_one_date(&mut posts);
        assert!(posts.iter().all(|post| post.date.is_some()), "posts of one day");
    }

    #[test]
    fn a_headline_is_no_text() {
        let mut posts = [post("a", "2020-04-01", "How to clean a lens?")];
        drop_headline_texts(&mut posts, Some("How to clean a lens"));
        assert!(posts[0].text.is_empty() && posts[0].confidence < 0.5);
        let mut note = [PagePost { title: Some("a note".to_owned()), ..post("a", "2020-04-01", "a note") }];
        drop_headline_texts(&mut note, Some("Notes"));
        assert_eq!((note[0].text.as_str(), note[0].title.as_ref()), ("a note", None));
    }

    #[test]
    fn the_title_of_the_thread_is_that_of_its_first_post() {
        let with = |title: &str| PagePost { title: Some(title.to_owned()), ..PagePost::default() };
        let mut posts = [with("Lens"), with("Lens"), with("Re: Lens")];
        drop_thread_titles(&mut posts);
        assert_eq!(posts.map(|post| post.title), [Some("Lens".to_owned()), None, Some("Re: Lens".to_owned())]);
    }

    #[test]
    fn one_address_is_that_of_the_thread() {
        let with = |url: &str| PagePost { url: Some(url.to_owned()), ..PagePost::default() };
        let mut posts = [with("/t"), with("/t"), with("/t#2")];
        assert_eq!(drop_one_address(&mut posts).as_deref(), Some("/t"));
        assert_eq!(posts.map(|post| post.url), [None, None, Some("/t#2".to_owned())]);
    }

    #[test]
    fn cut_texts_are_marked() {
        let text = |length: usize, end: &str| post("a", "2020-04-01", &format!("{}{end}", "wo ".repeat(length)));
        let mut posts = [text(40, "wo..."), text(10, "..."), text(5, "")];
        mark_cut_texts(&mut posts);
        assert_eq!(posts.map(|post| post.is_excerpt), [true, false, false]);
        let mut posts = [text(40, "x"), text(40, "y"), text(40, "z"), text(9, "")];
        mark_cut_texts(&mut posts);
        assert_eq!(posts.map(|post| post.is_excerpt), [true, true, true, false]);
    }

    #[test]
    fn what_the_page_does_not_show_is_hardly_believed() {
        let tree = Tree::parse("<p>these are the words that are shown here").unwrap();
        let mut posts =
            [post("a", "2020-04-01", "other words than those"), post("a", "2020-04-01", "these are the words that")];
        compare_with_shown(&mut posts, &tree);
        assert!(posts[0].confidence < 0.3 && posts[1].confidence > 0.9 && posts[1].is_excerpt);
        let tree = Tree::parse("<div>these are the words that are shown here</div>").unwrap();
        compare_with_shown(&mut posts, &tree);
        assert!(posts[1].text.ends_with("shown here") && !posts[1].is_excerpt);
    }

    #[test]
    fn shown_texts_are_told_from_others_and_cut_ones() {
        let tree = Tree::parse("<p>One two <b>three</b> four five.</p><p>Six seven eight nine</p>").unwrap();
        let shown = Shown::of(&tree);
        assert_eq!((shown.share("one two three four"), shown.share("nine eight seven")), (1.0, 0.0));
        assert_eq!(shown.share("x"), 1.0);
        assert!(shown.goes_on("two three four") && shown.goes_on("six seven eight…"));
        let cut =
            Tree::parse("<div class=list><div><p>One two three</p><p>four</p></div><div>five</div></div>").unwrap();
        let whole = |text| Shown::of(&cut).whole(&cut, text);
        assert_eq!(
            (whole("one two three fo…").as_deref(), whole("two three four")),
            (Some("One two three four"), None)
        );
        assert!(!shown.goes_on("three four five") && !shown.goes_on("eight nine") && !shown.goes_on("not on the page"));
    }
}
