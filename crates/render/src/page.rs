//! What is rendered, and what comes out of it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;

use crate::actions::{ActionNote, KnownActions};
use harvestman_core::model::Initiator;

/// A future in a box.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A page to render: an answer that was fetched before. The browser gets these bytes, so that what rendering adds can
/// be told by comparison, and the page is not requested twice.
#[derive(Debug, Clone)]
pub struct PageTask {
    /// The URL, `http` or `https`.
    pub url: String,
    /// The status of the answer.
    pub status: u16,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its body without content coding.
    pub body: Bytes,
    /// What is known of the clicks on pages of its class.
    pub actions: KnownActions,
}

/// The kind of a request of a page, as the browser tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// A document: of the page itself or of a frame.
    Document,
    /// A script.
    Script,
    /// A style sheet.
    Stylesheet,
    /// `XMLHttpRequest`.
    Xhr,
    /// `fetch()`.
    Fetch,
    /// An image.
    Image,
    /// Audio or video.
    Media,
    /// A font.
    Font,
    /// A connection that stays open: `EventSource`, `WebSocket`.
    Stream,
    /// Beacons, prefetches, manifests, reports.
    Aside,
    /// Anything else, such as the script of a worker.
    Other,
}

impl RequestKind {
    /// Returns the kind that the browser calls by this name.
    pub fn of_name(name: &str) -> Self {
        match name {
            "Document" => Self::Document,
            "Script" => Self::Script,
            "Stylesheet" => Self::Stylesheet,
            "XHR" => Self::Xhr,
            "Fetch" => Self::Fetch,
            "Image" => Self::Image,
            "Media" | "TextTrack" => Self::Media,
            "Font" => Self::Font,
            "EventSource" | "WebSocket" => Self::Stream,
            "Ping" | "Prefetch" | "Manifest" | "CSPViolationReport" | "Preflight" | "SignedExchange" | "FedCM" => {
                Self::Aside
            }
            _ => Self::Other,
        }
    }

    /// Returns whether many pages have the same of it, so that one request serves all.
    pub const fn is_asset(self) -> bool {
        matches!(self, Self::Script | Self::Stylesheet | Self::Other)
    }
}

/// A request of a page that is rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// The URL, without a fragment.
    pub url: String,
    /// Its kind.
    pub kind: RequestKind,
    /// The method.
    pub method: String,
    /// The headers that the browser would send.
    pub headers: Vec<(String, String)>,
    /// Who causes it: the page, a frame of another origin within it, or unknown.
    pub initiator: Initiator,
}

impl PageRequest {
    /// Returns the value of a header; `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Why a request of a page was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// Its method may change something on the server.
    Method,
    /// Nothing of its kind is needed for links or text.
    Kind,
    /// Its URL is neither `http` nor `https`.
    Scheme,
    /// It asks another site for data.
    OtherSite,
    /// It would lead to another page.
    Navigation,
    /// It installs a worker that outlives the page.
    Worker,
    /// The page has had as many requests as it may.
    Requests,
    /// The answers of the page are larger than they may be together.
    Size,
    /// robots.txt disallows it.
    Robots,
    /// It is outside the scope of the crawl.
    Scope,
    /// The host may not be contacted.
    Host,
    /// A budget of the crawl is spent, or the crawl ends.
    Budget,
    /// The request failed.
    Failed,
}

impl Refusal {
    /// All refusals.
    pub const ALL: [Self; 13] = [
        Self::Method,
        Self::Kind,
        Self::Scheme,
        Self::OtherSite,
        Self::Navigation,
        Self::Worker,
        Self::Requests,
        Self::Size,
        Self::Robots,
        Self::Scope,
        Self::Host,
        Self::Budget,
        Self::Failed,
    ];

    /// Returns the name in labels of metrics.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Kind => "kind",
            Self::Scheme => "scheme",
            Self::OtherSite => "other_site",
            Self::Navigation => "navigation",
            Self::Worker => "worker",
            Self::Requests => "requests",
            Self::Size => "size",
            Self::Robots => "robots",
            Self::Scope => "scope",
            Self::Host => "host",
            Self::Budget => "budget",
            Self::Failed => "failed",
        }
    }
}

/// The answer to a request of a page.
#[derive(Debug, Clone)]
pub enum PageReply {
    /// The server's answer; the body has no content coding.
    Answered {
        /// The status.
        status: u16,
        /// The headers.
        headers: Vec<(String, String)>,
        /// The body.
        body: Bytes,
    },
    /// None, for this reason.
    Refused(Refusal),
}

/// Answers the requests of pages that are rendered: the crawl's own fetcher.
pub trait PageRequests: Send + Sync {
    /// Answers a request. It may take as long as politeness demands.
    fn answer(&self, request: PageRequest) -> Later<'_, PageReply>;
}

/// What became of a request of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestNote {
    /// The request.
    pub request: PageRequest,
    /// The status of the answer, or why there is none.
    pub outcome: Result<u16, Refusal>,
    /// The `Content-Type` of the answer.
    pub content_type: Option<String>,
    /// The body of the answer, of data (`XMLHttpRequest`, `fetch()`) alone; empty for all others.
    pub body: Bytes,
}

/// A page after its scripts have run.
#[derive(Debug, Clone, Default)]
pub struct RenderedPage {
    /// The document, as HTML.
    pub html: String,
    /// URLs to which scripts wanted to navigate, or which they gave to the page.
    pub navigations: Vec<String>,
    /// What clicks brought.
    pub actions: Vec<ActionNote>,
    /// Its requests, in the order in which they were answered.
    pub requests: Vec<RequestNote>,
    /// Whether the page became quiet before its time was over.
    pub is_settled: bool,
}

impl RenderedPage {
    /// Returns whether the crawl ended while the page was rendered, so that its content may be missing.
    pub fn is_cut_short(&self) -> bool {
        self.requests.iter().any(|note| note.outcome == Err(Refusal::Budget))
    }

    /// Returns whether it made requests and none succeeded.
    pub fn has_no_answer(&self) -> bool {
        let succeeded = |note: &RequestNote| note.outcome.is_ok_and(|status| (200..=299).contains(&status));
        !self.requests.is_empty() && !self.requests.iter().any(succeeded)
    }

    /// Returns whether a request was refused for a reason that says nothing of the page: the crawl's rules or a
    /// failure. Then what rendering gains is unknown.
    pub fn is_impaired(&self) -> bool {
        self.is_incomplete() || self.has_refused(|refusal| refusal == Refusal::Robots)
    }

    /// Returns whether a request lacks an answer that it may have at another time. What robots.txt disallows it never
    /// has.
    pub fn is_incomplete(&self) -> bool {
        self.has_refused(|refusal| {
            matches!(refusal, Refusal::Host | Refusal::Budget | Refusal::Failed | Refusal::Requests)
        })
    }

    fn has_refused(&self, is_meant: impl Fn(Refusal) -> bool) -> bool {
        self.requests.iter().any(|note| note.outcome.is_err_and(&is_meant))
    }
}

/// Why a page was not rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderFailure {
    /// The browser does not start.
    #[error("{0}")]
    CannotStart(String),
    /// The browser, or the process of the page, ended.
    #[error("the browser crashed")]
    Crashed,
    /// The page's scripts do not come to an end.
    #[error("the page does not react")]
    Hung,
    /// The document is larger than it may be.
    #[error("the rendered document is too large")]
    TooLarge,
    /// The page floods the connection.
    #[error("the page causes too many events")]
    TooManyEvents,
    /// The browser rejected a command.
    #[error("{0}")]
    Rejected(String),
}

impl RenderFailure {
    /// Returns the name in labels of metrics.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::CannotStart(_) => "cannot_start",
            Self::Crashed => "crashed",
            Self::Hung => "hung",
            Self::TooLarge => "too_large",
            Self::TooManyEvents => "too_many_events",
            Self::Rejected(_) => "rejected",
        }
    }
}

/// Renders pages.
pub trait Browser: Send + Sync {
    /// Renders a page whose requests `requests` answers.
    fn render(&self, page: PageTask, requests: Arc<dyn PageRequests>)
    -> Later<'_, Result<RenderedPage, RenderFailure>>;

    /// Frees what the browser holds while there is nothing to render. It is ready for the next page all the same.
    fn rest(&self) -> Later<'_, ()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_robots_txt_disallows_is_not_missing() {
        let page = |outcome| {
            let (kind, method) = (RequestKind::Fetch, "GET".to_owned());
            let (url, initiator) = ("http://h.example/api".to_owned(), Initiator::Unknown);
            let request = PageRequest { url, kind, method, headers: Vec::new(), initiator };
            let note = RequestNote { request, outcome, content_type: None, body: Bytes::new() };
            RenderedPage { requests: vec![note], ..RenderedPage::default() }
        };
        let judged = |outcome| (page(outcome).is_impaired(), page(outcome).is_incomplete());
        assert_eq!(judged(Err(Refusal::Robots)), (true, false));
        assert_eq!(judged(Err(Refusal::Failed)), (true, true));
        assert_eq!(judged(Err(Refusal::Method)), (false, false));
        assert_eq!(judged(Ok(200)), (false, false));
    }
}
