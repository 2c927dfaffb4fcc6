//! Any bytes as a page: the parser ends, its links lie within its arena, and spelling changes nothing but the spelling.
#![no_main]

use harvestman::config::ParseOptions;
use harvestman::parse::{Parser, Spelling};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let options = ParseOptions::default();
    let hashed = Parser::new(&options).parse(bytes, Some("text/html"));
    for link in hashed.groups.iter().flat_map(|group| &group.links) {
        assert!(link.start <= link.end && link.end as usize <= hashed.hrefs.len());
        let _ = hashed.href(link);
    }
    let spelt = Parser::with_spelling(&options, Spelling::On).parse(bytes, Some("text/html"));
    assert_eq!(hashed.hrefs, spelt.hrefs);
    let paths = |page: &harvestman::model::ParsedPage| {
        page.leaf_paths.iter().map(|path| (path.path, path.count)).collect::<Vec<_>>()
    };
    assert_eq!(paths(&hashed), paths(&spelt));
});
