use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use super::layer::{BloomShard, Layer};
use super::shape::{LAYERS_MAX, Shape};
use super::{BloomOptions, BloomSet};
use harvestman_core::url::Fingerprint;

pub(super) fn fingerprint(number: u64) -> Fingerprint {
    Fingerprint(xxh3_128(&number.to_le_bytes()))
}

pub(super) fn options(planned: u64, false_positives: f64, shards: usize) -> BloomOptions {
    BloomOptions { planned, false_positives, shards, seed: 11 }
}

/// A set with the fingerprints of these numbers, and how many of them were reported as new.
pub(super) fn filled(options: &BloomOptions, numbers: std::ops::Range<u64>) -> (BloomSet, u64) {
    let set = BloomSet::new(options);
    let new = numbers.filter(|number| set.insert(fingerprint(*number))).count() as u64;
    (set, new)
}

/// The share of `probes` unknown fingerprints that the set reports as known.
fn measured_rate(set: &BloomSet, probes: u64) -> f64 {
    let unknown = (0..probes).map(|number| fingerprint(number + (1 << 40)));
    unknown.filter(|fingerprint| set.contains(*fingerprint)).count() as f64 / probes as f64
}

proptest! {
    #[test]
    fn it_has_no_false_negatives_and_reports_as_new_only_what_a_plain_set_does(
        numbers in prop::collection::vec(0_u64..400, 0..600),
        shards in 1_usize..20,
        rate in 0.001_f64..0.4,
    ) {
        let set = BloomSet::new(&options(64, rate, shards));
        let (mut twin, mut new) = (HashSet::new(), 0);
        for number in numbers {
            let (known, first) = (set.contains(fingerprint(number)), twin.insert(number));
            prop_assert!(known || first, "{} was forgotten", number);
            prop_assert_eq!(set.insert(fingerprint(number)), !known);
            new += u64::from(!known);
        }
        prop_assert!(twin.iter().all(|number| set.contains(fingerprint(*number))));
        prop_assert_eq!(set.len(), new);
        prop_assert!(new <= twin.len() as u64);
    }

    #[test]
    fn a_batch_gets_the_same_answers_as_single_inserts(
        batches in prop::collection::vec(prop::collection::vec(0_u64..500, 0..120), 0..12),
        rate in 0.001_f64..0.4,
    ) {
        let (one, all) = (BloomSet::new(&options(64, rate, 1)), BloomSet::new(&options(64, rate, 1)));
        let mut new = vec![true; 3];
        for batch in batches {
            let batch: Vec<_> = batch.into_iter().map(fingerprint).collect();
            all.insert_all(&batch, &mut new);
            let singly: Vec<_> = batch.iter().map(|fingerprint| one.insert(*fingerprint)).collect();
            prop_assert_eq!(&new, &singly);
        }
        prop_assert_eq!(all.len(), one.len());
    }
}

#[test]
fn the_first_of_equal_fingerprints_in_a_batch_is_new() {
    let set = BloomSet::new(&options(100_000, 1e-6, 16));
    let batch: Vec<_> = (0..1_000).map(|number| fingerprint(number % 300)).collect();
    let mut new = Vec::new();
    set.insert_all(&batch, &mut new);
    assert!(new.iter().enumerate().all(|(at, new)| *new == (at < 300)), "{new:?}");
    set.insert_all(&batch[250..350], &mut new);
    assert_eq!(new, [false; 100]);
    set.insert_all(&[], &mut new);
    assert!(new.is_empty() && set.len() == 300);
}

#[test]
fn fingerprints_that_differ_in_few_bits_are_distinguished() {
    let set = BloomSet::new(&options(20_000, 0.001, 8));
    let low = (0..5_000_u128).filter(|number| set.insert(Fingerprint(*number))).count();
    let high = (1..5_000_u128).filter(|number| set.insert(Fingerprint(number << 64))).count();
    assert!(low > 4_990 && high > 4_990, "{low} and {high}");
}

#[test]
fn the_rate_stays_near_its_target_beyond_the_planned_size() {
    const PLANNED: u64 = 20_000;
    for (target, probes) in [(0.01, 100_000), (0.001, 300_000)] {
        let set = BloomSet::new(&options(PLANNED, target, 8));
        let (mut offered, mut new) = (0, 0);
        for times in [1, 4, 16] {
            new += (offered..times * PLANNED).filter(|number| set.insert(fingerprint(*number))).count();
            offered = times * PLANNED;
            let (rate, expected) = (measured_rate(&set, probes), set.expected_false_positive_rate());
            assert!(rate <= 1.2 * target, "{times} times: {rate} for {target}");
            assert!(expected < target && expected > 0.2 * target, "{times} times: {expected} for {target}");
            let deviation = (expected / probes as f64).sqrt();
            assert!((rate - expected).abs() < 4.0 * deviation, "{times} times: {rate}, expected {expected}");
            let (lost, expected) = ((offered - new as u64) as f64, set.expected_false_positives());
            assert!((lost - expected).abs() < 4.0 * expected.sqrt(), "{times} times: {lost} lost, expected {expected}");
        }
    }
}

#[test]
fn memory_matches_the_plan_and_grows_with_layers() {
    let (set, _) = filled(&options(20_000, 0.001, 8), 0..18_000);
    let first = set.memory_bytes();
    assert!((44_000..50_000).contains(&first), "{first}");
    (18_000..24_000).for_each(|number| {
        set.insert(fingerprint(number));
    });
    assert!((3 * first..4 * first).contains(&set.memory_bytes()), "{first}, then {}", set.memory_bytes());
}

#[test]
fn an_empty_set_contains_nothing() {
    let set = BloomSet::new(&options(1_000, 0.5, 4));
    assert!(set.is_empty() && (0..1_000).all(|number| !set.contains(fingerprint(number))));
    assert_eq!((set.expected_false_positive_rate(), set.expected_false_positives()), (0.0, 0.0));
}

#[test]
fn each_url_is_new_to_one_of_several_threads() {
    const URLS: u64 = 20_000;
    let set = BloomSet::new(&options(1_000, 0.01, 4));
    let reported: Vec<AtomicU32> = (0..URLS).map(|_| AtomicU32::new(0)).collect();
    let offer = |thread: u64| {
        let mut new = Vec::new();
        for from in (0..URLS).step_by(50) {
            // Two threads count up and two count down, one of each in batches.
            let numbers = (from..from + 50).map(|number| if thread < 2 { number } else { URLS - 1 - number });
            let batch: Vec<_> = numbers.clone().map(fingerprint).collect();
            if thread.is_multiple_of(2) {
                set.insert_all(&batch, &mut new);
            } else {
                new = batch.iter().map(|fingerprint| set.insert(*fingerprint)).collect();
            }
            assert!(batch.iter().all(|fingerprint| set.contains(*fingerprint)), "a thread finds what it added");
            for (number, _) in numbers.zip(&new).filter(|(_, new)| **new) {
                reported[number as usize].fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|thread| drop(scope.spawn(move || offer(thread)))));
    let reported: Vec<u32> = reported.into_iter().map(AtomicU32::into_inner).collect();
    let new = reported.iter().filter(|times| **times == 1).count() as u64;
    assert!(reported.iter().all(|times| *times <= 1), "a URL was new to two threads");
    assert_eq!(set.len(), new);
    assert!(URLS - new <= URLS / 50, "{} of {URLS} were new to no thread", URLS - new);
    assert!((0..URLS).all(|number| set.contains(fingerprint(number))));
}

#[test]
fn the_last_layer_has_no_limit() {
    let tiny = |_| Layer::from_blocks(4, (0..4).map(|_| Default::default()).collect());
    let options = options(64, 0.01, 4);
    let full = |_| BloomShard::of((0..LAYERS_MAX).map(|layer| options.share(layer)));
    let set = BloomSet::with_layers(options, (0..LAYERS_MAX).map(tiny), (0..4).map(full));
    (0..300).for_each(|number| {
        set.insert(fingerprint(number));
    });
    assert!((0..300).all(|number| set.contains(fingerprint(number))));
    assert_eq!(set.layers().count(), LAYERS_MAX);
    let (measured, expected) = (measured_rate(&set, 10_000), set.expected_false_positive_rate());
    assert!(measured > 0.01 && expected > 0.01, "it reports that it is too full: {measured}, {expected}");
}

#[test]
fn the_rate_of_one_layer_matches_the_formula() {
    for (blocks, probes, inserted) in [(64, 3, 8_000_u64), (512, 8, 30_000), (512, 14, 24_000)] {
        let shape = Shape { blocks, probes };
        let layer = std::iter::once(Layer::new(shape));
        let set = BloomSet::with_layers(options(1 << 30, 0.01, 4), layer, (0..4).map(|_| BloomShard::default()));
        // False positives count too: if their bits had not been set, they would have been new.
        (0..inserted).for_each(|number| {
            set.insert(fingerprint(number));
        });
        let (measured, expected) = (measured_rate(&set, 100_000), shape.rate(inserted as f64));
        assert!((measured / expected - 1.0).abs() < 0.1, "{shape:?}: {measured}, expected {expected}");
    }
}
