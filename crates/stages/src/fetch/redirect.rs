//! Redirects: detected here, followed elsewhere (each hop is a link that passes scope, robots.txt and dedup).

use http::HeaderMap;
use http::header::{LOCATION, REFRESH};

/// Returns where a response redirects to, as the server wrote it; `None` if it does not redirect.
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

/// Decodes a header value: as UTF-8 if it is valid, else as Latin-1, as browsers do.
fn text(value: &[u8]) -> Option<String> {
    let bytes = value.trim_ascii();
    let text = match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    };
    (!text.is_empty()).then_some(text)
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
    fn a_location_may_be_utf_8_or_latin_1() {
        assert_eq!(of(302, "/straße".as_bytes()).as_deref(), Some("/straße"));
        assert_eq!(of(302, b"/stra\xdfe").as_deref(), Some("/straße"));
    }
}
