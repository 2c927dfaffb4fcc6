//! One page in a browser: from its answer to the document that its scripts leave.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use harvestman_core::clock::{Clock, Instant};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::connection::{CommandError, Connection, Event};
use super::events::{PageEvent, Paused};
use super::session::Session;
use super::using::{Next, Used, Using};
use crate::limits::RenderLimits;
use crate::page::{
    Later, PageReply, PageRequest, PageRequests, PageTask, Refusal, RenderFailure, RenderedPage, RequestKind,
    RequestNote,
};
use crate::settling::{Settling, Verdict};
use crate::wanted::{Decision, Origin, RequestRules};

/// Interval at which a page that waits for nothing is asked whether it changed.
const CHECK_EVERY: Duration = Duration::from_millis(100);
/// Maximum number of frames of a page that are known.
const FRAMES_MAX: usize = 1_024;
/// Maximum number of URLs of navigations that are kept.
const NAVIGATIONS_MAX: usize = 256;

/// Something that went on beside the events has ended.
enum Step {
    Answered {
        paused: Box<Paused>,
        reply: PageReply,
    },
    /// It is known whether a request is of this page.
    Placed(Box<Paused>),
    Navigated(Result<(), CommandError>),
    Observed(Result<(), CommandError>),
    /// The number of changes, and what [`Settling::happened`] returned when the page was asked.
    Changes(Result<u64, CommandError>, u64),
    Used(Used),
}

/// What is to be done.
pub(super) struct Work<'a> {
    pub(super) page: PageTask,
    pub(super) requests: Arc<dyn PageRequests>,
    pub(super) limits: &'a RenderLimits,
    pub(super) clock: &'a Clock,
}

/// A page in the browser.
pub(super) struct Tab<'a> {
    connection: &'a Connection,
    events: &'a mut mpsc::Receiver<Event>,
    session: Arc<Session>,
    page: PageTask,
    requests: Arc<dyn PageRequests>,
    rules: RequestRules,
    settling: Settling,
    limits: &'a RenderLimits,
    clock: Clock,
    begun: Instant,
    steps: FuturesUnordered<Later<'static, Step>>,
    rendered: RenderedPage,
    dialogs: u32,
    /// The frames within the page.
    frames: HashSet<String>,
    /// Number of changes of the document when it was last asked; `None` until it can be asked.
    changes: Option<u64>,
    is_asking: bool,
    using: Using,
}

impl<'a> Tab<'a> {
    /// Prepares a page in `session`.
    pub(super) fn new(
        connection: &'a Connection,
        events: &'a mut mpsc::Receiver<Event>,
        session: Session,
        work: Work<'a>,
    ) -> Result<Self, RenderFailure> {
        let Work { page, requests, limits, clock } = work;
        let rules = RequestRules::new(&page.url, limits.clone());
        let rules = rules.ok_or_else(|| RenderFailure::Rejected(format!("{} is no web page", page.url)))?;
        let session = Arc::new(session);
        let using = Using::new(Arc::clone(&session), &page, limits);
        Ok(Self {
            connection,
            events,
            session,
            page,
            requests,
            rules,
            settling: Settling::new(limits),
            limits,
            begun: clock.now(),
            clock: clock.clone(),
            frames: HashSet::new(),
            steps: FuturesUnordered::new(),
            rendered: RenderedPage::default(),
            dialogs: 0,
            changes: None,
            is_asking: false,
            using,
        })
    }

    /// Renders the page.
    pub(super) async fn render(mut self) -> Result<RenderedPage, RenderFailure> {
        let (session, url) = (Arc::clone(&self.session), self.page.url.clone());
        self.steps.push(Box::pin(async move { Step::Navigated(session.navigate(&url).await) }));
        let mut check = tokio::time::interval(CHECK_EVERY);
        loop {
            match self.settling.verdict(self.now()) {
                Verdict::Settled => {
                    self.rendered.is_settled = true;
                    if !self.is_used_on() {
                        break;
                    }
                }
                Verdict::Overtime => break,
                Verdict::Wait => {}
            }
            tokio::select! {
                event = self.events.recv() => self.event(event.ok_or(RenderFailure::Crashed)?).await?,
                Some(step) = self.steps.next() => self.step(step).await?,
                _ = check.tick() => self.ask_for_changes(),
            }
            if self.connection.has_lost_events() {
                return Err(RenderFailure::TooManyEvents);
            }
        }
        (self.rendered.html, self.rendered.actions) = self.using.finish().await?;
        Ok(self.rendered)
    }

    /// Uses a page that is quiet. Returns whether there is something to wait for.
    fn is_used_on(&mut self) -> bool {
        let next = self.using.next((self.changes, self.rendered.requests.len()), &self.rendered.navigations);
        let goes_on = !matches!(next, Next::End);
        self.go_on(next);
        goes_on
    }

    fn go_on(&mut self, next: Next) {
        if let Next::Use(using) = next {
            self.steps.push(Box::pin(async move { Step::Used(using.await) }));
        }
    }

    /// Returns the time since the page began.
    fn now(&self) -> Duration {
        self.clock.now().since(self.begun)
    }

    async fn event(&mut self, event: Event) -> Result<(), RenderFailure> {
        match PageEvent::of(event) {
            Some(PageEvent::Paused(paused)) => self.paused(paused).await,
            Some(PageEvent::Dialog) => {
                self.dialogs += 1;
                if self.dialogs > self.limits.dialogs {
                    return Err(RenderFailure::Hung);
                }
                self.session.dismiss_dialog().await.map_err(RenderFailure::from)
            }
            Some(PageEvent::Loaded) => {
                self.settling.loaded(self.now());
                Ok(())
            }
            Some(PageEvent::FrameAdded(frame)) => {
                if self.frames.len() < FRAMES_MAX {
                    self.frames.insert(frame);
                }
                Ok(())
            }
            Some(PageEvent::UrlChanged { frame, url }) if frame == self.session.target => {
                self.settling.changed(self.now());
                let next = self.using.url_changed(&url);
                self.go_on(next);
                self.note_navigation(url);
                Ok(())
            }
            Some(PageEvent::Window(url)) => {
                self.note_navigation(url);
                Ok(())
            }
            Some(PageEvent::TargetCreated { id, opener }) if opener.is_some() => {
                let close = json!({"targetId": id});
                self.connection.tell(None, "Target.closeTarget", close).await.map_err(RenderFailure::from)
            }
            Some(PageEvent::Crashed(target)) if target == self.session.target => Err(RenderFailure::Crashed),
            Some(PageEvent::UrlChanged { .. } | PageEvent::TargetCreated { .. } | PageEvent::Crashed(_)) | None => {
                Ok(())
            }
        }
    }

    /// Answers a request, has it answered, or refuses it.
    async fn paused(&mut self, mut paused: Paused) -> Result<(), RenderFailure> {
        let origin = match paused.frame == self.session.target {
            true => Origin::MainFrame,
            false if self.frames.contains(&paused.frame) => Origin::Frame,
            false => Origin::Elsewhere,
        };
        let last = paused.redirected_from.as_deref();
        paused.request.initiator = self.rules.initiator_of_hop(&paused.request, origin, &paused.id, last);
        match self.rules.decide(&paused.request, origin) {
            Decision::Page => {
                let PageTask { status, headers, body, .. } = &self.page;
                let fulfil = fulfil(&paused.id, *status, headers, body);
                self.connection.tell(None, "Fetch.fulfillRequest", fulfil).await.map_err(RenderFailure::from)
            }
            Decision::Local => {
                let go_on = json!({"requestId": paused.id});
                self.connection.tell(None, "Fetch.continueRequest", go_on).await.map_err(RenderFailure::from)
            }
            Decision::Refuse(why) => self.refuse(paused, why).await,
            Decision::Ask => {
                // Requests and the news that a click put another page in place of this one overtake each other.
                let is_own = self.using.is_own(&paused.request).filter(|_| origin == Origin::MainFrame);
                match (is_own, self.using.certainty()) {
                    (Some(true), _) => self.ask(paused).await,
                    (Some(false), _) => self.refuse(paused, Refusal::Navigation).await,
                    (None, Some(certainty)) => {
                        self.settling.asked(self.now());
                        self.steps.push(Box::pin(async move {
                            certainty.await;
                            Step::Placed(Box::new(paused))
                        }));
                        Ok(())
                    }
                    (None, None) => self.ask_at_home(paused).await,
                }
            }
        }
    }

    /// Has a request answered, unless another page is shown.
    async fn ask_at_home(&mut self, paused: Paused) -> Result<(), RenderFailure> {
        if self.using.is_away() {
            return self.refuse(paused, Refusal::Navigation).await;
        }
        self.ask(paused).await
    }

    /// Has a request answered.
    async fn ask(&mut self, paused: Paused) -> Result<(), RenderFailure> {
        if let Some(known) = self.using.known_answer(&paused.request, &self.rendered.requests) {
            self.settling.changed(self.now());
            let headers = known.content_type.iter().map(|value| ("content-type".to_owned(), value.clone()));
            let fulfil = fulfil(&paused.id, 200, &headers.collect::<Vec<_>>(), &known.body);
            return self.connection.tell(None, "Fetch.fulfillRequest", fulfil).await.map_err(RenderFailure::from);
        }
        self.settling.asked(self.now());
        let requests = Arc::clone(&self.requests);
        self.steps.push(Box::pin(async move {
            let reply = requests.answer(paused.request.clone()).await;
            Step::Answered { paused: Box::new(paused), reply }
        }));
        Ok(())
    }

    /// Asks for what waited until it was known of which page it is.
    async fn placed(&mut self, paused: Paused) -> Result<(), RenderFailure> {
        // What the page told before it answered may still be in the queue.
        for _ in 0..self.events.len() {
            let Ok(event) = self.events.try_recv() else { break };
            self.event(event).await?;
        }
        self.settling.answered(self.now());
        self.ask_at_home(paused).await
    }

    async fn refuse(&mut self, paused: Paused, why: Refusal) -> Result<(), RenderFailure> {
        if why == Refusal::Navigation && paused.request.method == "GET" && paused.request.kind == RequestKind::Document
        {
            self.note_navigation(paused.request.url.clone());
        }
        // An aborted navigation leaves the document as it is.
        let reason = if why == Refusal::Navigation { "Aborted" } else { "BlockedByClient" };
        let fail = json!({"requestId": paused.id, "errorReason": reason});
        self.note(paused.request, Err(why));
        self.connection.tell(None, "Fetch.failRequest", fail).await.map_err(RenderFailure::from)
    }

    async fn step(&mut self, step: Step) -> Result<(), RenderFailure> {
        let now = self.now();
        match step {
            Step::Answered { paused, reply } => {
                self.settling.answered(now);
                self.answered(*paused, reply).await
            }
            Step::Placed(paused) => self.placed(*paused).await,
            Step::Navigated(result) => {
                result?;
                let session = Arc::clone(&self.session);
                self.steps.push(Box::pin(async move { Step::Observed(session.observe().await) }));
                Ok(())
            }
            Step::Observed(result) => {
                self.changes = result.is_ok().then_some(0);
                self.settling.changed(now);
                hung_later(result)
            }
            Step::Used(used) => match self.using.ended(used) {
                Ok(false) => Ok(()),
                result => {
                    self.settling.used(now);
                    hung_later(result.map(drop))
                }
            },
            Step::Changes(result, happened) => {
                self.is_asking = false;
                let Ok(changes) = result else { return hung_later(result.map(drop)) };
                if self.changes.replace(changes) == Some(changes) {
                    self.settling.unchanged(happened);
                } else {
                    self.settling.changed(now);
                }
                Ok(())
            }
        }
    }

    async fn answered(&mut self, paused: Paused, reply: PageReply) -> Result<(), RenderFailure> {
        let (status, headers, body) = match reply {
            PageReply::Answered { status, headers, body } => (status, headers, body),
            PageReply::Refused(why) => return self.refuse(paused, why).await,
        };
        self.rules.answered(body.len());
        let fulfil = fulfil(&paused.id, status, &headers, &body);
        let is_data = matches!(paused.request.kind, RequestKind::Xhr | RequestKind::Fetch);
        self.note(paused.request, Ok(status));
        if let Some(note) = self.rendered.requests.last_mut() {
            let content_type = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            note.content_type = content_type.map(|(_, value)| value.clone());
            note.body = if is_data { body } else { note.body.clone() };
        }
        self.connection.tell(None, "Fetch.fulfillRequest", fulfil).await.map_err(RenderFailure::from)
    }

    fn note(&mut self, request: PageRequest, outcome: Result<u16, Refusal>) {
        self.rendered.requests.push(RequestNote { request, outcome, content_type: None, body: bytes::Bytes::new() });
    }

    fn note_navigation(&mut self, url: String) {
        let known = &mut self.rendered.navigations;
        if known.len() < NAVIGATIONS_MAX && url != self.page.url && !known.contains(&url) {
            known.push(url);
        }
    }

    /// Asks the page whether its document changed, unless it has not answered the last time.
    fn ask_for_changes(&mut self) {
        if self.changes.is_some() && !self.is_asking && self.settling.is_idle() {
            self.is_asking = true;
            let session = Arc::clone(&self.session);
            let happened = self.settling.happened();
            self.steps.push(Box::pin(async move { Step::Changes(session.changes().await, happened) }));
        }
    }
}

/// A page that does not answer has until the end of its time: it may compute.
fn hung_later(result: Result<(), CommandError>) -> Result<(), RenderFailure> {
    match result {
        Err(CommandError::Ended) => Err(RenderFailure::Crashed),
        Ok(()) | Err(CommandError::Late(_) | CommandError::Rejected(..)) => Ok(()),
    }
}

/// Returns the command's parameters that give the browser an answer. The body has no content coding.
fn fulfil(id: &str, status: u16, headers: &[(String, String)], body: &[u8]) -> Value {
    const OF_THE_TRANSFER: [&str; 5] =
        ["content-encoding", "content-length", "transfer-encoding", "connection", "alt-svc"];
    let stays = |name: &str| !OF_THE_TRANSFER.iter().any(|known| name.eq_ignore_ascii_case(known));
    let headers: Vec<Value> = headers
        .iter()
        .filter(|(name, _)| stays(name))
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    json!({"requestId": id, "responseCode": status, "responseHeaders": headers, "body": BASE64.encode(body)})
}
