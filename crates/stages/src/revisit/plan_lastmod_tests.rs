//! Recrawls of a simulated site with sitemaps of several degrees of honesty.

use std::time::Duration;

use rand::RngCore;

use super::*;

const DAY: u64 = 86_400;
const START: u64 = 1_000_000_000;
const PAGES: usize = 500;
const ROUNDS: u64 = 4;
const SITES: u64 = 6;
/// Page types, with the share of the pages and the usual number of days between two changes of a page.
const KINDS: [(f64, f64); 4] = [(0.05, 1.0), (0.25, 40.0), (0.5, 400.0), (0.2, 5_000.0)];

/// What a sitemap states as lastmod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lastmods {
    /// Nothing.
    None,
    /// The time of the last change.
    Honest,
    /// That of every other change.
    Half,
    /// The time at which it was made.
    Now,
    /// Any time in the last two days.
    Random,
    /// The time at which the page was made.
    Created,
    /// The last change of another page.
    Shuffled,
}

struct SimulatedPage {
    kind: usize,
    /// Days between two changes.
    interval: f64,
    next_change: u64,
    changed_at: u64,
    lastmod: u64,
    read: u64,
    last: u64,
    history: History,
    earlier: Option<DatedVisit>,
}

struct Simulation {
    lastmods: Lastmods,
    pages: Vec<SimulatedPage>,
    rng: Rng,
    now: u64,
}

fn uniform(rng: &mut Rng) -> f64 {
    (rng.next_u64() as f64 / u64::MAX as f64).clamp(1e-9, 1.0 - 1e-9)
}

/// The time of the next change of a Poisson process.
fn next_after(time: u64, days: f64, rng: &mut Rng) -> u64 {
    time + (-uniform(rng).ln() * days * DAY as f64) as u64 + 1
}

impl Simulation {
    fn new(lastmods: Lastmods, seed: Seed) -> Self {
        let mut rng = seed.rng();
        let mut pages = Vec::new();
        for (kind, (share, days)) in KINDS.iter().enumerate() {
            for _ in 0..(share * PAGES as f64) as usize {
                // Within a type the rates differ by a factor of up to ten.
                let interval = days * 10_f64.powf(uniform(&mut rng) - 0.5);
                let next_change = next_after(START, interval, &mut rng);
                let (history, earlier) = (History::default(), None);
                let changed_at = START - 1;
                let (lastmod, read) = (changed_at, START - 1);
                pages.push(SimulatedPage {
                    kind,
                    interval,
                    next_change,
                    changed_at,
                    lastmod,
                    read,
                    last: START,
                    history,
                    earlier,
                });
            }
        }
        Self { lastmods, pages, rng, now: START }
    }

    /// Lets a day pass, after which the sitemap is read.
    fn pass(&mut self) {
        self.now += DAY;
        let (now, rng) = (self.now, &mut self.rng);
        let others: Vec<u64> = self.pages.iter().map(|page| page.changed_at).collect();
        for page in &mut self.pages {
            let mut stated = page.lastmod;
            while page.next_change <= now {
                page.changed_at = page.next_change;
                page.next_change = next_after(page.next_change, page.interval, rng);
                if rng.next_u64() % 2 == 0 {
                    stated = page.changed_at;
                }
            }
            page.lastmod = match self.lastmods {
                Lastmods::None | Lastmods::Created => START - 1,
                Lastmods::Honest => page.changed_at,
                Lastmods::Half => stated,
                Lastmods::Now => now,
                Lastmods::Random => now - rng.next_u64() % (2 * DAY),
                Lastmods::Shuffled => others[rng.next_u64() as usize % others.len()],
            };
            page.read = now;
        }
    }

    fn known(&self, table: &mut TraitTable) -> Vec<KnownPage> {
        let time = |seconds: u64| Instant::EPOCH + Duration::from_secs(seconds);
        let known = |page: &SimulatedPage| KnownPage {
            host: 0,
            kind: page.kind as u64,
            via: None,
            traits: table.number(Trait::Coarse(page.kind as u64)).into_iter().collect(),
            signs: PageTraits::new(),
            last: time(page.last),
            history: page.history,
            numbers: 0,
            found: None,
            lastmod: (self.lastmods != Lastmods::None)
                .then(|| LastmodSign::of(page.lastmod, page.last, page.read))
                .flatten(),
            earlier: page.earlier,
        };
        self.pages.iter().map(known).collect()
    }

    /// Recrawls the site. Returns the number of visits, of changes found, and of pages that had changed.
    fn recrawl(&mut self, seed: Seed) -> [u64; 3] {
        let mut table = TraitTable::default();
        let known = self.known(&mut table);
        let signs: Vec<_> = known.iter().map(|page| page.lastmod).collect();
        let all = self.pages.iter().filter(|page| page.changed_at > page.last).count() as u64;
        let limits = PlanLimits { visits: PAGES as u64, recall: 0.97, chance: 0.003 };
        let now = Instant::EPOCH + Duration::from_secs(self.now);
        let mut plan = Plan::new(known, table, limits, 0, now, seed);
        let (mut visits, mut found) = (0, 0);
        while let Some(page) = plan.next(0, now) {
            visits += 1;
            let visited = &mut self.pages[page as usize];
            let changed = visited.changed_at > visited.last && !plan.is_probe(page);
            let waited = self.now - visited.last;
            let difference = if changed { Difference::Content } else { Difference::None };
            if !plan.is_probe(page) {
                visited.history.note(changed, waited);
                visited.earlier = signs[page as usize].map(|sign| DatedVisit { sign, difference, waited });
                visited.last = self.now;
            }
            found += u64::from(changed);
            plan.found(&VisitFinding { page, difference: Some(difference), waited, gone: false, links: &[] });
        }
        [visits, found, all]
    }
}

/// The number of visits and the share of the changes that were found, in all recrawls, and in all but the first.
fn measure(lastmods: Lastmods) -> [(f64, f64); 2] {
    let mut sums = [[0; 3]; 2];
    for seed in 0..SITES {
        let mut site = Simulation::new(lastmods, Seed(seed));
        for round in 0..ROUNDS {
            site.pass();
            let figures = site.recrawl(Seed(100 * seed + round));
            for sum in &mut sums[..if round == 0 { 1 } else { 2 }] {
                (0..3).for_each(|at| sum[at] += figures[at]);
            }
        }
    }
    sums.map(|sum| {
        let [visits, found, all] = sum.map(|sum| sum as f64);
        eprintln!("{lastmods:?}: {visits} requests, {found} of {all} changes: {:.3}", found / all);
        (visits, found / all)
    })
}

#[test]
fn an_honest_lastmod_saves_requests_and_a_wrong_one_costs_some_and_hides_nothing() {
    let without = measure(Lastmods::None);
    let compare = |lastmods, visits_max: f64, recall_min: f64| {
        for ((visits, recall), (with_visits, with_recall)) in without.into_iter().zip(measure(lastmods)) {
            assert!(with_visits < visits_max * visits, "{lastmods:?}: {with_visits} of {visits} requests");
            assert!(with_recall > recall + recall_min, "{lastmods:?}: recall {with_recall} after {recall}");
        }
    };
    compare(Lastmods::Honest, 0.6, 0.0);
    compare(Lastmods::Half, 1.05, -0.01);
    for wrong in [Lastmods::Now, Lastmods::Created, Lastmods::Shuffled] {
        compare(wrong, 1.05, -0.01);
    }
    // Until it is known that it says nothing, pages are visited because of it.
    compare(Lastmods::Random, 1.35, -0.01);
}
