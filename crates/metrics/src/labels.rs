//! The values that labels may take. Whatever is not listed counts as `other`, so no label grows without bound.

use harvestman_core::config::{DedupStore, FilterOrder, PolicyKind};
use harvestman_core::model::{PolicyRefusal, RobotsRefusal};

/// Returns the names of several lists, in their order.
const fn joined<const N: usize>(parts: &[&[&'static str]]) -> [&'static str; N] {
    let mut all = [""; N];
    let (mut part, mut at) = (0, 0);
    while part < parts.len() {
        let mut i = 0;
        while i < parts[part].len() {
            all[at] = parts[part][i];
            (i, at) = (i + 1, at + 1);
        }
        part += 1;
    }
    assert!(at == N, "each name has its place");
    all
}

/// What keeps a host from answering.
const UNANSWERED: &[&str] = &[
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

/// What is no page though it was answered, and what was not asked for.
const UNUSABLE: &[&str] = &[
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
];

const INTERNAL: &[&str] = &["internal"];

/// Why requests get no answer.
pub const NETWORK_FAILURES: &[&str] = &joined::<{ UNANSWERED.len() + 1 }>(&[UNANSWERED, INTERNAL]);

/// Why requests and URLs fail ([`harvestman_core::model::Failure::label`]).
pub const FAILURES: &[&str] = &joined::<{ UNANSWERED.len() + UNUSABLE.len() + 1 }>(&[UNANSWERED, UNUSABLE, INTERNAL]);

/// Why links are outside the scope ([`harvestman_core::model::OutOfScope`]).
pub const SCOPE_REFUSALS: &[&str] =
    &["scheme", "invalid", "host", "prefix", "excluded", "not_included", "too_long", "trap"];

/// Why links are refused before the dedup: outside the scope, not wanted by the policy, or beyond a limit.
pub const REFUSALS: &[&str] = &joined::<{ SCOPE_REFUSALS.len() + PolicyRefusal::LABELS.len() + 3 }>(&[
    SCOPE_REFUSALS,
    PolicyRefusal::LABELS,
    &["depth", "host_pages", "frontier"],
]);

/// The names of fates ([`harvestman_core::model::Fate::name`]); `queued` is no event and is shown by the frontier's gauges.
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
    "handed_over",
];

/// The reasons of fates ([`harvestman_core::model::Fate::reason`]).
pub const FATE_REASONS: &[&str] = &joined::<{ FAILURES.len() + REFUSALS.len() + RobotsRefusal::LABELS.len() }>(&[
    FAILURES,
    REFUSALS,
    RobotsRefusal::LABELS,
]);

/// Why the frontier turns a URL away.
pub const FRONTIER_REFUSALS: &[&str] =
    &joined::<{ 2 + PolicyRefusal::LABELS.len() }>(&[&["host_pages", "frontier"], PolicyRefusal::LABELS]);

/// Why a host's URL is not fetched.
pub const HOST_REFUSALS: &[&str] =
    &joined::<{ 3 + UNANSWERED.len() }>(&[&["disallowed", "unavailable", "host_given_up"], UNANSWERED]);

/// What robots.txt says of a URL.
pub const ROBOTS_DECISIONS: &[&str] = &["allowed", "disallowed", "unavailable"];

/// What came of fetching a robots.txt: rules, none there (4xx), a server error (5xx), no answer.
pub const ROBOTS_RESULTS: &[&str] = &["rules", "absent", "redirected", "unavailable", "unreachable"];

/// Why a host is left alone for a while.
pub const BACKOFF_CAUSES: &[&str] = &["back_off", "breaker", "robots", "blocked", "group"];

/// Parts of a request's duration.
pub const PHASES: &[&str] = &["first_byte", "whole"];

/// Classes of statuses.
pub const STATUS_CLASSES: &[&str] = &["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Statuses that are shown one by one.
pub const STATUSES: &[&str] = &[
    "200", "204", "206", "301", "302", "303", "304", "307", "308", "400", "401", "403", "404", "410", "418", "429",
    "451", "500", "502", "503", "504",
];

/// Why the body of an answer is not whole ([`harvestman_core::model::Truncation`]).
pub const TRUNCATIONS: &[&str] = &["length", "time", "disconnect", "unwanted_type"];

/// Why a page is not parsed.
pub const PARSE_REFUSALS: &[&str] = &["panic"];

/// Why only part of a page is parsed.
pub const CUTS: &[&str] = &["too_long", "coding"];

/// Why a page is put into no cluster.
pub const CLASSIFY_REFUSALS: &[&str] = &["unknown"];

/// What is shown of clusters beside their numbers.
pub const CLUSTERS: &[&str] = &["unknown"];

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

/// What a visit to a page that was known before finds.
pub const VISIT_OUTCOMES: &[&str] = &["changed", "not_modified", "same", "gone", "failed"];

/// The version of the program.
pub const VERSIONS: &[&str] = &[env!("CARGO_PKG_VERSION")];

/// What a running crawl is told.
pub const COMMANDS: &[&str] = &["set", "ban", "unban", "pin", "unpin", "block", "unblock"];

/// What comes of what it is told.
pub const ANSWERS: &[&str] = &["done", "refused"];

/// The names of all kinds of a type.
macro_rules! names {
    ($kind:ty) => {{
        let mut names = [""; <$kind>::ALL.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = <$kind>::ALL[at].name();
            at += 1;
        }
        names
    }};
}

/// Policies ([`PolicyKind::name`]).
pub const POLICIES: &[&str] = &names!(PolicyKind);

/// Orders of filter and dedup ([`FilterOrder::name`]).
pub const FILTER_ORDERS: &[&str] = &names!(FilterOrder);

/// What keeps the URLs seen ([`DedupStore::name`]).
pub const DEDUP_STORES: &[&str] = &names!(DedupStore);

/// What comes of uploads of WARC files.
pub const UPLOAD_OUTCOMES: &[&str] = &["done", "failed"];

/// What a node of a fleet looks like to the others.
pub const NODE_STATES: &[&str] = &["live", "leaving", "silent"];

/// What partitions are to a node.
pub const HOLDINGS: &[&str] = &["held", "caught_up", "to_take"];

/// Where partitions were that are taken.
pub const WHENCES: &[&str] = &["new", "handed_over", "dead"];

/// What is done with links of other nodes' hosts.
pub const FOREIGN_LINKS: &[&str] = &["sent", "held_back"];

/// What links of other nodes are where they arrive.
pub const ARRIVED_LINKS: &[&str] = &["new", "duplicate", "sitemap", "elsewhere"];

/// Which way batches go.
pub const WAYS: &[&str] = &["published", "read"];

/// What the bus of a fleet is called for.
pub const BUS_CALLS: &[&str] = &["keys", "watch", "append", "read", "last", "trim", "objects"];

/// What comes of that.
pub const BUS_OUTCOMES: &[&str] = &["ok", "conflict", "unreachable", "full", "refused", "abandoned"];

/// What messages to and from the bus are about.
pub const TRAFFIC: &[&str] = &["exchange", "log", "observations", "keys", "objects", "servers"];

/// Which way they go.
pub const TRAFFIC_WAYS: &[&str] = &["published", "asked", "received"];

/// Budgets of a crawl.
pub const BUDGETS: &[&str] = &["pages", "bytes", "time", "requests"];

/// The policy's reasons are among the refusals.
const _: () = assert!(PolicyRefusal::LABELS.len() == 9);
