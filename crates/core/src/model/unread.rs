//! What of a body was not read for links.

/// Why the body of a page was not read, or not to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unread {
    /// It was not read: its media type is none of a page or a feed.
    MediaType,
    /// It was read up to where its content coding is broken.
    ContentCoding,
    /// It was read up to the limit of decoded bytes.
    TooLong,
}

impl Unread {
    /// Returns its name in the page log.
    pub const fn label(self) -> &'static str {
        match self {
            Self::MediaType => "media_type",
            Self::ContentCoding => "content_coding",
            Self::TooLong => "too_long",
        }
    }
}
