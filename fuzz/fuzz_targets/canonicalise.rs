//! Any text as a link: the short way agrees with the parser, and the canonical form is a fixed point.
#![no_main]

use harvestman::config::url::UrlOptions;
use harvestman::url::Canonicaliser;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (base, href) = text.split_once('\n').unwrap_or(("http://example.org/a/b?c", text));
    let canonicaliser = Canonicaliser::new(&UrlOptions::default()).expect("the defaults are right");
    let Ok(page) = canonicaliser.parse(base) else { return };
    assert_eq!(canonicaliser.parse(page.as_str()).as_ref(), Ok(&page), "a fixed point");
    let long = canonicaliser.resolver(&page, None).resolve_by_parser(href).map(|url| url.to_url());
    let short = canonicaliser.resolver(&page, None).resolve(href).map(|url| url.to_url());
    assert_eq!(short, long);
    if let Ok(url) = short {
        assert_eq!(canonicaliser.parse(url.as_str()), Ok(url));
    }
});
