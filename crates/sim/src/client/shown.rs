//! What the pages show after their script has run.

use super::super::site::Site;
use super::super::view::{Rendering, ShownPost, View};
use super::{Client, ClientRoute, HELP_TOPICS, api, render};

/// Returns the fragment that selects a help topic.
pub(super) fn topic_fragment(topic: u64) -> String {
    format!("/topic/{topic}")
}

/// Returns what a page shows. `None` if it is gone or the fragment selects nothing.
pub(super) fn rendering(site: &Client, route: ClientRoute, fragment: &str) -> Option<Rendering<ClientRoute>> {
    let topic = (0..HELP_TOPICS).find(|topic| topic_fragment(*topic) == fragment);
    let selects = fragment.is_empty() || (route == ClientRoute::Help && topic.is_some());
    if !selects || site.facts(route).status() != 200 {
        return None;
    }
    let in_html = View { posts: Vec::new(), links: render::links_in_html(route).to_vec() };
    let (on_load, complete) = match (route, topic) {
        (_, Some(topic)) => (help_topic(site, topic), help_topic(site, topic)),
        _ => (shown(site, route, Extent::OnLoad), shown(site, route, Extent::Complete)),
    };
    Some(Rendering {
        in_html,
        on_load: with_links(on_load, render::links_in_html(route)),
        complete: with_links(complete, render::links_in_html(route)),
        routed: if topic.is_some() { Vec::new() } else { routed(site, route) },
        requests: topic.map_or_else(|| requests(site, route), |topic| vec![format!("/api/help/{topic}")]),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    OnLoad,
    Complete,
}

fn with_links(mut view: View<ClientRoute>, links: &[ClientRoute]) -> View<ClientRoute> {
    view.links.extend(links);
    // The script adds the same navigation.
    view.links.extend(render::NAVIGATION);
    view
}

fn shown(site: &Client, route: ClientRoute, extent: Extent) -> View<ClientRoute> {
    match route {
        ClientRoute::Home => View { posts: Vec::new(), links: (0..site.forums).map(ClientRoute::Forum).collect() },
        ClientRoute::Forum(forum) => View { posts: Vec::new(), links: rows(site, forum, extent) },
        ClientRoute::Thread(thread) => thread_view(site, thread, extent),
        ClientRoute::User(user) => user_view(site, user, extent),
        ClientRoute::Collection(collection) => {
            let threads = site.collected(collection).into_iter();
            View { posts: Vec::new(), links: threads.map(ClientRoute::Thread).collect() }
        }
        ClientRoute::About | ClientRoute::Rules | ClientRoute::Help => View { posts: Vec::new(), links: Vec::new() },
    }
}

fn rows(site: &Client, forum: u64, extent: Extent) -> Vec<ClientRoute> {
    let last = if extent == Extent::OnLoad { 1 } else { site.forum_pages(forum) };
    let threads = (1..=last).flat_map(|page| site.threads_on(forum, page));
    threads.flat_map(|thread| [ClientRoute::Thread(thread), ClientRoute::User(site.starter_of(thread))]).collect()
}

fn thread_view(site: &Client, thread: u64, extent: Extent) -> View<ClientRoute> {
    let mut posts = site.posts_of(thread);
    if extent == Extent::OnLoad {
        posts.truncate(site.posts_per_answer() as usize);
    }
    let authors = posts.iter().map(|post| ClientRoute::User(site.author_of(*post)));
    let forum = ClientRoute::Forum(site.forum_of(thread));
    View { links: authors.chain([forum]).collect(), posts: shown_posts(site, &posts) }
}

fn user_view(site: &Client, user: u64, extent: Extent) -> View<ClientRoute> {
    let posts = site.posts_by(user);
    let topics = if extent == Extent::OnLoad { Vec::new() } else { site.topics_of(user) };
    let threads = posts.iter().map(|post| Client::thread_of(*post)).chain(topics);
    View { links: threads.map(ClientRoute::Thread).collect(), posts: shown_posts(site, &posts) }
}

fn help_topic(site: &Client, topic: u64) -> View<ClientRoute> {
    View { posts: vec![ShownPost { id: api::help_id(topic), text: site.help_text(topic) }], links: Vec::new() }
}

fn shown_posts(site: &Client, posts: &[u64]) -> Vec<ShownPost> {
    posts.iter().map(|post| ShownPost { id: api::post_id(*post), text: site.post_text(*post) }).collect()
}

fn routed(site: &Client, route: ClientRoute) -> Vec<String> {
    match route {
        ClientRoute::Home => (0..site.collections).map(|it| site.path(ClientRoute::Collection(it))).collect(),
        ClientRoute::Help => (0..HELP_TOPICS).map(|topic| format!("/help#{}", topic_fragment(topic))).collect(),
        _ => Vec::new(),
    }
}

fn requests(site: &Client, route: ClientRoute) -> Vec<String> {
    match route {
        ClientRoute::Home => vec!["/api/home".to_owned()],
        ClientRoute::Help => vec!["/api/help".to_owned()],
        ClientRoute::About | ClientRoute::Rules => Vec::new(),
        ClientRoute::Collection(collection) => vec![format!("/api/collection/{collection}")],
        ClientRoute::Forum(forum) => {
            (1..=site.forum_pages(forum)).map(|page| format!("/api/forum/{forum}/threads?page={page}")).collect()
        }
        ClientRoute::Thread(thread) => {
            let cursors = api::cursors(site, thread);
            cursors.into_iter().map(|cursor| format!("/api/thread/{thread}/posts?after={cursor}")).collect()
        }
        ClientRoute::User(user) => {
            let id = site.user_id(user);
            vec![format!("/api/user/{id}/posts"), format!("/api/user/{id}/topics")]
        }
    }
}
