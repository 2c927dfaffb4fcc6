//! The pages of a crawl as they are delivered, and as a stream.

use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_core::Stream;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use harvestman_pipeline::{DeliveredLink, DeliveredPage};
use harvestman_report::StopFlag;
use harvestman_stages::fetch::decode_answer;

/// How long a stopped crawl waits for a reader of its pages.
const READER_MAX: Duration = Duration::from_secs(1);
/// The pauses while the stream is full.
const PAUSE: Duration = Duration::from_millis(5);

/// The pages of a crawl, in the order in which they are processed. Ends with the crawl.
///
/// The stream is bounded: while nobody reads it, the crawl waits. Dropping it lets the crawl continue without it. A
/// crawl that was stopped waits a second for its reader; the pages that are then left wait to be fetched again by
/// [`Crawl::resume`](crate::Crawl::resume).
#[derive(Debug)]
pub struct Pages {
    receiver: Receiver<Page>,
}

impl Pages {
    /// Returns a stream that has ended.
    pub(crate) fn ended() -> Self {
        Self { receiver: channel(1).1 }
    }

    /// Waits for the next page. Needs no asynchronous runtime. `None` at the end of the crawl.
    ///
    /// # Panics
    /// In asynchronous code, whose thread it would block: there this is a [`Stream`].
    pub fn next_blocking(&mut self) -> Option<Page> {
        self.receiver.blocking_recv()
    }
}

impl Stream for Pages {
    type Item = Page;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Page>> {
        self.receiver.poll_recv(context)
    }
}

/// The other end of the stream.
pub(crate) struct PageSender {
    /// `None` once nothing is sent any more.
    sender: Option<Sender<Page>>,
    /// Whether nobody reads it: then it takes everything.
    is_off: bool,
    stop: StopFlag,
}

impl PageSender {
    /// Creates a stream with room for so many pages, of a crawl that `stop` ends.
    pub(crate) fn new(room: usize, stop: StopFlag) -> (Self, Pages) {
        let (sender, receiver) = channel(room.max(1));
        (Self { sender: Some(sender), is_off: false, stop }, Pages { receiver })
    }

    /// Sends a page; blocks while the stream is full. Returns false if nobody read the stream of a stopped crawl, which
    /// ends it. A stream that was dropped takes everything.
    pub(crate) fn send(&mut self, mut page: Page) -> bool {
        let Some(sender) = &self.sender else { return self.is_off };
        let mut waited = Duration::ZERO;
        loop {
            match sender.try_send(page) {
                Ok(()) | Err(TrySendError::Closed(_)) => return true,
                Err(TrySendError::Full(back)) if waited < READER_MAX => page = back,
                Err(TrySendError::Full(_)) => {
                    self.sender = None;
                    return false;
                }
            }
            thread::sleep(PAUSE);
            if self.stop.requested() {
                waited += PAUSE;
            }
        }
    }

    /// Ends the stream of a crawl that has none.
    pub(crate) fn turn_off(&mut self) {
        (self.sender, self.is_off) = (None, true);
    }

    /// Ends the stream.
    pub(crate) fn end(&mut self) {
        self.sender = None;
    }
}

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
