//! Why a saved set cannot be used.

use std::io;

/// What is wrong with a file, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum BloomError {
    /// The system could not read it.
    #[error("the set of URLs seen cannot be read: {0}")]
    Io(io::Error),
    /// Something else.
    #[error("this is not a set of URLs seen; check the file's name")]
    NotABloomSet,
    /// Written by another version of the program.
    #[error(
        "the set of URLs seen has format {found}, this version reads format {known}: use the version that wrote it, or \
         build the set anew from the URLs stored"
    )]
    OtherVersion {
        /// The format of the file.
        found: u32,
        /// The format that is read.
        known: u32,
    },
    /// Made for another crawl, or for other settings.
    #[error(
        "the set of URLs seen was made with {option} {found}, not {expected}: set it back, or build the set anew from the \
         URLs stored"
    )]
    OtherOptions {
        /// Which field of [`super::BloomOptions`].
        option: &'static str,
        /// Its value in the file.
        found: String,
        /// Its value now.
        expected: String,
    },
    /// It ends too early.
    #[error("the set of URLs seen is cut short, as by a crash or a full disk: build it anew from the URLs stored")]
    CutShort,
    /// It is not what was written.
    #[error("the set of URLs seen is damaged ({0}): build it anew from the URLs stored, and check the disk")]
    Damaged(&'static str),
}

impl From<io::Error> for BloomError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof { Self::CutShort } else { Self::Io(error) }
    }
}
