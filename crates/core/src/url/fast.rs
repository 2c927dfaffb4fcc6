//! The fast path to a link's canonical form, for links that are nearly canonical as written.
//!
//! Nine of ten links on real pages are plain paths (`/topic/5/?page=2`), plain absolute URLs or relative names, made of
//! bytes that neither the URL standard nor the canonical form changes. They are checked and copied, without a parse. In
//! all uncertain cases (other bytes, inner dot segments, lower-case or needless escapes, ports, addresses, Punycode,
//! parameters to strip) the result is `None` and the link takes the slow path; a property test checks that both paths
//! agree.

use super::canonical::Base;
use super::refusal::OutOfScope;
use super::strip::Stripper;
use super::{authority, escapes};

/// Appends the canonical form of `link`, as found on the page `base`, to the empty `out` and returns the length of its
/// origin. `None` if the link must take the slow path; `out` then has undefined contents.
pub(super) fn resolve(
    base: &Base<'_>,
    link: &str,
    stripper: &Stripper,
    out: &mut String,
) -> Option<Result<usize, OutOfScope>> {
    let link = trimmed(link);
    let origin_end = base.origin().len();
    let done = Some(Ok(origin_end));
    match link.as_bytes() {
        [] | [b'#', ..] => {
            out.push_str(base.text());
            done
        }
        [b'?', ..] => {
            out.push_str(base.without_query());
            push_query(link, stripper, out)?;
            done
        }
        [b'/', b'/', ..] => absolute(base, base.scheme(), &link[2..], stripper, out),
        [b'/', ..] => {
            out.push_str(base.origin());
            push_path_and_query(link, stripper, out)?;
            done
        }
        _ => match scheme_end(link.as_bytes()) {
            Some(end) => with_scheme(base, link, end, stripper, out),
            None => {
                push_relative(base, link, stripper, out)?;
                done
            }
        },
    }
}

/// Returns `link` without the white space and control characters that the URL standard ignores at both ends.
fn trimmed(link: &str) -> &str {
    let ends_plainly = |byte: Option<&u8>| byte.is_none_or(|byte| *byte > b' ');
    if ends_plainly(link.as_bytes().first()) && ends_plainly(link.as_bytes().last()) {
        return link;
    }
    link.trim_matches(|c| c <= ' ')
}

/// Returns the position of the `:` behind the link's scheme, if it has one.
fn scheme_end(link: &[u8]) -> Option<usize> {
    if !link.first()?.is_ascii_alphabetic() {
        return None;
    }
    let end = link.iter().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')))?;
    (link[end] == b':').then_some(end)
}

fn with_scheme(
    base: &Base<'_>,
    link: &str,
    scheme_end: usize,
    stripper: &Stripper,
    out: &mut String,
) -> Option<Result<usize, OutOfScope>> {
    let (scheme, rest) = link.split_at(scheme_end + 1);
    match scheme {
        "http:" | "https:" => absolute(base, scheme, rest.strip_prefix("//")?, stripper, out),
        _ if scheme.eq_ignore_ascii_case("http:") || scheme.eq_ignore_ascii_case("https:") => None,
        _ => Some(Err(OutOfScope::Scheme)),
    }
}

/// Resolves an absolute link; `rest` starts with the authority.
fn absolute(
    base: &Base<'_>,
    scheme: &str,
    rest: &str,
    stripper: &Stripper,
    out: &mut String,
) -> Option<Result<usize, OutOfScope>> {
    let end = rest.bytes().position(|byte| matches!(byte, b'/' | b'?' | b'#' | b'\\')).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    // The page's own authority may have a port or be an address: it has passed the parser.
    let known = authority == base.authority() && scheme == base.scheme();
    if !known && !authority::is_plain_host(authority.as_bytes()) {
        return None;
    }
    out.push_str(scheme);
    out.push_str("//");
    out.push_str(authority);
    let origin_end = out.len();
    match path.as_bytes() {
        [b'/', ..] => push_path_and_query(path, stripper, out)?,
        [b'?', ..] => {
            out.push('/');
            push_query(path, stripper, out)?;
        }
        [] | [b'#', ..] => out.push('/'),
        _ => return None,
    }
    Some(Ok(origin_end))
}

/// Appends the form of `link`, which is relative to the page's directory.
fn push_relative(base: &Base<'_>, link: &str, stripper: &Stripper, out: &mut String) -> Option<()> {
    let mut directory = base.directory();
    let mut rest = link;
    loop {
        if let Some(below) = rest.strip_prefix("./") {
            rest = below;
        } else if let Some(beside) = rest.strip_prefix("../") {
            directory = parent(directory);
            rest = beside;
        } else {
            break;
        }
    }
    out.push_str(base.origin());
    out.push_str(directory);
    push_path_and_query(rest, stripper, out)
}

/// Returns the directory above `directory`, which starts and ends with `/`.
fn parent(directory: &str) -> &str {
    let inner = &directory.as_bytes()[..directory.len() - 1];
    memchr::memrchr(b'/', inner).map_or(directory, |at| &directory[..=at])
}

/// Appends `text`, a path (or its end, behind a `/`) with its query, up to the fragment.
fn push_path_and_query(text: &str, stripper: &Stripper, out: &mut String) -> Option<()> {
    let end = plain_path_len(text.as_bytes())?;
    let (path, query) = text.split_at(end);
    out.push_str(path);
    if query.starts_with('?') { push_query(query, stripper, out) } else { Some(()) }
}

/// Appends `text`, a query including its `?`, up to the fragment; appends nothing if it is empty.
fn push_query(text: &str, stripper: &Stripper, out: &mut String) -> Option<()> {
    let end = 1 + plain_query_len(&text.as_bytes()[1..], stripper)?;
    if end > 1 {
        out.push_str(&text[..end]);
    }
    Some(())
}

/// The byte must be examined in a path.
const IN_PATH: u8 = 1;
/// The byte must be examined in a query.
const IN_QUERY: u8 = 2;

/// Where each byte must be examined. The other bytes are copied as they are; nearly all links consist of them.
const LOOKS: [u8; 256] = {
    let mut looks = [IN_PATH | IN_QUERY; 256];
    let plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~!$()*+,/:=@[]|";
    let mut at = 0;
    while at < plain.len() {
        looks[plain[at] as usize] = 0;
        at += 1;
    }
    looks[b'.' as usize] = IN_PATH;
    looks[b'?' as usize] = IN_PATH;
    looks[b'\'' as usize] = IN_QUERY;
    looks[b'&' as usize] = IN_QUERY;
    looks
};

/// Returns the position, from `from` on, of the first byte that must be examined, and the byte.
fn next_look(text: &[u8], from: usize, place: u8) -> Option<(usize, u8)> {
    let at = from + text[from..].iter().position(|byte| LOOKS[usize::from(*byte)] & place != 0)?;
    Some((at, text[at]))
}

/// Returns the length of the canonical path that `text` starts with; `None` if it is not canonical. `text` starts a
/// segment.
fn plain_path_len(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some((at, byte)) = next_look(text, from, IN_PATH) {
        match byte {
            b'?' | b'#' => return Some(at),
            // A segment that starts with a dot may be a dot segment.
            b'.' if at > 0 && text[at - 1] != b'/' => from = at + 1,
            b'%' if escapes::is_normal(&text[at..]) => from = at + 3,
            _ => return None,
        }
    }
    Some(text.len())
}

/// Returns the length of the canonical query that `text` starts with; `None` if it is not canonical or has parameters
/// to strip.
fn plain_query_len(text: &[u8], stripper: &Stripper) -> Option<usize> {
    let (mut from, mut parameter_start) = (0, 0);
    let mut end = text.len();
    while let Some((at, byte)) = next_look(text, from, IN_QUERY) {
        match byte {
            b'&' | b';' if !stripper.sorts() && !stripper.strips(&text[parameter_start..at]) => {
                parameter_start = at + 1;
                from = at + 1;
            }
            b'%' if escapes::is_normal(&text[at..]) => from = at + 3,
            b'#' => {
                end = at;
                break;
            }
            _ => return None,
        }
    }
    (!stripper.strips(&text[parameter_start..end])).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::url::UrlOptions;

    fn takes_the_fast_path(link: &str) -> bool {
        let stripper = Stripper::new(&UrlOptions::default()).unwrap();
        let base = Base::new("https://example.org:8101/forum/topic-5/?page=2".into());
        resolve(&base, link, &stripper, &mut String::new()).is_some()
    }

    // Both paths would also agree if nothing ever took the fast one.
    #[test]
    fn common_links_take_the_fast_path() {
        for link in [
            "",
            "#post-5",
            "?page=2&sort=name#top",
            "/",
            "/topic/5/some-words.html?page=2",
            "topic/5",
            "./viewtopic.php?f=1&t=2",
            "../../x/",
            "https://example.org:8101/x?next=/a/%3Fb",
            "https://www.other-site.org/caf%C3%A9",
            "http://other.org",
            "//cdn.other.org/x",
            "/index.php?topic=5.0;prev_next=next",
            "javascript:void(0)",
            "mailto:someone@example.org",
            " /x\n",
            "/x?sid=5&s=&page=1",
        ] {
            assert!(takes_the_fast_path(link), "{link}");
        }
    }

    #[test]
    fn links_that_the_slow_path_may_change_take_it() {
        for link in [
            "/a/../b",
            "/a/.",
            "..",
            ".",
            "/.hidden",
            "a/%2e%2E/b",
            "/%41",
            "/%c3",
            "/%",
            "/a%2",
            "/a\\b",
            "/a b",
            "/é",
            "/a\tb",
            "/a;jsessionid=1",
            "/?utm_source=x",
            "/?a=1&fbclid=2",
            "?a;PHPSESSID=1",
            "?q='x'",
            "/^",
            "/{x}",
            "http:x",
            "HTTP://other.org/",
            "http://Other.org/",
            "http://other.org:80/",
            "http://1.2.3.4/",
            "http://u@other.org/",
            "http://other.org./",
            "http://xn--a.org/",
            "http://[::1]/",
            "https:/x",
            "//",
            "http://",
            "http://example.org:8101/",
        ] {
            assert!(!takes_the_fast_path(link), "{link}");
        }
    }
}
