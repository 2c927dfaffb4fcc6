//! The canonical form: which spellings are one URL, and which are not.

use proptest::prelude::*;

use super::{canonical, canonicaliser, link_like, sorting_canonicaliser, url_like};
use crate::config::url::UrlOptions;
use crate::url::{Canonicaliser, Fingerprint, OutOfScope};

#[test]
fn all_spellings_of_a_url_become_one() {
    for (wanted, spellings) in [
        (
            "http://example.org/",
            &[
                "HTTP://EXAMPLE.ORG",
                "http://example.org:80/",
                "http://example.org./",
                "http://u:p@example.org/#top",
                "http://example.org/?",
                "http:\\\\example.org\\",
                " http://example.org/a/..\n",
                "http://example.org/?#",
                "http://ex%61mple.org",
                "http://example.org/?utm_source=a&gclid=b",
                "http://example.org/./%2e/",
            ][..],
        ),
        ("https://example.org/a/c", &["https://example.org:443/a/b/../c", "https://example.org/a/%2E%2e/a/./c"][..]),
        (
            "https://xn--bcher-kva.de/",
            &["https://BÜCHER.de", "https://bücher.de./", "https://xn--bcher-kva.de:443"][..],
        ),
        ("http://h/caf%C3%A9?q=%C3%A9", &["http://h/café?q=é", "http://h/caf%c3%a9?q=%c3%A9"][..]),
        ("http://h/~a-b_c.d?x=~1", &["http://h/%7ea%2db%5fc%2Ed?x=%7E%31", "http://h/%7Ea-b_c.d?%78=~1"][..]),
        ("http://h/100%25?p=5%25", &["http://h/100%?p=5%", "http://h/100%25?p=5%25"][..]),
        (
            "http://h/a?b=1",
            &["http://h/a;jsessionid=F00?b=1", "http://h/a?PHPSESSID=x&b=1", "http://h/a?b=1&utm%5Fid=3"][..],
        ),
        ("http://127.0.0.1:8101/", &["http://0x7f.1:8101", "http://127.1:08101/", "http://2130706433:8101/"][..]),
        ("http://[2001:db8::1]/", &["http://[2001:DB8:0:0:0:0:0:1]:80/"][..]),
    ] {
        for spelling in spellings {
            assert_eq!(canonical(spelling).as_str(), wanted, "{spelling}");
        }
        assert_eq!(canonical(wanted).as_str(), wanted);
    }
}

#[test]
fn what_may_differ_in_meaning_stays_apart() {
    for same in [
        "http://h/a",
        "http://h/a/",
        "http://h/A",
        "https://h/a",
        "http://h:8080/a",
        "http://h//a",
        "http://h/a%2Fb",
        "http://h/a?b+c",
        "http://h/a?b%20c",
        "http://h/a?b%2Bc",
        "http://h/a?x=1&y=2",
        "http://h/a?y=2&x=1",
        "http://h/a?x=a%26y",
        "http://h/a?x=",
        "http://h/a?x",
        "http://h/a?&x",
        "http://h/a?x=%23",
        "http://h/a%3Fx",
        "http://h/a;v=1",
        "http://h/a%3Bv",
        "http://www.h/a",
        "http://h/a%252Fb",
        "http://h/a?sid=17",
        "http://h/index.html",
        "http://h/a[]",
        "http://h/a%5B%5D",
        "http://h/a:b@c",
        "http://h/a?%C3",
        "http://h/?a=b?c/d",
    ] {
        assert_eq!(canonical(same).as_str(), same);
    }
}

#[test]
fn what_is_no_web_address_is_refused_with_its_reason() {
    for (input, reason) in [
        ("", OutOfScope::Invalid),
        ("example.org", OutOfScope::Invalid),
        ("/path", OutOfScope::Invalid),
        ("http://", OutOfScope::Invalid),
        ("http://a b/", OutOfScope::Invalid),
        ("http://h:99999/", OutOfScope::Invalid),
        ("http://./", OutOfScope::Invalid),
        ("http://h../", OutOfScope::Invalid),
        ("http://{h}/", OutOfScope::Invalid),
        ("http://1.2.3.256/", OutOfScope::Invalid),
        ("https://[::g]/", OutOfScope::Invalid),
        ("ftp://h/", OutOfScope::Scheme),
        ("mailto:a@b.c", OutOfScope::Scheme),
        ("java\tscript:void(0)", OutOfScope::Scheme),
        ("file:///etc/passwd", OutOfScope::Scheme),
        ("foo://[", OutOfScope::Scheme),
    ] {
        assert_eq!(canonicaliser().parse(input), Err(reason), "{input}");
    }
}

// The URL standard validates labels that start with `xn--`, and the `url` crate follows it.
#[test]
fn a_label_of_invalid_punycode_is_no_host() {
    for label in ["xn--", "xn--pokxncvks", "xn--a", "XN--A-", "xn--0", "xn--a-ecp"] {
        for url in [format!("https://{label}/"), format!("http://www.{label}.de/"), format!("http://{label}.")] {
            assert_eq!(canonicaliser().parse(&url), Err(OutOfScope::Invalid), "{url}");
            assert!(::url::Url::parse(&url).is_err(), "{url}");
        }
    }
    for label in ["xn--bcher-kva", "xn--zca", "xn--ls8h", "xn--tda"] {
        let url = format!("https://{label}.de/");
        assert_eq!(canonical(&url).as_str(), url);
    }
}

#[test]
fn links_are_refused_from_one_byte_beyond_the_limit() {
    let mut strict = Canonicaliser::new(&UrlOptions::default()).unwrap();
    strict.link_bytes_max = 20;
    assert!(strict.parse("http://example.org/a").is_ok());
    assert_eq!(strict.parse("http://example.org/ab"), Err(OutOfScope::TooLong));
    assert_eq!(strict.parse("data:text/plain,abcdefgh"), Err(OutOfScope::Scheme));
}

#[test]
fn parameters_are_sorted_only_on_request() {
    assert_eq!(sorting_canonicaliser().parse("http://h/?b=1&a=2&b=0").unwrap().as_str(), "http://h/?a=2&b=1&b=0");
}

fn check_canonical(canonicaliser: &Canonicaliser, input: &str) {
    let Ok(once) = canonicaliser.parse(input) else { return };
    assert_eq!(canonicaliser.parse(once.as_str()).as_ref(), Ok(&once), "not idempotent for {input:?}");
    let parsed = ::url::Url::parse(once.as_str()).unwrap();
    assert_eq!(parsed.as_str(), once.as_str(), "the URL standard changes the form of {input:?}");
    assert_eq!(format!("{}{}", once.origin(), once.path_and_query()), once.as_str());
    assert!(http::Uri::try_from(once.as_str()).is_ok(), "no HTTP client takes {once}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_canonical_form_is_a_fixed_point(input in prop_oneof![url_like(), link_like(), any::<String>()]) {
        check_canonical(canonicaliser(), &input);
        check_canonical(sorting_canonicaliser(), &input);
    }

    #[test]
    fn hosts_of_any_text_are_refused_or_canonical(host in any::<String>(), label in "[a-z0-9_.-]{0,12}") {
        check_canonical(canonicaliser(), &format!("http://{host}/"));
        check_canonical(canonicaliser(), &format!("http://{label}/"));
        check_canonical(canonicaliser(), &format!("http://xn--{label}/"));
    }

    #[test]
    fn fingerprints_are_equal_exactly_where_the_texts_are(a in url_like(), b in url_like()) {
        let (Ok(a), Ok(b)) = (canonicaliser().parse(&a), canonicaliser().parse(&b)) else { return Ok(()) };
        prop_assert_eq!(a.fingerprint() == b.fingerprint(), a.as_str() == b.as_str());
        prop_assert_eq!(a.fingerprint(), Fingerprint::of(a.as_str()));
    }
}
