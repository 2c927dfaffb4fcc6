//! The model's file: JSON compressed by gzip, with a name and the number of its format.

use std::io::{ErrorKind, Read, Write};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use super::SiteModel;

/// The name in the file.
const MAGIC: &str = "harvestman site model";
/// The format that is written, and the only one that is read: patterns of URLs had other numbers in format 1.
const FORMAT: u32 = 2;
/// Maximum size of the JSON that is read, in bytes: several times that of the largest sample.
const LENGTH_MAX: u64 = 512 << 20;

/// Why a file is not read as a site model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// It is another kind of file.
    #[error("this is not a site model")]
    NotAModel,
    /// Written by a later version of the program.
    #[error("the site model has format {0}; this version reads format {FORMAT}")]
    Newer(u32),
    /// Written by an earlier version of the program.
    #[error("the site model has format {0}, of an earlier version; this version reads format {FORMAT}")]
    Older(u32),
    /// It ends too early.
    #[error("the site model is truncated")]
    Truncated,
    /// It is longer than any model.
    #[error("the site model is longer than {} MiB", LENGTH_MAX >> 20)]
    TooLong,
    /// Its contents are inconsistent.
    #[error("the site model is damaged: {0}")]
    Damaged(String),
}

/// The part that every format has.
#[derive(Deserialize)]
struct Head {
    magic: String,
    format: u32,
}

#[derive(Serialize)]
struct Written<'a> {
    magic: &'a str,
    format: u32,
    model: &'a SiteModel,
}

#[derive(Deserialize)]
struct Whole {
    model: SiteModel,
}

impl SiteModel {
    /// Encodes the model as the contents of a file.
    ///
    /// # Errors
    /// Where it contains a number that is NaN.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let written = Written { magic: MAGIC, format: FORMAT, model: self };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let text = serde_json::to_vec(&written).map_err(|error| ModelError::Damaged(error.to_string()))?;
        let compressed = encoder.write_all(&text).and_then(|()| encoder.finish());
        compressed.map_err(|error| ModelError::Damaged(error.to_string()))
    }

    /// Decodes the contents of a file.
    ///
    /// # Errors
    /// A description of what is wrong with the file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let text = decompressed(bytes)?;
        let head: Head = serde_json::from_slice(&text).map_err(|error| match error.is_eof() {
            true if text.starts_with(b"{\"magic\":\"harvestman") => ModelError::Truncated,
            _ => ModelError::NotAModel,
        })?;
        if head.magic != MAGIC {
            return Err(ModelError::NotAModel);
        }
        if head.format > FORMAT {
            return Err(ModelError::Newer(head.format));
        }
        if head.format < FORMAT {
            return Err(ModelError::Older(head.format));
        }
        let Whole { model } = serde_json::from_slice(&text).map_err(|error| ModelError::Damaged(error.to_string()))?;
        model.check().map_err(|why| ModelError::Damaged(why.to_owned()))?;
        Ok(model)
    }
}

fn decompressed(bytes: &[u8]) -> Result<Vec<u8>, ModelError> {
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    if !bytes.starts_with(&GZIP) {
        return Err(ModelError::NotAModel);
    }
    let mut text = Vec::new();
    let read = GzDecoder::new(bytes).take(LENGTH_MAX + 1).read_to_end(&mut text);
    match read {
        Ok(length) if length as u64 > LENGTH_MAX => Err(ModelError::TooLong),
        Ok(_) => Ok(text),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(ModelError::Truncated),
        Err(error) => Err(ModelError::Damaged(error.to_string())),
    }
}
