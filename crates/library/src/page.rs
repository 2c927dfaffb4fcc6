//! A page as it is delivered.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;

use harvestman_pipeline::{DeliveredLink, DeliveredPage};
use harvestman_stages::fetch::decode_answer;

/// A URL that the crawl has processed: one line of its page log, with the answer of the server.
///
/// Not every page was fetched with success: [`Page::fate`] says what happened, and [`Page::status`] is `None` where
/// there was no answer.
#[derive(Debug, Clone)]
pub struct Page {
    page: DeliveredPage,
    links: Vec<PageLink>,
    body: OnceLock<Bytes>,
}

/// A link on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    url: String,
    is_new: bool,
}

impl PageLink {
    fn new(link: DeliveredLink) -> Self {
        Self { is_new: link.fate.is_none(), url: link.url }
    }

    /// The URL that it leads to, canonical.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether the crawl will fetch the URL because of this link: it is within the scope, was not found before, and no
    /// rule refuses it.
    pub const fn is_new(&self) -> bool {
        self.is_new
    }
}

impl Page {
    pub(crate) fn new(mut page: DeliveredPage) -> Self {
        let links = std::mem::take(&mut page.links).into_iter().map(PageLink::new).collect();
        Self { page, links, body: OnceLock::new() }
    }

    /// The URL, canonical.
    pub fn url(&self) -> &str {
        &self.page.record.url
    }

    /// The status of the answer; `None` if there was none.
    pub const fn status(&self) -> Option<u16> {
        self.page.record.status
    }

    /// What happened to the URL, as in the page log: `fetched`, `redirected`, `robots`, `failed` and others.
    pub fn fate(&self) -> &str {
        &self.page.record.fate
    }

    /// The reason of the fate, if it has one: `http_404`, `disallowed` and others.
    pub fn reason(&self) -> Option<&str> {
        self.page.record.reason.as_deref()
    }

    /// Whether it was fetched with success.
    pub fn is_fetched(&self) -> bool {
        self.fate() == "fetched"
    }

    /// When its last request was sent; `None` if none was sent.
    pub fn time(&self) -> Option<SystemTime> {
        self.page.requested.map(|at| UNIX_EPOCH + Duration::from_micros(at.as_micros()))
    }

    /// The value of a header of the answer, if it is there and readable text. The case of the name does not matter.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.page.answer.as_ref()?.headers.get(name)?.to_str().ok()
    }

    /// The headers of the answer, with names in lower case.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let headers = self.page.answer.iter().flat_map(|answer| &answer.headers);
        headers.map(|(name, value)| (name.as_str(), value.as_bytes()))
    }

    /// The media type with its parameters, as the server states it.
    pub fn content_type(&self) -> Option<&str> {
        self.page.record.content_type.as_deref()
    }

    /// The body of the answer, without its content coding; empty if there is none, or if the site refuses the purpose
    /// of the crawl. It is the answer of the server, also of a page that was rendered in a browser. Decoded by the
    /// first call.
    pub fn body(&self) -> &[u8] {
        let decoded = || {
            let answer = self.page.answer.as_ref();
            answer.map(|answer| decode_answer(answer, &self.page.decode).bytes).unwrap_or_default()
        };
        self.body.get_or_init(decoded)
    }

    /// Whether the body is incomplete: too long, too slow, or broken off.
    pub const fn is_truncated(&self) -> bool {
        self.page.record.truncated.is_some()
    }

    /// The title of the page.
    pub fn title(&self) -> Option<&str> {
        self.page.record.title.as_deref()
    }

    /// The links of the page that could be resolved, the target of a redirect included.
    pub fn links(&self) -> &[PageLink] {
        &self.links
    }

    /// The number of the cluster of pages made from one template; `None` if the policy of the crawl does not tell them
    /// apart, or not yet.
    pub const fn cluster(&self) -> Option<u32> {
        self.page.record.cluster
    }

    /// Where the answer redirects to.
    pub fn redirect_to(&self) -> Option<&str> {
        self.page.record.redirect_to.as_deref()
    }

    /// The page that the URL was found on; `None` for seeds.
    pub fn found_on(&self) -> Option<&str> {
        self.page.record.via.as_deref()
    }

    /// Its distance from the seeds, in links.
    pub const fn depth(&self) -> u16 {
        self.page.record.depth
    }
}
