//! Readers of answers that nothing but the pipeline calls, for fuzz targets.

use crate::search::search_answer;
use harvestman_stages::host::sitemap::SitemapLimits;

/// Reads the answer of a search that is no page. Returns the addresses of its results, of which at most `urls_max`
/// count.
pub fn search_results(body: &[u8], content_type: &str, urls_max: usize) -> Vec<String> {
    let limits = SitemapLimits { bytes: 1 << 20, ratio: 100, urls: urls_max, url_bytes: 2_000, nesting: 32 };
    search_answer::structured(body, "https://search.example/?q=x", Some(content_type), limits)
        .map(|results| results.urls)
        .unwrap_or_default()
}
