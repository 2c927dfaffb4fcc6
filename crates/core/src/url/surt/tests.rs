use proptest::prelude::*;

use super::{surt, unescaped};

#[test]
fn keys_are_those_of_other_tools() {
    for (url, key) in [
        ("", "-"),
        ("  http://Example.ORG  ", "org,example)/"),
        ("filedesc:foo.arc", "filedesc:foo.arc"),
        ("example.org/a", "org,example)/a"),
        ("http://www.example.org/", "org,example)/"),
        ("https://www2.example.org:443/A/B/?c=2&b=1&a#frag", "org,example)/a/b?a&b=1&c=2"),
        ("http://example.org:8080/x/", "org,example:8080)/x"),
        ("http://user:pw@example.org/", "org,example)/"),
        ("http://https://http://example.org/x", "org,example)/x"),
        ("http:////////www.example.org/y", "org,example)/y"),
        ("http://example.org?", "org,example)/"),
        ("http://example.org/?", "org,example)/"),
        ("http://example.org/a//b/./c/../d/", "org,example)/a/b/d"),
        ("http://example.org/../x", "org,example)/../x"),
        ("http://example.org/%2541%2520b", "org,example)/a%20b"),
        ("http://bücher.example/ä?ö=Ü", "example,xn--bcher-kva)/%c3%a4?%c3%b6=%c3%9c"),
        ("http:/bücher.example:443/", "example:443,xn--bcher-kva)/"),
        ("http://bücher..example/", "example,b%c3%bccher)/"),
        ("http://xn--bcher-kva.example/%C3%A4", "example,xn--bcher-kva)/%c3%a4"),
        ("http://127.0.0.1:8080/a", "1,0,0,127:8080)/a"),
        ("http://2130706433/", "1,0,0,127)/"),
        ("http://1.2/", "2,0,0,1)/"),
        ("http://010.8.0.1/", "1,0,8,010)/"),
        ("http://0177.1/", "1,0,0,127)/"),
        ("http://[::1]:81/x", "::1:81)/x"),
        ("http://h/a?sid=0123456789abcdef0123456789abcdef&x=1", "h)/a?x=1"),
        ("http://h/a?x=1&PHPSESSID=0123456789abcdef0123456789ABCDEF", "h)/a?&x=1"),
        ("http://h/a?x=1&ASPSESSIONIDABCDEFGH=abcdefghijklmnopqrstuvwx&y", "h)/a?x=1&y"),
        ("http://h/a?cfid=12&cftoken=34&y=2", "h)/a?y=2"),
        ("http://h/(abcdefghijklmnopqrstuvwx)/p.aspx?q", "h)/p.aspx?q"),
        ("http://h/(S(abcdefghijklmnopqrstuvwx))/p.aspx", "h)/p.aspx"),
        ("dns:www.example.org", "dns:www.example.org"),
        ("urn:uuid:ABC", "urn:uuid:abc"),
        ("mailto:A@b.c", "mailto:a@b.c"),
        ("http://example..org./", "org,example)/"),
        ("http://h/a?b=&b&a=%26z", "h)/a?a=&b&b=&z"),
        ("http://h:00080/", "h)/"),
        ("http://h:/", "h)/"),
        ("ftp://www.h:21/X/", "h:21)/x"),
        ("http://h/a b\tc", "h)/a%20bc"),
        ("http://h/%zz%2", "h)/%25zz%252"),
        ("http://h/?", "h)/"),
        ("http://h/a?&&b", "h)/a?&&b"),
        ("screenshot:http://www.h/A", "screenshot:http://www.h/a"),
    ] {
        assert_eq!(surt(url).as_deref(), Some(key), "{url}");
    }
}

#[test]
fn what_no_key_can_be_made_of_has_none() {
    for url in ["http://h:a/", "http://h:65536/", "http://h:-1/", " ", "http://h:1:2/"] {
        assert_eq!(surt(url), None, "{url}");
    }
}

#[test]
fn http_and_https_with_and_without_www_have_one_key() {
    let same =
        ["http://www.h.org/a", "https://h.org/a", "https://www7.h.org:443/A", "http://u@h.org:80/a/#x", "h.org/a?"];
    assert!(same.iter().all(|url| surt(url).as_deref() == Some("org,h)/a")));
}

/// Works in rounds, as other tools do.
fn in_rounds(text: &[u8]) -> Vec<u8> {
    let once: Vec<u8> = percent_encoding::percent_decode(text).collect();
    if once == text { once } else { in_rounds(&once) }
}

proptest! {
    #[test]
    fn one_pass_takes_back_as_many_escapes_as_rounds_do(text in "(%|%2|25|[34][0-9a-f]|x|%41){0,12}") {
        prop_assert_eq!(unescaped(text.as_bytes()), in_rounds(text.as_bytes()));
    }

    #[test]
    fn a_key_is_printable_ascii_without_blanks(url in r"(https?://)?([a-zä.@:%0-9\[\]]{0,12}/?){1,4}(\?.{0,20})?", any in ".*") {
        for key in [url, any].iter().filter_map(|url| surt(url)).filter(|key| !key.starts_with("filedesc")) {
            prop_assert!(key.bytes().all(|byte| byte.is_ascii_graphic()), "{}", key);
        }
    }

    #[test]
    fn the_order_of_parameters_does_not_matter(names in prop::collection::vec("[a-z]{1,3}=[0-9]?", 1..6)) {
        let mut turned = names.clone();
        turned.reverse();
        let key = |names: &[String]| surt(&format!("http://h/?{}", names.join("&")));
        prop_assert_eq!(key(&names), key(&turned));
    }
}

#[test]
fn escapes_and_ids_nested_very_deep_cost_no_more_than_their_length() {
    let deep = format!("http://h/%{}41?{}", "25".repeat(100_000), "cfid=".repeat(100_000));
    assert!(surt(&deep).expect("a key").starts_with("h)/a?cfid="));
}
