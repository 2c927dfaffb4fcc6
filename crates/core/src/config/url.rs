//! Settings of URLs: their canonical form, and the scope of the crawl.

use serde::{Deserialize, Serialize};

crate::options! {
    /// The canonical form of URLs: URLs that differ only in what is removed here count as one page.
    pub struct UrlOptions in "url" {
        /// Names of query parameters that are removed with any value; letter case is ignored, and a final `*` stands
        /// for any ending. Meant for parameters that track visitors or carry a session; a few more names (`sid`, `s`,
        /// `session`) are removed where their value looks like a session id. A name too many merges pages that differ;
        /// a name too few fetches the same page repeatedly.
        strip_parameters: Vec<String> = owned(TRACKING_AND_SESSIONS),
        /// Whether the query's parameters are sorted by name. It merges `?a=1&b=2` with `?b=2&a=1`; it is off because a
        /// few sites answer them differently.
        sort_parameters: bool = false,
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
        /// Whether the scopes `host` and `prefix` follow a seed that redirects to another host of its registrable
        /// domain, as `example.org` to `www.example.org`: that host belongs to the crawl then. Cookies and headers that
        /// were given for the seed are not sent to it. `false` keeps to the hosts that were named.
        follow_seeds: bool = true,
        /// Regular expressions over the whole URL. If there are any, a URL must match at least one.
        include: Vec<String> = Vec::new(),
        /// Regular expressions over the whole URL. A URL that matches one is refused, even if it is included.
        exclude: Vec<String> = Vec::new(),
        /// Whether URLs shaped like crawler traps are refused: paths of more than 32 segments, or that repeat a segment
        /// four times or a sequence of segments three times in a row; queries with more than 64 parameters, or that
        /// repeat one eight times; escapes nested more than three levels deep; a URL whose own path is nested in its
        /// query.
        trap_guard: bool = true,
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
