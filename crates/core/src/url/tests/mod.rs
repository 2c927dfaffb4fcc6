//! Behaviour of URLs as other modules see it.

mod canonical_form;
mod corpus;
mod resolving;
mod scope;
mod trap_twin;

use std::sync::LazyLock;

use proptest::prelude::*;

use super::{CanonicalUrl, Canonicaliser};
use crate::config::url::UrlOptions;

/// Returns a canonicaliser with the default settings.
fn canonicaliser() -> &'static Canonicaliser {
    static DEFAULT: LazyLock<Canonicaliser> = LazyLock::new(|| Canonicaliser::new(&UrlOptions::default()).unwrap());
    &DEFAULT
}

fn sorting_canonicaliser() -> &'static Canonicaliser {
    static SORTING: LazyLock<Canonicaliser> =
        LazyLock::new(|| Canonicaliser::new(&UrlOptions { sort_parameters: true, ..UrlOptions::default() }).unwrap());
    &SORTING
}

fn canonical(url: &str) -> CanonicalUrl {
    canonicaliser().parse(url).unwrap_or_else(|refusal| panic!("{url}: {refusal:?}"))
}

/// Pieces of links: everything that has a meaning in them, in all its spellings, and some pieces without meaning.
const PIECES: &[&str] = &[
    "http://",
    "https://",
    "HTTP:",
    "//",
    "/",
    "/",
    "/",
    "\\",
    "./",
    "../",
    ".",
    "..",
    "%2e",
    "%2E%2e",
    ":",
    ":80",
    ":443",
    ":8101",
    "@",
    "u:p@",
    "example.org",
    "example.org.",
    "EXAMPLE.org",
    "127.0.0.1",
    "127.0.0.1:8101",
    "0x7f.1",
    "[::1]",
    "xn--bcher-kva.de",
    "xn--a",
    "bücher.de",
    "a..b",
    "h",
    "topic",
    "topic",
    "5",
    "viewtopic.php",
    "A",
    "?",
    "?",
    "&",
    "&",
    ";",
    "=",
    "=",
    "page=2",
    "utm_source=x",
    "UTM_x",
    "sid=0123456789abcdef0123456789abcdef",
    "sid=5",
    "s=",
    ";jsessionid=1A",
    "PHPSESSID=1",
    "#",
    "#top",
    "%",
    "%4",
    "%41",
    "%7e",
    "%2F",
    "%2f",
    "%3F",
    "%C3%A9",
    "%c3",
    "%25",
    "%2541",
    "é",
    " ",
    "\t",
    "\n",
    "\u{0}",
    "+",
    "%20",
    "'",
    "\"",
    "<",
    "|",
    "^",
    "[]",
    "{x}",
    "`",
    "javascript:",
    "mailto:x",
    "data:,",
    "~",
    "_",
    "-",
    "!$()*,",
];

/// Returns texts that look like links.
fn link_like() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(PIECES), 0..10).prop_map(|pieces| pieces.concat())
}

/// Returns texts that look like absolute http(s) URLs.
fn url_like() -> impl Strategy<Value = String> {
    let host = proptest::sample::select(
        &["example.org", "127.0.0.1:8101", "Example.ORG.:443", "u@h:80", "[::1]", "b.a.localhost"][..],
    );
    let scheme = proptest::sample::select(&["http", "https", "HTTPS"][..]);
    (scheme, host, link_like()).prop_map(|(scheme, host, rest)| format!("{scheme}://{host}/{rest}"))
}
