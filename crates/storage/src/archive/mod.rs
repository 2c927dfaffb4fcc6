//! The archive: WARC files, the page log, the link export.
//!
//! ```text
//! CPU workers                               writer thread
//! Exchange ─► RecordEncoder ─► EncodedPage ─► ArchiveSink ─► Archive ─► warc/….warc.gz
//!                  │   ▲                           │  └─────► PageLog ─► pages.jsonl
//!                  ▼   └──── RevisitIndex ◄────────┘  └─────► LinkLog ─► links.jsonl.gz
//! ```
//!
//! Encoding (digests, compression) is pure and done on the CPU workers; the one writer thread only appends bytes, which
//! keeps records whole and in order. A record is written before the outcome that refers to it is reported as recorded.

mod byte_budget;
pub mod cdxj;
mod digest;
#[cfg(test)]
mod earlier_tests;
mod encode;
mod error;
mod fields;
mod file;
mod gzip;
mod head;
mod line_log;
mod links;
mod lost_lines;
mod metadata;
pub mod reader;
mod record_id;
mod repair;
mod reserve;
mod revisit;
mod sink;
#[cfg(test)]
mod sink_tests;
#[cfg(feature = "parquet")]
pub mod tables;
#[cfg(test)]
mod tests;
pub mod upload;
mod warcinfo;
mod writer;

/// Whether a file is a WARC file that is not written to any more, by its name.
pub fn is_warc(name: &str) -> bool {
    [".warc", ".warc.gz"].iter().any(|suffix| name.ends_with(suffix))
}

pub use digest::{Digest, Hasher};
pub use encode::{Earlier, EncodedPage, RecordEncoder};
pub use error::Error;
pub use line_log::LineLog;
pub use links::{ExportedLink, LinkRead, LinksLine, links_line};
pub use metadata::PageFacts;
pub use record_id::{RecordId, RecordIds, RunId};
pub use repair::{Repaired, repair, repair_all};
pub use revisit::{Original, RevisitIndex};
pub use sink::{ArchiveSink, ArchiveThread, Done, Entry, Files, Output, Writer};
pub use warcinfo::CrawlInfo;
pub use writer::{Archive, OPEN_SUFFIX, Position, WARC_DIRECTORY, Written, check};
