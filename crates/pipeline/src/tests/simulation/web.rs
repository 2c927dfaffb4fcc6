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

/// The web.
pub(super) struct Web {
    pub(super) seeds: Vec<String>,
    pub(super) pages: BTreeMap<String, Page>,
    /// URLs that a sitemap of their host names.
    in_sitemaps: BTreeSet<String>,
    robots: BTreeMap<String, String>,
}

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
    pub(super) fn new(seed: Seed, hosts: usize, pages: usize) -> Self {
        let mut rng = seed.child("web").rng();
        let origins: Vec<String> = (0..hosts).map(|number| format!("http://h{number}.test")).collect();
        let mut web = Self {
            seeds: origins.iter().map(|origin| format!("{origin}/")).collect(),
            pages: BTreeMap::new(),
            in_sitemaps: BTreeSet::new(),
            robots: BTreeMap::new(),
        };
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
    pub(super) fn answer(&self, url: &str) -> (u16, Vec<(&'static str, String)>, String) {
        let html = |body| (200, vec![("content-type", "text/html; charset=utf-8".to_owned())], body);
        match self.pages.get(url) {
            Some(Page::Html { links }) => {
                let (status, mut headers, body) = html(render(url, links));
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

    fn service(&self, url: &str) -> (u16, Vec<(&'static str, String)>, String) {
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
            _ => missing,
        }
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
    let words = Seed(0).child(url);
    html.push_str("</ul><div class=post><p>");
    for at in 0..24 {
        let _ = write!(html, "{:x} ", words.nth(at).0 & 0xffff);
    }
    html + "</p></div></body></html>"
}
