//! robots.txt and sitemaps of a host.

use std::fmt::Write as _;

use super::host::Host;
use super::render::Page;
use super::site::Site;

/// Maximum number of URLs of a sitemap file.
const SITEMAP_URLS: u64 = 5_000;

/// Returns the robots.txt of a site.
pub(super) fn robots<S: Site>(site: &S, port: &str) -> String {
    let Host { name, shape, .. } = site.host();
    let options = &shape.options;
    let mut out = String::from("# A simulated site.\nUser-agent: *\n");
    if options.disallow {
        for pattern in site.disallowed() {
            // Writing to a String cannot fail, here and below.
            let _ = writeln!(out, "Disallow: {pattern}");
        }
    }
    if let Some(delay) = options.crawl_delay {
        let _ = writeln!(out, "Crawl-delay: {}", delay.as_secs_f64());
    }
    if options.sitemaps {
        let _ = writeln!(out, "\nSitemap: http://{name}{port}/sitemap.xml");
    }
    out
}

/// Returns the number in `/sitemap-3.xml`; 0 for the index at `/sitemap.xml`.
pub(super) fn sitemap_number(path: &str) -> Option<u64> {
    match path.strip_prefix("/sitemap")?.strip_suffix(".xml")? {
        "" => Some(0),
        number => number.strip_prefix('-')?.parse().ok().filter(|number| *number > 0),
    }
}

/// Writes a sitemap or the index of all. Returns `None` if it does not exist.
pub(super) fn sitemap<S: Site>(site: &S, number: u64, page: &mut Page<'_>) -> Option<()> {
    const SCHEMA: &str = " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
    let files = site.main_pages().div_ceil(SITEMAP_URLS);
    if number > files || !site.host().shape.options.sitemaps {
        return None;
    }
    page.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if number == 0 {
        page.raw("<sitemapindex");
        page.raw(SCHEMA);
        for file in 1..=files {
            page.raw("<sitemap><loc>");
            page.origin();
            page.raw("/sitemap-");
            page.number(file);
            page.raw(".xml</loc></sitemap>\n");
        }
        page.raw("</sitemapindex>\n");
        return Some(());
    }
    page.raw("<urlset");
    page.raw(SCHEMA);
    for index in (number - 1) * SITEMAP_URLS..(number * SITEMAP_URLS).min(site.main_pages()) {
        page.raw("<url><loc>");
        page.address(site, site.main_page(index));
        page.raw("</loc></url>\n");
    }
    page.raw("</urlset>\n");
    Some(())
}
