//! Redirects: detected here, followed elsewhere (each hop is a link that passes scope, robots.txt and dedup).

use http::HeaderMap;
use http::header::{LOCATION, REFRESH};
use percent_encoding::{AsciiSet, percent_encode};

/// Returns where a response redirects to, as the server wrote it, bytes beyond ASCII as escapes; `None` if it does not
/// redirect.
///
/// This is the Location of 301, 302, 303, 307, 308 (RFC 9110, section 15.4) and of a 300 that names a preferred choice.
pub fn target(status: u16, headers: &HeaderMap) -> Option<String> {
    if !matches!(status, 300 | 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    text(headers.get(LOCATION)?.as_bytes())
}

/// Returns the value of the `Refresh` header (`5; url=/next`), which has the format of a refresh element's content.
pub fn refresh(headers: &HeaderMap) -> Option<String> {
    text(headers.get(REFRESH)?.as_bytes())
}

/// No ASCII character: what a server escapes is its decision. Other bytes always are.
const NOT_ASCII: &AsciiSet = &AsciiSet::EMPTY;

/// Returns a header value with its bytes beyond ASCII percent-encoded, whatever their charset: the server is asked for
/// the bytes that it named, as by browsers.
fn text(value: &[u8]) -> Option<String> {
    let bytes = value.trim_ascii();
    (!bytes.is_empty()).then(|| percent_encode(bytes, NOT_ASCII).to_string())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn of(status: u16, location: &[u8]) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_bytes(location).unwrap());
        target(status, &headers)
    }

    #[test]
    fn only_redirecting_statuses_with_a_location_redirect() {
        for status in [300, 301, 302, 303, 307, 308] {
            assert_eq!(of(status, b"/x").as_deref(), Some("/x"), "{status}");
        }
        for status in [200, 201, 304, 305, 306, 404] {
            assert_eq!(of(status, b"/x"), None, "{status}");
        }
        assert_eq!(target(301, &HeaderMap::new()), None);
        assert_eq!(of(301, b"  "), None);
    }

    #[test]
    fn the_bytes_of_a_location_are_kept_in_any_charset() {
        assert_eq!(of(302, "/straße?ä".as_bytes()).as_deref(), Some("/stra%C3%9Fe?%C3%A4"));
        assert_eq!(of(302, b"/stra\xdfe?\xa0").as_deref(), Some("/stra%DFe?%A0"));
        assert_eq!(of(302, b" /%DF \"<%>`| ").as_deref(), Some("/%DF \"<%>`|"));
    }
}
