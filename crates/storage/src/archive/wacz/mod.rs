//! WACZ files: WARC files, their index, a list of pages and a manifest in one ZIP file. A replay tool reads from it
//! what it needs, also over HTTP.
//!
//! ```text
//! archive/….warc.gz        WARC files, stored without further compression
//! indexes/index.cdx.gz     the index, in gzip members of some thousand lines
//! indexes/index.idx        the first key of each member, and where the member is
//! pages/pages.jsonl        the pages with their titles, and their texts if wanted
//! datapackage.json         the manifest: length and SHA-256 of each file above
//! datapackage-digest.json  SHA-256 of the manifest
//! ```
//!
//! Everything is streamed: memory is bounded by a block of the index and the names of the files.
//!
//! Source: Web Archive Collection Zipped 1.1.1 (specs.webrecorder.net/wacz/1.1.1). Of it, signatures are not written,
//! as they assert who made a file: that is a matter of the archive that publishes it.

mod entry;
mod index;
mod manifest;
mod page;
#[cfg(test)]
mod tests;
mod writer;

pub use page::{PageList, WaczPage};
pub use writer::{AddError, WaczWriter};
