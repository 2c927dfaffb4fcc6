//! Reads the thread of the posts of a page, the forums that it is in, and persons.

use super::items::{ItemIndex, ItemValue, Items, local_name};
use super::postings::{POSTS, Posting, REPLIES, plain};
use super::values::{absolute, is_address, is_front, read_date};
use crate::parsed_page::Page;
use crate::records::{PageThread, PageUser};

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
fn breadcrumbs(items: &Items<'_>, page: &Page, title: Option<&str>) -> Vec<String> {
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

/// Maximum number of users of a page: each is compared with all others.
const USERS_MAX: usize = 1_000;
/// Maximum length of a name, in bytes.
const USER_NAME_BYTES_MAX: usize = 200;
/// Kinds of interactions that are posts.
const WRITING: [&str; 5] = ["WriteAction", "CommentAction", "UserComments", "ReplyAction", "CreateAction"];

/// Returns the persons of a page: those whom it describes by more than that they wrote one of its posts.
pub(super) fn users(items: &Items<'_>, page: &Page) -> Vec<PageUser> {
    let mut users: Vec<PageUser> = Vec::new();
    for (at, item) in items.all().filter(|(_, item)| item.is_a(&["Person"])) {
        if users.len() >= USERS_MAX {
            break;
        }
        let Some(user) = user(items, at, page) else { continue };
        let is_author = item.owner.as_ref().is_some_and(|(_, name)| name != "mainEntity" && name != "child");
        let is_described = user.joined.is_some() || user.posts.is_some();
        let is_known = users.iter().any(|known| known.name == user.name && known.url == user.url);
        if (is_described || !is_author) && !is_known {
            users.push(user);
        }
    }
    users
}

fn user(items: &Items<'_>, at: ItemIndex, page: &Page) -> Option<PageUser> {
    let name = items.text(at, &["name", "alternateName", "givenName"]).map(|name| plain(&name).0);
    let name = name.filter(|name| (1..=USER_NAME_BYTES_MAX).contains(&name.len()))?;
    // The page of a profile was created when its person joined.
    let profile =
        items.item(at).owner.as_ref().filter(|(_, property)| property == "mainEntity").map(|(owner, _)| *owner);
    let profile = profile.filter(|owner| items.item(*owner).is_a(&["ProfilePage"]));
    let joined = profile.into_iter().chain([at]).find_map(|item| items.text(item, &["dateCreated", "memberSince"]));
    let joined = joined.and_then(|text| read_date(&text, page.fetched));
    let url = items.address(at, &["url", "uid"]).or_else(|| items.item(at).id.clone().filter(|id| is_address(id)));
    let url = url.and_then(|url| absolute(page, &url)).or_else(|| profile.map(|_| page.url.to_string()));
    Some(PageUser { url, name, joined, posts: posts(items, at) })
}

/// Returns the number of posts that a person wrote.
fn posts(items: &Items<'_>, at: ItemIndex) -> Option<u64> {
    ["agentInteractionStatistic", "interactionStatistic"].into_iter().find_map(|name| {
        items.values(at, &[name]).find_map(|value| {
            let ItemValue::Item(counter) = value else { return None };
            let kind =
                items.child(*counter, &["interactionType"]).and_then(|kind| items.item(kind).types.first().cloned());
            let kind = kind.or_else(|| items.address(*counter, &["interactionType"]))?;
            let is_writing = WRITING.contains(&local_name(&kind));
            let count = items.text(*counter, &["userInteractionCount"]).filter(|_| is_writing)?;
            count.replace([',', '.', ' '], "").parse().ok()
        })
    })
}
