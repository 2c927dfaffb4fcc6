//! The possible values of labels. Any other value counts as `other`, so no label grows without bound.

use harvestman_core::config::{DedupStore, FilterOrder, PolicyKind};
use harvestman_core::model::{Command, Effect, LocalFailure, PolicyRefusal, RobotsRefusal, SignReason, Signal};

/// Concatenates several lists of names.
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

/// Failures without an answer from the host.
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

/// Failures with an answer that is not a page, and URLs that were not requested.
const UNUSABLE: &[&str] = &[
    "http_304",
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
    "wait_over",
    "soft_404",
    "content_coding",
];

const INTERNAL: &[&str] = &["internal"];

/// Why requests get no answer.
pub const NETWORK_FAILURES: &[&str] = &joined::<{ UNANSWERED.len() + 1 }>(&[UNANSWERED, INTERNAL]);

/// What this machine lacked for requests.
pub const LOCAL_FAILURES: &[&str] = &LocalFailure::LABELS;

/// What pages are that were sent in place of others: perhaps one, a soft 404, a block page, what guests see.
pub const SUBSTITUTES: &[&str] = &["suspect", "soft_404", "block_page", "guest_view"];

/// The results of log-ins.
pub const LOG_INS: &[&str] = &["succeeded", "failed"];

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

/// The names of fates ([`harvestman_core::model::Fate::name`]); `queued` is not an event and is shown by the frontier's
/// gauges.
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
    "refused_by_site",
    "not_kept",
    "payment_required",
];

/// The reasons of fates ([`harvestman_core::model::Fate::reason`]).
pub const FATE_REASONS: &[&str] = &joined::<
    { FAILURES.len() + REFUSALS.len() + RobotsRefusal::LABELS.len() + Signal::LABELS.len() },
>(&[FAILURES, REFUSALS, RobotsRefusal::LABELS, Signal::LABELS]);

/// Why the frontier rejects a URL.
pub const FRONTIER_REFUSALS: &[&str] =
    &joined::<{ 2 + PolicyRefusal::LABELS.len() }>(&[&["host_pages", "frontier"], PolicyRefusal::LABELS]);

/// Why a host's URL is not fetched.
pub const HOST_REFUSALS: &[&str] = &joined::<{ 5 + UNANSWERED.len() + HOST_SIGNALS.len() }>(&[
    &["disallowed", "unavailable", "host_given_up", "wait_over", "log_out"],
    UNANSWERED,
    HOST_SIGNALS,
]);

/// The kinds of statements about the use of content ([`harvestman_core::model::Signal`]).
pub const SIGNALS: &[&str] = Signal::LABELS;

/// The signals by which a host refuses a page before it is requested.
pub const HOST_SIGNALS: &[&str] = &["content_signal", "content_usage", "tdm_reservation"];

/// What was done because of a statement of a site or a page ([`harvestman_core::model::Effect`]).
pub const SIGNAL_EFFECTS: &[&str] = Effect::LABELS;

/// The kinds of the crawl's own requests.
pub const ERRAND_KINDS: &[&str] = &["robots", "sitemap", "subrequest", "tdmrep", "log_in"];

/// Why a part of a page is not fetched.
pub const SUBREQUEST_REFUSALS: &[&str] =
    &["robots", "host_blocked", "budget", "busy", "aborted", "failed", "not_http", "withdrawn"];

/// The decisions of robots.txt about a URL.
pub const ROBOTS_DECISIONS: &[&str] = &["allowed", "disallowed", "unavailable"];

/// The results of fetching a robots.txt: rules, none (4xx), a redirect, a request for a signature, a server error
/// (5xx), no answer.
pub const ROBOTS_RESULTS: &[&str] =
    &["rules", "absent", "redirected", "signature_wanted", "unavailable", "unreachable"];

/// Why a host is paused.
pub const BACKOFF_CAUSES: &[&str] = &["back_off", "breaker", "robots", "blocked", "block_page", "log_in", "group"];

/// Parts of a request's duration.
pub const PHASES: &[&str] = &["first_byte", "whole"];

/// Classes of statuses.
pub const STATUS_CLASSES: &[&str] = &["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Statuses that are shown individually.
pub const STATUSES: &[&str] = &[
    "200", "204", "206", "301", "302", "303", "304", "307", "308", "400", "401", "402", "403", "404", "410", "418",
    "429", "451", "500", "502", "503", "504",
];

/// Why the body of an answer is incomplete ([`harvestman_core::model::Truncation`]).
pub const TRUNCATIONS: &[&str] = &["length", "time", "disconnect", "unwanted_type"];

/// Why a request is signed.
pub const SIGN_REASONS: &[&str] = SignReason::LABELS;

/// Why a page is not parsed.
pub const PARSE_REFUSALS: &[&str] = &["panic", "coding"];

/// Why only part of a page is parsed.
pub const CUTS: &[&str] = &["too_long", "coding", "effort"];

/// Why a page belongs to no cluster.
pub const CLASSIFY_REFUSALS: &[&str] = &["unknown"];

/// The series of clusters besides their numbers.
pub const CLUSTERS: &[&str] = &["unknown"];

/// Why a link is dropped by the dedup.
pub const DEDUP_REFUSALS: &[&str] = &["duplicate"];

/// Why an exchange is not archived.
pub const ARCHIVE_REFUSALS: &[&str] = &["write_error"];

/// Types of WARC records.
pub const RECORD_TYPES: &[&str] = &["warcinfo", "request", "response", "revisit", "metadata"];

/// The results of a visit to a known page.
pub const VISIT_OUTCOMES: &[&str] = &["changed", "not_modified", "same", "gone", "failed"];

/// The version of the program.
pub const VERSIONS: &[&str] = &[env!("CARGO_PKG_VERSION")];

/// The commands to a running crawl.
pub const COMMANDS: &[&str] = Command::NAMES;

/// The results of commands.
pub const ANSWERS: &[&str] = &["done", "refused"];

/// The names of all variants of a type.
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

/// Stores of the URLs seen ([`DedupStore::name`]).
pub const DEDUP_STORES: &[&str] = &names!(DedupStore);

/// The results of uploads of WARC files.
pub const UPLOAD_OUTCOMES: &[&str] = &["done", "failed"];

/// The states of a node of a fleet, as the others see it.
pub const NODE_STATES: &[&str] = &["live", "leaving", "silent"];

/// The relations of partitions to a node.
pub const HOLDINGS: &[&str] = &["held", "caught_up", "to_take"];

/// The previous holders of partitions that are taken.
pub const WHENCES: &[&str] = &["new", "handed_over", "dead"];

/// The results for links of other nodes' hosts.
pub const FOREIGN_LINKS: &[&str] = &["sent", "held_back"];

/// The states of links from other nodes.
pub const ARRIVED_LINKS: &[&str] = &["new", "duplicate", "sitemap", "elsewhere"];

/// The directions of batches.
pub const WAYS: &[&str] = &["published", "read"];

/// The subjects of calls to the bus of a fleet.
pub const BUS_CALLS: &[&str] = &["keys", "watch", "append", "read", "last", "trim", "objects"];

/// The outcomes of these calls.
pub const BUS_OUTCOMES: &[&str] = &["ok", "conflict", "unreachable", "full", "refused", "abandoned"];

/// The subjects of messages to and from the bus.
pub const TRAFFIC: &[&str] = &["exchange", "log", "observations", "keys", "objects", "servers"];

/// The directions of these messages.
pub const TRAFFIC_WAYS: &[&str] = &["published", "asked", "received"];

/// What renders bring.
pub const RENDER_OUTCOMES: &[&str] = &[
    "gain",
    "no_gain",
    "impaired",
    "replayed",
    "cannot_start",
    "crashed",
    "hung",
    "too_large",
    "too_many_events",
    "rejected",
];

/// What becomes of requests of rendered pages.
pub const RENDER_REQUESTS: &[&str] = &[
    "answered",
    "method",
    "kind",
    "scheme",
    "other_site",
    "navigation",
    "worker",
    "requests",
    "size",
    "robots",
    "scope",
    "host",
    "budget",
    "failed",
];

/// What is known of the need to render a class of pages.
pub const RENDER_CLICKS: &[&str] = &["gain", "navigation", "nothing"];

/// What is known of the need to render a class of pages.
pub const RENDER_NEEDS: &[&str] = &["open", "needed", "unneeded", "failing", "replayed"];

/// Budgets of a crawl.
pub const BUDGETS: &[&str] = &["pages", "bytes", "time", "requests"];
