//! Settings of URLs: their canonical form, and the scope of the crawl.

use serde::{Deserialize, Serialize};

use super::ByteSize;

crate::options! {
    /// The canonical form of URLs: URLs that differ only in what is removed here count as one page.
    pub struct UrlOptions in "url" {
        /// Names of query parameters that are removed with any value; letter case is ignored, and a final `*` stands
        /// for any ending. Meant for parameters that track visitors or carry a session. A name too many merges pages
        /// that differ; a name too few fetches the same page repeatedly.
        strip_parameters: Vec<String> = owned(TRACKING_AND_SESSIONS),
        /// Query parameters that are removed only if their value looks like a session id (32, 40 or 64 hexadecimal
        /// digits, or 26 lower-case letters and digits), because the names have other uses too. Letter case is ignored.
        strip_session_parameters: Vec<String> = owned(&["sid", "s", "session", "sessionid", "session_id", "zenid", "oscsid"]),
        /// Path parameters (`;name=value` within a path segment) that are removed. Letter case is ignored.
        strip_path_parameters: Vec<String> = owned(&["jsessionid", "phpsessid"]),
        /// Whether the query's parameters are sorted by name. It merges `?a=1&b=2` with `?b=2&a=1`; it is off because a
        /// few sites answer them differently.
        sort_parameters: bool = false,
        /// Links longer than this many bytes, as written, are refused before they are parsed. Raising it lets pages
        /// with oversized links cost more time and memory.
        link_bytes_max: ByteSize = ByteSize::kib(64),
    }
}

crate::options! {
    /// The scope: which URLs belong to the crawl.
    pub struct ScopeOptions in "scope" {
        /// The scope relative to the seeds: `host` (their hosts, port included; http and https are the same host),
        /// `domain` (all hosts below their registrable domains, by the public suffix list), `prefix` (the seeds'
        /// directories) or `any`.
        mode: ScopeMode = ScopeMode::Host,
        /// Hosts that belong to the crawl in addition to those of the seeds: `example.org` (any port),
        /// `example.org:8080`, or `*.example.org` for all names below it.
        hosts: Vec<String> = Vec::new(),
        /// Whether the scopes `host` and `prefix` follow a seed that redirects to another host of its registrable domain,
        /// as `example.org` to `www.example.org`: that host belongs to the crawl then. Cookies and headers that were given
        /// for the seed are not sent to it. `false` keeps to the hosts that were named.
        follow_seeds: bool = true,
        /// Regular expressions over the whole URL. If there are any, a URL must match at least one.
        include: Vec<String> = Vec::new(),
        /// Regular expressions over the whole URL. A URL that matches one is refused, even if it is included.
        exclude: Vec<String> = Vec::new(),
        /// Maximum memory, in bytes, of the compiled patterns of one list. Raise it if a long list is refused.
        pattern_memory_max: ByteSize = ByteSize::mib(10),
        /// Maximum length of a URL, in bytes of the canonical form. Raising it accepts more of a trap's ever longer
        /// URLs.
        url_length_max: usize = 2048,
        /// Whether URLs shaped like crawler traps are refused. The following settings define a trap.
        trap_guard: bool = true,
        /// A path of more segments is a trap. Raising it follows endlessly nested relative links for longer.
        path_segments_max: usize = 32,
        /// A path with the same segment this often is a trap.
        trap_segment_repeats: usize = 4,
        /// A path that repeats a sequence of two or more segments this often in a row is a trap (`/a/b/a/b/a/b`: 3).
        trap_sequence_repeats: usize = 3,
        /// A URL whose own path occurs this often inside one parameter of its query, escapes decoded, is a trap: a
        /// log-in page that links to itself with its own address to return to nests endlessly.
        trap_self_nesting: usize = 2,
        /// Escapes nested deeper than this (`%3F` is one level, `%253F` two) are a trap.
        escape_levels_max: usize = 3,
        /// A query with more parameters is a trap.
        query_parameters_max: usize = 64,
        /// A query with the same parameter and value this often is a trap.
        trap_parameter_repeats: usize = 8,
    }
}

/// The scope of a crawl relative to its seeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ScopeMode {
    /// The seeds' hosts, port included.
    Host,
    /// All hosts below the seeds' registrable domains.
    Domain,
    /// The seeds' directories.
    Prefix,
    /// Anywhere.
    Any,
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Names that are only used for tracking or sessions, so that no site uses them for its content.
const TRACKING_AND_SESSIONS: &[&str] = &[
    // Campaign tags of analytics tools.
    "utm_*",
    "mtm_*",
    "pk_campaign",
    "pk_kwd",
    "pk_source",
    "pk_medium",
    "hsa_*",
    "_hsenc",
    "_hsmi",
    "__hssc",
    "__hstc",
    "__hsfp",
    "hsctatracking",
    "vero_conv",
    "vero_id",
    "oly_anon_id",
    "oly_enc_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "_openstat",
    "_ga",
    "_gl",
    "srsltid",
    // Click ids of advertising networks.
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "fbclid",
    "msclkid",
    "yclid",
    "ysclid",
    "twclid",
    "ttclid",
    "li_fat_id",
    "igshid",
    "igsh",
    "epik",
    "rb_clickid",
    "wickedid",
    // Sessions of application servers.
    "phpsessid",
    "jsessionid",
    "aspsessionid*",
];
