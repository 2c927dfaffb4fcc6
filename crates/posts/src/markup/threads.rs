//! Reads the thread of the posts of a page, and the forums that it is in.

use super::address::{absolute, is_front};
use super::items::{ItemIndex, ItemValue, Items};
use super::postings::{POSTS, Posting, REPLIES, plain};
use crate::parsed_page::Page;
use crate::records::PageThread;

/// Maximum number of forums around a thread, and of tags.
const FORUMS_MAX: usize = 16;
const TAGS_MAX: usize = 64;
/// Maximum length of a name or title, in bytes.
const NAME_BYTES_MAX: usize = 1_000;

/// Types of what posts are part of that is no thread.
const NO_THREADS: [&str; 3] = ["WebSite", "Blog", "Organization"];

/// Returns the thread of the posts: of the first one that opens a thread, or that all are part of. Without posts there
/// is one if the page describes one with a title.
pub(super) fn thread(items: &Items<'_>, page: &Page, postings: &[Posting]) -> Option<PageThread> {
    let mut openings = items.all().filter(|(_, item)| item.is_a(&POSTS) && !item.is_a(&REPLIES));
    let opening = openings.find(|(_, item)| item.owner.as_ref().is_none_or(|(_, name)| name != "sharedContent"));
    let opening = opening.map(|(at, _)| at).filter(|at| is_single(items, *at));
    let whole = postings.iter().find_map(|posting| items.child(posting.item, &["isPartOf"]));
    let whole = whole.filter(|whole| !items.item(*whole).is_a(&NO_THREADS));
    let of = opening.or(whole)?;
    let url = items.address(of, &["discussionUrl", "url"]).or_else(|| items.item(of).id.clone());
    let url = url.or_else(|| items.address(of, &["mainEntityOfPage"])).and_then(|url| absolute(page, &url));
    let title = short(items, of, &["headline", "name"]);
    let forums = breadcrumbs(items, page, title.as_deref());
    let section = || short(items, of, &["articleSection"]).into_iter().collect();
    Some(PageThread {
        url: url.filter(|url| !is_front(url)),
        forums: if forums.is_empty() { section() } else { forums },
        tags: tags(items, of),
        title,
    })
}

/// Returns the thread of a post of a list: the one that it is part of, or that it opens.
pub(super) fn own_thread(items: &Items<'_>, page: &Page, posting: &Posting) -> Option<PageThread> {
    let whole = items.child(posting.item, &["isPartOf"]).filter(|whole| !items.item(*whole).is_a(&NO_THREADS));
    let opens = || (!items.item(posting.item).is_a(&REPLIES)).then_some(posting.item);
    let of = whole.or_else(opens)?;
    let url = items.address(of, &["discussionUrl", "url"]).or_else(|| items.item(of).id.clone());
    let title = short(items, of, &["headline", "name"])?;
    Some(PageThread {
        url: url.and_then(|url| absolute(page, &url)),
        title: Some(title),
        tags: tags(items, of),
        ..PageThread::default()
    })
}

/// Whether all items that open a thread have the title of this one: the posts of a list have their own.
fn is_single(items: &Items<'_>, opening: ItemIndex) -> bool {
    let title = |at| short(items, at, &["headline", "name"]);
    let types = ["DiscussionForumPosting", "Question", "SocialMediaPosting", "BlogPosting", "Article"];
    let others = items.all().filter(|(_, item)| item.is_a(&types));
    let is_owned =
        |at: ItemIndex| items.item(at).owner.as_ref().is_some_and(|(owner, _)| items.item(*owner).is_a(&POSTS));
    let first = title(opening);
    let mut others = others.filter(|(at, _)| *at != opening && !is_owned(*at));
    others.all(|(at, _)| title(at).is_none_or(|other| Some(other) == first))
}

fn short(items: &Items<'_>, at: ItemIndex, names: &[&str]) -> Option<String> {
    items.text(at, names).map(|text| plain(&text).0).filter(|text| (1..=NAME_BYTES_MAX).contains(&text.len()))
}

fn tags(items: &Items<'_>, at: ItemIndex) -> Vec<String> {
    let texts = items.values(at, &["keywords"]).filter_map(|value| items.text_of(value));
    let mut tags: Vec<String> = Vec::new();
    for tag in texts.flat_map(|text| text.split(',').map(|tag| plain(tag).0).collect::<Vec<_>>()) {
        if !tag.is_empty() && tag.len() <= NAME_BYTES_MAX && tags.len() < TAGS_MAX && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// Returns the names of the first list of breadcrumbs without the front page of the site and the page itself.
pub(super) fn breadcrumbs(items: &Items<'_>, page: &Page, title: Option<&str>) -> Vec<String> {
    let Some((list, _)) = items.all().find(|(_, item)| item.is_a(&["BreadcrumbList"])) else { return Vec::new() };
    let elements = items.values(list, &["itemListElement"]);
    let mut crumbs: Vec<Crumb> = Vec::new();
    for (number, element) in elements.take(FORUMS_MAX * 2).enumerate() {
        let ItemValue::Item(element) = element else { continue };
        let inner = items.child(*element, &["item"]);
        let name = short(items, *element, &["name"]).or_else(|| short(items, inner?, &["name"]));
        let name = name.or_else(|| items.values(*element, &["item"]).find_map(|value| items.text_of(value)));
        let url = items.address(*element, &["item", "url"]).or_else(|| items.address(inner?, &["url"]));
        let position = items.text(*element, &["position"]).and_then(|text| text.parse().ok());
        if let Some(name) = name.filter(|name| !name.starts_with("http")) {
            let (position, url) = (position.unwrap_or(number as u32), url.and_then(|url| absolute(page, &url)));
            crumbs.push(Crumb { position, name, url });
        }
    }
    crumbs.sort_by_key(|crumb| crumb.position);
    if crumbs.last().is_some_and(|last| last.is_page(page, title)) {
        crumbs.pop();
    }
    let first_is_front = crumbs.first().is_some_and(Crumb::is_front);
    crumbs.into_iter().skip(usize::from(first_is_front)).map(|crumb| crumb.name).take(FORUMS_MAX).collect()
}

/// A page around this one, as breadcrumbs name it.
struct Crumb {
    position: u32,
    name: String,
    url: Option<String>,
}

impl Crumb {
    /// Whether it is the front page of the site.
    fn is_front(&self) -> bool {
        self.url.as_deref().is_some_and(is_front)
    }

    /// Whether it is the page itself.
    fn is_page(&self, page: &Page, title: Option<&str>) -> bool {
        let is_titled = || page.head.title.as_deref().is_some_and(|title| title.starts_with(&self.name));
        match self.url.as_deref() {
            _ if title == Some(&self.name) => true,
            Some(url) => url == page.url.as_str(),
            None => is_titled(),
        }
    }
}
