//! Tests that answers equal those of a plain set.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::{DeferredSet, DiskOptions, DiskSet};
use super::{tiny, url, urls};
use harvestman_core::url::Fingerprint;

/// Fingerprints of URLs, and some that are adjacent or at the ends of the range.
fn fingerprint() -> impl Strategy<Value = Fingerprint> {
    let odd = prop_oneof![0..5_u128, (0..5_u128).prop_map(|n| u128::MAX - n), (0..5_u128).prop_map(|n| (1 << 64) + n)];
    prop_oneof![9 => (0..150_u32).prop_map(url), 1 => odd.prop_map(Fingerprint)]
}

fn batches() -> impl Strategy<Value = Vec<Vec<Fingerprint>>> {
    prop::collection::vec(prop::collection::vec(fingerprint(), 0..30), 1..12)
}

fn ratio() -> impl Strategy<Value = u64> {
    prop_oneof![0..5_u64, Just(u64::MAX)]
}

/// The answers of a plain set. Duplicates within a batch are answered as if they were added one by one.
fn answers(twin: &mut BTreeSet<u128>, batch: &[Fingerprint]) -> Vec<bool> {
    batch.iter().map(|fingerprint| twin.insert(fingerprint.0)).collect()
}

fn put_and_merge(set: &mut DeferredSet, batch: &[Fingerprint]) -> Vec<bool> {
    let mut answers = Vec::new();
    let mut merge = |set: &mut DeferredSet| {
        set.merge(|tag, new| {
            assert_eq!(tag, answers.len() as u64, "answers are in insertion order");
            answers.push(new);
        })
    };
    for (tag, fingerprint) in (0..).zip(batch) {
        if set.is_full() {
            merge(set).unwrap();
        }
        set.put(*fingerprint, tag).unwrap();
    }
    merge(set).unwrap();
    answers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn answers_match_a_plain_set_across_many_merges(batches in batches(), ratio in ratio()) {
        let directory = tempfile::tempdir().unwrap();
        let mut set = DiskSet::create(directory.path(), &tiny(ratio)).unwrap();
        let (mut twin, mut new) = (BTreeSet::new(), Vec::new());
        for batch in batches {
            set.insert_all(&batch, &mut new).unwrap();
            prop_assert_eq!(&new, &answers(&mut twin, &batch));
            prop_assert_eq!(set.len(), twin.len() as u64);
        }
        for fingerprint in (0..160).map(url).chain((0..8).map(Fingerprint)) {
            prop_assert_eq!(set.contains(fingerprint).unwrap(), twin.contains(&fingerprint.0));
        }
    }

    #[test]
    fn a_flushed_set_resumes_with_any_memory(batches in batches(), ratio in ratio(), memory in 0_usize..40_000) {
        let directory = tempfile::tempdir().unwrap();
        drop(DiskSet::create(directory.path(), &tiny(ratio)).unwrap());
        let (mut twin, mut new) = (BTreeSet::new(), Vec::new());
        for (at, batch) in batches.iter().enumerate() {
            let options = DiskOptions { memory: memory * (at % 2), ratio };
            let mut set = DiskSet::open(directory.path(), &options).unwrap();
            prop_assert_eq!(set.len(), twin.len() as u64);
            set.insert_all(batch, &mut new).unwrap();
            prop_assert_eq!(&new, &answers(&mut twin, batch));
            set.flush().unwrap();
            prop_assert!(set.disk_bytes() >= 4_096 + 16 * set.len());
        }
    }

    #[test]
    fn deferred_answers_equal_immediate_answers(batches in batches(), ratio in ratio(), memory in 0_usize..4_000) {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut immediate = DiskSet::create(here.path(), &tiny(ratio)).unwrap();
        let mut deferred = DeferredSet::create(there.path(), &DiskOptions { memory, ratio }).unwrap();
        let mut new = Vec::new();
        for batch in batches {
            immediate.insert_all(&batch, &mut new).unwrap();
            prop_assert_eq!(&put_and_merge(&mut deferred, &batch), &new);
            prop_assert_eq!((deferred.len(), deferred.waiting()), (immediate.len(), 0));
        }
        drop(deferred);
        let again = DiskSet::open(there.path(), &tiny(ratio)).unwrap();
        prop_assert_eq!(again.len(), immediate.len(), "merged answers are on the disk");
    }
}

#[test]
fn a_directory_can_be_opened_as_either_set() {
    let directory = tempfile::tempdir().unwrap();
    super::written(directory.path(), 50);
    let mut deferred = DeferredSet::open(directory.path(), &tiny(2)).unwrap();
    assert_eq!(put_and_merge(&mut deferred, &urls(40..60)), (40..60).map(|n| n >= 50).collect::<Vec<_>>());
    drop(deferred);
    let immediate = super::opened(directory.path()).unwrap();
    assert!(urls(0..60).into_iter().all(|url| immediate.contains(url).unwrap()));
    assert_eq!((immediate.len(), immediate.contains(url(60)).unwrap()), (60, false));
}

#[test]
fn flushed_fingerprints_survive_a_crash_and_others_are_new_again() {
    let directory = tempfile::tempdir().unwrap();
    let mut set = DiskSet::create(directory.path(), &DiskOptions::default()).unwrap();
    set.insert_all(&urls(0..10), &mut Vec::new()).unwrap();
    set.flush().unwrap();
    set.insert_all(&urls(10..20), &mut Vec::new()).unwrap();
    drop(set);
    let mut new = Vec::new();
    super::opened(directory.path()).unwrap().insert_all(&urls(0..20), &mut new).unwrap();
    assert_eq!(new, (0..20).map(|n| n >= 10).collect::<Vec<_>>());
}

#[test]
fn memory_stays_within_its_limit_while_the_set_outgrows_it() {
    let directory = tempfile::tempdir().unwrap();
    let options = DiskOptions { memory: 256 << 10, ratio: 1 };
    let mut set = DiskSet::create(directory.path(), &options).unwrap();
    for n in 0..300 {
        set.insert_all(&urls(n * 100..(n + 1) * 100), &mut Vec::new()).unwrap();
        assert!(set.memory_bytes() <= options.memory, "{} bytes for {}", set.memory_bytes(), set.len());
    }
    assert!(set.disk_bytes() > options.memory as u64);
    assert!(super::runs(directory.path()).len() > 1, "several tiers");
}

#[test]
fn fingerprints_added_without_look_up_are_present_even_if_they_were_before() {
    let directory = tempfile::tempdir().unwrap();
    let mut set = DiskSet::create(directory.path(), &tiny(1)).unwrap();
    for url in urls(0..100).into_iter().chain(urls(50..150)) {
        set.add(url).unwrap();
        assert!(set.contains(url).unwrap() && !set.insert(url).unwrap());
    }
    set.flush().unwrap();
    assert!(set.len() >= 150);
    drop(set);
    let mut set = DiskSet::open(directory.path(), &tiny(u64::MAX)).unwrap();
    set.add(url(150)).unwrap();
    set.flush().unwrap();
    assert_eq!((set.len(), set.runs()), (151, 1));
}

#[test]
fn runs_of_many_pages_contain_exactly_their_fingerprints() {
    let directory = tempfile::tempdir().unwrap();
    let options = DiskOptions { memory: 64 << 10, ratio: 1 };
    let (known, unknown) = (urls(0..8_000), urls(8_000..20_000));
    let mut set = DiskSet::create(directory.path(), &options).unwrap();
    set.insert_all(&known, &mut Vec::new()).unwrap();
    assert!(set.runs() > 1 && known.iter().all(|url| set.contains(*url).unwrap()));
    assert!(!unknown.iter().any(|url| set.contains(*url).unwrap()));
    set.flush().unwrap();
    drop(set);
    let mut set = DeferredSet::open(directory.path(), &options).unwrap();
    let both = [known, unknown].concat();
    assert!(put_and_merge(&mut set, &both).into_iter().eq((0..20_000).map(|n| n >= 8_000)));
    assert_eq!(set.len(), 20_000);
}
