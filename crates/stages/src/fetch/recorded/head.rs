//! Parses HTTP heads as recorded by tools; leniently, because a recording cannot be repeated.

use http::header::{HeaderMap, HeaderName, HeaderValue};

/// The head of a response, and the start of its body.
#[derive(Debug, PartialEq)]
pub(super) struct Head {
    pub status: u16,
    pub headers: HeaderMap,
    /// Number of bytes before the body.
    pub length: usize,
}

/// Maximum number of fields of a head; further ones are skipped.
const FIELDS_MAX: usize = 1_000;

/// Parses the head of `message`: line ends may be bare line feeds, folded values are joined, invalid fields are
/// skipped, and a head without an end has no body. Returns `None` if it does not start like an HTTP response.
pub(super) fn read(message: &[u8]) -> Option<Head> {
    let mut lines = Lines { rest: message, taken: 0 };
    let status = status(lines.next()?)?;
    let mut fields: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for line in lines.by_ref() {
        if line.is_empty() {
            break;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            if let Some((_, value)) = fields.last_mut() {
                value.push(b' ');
                value.extend_from_slice(line.trim_ascii());
            }
        } else if let Some(colon) = memchr::memchr(b':', line)
            && fields.len() < FIELDS_MAX
        {
            fields.push((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii().to_vec()));
        }
    }
    let mut headers = HeaderMap::with_capacity(fields.len());
    for (name, value) in fields {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(&value)) {
            headers.append(name, value);
        }
    }
    Some(Head { status, headers, length: lines.taken })
}

/// The status in `HTTP/1.1 200 OK`.
fn status(line: &[u8]) -> Option<u16> {
    let mut words = line.strip_prefix(b"HTTP/")?.split(|byte| *byte == b' ').skip(1).filter(|word| !word.is_empty());
    let status = str::from_utf8(words.next()?).ok()?.parse().ok()?;
    (100..1000).contains(&status).then_some(status)
}

/// An iterator over lines, without line ends.
struct Lines<'a> {
    rest: &'a [u8],
    taken: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest);
        let length = end.map_or(self.rest.len(), |end| end + 1);
        let (line, rest) = self.rest.split_at(length);
        self.rest = rest;
        self.taken += length;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_up_to_its_body() {
        let message = b"HTTP/1.1 301 Moved: here\r\nLocation: /x\r\nset-cookie: a\r\nSet-Cookie: b\r\n\r\nbody\n\n";
        let head = read(message).unwrap();
        assert_eq!((head.status, &message[head.length..]), (301, &b"body\n\n"[..]));
        assert_eq!(head.headers["location"], "/x");
        assert_eq!(head.headers.get_all("set-cookie").iter().count(), 2);
    }

    #[test]
    fn common_mistakes_of_tools_are_tolerated() {
        let message = b"HTTP/1.0  200\nA: b\n  c\nno field\nbad name: x\nD : e\n\nbody";
        let head = read(message).unwrap();
        assert_eq!((head.status, &message[head.length..]), (200, &b"body"[..]));
        assert_eq!(
            (&head.headers["a"], &head.headers["d"], head.headers.len()),
            (&HeaderValue::from_static("b c"), &HeaderValue::from_static("e"), 2)
        );
        assert_eq!(read(b"HTTP/1.1 404 Not Found\r\nA: b").unwrap().length, 28);
    }

    #[test]
    fn other_messages_have_no_head() {
        for none in
            ["", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 abc\r\n", "HTTP/1.1 99999 x\r\n", "<html>"]
        {
            assert_eq!(read(none.as_bytes()), None, "{none}");
        }
    }
}
