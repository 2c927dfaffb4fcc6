//! A forum that builds its pages in the browser: `/t/12` is an empty shell and a script that requests JSON.
//!
//! It is for crawlers that render pages. Its ways of loading content: lists that load more when they are scrolled,
//! posts behind a button, tabs, links that are no anchors (`history.pushState`), topics behind the `#`. Its pages
//! "about" and "rules" are complete without a script. Every page leads to its content without an answer of
//! `/api/private/`, which robots.txt disallows, and without one of the actions (`action`), which send POST.
//!
//! Unlike on other sites, most URLs are reachable only for a client that runs the script and uses the controls that
//! read. What each page then shows is part of the ground truth (`shown`). Its sitemap lists only the pages that need
//! no script.

mod api;
mod content;
mod render;

use super::host::Host;
use super::path::{Routing, push, segments, split, trailing_number};
use super::render::Page;
use super::site::{Facts, Rendering, Resource, Routes, Site};

pub(super) use api::{Action, action};

/// Number of topics of the help page.
const HELP_TOPICS: u64 = 5;
/// The pages that need no script.
const COMPLETE: [ClientRoute; 2] = [ClientRoute::About, ClientRoute::Rules];

/// The software of one site that builds its pages in the browser.
#[derive(Debug)]
pub(super) struct Client {
    host: Host,
    threads: u64,
    forums: u64,
    users: u64,
    collections: u64,
}

/// The URL of a page. Everything is numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ClientRoute {
    Home,
    About,
    Rules,
    Help,
    Forum(u64),
    Thread(u64),
    User(u64),
    Collection(u64),
}

impl Client {
    /// Creates a site with `threads` threads, at least one.
    pub fn new(host: Host, threads: u64) -> Self {
        let threads = threads.max(1);
        Self {
            host,
            threads,
            forums: (threads / 60).clamp(1, 40),
            // At most as many as threads, because every user starts one.
            users: threads / 4 + 1,
            collections: (threads / 20).clamp(1, 12),
        }
    }

    fn is_alive(&self, thread: u64) -> bool {
        thread < self.threads && !self.host.is_dead("gone", thread)
    }

    /// Returns the path of a page.
    fn path(&self, route: ClientRoute) -> String {
        let mut path = String::new();
        self.write_path(route, &mut path);
        path
    }
}

impl Routing for Client {
    type Route = ClientRoute;

    fn write_path(&self, route: ClientRoute, out: &mut String) {
        let (folder, number) = match route {
            ClientRoute::Home => return out.push('/'),
            ClientRoute::About => return out.push_str("/about"),
            ClientRoute::Rules => return out.push_str("/rules"),
            ClientRoute::Help => return out.push_str("/help"),
            ClientRoute::User(user) => {
                out.push_str("/u/");
                return out.push_str(&self.user_name(user));
            }
            ClientRoute::Forum(forum) => ("/f/", forum),
            ClientRoute::Thread(thread) => ("/t/", thread),
            ClientRoute::Collection(collection) => ("/c/", collection),
        };
        out.push_str(folder);
        push(out, number);
    }
}

impl Site for Client {
    fn host(&self) -> &Host {
        &self.host
    }

    fn routes(&self) -> Routes<'_, ClientRoute> {
        let fixed = [ClientRoute::Home, ClientRoute::About, ClientRoute::Rules, ClientRoute::Help].into_iter();
        let forums = (0..self.forums).map(ClientRoute::Forum);
        let threads = (0..self.threads).map(ClientRoute::Thread);
        let users = (0..self.users).map(ClientRoute::User);
        let collections = (0..self.collections).map(ClientRoute::Collection);
        Box::new(fixed.chain(forums).chain(threads).chain(users).chain(collections))
    }

    fn guess(&self, path_and_query: &str) -> Option<ClientRoute> {
        let (parts, count) = segments(split(path_and_query).0);
        match &parts[..count] {
            [] => Some(ClientRoute::Home),
            ["about"] => Some(ClientRoute::About),
            ["rules"] => Some(ClientRoute::Rules),
            ["help"] => Some(ClientRoute::Help),
            ["f", forum] => forum.parse().ok().map(ClientRoute::Forum),
            ["t", thread] => thread.parse().ok().map(ClientRoute::Thread),
            ["u", name] => trailing_number(name, '-').map(ClientRoute::User),
            ["c", collection] => collection.parse().ok().map(ClientRoute::Collection),
            _ => None,
        }
    }

    fn exists(&self, route: ClientRoute) -> bool {
        match route {
            ClientRoute::Home | ClientRoute::About | ClientRoute::Rules | ClientRoute::Help => true,
            ClientRoute::Forum(forum) => forum < self.forums,
            ClientRoute::Thread(thread) => thread < self.threads,
            ClientRoute::User(user) => user < self.users,
            ClientRoute::Collection(collection) => collection < self.collections,
        }
    }

    fn facts(&self, route: ClientRoute) -> Facts<ClientRoute> {
        match route {
            ClientRoute::Home => Facts::page("client:home"),
            ClientRoute::About => Facts::page("client:about"),
            ClientRoute::Rules => Facts::page("client:rules"),
            ClientRoute::Help => Facts::page("client:help"),
            ClientRoute::Forum(_) => Facts::page("client:forum"),
            ClientRoute::Thread(thread) => Facts::content("client:thread").dead_if(!self.is_alive(thread)),
            ClientRoute::User(_) => Facts::content("client:user"),
            ClientRoute::Collection(_) => Facts::page("client:collection"),
        }
    }

    fn render(&self, route: ClientRoute, page: &mut Page<'_>) {
        render::render(self, route, page);
    }

    fn resource(&self, path_and_query: &str) -> Option<Resource> {
        api::answer(self, path_and_query)
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/api/private/"]
    }

    fn main_pages(&self) -> u64 {
        COMPLETE.len() as u64
    }

    fn main_page(&self, index: u64) -> ClientRoute {
        COMPLETE[index as usize % COMPLETE.len()]
    }

    fn rendering(&self, route: ClientRoute, fragment: &str) -> Option<Rendering<ClientRoute>> {
        render::rendering(self, route, fragment)
    }

    fn fragments(&self, route: ClientRoute) -> Vec<String> {
        let topics = if route == ClientRoute::Help { HELP_TOPICS } else { 0 };
        (0..topics).map(render::topic_fragment).collect()
    }
}
