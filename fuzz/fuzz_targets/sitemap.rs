//! Any document: no panic, and no more than the limits allow.
#![no_main]

use harvestman::host::sitemap::{Limits, parse};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits { bytes: 1 << 16, ratio: 50, urls: 100, url_bytes: 200, nesting: 20 };

fuzz_target!(|input: &[u8]| {
    if let Ok(contents) = parse(input, "https://h.example/sitemap.xml", Some("text/xml"), LIMITS) {
        assert!(contents.urls.len() + contents.sitemaps.len() <= LIMITS.urls);
    }
});
