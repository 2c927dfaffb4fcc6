//! Addresses of the pages of a thread.

use url::Url;

use crate::addresses::without_parts;

/// Maximum number of numbers of an address that are tried.
const NUMBERS_MAX: usize = 8;

/// Returns the host of an address, with the port if it is not the usual one.
pub(super) fn host(address: &str) -> String {
    let Ok(url) = Url::parse(address) else { return String::new() };
    let name = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}

/// Returns an address without its fragment, without pages by usual words, and without the slash at the end of its path.
pub(super) fn without_paging(address: &str) -> String {
    let Ok(url) = Url::parse(address) else { return address.to_owned() };
    let mut url = without_parts(&url, |part| part.is_page);
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    url.into()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the addresses that differ from this one in one number: without it, or with 0 or 1 instead. One of them may
/// be the first page of what this address is a later page of.
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

/// Returns the paths without the last number of a path, or with 0 or 1 instead of it, if there is another number before
/// it.
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
    fn all_forms_of_an_address_are_one() {
        for address in ["https://h/t/5", "https://h/t/5/", "https://h/t/5/page/2/#p3", "https://h/t/5/?page=2"] {
            assert_eq!(without_paging(address), "https://h/t/5", "{address}");
        }
        assert_eq!((without_paging("https://h/?page=2").as_str(), without_paging("x").as_str()), ("https://h/", "x"));
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
