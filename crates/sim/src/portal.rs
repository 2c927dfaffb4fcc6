//! The portal: a directory of the world's hosts, where a crawl of the whole world starts.
//!
//! Not all blogs are listed; the others are found through the blogrolls.

use super::host::Host;
use super::listing::{has_page, on_page, pages};
use super::path::{Routing, page_number, push_page, segments, split};
use super::render::Page;
use super::site::{Facts, Routes, Site};

/// The software of the portal.
#[derive(Debug)]
pub(super) struct Portal {
    host: Host,
    /// Indices of the listed hosts among the world's hosts.
    listed: Vec<usize>,
}

/// A URL of the portal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PortalRoute {
    Home,
    Directory { page: u64 },
}

impl Portal {
    /// Creates a portal that lists the hosts `listed`.
    pub fn new(host: Host, listed: Vec<usize>) -> Self {
        Self { host, listed }
    }

    fn pages(&self) -> u64 {
        pages(self.listed.len() as u64, self.host.shape.per_page())
    }

    fn list(&self, number: u64, page: &mut Page<'_>) {
        page.raw("<dl class=\"directory\">\n");
        for at in on_page(number, self.listed.len() as u64, self.host.shape.per_page()) {
            let name = &self.host.shape.hosts[self.listed[at as usize]];
            page.raw("<dt>");
            page.link_home(name, "site", |page| page.raw(name));
            page.raw("</dt><dd>");
            page.prose("about", at, 80);
            page.raw("</dd>\n");
        }
        page.raw("</dl>\n");
        page.pager(self, number, self.pages(), "pager", |page| PortalRoute::Directory { page });
    }
}

impl Routing for Portal {
    type Route = PortalRoute;

    fn write_path(&self, route: PortalRoute, out: &mut String) {
        match route {
            PortalRoute::Home => out.push('/'),
            PortalRoute::Directory { page } => {
                out.push_str("/directory/");
                push_page(out, '?', page);
            }
        }
    }
}

impl Site for Portal {
    fn host(&self) -> &Host {
        &self.host
    }

    fn routes(&self) -> Routes<'_, PortalRoute> {
        Box::new(
            std::iter::once(PortalRoute::Home).chain((1..=self.pages()).map(|page| PortalRoute::Directory { page })),
        )
    }

    fn guess(&self, path_and_query: &str) -> Option<PortalRoute> {
        let (path, query) = split(path_and_query);
        let (parts, count) = segments(path);
        match &parts[..count] {
            [] => Some(PortalRoute::Home),
            ["directory"] => Some(PortalRoute::Directory { page: page_number(query) }),
            _ => None,
        }
    }

    fn exists(&self, route: PortalRoute) -> bool {
        match route {
            PortalRoute::Home => true,
            PortalRoute::Directory { page } => has_page(page, self.pages()),
        }
    }

    fn facts(&self, route: PortalRoute) -> Facts<PortalRoute> {
        match route {
            PortalRoute::Home => Facts::page("portal:home"),
            PortalRoute::Directory { .. } => Facts::page("portal:directory"),
        }
    }

    fn render(&self, route: PortalRoute, page: &mut Page<'_>) {
        page.head(|page| page.raw("All sites"), "portal");
        page.raw("<nav>");
        page.link(self, PortalRoute::Home, "home", "Home");
        page.raw(" ");
        page.link(self, PortalRoute::Directory { page: 1 }, "all", "All sites");
        page.raw("</nav>\n");
        match route {
            PortalRoute::Home => {
                page.raw("<p class=\"welcome\">");
                page.prose("welcome", 0, self.host.shape.options.page_bytes / 2);
                page.raw("</p>\n");
            }
            PortalRoute::Directory { page: number } => self.list(number, page),
        }
        page.raw("</body></html>\n");
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &[]
    }

    fn main_pages(&self) -> u64 {
        self.pages()
    }

    fn main_page(&self, index: u64) -> PortalRoute {
        PortalRoute::Directory { page: index + 1 }
    }
}
