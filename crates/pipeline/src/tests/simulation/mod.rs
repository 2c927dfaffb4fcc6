//! The deterministic simulation: a whole crawl – hosts, requests, workers, policy, filter, dedup, frontier, archive,
//! state – under one seed, in simulated time, over a network and a disk that fail. Every decision is that of a live
//! crawl; only the threads, the sockets and the moment at which the disk fails are simulated.
//!
//! `HARVESTMAN_SIMULATE=5000` plays 5000 seeds, `HARVESTMAN_SIMULATE_FROM` is the first. A seed that fails is printed,
//! and played alone by `HARVESTMAN_SIMULATE=1 HARVESTMAN_SIMULATE_FROM=SEED`. `HARVESTMAN_SIMULATE_WHOLE` crawls are
//! broken off at every `HARVESTMAN_SIMULATE_EVERY`th operation on the disk.

mod browser;
mod checks;
mod disk;
mod network;
mod run;
mod story;
mod web;

use disk::{Event, Plan};
use parking_lot::Mutex;
use story::{Story, StoryOutcome, Trouble};

/// Returns a number from an environment variable, for longer tests than usual.
fn wished(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Plays stories on all processors, and prints those that fail, each under its name.
fn play_all(stories: impl Iterator<Item = (String, Story)> + Send) {
    let (stories, totals) = (Mutex::new(stories), Mutex::new((0, 0, 0)));
    let failed = Mutex::new(Vec::new());
    let play = || {
        while let Some((name, story)) = { stories.lock().next() } {
            match story.play() {
                Ok(StoryOutcome { broken, again, .. }) => {
                    let mut totals = totals.lock();
                    *totals = (totals.0 + 1, totals.1 + broken, totals.2 + again);
                }
                Err(what) => {
                    eprintln!("{name}: {what}");
                    failed.lock().push(name);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(play);
        }
    });
    let (played, broken, again) = totals.into_inner();
    eprintln!("{played} crawls, {broken} runs were broken off, {again} pages were fetched again");
    let failed = failed.into_inner();
    assert!(failed.is_empty() && played > 0, "{} failed: {failed:?}", failed.len());
}

#[test]
fn whatever_happens_to_a_crawl_nothing_is_lost() {
    let from = wished("HARVESTMAN_SIMULATE_FROM", 1);
    let seeds = from..from + wished("HARVESTMAN_SIMULATE", 60);
    play_all(seeds.map(|seed| (format!("seed {seed}"), Story::of(seed))));
}

#[test]
fn a_crawl_may_be_broken_off_at_any_operation_on_the_disk() {
    let from = wished("HARVESTMAN_SIMULATE_FROM", 1);
    let seeds = from..from + wished("HARVESTMAN_SIMULATE_WHOLE", 1);
    // All of them take minutes.
    let every = wished("HARVESTMAN_SIMULATE_EVERY", 10).max(1);
    let places = seeds.flat_map(|seed| {
        let outcome = Story::of(seed).with(Vec::new(), Vec::new()).play().expect("nothing happens to it");
        let acts = [(false, outcome.operations), (true, outcome.operations_of_recrawl)];
        acts.into_iter().flat_map(move |(recrawl, operations)| {
            let sampled = (0..operations).filter(move |at| *at % every == seed % every);
            sampled.flat_map(move |at| Event::ALL.map(|event| (seed, recrawl, Plan { at, event })))
        })
    });
    play_all(places.map(|(seed, recrawl, plan)| {
        let (trouble, none) = (vec![Trouble::Disk(plan)], Vec::new());
        let story = Story::of(seed);
        let story = if recrawl { story.with(none, trouble) } else { story.with(trouble, none) };
        (format!("seed {seed}, recrawl: {recrawl}, {plan:?}"), story)
    }));
}

#[test]
fn a_seed_always_tells_the_same_story() {
    let from = wished("HARVESTMAN_SIMULATE_FROM", 1);
    for seed in from..from + wished("HARVESTMAN_SIMULATE_TWICE", 12) {
        assert_eq!(Story::of(seed).play(), Story::of(seed).play(), "seed {seed}");
    }
}
