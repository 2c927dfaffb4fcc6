//! The parts of the URL standard (<https://url.spec.whatwg.org>) that the `url` crate lacks, and queries in the charset
//! of their document ("percent-encode after encoding").

use std::borrow::Cow;

use ::url::Url;
use encoding_rs::{EncoderResult, Encoding, UTF_8};

/// Returns the href of `input`, resolved against `base` if there is one, exactly as the URL standard serialises it, for
/// any scheme; `None` if the standard's parser fails.
pub fn whatwg_href(input: &str, base: Option<&str>) -> Option<String> {
    let url = match base {
        Some(base) => join(&Url::parse(base).ok()?, input, None)?,
        None => Url::parse(input).ok()?,
    };
    let href = url.as_str();
    let path = path_text(&url);
    if let Cow::Borrowed(_) = path {
        return Some(href.to_owned());
    }
    let path_start = href.len() - url[::url::Position::BeforePath..].len();
    let path_end = path_start + url.path().len();
    Some([&href[..path_start], &path, &href[path_end..]].concat())
}

/// Returns the path with the escapes that the standard has introduced since 2024 and the crate lacks: `^`, and the last
/// space of an opaque path (`mailto:x`, where a final space can only be before a query or fragment).
pub(super) fn path_text(url: &Url) -> Cow<'_, str> {
    let path = url.path();
    if url.cannot_be_a_base() {
        return match path.strip_suffix(' ') {
            Some(front) => Cow::Owned(format!("{front}%20")),
            None => Cow::Borrowed(path),
        };
    }
    if memchr::memchr(b'^', path.as_bytes()).is_none() {
        return Cow::Borrowed(path);
    }
    Cow::Owned(path.replace('^', "%5E"))
}

/// Resolves `link` against `base` with the query of special schemes in `encoding`; `None` if the standard's parser
/// fails.
pub(super) fn join(base: &Url, link: &str, encoding: Option<&'static Encoding>) -> Option<Url> {
    if let Some(encoding) = encoding {
        // The crate encodes the text between two of these by itself.
        let link = link.replace(['\t', '\n', '\r'], "");
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| encode(query, encoding);
        return Url::options()
            .base_url(Some(base))
            .encoding_override(Some(encode))
            .parse(&with_base_scheme(base, &link))
            .ok();
    }
    base.join(&with_base_scheme(base, link)).ok()
}

/// Adds the base's scheme to a link that starts with more than two slashes and backslashes.
///
/// For special schemes the standard skips any number of them before the authority (`///host/path`, "special authority
/// ignore slashes state"). The crate does so only behind a scheme.
fn with_base_scheme<'l>(base: &Url, link: &'l str) -> Cow<'l, str> {
    let leading = significant(link).take_while(|byte| matches!(byte, b'/' | b'\\')).take(3).count();
    if leading > 2 && base.is_special() && base.scheme() != "file" {
        return Cow::Owned([base.scheme(), ":", link.trim_start_matches(|c| c <= ' ')].concat());
    }
    Cow::Borrowed(link)
}

/// Returns the bytes of `link` without those that the standard ignores: leading white space, and tabs and line breaks
/// anywhere.
fn significant(link: &str) -> impl Iterator<Item = u8> {
    link.bytes().skip_while(|byte| *byte <= b' ').filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\r'))
}

/// Returns whether `link` starts with a scheme other than http and https. Characters that the standard ignores (white
/// space around it, tabs and line breaks within it) are ignored.
pub(super) fn has_other_scheme(link: &str) -> bool {
    let mut scheme = [0_u8; 6];
    for (at, byte) in significant(link).enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at > 0 => {
                let name = scheme.get(..at).unwrap_or_default();
                return !(name.eq_ignore_ascii_case(b"http") || name.eq_ignore_ascii_case(b"https"));
            }
            _ => return false,
        }
        if let Some(slot) = scheme.get_mut(at) {
            *slot = byte;
        }
    }
    false
}

/// Returns the encoding of queries in documents of `charset`; `None` if that is UTF-8.
pub(super) fn encoding(charset: &str) -> Option<&'static Encoding> {
    if charset == UTF_8.name() {
        return None;
    }
    Encoding::for_label(charset.as_bytes()).map(Encoding::output_encoding).filter(|encoding| *encoding != UTF_8)
}

/// Returns `query` in `encoding`. A character that the encoding cannot represent becomes the escapes of `&#N;` with its
/// number N.
pub(super) fn encode<'q>(query: &'q str, encoding: &'static Encoding) -> Cow<'q, [u8]> {
    let (bytes, _, is_lossy) = encoding.encode(query);
    if !is_lossy {
        return bytes;
    }
    let (mut encoder, mut bytes, mut rest) = (encoding.new_encoder(), Vec::with_capacity(2 * query.len()), query);
    loop {
        bytes.reserve(encoder.max_buffer_length_from_utf8_without_replacement(rest.len()).unwrap_or(rest.len()));
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Cow::Owned(bytes),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                bytes.extend_from_slice(format!("%26%23{}%3B", u32::from(character)).as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_scheme_is_serialised_as_the_standard_says() {
        for (input, base, href) in [
            ("HTTP://User@EXAMPLE.org:80/%7e/../a^b?c^d#e^f", None, "http://User@example.org/a%5Eb?c^d#e^f"),
            ("mailto:A^b@c", None, "mailto:A^b@c"),
            ("foo:opaque  ?hi", None, "foo:opaque %20?hi"),
            ("foo:opaque\t\t  \r #hi", None, "foo:opaque  %20#hi"),
            ("foo:opaque  ", None, "foo:opaque"),
            ("wss://h/ ^|", None, "wss://h/%20%5E|"),
            ("../x", Some("ftp://h/a/b/c"), "ftp://h/a/x"),
            ("#f", Some("about:blank"), "about:blank#f"),
            ("//h/^", Some("foo://g"), "foo://h/%5E"),
            ("///h/x", Some("http://g/"), "http://h/x"),
            ("\\//h/x", Some("wss://g/"), "wss://h/x"),
            ("///h/x", Some("foo://g/"), "foo:///h/x"),
            ("///h/x", Some("file://g/y"), "file:///h/x"),
        ] {
            assert_eq!(whatwg_href(input, base).as_deref(), Some(href), "{input}");
        }
        for (input, base) in [("x", None), ("http://", None), ("http://a/", Some("nonsense")), ("x", Some("mailto:y"))]
        {
            assert_eq!(whatwg_href(input, base), None, "{input}");
        }
    }

    #[test]
    fn other_schemes_are_told_from_relative_links() {
        for other in ["javascript:void(0)", " mailto:x", "java\nscript:x", "a+b-1.c:", "data:x", "httpss:x"] {
            assert!(has_other_scheme(other), "{other}");
        }
        for not in ["", "http:x", "hTTps://", "ht\ntp:x", "/a:b", "1a:b", "a b:c", "topic", ":x", "?a:b"] {
            assert!(!has_other_scheme(not), "{not}");
        }
    }
}
