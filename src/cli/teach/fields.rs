//! The fields of corrections on the command line.

use harvestman_posts::{PagePost, TaughtField};

/// A field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FieldName {
    /// The name of the author
    Author,
    /// When it was written
    Time,
    /// The text
    Text,
    /// The title
    Title,
    /// The element of a post
    Record,
}

impl FieldName {
    /// Returns the field.
    pub const fn field(self) -> TaughtField {
        match self {
            Self::Author => TaughtField::Author,
            Self::Time => TaughtField::Time,
            Self::Text => TaughtField::Text,
            Self::Title => TaughtField::Title,
            Self::Record => TaughtField::Record,
        }
    }
}

/// Returns the name of a field.
pub(super) const fn name(field: TaughtField) -> &'static str {
    match field {
        TaughtField::Author => "author",
        TaughtField::Time => "time",
        TaughtField::Text => "text",
        TaughtField::Title => "title",
        TaughtField::Record => "record",
    }
}

/// Returns the value of a field of a post.
pub(super) fn value(post: &PagePost, field: TaughtField) -> Option<&str> {
    match field {
        TaughtField::Author => post.author.as_deref(),
        TaughtField::Time => post.date.as_deref(),
        TaughtField::Title => post.title.as_deref(),
        TaughtField::Text | TaughtField::Record => Some(post.text.as_str()).filter(|text| !text.is_empty()),
    }
}
