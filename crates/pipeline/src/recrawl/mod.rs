//! Recrawls: queues pages that were visited before in the frontier again, by a [plan](harvestman_stages::revisit::plan)
//! that learns from what their visits find.
//!
//! ```text
//! state ── what is known of each page ──► plan ──► frontier, hosts, workers, archive, state writer as in any crawl
//!                                          ▲                │ links of a page          │ committed
//!                                          └────────────────┴──────────────────────────┘
//! ```
//!
//! Only a few visits per host are planned ahead, so that what is learned takes effect at once. A resumed recrawl
//! replays from the state the visits that it had made, in their order, so that the plan learns the same from them
//! again. The visits that it had planned wait in the frontier.

mod load;
mod scheduler;

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use parking_lot::Mutex;

pub(super) use self::load::Loaded;
pub(super) use self::scheduler::RecrawlScheduler;
use super::handles::FrontierHandle;
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::model::{ApathLinks, Change, Difference, Fate, Lastmod, RecrawlVisit, Visit, short_id};
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;
use harvestman_report::RecrawlFigures;
use harvestman_stages::revisit::rows::signs;
use harvestman_stages::revisit::{RowChange, RowMark};
use harvestman_storage::store::{RecrawlRound, VisitReader};

/// Number of visits to one host that are planned ahead, in addition to those that its connections make: few enough that
/// what is learned takes effect soon, and enough that a connection never waits for the plan.
const VISITS_AHEAD: u32 = 4;

/// The maximum number of links of a page that are stored until the recrawl is over.
const LINKS_MAX: usize = 256;

/// The maximum number of lastmods that wait for the scheduler, which takes them whenever a visit has ended.
const LASTMODS_MAX: usize = 1 << 20;

/// Messages to the scheduler.
enum SchedulerMessage {
    /// The links of a planned page, in page order.
    Links(Fingerprint, Links),
    /// The links of a new page.
    New(Links),
    /// The outcome of a planned page, which is committed.
    Ended(Fingerprint, Ended),
    /// The crawl is over.
    Close,
}

/// The links of a page: the place of each, its target, and how the text around it differs from the visit before.
type Links = Vec<(u64, Fingerprint, RowChange)>;

/// Returns the links of a page that has these rows and had those of `before`.
pub(super) fn links_of(before: Option<&Visit>, rows: &[RowMark]) -> Links {
    let signs = signs(before.map_or(&[], |before| &before.rows), rows);
    rows.iter().zip(signs).map(|(row, sign)| (row.apath, row.page, sign)).collect()
}

/// Returns what is stored of a visit until the recrawl is over.
pub(super) fn sighting(visit: &Visit, links: &[(u64, Fingerprint, RowChange)]) -> RecrawlVisit {
    let stored = &links[..links.len().min(LINKS_MAX)];
    let places = stored.chunk_by(|one, other| one.0 == other.0).map(|place| ApathLinks {
        apath: place[0].0,
        links: place.iter().map(|(_, page, sign)| (short_id(*page), *sign)).collect(),
    });
    let Visit { round, last: at, difference, waited, gone, .. } = *visit;
    RecrawlVisit { page: visit.page(), round, at, difference, waited, gone, places: places.collect() }
}

/// How a planned visit ended.
#[derive(Debug, Clone, Copy)]
struct Ended {
    fate: Fate,
    /// How the page differed; `None` if it could not be fetched.
    difference: Option<Difference>,
    /// Seconds since the visit before.
    waited: u64,
    gone: bool,
}

/// The scheduler's queue, and what it shows. It has room for two messages per planned visit, and for some that may be
/// dropped.
#[derive(Clone)]
pub(super) struct RecrawlHandle {
    sender: Sender<SchedulerMessage>,
    /// Pages whose visits are planned and have not ended.
    planned: Arc<Mutex<HashSet<Fingerprint, FixedState>>>,
    figures: Arc<Mutex<RecrawlFigures>>,
    /// Page → how much it differs when nothing has changed. Only for pages whose visit is planned, and if that is more
    /// than nothing.
    noise: Arc<Mutex<HashMap<Fingerprint, Difference, FixedState>>>,
    /// What sitemaps state about pages, until the scheduler takes it.
    lastmods: Arc<Mutex<Vec<Lastmod>>>,
}

impl RecrawlHandle {
    /// Whether such a difference is a change of the page, by what is known of its type.
    pub(super) fn is_change(&self, page: Fingerprint, difference: Difference) -> bool {
        difference >= Difference::Numbers && self.noise.lock().get(&page).is_none_or(|noise| difference > *noise)
    }

    /// Whether a visit to this page is planned.
    fn awaits(&self, page: Fingerprint) -> bool {
        self.planned.lock().contains(&page)
    }

    /// Reports the links of a page.
    pub(super) fn report_links(&self, page: Fingerprint, links: Links) {
        if links.is_empty() {
            return;
        }
        if self.awaits(page) {
            self.send(SchedulerMessage::Links(page, links));
        } else {
            // It is only a sign: if there is no room for it, it is dropped.
            let _ = self.sender.try_send(SchedulerMessage::New(links));
        }
    }

    /// Reports a committed change.
    pub(super) fn kept(&self, change: &Change) {
        let mut lastmods = self.lastmods.lock();
        // They are only signs: those for which there is no room are dropped.
        let room = LASTMODS_MAX.saturating_sub(lastmods.len());
        lastmods.extend(change.lastmods.iter().take(room));
        drop(lastmods);
        for ended in &change.ended {
            if self.planned.lock().remove(&ended.url) {
                self.noise.lock().remove(&ended.url);
                self.send(SchedulerMessage::Ended(ended.url, Ended::of(ended.fate, change.visit.as_deref())));
            } else if ended.fate == Fate::Fetched {
                self.figures.lock().new_pages += 1;
            }
        }
    }

    /// Returns the figures of the recrawl.
    pub(super) fn figures(&self) -> RecrawlFigures {
        self.figures.lock().clone()
    }

    /// Ends the scheduler.
    pub(super) fn close(&self) {
        self.send(SchedulerMessage::Close);
    }

    fn send(&self, message: SchedulerMessage) {
        if self.sender.send(message).is_err() {
            // The plan is carried out.
            tracing::debug!("a visit ended after the plan");
        }
    }
}

impl Ended {
    fn of(fate: Fate, visit: Option<&Visit>) -> Self {
        Self {
            fate,
            difference: visit.and_then(|visit| visit.difference),
            waited: visit.map_or(0, |visit| visit.waited),
            gone: visit.is_some_and(|visit| visit.gone),
        }
    }
}

/// The scheduler's end of its queue.
pub(super) struct RecrawlQueue {
    handle: RecrawlHandle,
    messages: Receiver<SchedulerMessage>,
    /// The maximum number of visits in progress per host.
    window: usize,
}

impl RecrawlHandle {
    /// Creates the handle of the recrawl `round`, which knows what was loaded, and the scheduler's end of its queue.
    pub(super) fn new(config: &Config, round: &RecrawlRound, loaded: &Loaded) -> (Self, RecrawlQueue) {
        let window = (config.host.connections_per_host + VISITS_AHEAD) as usize;
        let room =
            config.frontier.in_flight_max as usize + 2 * (window * loaded.hosts.max(1) + loaded.waiting.len()) + 8;
        let (sender, messages) = bounded(room);
        let known = loaded.known.len() as u64;
        let figures = RecrawlFigures { round: round.number, known, ..RecrawlFigures::default() };
        let handle = Self {
            sender,
            planned: Arc::default(),
            figures: Arc::new(Mutex::new(figures)),
            noise: Arc::default(),
            lastmods: Arc::default(),
        };
        (handle.clone(), RecrawlQueue { handle, messages, window })
    }
}

/// What a scheduler is built from.
pub(super) struct SchedulerSetup {
    pub(super) round: RecrawlRound,
    pub(super) loaded: Loaded,
    pub(super) reader: VisitReader,
    pub(super) queue: RecrawlQueue,
    pub(super) frontier: FrontierHandle,
    pub(super) clock: Clock,
    pub(super) seed: Seed,
}
