//! Sub-requests: requests for what a page needs that is rendered in a browser, such as scripts, style sheets and data.
//!
//! They are auxiliary requests: the host actor sends them as it sends those for sitemaps, within the host's delay and
//! the rules of its robots.txt. Each gets exactly one [`SubrequestReply`], unless its caller withdraws it; after a
//! failure that may pass it is sent again, as a page would be.

use std::collections::{HashSet, VecDeque};

use bytes::Bytes;
use http::header::{ACCEPT, HeaderName, REFERER};
use http::{HeaderMap, HeaderValue};

use harvestman_core::model::{Exchange, Failure, Fate, Initiator, PostBody};
use harvestman_core::url::CanonicalUrl;

/// The maximum number of sub-requests that wait at one host.
pub const SUBREQUESTS_MAX: usize = 256;

/// The headers of a browser's request that are sent. All others are those of every request of the crawl: who it is,
/// which languages and codings it accepts, its cookies.
const PASSED_ON: [HeaderName; 3] = [ACCEPT, REFERER, HeaderName::from_static("x-requested-with")];

/// The maximum length of the value of such a header; a longer one is not sent.
const HEADER_VALUE_MAX: usize = 2_048;

/// A request for something that a page needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subrequest {
    /// The URL to fetch.
    pub url: CanonicalUrl,
    headers: HeaderMap,
    body: Option<PostBody>,
    purpose: Purpose,
    initiator: Initiator,
    /// Identifies the caller that waits for the reply.
    pub ticket: u64,
    /// Number of times that it was sent.
    attempts: u8,
}

/// What a sub-request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// A page that is rendered.
    Part,
    /// A log-in, which is not archived and may be sent while the host waits for it.
    LogIn {
        /// Whether the user named the address, so that robots.txt is not asked about it.
        is_named: bool,
    },
}

impl Subrequest {
    /// Returns the number of times that it was sent.
    pub(super) const fn attempts(&self) -> u8 {
        self.attempts
    }

    /// Creates a sub-request, without credentials. Of the `headers` of a browser, only those that a crawler may pass on
    /// are sent.
    pub fn new(url: CanonicalUrl, headers: &HeaderMap) -> Self {
        let (headers, initiator) = (passed_on(headers), Initiator::Unknown);
        Self { url, headers, body: None, purpose: Purpose::Part, initiator, ticket: 0, attempts: 0 }
    }

    /// Sets who causes it: a sub-request to its own origin may carry credentials.
    #[must_use]
    pub fn caused_by(self, initiator: Initiator) -> Self {
        Self { initiator, ..self }
    }

    /// Returns who causes it.
    pub const fn initiator(&self) -> &Initiator {
        &self.initiator
    }

    /// Creates a request of a log-in with these headers: by POST if there is a body. `is_named`: the user named the
    /// address, so that robots.txt is not asked about it.
    pub const fn log_in(url: CanonicalUrl, headers: HeaderMap, body: Option<PostBody>, is_named: bool) -> Self {
        let (purpose, initiator) = (Purpose::LogIn { is_named }, Initiator::Crawl);
        Self { url, headers, body, purpose, initiator, ticket: 0, attempts: 0 }
    }

    /// Returns whether it belongs to a log-in.
    pub const fn is_of_log_in(&self) -> bool {
        matches!(self.purpose, Purpose::LogIn { .. })
    }

    /// Returns whether robots.txt is not asked about it.
    pub(super) const fn is_named_by_user(&self) -> bool {
        matches!(self.purpose, Purpose::LogIn { is_named: true })
    }

    /// Returns the body, if it is a request by POST.
    pub const fn body(&self) -> Option<&PostBody> {
        self.body.as_ref()
    }

    /// Sets the ticket.
    #[must_use]
    pub fn with_ticket(self, ticket: u64) -> Self {
        Self { ticket, ..self }
    }

    /// Returns the headers of this request only.
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }
}

/// Returns those headers that a crawler may pass on, each once.
fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let fits = |value: &&HeaderValue| value.len() <= HEADER_VALUE_MAX;
    PASSED_ON
        .into_iter()
        .filter_map(|name| headers.get(&name).filter(fits).cloned().map(|value| (name, value)))
        .collect()
}

/// The reply to a sub-request.
#[derive(Debug)]
pub enum SubrequestReply {
    /// The host answered, with any status. Redirects are not followed.
    Answered {
        /// The request and its response.
        exchange: Box<Exchange>,
        /// The body with its content coding removed.
        body: Bytes,
    },
    /// There is no answer.
    Refused(SubrequestRefusal),
}

/// Why a sub-request gets no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubrequestRefusal {
    /// The URL is not http or https.
    NotHttp,
    /// robots.txt disallows the URL, or is unavailable, or the site refuses the purpose of the crawl.
    Robots,
    /// The host is blocked by an operator, was given up, or is owned by another node.
    HostBlocked,
    /// A budget is spent, or the crawl is stopped.
    Budget,
    /// Too many sub-requests wait.
    Busy,
    /// The request was aborted, because this node may not send requests any more.
    Aborted,
    /// The request failed.
    Failed(Failure),
}

impl SubrequestRefusal {
    /// Returns the reason's name in metric labels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::NotHttp => "not_http",
            Self::Robots => "robots",
            Self::HostBlocked => "host_blocked",
            Self::Budget => "budget",
            Self::Busy => "busy",
            Self::Aborted => "aborted",
            Self::Failed(_) => "failed",
        }
    }
}

/// The fate of a page that would not be fetched either.
impl From<Fate> for SubrequestRefusal {
    fn from(fate: Fate) -> Self {
        match fate {
            Fate::Robots(_) | Fate::RefusedBySite(_) => Self::Robots,
            Fate::Failed(Failure::HostGivenUp | Failure::WaitOver) => Self::HostBlocked,
            Fate::Failed(failure) => Self::Failed(failure),
            _ => Self::Failed(Failure::Internal),
        }
    }
}

/// The sub-requests that wait at one host, at most [`SUBREQUESTS_MAX`].
#[derive(Debug, Default)]
pub(super) struct SubrequestQueue {
    waiting: VecDeque<Subrequest>,
    /// The tickets of those that were sent and have not ended; of those whose callers have gone, too.
    sent: HashSet<u64>,
}

impl SubrequestQueue {
    /// Adds a sub-request. Returns false if the queue is full.
    pub(super) fn add(&mut self, wanted: Subrequest) -> bool {
        let has_room = self.waiting.len() < SUBREQUESTS_MAX;
        if has_room && wanted.is_of_log_in() {
            // Everything else of the host may wait for it.
            self.waiting.push_front(wanted);
        } else if has_room {
            self.waiting.push_back(wanted);
        }
        has_room
    }

    /// Records that the first sub-request is sent.
    pub(super) fn begin(&mut self) {
        self.sent.extend(self.waiting.pop_front().map(|begun| begun.ticket));
    }

    /// Records the end of a sub-request that was sent. Returns it with its attempts counted, if its caller still waits.
    pub(super) fn end(&mut self, sent: &Subrequest) -> Option<Subrequest> {
        self.sent.remove(&sent.ticket).then(|| Subrequest { attempts: sent.attempts.saturating_add(1), ..sent.clone() })
    }

    /// Puts a sub-request that is sent again before all others.
    pub(super) fn put_back(&mut self, wanted: Subrequest) {
        self.waiting.push_front(wanted);
    }

    /// Returns the sub-request to send next.
    pub(super) fn first(&self) -> Option<&Subrequest> {
        self.waiting.front()
    }

    /// Removes and returns the sub-request to send next.
    pub(super) fn take(&mut self) -> Option<Subrequest> {
        self.waiting.pop_front()
    }

    /// Removes the sub-request with this ticket; one that was sent is not sent again. Returns whether it waited.
    pub(super) fn remove(&mut self, ticket: u64) -> bool {
        self.sent.remove(&ticket);
        let at = self.waiting.iter().position(|wanted| wanted.ticket == ticket);
        at.and_then(|at| self.waiting.remove(at)).is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
#[path = "subrequest_tests.rs"]
mod tests;
