//! Errors of reading a saved set.

use std::io;

/// Why a file cannot be read as a set. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum BloomError {
    /// The file could not be read.
    #[error("cannot read the set of URLs seen: {0}")]
    Io(io::Error),
    /// The file is not a saved set.
    #[error("the file is not a set of URLs seen: check the file name")]
    NotABloomSet,
    /// The file was written in another format version.
    #[error(
        "the set of URLs seen has format {found}; this version reads format {known}: use the version that wrote it, or \
         rebuild the set from the stored URLs"
    )]
    OtherVersion {
        /// The format of the file.
        found: u32,
        /// The format that this version reads.
        known: u32,
    },
    /// The set was created for another crawl or with other options.
    #[error(
        "the set of URLs seen was created with {option} {found}, not {expected}: restore the option, or \
         rebuild the set from the stored URLs"
    )]
    OtherOptions {
        /// The field of [`super::BloomOptions`].
        option: &'static str,
        /// Its value in the file.
        found: String,
        /// The expected value.
        expected: String,
    },
    /// The file is truncated.
    #[error("the set of URLs seen is truncated, as by a crash or a full disk: rebuild it from the stored URLs")]
    CutShort,
    /// The contents differ from what was written.
    #[error("the set of URLs seen is damaged ({0}): rebuild it from the stored URLs, and check the disk")]
    Damaged(&'static str),
}

impl From<io::Error> for BloomError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof { Self::CutShort } else { Self::Io(error) }
    }
}
