//! The answers to the script: JSON, and the script itself; and the requests that change something, of which a crawler
//! must send none.

use serde_json::{Value, json};

use super::super::path::{parameter, segments, split};
use super::super::site::{Resource, Site};
use super::{Client, ClientRoute, HELP_TOPICS};

const SCRIPT: &str = include_str!("app.js");
/// The cursor before the first post of a thread.
const START: &str = "0";

/// Returns the answer to a request for something other than a page. `None` if the path may be one of a page.
pub(super) fn answer(site: &Client, path_and_query: &str) -> Option<Resource> {
    let (path, query) = split(path_and_query);
    if path == "/app.js" {
        return Some(Resource { status: 200, content_type: "text/javascript; charset=utf-8", body: SCRIPT.to_owned() });
    }
    let (parts, count) = segments(path);
    let ["api", parts @ ..] = &parts[..count] else { return None };
    Some(match data(site, parts, query) {
        Some(value) => Resource::json(200, &value),
        None if action(path).is_some() => Resource::json(405, &json!({ "error": "send POST" })),
        None => Resource::json(404, &json!({ "error": "not found" })),
    })
}

fn data(site: &Client, parts: &[&str], query: &str) -> Option<Value> {
    match parts {
        ["home"] => Some(home(site)),
        ["private", "me"] => Some(json!({ "name": "guest" })),
        ["help"] => Some(help(site)),
        ["help", topic] => help_topic(site, topic.parse().ok()?),
        ["collection", collection] => self::collection(site, collection.parse().ok()?),
        ["forum", forum, "threads"] => threads(site, forum.parse().ok()?, parameter(query, "page")?.parse().ok()?),
        ["thread", thread, "posts"] => posts(site, thread.parse().ok()?, parameter(query, "after")?),
        ["user", id, "posts"] => Some(user_posts(site, site.user_with_id(id.parse().ok()?)?)),
        ["user", id, "topics"] => Some(user_topics(site, site.user_with_id(id.parse().ok()?)?)),
        _ => None,
    }
}

/// Returns the id of the element of a post.
pub(super) fn post_id(post: u64) -> String {
    format!("post-{post}")
}

/// Returns the id of the element of a help topic.
pub(super) fn help_id(topic: u64) -> String {
    format!("help-{topic}")
}

/// Returns the cursors of the requests for all posts of a thread, in order.
pub(super) fn cursors(site: &Client, thread: u64) -> Vec<String> {
    let posts = site.posts_of(thread);
    let ends = posts.chunks(site.posts_per_answer() as usize).map(|posts| posts.last().copied().unwrap_or_default());
    let after = ends
        .map(|post| cursor_after(site, post))
        .take(posts.len().saturating_sub(1) / site.posts_per_answer() as usize);
    std::iter::once(START.to_owned()).chain(after).collect()
}

/// Returns the cursor behind a post. It does not show the number of the post, like those of many sites.
fn cursor_after(site: &Client, post: u64) -> String {
    format!("c{:x}", site.host().seed.child("cursor").nth(post).0)
}

fn home(site: &Client) -> Value {
    let forums: Vec<Value> = (0..site.forums).map(|forum| entry(site, ClientRoute::Forum(forum))).collect();
    let collections = (0..site.collections)
        .map(|id| json!({ "id": id, "title": site.title_of(ClientRoute::Collection(id)) }))
        .collect::<Vec<_>>();
    json!({ "title": site.title_of(ClientRoute::Home), "forums": forums, "collections": collections })
}

/// Returns the title and the path of a page.
fn entry(site: &Client, route: ClientRoute) -> Value {
    json!({ "title": site.title_of(route), "url": site.path(route) })
}

fn person(site: &Client, user: u64) -> Value {
    json!({ "name": site.user_name(user), "url": site.path(ClientRoute::User(user)) })
}

fn threads(site: &Client, forum: u64, page: u64) -> Option<Value> {
    let exists = site.exists(ClientRoute::Forum(forum)) && (1..=site.forum_pages(forum)).contains(&page);
    let row = |thread: u64| {
        let mut row = entry(site, ClientRoute::Thread(thread));
        row["author"] = person(site, site.starter_of(thread));
        row
    };
    exists.then(|| {
        let threads: Vec<Value> = site.threads_on(forum, page).into_iter().map(row).collect();
        let (title, pages) = (site.title_of(ClientRoute::Forum(forum)), site.forum_pages(forum));
        json!({ "title": title, "page": page, "pages": pages, "threads": threads })
    })
}

fn posts(site: &Client, thread: u64, after: &str) -> Option<Value> {
    let all = site.posts_of(thread);
    let start = match after {
        START if !all.is_empty() => 0,
        cursor => 1 + all.iter().position(|post| cursor_after(site, *post) == cursor)?,
    };
    let end = (start + site.posts_per_answer() as usize).min(all.len());
    let post = |post: &u64| {
        let path = format!("/api/post/{post}");
        json!({
            "id": post_id(*post), "text": site.post_text(*post), "author": person(site, site.author_of(*post)),
            "actions": { "vote": format!("{path}/vote"), "delete": format!("{path}/delete") },
        })
    };
    let posts: Vec<Value> = all[start..end].iter().map(post).collect();
    let next = (end < all.len()).then(|| cursor_after(site, all[end - 1]));
    let (title, forum) = (site.title_of(ClientRoute::Thread(thread)), ClientRoute::Forum(site.forum_of(thread)));
    Some(json!({ "title": title, "forum": entry(site, forum), "posts": posts, "next": next }))
}

fn user_posts(site: &Client, user: u64) -> Value {
    let post = |post: u64| {
        let thread = ClientRoute::Thread(Client::thread_of(post));
        json!({ "id": post_id(post), "text": site.post_text(post), "thread": entry(site, thread) })
    };
    json!({ "posts": site.posts_by(user).into_iter().map(post).collect::<Vec<_>>() })
}

/// The topics are HTML within JSON. Titles contain letters and spaces only.
fn user_topics(site: &Client, user: u64) -> Value {
    let item = |thread: u64| {
        let route = ClientRoute::Thread(thread);
        format!("<li><a class=\"title\" href=\"{}\">{}</a></li>", site.path(route), site.title_of(route))
    };
    let items: String = site.topics_of(user).into_iter().map(item).collect();
    json!({ "html": format!("<ul class=\"threads\">{items}</ul>") })
}

fn collection(site: &Client, collection: u64) -> Option<Value> {
    let route = ClientRoute::Collection(collection);
    site.exists(route).then(|| {
        let threads = site.collected(collection).into_iter().map(|thread| entry(site, ClientRoute::Thread(thread)));
        let text = site.text("collection text", collection, 200);
        json!({ "title": site.title_of(route), "text": text, "threads": threads.collect::<Vec<_>>() })
    })
}

fn help(site: &Client) -> Value {
    let topic = |id: u64| json!({ "id": id, "title": site.title("help", id) });
    json!({ "title": "Help", "topics": (0..HELP_TOPICS).map(topic).collect::<Vec<_>>() })
}

fn help_topic(site: &Client, topic: u64) -> Option<Value> {
    let post = || json!({ "id": help_id(topic), "text": site.help_text(topic) });
    (topic < HELP_TOPICS).then(|| json!({ "title": site.title("help", topic), "post": post() }))
}

/// What a request with a method other than GET and HEAD asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Action {
    /// A vote for a post.
    Vote,
    /// The deletion of a post.
    Delete,
    /// The end of the log-in.
    LogOut,
}

/// Returns the action at a path.
pub(in super::super) fn action(path_and_query: &str) -> Option<Action> {
    let (parts, count) = segments(split(path_and_query).0);
    match &parts[..count] {
        ["api", "post", _, "vote"] => Some(Action::Vote),
        ["api", "post", _, "delete"] => Some(Action::Delete),
        ["api", "log-out"] => Some(Action::LogOut),
        _ => None,
    }
}
