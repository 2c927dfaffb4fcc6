//! Any robots.txt and any path: no panic, and robots.txt itself stays allowed.
#![no_main]

use harvestman::host::robots::RobotsRules;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // The first line is the path, the rest the file.
    let (path, file) = input.split_at(input.iter().position(|&byte| byte == b'\n').unwrap_or(0));
    let rules = RobotsRules::parse(file, "harvestman");
    let decision = rules.decide(&String::from_utf8_lossy(path));
    assert!(decision.allowed || decision.rule.is_some());
    assert!(rules.decide("/robots.txt").allowed);
    let _ = (rules.crawl_delay(), rules.sitemaps());
});
