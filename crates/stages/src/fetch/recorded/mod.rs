//! Reads recorded responses: the blocks of the `response` records of WARC files of any tool.

mod body;
mod head;

use bytes::Bytes;
use http::HeaderMap;

/// A recorded response without its codings.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedResponse {
    /// Its status.
    pub status: u16,
    /// Its header fields, as they were recorded.
    pub headers: HeaderMap,
    /// Its decoded body.
    pub body: Bytes,
    /// Whether the body was decoded completely.
    pub is_whole: bool,
}

impl RecordedResponse {
    /// Reads the block of a `response` record. `None` if it is not HTTP.
    pub fn read(message: &Bytes) -> Option<Self> {
        Self::read_if(message, |_, _| true)
    }

    /// The same for a response whose status and header fields are wanted; the bodies of others are not decoded.
    pub fn read_if(message: &Bytes, wanted: impl FnOnce(u16, &HeaderMap) -> bool) -> Option<Self> {
        let head = head::read(message).filter(|head| wanted(head.status, &head.headers))?;
        let plain = body::plain(head.status, &head.headers, message.slice(head.length..));
        Some(Self { status: head.status, headers: head.headers, body: plain.bytes, is_whole: plain.whole })
    }
}

/// Returns the header fields and the decoded body of a recorded response; `None` if it is not HTTP.
pub fn recorded_response(message: &Bytes) -> Option<(HeaderMap, Bytes)> {
    RecordedResponse::read(message).map(|response| (response.headers, response.body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_read_without_its_codings() {
        let message =
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n";
        let read = RecordedResponse::read(&Bytes::from_static(message)).unwrap();
        assert_eq!((read.headers["content-type"].to_str().unwrap(), &read.body[..]), ("text/html", &b"<p>"[..]));
        assert!(read.status == 200 && read.is_whole);
        assert!(RecordedResponse::read(&Bytes::from_static(b"GET / HTTP/1.1")).is_none());
    }
}
