//! Any text as a page and as a feed: reading ends, the same each time, and what posts answer to are other posts of the page.
#![no_main]

use harvestman_posts::{Extractor, Page, PageRecords, ParentRef, read_feed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let Ok(url) = "https://e.example/t/1?page=2".parse() else { return };
    let fetched = jiff::civil::date(2020, 4, 25).at(12, 0, 0, 0);
    if let Some(feed) = read_feed(&url, source, fetched) {
        check(&feed);
    }
    let Some(page) = Page::parse(&url, source, fetched) else { return };
    let mut extractor = Extractor::default();
    extractor.learn(&page);
    let records = extractor.extract(&page);
    check(&records);
    assert_eq!(records, extractor.extract(&page));
});

fn check(records: &PageRecords) {
    for (number, post) in records.posts.iter().enumerate() {
        assert!((0.0..=1.0).contains(&post.confidence));
        if let Some(ParentRef::Index(index)) = post.parent {
            assert!(index < records.posts.len() && index != number);
        }
    }
}
