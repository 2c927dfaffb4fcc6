//! How a form is encoded: URL-encoded, or as `multipart/form-data` with text fields only. Sources: the HTML standard,
//! "Form submission algorithm"; RFC 7578.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use url::form_urlencoded::Serializer;

use crate::controls::{ControlKind, FormControls};
use crate::page::Page;

/// Encodes a text in the charset of a form.
type Encode = dyn Fn(&str) -> Cow<'_, [u8]>;

/// How a form is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FormEncoding {
    charset: &'static Encoding,
    kind: BodyKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyKind {
    UrlEncoded,
    Multipart,
    Plain,
}

impl FormEncoding {
    /// Returns the encoding of a form: its own charset or that of the page.
    pub(crate) fn of(page: &Page, form: &FormControls<'_>) -> Self {
        let own = form.attr("accept-charset");
        let own = own.split([' ', ',']).find_map(|label| Encoding::for_label(label.as_bytes()));
        let submit = form.of_kind(ControlKind::Submit).next();
        let given = submit.map(|submit| submit.attr("formenctype")).filter(|given| !given.is_empty());
        let kind = match given.unwrap_or_else(|| form.attr("enctype")).as_str() {
            "multipart/form-data" => BodyKind::Multipart,
            "text/plain" => BodyKind::Plain,
            _ => BodyKind::UrlEncoded,
        };
        Self { charset: own.unwrap_or_else(|| page.encoding()).output_encoding(), kind }
    }

    /// Returns the name of the charset.
    pub(crate) fn charset(self) -> &'static str {
        self.charset.name()
    }

    /// Encodes fields, names and values. Returns the media type and the body.
    pub(crate) fn encode(self, fields: &[(&str, &str)]) -> (String, Vec<u8>) {
        match self.kind {
            BodyKind::UrlEncoded => ("application/x-www-form-urlencoded".to_owned(), self.url_encoded(fields)),
            BodyKind::Multipart => {
                let fields = fields.iter().map(|(name, value)| (self.bytes(name), self.bytes(value)));
                encode(&fields.collect::<Vec<_>>())
            }
            BodyKind::Plain => {
                let lines: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}\r\n")).collect();
                ("text/plain".to_owned(), self.bytes(&lines.concat()))
            }
        }
    }

    fn url_encoded(self, fields: &[(&str, &str)]) -> Vec<u8> {
        let charset = self.charset;
        let encode: Box<Encode> = Box::new(move |text| Cow::Owned(charset.encode(text).0.into_owned()));
        let mut body = Serializer::new(String::new());
        if charset != UTF_8 {
            body.encoding_override(Some(&*encode));
        }
        body.extend_pairs(fields).finish().into_bytes()
    }

    fn bytes(self, text: &str) -> Vec<u8> {
        self.charset.encode(text).0.into_owned()
    }
}

/// Returns the media type and the body. The boundary occurs in no field.
pub(crate) fn encode(fields: &[(Vec<u8>, Vec<u8>)]) -> (String, Vec<u8>) {
    let boundary = boundary(fields);
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend_from_slice(format!("--{boundary}\r\nContent-Disposition: form-data; name=\"").as_bytes());
        body.extend(escaped(name));
        body.extend_from_slice(b"\"\r\n\r\n");
        body.extend_from_slice(value);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// Returns the first boundary of a series that no field contains. Each field contains only so many, so there is one.
fn boundary(fields: &[(Vec<u8>, Vec<u8>)]) -> String {
    let is_free = |boundary: &String| {
        let contains = |text: &[u8]| text.windows(boundary.len()).any(|part| part == boundary.as_bytes());
        !fields.iter().any(|(name, value)| contains(name) || contains(value))
    };
    let mut series = (0_u64..).map(|number| format!("----form-boundary-{number:020}"));
    series.find(is_free).unwrap_or_default()
}

/// Escapes what would end a name.
fn escaped(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter().flat_map(|byte| match byte {
        b'"' => b"%22".to_vec(),
        b'\r' => b"%0D".to_vec(),
        b'\n' => b"%0A".to_vec(),
        other => vec![*other],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_parts_and_the_boundary_is_in_none() {
        let fields =
            [(b"a\"\r\n".to_vec(), b"1".to_vec()), (b"p".to_vec(), b"----form-boundary-00000000000000000000".to_vec())];
        let (media_type, body) = encode(&fields);
        let boundary = "----form-boundary-00000000000000000001";
        assert_eq!(media_type, format!("multipart/form-data; boundary={boundary}"));
        let expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"a%22%0D%0A\"\r\n\r\n1\r\n--{boundary}\r\n\
             Content-Disposition: form-data; name=\"p\"\r\n\r\n----form-boundary-00000000000000000000\r\n--{boundary}--\r\n"
        );
        assert_eq!(String::from_utf8(body).unwrap(), expected);
    }
}
