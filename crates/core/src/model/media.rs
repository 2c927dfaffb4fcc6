//! The media types that matter to a crawler.

/// The type of a body, by its declared media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MediaType {
    /// HTML or XHTML: parsed for links.
    Html,
    /// A feed or sitemap (XML): its entries are links.
    Xml,
    /// JSON: it may be a feed.
    Json,
    /// Anything else: archived, not parsed.
    Other,
}

impl MediaType {
    /// Classifies a `Content-Type` value; a missing one counts as HTML, which browsers usually detect.
    pub fn of(content_type: Option<&str>) -> Self {
        let Some(value) = content_type else { return Self::Html };
        let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "" | "text/html" | "application/xhtml+xml" => Self::Html,
            "text/xml" | "application/xml" => Self::Xml,
            "application/json" | "application/feed+json" => Self::Json,
            other if other.ends_with("+xml") && !other.starts_with("image/") => Self::Xml,
            _ => Self::Other,
        }
    }
}
