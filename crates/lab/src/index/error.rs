//! Why an index cannot be built or searched.

use std::path::PathBuf;

use crate::index::limits::DOCUMENTS_MAX;

/// Why an index cannot be built or searched. No query and no text is an error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No index can be created in the directory: it is missing, not writable, or holds one already.
    #[error("cannot create an index in {}: {source}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: Box<tantivy::TantivyError>,
    },
    /// The index holds as many documents as it can.
    #[error("the index is full: it holds {DOCUMENTS_MAX} documents")]
    Full,
    /// Reading or writing the index failed.
    #[error("the index failed: {0}")]
    Index(#[source] Box<tantivy::TantivyError>),
}

impl From<tantivy::TantivyError> for Error {
    fn from(error: tantivy::TantivyError) -> Self {
        Self::Index(Box::new(error))
    }
}
