//! What every family answers: which URLs it has, what each of them is, and how its page is written.
//!
//! A family describes a URL as a `Route`, a small value. The ground truth (`routes` with `facts`) and the responses
//! (`resolve` with `facts`) share one description, so that they cannot contradict each other.

use std::fmt::Debug;
use std::sync::Arc;

use super::changes::SiteTime;
use super::options::WorldOptions;
use super::render::Page;
use super::text::Text;
use harvestman_core::seed::Seed;

/// What all hosts of a world share.
#[derive(Debug)]
pub(super) struct Shape {
    pub options: WorldOptions,
    pub text: Text,
    /// The names of all hosts but the portal, in the order in which the portal lists them.
    pub hosts: Vec<String>,
    /// The name of the portal's host, where there is one.
    pub portal: Option<String>,
    /// The time of a site that changes.
    pub time: Option<SiteTime>,
}

impl Shape {
    /// Items on one page of a list.
    pub fn per_page(&self) -> u64 {
        (self.options.links as u64 / 2).clamp(4, 50)
    }

    /// Links in a sidebar.
    pub fn aside(&self) -> u64 {
        (self.options.links as u64 / 4).clamp(1, 30)
    }

    /// Extra sort orders that lists have: none without duplicates, else one or two.
    pub fn sort_orders(&self) -> u64 {
        (self.options.duplicates * 2.0).ceil() as u64
    }
}

/// One host of the world: its name and where its draws start.
#[derive(Debug, Clone)]
pub(super) struct Host {
    pub name: String,
    pub seed: Seed,
    pub shape: Arc<Shape>,
}

impl Host {
    /// Whether item `id` is among the `share` of its `kind`.
    pub fn coin(&self, kind: &str, id: u64, share: f64) -> bool {
        self.fraction(kind, id) < share
    }

    /// A number from 0 up to but not including `end` that belongs to item `id`.
    pub fn below(&self, kind: &str, id: u64, end: u64) -> u64 {
        self.seed.child(kind).nth(id).0 % end.max(1)
    }

    /// A heavy-tailed number from 0 to `most`: half of the items have less than an eighth of it.
    pub fn heavy(&self, kind: &str, id: u64, most: u64) -> u64 {
        (self.fraction(kind, id).powi(3) * (most + 1) as f64) as u64
    }

    /// Whether item `id` is listed but gone.
    pub fn is_dead(&self, kind: &str, id: u64) -> bool {
        self.coin(kind, id, self.shape.options.dead_links)
    }

    /// Appends the title of item `id`, its words separated by `separator`.
    pub fn title(&self, kind: &str, id: u64, separator: char, out: &mut String) {
        self.shape.text.title(self.seed.child(kind).nth(id), separator, out);
    }

    fn fraction(&self, kind: &str, id: u64) -> f64 {
        (self.seed.child(kind).nth(id).0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// What answers a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer<R> {
    /// A page.
    Page,
    /// A page that shows what `R` shows too: another address or another order of the same content.
    View(R),
    /// A redirect (301 or 302) to `R`.
    Redirect(u16, R),
    /// Listed, but gone: 404.
    Dead,
    /// A file that is no HTML.
    File(&'static str),
}

/// What is true of a URL.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts<R> {
    pub page_type: &'static str,
    /// Whether it shows what users made (threads, posts, answers, photos, profiles).
    pub ucc: bool,
    pub answer: Answer<R>,
    /// Whether robots.txt allows it where it has rules at all.
    pub allowed: bool,
}

impl<R> Facts<R> {
    /// A page of the site itself: lists, forms, help.
    pub const fn page(page_type: &'static str) -> Self {
        Self { page_type, ucc: false, answer: Answer::Page, allowed: true }
    }

    /// A page of what users made.
    pub const fn content(page_type: &'static str) -> Self {
        Self { page_type, ucc: true, answer: Answer::Page, allowed: true }
    }

    /// A redirect.
    pub const fn redirect(page_type: &'static str, status: u16, to: R) -> Self {
        Self { page_type, ucc: false, answer: Answer::Redirect(status, to), allowed: true }
    }

    /// A file that is no HTML.
    pub const fn file(page_type: &'static str, media_type: &'static str) -> Self {
        Self { page_type, ucc: false, answer: Answer::File(media_type), allowed: true }
    }

    /// The same, as another view of `of`.
    pub fn view_of(self, of: R) -> Self {
        Self { answer: Answer::View(of), ..self }
    }

    /// The same, kept from robots.
    pub fn disallowed(self) -> Self {
        Self { allowed: false, ..self }
    }

    /// The same, but gone where `dead`.
    pub fn dead_if(self, dead: bool) -> Self {
        if dead { Self { answer: Answer::Dead, ucc: false, ..self } } else { self }
    }

    /// The status that answers the URL, transient errors left aside.
    pub const fn status(&self) -> u16 {
        match self.answer {
            Answer::Page | Answer::View(_) | Answer::File(_) => 200,
            Answer::Redirect(status, _) => status,
            Answer::Dead => 404,
        }
    }
}

/// A boxed iterator over the routes of a site.
pub(super) type Routes<'a, R> = Box<dyn Iterator<Item = R> + 'a>;

/// The software of one host.
///
/// Each URL in `routes` is linked from an allowed page that is itself reachable from the home page through allowed pages,
/// and pages link to nothing else on the host. So what can be reached is the same whether or not a crawler keeps to
/// robots.txt, follows redirects, or reads the links on error pages.
pub(super) trait Site {
    /// One of the site's URLs.
    type Route: Copy + PartialEq + Debug;

    /// The host that it runs on.
    fn host(&self) -> &Host;
    /// Every URL that links lead to, once.
    fn routes(&self) -> Routes<'_, Self::Route>;
    /// The route that a path looks like; it need not exist nor be spelled that way.
    fn guess(&self, path_and_query: &str) -> Option<Self::Route>;
    /// Whether links lead to `route`.
    fn exists(&self, route: Self::Route) -> bool;
    /// Appends the path and query of `route`, in canonical spelling.
    fn write_path(&self, route: Self::Route, out: &mut String);
    /// What is true of `route`.
    fn facts(&self, route: Self::Route) -> Facts<Self::Route>;
    /// Writes the page of `route`, which answers 200.
    fn render(&self, route: Self::Route, page: &mut Page<'_>);
    /// What robots.txt disallows; agrees with `facts`.
    fn disallowed(&self) -> &'static [&'static str];
    /// How many pages the sitemap names.
    fn main_pages(&self) -> u64;
    /// The `index`-th of them.
    fn main_page(&self, index: u64) -> Self::Route;

    /// Appends the fragment that the redirect of `route` leads to; most have none.
    fn redirect_fragment(&self, _route: Self::Route, _out: &mut String) {}

    /// The route of a path and query, where links lead there in exactly this spelling.
    fn resolve(&self, path_and_query: &str) -> Option<Self::Route> {
        let route = self.guess(path_and_query).filter(|route| self.exists(*route))?;
        let mut canonical = String::with_capacity(path_and_query.len());
        self.write_path(route, &mut canonical);
        (canonical == path_and_query).then_some(route)
    }
}

/// A site that has at least `pages` pages which answer 200 and are allowed, while the next smaller one has fewer.
///
/// The count grows roughly linearly with the scale, so scaling by the ratio of wanted to had brackets the answer in a few
/// rounds; bisection finds it. Each round takes time proportional to `pages`, and no memory.
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

/// Number of pages that answer 200 and are allowed; counts no further than `most`.
fn fetchable_up_to<S: Site>(site: &S, most: u64) -> u64 {
    let disallow = site.host().shape.options.disallow;
    let fetchable = |route: &S::Route| {
        let facts = site.facts(*route);
        facts.status() == 200 && (facts.allowed || !disallow)
    };
    site.routes().filter(fetchable).take(usize::try_from(most).unwrap_or(usize::MAX)).count() as u64
}
