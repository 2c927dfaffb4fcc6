//! Writes the HTML of the site: empty shells, and two pages that are complete; and what the pages show after their
//! script has run.

use super::super::render::Page;
use super::super::site::{Rendering, ShownPost, Site, View};
use super::{COMPLETE, Client, ClientRoute, HELP_TOPICS, api};

/// Makes the first page of a list higher than a window, so that the next one is not loaded at once.
const STYLE: &str = "<style>.row{min-height:240px}.end{height:20px}.collection{cursor:pointer}</style>\n";
const END: &str = "</body></html>\n";

/// Writes the HTML of `route`.
pub(super) fn render(site: &Client, route: ClientRoute, page: &mut Page<'_>) {
    page.head(|page| page.raw(&site.title_of(ClientRoute::Home)), "client");
    if COMPLETE.contains(&route) {
        return complete(site, route, page);
    }
    page.raw(STYLE);
    page.raw("<div id=\"app\"></div>\n");
    if let ClientRoute::User(user) = route {
        let state = serde_json::json!({ "user": { "id": site.user_id(user), "name": site.user_name(user) } });
        page.raw("<script>window.__STATE__=");
        page.raw(&state.to_string());
        page.raw("</script>\n");
    }
    page.raw("<script src=\"/app.js\"></script>\n");
    if route == ClientRoute::Home {
        footer(site, page);
    }
    page.raw(END);
}

/// The links of all pages; the script adds them to the shells.
pub(super) const NAVIGATION: [ClientRoute; 4] =
    [ClientRoute::Home, ClientRoute::Help, ClientRoute::About, ClientRoute::Rules];

/// Returns the links of the HTML before its script runs.
fn links_in_html(route: ClientRoute) -> &'static [ClientRoute] {
    match route {
        ClientRoute::About | ClientRoute::Rules => &NAVIGATION,
        ClientRoute::Home => &COMPLETE,
        _ => &[],
    }
}

/// The start page leads to the complete pages without a script.
fn footer(site: &Client, page: &mut Page<'_>) {
    page.raw("<footer>");
    links(site, ClientRoute::Home, page);
    page.raw("</footer>\n");
    page.network(2);
}

fn complete(site: &Client, route: ClientRoute, page: &mut Page<'_>) {
    page.raw("<nav>");
    links(site, route, page);
    page.raw("</nav>\n<main><h1>");
    page.raw(label(route));
    page.raw("</h1>\n<p>");
    page.prose(label(route), 0, site.host.shape.options.page_bytes);
    page.raw("</p></main>\n");
    page.network(2);
    page.raw(END);
}

fn links(site: &Client, of: ClientRoute, page: &mut Page<'_>) {
    for route in links_in_html(of) {
        page.link(site, *route, "", label(*route));
        page.raw("\n");
    }
}

const fn label(route: ClientRoute) -> &'static str {
    match route {
        ClientRoute::About => "About",
        ClientRoute::Rules => "Rules",
        ClientRoute::Help => "Help",
        _ => "Home",
    }
}

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
    let in_html = View { posts: Vec::new(), links: links_in_html(route).to_vec() };
    let (on_load, complete) = match (route, topic) {
        (_, Some(topic)) => (help_topic(site, topic), help_topic(site, topic)),
        _ => (shown(site, route, Extent::OnLoad), shown(site, route, Extent::Complete)),
    };
    Some(Rendering {
        in_html,
        on_load: with_links(on_load, links_in_html(route)),
        complete: with_links(complete, links_in_html(route)),
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
    view.links.extend(NAVIGATION);
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
