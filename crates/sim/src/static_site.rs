//! A static site of plain pages for benchmarks: cheap to serve, with every page reachable in few steps.
//!
//! Page n links to its children 8n + 1 … 8n + 8, to a navigation bar of the first pages and to random pages, in the
//! markup of a forum. Most bytes of a page are one of a few blocks of text generated once; a sentence or two are
//! unique. Where the site has tags, page n shows the tags n and n + 1, modulo their number, instead of two random
//! links, and further pages list the pages of each tag.

use super::host::Host;
use super::path::push;
use super::render::Page;
use super::routing::Routing;
use super::site::{Facts, Routes, Site};
use super::tag_lists::TagLists;

/// Number of children of a page in the tree that makes all pages reachable.
const CHILDREN: u64 = 8;
/// Number of pages that every page links to.
const NAVIGATION: u64 = 20;
/// Number of shared blocks of text.
const BLOCKS: u64 = 8;
/// Bytes of unique text: with fewer, crawlers that detect duplicates by text would discard pages.
const OWN_BYTES: usize = 240;
/// Number of paragraphs of a block.
const PARAGRAPHS: u64 = 16;

/// The static site.
#[derive(Debug)]
pub(super) struct StaticSite {
    host: Host,
    pages: u64,
    tags: TagLists,
    blocks: Vec<String>,
}

impl StaticSite {
    /// Creates a site of exactly `pages` pages (at least one), and the lists of tags.
    pub fn new(host: Host, pages: u64) -> Self {
        let blocks = (0..BLOCKS).map(|block| text_block(&host, block)).collect();
        let pages = pages.max(1);
        let tags = TagLists::new(host.shape.options.tags, pages);
        Self { host, pages, tags, blocks }
    }

    /// The route of a list of a tag.
    fn list(&self, route: u64) -> Option<u64> {
        route.checked_sub(self.pages).filter(|list| *list < self.tags.lists())
    }

    fn route_of_tag(&self, tag: u64) -> u64 {
        self.pages + self.tags.list(tag, 0)
    }

    fn render_rows(&self, route: u64, page: &mut Page<'_>) {
        if let Some(list) = self.list(route) {
            self.tags.pages(list).for_each(|to| self.row(to, page));
            return self.tags.next(list).into_iter().for_each(|next| self.row(self.pages + next, page));
        }
        let children = route * CHILDREN + 1..(route * CHILDREN + CHILDREN + 1).min(self.pages);
        for child in children {
            self.row(child, page);
        }
        let fixed = NAVIGATION + CHILDREN + self.tags.of(route).count() as u64;
        for _ in fixed..(self.host.shape.options.links as u64).max(fixed) {
            let to = page.draw(self.pages);
            self.row(to, page);
        }
    }

    fn render_tags(&self, route: u64, page: &mut Page<'_>) {
        for tag in self.tags.of(route).filter(|_| route < self.pages) {
            page.raw("<span class=\"tag\">");
            page.link_with(self, self.route_of_tag(tag), "tag", |page| page.number(tag));
            page.raw("</span>\n");
        }
    }

    fn row(&self, to: u64, page: &mut Page<'_>) {
        page.raw("<tr class=\"row\"><td class=\"subject\">");
        page.link_with(self, to, "title", |page| {
            page.raw("Thread ");
            page.number(to);
        });
        page.raw("</td></tr>\n");
    }
}

fn text_block(host: &Host, block: u64) -> String {
    let mut out = String::new();
    let bytes = host.shape.options.page_bytes.saturating_sub(2 * OWN_BYTES) / PARAGRAPHS as usize;
    for paragraph in 0..PARAGRAPHS {
        out.push_str("<div class=\"post\"><p class=\"message\">");
        let mut rng = host.seed.child("block").nth(block * PARAGRAPHS + paragraph).rng();
        host.shape.text.prose(&mut rng, bytes, &mut out);
        out.push_str("</p></div>\n");
    }
    out
}

impl Routing for StaticSite {
    type Route = u64;

    fn write_path(&self, route: u64, out: &mut String) {
        if route == 0 {
            return out.push('/');
        }
        if let Some(list) = self.list(route) {
            return self.tags.write_path(list, out);
        }
        out.push_str("/thread/");
        push(out, route);
        out.push_str(".html");
    }
}

impl Site for StaticSite {
    fn host(&self) -> &Host {
        &self.host
    }

    fn routes(&self) -> Routes<'_, u64> {
        Box::new(0..self.pages + self.tags.lists())
    }

    fn guess(&self, path_and_query: &str) -> Option<u64> {
        match path_and_query {
            "/" => Some(0),
            path => match path.strip_prefix("/thread/") {
                Some(thread) => thread.strip_suffix(".html")?.parse().ok(),
                None => Some(self.pages + self.tags.list_at(path)?),
            },
        }
    }

    fn exists(&self, route: u64) -> bool {
        route < self.pages + self.tags.lists()
    }

    fn facts(&self, route: u64) -> Facts<u64> {
        if route < self.pages { Facts::content("static:page") } else { Facts::page("static:tag") }
    }

    fn render(&self, route: u64, page: &mut Page<'_>) {
        page.head(|page| page.number(route), "static");
        page.raw("<ul class=\"nav\">\n");
        for to in 0..NAVIGATION.min(self.pages) {
            page.item(self, to, "navlink", |page| page.number(to));
        }
        page.raw("</ul>\n<table class=\"threads\"><tbody>\n");
        self.render_rows(route, page);
        page.raw("</tbody></table>\n");
        self.render_tags(route, page);
        page.raw("<div class=\"post\"><p class=\"message\">");
        page.prose("thread", route, OWN_BYTES);
        page.raw("</p></div>\n");
        page.raw(&self.blocks[(route % BLOCKS) as usize]);
        page.raw("</body></html>\n");
    }

    fn tags(&self, route: u64) -> Vec<String> {
        self.tags.of(route).filter(|_| route < self.pages).map(TagLists::name).collect()
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &[]
    }

    fn main_pages(&self) -> u64 {
        self.pages
    }

    fn main_page(&self, index: u64) -> u64 {
        index
    }
}
