//! Fates: the final outcome of every link ever discovered.

use serde::{Deserialize, Serialize};

use super::{LocalFailure, Signal};
pub use crate::url::OutOfScope;

/// Why robots.txt prevented the fetch of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RobotsRefusal {
    /// A rule disallows it.
    Disallowed,
    /// robots.txt was unavailable (server error or unreachable), which disallows everything for a while.
    Unavailable,
}

/// Why the policy refused a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PolicyRefusal {
    /// Its link class leads to nothing wanted.
    LinkClass,
    /// The page or the link asks robots not to follow it.
    Nofollow,
    /// Its URL belongs to no cluster of the cluster graph.
    NoCluster,
    /// No edge of the cluster graph leads from its page's cluster to that of its URL.
    NoEdge,
    /// It is linked from almost everywhere: a header, a footer.
    HeaderFooter,
    /// Its URL's cluster shows the same as others.
    DuplicateContent,
    /// Its URL's cluster shows nothing wanted.
    Uninformative,
    /// New URLs of its form keep appearing and bring nothing new.
    StructureTrap,
    /// It was banned by the operator.
    Banned,
    /// Its site brings far less than another one.
    PoorSite,
    /// It is a feed, and such feeds bring nothing new.
    PoorFeed,
    /// It ends the session of a crawl that is logged in.
    LogOut,
    /// It changes something for the member as whom the crawl is logged in.
    MemberAction,
    /// A filter or a policy of the program that embeds the crawl refuses it.
    Extension,
}

/// The budget that a link exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Budget {
    /// It is farther from the seeds than the depth limit.
    Depth,
    /// Its host has more URLs than the host's page limit.
    HostPages,
    /// More URLs wait than the frontier may hold.
    Frontier,
}

/// Why a fetch failed finally.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Failure {
    /// The host name has no address.
    Dns,
    /// Every address of the host is private, loopback or otherwise forbidden.
    ForbiddenAddress,
    /// The connection was refused or broke during its establishment.
    Connect,
    /// The connection timed out.
    ConnectTimeout,
    /// The TLS handshake failed: certificate or protocol.
    Tls,
    /// The TLS handshake timed out.
    TlsTimeout,
    /// The response's head timed out.
    FirstByteTimeout,
    /// The whole exchange timed out without a usable result.
    WholeTimeout,
    /// The connection ended before a response.
    Disconnected,
    /// The answer is not HTTP.
    Protocol,
    /// The response's head is larger than the limit.
    HeadTooLarge,
    /// The answer was an HTTP error status.
    Http(u16),
    /// A redirect without a usable target.
    BadRedirect,
    /// The chain of redirects is longer than the limit.
    TooManyRedirects,
    /// The host was given up after too many consecutive failures.
    HostGivenUp,
    /// An internal error of Harvestman.
    Internal,
    /// A page that the server sends for whatever it does not have, with a status of success.
    SoftNotFound,
    /// This machine lacked something. Never the fate of a URL: the request is made again.
    Local(LocalFailure),
    /// The crawl waited for its host as long as it may (`budget.wait`). Another run goes on with the URL.
    WaitOver,
    /// The body of a page is in a content coding that cannot be removed, so that nothing of it was read.
    ContentCoding,
}

/// The final outcome of a discovered link. Each link has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Fate {
    /// Fetched with a success status.
    Fetched,
    /// Answered by a redirect; its target is a link of its own.
    Redirected,
    /// A link to a URL that was discovered before.
    Duplicate,
    /// Outside the crawl's scope.
    OutOfScope(OutOfScope),
    /// Prevented by robots.txt.
    Robots(RobotsRefusal),
    /// Refused by the policy.
    Policy(PolicyRefusal),
    /// Could not be fetched.
    Failed(Failure),
    /// Answered with an unwanted media type.
    UnwantedType,
    /// Left out because of a limit.
    OverBudget(Budget),
    /// Accepted, and still waiting when the crawl ended.
    Queued,
    /// Visited again, and not modified according to the server.
    NotModified,
    /// Handed over to the node of the fleet that holds its host.
    HandedOver,
    /// Not fetched, because the site refuses the purpose of the crawl by this signal.
    RefusedBySite(Signal),
    /// Fetched and not kept, because the answer refuses the purpose of the crawl by this signal.
    NotKept(Signal),
    /// Answered with a demand for payment (402), which is never paid.
    PaymentRequired,
}

macro_rules! labels {
    ($type:ty { $($variant:ident => $label:literal),+ $(,)? }) => {
        impl $type {
            /// Returns the reason as it appears in reports and metric labels.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }
            /// All labels.
            pub const LABELS: &'static [&'static str] = &[$($label),+];
        }
    };
}

labels!(RobotsRefusal { Disallowed => "disallowed", Unavailable => "unavailable" });
labels!(PolicyRefusal {
    LinkClass => "link_class",
    Nofollow => "nofollow",
    NoCluster => "no_cluster",
    NoEdge => "no_edge",
    HeaderFooter => "header_footer",
    DuplicateContent => "duplicate_content",
    Uninformative => "uninformative",
    StructureTrap => "structure_trap",
    Banned => "banned",
    PoorSite => "poor_site",
    PoorFeed => "poor_feed",
    LogOut => "log_out",
    MemberAction => "member_action",
    Extension => "extension",
});
impl PolicyRefusal {
    /// All reasons, in the order of [`Self::LABELS`].
    pub const ALL: [Self; 14] = [
        Self::LinkClass,
        Self::Nofollow,
        Self::NoCluster,
        Self::NoEdge,
        Self::HeaderFooter,
        Self::DuplicateContent,
        Self::Uninformative,
        Self::StructureTrap,
        Self::Banned,
        Self::PoorSite,
        Self::PoorFeed,
        Self::LogOut,
        Self::MemberAction,
        Self::Extension,
    ];

    /// Returns the reason with this label.
    pub fn of_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.label() == label)
    }

    /// Returns an explanation for people.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::LinkClass => "links at that place lead to nothing wanted",
            Self::Nofollow => "the page or the link asks robots not to follow it",
            Self::NoCluster => "addresses of that form belong to no cluster of the cluster graph",
            Self::NoEdge => {
                "such links on pages of that cluster are not needed: their targets are reached by other links"
            }
            Self::HeaderFooter => "links at that place are on almost every page and lead to known pages",
            Self::DuplicateContent => "addresses of that form show the same as others",
            Self::Uninformative => "addresses of that form show nothing wanted",
            Self::StructureTrap => "new addresses of that form keep appearing and bring nothing new",
            Self::Banned => "such links were banned while the crawl ran (`harvestman ctl DIR ban`)",
            Self::PoorFeed => "it is a feed, and those of its kind bring no links that are not known",
            Self::PoorSite => {
                "its site brings far fewer wanted pages than another, or none of its last search results was wanted"
            }
            Self::LogOut => "it ends the session: its address or its text says so, or following it did",
            Self::MemberAction => "it changes something for the member as whom the crawl is logged in",
            Self::Extension => "a filter or a policy of the program that embeds the crawl refuses them",
        }
    }
}

labels!(Budget { Depth => "depth", HostPages => "host_pages", Frontier => "frontier" });

impl Failure {
    /// Returns the reason as it appears in reports and metric labels. HTTP statuses that operators act on have their
    /// own label; the others share one per hundred, which bounds the number of labels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::ForbiddenAddress => "forbidden_address",
            Self::Connect => "connect",
            Self::ConnectTimeout => "connect_timeout",
            Self::Tls => "tls",
            Self::TlsTimeout => "tls_timeout",
            Self::FirstByteTimeout => "first_byte_timeout",
            Self::WholeTimeout => "whole_timeout",
            Self::Disconnected => "disconnected",
            Self::Protocol => "protocol",
            Self::HeadTooLarge => "head_too_large",
            Self::Http(304) => "http_304",
            Self::Http(401) => "http_401",
            Self::Http(403) => "http_403",
            Self::Http(404) => "http_404",
            Self::Http(410) => "http_410",
            Self::Http(429) => "http_429",
            Self::Http(500) => "http_500",
            Self::Http(502) => "http_502",
            Self::Http(503) => "http_503",
            Self::Http(504) => "http_504",
            Self::Http(400..=499) => "http_4xx",
            Self::Http(500..=599) => "http_5xx",
            Self::Http(_) => "http_other",
            Self::BadRedirect => "bad_redirect",
            Self::TooManyRedirects => "too_many_redirects",
            Self::HostGivenUp => "host_given_up",
            Self::WaitOver => "wait_over",
            Self::Internal => "internal",
            Self::SoftNotFound => "soft_404",
            Self::Local(why) => why.label(),
            Self::ContentCoding => "content_coding",
        }
    }

    /// Returns whether a retry may succeed. This is the only place that decides it.
    pub const fn is_transient(self) -> bool {
        match self {
            Self::Dns
            | Self::Connect
            | Self::ConnectTimeout
            | Self::TlsTimeout
            | Self::FirstByteTimeout
            | Self::WholeTimeout
            | Self::Disconnected
            | Self::Local(_) => true,
            Self::Http(status) => matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504),
            Self::ForbiddenAddress
            | Self::Tls
            | Self::Protocol
            | Self::HeadTooLarge
            | Self::BadRedirect
            | Self::TooManyRedirects
            | Self::HostGivenUp
            | Self::WaitOver
            | Self::Internal
            | Self::SoftNotFound
            | Self::ContentCoding => false,
        }
    }
}

impl Fate {
    /// The names of all fates, in the order of their declaration.
    pub const NAMES: [&str; 15] = [
        "fetched",
        "redirected",
        "duplicate",
        "out_of_scope",
        "robots",
        "policy",
        "failed",
        "unwanted_type",
        "over_budget",
        "queued",
        "not_modified",
        "handed_over",
        "refused_by_site",
        "not_kept",
        "payment_required",
    ];

    /// Returns the fate's name as it appears in reports and metric labels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fetched => "fetched",
            Self::Redirected => "redirected",
            Self::Duplicate => "duplicate",
            Self::OutOfScope(_) => "out_of_scope",
            Self::Robots(_) => "robots",
            Self::Policy(_) => "policy",
            Self::Failed(_) => "failed",
            Self::UnwantedType => "unwanted_type",
            Self::OverBudget(_) => "over_budget",
            Self::Queued => "queued",
            Self::NotModified => "not_modified",
            Self::HandedOver => "handed_over",
            Self::RefusedBySite(_) => "refused_by_site",
            Self::NotKept(_) => "not_kept",
            Self::PaymentRequired => "payment_required",
        }
    }

    /// Returns the fate's reason, if it has one.
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::OutOfScope(why) => Some(why.label()),
            Self::Robots(why) => Some(why.label()),
            Self::Policy(why) => Some(why.label()),
            Self::Failed(why) => Some(why.label()),
            Self::OverBudget(why) => Some(why.label()),
            Self::RefusedBySite(signal) | Self::NotKept(signal) => Some(signal.label()),
            Self::Fetched
            | Self::Redirected
            | Self::Duplicate
            | Self::UnwantedType
            | Self::Queued
            | Self::NotModified
            | Self::HandedOver
            | Self::PaymentRequired => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_a_policy_are_found_by_their_labels() {
        for (why, label) in PolicyRefusal::ALL.into_iter().zip(PolicyRefusal::LABELS) {
            assert_eq!((why.label(), PolicyRefusal::of_label(label)), (*label, Some(why)));
        }
        assert_eq!(PolicyRefusal::of_label("a whim"), None);
        assert_eq!(PolicyRefusal::ALL.len(), PolicyRefusal::LABELS.len());
    }
}
