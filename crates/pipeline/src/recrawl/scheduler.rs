//! The recrawl scheduler: a thread that carries out a plan.

use std::thread::JoinHandle;

use crossbeam_channel::Receiver;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::{Ended, Links, Loaded, RecrawlHandle, RecrawlQueue, SchedulerMessage, SchedulerSetup};
use crate::handles::FrontierHandle;
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, RecrawlOptions};
use harvestman_core::model::{
    ApathLinks, Difference, Fate, Lastmod, LinkClass, Priority, RecrawlVisit, RowChange, ScheduledUrl, short_id,
};
use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_stages::frontier::{Control, DiscoveredLinks, LinksFound};
use harvestman_stages::revisit::{PageNumber, Plan, PlanLimits, PlanStop, PlannedLink, VisitFinding};
use harvestman_storage::store::VisitReader;

/// The share of the pages that may always be visited again, however many new ones there are.
const SHARE_AT_LEAST: f64 = 0.2;

/// Queues planned visits in the frontier, a few per host at a time.
pub(crate) struct RecrawlScheduler {
    plan: Plan,
    options: RecrawlOptions,
    reader: VisitReader,
    /// Number → page, host.
    pages: Vec<(Fingerprint, u32)>,
    numbers: HashMap<Fingerprint, PageNumber, FixedState>,
    /// Links of pages whose visit has not ended yet.
    links: HashMap<Fingerprint, Vec<PlannedLink>, FixedState>,
    /// Visits in progress at each host, and their maximum.
    under_way: Vec<usize>,
    window: usize,
    frontier: FrontierHandle,
    handle: RecrawlHandle,
    clock: Clock,
    messages: Receiver<SchedulerMessage>,
}

impl RecrawlScheduler {
    /// Creates a scheduler that has replayed the visits made by an earlier run of the same round.
    pub(crate) fn new(config: &Config, setup: SchedulerSetup) -> Self {
        let SchedulerSetup { round, loaded, reader, queue, frontier, clock, seed } = setup;
        let Loaded { known, table, hosts, numbers, pages, lasted, waiting } = loaded;
        let RecrawlQueue { handle, messages, window } = queue;
        let options = config.recrawl.clone();
        let limits = PlanLimits { visits: known.len() as u64, recall: options.recall, chance: options.chance };
        let pages = pages.into_iter().zip(known.iter().map(|known| known.host)).collect();
        let plan = Plan::new(known, table, limits, lasted, clock.now(), seed);
        let mut scheduler = Self {
            plan,
            options,
            reader,
            pages,
            numbers,
            links: HashMap::default(),
            under_way: vec![0; hosts],
            window,
            frontier,
            handle,
            clock,
            messages,
        };
        scheduler.recall(round.number);
        // The crawl is not over until the plan is carried out.
        scheduler.frontier.send(Control::HoldOpen);
        waiting.into_iter().for_each(|page| scheduler.claim_waiting(page));
        scheduler
    }

    /// Starts the thread; it ends when the crawl does.
    pub(crate) fn spawn(self) -> std::io::Result<JoinHandle<()>> {
        std::thread::Builder::new().name("recrawl".to_owned()).spawn(move || self.run())
    }

    /// Replays the visits of the same round that an earlier run made.
    fn recall(&mut self, round: u32) {
        let (plan, numbers) = (&mut self.plan, &self.numbers);
        let mut by_short_id: HashMap<u32, PageNumber, FixedState> = HashMap::default();
        let read = self.reader.sightings(round, |sighting| {
            if by_short_id.is_empty() {
                by_short_id.extend(numbers.iter().map(|(page, number)| (short_id(*page), *number)));
            }
            let links = known_links(&sighting.places, &by_short_id);
            let RecrawlVisit { page, difference, waited, gone, .. } = sighting;
            match numbers.get(&page).copied().filter(|_| difference.is_some()) {
                Some(page) => plan.recall(&VisitFinding { page, difference, waited, gone, links: &links }),
                None => plan.found_new(&links),
            }
        });
        if let Err(error) = read {
            tracing::error!(%error, "what the recrawl had learned cannot be read; it learns from scratch");
        }
        if !by_short_id.is_empty() {
            plan.recalled();
        }
    }

    /// Claims a page that waits already.
    fn claim_waiting(&mut self, page: PageNumber) {
        let (fingerprint, host) = self.pages[page as usize];
        if self.plan.claim(page) {
            self.under_way[host as usize] += 1;
            self.handle.planned.lock().insert(fingerprint);
        }
    }

    fn run(mut self) {
        self.plan_all_visits();
        while self.plan.under_way() > 0 {
            let message = self.messages.recv();
            if !message.is_ok_and(|message| self.handle_message(message)) {
                return self.show();
            }
        }
        self.end();
    }

    /// Handles a message. Returns false if the crawl is over.
    fn handle_message(&mut self, message: SchedulerMessage) -> bool {
        self.take_lastmods();
        match message {
            SchedulerMessage::Links(page, links) => drop(self.links.insert(page, self.known(&links))),
            SchedulerMessage::New(links) => self.plan.found_new(&self.known(&links)),
            SchedulerMessage::Ended(page, ended) => self.take(page, ended),
            SchedulerMessage::Close => return false,
        }
        true
    }

    /// Passes to the plan what sitemaps state.
    fn take_lastmods(&mut self) {
        let lastmods = std::mem::take(&mut *self.handle.lastmods.lock());
        for Lastmod { page, modified, read } in lastmods {
            if let Some(page) = self.numbers.get(&page) {
                self.plan.see_lastmod(*page, modified, read);
            }
        }
    }

    /// Ends a plan that is carried out: the crawl may end.
    fn end(&self) {
        self.show();
        self.log_end();
        self.frontier.send(Control::Release);
    }

    /// Returns the links that lead to pages of the plan.
    fn known(&self, links: &Links) -> Vec<PlannedLink> {
        let linked = |(apath, to, row): &(u64, Fingerprint, _)| {
            Some(PlannedLink { apath: *apath, page: *self.numbers.get(to)?, row: *row })
        };
        links.iter().filter_map(linked).collect()
    }

    fn take(&mut self, page: Fingerprint, ended: Ended) {
        let links = self.links.remove(&page).unwrap_or_default();
        let Some(number) = self.numbers.get(&page).copied() else { return };
        let host = self.pages[number as usize].1;
        self.under_way[host as usize] = self.under_way[host as usize].saturating_sub(1);
        if !self.plan.is_probe(number) {
            self.count(number, &ended);
        }
        let Ended { difference, waited, gone, .. } = ended;
        self.plan.found(&VisitFinding { page: number, difference, waited, gone, links: &links });
        let rankings = self.plan.rankings();
        self.plan_visits(host);
        if self.plan.rankings() != rankings {
            // The best pages have changed, for all hosts.
            self.plan_all_visits();
        }
    }

    fn count(&self, number: PageNumber, ended: &Ended) {
        let noise = self.plan.noise_of_page(number);
        let mut figures = self.handle.figures.lock();
        figures.visited += 1;
        match (ended.fate, ended.difference) {
            (Fate::NotModified, _) => figures.not_modified += 1,
            _ if ended.gone => figures.gone += 1,
            (Fate::Fetched | Fate::NotKept(_), Some(found)) if found < Difference::Numbers || noise >= Some(found) => {
                figures.same += 1
            }
            (Fate::Fetched | Fate::NotKept(_), Some(_)) => figures.changed += 1,
            _ => figures.failed += 1,
        }
    }

    fn plan_all_visits(&mut self) {
        (0..self.under_way.len() as u32).for_each(|host| self.plan_visits(host));
        self.show();
    }

    /// Plans visits to a host until enough are in progress.
    fn plan_visits(&mut self, host: u32) {
        self.plan.limit_visits(self.visits_max());
        while self.under_way[host as usize] < self.window {
            let Some(page) = self.plan.next(host, self.clock.now()) else { return };
            self.under_way[host as usize] += 1;
            self.queue_visit(page);
        }
    }

    /// Queues a page in the frontier.
    fn queue_visit(&mut self, page: PageNumber) {
        let fingerprint = self.pages[page as usize].0;
        self.handle.planned.lock().insert(fingerprint);
        if let Some(noise) = self.plan.noise_of_page(page).filter(|noise| *noise >= Difference::Numbers) {
            self.handle.noise.lock().insert(fingerprint, noise);
        }
        let visit = self.reader.of(fingerprint).ok().flatten();
        let Some(visit) = visit else {
            // It existed when the plan was made: the disk fails, which ends the crawl elsewhere.
            self.handle.planned.lock().remove(&fingerprint);
            let host = self.pages[page as usize].1 as usize;
            self.under_way[host] -= 1;
            return self.plan.found(&VisitFinding { page, difference: None, waited: 0, gone: false, links: &[] });
        };
        let item = ScheduledUrl {
            url: CanonicalUrl::from_canonical(&*visit.url),
            class: LinkClass::REVISIT,
            priority: Priority::Normal,
            depth: visit.depth,
            redirects: 0,
            attempts: 0,
            via: visit.via.as_deref().map(Into::into),
        };
        // Its class is the same in every generation.
        let links = DiscoveredLinks { accepted: vec![item], generation: u64::MAX, ..DiscoveredLinks::default() };
        self.frontier.send(LinksFound(links));
    }

    /// Returns the maximum number of visits: the share of what visiting every page would take, with the other requests
    /// (new pages, robots.txt) added on both sides.
    fn visits_max(&self) -> u64 {
        if self.options.share >= 1.0 {
            return u64::MAX;
        }
        let pages = self.plan.pages() as f64;
        let made = self.frontier.allowance().requests();
        let others = made.saturating_sub(self.plan.ahead().visited) as f64;
        let most = self.options.share * pages - (1.0 - self.options.share) * others;
        most.max(SHARE_AT_LEAST.min(self.options.share) * pages).max(1.0) as u64
    }

    fn show(&self) {
        let ahead = self.plan.ahead();
        let mut figures = self.handle.figures.lock();
        figures.expected = ahead.expected;
        // A page that differed before its type was known to differ always has not changed; in a resumed recrawl, others
        // were found before.
        let noise = figures.changed.saturating_sub(ahead.changed);
        figures.changed -= noise;
        figures.same += noise;
    }

    fn log_end(&self) {
        let why = match self.plan.stopped() {
            Some(PlanStop::Done) => "each page was visited",
            Some(PlanStop::Visits) | None => "the maximum number of pages was visited again",
            Some(PlanStop::Recall) => "nearly all changes are expected to have been found",
            Some(PlanStop::Chance) => "no page is likely to have changed",
        };
        let figures = self.handle.figures();
        let expected = figures.expected.round();
        tracing::info!(visited = figures.visited, changed = figures.changed, left = expected, "{why}");
    }
}

/// Returns the links that lead to pages of the plan.
fn known_links(places: &[ApathLinks], numbers: &HashMap<u32, PageNumber, FixedState>) -> Vec<PlannedLink> {
    let linked = |place: &ApathLinks, (page, row): &(u32, RowChange)| {
        Some(PlannedLink { apath: place.apath, page: *numbers.get(page)?, row: *row })
    };
    places.iter().flat_map(|place| place.links.iter().filter_map(move |link| linked(place, link))).collect()
}

/// For the simulation, which has no threads.
#[cfg(test)]
impl RecrawlScheduler {
    pub(crate) fn begin(&mut self) {
        self.plan_all_visits();
    }

    /// Handles one message, if any. Returns none once the plan is carried out.
    pub(crate) fn step(&mut self) -> Option<bool> {
        if self.plan.under_way() == 0 {
            self.end();
            return None;
        }
        Some(self.messages.try_recv().is_ok_and(|message| self.handle_message(message)))
    }
}
