//! A static site of plain pages for benchmarks: cheap to serve, with every page at a known address, and lists of the
//! tags that pages have.

use std::ops::Range;

use super::host::Host;
use super::path::{Routing, push};
use super::render::Page;
use super::site::{Facts, Routes, Site};

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

/// Maximum number of pages that a list shows.
const LISTED: u64 = 62;
/// Number of tags of a page.
const TAGS: u64 = 2;

/// The lists, numbered by their page and then by their tag.
#[derive(Debug)]
struct TagLists {
    tags: u64,
    pages: u64,
}

impl TagLists {
    /// The lists of the tags of this number of pages. There are no tags without pages.
    pub fn new(tags: u64, pages: u64) -> Self {
        Self { tags: tags.min(pages), pages }
    }

    /// The tags of a page: two of them, as far as there are as many.
    pub fn of(&self, page: u64) -> impl Iterator<Item = u64> + '_ {
        (0..TAGS.min(self.tags)).filter_map(move |at| (page + at).checked_rem(self.tags))
    }

    /// The name of a tag.
    pub fn name(tag: u64) -> String {
        format!("t{tag}")
    }

    /// The number of all lists.
    pub fn lists(&self) -> u64 {
        self.tags * self.pages_of_list()
    }

    /// The number of pages of the list of a tag.
    fn pages_of_list(&self) -> u64 {
        (self.entries().end).div_ceil(LISTED)
    }

    /// The entries of the whole list of a tag; the last ones may be empty.
    fn entries(&self) -> Range<u64> {
        0..self.pages.div_ceil(self.tags.max(1)) * TAGS.min(self.tags)
    }

    /// The page of a tag's list with this number, from 0.
    pub fn list(&self, tag: u64, page: u64) -> u64 {
        page * self.tags + tag
    }

    /// The pages that a list shows.
    pub fn pages(&self, list: u64) -> impl Iterator<Item = u64> + '_ {
        let (tag, page) = (list % self.tags, list / self.tags);
        let entries = page * LISTED..((page + 1) * LISTED).min(self.entries().end);
        let each = TAGS.min(self.tags);
        let pages = entries.map(move |entry| entry / each * self.tags + (tag + self.tags - entry % each) % self.tags);
        pages.filter(|page| *page < self.pages)
    }

    /// The list that continues a list.
    pub fn next(&self, list: u64) -> Option<u64> {
        Some(list + self.tags).filter(|next| *next < self.lists())
    }

    /// Appends the path of a list: `/tag/t3/`, `/tag/t3/page-2/`.
    pub fn write_path(&self, list: u64, out: &mut String) {
        out.push_str("/tag/");
        out.push_str(&Self::name(list % self.tags));
        out.push('/');
        if list >= self.tags {
            out.push_str("page-");
            push(out, list / self.tags + 1);
            out.push('/');
        }
    }

    /// The list at a path.
    fn list_at(&self, path: &str) -> Option<u64> {
        let mut parts = path.strip_prefix("/tag/t")?.strip_suffix('/')?.splitn(2, '/');
        let tag = parts.next()?.parse().ok().filter(|tag| *tag < self.tags)?;
        let page: u64 = parts.next().map_or(Some(1), |rest| rest.strip_prefix("page-")?.parse().ok())?;
        Some(self.list(tag, page.checked_sub(1)?)).filter(|list| *list < self.lists())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_lists_of_a_tag_show_the_pages_that_have_it() {
        for (tags, pages) in [(1, 1), (1, 200), (2, 7), (3, 500), (50, 1_000), (7, 3)] {
            let lists = TagLists::new(tags, pages);
            let lists = &lists;
            let shown = (0..lists.lists()).flat_map(|list| lists.pages(list).map(move |page| (list % tags, page)));
            let shown: Vec<_> = shown.collect();
            let all: BTreeSet<_> = (0..pages).flat_map(|page| lists.of(page).map(move |tag| (tag, page))).collect();
            assert_eq!(shown.iter().copied().collect::<BTreeSet<_>>(), all, "{tags} tags, {pages} pages");
            assert_eq!(shown.len(), all.len(), "each once");
            assert!((0..lists.lists()).all(|list| lists.pages(list).count() as u64 <= LISTED));
        }
    }

    #[test]
    fn paths_lead_to_their_lists_and_pages_of_lists_to_the_next() {
        let lists = TagLists::new(3, 500);
        assert!(lists.lists() > 3);
        for list in 0..lists.lists() {
            let mut path = String::new();
            lists.write_path(list, &mut path);
            assert_eq!(lists.list_at(&path), Some(list), "{path}");
            assert_eq!(lists.next(list).is_none(), list + 3 >= lists.lists());
        }
        for path in ["/tag/t3/", "/tag/t1", "/tag/tx/", "/tag/t1/page-0/", "/tag/t1/page-99/", "/tag/t1/2/"] {
            assert_eq!(lists.list_at(path), None, "{path}");
        }
    }

    #[test]
    fn without_tags_there_are_no_lists() {
        let lists = TagLists::new(0, 9);
        assert_eq!((lists.lists(), lists.of(3).count(), lists.list_at("/tag/t0/")), (0, 0, None));
    }
}
