//! How a form is encoded. Source: the HTML standard, "Form submission algorithm"; the URL standard, section 5.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use url::form_urlencoded::Serializer;

use crate::controls::{ControlKind, FormControls};
use crate::multipart;
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
                multipart::encode(&fields.collect::<Vec<_>>())
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
