//! A recorded response by itself.

use bytes::Bytes;
use http::HeaderMap;

use super::{body, head};

/// Returns the headers and the decoded body of a recorded response: the block of a `response` record. `None` if it is not
/// HTTP.
pub fn response(message: &Bytes) -> Option<(HeaderMap, Bytes)> {
    let head = head::read(message)?;
    let plain = body::plain(head.status, &head.headers, message.slice(head.length..));
    Some((head.headers, plain.bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_read_without_its_codings() {
        let message =
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n";
        let (headers, body) = response(&Bytes::from_static(message)).unwrap();
        assert_eq!((headers["content-type"].to_str().unwrap(), &body[..]), ("text/html", &b"<p>"[..]));
        assert!(response(&Bytes::from_static(b"GET / HTTP/1.1")).is_none());
    }
}
