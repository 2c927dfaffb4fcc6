//! Writes pages into one growing buffer, without intermediate strings.

use std::fmt::Write as _;

use rand::RngCore;

use super::host::Host;
use super::listing::pager;
use super::path::Routing;
use harvestman_core::seed::Rng;

/// The first URLs of the traps; every page links to them where traps are on.
const TRAP_ENTRIES: [&str; 2] = ["/calendar/2026/1/", "/deeper/"];
/// Approximate size of the markup of a page, to avoid growing the buffer.
const MARKUP_BYTES: usize = 8_192;
/// One in this number of links is spelled in an unusual way.
const UNUSUAL_ONE_IN: u32 = 8;

/// A page that is being written.
pub(super) struct Page<'a> {
    out: String,
    host: &'a Host,
    /// `:8080`, or nothing for port 80.
    port: &'a str,
    /// Path and query of the page itself.
    path: &'a str,
    rng: Rng,
    /// Whether a `<base>` of `/` was written.
    based: bool,
    scratch: String,
}

impl<'a> Page<'a> {
    /// Creates an empty page at `path` of `host`.
    pub fn new(host: &'a Host, port: &'a str, path: &'a str) -> Self {
        let out = String::with_capacity(host.shape.options.page_bytes + MARKUP_BYTES);
        let rng = host.seed.child(path).rng();
        Self { out, host, port, path, rng, based: false, scratch: String::new() }
    }

    /// Adds links at the end of a complete document.
    pub fn add_links(&mut self, urls: impl Iterator<Item = String>) {
        const END: &str = "</body></html>\n";
        let was_ended = self.out.ends_with(END);
        if was_ended {
            self.out.truncate(self.out.len() - END.len());
        }
        for url in urls {
            self.raw("<a class=\"elsewhere\" href=\"");
            self.raw(&url.replace('&', "&amp;"));
            self.raw("\">Elsewhere</a>\n");
        }
        if was_ended {
            self.raw(END);
        }
    }

    /// Returns the bytes of the page.
    pub fn into_body(self) -> Vec<u8> {
        self.out.into_bytes()
    }

    /// Appends markup unescaped.
    pub fn raw(&mut self, html: &str) {
        self.out.push_str(html);
    }

    /// Appends a number.
    pub fn number(&mut self, number: u64) {
        // Writing to a String cannot fail.
        let _ = write!(self.out, "{number}");
    }

    /// Appends the title of an item of this host.
    pub fn title(&mut self, kind: &str, id: u64) {
        self.host.title(kind, id, ' ', &mut self.out);
    }

    /// Appends the name of a person of this host.
    pub fn name(&mut self, id: u64) {
        self.host.shape.text.name(self.host.seed.child("name"), id, &mut self.out);
    }

    /// Appends a word of the world's vocabulary.
    pub fn word(&mut self, index: u64) {
        self.out.push_str(self.host.shape.text.nth(index));
    }

    /// Appends text of about `bytes` bytes, always the same for the same `kind` and `id`.
    pub fn prose(&mut self, kind: &str, id: u64, bytes: usize) {
        let mut rng = self.host.seed.child(kind).nth(id).rng();
        self.host.shape.text.prose(&mut rng, bytes, &mut self.out);
    }

    /// The same for the `version`-th text of the item; the first is version 0.
    pub fn prose_of(&mut self, kind: &str, id: u64, version: u64, bytes: usize) {
        self.prose(kind, id ^ version << 40, bytes);
    }

    /// Returns a number below `end` that differs between pages and calls.
    pub fn draw(&mut self, end: u64) -> u64 {
        self.rng.next_u64() % end.max(1)
    }

    /// Writes the start of the document, up to and including `<body class=…>`.
    pub fn head(&mut self, title: impl FnOnce(&mut Self), class: &str) {
        self.raw("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
        title(self);
        self.raw("</title>");
        self.raw("<link rel=\"stylesheet\" href=\"/static/style.css\"></head>\n<body class=\"");
        self.raw(class);
        self.raw("\">\n");
        if self.host.shape.options.traps {
            for entry in TRAP_ENTRIES {
                self.raw("<a class=\"trap\" href=\"");
                self.raw(entry);
                self.raw("\">Archive</a>\n");
            }
        }
    }

    /// Makes relative links resolve against the root of the host. Must precede the first link.
    pub fn base(&mut self) {
        self.raw("<base href=\"");
        self.origin();
        self.raw("/\">\n");
        self.based = true;
    }

    /// Writes a link to `route` with the text `label`.
    pub fn link<S: Routing>(&mut self, site: &S, route: S::Route, class: &str, label: &str) {
        self.open(site, route, class);
        self.raw(label);
        self.raw("</a>");
    }

    /// Writes a link to `route` whose text is written by `label`.
    pub fn link_with<S: Routing>(&mut self, site: &S, route: S::Route, class: &str, label: impl FnOnce(&mut Self)) {
        self.open(site, route, class);
        label(self);
        self.raw("</a>");
    }

    /// Writes a list entry that is a link.
    pub fn item<S: Routing>(&mut self, site: &S, route: S::Route, class: &str, label: impl FnOnce(&mut Self)) {
        self.raw("<li>");
        self.link_with(site, route, class, label);
        self.raw("</li>\n");
    }

    /// Writes a link to the home page of another host; `label` writes its text.
    pub fn link_home(&mut self, host: &str, class: &str, label: impl FnOnce(&mut Self)) {
        self.raw("<a class=\"");
        self.raw(class);
        self.raw("\" href=\"http://");
        self.raw(host);
        self.raw(self.port);
        self.raw("/\">");
        label(self);
        self.raw("</a>");
    }

    /// Writes the pager of page `page` of `count`; nothing if there is one page.
    pub fn pager<S: Routing>(&mut self, site: &S, page: u64, count: u64, class: &str, route: impl Fn(u64) -> S::Route) {
        if count < 2 {
            return;
        }
        self.raw("<div class=\"");
        self.raw(class);
        self.raw("\">");
        for other in pager(page, count) {
            let kind = match other {
                _ if other + 1 == page => "prev",
                _ if other == page + 1 => "next",
                _ => "page",
            };
            self.link_with(site, route(other), kind, |page| page.number(other));
            self.raw(" ");
        }
        self.raw("<b>");
        self.number(page);
        self.raw("</b></div>\n");
    }

    /// Writes links to the portal and to some other hosts, if there are any, at the end of every page of a family.
    pub fn network(&mut self, links: u64) {
        let shape = std::sync::Arc::clone(&self.host.shape);
        let Some(portal) = &shape.portal else { return };
        self.raw("<div class=\"network\">");
        self.link_home(portal, "portal", |page| page.raw("All sites"));
        for _ in 0..links {
            let other = self.draw(shape.hosts.len() as u64) as usize;
            self.raw(" | ");
            self.link_home(&shape.hosts[other], "partner", |page| page.raw(&shape.hosts[other]));
        }
        self.raw("</div>\n");
    }

    /// Writes the absolute URL of `route`, escaped for XML; for feeds and sitemaps.
    pub fn address<S: Routing>(&mut self, site: &S, route: S::Route) {
        let mut path = std::mem::take(&mut self.scratch);
        path.clear();
        site.write_path(route, &mut path);
        self.origin();
        self.escaped(&path);
        self.scratch = path;
    }

    /// Writes scheme, host and port of the page.
    pub fn origin(&mut self) {
        self.raw("http://");
        self.raw(&self.host.name);
        self.raw(self.port);
    }

    fn open<S: Routing>(&mut self, site: &S, route: S::Route, class: &str) {
        let mut path = std::mem::take(&mut self.scratch);
        path.clear();
        site.write_path(route, &mut path);
        self.raw("<a");
        if !class.is_empty() {
            self.raw(" class=\"");
            self.raw(class);
            self.raw("\"");
        }
        self.raw(" href=\"");
        self.href(&path);
        self.raw("\">");
        self.scratch = path;
    }

    /// Appends a reference to `path` on this host, in one of several equivalent spellings.
    pub fn href(&mut self, path: &str) {
        let bits = self.rng.next_u32();
        if !self.host.shape.options.spellings || !bits.is_multiple_of(UNUSUAL_ONE_IN) {
            return self.escaped(path);
        }
        match (bits / UNUSUAL_ONE_IN) % 10 {
            0 => self.absolute("http://", false, path),
            1 => self.absolute("HTTP://", true, path),
            2 => self.absolute("//", false, path),
            3 => {
                self.escaped(path);
                self.raw("#c");
                self.number(u64::from(bits >> 16));
            }
            4 => {
                self.raw("/./x/..");
                self.escaped(path);
            }
            5 => {
                self.raw(" \n");
                self.escaped(path);
                self.raw("\t ");
            }
            6 => self.percent_encoded(path),
            7 => self.relative(path),
            8 if !path.contains('?') => {
                self.escaped(path);
                self.raw("?");
            }
            // An unescaped ampersand; no parameter name begins like an entity.
            _ => self.raw(path),
        }
    }

    fn escaped(&mut self, path: &str) {
        let mut rest = path;
        while let Some(at) = rest.find('&') {
            self.raw(&rest[..at]);
            self.raw("&amp;");
            rest = &rest[at + 1..];
        }
        self.raw(rest);
    }

    fn absolute(&mut self, scheme: &str, upper: bool, path: &str) {
        self.raw(scheme);
        let host = self.host;
        if upper {
            self.out.extend(host.name.chars().map(|c| c.to_ascii_uppercase()));
        } else {
            self.raw(&host.name);
        }
        self.raw(if self.port.is_empty() { ":80" } else { self.port });
        self.escaped(path);
    }

    /// Writes the first letter of the path as an escape, which canonicalisation removes.
    fn percent_encoded(&mut self, path: &str) {
        let end = path.find('?').unwrap_or(path.len());
        match path[..end].find(|c: char| c.is_ascii_alphanumeric()) {
            Some(at) => {
                self.raw(&path[..at]);
                let _ = write!(self.out, "%{:02x}", path.as_bytes()[at]);
                self.escaped(&path[at + 1..]);
            }
            None => self.escaped(path),
        }
    }

    fn relative(&mut self, path: &str) {
        let own = self.path.split('?').next().unwrap_or("/");
        let folder = if self.based { "/" } else { &own[..=own.rfind('/').unwrap_or(0)] };
        if let Some(rest) = path.strip_prefix(folder) {
            self.raw("./");
            return self.escaped(rest);
        }
        for _ in 1..folder.matches('/').count() {
            self.raw("../");
        }
        self.escaped(&path[1..]);
    }
}
