//! What an index wants of an HTTP head: the status and the media type. Tolerant: archives hold what servers have sent.

/// An HTTP answer's head, as far as an index needs it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResponseSummary {
    /// The status, as it stands there; empty where there is none.
    pub status: String,
    /// `Content-Type`.
    pub content_type: Option<String>,
}

impl ResponseSummary {
    /// Reads a head; none where it is empty.
    pub fn of(head: &[u8]) -> Option<Self> {
        let mut lines = head.split(|byte| *byte == b'\n').map(decoded);
        let first = lines.next()?;
        if first.is_empty() {
            return None;
        }
        let said = first.split_once(' ').map_or("", |(_, said)| said.trim());
        let status = said.split(' ').next().unwrap_or_default();
        // What some recorders wrote where there was no answer.
        let status = if status == "204" && said.contains("Error") { "" } else { status };
        Some(Self { status: status.to_owned(), content_type: content_type(lines) })
    }
}

/// The first `Content-Type`, with the lines that it is folded over.
fn content_type(lines: impl Iterator<Item = String>) -> Option<String> {
    let mut found: Option<String> = None;
    for line in lines {
        match (&mut found, line.split_once(':')) {
            (Some(value), _) if line.starts_with([' ', '\t']) => value.push_str(&line),
            (Some(_), _) => break,
            (None, Some((name, value))) if name.trim_end().eq_ignore_ascii_case("content-type") => {
                found = Some(value.trim_start().to_owned());
            }
            _ => {}
        }
    }
    found.filter(|value| !value.is_empty())
}

/// A media type without its parameters.
pub(super) fn mime(content_type: &str) -> &str {
    content_type.split([';', ' ']).next().unwrap_or_default()
}

/// A line without its end. What is no UTF-8 is Latin-1.
fn decoded(line: &[u8]) -> String {
    let line = line.trim_ascii_end();
    match std::str::from_utf8(line) {
        Ok(text) => text.to_owned(),
        Err(_) => line.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(head: &str) -> Option<(String, Option<String>)> {
        ResponseSummary::of(head.as_bytes()).map(|answer| (answer.status, answer.content_type))
    }

    #[test]
    fn status_and_type_are_found_however_they_are_written() {
        let some = |status: &str, kind: Option<&str>| Some((status.to_owned(), kind.map(str::to_owned)));
        for (head, expected) in [
            (
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n",
                some("200", Some("text/html; charset=x")),
            ),
            ("HTTP/1.0 404\ncontent-TYPE :a/b\n\n", some("404", Some("a/b"))),
            ("HTTP/1.1 200 OK\r\nA: b\r\nContent-Type: a/b;\r\n c=d\r\nX: y\r\n", some("200", Some("a/b; c=d"))),
            ("HTTP/1.1 204 WarcError\r\n\r\n", some("", None)),
            ("HTTP/1.1\r\nContent-Type:\r\n", some("", None)),
            ("\r\nContent-Type: a/b", None),
            ("", None),
        ] {
            assert_eq!(answer(head), expected, "{head:?}");
        }
        let latin = ResponseSummary::of(b"HTTP/1.1 200 OK\r\nContent-Type: text/\xe4\r\n").expect("an answer");
        assert_eq!(latin.content_type.as_deref().map(mime), Some("text/ä"));
    }
}
