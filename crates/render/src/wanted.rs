//! Decides which requests of a page are sent.

use std::collections::HashSet;

use harvestman_core::model::Initiator;
use harvestman_core::url::{HostKey, origin_of, registrable_domain};
use url::Url;

use super::limits::RenderLimits;
use super::page::{PageRequest, Refusal, RequestKind};

/// What is done with a request of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The request is for the page itself, whose answer is at hand.
    Page,
    /// The crawl is asked.
    Ask,
    /// The browser handles it without a network: `data:`, `blob:`, `about:`.
    Local,
    /// The request is not sent.
    Refuse(Refusal),
}

/// The requests of one page so far.
#[derive(Debug)]
pub struct RequestRules {
    page: Url,
    site: String,
    limits: RenderLimits,
    asked: u32,
    bytes: usize,
    /// Whether the browser has the page.
    is_served: bool,
    /// The requests to the very origin that causes them, by the browser's names for them.
    to_own_origin: HashSet<String>,
}

/// Maximum number of requests whose redirects may carry credentials.
const OWN_MAX: usize = 4_096;

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The main frame of the page.
    MainFrame,
    /// A frame within it.
    Frame,
    /// A worker, a window that it opened, or unknown.
    Elsewhere,
}

impl RequestRules {
    /// Creates the rules for the requests of the page at `url`; `None` if that is no URL of a page.
    pub fn new(url: &str, limits: RenderLimits) -> Option<Self> {
        let page = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let site = site_of(&page)?;
        Some(Self { page, site, limits, asked: 0, bytes: 0, is_served: false, to_own_origin: HashSet::new() })
    }

    /// Counts an answer of `bytes` bytes.
    pub const fn answered(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Decides about a request, and counts it.
    pub fn decide(&mut self, request: &PageRequest, origin: Origin) -> Decision {
        let decision = self.judge(request, origin);
        match decision {
            Decision::Page => self.is_served = true,
            Decision::Ask => self.asked += 1,
            Decision::Local | Decision::Refuse(_) => {}
        }
        decision
    }

    /// Returns who causes a request, which decides whether it may carry credentials.
    pub fn initiator(&self, request: &PageRequest, origin: Origin) -> Initiator {
        // The main frame shows this page and no other. A frame may show anything: the browser tells its origin by the
        // Referer, which no script can set to another.
        let referer = || request.header("referer").and_then(|referer| Url::parse(referer).ok());
        let from = if origin == Origin::MainFrame { Some(self.page.clone()) } else { referer() };
        from.map_or(Initiator::Unknown, |from| {
            Initiator::Origin(HostKey::from_origin(&from.origin().ascii_serialization()))
        })
    }

    /// Returns who causes a request with this name, which an earlier one may have been redirected to: what another
    /// origin redirects is caused by that one too.
    pub fn initiator_of_hop(
        &mut self,
        request: &PageRequest,
        origin: Origin,
        name: &str,
        redirected: Option<&str>,
    ) -> Initiator {
        let stayed = redirected.is_none_or(|last| self.to_own_origin.contains(last));
        let initiator = if stayed { self.initiator(request, origin) } else { Initiator::Unknown };
        if initiator.permits(origin_of(&request.url)) && self.to_own_origin.len() < OWN_MAX {
            self.to_own_origin.insert(name.to_owned());
        }
        initiator
    }

    fn judge(&self, request: &PageRequest, origin: Origin) -> Decision {
        let Ok(url) = Url::parse(&request.url) else { return Decision::Refuse(Refusal::Scheme) };
        match url.scheme() {
            "http" | "https" => {}
            "data" | "blob" | "about" => return Decision::Local,
            _ => return Decision::Refuse(Refusal::Scheme),
        }
        if request.kind == RequestKind::Document && origin != Origin::Frame {
            let is_page = origin == Origin::MainFrame
                && !self.is_served
                && without_fragment(&url) == without_fragment(&self.page);
            return if is_page && request.method == "GET" {
                Decision::Page
            } else {
                Decision::Refuse(Refusal::Navigation)
            };
        }
        self.refusal(request, &url).map_or(Decision::Ask, Decision::Refuse)
    }

    fn refusal(&self, request: &PageRequest, url: &Url) -> Option<Refusal> {
        use RequestKind as Kind;
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Some(Refusal::Method);
        }
        if request.header("service-worker").is_some() {
            return Some(Refusal::Worker);
        }
        // The browser calls these other requests: connections that stay open, and what another page may need.
        let is_stream = request.header("accept").is_some_and(|accept| accept.contains("text/event-stream"));
        let purposes = ["purpose", "sec-purpose"].map(|name| request.header(name));
        if is_stream || purposes.into_iter().flatten().any(|purpose| purpose.contains("prefetch")) {
            return Some(Refusal::Kind);
        }
        let is_same_site = site_of(url).is_some_and(|site| site == self.site);
        match request.kind {
            Kind::Image | Kind::Media | Kind::Font | Kind::Stream | Kind::Aside => return Some(Refusal::Kind),
            // Libraries are often loaded from elsewhere; data is not.
            Kind::Script => {}
            _ if is_same_site => {}
            Kind::Document | Kind::Stylesheet | Kind::Xhr | Kind::Fetch | Kind::Other => {
                return Some(Refusal::OtherSite);
            }
        }
        if self.asked >= self.limits.requests {
            return Some(Refusal::Requests);
        }
        (self.bytes >= self.limits.answers_bytes).then_some(Refusal::Size)
    }
}

/// Returns the registrable domain of a URL, or its host where there is none.
fn site_of(url: &Url) -> Option<String> {
    Some(registrable_domain(url.host_str()?).to_owned())
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

#[cfg(test)]
#[path = "wanted_tests.rs"]
mod tests;
