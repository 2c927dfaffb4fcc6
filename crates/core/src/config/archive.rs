//! Settings of the archive.

use serde::{Deserialize, Serialize};

use super::{ByteSize, Period};

/// How digests are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DigestAlgorithm {
    /// SHA-1 in base 32: what other WARC tools write, and compare with.
    Sha1,
    /// SHA-256 in base 32: where an adversary may make two bodies with one SHA-1.
    Sha256,
}

/// How lines (page log, link export) are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineCompression {
    /// Plain text.
    None,
    /// One gzip member a batch of lines (`.gz`).
    Gzip,
    /// One zstd frame a batch of lines (`.zst`).
    Zstd,
}

crate::options! {
    /// What is kept of a crawl: WARC files, the page log, the link export.
    pub struct ArchiveOptions in "archive" {
        /// Whether pages are written to WARC files. The page log is written in any case.
        enabled: bool = true,
        /// First part of the names of WARC files (letters, digits, `-`, `_`, `.`).
        prefix: String = "harvestman".to_owned(),
        /// Size from which on a WARC file is closed and the next one begun. Raising it makes fewer, larger files.
        file_size_max: ByteSize = ByteSize::mib(1024),
        /// Whether WARC records are gzip members (`.warc.gz`); `false` writes plain `.warc` files, some five times as large.
        compress: bool = true,
        /// Compression level, 0 (stored) to 12. Raising it costs CPU: level 6 about twice as much as level 1, for files a tenth smaller.
        level: u8 = 1,
        /// Compression level of bodies that are compressed already (content-encoded, or images, video, audio).
        level_encoded: u8 = 0,
        /// How payloads and blocks are digested: `sha1` or `sha256`.
        digest: DigestAlgorithm = DigestAlgorithm::Sha1,
        /// Whether a page that has the very bytes of an earlier one is written as a revisit record, without its body.
        revisits: bool = true,
        /// Payload digests remembered for revisit records. Raising it costs about 200 bytes each.
        revisit_entries_max: usize = 200_000,
        /// Bodies shorter than this are always written: a revisit record would save nothing.
        revisit_body_min: ByteSize = ByteSize::kib(1),
        /// Whether a request record is written for each response.
        request_records: bool = true,
        /// Whether a metadata record (via, hops, fetch time, links) is written for each response.
        metadata_records: bool = true,
        /// Request headers whose values stay out of the archive, so that it can be passed on without the crawl's secrets.
        redact_request_headers: Vec<String> =
            ["authorization", "cookie", "proxy-authorization"].map(str::to_owned).to_vec(),
        /// Whether the warcinfo record names the machine.
        hostname: bool = false,
        /// How often WARC files are forced to the disk; `0s` only when a file is closed. Only a power failure (not a
        /// crash of the process) can lose what was not forced. Lowering it costs waiting time.
        sync_every: Period = Period::secs(10),
        /// How the page log is stored: `none`, `gzip` or `zstd`.
        pages_compress: LineCompression = LineCompression::None,
        /// Whether the links of each page are exported to `links.jsonl`.
        links: bool = false,
        /// How the link export is stored: `none`, `gzip` or `zstd`.
        links_compress: LineCompression = LineCompression::Gzip,
        /// Longest time that lines of the page log wait in memory.
        flush_every: Period = Period::secs(1),
        /// Bytes of lines gathered before they are written, whatever the time. Raising it compresses better.
        flush_size: ByteSize = ByteSize::kib(256),
        /// Space held back on the disk while the crawl runs, so that the page log and the report can still be written when the disk is
        /// full. 0: none. Raise it together with `flush_size`.
        reserve: ByteSize = ByteSize::mib(1),
        /// Where closed WARC files are copied to while the crawl runs: `s3://BUCKET/PREFIX` in Amazon's S3 or storage that speaks its
        /// protocol, which the environment names (`AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`). They
        /// stay here too. Empty: nowhere. Needs a build with the feature `upload`.
        upload: String = String::new(),
        /// Pages that may wait for the writer; then the CPU workers wait. Raising it costs memory.
        queue_max: usize = 256,
        /// Bytes of pages that may wait for the writer (a single larger page is let through alone).
        queue_bytes_max: ByteSize = ByteSize::mib(32),
    }
}
