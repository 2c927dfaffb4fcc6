//! Addresses of the pages of a thread.

use url::Url;

/// Words for pages and for the number of the first item of a page.
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
/// Maximum number of numbers of an address that are tried.
const NUMBERS_MAX: usize = 8;

/// Returns the host of an address, with the port if it is not the usual one.
pub(super) fn host(address: &str) -> String {
    let Ok(url) = Url::parse(address) else { return String::new() };
    let name = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}

/// Returns an address without its fragment and without what names one of several pages by usual words.
pub(super) fn without_paging(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else { return address.to_owned() };
    url.set_fragment(None);
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty() && !is_paging(pair)).collect();
        let kept = kept.join("&");
        url.set_query(Some(kept.as_str()).filter(|query| !query.is_empty()));
    }
    let path = path_without_paging(url.path());
    url.set_path(&path);
    url.into()
}

/// Returns whether a pair of a query names a page.
fn is_paging(pair: &str) -> bool {
    pair.split_once('=').is_some_and(|(name, value)| is_number(value) && PAGING.contains(&name.to_lowercase().as_str()))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn path_without_paging(path: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_pair = IN_PATHS.contains(&segment) && segments.peek().is_some_and(|next| is_number(next));
        if is_pair {
            segments.next();
            continue;
        }
        let plain = segment_without_paging(segment);
        if plain.is_empty() && !segment.is_empty() {
            continue;
        }
        kept.push(plain);
    }
    // What remains of `/t/1/page/2` and of `/t/1/page-2` is what `/t/1/` has.
    let joined = kept.join("/");
    if joined.len() > 1 { joined.trim_end_matches('/').to_owned() } else { "/".to_owned() }
}

/// Removes `page-2` from the end of a segment, before a suffix such as `.html`.
fn segment_without_paging(segment: &str) -> String {
    let (stem, suffix) = match segment.rsplit_once('.') {
        Some((stem, suffix)) if suffix.bytes().all(|byte| byte.is_ascii_alphabetic()) => (stem, &segment[stem.len()..]),
        _ => (segment, ""),
    };
    let digits = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    if digits.len() == stem.len() {
        return segment.to_owned();
    }
    let word = digits.trim_end_matches(['-', '_', '=']);
    let rest = IN_PATHS.iter().find_map(|paging| word.strip_suffix(paging));
    match rest {
        Some("") => String::new(),
        Some(rest) if rest.ends_with(['-', '_', ',', ';', '.']) => {
            format!("{}{suffix}", rest.trim_end_matches(['-', '_', ',', ';', '.']))
        }
        _ => segment.to_owned(),
    }
}

/// Returns the addresses that differ from this one in one number: without it, or with 0 or 1 instead. One of them may be the
/// first page of what this address is a later page of.
pub(super) fn first_forms(address: &str) -> Vec<String> {
    let Ok(url) = Url::parse(address) else { return Vec::new() };
    let mut forms = Vec::new();
    let mut add = |form: &Url| forms.push(String::from(form.clone()));
    let pairs: Vec<&str> = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()).collect();
    for (at, pair) in pairs.iter().enumerate().take(NUMBERS_MAX) {
        let Some((name, value)) = pair.split_once('=').filter(|(_, value)| is_number(value)) else { continue };
        for new in [None, Some("0"), Some("1")].into_iter().filter(|new| *new != Some(value)) {
            let new = new.map(|new| format!("{name}={new}"));
            let others = pairs.iter().enumerate().filter_map(
                |(number, pair)| {
                    if number == at { new.as_deref() } else { Some(*pair) }
                },
            );
            let query = others.collect::<Vec<_>>().join("&");
            let mut form = url.clone();
            form.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
            add(&form);
        }
    }
    for path in paths_of_first(url.path()) {
        let mut form = url.clone();
        form.set_path(&path);
        add(&form);
    }
    forms
}

/// Returns the paths without the last number of a path, or with 0 or 1 instead of it, if there is another number before it.
fn paths_of_first(path: &str) -> Vec<String> {
    let Some(end) = path.rfind(|c: char| c.is_ascii_digit()).map(|at| at + 1) else { return Vec::new() };
    let start = path[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    let (before, number, behind) = (&path[..start], &path[start..end], &path[end..]);
    if !before.contains(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    let short = before.trim_end_matches(['/', '-', '_', ',', '.', '=']);
    let mut paths = vec![format!("{short}{behind}")];
    paths.extend(["0", "1"].iter().filter(|one| **one != number).map(|one| format!("{before}{one}{behind}")));
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_paging_is_removed() {
        for (address, plain) in [
            ("https://h/t/5?page=2#p3", "https://h/t/5"),
            ("https://h/t.php?t=5&start=20", "https://h/t.php?t=5"),
            ("https://h/t.php?start=20&t=5", "https://h/t.php?t=5"),
            ("https://h/t/5/page/2/", "https://h/t/5"),
            ("https://h/t/a.5/page-2", "https://h/t/a.5"),
            ("https://h/thread-5-page-2.html", "https://h/thread-5.html"),
            ("https://h/t/5/", "https://h/t/5"),
            ("https://h/t/page-maker", "https://h/t/page-maker"),
            ("https://h/homepage2", "https://h/homepage2"),
            ("https://h/?p=5", "https://h/?p=5"),
            ("https://h/", "https://h/"),
        ] {
            assert_eq!(without_paging(address), plain, "{address}");
            assert_eq!(without_paging(plain), plain);
        }
    }

    #[test]
    fn first_pages_of_a_page_are_guessed() {
        assert_eq!(
            first_forms("http://h/t?id=5&p=2")[3..],
            ["http://h/t?id=5", "http://h/t?id=5&p=0", "http://h/t?id=5&p=1"]
        );
        assert_eq!(
            first_forms("http://h/t-5-2.html"),
            ["http://h/t-5.html", "http://h/t-5-0.html", "http://h/t-5-1.html"]
        );
        assert!(first_forms("http://h/t/5").is_empty());
    }

    #[test]
    fn hosts_have_their_ports() {
        assert_eq!(
            (host("http://h:80/a"), host("http://h:81/a"), host("x")),
            ("h".into(), "h:81".into(), String::new())
        );
    }
}
