//! The interface of site families: their URLs, the properties of each, its page, and what it shows if it is built in
//! the browser.
//!
//! A family describes a URL as a `Route`, a small value. The ground truth (`routes` with `facts`) and the responses
//! (`resolve` with `facts`) share one description, so that they cannot contradict each other.

use serde::{Deserialize, Serialize};

use super::host::Host;
use super::path::Routing;
use super::render::Page;

/// The answer of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer<R> {
    /// A page.
    Page,
    /// A page with the same content as `R`: another address or another order.
    View(R),
    /// A redirect (301 or 302) to `R`.
    Redirect(u16, R),
    /// Listed, but gone: 404.
    Dead,
    /// A file other than HTML.
    File(&'static str),
}

/// The properties of a URL.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts<R> {
    pub page_type: &'static str,
    /// Whether it shows user-created content (threads, posts, answers, photos, profiles).
    pub ucc: bool,
    pub answer: Answer<R>,
    /// Whether robots.txt allows it if it has rules.
    pub allowed: bool,
}

impl<R> Facts<R> {
    /// Creates a page of the site itself: lists, forms, help.
    pub const fn page(page_type: &'static str) -> Self {
        Self { page_type, ucc: false, answer: Answer::Page, allowed: true }
    }

    /// Creates a page of user-created content.
    pub const fn content(page_type: &'static str) -> Self {
        Self { page_type, ucc: true, answer: Answer::Page, allowed: true }
    }

    /// Creates a redirect.
    pub const fn redirect(page_type: &'static str, status: u16, to: R) -> Self {
        Self { page_type, ucc: false, answer: Answer::Redirect(status, to), allowed: true }
    }

    /// A file other than HTML.
    pub const fn file(page_type: &'static str, media_type: &'static str) -> Self {
        Self { page_type, ucc: false, answer: Answer::File(media_type), allowed: true }
    }

    /// Makes it a duplicate view of `of`.
    pub fn view_of(self, of: R) -> Self {
        Self { answer: Answer::View(of), ..self }
    }

    /// Disallows it in robots.txt.
    pub fn disallowed(self) -> Self {
        Self { allowed: false, ..self }
    }

    /// Removes it if `dead`.
    pub fn dead_if(self, dead: bool) -> Self {
        if dead { Self { answer: Answer::Dead, ucc: false, ..self } } else { self }
    }

    /// Returns the status of the answer, ignoring transient errors.
    pub const fn status(&self) -> u16 {
        match self.answer {
            Answer::Page | Answer::View(_) | Answer::File(_) => 200,
            Answer::Redirect(status, _) => status,
            Answer::Dead => 404,
        }
    }
}

/// An answer that is not a page: a script, or data for one.
#[derive(Debug)]
pub(super) struct Resource {
    pub status: u16,
    pub content_type: &'static str,
    pub body: String,
}

impl Resource {
    /// Creates one of JSON.
    pub fn json(status: u16, value: &serde_json::Value) -> Self {
        Self { status, content_type: "application/json", body: value.to_string() }
    }
}

/// A boxed iterator over the routes of a site.
pub(super) type Routes<'a, R> = Box<dyn Iterator<Item = R> + 'a>;

/// The software of one host.
///
/// Each URL in `routes` is linked from an allowed page that is itself reachable from the home page through allowed
/// pages, and pages link to nothing else on the host. Therefore the set of reachable URLs does not depend on whether a
/// crawler obeys robots.txt, follows redirects, or reads links on error pages.
pub(super) trait Site: Routing {
    /// Returns its host.
    fn host(&self) -> &Host;
    /// Returns every linked URL once.
    fn routes(&self) -> Routes<'_, Self::Route>;
    /// Returns the route that a path resembles; it need not exist or be spelled that way.
    fn guess(&self, path_and_query: &str) -> Option<Self::Route>;
    /// Returns whether `route` is linked.
    fn exists(&self, route: Self::Route) -> bool;
    /// Returns the properties of `route`.
    fn facts(&self, route: Self::Route) -> Facts<Self::Route>;
    /// Writes the page of `route`, which answers 200.
    fn render(&self, route: Self::Route, page: &mut Page<'_>);
    /// Returns the patterns that robots.txt disallows; consistent with `facts`.
    fn disallowed(&self) -> &'static [&'static str];
    /// Returns the number of pages in the sitemap.
    fn main_pages(&self) -> u64;
    /// Returns the `index`-th of them.
    fn main_page(&self, index: u64) -> Self::Route;

    /// Appends the fragment of the redirect target of `route`; most have none.
    fn redirect_fragment(&self, _route: Self::Route, _out: &mut String) {}

    /// Returns the tags of the item that `route` shows; most pages show none.
    fn tags(&self, _route: Self::Route) -> Vec<String> {
        Vec::new()
    }

    /// Returns the answer to a path that is not of a page; most sites have none. These are not in the ground truth.
    fn resource(&self, _path_and_query: &str) -> Option<Resource> {
        None
    }

    /// Returns what the page of `route` with a fragment shows after its script has run; only sites that are built in
    /// the browser have it.
    fn rendering(&self, _route: Self::Route, _fragment: &str) -> Option<Rendering<Self::Route>> {
        None
    }

    /// Returns the fragments that select further content on the page of `route`; most have none.
    fn fragments(&self, _route: Self::Route) -> Vec<String> {
        Vec::new()
    }

    /// Returns the route of a path and query, if it is linked in exactly this spelling.
    fn resolve(&self, path_and_query: &str) -> Option<Self::Route> {
        let route = self.guess(path_and_query).filter(|route| self.exists(*route))?;
        let mut canonical = String::with_capacity(path_and_query.len());
        self.write_path(route, &mut canonical);
        (canonical == path_and_query).then_some(route)
    }
}

/// Returns a site with at least `pages` pages that answer 200 and are allowed, where the next smaller site has fewer.
///
/// The count grows roughly linearly with the scale, so scaling by the ratio of wanted to actual pages brackets the
/// answer in a few rounds, and bisection finds it. Each round takes time proportional to `pages`, and no memory.
pub(super) fn fitted<S: Site>(pages: u64, of_scale: impl Fn(u64) -> S) -> S {
    let count_at = |scale: u64| fetchable_up_to(&of_scale(scale), pages);
    let (mut too_few, mut enough) = (0, 1);
    let mut count = count_at(enough);
    while count < pages {
        too_few = enough;
        enough = (enough + 1).max((u128::from(enough) * u128::from(pages) / u128::from(count.max(1))) as u64);
        count = count_at(enough);
    }
    while enough - too_few > 1 {
        let middle = too_few.midpoint(enough);
        if count_at(middle) < pages {
            too_few = middle;
        } else {
            enough = middle;
        }
    }
    of_scale(enough)
}

/// Counts the pages that answer 200 and are allowed, up to `most`.
fn fetchable_up_to<S: Site>(site: &S, most: u64) -> u64 {
    let disallow = site.host().shape.options.disallow;
    let fetchable = |route: &S::Route| {
        let facts = site.facts(*route);
        facts.status() == 200 && (facts.allowed || !disallow)
    };
    site.routes().filter(fetchable).take(usize::try_from(most).unwrap_or(usize::MAX)).count() as u64
}

/// A post in a page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShownPost {
    /// The id of its element.
    pub id: String,
    /// The text of its element of the class `text`.
    pub text: String,
}

/// What a page shows in one state, with links as routes.
#[derive(Debug)]
pub(super) struct View<R> {
    pub posts: Vec<ShownPost>,
    pub links: Vec<R>,
}

/// The same as [`RenderedPage`](super::RenderedPage) with routes and paths in place of URLs.
#[derive(Debug)]
pub(super) struct Rendering<R> {
    pub in_html: View<R>,
    pub on_load: View<R>,
    pub complete: View<R>,
    pub routed: Vec<String>,
    pub requests: Vec<String>,
}
