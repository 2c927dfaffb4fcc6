use std::sync::Mutex;
use std::time::Duration;

use arc_swap::ArcSwap;

use super::*;
use harvestman_core::config::FilterOrder;
use harvestman_core::config::url::ScopeOptions;
use harvestman_core::model::{Apath, ClassOrder, LeafPath, LinkClass, ParsedPage, PatternId, UrlPattern};
use harvestman_core::url::{CanonicalUrl, Scope};
use harvestman_metrics::Metrics;
use harvestman_policy::steering::Steering;
use harvestman_policy::{CurrentPolicy, NewLink, PageFacts};
use harvestman_report::live::Live;

/// The number of observations from which on a policy with a gate can do without some.
const GAPS_FROM: u64 = 12;

/// A policy that records what it is shown, updates its model at every third page, and does what a test asks for at
/// certain pages.
struct Scripted {
    shown: Arc<Mutex<Vec<Observation>>>,
    seen: u64,
    generation: u64,
    panics_at: u64,
    gate: Option<Receiver<()>>,
    explained: bool,
}

struct State(u64, u64);

impl ClassOrder for State {
    fn score(&self, _: LinkClass) -> f64 {
        self.0 as f64
    }
}

impl PolicySnapshot for State {
    fn version(&self) -> u64 {
        self.0
    }

    fn generation(&self) -> u64 {
        self.1
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        ClusterId(bag.len() as u32)
    }

    fn class_of(&self, class: LinkClass, _: &str, _: Option<&str>) -> LinkClass {
        class.with_pattern(UrlPattern { coarse: PatternId(self.1), fine: PatternId(self.1) })
    }
}

impl Policy for Scripted {
    fn observe(&mut self, seen: Observation) {
        if let Some(gate) = &self.gate {
            gate.recv().unwrap();
        }
        self.seen += 1;
        assert_ne!(self.seen, self.panics_at, "as the test asks");
        self.generation = self.seen / 3;
        self.shown.lock().unwrap().push(seen);
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(State(self.seen, self.generation))
    }

    fn needs(&self) -> Needs {
        Needs { words: true, units: true, gaps: self.gate.is_some() && self.seen >= GAPS_FROM, ..Needs::default() }
    }

    fn is_explained(&self) -> bool {
        self.explained
    }

    fn facts(&self) -> PolicyFacts {
        PolicyFacts { model_updates: self.generation, clusters: 2, duplicates: self.seen, ..PolicyFacts::default() }
    }
}

/// What the thread published, and what the policy was shown.
struct Stage {
    orders: Arc<Mutex<Vec<(u64, u64)>>>,
    shown: Arc<Mutex<Vec<Observation>>>,
    current: CurrentPolicy,
    needs: Arc<SharedNeeds>,
    metrics: Metrics,
}

fn start(queue_max: usize, panics_at: u64, gate: Option<Receiver<()>>) -> (Stage, ObservationSender, JoinHandle<()>) {
    start_as(true, queue_max, panics_at, gate)
}

/// `explained`: the policy learns, not only the trap guard.
fn start_as(
    explained: bool,
    queue_max: usize,
    panics_at: u64,
    gate: Option<Receiver<()>>,
) -> (Stage, ObservationSender, JoinHandle<()>) {
    let (orders, shown) = (Arc::default(), Arc::default());
    let mut policy = Scripted { shown: Arc::clone(&shown), seen: 0, generation: 0, panics_at, gate, explained };
    let first = policy.snapshot();
    let current: CurrentPolicy = Arc::new(ArcSwap::from_pointee(Arc::clone(&first)));
    let needs = Arc::new(SharedNeeds::new(policy.needs()));
    let metrics = Metrics::new();
    let noted: Arc<Mutex<Vec<(u64, u64)>>> = Arc::clone(&orders);
    let (steering, filter) = (Steering::default(), FilterOrder::default());
    let publisher = SnapshotPublisher::new(Arc::clone(&first), Arc::clone(&current), steering, explained, filter);
    let publisher = Arc::new(publisher);
    let (published, clock) = (Arc::clone(&current), Clock::system());
    let learning = Learning {
        board: Arc::default(),
        searches: None,
        scope: Arc::new(Scope::new(&ScopeOptions::default(), &[]).unwrap()),
        live: Arc::new(LiveBoard::new(&Live::closed())),
        untold: false,
        spell: Box::new(|_, _, _| ParsedPage::default()),
        spelt: 0,
        facts: policy.facts(),
        policy: Box::new(policy),
        snapshot: first,
        publisher,
        needs: Arc::clone(&needs),
        to_frontier: Box::new(move |order: Order| {
            let version = order.version.unwrap_or_default();
            assert_eq!(order.version.is_some(), explained);
            assert!(published.load().version() >= version, "the workers get the snapshot first");
            noted.lock().unwrap().push((version, order.generation));
        }),
        propose: Box::new(|_| {}),
        journal: None,
        observations: None,
        model_file: None,
        pace: Pace::within(20, Duration::from_secs(3_600), clock.now()),
        read: Box::new(|_, _, _| {
            let leaf = LeafPath { path: 1, count: 1, text: None };
            ParsedPage { leaf_paths: vec![leaf; 4], ..ParsedPage::default() }
        }),
        clock,
        metrics: Arc::clone(&metrics.policy),
    };
    let (observer, learner) = learning.ready(queue_max);
    let thread = learner.spawn().unwrap();
    (Stage { orders, shown, current, needs, metrics }, observer, thread)
}

fn seen(number: u64) -> Seen {
    let url = |path: u64| CanonicalUrl::from_canonical(format!("http://h.test/{path}"));
    let class = LinkClass::unclassified(Apath(9));
    let body = Some((bytes::Bytes::from_static(b"<p>"), None));
    let outcome = Outcome::Page(Box::new(PageFacts { body, ..PageFacts::default() }));
    let new = vec![NewLink::new(class, url(1_000 + number))];
    Seen { observation: Observation { url: url(number), class, via: None, outcome, new }, generation: 0, hold: None }
}

#[test]
fn observations_are_shown_in_order_and_the_last_snapshot_knows_them_all() {
    let (stage, observer, thread) = start(4, 0, None);
    (1..=50).for_each(|number| observer.show(seen(number)));
    drop(observer);
    thread.join().unwrap();
    let shown = stage.shown.lock().unwrap();
    let urls: Vec<String> = shown.iter().map(|seen| seen.url.to_string()).collect();
    assert_eq!(urls, (1..=50).map(|number| format!("http://h.test/{number}")).collect::<Vec<_>>());
    let orders = stage.orders.lock().unwrap();
    assert!(orders.is_sorted() && orders.windows(2).all(|pair| pair[0] != pair[1]), "{orders:?}");
    assert_eq!(orders.last(), Some(&(50, 16)));
    assert_eq!((stage.current.load().version(), stage.current.load().generation()), (50, 16));
}

#[test]
fn each_model_update_is_published_before_the_next_observation() {
    let (stage, observer, thread) = start(64, 0, None);
    (1..=30).for_each(|number| observer.show(seen(number)));
    drop(observer);
    thread.join().unwrap();
    let orders = stage.orders.lock().unwrap();
    assert!((1..=10).all(|update| orders.contains(&(3 * update, update))), "{orders:?}");
    let metrics = &stage.metrics.policy;
    assert_eq!((metrics.model_updates.get(), metrics.observations.get(), metrics.duplicates.get()), (10, 30, 30));
    assert_eq!(metrics.snapshots.get(), orders.len() as u64);
}

#[test]
fn outdated_observations_are_updated_before_they_are_learned_from() {
    let (stage, observer, thread) = start(64, 0, None);
    (1..=4).for_each(|number| observer.show(seen(number)));
    drop(observer);
    thread.join().unwrap();
    let shown = stage.shown.lock().unwrap();
    let (before, after) = (&shown[2], &shown[3]);
    let bag = |seen: &Observation| matches!(&seen.outcome, Outcome::Page(page) if page.bag.len() == 4);
    assert_eq!((before.new[0].class, bag(before)), (LinkClass::unclassified(Apath(9)), false));
    let pattern = UrlPattern { coarse: PatternId(1), fine: PatternId(1) };
    assert_eq!(after.class, LinkClass::unclassified(Apath(9)).with_pattern(pattern));
    assert_eq!(after.new[0].class, LinkClass::at(ClusterId(4), Apath(9)).with_pattern(pattern));
    assert!(bag(after), "parsed again with the class names of the new generation");
}

#[test]
fn a_worker_waits_while_the_policy_is_behind_and_nothing_is_lost() {
    let (open, gate) = bounded(64);
    let (stage, observer, thread) = start(2, 0, Some(gate));
    let (done, shown) = bounded(1);
    let worker = std::thread::spawn(move || {
        (1..=10).for_each(|number| observer.show(seen(number)));
        done.send(()).unwrap();
    });
    // One is being learned from and two wait: the worker cannot have sent all ten.
    assert!(shown.recv_timeout(Duration::from_millis(100)).is_err(), "the channel has no bound");
    (0..10).for_each(|_| open.send(()).unwrap());
    worker.join().unwrap();
    thread.join().unwrap();
    assert_eq!(stage.shown.lock().unwrap().len(), 10);
}

#[test]
fn a_policy_that_can_do_without_some_fetches_holds_up_no_worker() {
    let (open, gate) = bounded(64);
    let (stage, observer, thread) = start(2, 0, Some(gate));
    for number in 1..=GAPS_FROM {
        observer.show(seen(number));
        open.send(()).unwrap();
    }
    // The model update is published with the needs that follow from it.
    while !stage.needs.now().gaps {
        std::thread::yield_now();
    }
    (1..=17).for_each(|number| observer.show(seen(GAPS_FROM + number)));
    let skipped = stage.metrics.policy.skipped.get();
    assert!((14..=15).contains(&skipped), "one is being learned from and two wait: {skipped}");
    drop(observer);
    (0..20).for_each(|_| open.send(()).unwrap());
    thread.join().unwrap();
    assert_eq!(stage.shown.lock().unwrap().len() as u64 + skipped, GAPS_FROM + 17);
}

#[test]
fn pages_whose_text_was_not_read_are_counted() {
    let (stage, observer, thread) = start(64, 0, None);
    for text in [None, Some(Default::default()), None] {
        let page = PageFacts { text, ..PageFacts::default() };
        let mut seen = seen(1);
        seen.observation.outcome = Outcome::Page(Box::new(page));
        observer.show(seen);
    }
    drop(observer);
    thread.join().unwrap();
    assert_eq!(stage.metrics.policy.unread.get(), 2);
}

#[test]
fn gathered_fetches_reach_the_guard_in_order_and_without_bags() {
    for queue_max in [1, 2, 64] {
        let (stage, observer, thread) = start_as(false, queue_max, 0, None);
        for number in 1..=200 {
            let mut seen = seen(number);
            let Outcome::Page(page) = &mut seen.observation.outcome else { unreachable!() };
            page.bag = vec![LeafPath { path: 1, count: 1, text: None }];
            page.gist = vec![number];
            observer.show(seen);
        }
        drop(observer);
        thread.join().unwrap();
        let shown = stage.shown.lock().unwrap();
        let gist = |seen: &Observation| match &seen.outcome {
            Outcome::Page(page) if page.bag.is_empty() => page.gist.clone(),
            _ => Vec::new(),
        };
        assert_eq!(shown.iter().flat_map(gist).collect::<Vec<_>>(), (1..=200).collect::<Vec<_>>());
        let plain = LinkClass::unclassified(Apath(9));
        assert!(shown.iter().all(|seen| seen.class == plain && seen.new[0].class == plain));
        assert_eq!(stage.current.load().version(), 200, "the last snapshot knows all of it");
    }
}

#[test]
fn after_a_panic_the_last_snapshot_stays_and_no_worker_waits() {
    let (stage, observer, thread) = start(2, 8, None);
    assert!(stage.needs.now().units);
    (1..=40).for_each(|number| observer.show(seen(number)));
    drop(observer);
    thread.join().unwrap();
    assert_eq!(stage.metrics.policy.panics.get(), 1);
    let last = *stage.orders.lock().unwrap().last().unwrap();
    assert!((6..8).contains(&last.0) && last.1 == 2, "{last:?}");
    assert_eq!(stage.current.load().version(), last.0);
    assert_eq!(stage.needs.now(), Needs::default(), "nothing is collected without a reader");
}
