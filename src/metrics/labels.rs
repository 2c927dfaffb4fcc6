//! The values that labels may take. Whatever is not listed counts as `other`, so no label grows without bound.

use crate::page::{PolicyRefusal, RobotsRefusal};

/// Why requests and URLs fail ([`crate::page::Failure::label`]).
pub const FAILURES: &[&str] = &[
    "dns",
    "forbidden_address",
    "connect",
    "connect_timeout",
    "tls",
    "tls_timeout",
    "first_byte_timeout",
    "whole_timeout",
    "disconnected",
    "protocol",
    "head_too_large",
    "http_401",
    "http_403",
    "http_404",
    "http_410",
    "http_429",
    "http_500",
    "http_502",
    "http_503",
    "http_504",
    "http_4xx",
    "http_5xx",
    "http_other",
    "bad_redirect",
    "too_many_redirects",
    "host_given_up",
    "internal",
];

/// Why links are refused before the dedup: outside the scope, or not wanted by the policy.
pub const REFUSALS: &[&str] = &[
    "scheme",
    "invalid",
    "host",
    "prefix",
    "excluded",
    "not_included",
    "too_long",
    "trap",
    "link_class",
    "nofollow",
    "no_cluster",
    "no_edge",
    "header_footer",
    "duplicate_content",
    "uninformative",
    "structure_trap",
    "banned",
    "depth",
    "host_pages",
    "frontier",
];

/// The names of fates ([`crate::page::Fate::name`]); `queued` is no event and is shown by the frontier's gauges.
pub const FATES: &[&str] = &[
    "fetched",
    "redirected",
    "duplicate",
    "out_of_scope",
    "robots",
    "policy",
    "failed",
    "unwanted_type",
    "over_budget",
    "not_modified",
];

/// The reasons of fates ([`crate::page::Fate::reason`]).
pub const FATE_REASONS: &[&str] = &{
    const PARTS: [&[&str]; 3] = [FAILURES, REFUSALS, RobotsRefusal::LABELS];
    let mut all = [""; FAILURES.len() + REFUSALS.len() + RobotsRefusal::LABELS.len()];
    let (mut part, mut at) = (0, 0);
    while part < PARTS.len() {
        let mut i = 0;
        while i < PARTS[part].len() {
            all[at] = PARTS[part][i];
            (i, at) = (i + 1, at + 1);
        }
        part += 1;
    }
    all
};

/// Why the frontier turns a URL away.
pub const FRONTIER_REFUSALS: &[&str] = &["depth", "host_pages", "frontier", "structure_trap", "banned"];

/// Why a host's URL is not fetched.
pub const HOST_REFUSALS: &[&str] = &[
    "disallowed",
    "unavailable",
    "host_given_up",
    "dns",
    "forbidden_address",
    "connect",
    "connect_timeout",
    "tls",
    "tls_timeout",
    "first_byte_timeout",
    "whole_timeout",
    "disconnected",
    "protocol",
    "head_too_large",
];

/// What robots.txt says of a URL.
pub const ROBOTS_DECISIONS: &[&str] = &["allowed", "disallowed", "unavailable"];

/// What came of fetching a robots.txt: rules, none there (4xx), a server error (5xx), no answer.
pub const ROBOTS_RESULTS: &[&str] = &["rules", "absent", "redirected", "unavailable", "unreachable"];

/// Why a host is left alone for a while.
pub const BACKOFF_CAUSES: &[&str] = &["back_off", "breaker", "robots", "blocked"];

/// Parts of a request's duration.
pub const PHASES: &[&str] = &["first_byte", "whole"];

/// Classes of statuses.
pub const STATUS_CLASSES: &[&str] = &["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Statuses that are shown one by one.
pub const STATUSES: &[&str] = &[
    "200", "204", "206", "301", "302", "303", "304", "307", "308", "400", "401", "403", "404", "410", "418", "429",
    "451", "500", "502", "503", "504",
];

/// Why a page is not parsed.
pub const PARSE_REFUSALS: &[&str] = &["panic", "decoding", "too_long"];

/// Charsets that pages are commonly read in.
pub const CHARSETS: &[&str] = &[
    "UTF-8",
    "windows-1252",
    "windows-1251",
    "windows-1250",
    "ISO-8859-2",
    "Shift_JIS",
    "EUC-JP",
    "GBK",
    "gb18030",
    "Big5",
    "EUC-KR",
    "KOI8-R",
    "UTF-16LE",
    "UTF-16BE",
];

/// Why a link goes no further than the dedup.
pub const DEDUP_REFUSALS: &[&str] = &["duplicate"];

/// Why an exchange is not archived.
pub const ARCHIVE_REFUSALS: &[&str] = &["write_error"];

/// Types of WARC records.
pub const RECORD_TYPES: &[&str] = &["warcinfo", "request", "response", "revisit", "metadata"];

/// Budgets of a crawl.
pub const BUDGETS: &[&str] = &["pages", "bytes", "time", "requests"];

/// The policy's reasons are among the refusals.
const _: () = assert!(PolicyRefusal::LABELS.len() == 9);
