//! The archive: WARC files, the page log, the link export.
//!
//! ```text
//! CPU workers                               writer thread
//! Exchange ─► RecordEncoder ─► EncodedPage ─► ArchiveSink ─► Archive ─► warc/….warc.gz
//!                  │   ▲                           │  └─────► PageLog ─► pages.jsonl
//!                  ▼   └──── RevisitIndex ◄────────┘  └─────► LinkLog ─► links.jsonl.gz
//! ```
//!
//! Encoding (digests, compression) is pure and runs on the CPU workers. The single writer thread only appends bytes, so
//! that records are complete and in order. A record is written before the outcome that refers to it is reported as
//! recorded.

mod append_file;
mod archive_error;
mod archive_limits;
pub mod cdxj;
mod digest;
mod encode;
mod gzip;
mod head;
mod line_log;
mod link_export;
mod named_fields;
#[cfg(test)]
mod previous_capture_tests;
pub mod reader;
mod record_id;
mod repair;
mod revisit;
mod sink;
#[cfg(test)]
mod sink_tests;
#[cfg(feature = "parquet")]
pub mod tables;
#[cfg(test)]
mod tests;
pub mod upload;
pub mod wacz;
mod writer;

/// Returns whether a file name is that of a closed WARC file.
pub fn is_warc(name: &str) -> bool {
    [".warc", ".warc.gz"].iter().any(|suffix| name.ends_with(suffix))
}

pub use archive_error::Error;
pub use archive_limits::ArchiveLimits;
pub use digest::{Digest, Hasher};
pub use encode::{EncodedPage, PreviousCapture, RecordEncoder};
pub use line_log::LineLog;
pub use link_export::{ExportedLink, LinksLine, ParsedLink, links_line};
pub use named_fields::PageFacts;
pub use record_id::{RecordId, RecordIds, RunId};
pub use repair::{RepairReport, repair, repair_all};
pub use revisit::{OriginalRecord, RevisitIndex};
pub use sink::{ArchiveEntry, ArchiveOutput, ArchiveSink, ArchiveThread, ArchiveWriter, CrawlFiles, OnWritten};
pub use writer::{Archive, ArchiveTotals, CrawlInfo, OPEN_SUFFIX, RecordLocation, WARC_DIRECTORY, check};
