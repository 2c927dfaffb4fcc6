//! Scrolls a page that is complete, and clicks what may lead on.

use std::sync::Arc;
use std::time::Duration;

use super::connection::CommandError;
use super::session::Session;
use crate::actions::{ActionNote, Seen};
use crate::limits::RenderLimits;
use crate::page::{Later, PageRequest, PageTask, RenderFailure, RequestKind, RequestNote};
use crate::probing::{Probe, Probing, Progress};

/// Time in which a page is asked where a click has led: it cannot answer while it waits for what it requests.
const CERTAIN_MAX: Duration = Duration::from_secs(2);

/// A use of the page has ended.
pub(super) enum Used {
    Scrolled(Result<bool, CommandError>),
    Looked(Result<Option<Seen>, CommandError>),
    /// With the document before, where it was not known.
    Clicked(Result<bool, CommandError>, Option<String>),
    WentBack(Result<bool, CommandError>),
}

/// What is done with a page that is quiet.
pub(super) enum Next {
    /// A use has not ended.
    Wait,
    /// The page is used.
    Use(Later<'static, Used>),
    /// Nothing.
    End,
}

/// The use of one page.
pub(super) struct Using {
    session: Arc<Session>,
    probing: Probing,
    /// Number of uses that have not ended.
    running: u32,
    /// Number of navigations that were told to the page.
    told: usize,
    /// The document before the first click.
    before: Option<String>,
    bytes_max: usize,
}

impl Using {
    pub(super) fn new(session: Arc<Session>, page: &PageTask, limits: &RenderLimits) -> Self {
        let probing = Probing::new(&page.url, page.actions.clone(), limits.scrolls, limits.clicks);
        Self { session, probing, running: 0, told: 0, before: None, bytes_max: limits.document_bytes }
    }

    /// Goes on with a page that is quiet; `navigations` are all URLs to which it wanted to navigate.
    pub(super) fn next(&mut self, progress: Progress, navigations: &[String]) -> Next {
        if self.running > 0 {
            return Next::Wait;
        }
        let probe = self.probing.next(progress);
        let session = Arc::clone(&self.session);
        match probe {
            Probe::End => Next::End,
            Probe::Scroll => self.begin(async move { Used::Scrolled(session.scroll().await) }),
            Probe::Look => {
                let led = navigations.get(self.told..).unwrap_or_default().to_vec();
                self.told = navigations.len();
                self.begin(async move { Used::Looked(session.look(&led).await) })
            }
            Probe::Click(index) => {
                let bytes_max = self.before.is_none().then_some(self.bytes_max);
                self.begin(async move {
                    let before = match bytes_max {
                        Some(bytes_max) => session.document(bytes_max).await.ok(),
                        None => None,
                    };
                    Used::Clicked(session.click(index).await, before)
                })
            }
            Probe::GoBack => self.go_back(),
        }
    }

    /// Goes on after a use. Returns whether the page may show something new.
    ///
    /// # Errors
    ///
    /// The command failed.
    pub(super) fn ended(&mut self, used: Used) -> Result<bool, CommandError> {
        self.running = self.running.saturating_sub(1);
        match used {
            Used::Scrolled(result) => {
                self.probing.scrolled(result.as_ref().is_ok_and(|moved| *moved));
                result.map(|_| true)
            }
            Used::Looked(result) => {
                self.probing.looked(result.as_ref().ok().and_then(Option::as_ref));
                result.map(|_| false)
            }
            Used::Clicked(result, before) => {
                self.before = self.before.take().or(before);
                result.map(|_| true)
            }
            Used::WentBack(result) => {
                if !result.as_ref().is_ok_and(|can| *can) {
                    self.probing.cannot_return();
                }
                result.map(|_| true)
            }
        }
    }

    /// Follows a change of the URL by a script: the page is kept where it is. Returns what this needs.
    pub(super) fn url_changed(&mut self, url: &str) -> Next {
        if self.probing.url_changed(url) { self.go_back() } else { Next::Wait }
    }

    /// Returns whether another page is shown in place of this one.
    pub(super) fn is_away(&self) -> bool {
        self.probing.is_away()
    }

    /// Returns whether a request of the main frame is of this page and not of one that a click put in its place; `None`
    /// if the request does not say so.
    pub(super) fn is_own(&self, request: &PageRequest) -> Option<bool> {
        let referer = url::Url::parse(request.header("referer")?).ok()?;
        let origin = url::Url::parse(&request.url).ok()?.origin();
        // Other origins are told the origin alone, and so is each by some pages.
        let is_whole = referer.origin() == origin && (referer.path() != "/" || referer.query().is_some());
        if is_whole { self.probing.is_own(referer.as_str()) } else { None }
    }

    /// Returns what ends once all is known to which the last click led until now; `None` where there is no doubt.
    pub(super) fn certainty(&self) -> Option<Later<'static, ()>> {
        let session = self.probing.may_be_away().then(|| Arc::clone(&self.session))?;
        // The page tells of a change of its URL before it answers.
        Some(Box::pin(async move { drop(tokio::time::timeout(CERTAIN_MAX, session.changes()).await) }))
    }

    /// Returns the successful answer that the page had to a request before it was used: pages that are returned to ask
    /// again.
    pub(super) fn known_answer<'n>(&self, request: &PageRequest, known: &'n [RequestNote]) -> Option<&'n RequestNote> {
        let is_data = matches!(request.kind, RequestKind::Xhr | RequestKind::Fetch) && request.method == "GET";
        let is_known = |note: &&RequestNote| note.request.url == request.url && note.outcome == Ok(200);
        if is_data && self.probing.has_begun() { known.iter().find(is_known) } else { None }
    }

    /// Returns the document that the page's scripts have left, with what they removed while it was used, and what
    /// clicks brought.
    pub(super) async fn finish(self) -> Result<(String, Vec<ActionNote>), RenderFailure> {
        let mut html = match self.before.filter(|_| !self.probing.is_home()) {
            Some(before) => before,
            None => self.session.document(self.bytes_max).await?,
        };
        if self.probing.has_begun() {
            let removed = self.session.removed(self.bytes_max).await?;
            let end = html.rfind("</body").unwrap_or(html.len());
            html.insert_str(end, &removed);
        }
        Ok((html, self.probing.into_notes()))
    }

    fn go_back(&mut self) -> Next {
        let session = Arc::clone(&self.session);
        self.begin(async move { Used::WentBack(session.back().await) })
    }

    fn begin(&mut self, using: impl Future<Output = Used> + Send + 'static) -> Next {
        self.running += 1;
        Next::Use(Box::pin(using))
    }
}
