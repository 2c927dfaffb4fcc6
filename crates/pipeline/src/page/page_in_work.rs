//! A page on its way through the stations of a worker.

use std::sync::Arc;

use bytes::Bytes;
use harvestman_core::clock::Instant;
use harvestman_core::model::{
    Answer, Fate, FetchedPage, MediaType, PageRecord, ParsedPage, RecrawlVisit, ScheduledUrl, Unread, Visit,
};
use harvestman_policy::{Needs, PolicySnapshot};
use harvestman_render::RenderedPage;
use harvestman_storage::archive::EncodedPage;

use crate::page::document::Document;
use crate::page::page_result::PageResult;
use crate::page::rules::Acceptance;
use crate::rendering::{RenderClass, RenderOutcome, ToRender};

/// A page between the queue of the workers and the archive.
pub(crate) struct PageInWork {
    pub(crate) fetched: FetchedPage,
    pub(crate) arrival: Arrival,
    /// When its processing began.
    pub(crate) started: Instant,
    /// What is known of earlier visits to it.
    pub(crate) before: Option<Visit>,
    /// What its answer contains, as far as it was read.
    pub(crate) content: Content,
    pub(crate) result: PageResult,
    /// What the stations have made of the result.
    pub(crate) output: PageOutput,
}

/// Where a page comes from.
pub(crate) enum Arrival {
    /// From its host.
    Host,
    /// From the session, which confirms that it was sent to the member.
    Session,
    /// From the suspects: it was perhaps a block page, and has waited for other pages of its host.
    Suspects,
    /// From the browsers.
    Browsers(Completion),
    /// It was to be rendered, and the browsers are gone.
    NoBrowsers(RenderClass),
}

/// What became of a page that was to be rendered.
pub(crate) struct Completion {
    pub(crate) class: RenderClass,
    /// Whether it was decided to complete it.
    pub(crate) is_begun: bool,
    pub(crate) outcome: RenderOutcome,
}

/// What an answer contains.
pub(crate) enum Content {
    /// It was not looked at.
    Unread,
    /// A redirect to this address, as written.
    Redirect(String),
    /// An error of the server, with its status.
    Error(u16),
    /// A document that is not decoded.
    Document,
    /// A decoded document.
    Body(Body),
    /// A parsed page.
    Page(Box<ParsedBody>),
}

/// A decoded document.
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    pub(crate) media: MediaType,
    /// Why the rest of it is missing.
    pub(crate) unread: Option<Unread>,
}

/// A parsed page.
pub(crate) struct ParsedBody {
    pub(crate) body: Body,
    pub(crate) needs: PageNeeds,
    /// One for the whole page: its bag is parsed with the class names by which its cluster is determined.
    pub(crate) snapshot: Arc<dyn PolicySnapshot>,
    pub(crate) parsed: ParsedPage,
    pub(crate) acceptance: Acceptance,
    /// How the browsers are to render it, if they are.
    pub(crate) to_render: Option<ToRender>,
}

/// What is read of a page besides its links.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageNeeds {
    pub(crate) of_policy: Needs,
    /// Whether the policy reads its text.
    pub(crate) text: bool,
    /// Whether it reads the text around links. That consists of words too, but few pages have new links.
    pub(crate) around_links: bool,
}

/// What is written of a page.
#[derive(Default)]
pub(crate) struct PageOutput {
    /// The line of the page log.
    pub(crate) line: Option<PageRecord>,
    /// The records of the archive.
    pub(crate) records: Option<EncodedPage>,
    /// What is known of it from now on.
    pub(crate) visit: Option<Box<Visit>>,
    pub(crate) recrawl_visit: Option<Box<RecrawlVisit>>,
}

/// What follows after a station.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The next station.
    Pass,
    /// The stations that record the page: its result is complete.
    Settled,
    /// Nothing for now: the station holds the page.
    Hold,
    /// Nothing: the URL is put back, and requested again.
    PutBack,
}

impl PageInWork {
    /// Creates a page that no station has seen.
    pub(crate) fn new(fetched: FetchedPage, arrival: Arrival, started: Instant) -> Self {
        Self {
            fetched,
            arrival,
            started,
            before: None,
            content: Content::Unread,
            result: PageResult::of(Fate::Fetched),
            output: PageOutput::default(),
        }
    }

    /// Returns its URL as it was scheduled.
    pub(crate) const fn item(&self) -> &ScheduledUrl {
        &self.fetched.lease.item
    }

    /// Sets what its answer contains, which the next stations read.
    pub(crate) fn contains(&mut self, content: Content) -> Verdict {
        self.content = content;
        Verdict::Pass
    }

    /// Sets the result, which no station changes before the page is recorded.
    pub(crate) fn settle(&mut self, result: PageResult) -> Verdict {
        self.result = result;
        Verdict::Settled
    }
}

impl Arrival {
    /// Returns whether a station may hold the page: it does not come from the last one that does.
    pub(crate) const fn may_be_held(&self) -> bool {
        matches!(self, Self::Host | Self::Session | Self::Suspects)
    }

    /// Returns what became of a page that was to be rendered.
    pub(crate) const fn outcome(&self) -> Option<&RenderOutcome> {
        if let Self::Browsers(completion) = self { Some(&completion.outcome) } else { None }
    }

    /// Returns the page that scripts completed.
    pub(crate) fn completed(&self) -> Option<&RenderedPage> {
        self.outcome().and_then(RenderOutcome::page)
    }

    /// Returns the class of a page that was to be rendered.
    pub(crate) const fn render_class(&self) -> Option<RenderClass> {
        match self {
            Self::Browsers(completion) => Some(completion.class),
            Self::NoBrowsers(class) => Some(*class),
            Self::Host | Self::Session | Self::Suspects => None,
        }
    }
}

impl Content {
    /// Returns the decoded document.
    pub(crate) const fn body(&self) -> Option<&Body> {
        match self {
            Self::Body(body) => Some(body),
            Self::Page(page) => Some(&page.body),
            Self::Unread | Self::Redirect(_) | Self::Error(_) | Self::Document => None,
        }
    }
}

impl Body {
    /// Returns the document that is read for the page: the one that its scripts left, if there is one.
    pub(crate) fn shown<'a>(&'a self, arrival: &'a Arrival, answer: &'a Answer) -> Document<'a> {
        match arrival.completed() {
            Some(page) => Document::rendered(&page.html),
            None => Document { body: &self.bytes, content_type: answer.content_type() },
        }
    }
}
