//! A small web generated from a seed: hosts, pages, their links, and what a crawl must find of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use rand::Rng as _;

use harvestman_core::seed::{Rng, Seed};

/// The resource at a URL.
pub(super) enum Page {
    Html {
        links: Vec<String>,
    },
    /// Plain text.
    Text,
    Redirect(String),
    Missing,
}

/// Status, headers and body of an answer.
type Answered = (u16, Vec<(&'static str, String)>, String);

/// The web.
pub(super) struct Web {
    pub(super) seeds: Vec<String>,
    pub(super) pages: BTreeMap<String, Page>,
    /// URLs that a sitemap of their host names.
    in_sitemaps: BTreeSet<String>,
    robots: BTreeMap<String, String>,
    /// Hosts whose pages are empty without their script.
    scripted: BTreeSet<String>,
}

/// The script of pages that are empty without it.
pub(super) const APP: &str = "/app.js";
/// What stands before the path of a page in that of its data.
const DATA: &str = "/data";
/// The path below which robots.txt forbids everything, if there is one.
const PRIVATE: &str = "/private/";

fn path(number: usize, rng: &mut Rng) -> String {
    match rng.random_range(0..10) {
        0 => format!("/member/{number}"),
        1 => format!("/forum/{}?page={number}", rng.random_range(1..4)),
        2 => format!("{PRIVATE}{number}"),
        _ => format!("/topic/{number}"),
    }
}

impl Web {
    /// Generates a web of this many pages on this many hosts.
    ///
    /// If `has_scripts`, the pages of some hosts are empty without their script.
    pub(super) fn new(seed: Seed, (hosts, pages): (usize, usize), has_scripts: bool) -> Self {
        let mut rng = seed.child("web").rng();
        let origins: Vec<String> = (0..hosts).map(|number| format!("http://h{number}.test")).collect();
        let mut web = Self {
            seeds: origins.iter().map(|origin| format!("{origin}/")).collect(),
            pages: BTreeMap::new(),
            in_sitemaps: BTreeSet::new(),
            robots: BTreeMap::new(),
            scripted: BTreeSet::new(),
        };
        let mut scripts = seed.child("scripts").rng();
        web.scripted.extend(origins.iter().filter(|_| has_scripts && scripts.random_bool(0.5)).cloned());
        let mut urls = web.seeds.clone();
        for number in hosts..pages.max(hosts) {
            let origin = &origins[rng.random_range(0..hosts)];
            urls.push(format!("{origin}{}", path(number, &mut rng)));
        }
        for (number, url) in urls.iter().enumerate() {
            let page = page(number, number < hosts, &urls, &mut rng);
            web.pages.insert(url.clone(), page);
        }
        for origin in &origins {
            web.rules(origin, &urls, &mut rng);
        }
        web
    }

    fn rules(&mut self, origin: &str, urls: &[String], rng: &mut Rng) {
        let mut robots = format!("User-agent: *\nDisallow: {PRIVATE}\n");
        match rng.random_range(0..4) {
            0 => return,
            1 => robots.push_str("Crawl-delay: 2\n"),
            2 => {
                let _ = writeln!(robots, "Sitemap: {origin}/sitemap.xml");
                let own = urls.iter().filter(|url| url.starts_with(&format!("{origin}/")));
                self.in_sitemaps.extend(own.filter(|_| rng.random_bool(0.3)).cloned());
            }
            _ => {}
        }
        self.robots.insert(origin.to_owned(), robots);
    }

    /// Returns status, headers and body of the answer for a URL.
    pub(super) fn answer(&self, url: &str) -> Answered {
        let html = |body| (200, vec![("content-type", "text/html; charset=utf-8".to_owned())], body);
        match self.pages.get(url) {
            Some(Page::Html { links }) => {
                let is_scripted = self.scripted.contains(harvestman_core::url::origin_of(url));
                let (status, mut headers, body) = html(if is_scripted { shell(url) } else { render(url, links) });
                // Half of the pages support conditional requests.
                if url.len().is_multiple_of(2) {
                    headers.push(("etag", format!("\"{:x}\"", Seed(0).child(&body).0)));
                }
                (status, headers, body)
            }
            Some(Page::Text) => (200, vec![("content-type", "text/plain".to_owned())], format!("text of {url}\n")),
            Some(Page::Redirect(to)) => (302, vec![("location", to.clone())], String::new()),
            Some(Page::Missing) => (404, Vec::new(), "nothing here".to_owned()),
            None => self.service(url),
        }
    }

    fn service(&self, url: &str) -> Answered {
        let origin = harvestman_core::url::origin_of(url);
        let missing = (404, Vec::new(), String::new());
        match &url[origin.len()..] {
            "/robots.txt" => match self.robots.get(origin) {
                Some(text) => (200, vec![("content-type", "text/plain".to_owned())], text.clone()),
                None => missing,
            },
            "/sitemap.xml" => {
                let mut xml = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">".to_owned();
                for url in self.in_sitemaps.iter().filter(|url| url.starts_with(&format!("{origin}/"))) {
                    let _ = write!(xml, "<url><loc>{url}</loc></url>");
                }
                (200, vec![("content-type", "application/xml".to_owned())], xml + "</urlset>")
            }
            APP => (200, vec![("content-type", "text/javascript".to_owned())], "show()".to_owned()),
            path => self.data(origin, path.strip_prefix(DATA)).unwrap_or(missing),
        }
    }

    /// Returns the data of a page.
    fn data(&self, origin: &str, path: Option<&str>) -> Option<Answered> {
        let url = format!("{origin}{}", path?);
        let Some(Page::Html { links }) = self.pages.get(&url) else { return None };
        let links: Vec<_> = links.iter().map(|link| serde_json::json!({ "url": link })).collect();
        let data = serde_json::json!({ "links": links, "text": words(&url) });
        Some((200, vec![("content-type", "application/json".to_owned())], data.to_string()))
    }

    fn allowed(&self, url: &str) -> bool {
        let origin = harvestman_core::url::origin_of(url);
        !self.robots.contains_key(origin) || !url[origin.len()..].starts_with(PRIVATE)
    }

    /// Returns the URLs that a crawl has to request: those within reach that robots.txt allows.
    pub(super) fn within_reach(&self) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut ahead: Vec<&str> = self.seeds.iter().chain(&self.in_sitemaps).map(String::as_str).collect();
        while let Some(url) = ahead.pop() {
            if !self.allowed(url) || !reached.insert(url) {
                continue;
            }
            match self.pages.get(url) {
                Some(Page::Html { links }) => ahead.extend(links.iter().map(String::as_str)),
                Some(Page::Redirect(to)) => ahead.push(to),
                _ => {}
            }
        }
        reached
    }
}

fn page(number: usize, is_seed: bool, urls: &[String], rng: &mut Rng) -> Page {
    let any = |rng: &mut Rng| urls[rng.random_range(0..urls.len())].clone();
    match rng.random_range(0..20) {
        0 if !is_seed => Page::Text,
        // Only backwards: chains of redirects end.
        1 if !is_seed => Page::Redirect(urls[rng.random_range(0..number)].clone()),
        2 if !is_seed => Page::Missing,
        _ => {
            let count = rng.random_range(0..8);
            let mut links: Vec<String> = (0..count).map(|_| any(rng)).collect();
            // Most pages are within reach.
            links.extend(urls.get(2 * number + 1).cloned());
            links.extend(urls.get(2 * number + 2).cloned());
            Page::Html { links }
        }
    }
}

fn render(url: &str, links: &[String]) -> String {
    let mut html = format!("<html><head><title>{url}</title></head><body><h1>{url}</h1><ul class=list>");
    for link in links {
        let _ = write!(html, "<li><a href=\"{link}\">{link}</a></li>");
    }
    html + "</ul><div class=post><p>" + &words(url) + "</p></div></body></html>"
}

/// Returns the page of a URL without its content.
fn shell(url: &str) -> String {
    format!("<html><head><title>{url}</title></head><body><div id=app></div><script src={APP}></script></body></html>")
}

fn words(url: &str) -> String {
    let words = Seed(0).child(url);
    (0..24).map(|at| format!("{:x} ", words.nth(at).0 & 0xffff)).collect()
}

/// Returns the URL of the data of a page.
pub(super) fn data_url(page: &str) -> String {
    let origin = harvestman_core::url::origin_of(page);
    format!("{origin}{DATA}{}", &page[origin.len()..])
}

/// Returns whether something is requested for a page and is none.
pub(super) fn is_of_a_page(url: &str) -> bool {
    let path = &url[harvestman_core::url::origin_of(url).len()..];
    path == APP || path.starts_with(DATA)
}
