//! The parts of an address that may tell a place in a thread, rather than the thread.

use std::collections::BTreeSet;

use harvestman_core::model::path_hash::{fold, step};
use url::Url;

/// Words for pages, and for the number of the first item of a page.
const PAGING: [&str; 14] = [
    "page",
    "pagina",
    "página",
    "seite",
    "pg",
    "paged",
    "pageno",
    "pagenum",
    "pagenumber",
    "page_num",
    "page_number",
    "start",
    "startat",
    "offset",
];
/// Words that stand for pages in a path too.
const IN_PATHS: [&str; 4] = ["page", "pagina", "seite", "pg"];
/// What stands between the numbers and words of a part of a path.
const SEPARATORS: [char; 6] = ['-', '_', ',', ';', '.', '='];
/// Maximum number of parameters, and of segments of a path, that are parts.
const PARAMETERS_MAX: usize = 8;
const SEGMENTS_MAX: usize = 12;
/// Maximum number of parts that are removed.
const REMOVED_MAX: usize = 16;

/// The kind of a part: its place in addresses of one form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartKey(u64);

/// A part of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressPart {
    /// Its kind.
    pub key: PartKey,
    /// The address without it.
    pub rest: Url,
    /// Whether it is a number with a usual word for pages.
    pub is_page: bool,
    /// Whether it may tell a place where nothing is known of its kind: a number, or a parameter.
    pub may_be_place: bool,
}

impl AddressPart {
    /// Returns the parts of an address without a fragment, the last first.
    pub fn of(url: &Url) -> Vec<Self> {
        let mut parts = parameters(url);
        parts.extend(named_pages(url));
        parts.extend(last_segment(url));
        parts
    }
}

/// Returns an address without its fragment, and without the parts for which `is_place` is true.
pub fn without_parts(url: &Url, is_place: impl Fn(&AddressPart) -> bool) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    for _ in 0..REMOVED_MAX {
        let Some(part) = AddressPart::of(&url).into_iter().find(&is_place) else { break };
        url = part.rest;
    }
    url
}

/// Returns the kinds of the parameters with which a page links to itself, if a number tells it from others: they tell
/// what to show of it.
pub fn views_of(page: &Url, links: impl Iterator<Item = Url>) -> BTreeSet<PartKey> {
    let mut own = page.clone();
    own.set_fragment(None);
    let is_longer =
        |link: &Url| link.path() == own.path() && link.query().map_or(0, str::len) > own.query().map_or(0, str::len);
    let has_number = page.path().contains(|c: char| c.is_ascii_digit());
    let links = links.filter(|link| has_number && is_longer(link)).map(|mut link| {
        link.set_fragment(None);
        link
    });
    links.flat_map(|link| parameters(&link)).filter(|part| part.rest == own).map(|part| part.key).collect()
}

/// Returns a hash of what addresses of one kind have in common: the number of the segments of their paths, and the
/// first one.
fn form(segments: &[&str]) -> u64 {
    let first: String =
        segments.first().into_iter().flat_map(|first| first.chars()).filter(|c| !c.is_ascii_digit()).collect();
    step(fold(first.as_bytes()), segments.len() as u64)
}

fn key(segments: &[&str], kind: &str, name: &str) -> PartKey {
    PartKey(step(step(form(segments), fold(kind.as_bytes())), fold(name.as_bytes())))
}

fn segments(url: &Url) -> Vec<&str> {
    url.path().split('/').filter(|segment| !segment.is_empty()).take(SEGMENTS_MAX).collect()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parameters(url: &Url) -> Vec<AddressPart> {
    let pairs: Vec<&str> = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()).collect();
    let segments = segments(url);
    let part = |at: usize| {
        let (name, value) = pairs[at].split_once('=').unwrap_or((pairs[at], ""));
        let others = pairs.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, pair)| *pair);
        let query = others.collect::<Vec<_>>().join("&");
        let mut rest = url.clone();
        rest.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
        AddressPart {
            key: key(&segments, "?", name),
            rest,
            is_page: is_number(value) && PAGING.contains(&name.to_lowercase().as_str()),
            may_be_place: true,
        }
    };
    (0..pairs.len().min(PARAMETERS_MAX)).rev().map(part).collect()
}

/// Returns the pages that paths name by usual words, such as `/page/2` and `-page-2.html`.
fn named_pages(url: &Url) -> Vec<AddressPart> {
    let segments = segments(url);
    let mut parts = Vec::new();
    for at in (0..segments.len()).rev() {
        let is_pair = segments.get(at + 1).is_some_and(|next| is_number(next)) && IN_PATHS.contains(&segments[at]);
        let (behind, own) = match segment_without_page(segments[at]) {
            _ if is_pair => (at + 2, String::new()),
            Some(own) => (at + 1, own),
            None => continue,
        };
        // Words before the page may belong to it, as in `/t/5/comment-page-2`, or to the thread, as in
        // `/t/boil-an-egg-page-2`.
        if !own.is_empty() && at > 0 && behind == segments.len() {
            let rest = with_path(url, segments[..at].iter().copied());
            parts.push(AddressPart { key: key(&segments, "words", ""), rest, is_page: false, may_be_place: true });
        }
        let kept = segments[..at].iter().copied().chain(Some(own.as_str()).filter(|own| !own.is_empty()));
        let rest = with_path(url, kept.chain(segments[behind..].iter().copied()));
        parts.push(AddressPart { key: key(&segments, "page", ""), rest, is_page: true, may_be_place: true });
    }
    parts
}

/// Returns the last segment of a path, and the last number in it if there is another one before it.
fn last_segment(url: &Url) -> Vec<AddressPart> {
    let segments = segments(url);
    let Some((last, before)) = segments.split_last().filter(|(_, before)| !before.is_empty()) else {
        return number_at_end(url, &segments);
    };
    let part = |name: &str| AddressPart {
        key: key(&segments, "/", name),
        rest: with_path(url, before.iter().copied()),
        is_page: false,
        may_be_place: is_number(last),
    };
    if is_number(last) {
        return vec![part("")];
    }
    let mut parts = number_at_end(url, &segments);
    // A word tells a view of the thread, a text the thread once more.
    parts.extend([part(last), part("*")]);
    parts
}

/// Returns the last number of a path, if it is at the end of a segment, such as in `/t-5-2.html`.
fn number_at_end(url: &Url, segments: &[&str]) -> Vec<AddressPart> {
    let Some((last, before)) = segments.split_last() else { return Vec::new() };
    let (stem, suffix) = stem_of(last);
    let short = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let plain = short.trim_end_matches(SEPARATORS);
    if short.len() == stem.len() || plain.len() == short.len() || !plain.contains(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    let own = format!("{plain}{suffix}");
    let rest = with_path(url, before.iter().copied().chain([own.as_str()]));
    vec![AddressPart { key: key(segments, "-", ""), rest, is_page: false, may_be_place: true }]
}

/// Parts a segment into its name and a suffix such as `.html`.
fn stem_of(segment: &str) -> (&str, &str) {
    match segment.rsplit_once('.') {
        Some((stem, suffix)) if suffix.bytes().all(|byte| byte.is_ascii_alphabetic()) => (stem, &segment[stem.len()..]),
        _ => (segment, ""),
    }
}

/// Returns a segment without a page at its end, such as `page-2`; `None` if it names none.
fn segment_without_page(segment: &str) -> Option<String> {
    let (stem, suffix) = stem_of(segment);
    let digits = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let word = digits.trim_end_matches(['-', '_', '=']);
    let rest = IN_PATHS.iter().find_map(|paging| word.strip_suffix(paging)).filter(|_| digits.len() < stem.len())?;
    let own = rest.trim_end_matches(SEPARATORS);
    if rest.is_empty() { Some(String::new()) } else { (own.len() < rest.len()).then(|| format!("{own}{suffix}")) }
}

/// Returns an address with another path. Whether it ends in a slash stays.
fn with_path<'s>(url: &Url, segments: impl Iterator<Item = &'s str>) -> Url {
    let mut path = segments.fold(String::new(), |path, segment| path + "/" + segment);
    if path.is_empty() || url.path().ends_with('/') {
        path.push('/');
    }
    let mut url = url.clone();
    url.set_path(&path);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_pages(address: &str) -> String {
        without_parts(&address.parse().unwrap(), |part| part.is_page).into()
    }

    #[test]
    fn usual_paging_is_removed() {
        for (address, plain) in [
            ("https://h/t/5?page=2#p3", "https://h/t/5"),
            ("https://h/t?t=5&start=20", "https://h/t?t=5"),
            ("https://h/t?start=20&t=5", "https://h/t?t=5"),
            ("https://h/t/5/page/2/", "https://h/t/5/"),
            ("https://h/t/5/page/2/slug", "https://h/t/5/slug"),
            ("https://h/t/a.5/page-2", "https://h/t/a.5"),
            ("https://h/t/5/comment-page-2", "https://h/t/5/comment"),
            ("https://h/thread-5-page-2.html", "https://h/thread-5.html"),
            ("https://h/t/5/", "https://h/t/5/"),
            ("https://h/t/page-maker", "https://h/t/page-maker"),
            ("https://h/homepage2", "https://h/homepage2"),
            ("https://h/?page=5&p=6", "https://h/?p=6"),
            ("https://h/page/2", "https://h/"),
            ("https://h/", "https://h/"),
        ] {
            assert_eq!(without_pages(address), plain, "{address}");
            assert_eq!(without_pages(plain), plain);
        }
    }

    #[test]
    fn parts_are_parameters_and_ends_of_paths() {
        let rests = |address: &str| -> Vec<String> {
            AddressPart::of(&address.parse().unwrap()).into_iter().map(|part| part.rest.into()).collect()
        };
        assert_eq!(
            rests("http://h/t/7/x/12?a=1&b"),
            ["http://h/t/7/x/12?a=1", "http://h/t/7/x/12?b", "http://h/t/7/x?a=1&b"]
        );
        assert_eq!(rests("http://h/t-5-2.html"), ["http://h/t-5.html"]);
        assert_eq!(rests("http://h/t/7/latest"), ["http://h/t/7", "http://h/t/7"]);
        assert!(rests("http://h/t").is_empty() && rests("http://h/").is_empty());
    }

    #[test]
    fn kinds_are_those_of_one_place() {
        let last = |address: &str| AddressPart::of(&address.parse().unwrap())[0].key;
        assert_eq!(last("http://h/topic/7/x/12"), last("http://h/topic/8/y/1"));
        assert_ne!(last("http://h/topic/7/x/12"), last("http://h/user/7/y/1"));
        assert_ne!(last("http://h/t?a=1"), last("http://h/t?b=1"));
    }

    #[test]
    fn views_are_parameters_with_which_a_page_links_to_itself() {
        let views = |page: &str, links: &[&str]| {
            let page: Url = page.parse().unwrap();
            views_of(&page, links.iter().map(|link| page.join(link).unwrap())).len()
        };
        assert_eq!(views("http://h/t/5", &["?poll=1#p", "?poll=2", "/t/6?other=1", "/t/5", "?a=1&b=2", "#c"]), 1);
        assert_eq!(views("http://h/t/5?page=2#p", &["?page=2&poll=1", "?page=3"]), 1);
        assert_eq!(views("http://h/", &["?p=1"]), 0);
    }
}
