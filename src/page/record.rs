//! The line of the page log: one for each URL whose fate was decided at or after its turn to be fetched.

use serde::{Deserialize, Serialize};

/// One line of `pages.jsonl`. Absent values are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageRecord {
    /// The URL, canonical.
    pub url: String,
    /// When the last request started (RFC 3339); absent where none was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// What became of it ([`super::Fate::name`]).
    pub fate: String,
    /// Why, where the fate has reasons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The HTTP status of the last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The media type as the server declared it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Bytes of the body as they came.
    pub bytes: u64,
    /// Where a redirect leads, canonical.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_to: Option<String>,
    /// The page it was discovered on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Links between a seed and this URL.
    pub depth: u16,
    /// Requests spent on it.
    pub attempts: u8,
    /// Milliseconds from the start of the last request to the response's head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<u64>,
    /// Milliseconds from the start of the last request to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The page's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Links found on the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<u32>,
    /// Links among them that were new and accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links_new: Option<u32>,
    /// SHA-1 of the payload in base 32, as in the WARC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload_digest: Option<String>,
    /// The address that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// Why the body is not whole (`length`, `time`, `disconnect`, `unwanted_type`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// The WARC file that holds the response, relative to the crawl directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warc_file: Option<String>,
    /// The response record's byte offset in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warc_offset: Option<u64>,
}
