//! Judges the answers of the host where the crawl is logged in, before they count.

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use tokio::sync::Notify;
use url::Url;

use super::avoided::AvoidedLinks;
use super::store::LearnedSession;
use crate::handles::PageQueue;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::{Answer, Exchange, FetchedPage, MediaType};
use harvestman_core::url::HostKey;
use harvestman_login::{Evidence, Marks, Page, SessionAnswer, SessionWatch, Verdict, WatchLimits, neutral_address};
use harvestman_stages::fetch::{self, DecodeLimits, redirect};

/// An answer that waits, boxed as few do.
type Held = Box<FetchedPage>;

/// What a session is built from.
pub(crate) struct SessionParts {
    pub(crate) host: HostKey,
    pub(crate) limits: WatchLimits,
    /// What an earlier run learned.
    pub(crate) learned: LearnedSession,
    pub(crate) avoided: Arc<AvoidedLinks>,
    pub(crate) pages: PageQueue,
    pub(crate) decode: DecodeLimits,
    pub(crate) clock: Clock,
}

/// The session at one host, shared by the workers and its keeper.
pub(crate) struct Session {
    host: HostKey,
    watch: Mutex<SessionWatch<Held>>,
    marks: RwLock<Option<Arc<Marks>>>,
    avoided: Arc<AvoidedLinks>,
    pages: PageQueue,
    decode: DecodeLimits,
    clock: Clock,
    /// Tells the keeper that an answer waits.
    pub(super) changed: Notify,
}

impl Session {
    pub(crate) fn new(parts: SessionParts) -> Self {
        let SessionParts { host, limits, learned, avoided, pages, decode, clock } = parts;
        let LearnedSession { marks, ended_sessions } = learned;
        avoided.set_ended_sessions(ended_sessions.iter().cloned());
        Self {
            host,
            watch: Mutex::new(SessionWatch::new(limits, ended_sessions)),
            marks: RwLock::new(marks.map(Arc::new)),
            avoided,
            pages,
            decode,
            clock,
            changed: Notify::new(),
        }
    }

    /// Returns the host.
    pub(super) const fn host(&self) -> &HostKey {
        &self.host
    }

    /// Returns the signs of the session, once they are known.
    pub(super) fn marks(&self) -> Option<Arc<Marks>> {
        self.marks.read().clone()
    }

    /// Returns whether an answer must be judged before it counts. Errors of the server are what they are.
    pub(crate) fn concerns(&self, exchange: &Exchange) -> bool {
        let is_judged = |answer: &Answer| answer.status < 500 && answer.status != 429;
        exchange.url.origin() == self.host.as_str() && exchange.result.as_ref().is_ok_and(is_judged)
    }

    /// Judges an answer. It returns to the workers with a verdict, at once or when the session is checked.
    pub(crate) fn judge(&self, page: FetchedPage) {
        let exchange = &page.exchange;
        let evidence = self.evidence(exchange);
        let address = neutral_address(exchange.url.path_and_query());
        let is_large = exchange.result.as_ref().is_ok_and(|answer| answer.reservation.is_some());
        let answered = SessionAnswer { asked_at: exchange.timings.started, evidence, address, is_large };
        tracing::debug!(url = exchange.url.as_str(), ?evidence, "the answer is judged by the session");
        let decided = self.watch.lock().answered(answered, Box::new(page), self.clock.now());
        if decided.is_empty() {
            self.changed.notify_one();
        }
        self.deliver(decided);
    }

    fn evidence(&self, exchange: &Exchange) -> Evidence {
        let (Some(marks), Ok(answer)) = (self.marks(), &exchange.result) else { return Evidence::None };
        let redirect = redirect::target(answer.status, &answer.headers);
        if let Some(target) = redirect.and_then(|to| Url::parse(exchange.url.as_str()).ok()?.join(&to).ok()) {
            return marks.evidence_of_redirect(&target);
        }
        if MediaType::of(answer.content_type()) == MediaType::Html && !answer.body.is_empty() {
            let body = fetch::decode_answer(answer, &self.decode).bytes;
            let page = Page::read(exchange.url.as_str(), &body, answer.content_type());
            return page.map_or(Evidence::None, |page| marks.evidence(&page));
        }
        if answer.status == 401 { Evidence::Guest } else { Evidence::None }
    }

    /// Returns when the session is to be checked.
    pub(super) fn check_at(&self) -> Option<Instant> {
        self.watch.lock().check_at()
    }

    /// Returns the number of answers that wait.
    pub(super) fn waiting(&self) -> usize {
        self.watch.lock().waiting()
    }

    /// Returns what was learned of the session, for the next run.
    pub(super) fn learned(&self) -> LearnedSession {
        let marks = self.marks.read().as_deref().cloned();
        LearnedSession { marks, ended_sessions: self.watch.lock().avoided().cloned().collect() }
    }

    /// Takes in that the crawl is logged in.
    pub(super) fn logged_in(&self, marks: Marks, at: Instant) {
        *self.marks.write() = Some(Arc::new(marks));
        self.watch.lock().logged_in(at);
    }

    /// Takes in that the check page, which was asked for at `asked_at`, shows the session.
    pub(super) fn holds(&self, asked_at: Instant) {
        let decided = self.watch.lock().holds(asked_at);
        self.deliver(decided);
    }

    /// Takes in that the session is lost.
    pub(super) fn lost(&self) {
        let mut watch = self.watch.lock();
        let decided = watch.lost();
        self.avoided.set_ended_sessions(watch.avoided().cloned());
        drop(watch);
        self.deliver(decided);
    }

    /// Puts back what waits, as it can no longer be found out whether it counts.
    pub(super) fn give_up(&self) {
        let decided = self.watch.lock().give_up();
        self.deliver(decided);
    }

    fn deliver(&self, decided: Vec<(Held, Verdict)>) {
        for (held, verdict) in decided {
            self.pages.judged(*held, verdict);
        }
    }
}
