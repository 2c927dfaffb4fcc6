mod encodings;
mod feeds;
mod hostile;
mod sitemaps;

use super::*;

const URL: &str = "https://h.example/maps/sitemap.xml";

fn limits() -> SitemapLimits {
    SitemapLimits::from(&harvestman_core::config::RobotsOptions::default())
}

fn read(document: impl AsRef<[u8]>) -> Result<SitemapContents, SitemapError> {
    parse(document.as_ref(), URL, None, limits())
}

#[track_caller]
fn urls(document: impl AsRef<[u8]>) -> Vec<String> {
    read(document).unwrap().urls
}

/// Returns a `urlset` with these entries.
fn set(entries: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>"
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
