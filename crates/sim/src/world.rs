//! The world: all hosts together, as a pure function from a URL to a response.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use super::blogs::{Blog, Neighbours};
use super::client::Client;
use super::forum::Forum;
use super::host::{Host, Shape, SiteTime};
use super::media::Media;
use super::options::{Error, Family, WorldOptions};
use super::portal::Portal;
use super::qa::Qa;
use super::render::Page;
use super::rendered::RenderedPage;
use super::site::{Answer, Site, fitted};
use super::static_site::StaticSite;
use super::text::Text;
use super::truth::{HTML, TruthRow};
use super::{rendered, robots, traps, truth};
use harvestman_core::seed::Seed;

/// The portal lists one in this number of blogs; the others are found through blogrolls.
const BLOGS_LISTED_ONE_IN: usize = 4;

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The `Content-Type`.
    pub content_type: &'static str,
    /// The `Location` of a redirect, an absolute URL, optionally with a fragment.
    pub location: Option<String>,
    /// The body.
    pub body: Bytes,
}

/// A simulated world of social sites. Cheap to clone; clones are equal.
#[derive(Debug, Clone)]
pub struct World {
    seed: Seed,
    shape: Arc<Shape>,
    sites: Arc<Vec<AnySite>>,
    by_name: Arc<HashMap<String, usize>>,
    /// `:8080`, or nothing for port 80.
    port: String,
}

#[derive(Debug)]
enum AnySite {
    Forum(Forum),
    Blog(Blog),
    Qa(Qa),
    Media(Media),
    Client(Client),
    Portal(Portal),
    Static(StaticSite),
}

/// Runs the same code for a site of any family.
macro_rules! with_site {
    ($any:expr, $site:ident => $body:expr) => {
        match $any {
            AnySite::Forum($site) => $body,
            AnySite::Blog($site) => $body,
            AnySite::Qa($site) => $body,
            AnySite::Media($site) => $body,
            AnySite::Client($site) => $body,
            AnySite::Portal($site) => $body,
            AnySite::Static($site) => $body,
        }
    };
}

impl AnySite {
    fn family(&self) -> &'static str {
        match self {
            Self::Forum(_) => Family::Forum.name(),
            Self::Blog(_) => Family::Blogs.name(),
            Self::Qa(_) => Family::Qa.name(),
            Self::Media(_) => Family::Media.name(),
            Self::Client(_) => Family::Client.name(),
            Self::Static(_) => Family::Static.name(),
            Self::Portal(_) => "portal",
        }
    }
}

impl World {
    /// Creates the world of `options` and `seed`. Takes time proportional to the number of pages (counting them, to get
    /// the size right), and memory proportional to the number of hosts.
    pub fn new(options: &WorldOptions, seed: Seed) -> Result<Self, Error> {
        options.validate()?;
        let plan = plan(options);
        let names = plan.iter().map(|planned| planned.name(&options.domain)).collect();
        let shape = Arc::new(Shape {
            options: options.clone(),
            text: Text::new(seed.child("words")),
            hosts: names,
            time: options.changes.then(SiteTime::default),
            portal: (options.hosts > 1).then(|| format!("portal.{}", options.domain)),
        });
        let sites = build(&plan, &shape, seed);
        let names = sites.iter().map(|site| with_site!(site, site => site.host().name.clone()));
        let by_name = names.enumerate().map(|(at, name)| (name, at)).collect();
        let port = port_text(options.port.unwrap_or(80));
        Ok(Self { seed, shape, sites: Arc::new(sites), by_name: Arc::new(by_name), port })
    }

    /// Returns the same world with another port in its URLs.
    #[must_use]
    pub fn with_port(mut self, port: u16) -> Self {
        self.port = port_text(port);
        self
    }

    /// Returns its options.
    pub fn options(&self) -> &WorldOptions {
        &self.shape.options
    }

    /// Advances the time of a changing world to this number of seconds after its start, in all clones.
    pub fn set_time(&self, seconds: u64) {
        self.shape.time.iter().for_each(|time| time.set(seconds));
    }

    /// Returns its time, in seconds from its start.
    pub fn time(&self) -> u64 {
        self.shape.time.as_ref().map_or(0, SiteTime::seconds)
    }

    /// Returns an independent world that differs only in its time.
    pub fn at(&self, seconds: u64) -> Self {
        let world = Self::new(self.options(), self.seed).expect("its options made a world before");
        world.set_time(seconds);
        Self { port: self.port.clone(), ..world }
    }

    /// Returns the pages that answered 200 at an earlier time and answer differently now, i.e. the changes that
    /// revisiting all pages would find.
    pub fn changed_since(&self, seconds: u64) -> impl Iterator<Item = TruthRow> {
        let (then, now) = (self.at(seconds), self.at(self.time()));
        let rows: Vec<TruthRow> = then.truth().filter(|row| row.status == 200).collect();
        rows.into_iter().filter(move |row| {
            let path = row.url.splitn(4, '/').nth(3).unwrap_or_default();
            let path = format!("/{path}");
            then.respond(&row.host, &path) != now.respond(&row.host, &path)
        })
    }

    /// Returns its seed.
    pub const fn seed(&self) -> Seed {
        self.seed
    }

    /// Returns the URLs from which the whole ground truth can be reached.
    pub fn seeds(&self) -> Vec<String> {
        let start = self.shape.portal.as_deref().or(self.shape.hosts.first().map(String::as_str));
        start.map(|host| format!("http://{host}{}/", self.port)).into_iter().collect()
    }

    /// Returns the names of all hosts, without ports; the portal is last.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.shape.hosts.iter().chain(&self.shape.portal).map(String::as_str)
    }

    /// Returns every URL that is reachable by links from [`World::seeds`], once, computed lazily.
    pub fn truth(&self) -> impl Iterator<Item = TruthRow> + '_ {
        self.sites.iter().flat_map(|any| with_site!(any, site => truth::rows(site, any.family(), &self.port)))
    }

    /// Returns what the pages of all sites of the family `client` show, computed lazily.
    pub fn rendered_pages(&self) -> impl Iterator<Item = RenderedPage> + '_ {
        self.sites.iter().flat_map(|any| with_site!(any, site => rendered::pages(site, &self.port)))
    }

    /// Returns what a page of a site of the family `client` shows after its script has run. The URL is absolute and may
    /// have a fragment. `None` for other URLs and for pages that are gone.
    pub fn rendered(&self, url: &str) -> Option<RenderedPage> {
        let (host, path, fragment) = rendered::split_url(url)?;
        with_site!(self.site(host)?, site => rendered::page(site, &self.port, site.resolve(path)?, fragment))
    }

    /// Returns whether a path and query belongs to a trap of this world, which the ground truth excludes.
    pub fn is_trap(&self, path_and_query: &str) -> bool {
        self.shape.options.traps && traps::is_trap(path_and_query)
    }

    /// Returns the answer to a request, ignoring transient errors. `host` may include a port and be in upper case.
    pub fn respond(&self, host: &str, path_and_query: &str) -> Response {
        match self.site(host) {
            Some(site) => with_site!(site, site => self.respond_from(site, path_and_query)),
            None => text(404, "text/plain", "no such host in this world\n".to_owned()),
        }
    }

    /// Returns the answer to the `attempt`-th request (from 0) for a URL: possibly a transient 500 or 503.
    pub fn respond_to_attempt(&self, host: &str, path_and_query: &str, attempt: u32) -> Response {
        match self.transient_error(host, path_and_query, attempt) {
            Some(status) => text(status, "text/plain", "try again\n".to_owned()),
            None => self.respond(host, path_and_query),
        }
    }

    fn site(&self, host: &str) -> Option<&AnySite> {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => host,
        };
        let name = name.strip_suffix('.').unwrap_or(name);
        let at = match self.by_name.get(name) {
            Some(at) => *at,
            None => *self.by_name.get(&name.to_ascii_lowercase())?,
        };
        self.sites.get(at)
    }

    /// Returns a transient error. robots.txt and sitemaps never fail, because the reaction of a crawler to that is not
    /// a simple retry.
    fn transient_error(&self, host: &str, path: &str, attempt: u32) -> Option<u16> {
        let options = &self.shape.options;
        if options.error_rate <= 0.0 || attempt >= options.errors_in_a_row {
            return None;
        }
        if path == "/robots.txt" || robots::sitemap_number(path).is_some() {
            return None;
        }
        let host = host.split(':').next().unwrap_or(host);
        let draw = self.seed.child("errors").child(host).child(path).nth(u64::from(attempt)).0;
        let fails = ((draw >> 11) as f64 / (1u64 << 53) as f64) < options.error_rate;
        fails.then_some(if draw.is_multiple_of(2) { 500 } else { 503 })
    }

    fn respond_from<S: Site>(&self, site: &S, path: &str) -> Response {
        if path == "/robots.txt" {
            return text(200, "text/plain", robots::robots(site, &self.port));
        }
        let mut page = Page::new(site.host(), &self.port, path);
        if let Some(number) = robots::sitemap_number(path) {
            return match robots::sitemap(site, number, &mut page) {
                Some(()) => Response::new(200, "application/xml", page),
                None => text(404, "text/plain", "no such sitemap\n".to_owned()),
            };
        }
        if path.starts_with("/img/") || path.starts_with("/static/") {
            let kind = if path.starts_with("/img/") { "image/gif" } else { "text/css" };
            return text(200, kind, String::new());
        }
        if let Some(resource) = site.resource(path) {
            return text(resource.status, resource.content_type, resource.body);
        }
        if self.is_trap(path) {
            traps::render(path, &mut page);
            return Response::new(200, HTML, page);
        }
        self.respond_with_page(site, path, page)
    }

    fn respond_with_page<S: Site>(&self, site: &S, path: &str, mut page: Page<'_>) -> Response {
        let Some(route) = site.resolve(path) else {
            not_found(&mut page);
            return Response::new(404, HTML, page);
        };
        let facts = site.facts(route);
        match facts.answer {
            Answer::Dead => {
                not_found(&mut page);
                Response::new(404, HTML, page)
            }
            Answer::Redirect(status, to) => {
                let mut location = truth::url(site, &self.port, to);
                site.redirect_fragment(route, &mut location);
                Response { status, content_type: HTML, location: Some(location), body: Bytes::new() }
            }
            Answer::Page | Answer::View(_) => {
                site.render(route, &mut page);
                self.link_elsewhere(site.host(), path, &mut page);
                Response::new(200, HTML, page)
            }
            Answer::File(media_type) => {
                site.render(route, &mut page);
                Response::new(200, media_type, page)
            }
        }
    }
}

impl World {
    /// Adds links to pages of random hosts.
    fn link_elsewhere(&self, host: &Host, path: &str, page: &mut Page<'_>) {
        let draws = self.seed.child("elsewhere").child(&host.name).child(path);
        let urls = (0..self.shape.options.elsewhere as u64).filter_map(|number| {
            let draw = draws.nth(number).0;
            let any = self.sites.get((draw >> 32) as usize % self.sites.len().max(1))?;
            with_site!(any, site => {
                let index = (draw & 0xffff_ffff).checked_rem(site.main_pages())?;
                Some(truth::url(site, &self.port, site.main_page(index)))
            })
        });
        page.add_links(urls);
    }
}

impl Response {
    fn new(status: u16, content_type: &'static str, page: Page<'_>) -> Self {
        Self { status, content_type, location: None, body: page.into_body().into() }
    }
}

fn text(status: u16, content_type: &'static str, body: String) -> Response {
    Response { status, content_type, location: None, body: body.into() }
}

fn not_found(page: &mut Page<'_>) {
    page.head(|page| page.raw("Not found"), "error404");
    page.raw("<h1>Not found</h1><p><a href=\"/\">Home</a></p></body></html>\n");
}

fn port_text(port: u16) -> String {
    if port == 80 { String::new() } else { format!(":{port}") }
}

/// A planned host: its family and its number within it, from 0.
struct Planned {
    family: Family,
    number: u64,
}

impl Planned {
    fn name(&self, domain: &str) -> String {
        let number = self.number + 1;
        match self.family {
            Family::Blogs => format!("u{number}.blogs.{domain}"),
            Family::Static => domain.to_owned(),
            family => format!("{}{number}.{domain}", family.name()),
        }
    }
}

/// Distributes the hosts over the families: half to the blogs (one user per host), the others evenly. Sorted by family.
fn plan(options: &WorldOptions) -> Vec<Planned> {
    let mut families = options.families.clone();
    families.sort_unstable();
    families.dedup();
    let hosts = if options.hosts == 1 { 1 } else { options.hosts - 1 };
    let others = families.iter().filter(|family| **family != Family::Blogs).count() as u64;
    let blogs = match others {
        _ if !families.contains(&Family::Blogs) => 0,
        0 => hosts,
        _ => hosts - (hosts / 2).max(others),
    };
    let mut planned = Vec::new();
    let mut left = (hosts - blogs, others);
    for family in families {
        let count = if family == Family::Blogs { blogs } else { left.0.div_ceil(left.1) };
        if family != Family::Blogs {
            left = (left.0 - count, left.1 - 1);
        }
        planned.extend((0..count).map(|number| Planned { family, number }));
    }
    planned
}

fn build(plan: &[Planned], shape: &Arc<Shape>, seed: Seed) -> Vec<AnySite> {
    let host =
        |name: &str| Host { name: name.to_owned(), seed: seed.child("host").child(name), shape: Arc::clone(shape) };
    let weight: u64 = plan.iter().map(|planned| planned.family.weight()).sum();
    let is_blog = |planned: &Planned| planned.family == Family::Blogs;
    let first_blog = plan.iter().position(is_blog).unwrap_or(0) as u64;
    let blogs = plan.iter().filter(|planned| is_blog(planned)).count() as u64;
    let mut sites = Vec::with_capacity(plan.len() + 1);
    for (planned, name) in plan.iter().zip(&shape.hosts) {
        let pages = (shape.options.pages * planned.family.weight()).div_ceil(weight);
        let host = || host(name);
        let neighbours = Neighbours { first: first_blog, count: blogs, own: planned.number };
        sites.push(match planned.family {
            Family::Forum => AnySite::Forum(fitted(pages, |scale| Forum::new(host(), scale))),
            Family::Blogs => AnySite::Blog(fitted(pages, |scale| Blog::new(host(), neighbours, scale))),
            Family::Qa => AnySite::Qa(fitted(pages, |scale| Qa::new(host(), scale))),
            Family::Media => AnySite::Media(fitted(pages, |scale| Media::new(host(), scale))),
            Family::Client => AnySite::Client(fitted(pages, |scale| Client::new(host(), scale))),
            Family::Static => AnySite::Static(StaticSite::new(host(), pages)),
        });
    }
    if let Some(portal) = &shape.portal {
        let listed = |(at, planned): (usize, &Planned)| {
            let shown = !is_blog(planned) || (planned.number as usize).is_multiple_of(BLOGS_LISTED_ONE_IN);
            shown.then_some(at)
        };
        let listed = plan.iter().enumerate().filter_map(listed).collect();
        sites.push(AnySite::Portal(Portal::new(host(portal), listed)));
    }
    sites
}
