//! Links on pages: the fast path and the slow path agree with each other and with the URL standard.

use proptest::prelude::*;

use super::{canonical, canonicaliser, link_like, sorting_canonicaliser, url_like};
use crate::url::whatwg::join;
use crate::url::{Canonicaliser, OutOfScope};

fn resolved(page: &str, base: Option<&str>, href: &str) -> Result<String, OutOfScope> {
    let (canonicaliser, page) = (canonicaliser(), canonical(page));
    let mut resolver = canonicaliser.resolver(&page, base);
    resolver.resolve(href).map(|url| url.as_str().to_owned())
}

#[test]
fn links_of_every_kind_resolve_against_their_page() {
    let page = "http://h:8101/a/b/c?d=e";
    for (href, wanted) in [
        ("", "http://h:8101/a/b/c?d=e"),
        ("#top", "http://h:8101/a/b/c?d=e"),
        ("?x=1#y", "http://h:8101/a/b/c?x=1"),
        ("?", "http://h:8101/a/b/c"),
        ("d", "http://h:8101/a/b/d"),
        ("./d?x", "http://h:8101/a/b/d?x"),
        ("./", "http://h:8101/a/b/"),
        ("../d", "http://h:8101/a/d"),
        ("../../../d", "http://h:8101/d"),
        ("..", "http://h:8101/a/"),
        ("/d#e", "http://h:8101/d"),
        ("/", "http://h:8101/"),
        ("//other.org", "http://other.org/"),
        ("//h:8101/d", "http://h:8101/d"),
        ("http://h:8101?x", "http://h:8101/?x"),
        ("https://h:8101/d", "https://h:8101/d"),
        ("https:d", "https://d/"),
        ("http:d", "http://h:8101/a/b/d"),
        ("  /d \n", "http://h:8101/d"),
        ("/d/%E2%82%AC?n=%2Fx%3F", "http://h:8101/d/%E2%82%AC?n=%2Fx%3F"),
        ("/d?utm_source=x&p=1", "http://h:8101/d?p=1"),
        ("\\d", "http://h:8101/d"),
        ("1:2", "http://h:8101/a/b/1:2"),
    ] {
        assert_eq!(resolved(page, None, href).as_deref(), Ok(wanted), "{href}");
    }
    for (href, reason) in [
        ("javascript:void(0)", OutOfScope::Scheme),
        ("MAILTO:x@y", OutOfScope::Scheme),
        ("tel:1", OutOfScope::Scheme),
        ("http://", OutOfScope::Invalid),
        ("//a b", OutOfScope::Invalid),
    ] {
        assert_eq!(resolved(page, None, href), Err(reason), "{href}");
    }
}

#[test]
fn any_run_of_slashes_and_backslashes_leads_to_another_host() {
    for (href, wanted) in [
        ("///host/path", "http://host/path"),
        ("////host", "http://host/"),
        ("/////host?q#f", "http://host/?q"),
        ("/\\host", "http://host/"),
        ("\\\\/host:81/x", "http://host:81/x"),
        (" \n///host/x", "http://host/x"),
        ("/\t/\n/host/x", "http://host/x"),
        ("///h:8101/x", "http://h:8101/x"),
        ("http:///host/x", "http://host/x"),
        ("https:\\/host", "https://host/"),
    ] {
        assert_eq!(resolved("http://h:8101/a/b", None, href).as_deref(), Ok(wanted), "{href:?}");
    }
    assert_eq!(resolved("https://h/a/b", None, "///host/path").as_deref(), Ok("https://host/path"));
    assert_eq!(resolved("https://h/a/b", Some("///cdn.org/x/"), "y").as_deref(), Ok("https://cdn.org/x/y"));
    for href in ["///", "//\\", "//// /x"] {
        assert_eq!(resolved("http://h/a/b", None, href), Err(OutOfScope::Invalid), "{href:?}");
    }
}

#[test]
fn a_query_is_encoded_in_the_charset_of_its_document() {
    let page = canonical("http://h/a/b");
    let resolved = |charset: &str, href: &str| {
        let mut resolver = canonicaliser().document_resolver(&page, None, charset);
        resolver.resolve(href).unwrap().as_str().to_owned()
    };
    for (charset, href, wanted) in [
        ("GBK", "/s?q=中文&p=1", "http://h/s?q=%D6%D0%CE%C4&p=1"),
        ("gb18030", "?q=中文", "http://h/a/b?q=%D6%D0%CE%C4"),
        ("Big5", "?q=中文", "http://h/a/b?q=%A4%A4%A4%E5"),
        ("Shift_JIS", "?q=ソ", "http://h/a/b?q=%83\\"),
        ("EUC-JP", "?q=日本", "http://h/a/b?q=%C6%FC%CB%DC"),
        ("ISO-2022-JP", "?q=日\t本", "http://h/a/b?q=%1B$BF|K\\%1B(B"),
        ("windows-1252", "?q=café&c=€", "http://h/a/b?q=caf%E9&c=%80"),
        ("KOI8-R", "//g?жук", "http://g/?%D6%D5%CB"),
        ("windows-1251", "http://h/?q=ж中ж", "http://h/?q=%E6%26%2320013%3B%E6"),
        ("ISO-8859-2", "?😀#é", "http://h/a/b?%26%23128512%3B"),
        // The path is always in UTF-8, and so are queries of other documents.
        ("GBK", "/中?q=1", "http://h/%E4%B8%AD?q=1"),
        ("UTF-8", "?é", "http://h/a/b?%C3%A9"),
        ("UTF-16LE", "?é", "http://h/a/b?%C3%A9"),
        ("UTF-16BE", "?é", "http://h/a/b?%C3%A9"),
        ("replacement", "?é", "http://h/a/b?%C3%A9"),
        ("", "?é", "http://h/a/b?%C3%A9"),
    ] {
        assert_eq!(resolved(charset, href), wanted, "{charset} {href}");
    }
    let mut resolver = canonicaliser().document_resolver(&page, Some("///g/?q=é"), "windows-1252");
    assert_eq!(resolver.resolve("").unwrap().as_str(), "http://g/?q=%E9");
}

#[test]
fn the_base_of_a_page_replaces_its_address_where_it_can() {
    let page = "https://h/a/b";
    for (base, href, wanted) in [
        ("/x/", "y", Ok("https://h/x/y")),
        ("http://other.org/x/y?z", "?q", Ok("http://other.org/x/y?q")),
        ("http://other.org:80", "y", Ok("http://other.org/y")),
        ("//cdn.org/", "/y", Ok("https://cdn.org/y")),
        ("#top", "c", Ok("https://h/a/c")),
        // Not a URL, or one that the HTML standard ignores.
        ("http://[", "c", Ok("https://h/a/c")),
        ("data:,x", "c", Ok("https://h/a/c")),
        ("javascript:x", "c", Ok("https://h/a/c")),
        ("ftp://f/x/", "c", Err(OutOfScope::Scheme)),
        ("ftp://f/x/", "http://h/c", Ok("http://h/c")),
        ("mailto:x", "c", Err(OutOfScope::Invalid)),
        ("mailto:x", "https://h/c", Ok("https://h/c")),
    ] {
        let got = resolved(page, Some(base), href);
        assert_eq!(got.as_deref(), wanted.as_ref().copied(), "{base} {href}");
    }
}

#[test]
fn one_resolver_takes_refusals_and_links_in_any_order() {
    let (canonicaliser, page) = (canonicaliser(), canonical("http://h/a/"));
    let mut resolver = canonicaliser.resolver(&page, None);
    for _ in 0..2 {
        assert!(resolver.resolve("mailto:x").is_err());
        let url = resolver.resolve("http://h/a/%7eb?c").unwrap();
        assert_eq!((url.origin(), url.path_and_query()), ("http://h", "/a/~b?c"));
        let (text, url) = (url.as_str().to_owned(), url.to_url());
        assert_eq!(url.as_str(), text);
        assert_eq!(resolver.resolve(&text).unwrap().fingerprint(), url.fingerprint());
        assert!(resolver.resolve("//[").is_err());
        assert_eq!(resolver.resolve("x").unwrap().as_str(), "http://h/a/x");
    }
}

/// Compares the fast path with the slow one.
fn check_paths(canonicaliser: &Canonicaliser, page: &str, href: &str) {
    let page = canonicaliser.parse(page).unwrap();
    let mut resolver = canonicaliser.resolver(&page, None);
    let by_parser = resolver.resolve_by_parser(href).map(|url| (url.to_url(), url.origin().to_owned()));
    let url = resolver.resolve(href).map(|url| (url.to_url(), url.origin().to_owned()));
    assert_eq!(url, by_parser, "{href:?} on {page}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_fast_path_and_the_slow_path_lead_to_the_same_url(
        page in url_like(),
        href in prop_oneof![4 => link_like(), 1 => url_like(), 1 => any::<String>(), 1 => "[ -~]{0,12}"],
    ) {
        if canonicaliser().parse(&page).is_ok() {
            check_paths(canonicaliser(), &page, &href);
            check_paths(sorting_canonicaliser(), &page, &href);
        }
    }

    #[test]
    fn resolving_against_the_canonical_page_is_as_good_as_against_its_address(page in url_like(), href in link_like()) {
        let canonicaliser = canonicaliser();
        let Ok(canonical_page) = canonicaliser.parse(&page) else { return Ok(()) };
        let by_standard = join(&::url::Url::parse(&page).unwrap(), &href, None).and_then(|url| canonicaliser.parse(url.as_str()).ok());
        let mut resolver = canonicaliser.resolver(&canonical_page, None);
        prop_assert_eq!(resolver.resolve(&href).ok().map(|url| url.to_url()), by_standard.clone(), "{}", page);
        // The same address as the base of another page.
        let other = canonical("http://elsewhere.org/x");
        let mut resolver = canonicaliser.resolver(&other, Some(&page));
        prop_assert_eq!(resolver.resolve(&href).ok().map(|url| url.to_url()), by_standard);
    }

    // Behind a scheme the crate skips the slashes itself.
    #[test]
    fn slashes_are_skipped_as_the_crate_skips_them_behind_a_scheme(
        scheme in proptest::sample::select(&["http", "https"][..]),
        slashes in "[ \n]?[/\\\\]\t?[/\\\\][/\\\\\t\n]{0,4}",
        rest in link_like(),
    ) {
        let canonicaliser = canonicaliser();
        let href = format!("{slashes}{rest}");
        let absolute = format!("{scheme}:{}", href.trim_start_matches([' ', '\n']));
        let wanted = canonicaliser.parse(&absolute).ok().map(|url| url.as_str().to_owned());
        prop_assert_eq!(resolved(&format!("{scheme}://h:81/a/b"), None, &href).ok(), wanted);
    }

    // The standard encodes a whole query at once; its bytes can be computed independently only if all of it can be
    // encoded.
    #[test]
    fn a_charset_changes_nothing_but_the_bytes_of_a_query(
        charset in proptest::sample::select(&["GBK", "Big5", "Shift_JIS", "ISO-2022-JP", "windows-1251", "x-user-defined"][..]),
        path in "[a-z/é中]{0,6}",
        query in "[a-zé中ж=+\t😀-]{0,8}",
    ) {
        let page = canonical("http://h/a/b");
        let mut resolver = canonicaliser().document_resolver(&page, None, charset);
        let url = resolver.resolve(&format!("{path}?{query}")).map(|url| url.to_url());
        let by_utf_8 = resolved("http://h/a/b", None, &path);
        let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).unwrap();
        let (wanted, _, unmappable) = encoding.encode(&query);
        prop_assert_eq!(url.clone().ok().map(|url| url.as_str().split('?').next().unwrap_or_default().to_owned()), by_utf_8.ok());
        if let Ok(url) = url && !unmappable && !query.contains('\t') {
            let got = url.as_str().split_once('?').map_or("", |(_, query)| query);
            prop_assert_eq!(percent_encoding::percent_decode_str(got).collect::<Vec<u8>>(), &*wanted);
            prop_assert_eq!(canonicaliser().parse(url.as_str()), Ok(url));
        }
    }

    #[test]
    fn no_base_and_no_link_panics(base in prop_oneof![link_like(), any::<String>()], href in any::<String>()) {
        let _ = resolved("http://h/a/b", Some(&base), &href);
    }
}
