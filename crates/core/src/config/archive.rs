//! Settings of the archive.

use serde::{Deserialize, Serialize};

use super::ByteSize;

/// The digest algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DigestAlgorithm {
    /// SHA-1 in base 32, which other WARC tools write and compare with.
    Sha1,
    /// SHA-256 in base 32, for collections in which an adversary may create two bodies with one SHA-1.
    Sha256,
}

/// The compression of line files (page log, link export).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineCompression {
    /// Plain text.
    None,
    /// One gzip member per batch of lines (`.gz`).
    Gzip,
    /// One zstd frame per batch of lines (`.zst`).
    Zstd,
}

crate::options! {
    /// The archive of a crawl: WARC files, the page log, the link export.
    pub struct ArchiveOptions in "archive" {
        /// Whether pages are written to WARC files. The page log is written in any case.
        enabled: bool = true,
        /// Prefix of the names of WARC files (letters, digits, `-`, `_`, `.`).
        prefix: String = "harvestman".to_owned(),
        /// Size at which a WARC file is closed and the next one is opened. Raising it makes fewer, larger files.
        file_size_max: ByteSize = ByteSize::mib(1024),
        /// Whether WARC records are gzip members (`.warc.gz`); `false` writes plain `.warc` files, about five times as
        /// large.
        compress: bool = true,
        /// Compression level, 0 (stored) to 12. Raising it costs CPU time: level 6 takes about twice as much as level
        /// 1, for files a tenth smaller.
        level: u8 = 1,
        /// Digest algorithm of payloads and blocks: `sha1` or `sha256`.
        digest: DigestAlgorithm = DigestAlgorithm::Sha1,
        /// Whether a page with exactly the bytes of an earlier one is written as a revisit record, without its body.
        revisits: bool = true,
        /// Memory for the digests of payloads that revisit records may refer to: about 60 bytes and the URL for each.
        /// The oldest are forgotten; a page with such a payload is written whole once more. 0: no page becomes a
        /// revisit of another.
        revisit_memory: ByteSize = ByteSize::mib(16),
        /// Whether a request record is written for each response.
        request_records: bool = true,
        /// Whether a metadata record (via, hops, fetch time, links) is written for each response.
        metadata_records: bool = true,
        /// Whether the document that the scripts of a page left in the browser is written as a resource record with the
        /// address `urn:dom:URL`. No server sent it; the answers of the servers are written in any case.
        rendered_records: bool = false,
        /// Request headers whose values are left out of the archive, so that it can be shared without the crawl's
        /// secrets. Values of `fetch.headers` and of cookies are always left out.
        redact_request_headers: Vec<String> =
            ["authorization", "cookie", "proxy-authorization"].map(str::to_owned).to_vec(),
        /// Compression of the page log: `none`, `gzip` or `zstd`.
        pages_compress: LineCompression = LineCompression::None,
        /// Whether the links of each page are exported to `links.jsonl`.
        links: bool = false,
        /// Whether the posts of the pages are written to `posts.jsonl` while the crawl runs, by a thread that reads the
        /// WARC files behind it. Needs `enabled` and an uncompressed page log. Has no effect on nodes of a fleet.
        posts: bool = false,
        /// Where closed WARC files are copied to while the crawl runs: `s3://BUCKET/PREFIX` in Amazon S3 or compatible
        /// storage, which the environment configures (`AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
        /// `AWS_REGION`). The local files are retained. Empty: no upload. Needs a build with the feature `upload`.
        upload: String = String::new(),
    }
}
