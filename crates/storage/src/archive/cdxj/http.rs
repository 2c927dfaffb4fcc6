//! Extracts the status and media type from an HTTP head for an index. Parsing is tolerant because archives contain
//! whatever servers have sent.

use harvestman_core::model::ContentType;

/// The parts of an HTTP response head that an index needs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResponseSummary {
    /// The status as sent; empty if there is none.
    pub status: String,
    /// `Content-Type`.
    pub content_type: Option<String>,
}

impl ResponseSummary {
    /// Parses a head. Returns `None` if it is empty.
    pub fn of(head: &[u8]) -> Option<Self> {
        let mut lines = head.split(|byte| *byte == b'\n').map(decoded);
        let first = lines.next()?;
        if first.is_empty() {
            return None;
        }
        let said = first.split_once(' ').map_or("", |(_, said)| said.trim());
        let status = said.split(' ').next().unwrap_or_default();
        // Some recorders wrote this if there was no answer.
        let status = if status == "204" && said.contains("Error") { "" } else { status };
        Some(Self { status: status.to_owned(), content_type: content_type(lines) })
    }
}

/// Returns the first `Content-Type`, including folded lines.
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

/// Returns a media type without its parameters.
pub(super) fn mime(content_type: &str) -> &str {
    let stated = ContentType::of(content_type).map(|stated| stated.essence);
    stated.unwrap_or_else(|| content_type.split([';', ' ']).next().unwrap_or_default())
}

/// Decodes a line without its line break. Bytes that are not valid UTF-8 are decoded as Latin-1.
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
    fn status_and_type_are_found_in_any_notation() {
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
        assert_eq!(["text/html,text/html", "text/html ;a=b", "html x"].map(mime), ["text/html", "text/html", "html"]);
        let latin = ResponseSummary::of(b"HTTP/1.1 200 OK\r\nContent-Type: text/\xe4\r\n").expect("an answer");
        assert_eq!(latin.content_type.as_deref().map(mime), Some("text/ä"));
    }
}
