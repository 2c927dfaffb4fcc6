//! Media types, as far as a crawler cares.

/// What a body is, judged by its declared type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MediaType {
    /// HTML or XHTML: parsed for links.
    Html,
    /// A feed or sitemap (XML): its entries are links.
    Xml,
    /// Anything else: archived, not parsed.
    Other,
}

impl MediaType {
    /// Judges a `Content-Type` value; a missing one is taken for HTML, as browsers sniff it to be most of the time.
    pub fn of(content_type: Option<&str>) -> Self {
        let Some(value) = content_type else { return Self::Html };
        let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "" | "text/html" | "application/xhtml+xml" => Self::Html,
            "text/xml" | "application/xml" => Self::Xml,
            other if other.ends_with("+xml") && !other.starts_with("image/") => Self::Xml,
            _ => Self::Other,
        }
    }
}
