use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_128;

use super::stats::Audit;
use super::*;
use harvestman_core::config::ByteSize;

fn url(number: u64) -> Fingerprint {
    Fingerprint(xxh3_128(&number.to_le_bytes()))
}

/// Options for few URLs and a high false-positive rate.
fn options(store: DedupStore, memory: u64) -> DedupOptions {
    DedupOptions { store, planned: 64, false_positives: 0.2, memory: ByteSize(memory) }
}

fn seen(options: &DedupOptions, directory: &Path) -> SeenUrls {
    SeenUrls::new(options, Some(directory.join("seen")), Seed(3))
}

/// URL numbers in batches, and whether each batch is offered together or one by one.
fn batches() -> impl Strategy<Value = Vec<(bool, Vec<u64>)>> {
    prop::collection::vec((any::<bool>(), prop::collection::vec(0_u64..600, 0..60)), 0..12)
}

/// Offers a batch and returns which URLs were reported as new.
fn offer(seen: &SeenUrls, together: bool, batch: &[u64]) -> Vec<bool> {
    let urls: Vec<_> = batch.iter().copied().map(url).collect();
    let mut new = vec![true; 3];
    if together {
        seen.insert_all(&urls, &mut new);
    } else {
        new = urls.iter().map(|url| seen.insert(*url)).collect();
    }
    new
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn with_an_exact_set_answers_match_a_plain_set_also_on_disk(
        batches in batches(),
        alone in any::<bool>(),
        memory in prop::sample::select(vec![3_000_u64, 10_000, 1 << 20]),
    ) {
        let store = if alone { DedupStore::ExactOnly } else { DedupStore::BloomExact };
        let directory = TempDir::new().unwrap();
        let (seen, mut twin) = (seen(&options(store, memory), directory.path()), BTreeSet::new());
        for (together, batch) in batches {
            let expected: Vec<_> = batch.iter().map(|number| twin.insert(*number)).collect();
            prop_assert_eq!(offer(&seen, together, &batch), expected);
            prop_assert_eq!(seen.len(), twin.len() as u64);
            prop_assert!((0..600).step_by(7).all(|number| seen.contains(url(number)) == twin.contains(&number)));
        }
        prop_assert!(seen.error().is_none() && !seen.must_end());
        prop_assert_eq!(seen.stats().wrongly_dropped, FalsePositives::default());
    }

    #[test]
    fn the_filter_alone_never_forgets_and_measures_its_losses(batches in batches()) {
        let directory = TempDir::new().unwrap();
        let seen = seen(&options(DedupStore::BloomOnly, 0), directory.path());
        let (mut twin, mut lost) = (BTreeSet::new(), 0);
        for (together, batch) in batches {
            let new = offer(&seen, together, &batch);
            for (number, new) in batch.into_iter().zip(new) {
                let first = twin.insert(number);
                prop_assert!(first || !new, "{} was forgotten", number);
                lost += u64::from(first && !new);
            }
            prop_assert!(twin.iter().all(|number| seen.contains(url(*number))));
            // Only URLs that were offered are looked up, so the look-ups change nothing.
            prop_assert_eq!(seen.len() + lost, twin.len() as u64);
        }
        let figures = seen.stats();
        prop_assert_eq!(figures.wrongly_dropped.measured, Estimate::exact(lost));
        prop_assert_eq!(figures.false_positives, Some(figures.wrongly_dropped));
        prop_assert!(!directory.path().join("seen").exists());
    }
}

#[test]
fn the_exact_set_confirms_urls_that_the_filter_alone_loses() {
    let directory = TempDir::new().unwrap();
    let [both, only] =
        [DedupStore::BloomExact, DedupStore::BloomOnly].map(|store| seen(&options(store, 30_000), directory.path()));
    for from in (0..8_000).step_by(20) {
        let batch: Vec<u64> = (from..from + 20).collect();
        assert_eq!(offer(&both, from % 40 == 0, &batch), [true; 20]);
        offer(&only, from % 40 == 0, &batch);
    }
    let (both, only) = (both.stats(), only.stats());
    let (confirmed, lost) = (both.false_positives.unwrap(), only.wrongly_dropped);
    // URLs that were in memory first were added to the filter in another order.
    let difference = (confirmed.measured.count - lost.measured.count).abs();
    assert!(difference < 4.0 * lost.expected.sqrt(), "{confirmed:?} {lost:?}");
    assert_eq!((both.urls, only.urls + lost.measured.count as u64), (8_000, 8_000));
    assert!(lost.measured.count > 500.0, "{lost:?}");
    let deviation = lost.expected.sqrt();
    assert!((lost.measured.count - lost.expected).abs() < 4.0 * deviation, "{lost:?}");
}

#[test]
fn a_false_positive_of_a_look_up_counts_as_lost() {
    let directory = TempDir::new().unwrap();
    let seen = seen(&options(DedupStore::BloomOnly, 0), directory.path());
    (0..500).for_each(|number| _ = seen.insert(url(number)));
    let before = seen.stats().wrongly_dropped.measured.count;
    let claimed = (500..2_500).filter(|number| seen.contains(url(*number))).count();
    assert!(claimed > 20);
    assert_eq!(seen.stats().wrongly_dropped.measured.count, before + claimed as f64);
    assert_eq!((500..2_500).filter(|number| seen.contains(url(*number))).count(), claimed);
    assert_eq!(seen.stats().wrongly_dropped.measured.count, before + claimed as f64, "each is counted once");
}

#[test]
fn a_sample_that_overflows_is_thinned_and_still_estimates_losses() {
    const MAX: usize = 2_000;
    let audit = Audit::new(MAX, Seed(1));
    let (mut sampled, mut lost) = (0, 0);
    for number in 0..100_000 {
        // One of nine is lost, independent of the fingerprint.
        let new = number % 9 != 0;
        lost += u32::from(!new);
        for _ in 0..2 {
            if let Some(mut sample) = audit.sample_of(&[url(number)]) {
                audit.note(&mut sample, url(number), new);
                sampled += 1;
            }
        }
    }
    let estimate = audit.lost();
    assert!(estimate.low < f64::from(lost) && estimate.high > f64::from(lost), "{lost}: {estimate:?}");
    assert!(estimate.high < 1.5 * f64::from(lost), "{lost}: {estimate:?}");
    assert!(sampled < 2 * 6 * 2 * MAX, "most are skipped: {sampled}");
    assert!(audit.memory_bytes() < 100_000, "{}", audit.memory_bytes());
}

#[test]
fn each_url_is_new_to_one_of_several_threads() {
    const URLS: u64 = 6_000;
    for (store, memory) in DedupStore::ALL.into_iter().flat_map(|store| [(store, 20_000), (store, 1 << 20)]) {
        let directory = TempDir::new().unwrap();
        let seen = seen(&options(store, memory), directory.path());
        let reported = |thread: u64| {
            let batches = (0..URLS).step_by(30).map(|from| {
                // Two threads count up and two count down, one of each in batches.
                let numbers = from..from + 30;
                let batch: Vec<_> = numbers.map(|number| if thread < 2 { number } else { URLS - 1 - number }).collect();
                offer(&seen, thread.is_multiple_of(2), &batch).into_iter().filter(|new| *new).count() as u64
            });
            batches.sum::<u64>()
        };
        let reported = std::thread::scope(|scope| {
            let threads = [0, 1, 2, 3].map(|thread| scope.spawn(move || reported(thread)));
            threads.map(|thread| thread.join().unwrap()).into_iter().sum::<u64>()
        });
        let figures = seen.stats();
        assert_eq!((reported, reported), (seen.len(), figures.urls), "{}", store.name());
        assert_eq!(reported as f64 + figures.wrongly_dropped.measured.count, URLS as f64, "{}", store.name());
        assert!((0..URLS).all(|number| seen.contains(url(number))));
        assert_eq!(figures.disk_bytes > 0, memory == 20_000 && store != DedupStore::BloomOnly, "{}", store.name());
    }
}

#[test]
fn nothing_is_written_before_memory_is_exhausted_and_all_files_are_removed() {
    let directory = TempDir::new().unwrap();
    let seen = seen(&options(DedupStore::BloomExact, 100_000), directory.path());
    let path = directory.path().join("seen");
    let fits = (0..).take_while(|number| !path.exists() && seen.insert(url(*number))).count() as u64;
    assert!((1_500..6_000).contains(&fits), "{fits} URLs in 100 kB");
    (fits..30_000).for_each(|number| assert!(seen.insert(url(number))));
    let figures = seen.stats();
    assert!(figures.disk_bytes > 16 * 20_000 && figures.memory_bytes < 200_000, "{figures:?}");
    assert_eq!(seen.len(), 30_000);
    seen.remove().unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn the_filter_is_unused_while_nothing_is_on_disk() {
    let directory = TempDir::new().unwrap();
    let seen = seen(&options(DedupStore::BloomExact, 1 << 20), directory.path());
    let empty = seen.stats();
    assert!((0..20_000).all(|number| seen.insert(url(number))) && (0..20_000).all(|number| seen.contains(url(number))));
    let figures = seen.stats();
    assert_eq!((figures.false_positives, figures.disk_bytes), (empty.false_positives, 0));
    assert!(figures.memory_bytes < empty.memory_bytes + 20_000 * 26, "{figures:?}");
}

#[test]
fn without_a_directory_everything_stays_in_memory() {
    let seen = SeenUrls::new(&options(DedupStore::ExactOnly, 0), None, Seed(3));
    assert!((0..20_000).all(|number| seen.insert(url(number))));
    assert!((0..20_000).all(|number| !seen.insert(url(number))));
    assert!(seen.error().is_none() && !seen.must_end() && seen.stats().disk_bytes == 0);
    seen.remove().unwrap();
}

#[test]
fn unwritable_fingerprints_stay_in_memory_until_the_disk_recovers() {
    let directory = TempDir::new().unwrap();
    let seen = seen(&options(DedupStore::BloomExact, 50_000), directory.path());
    let in_the_way = directory.path().join("seen");
    fs::write(&in_the_way, "a file in place of the directory").unwrap();
    let first = (0..).take_while(|number| seen.insert(url(*number)) && seen.error().is_none()).count() as u64;
    assert!(!seen.must_end(), "there is memory left");
    assert!(seen.error().unwrap().to_string().contains("cannot create"), "{}", seen.error().unwrap());
    fs::remove_file(&in_the_way).unwrap();
    (first + 1..2 * first).for_each(|number| assert!(seen.insert(url(number))));
    assert!((0..2 * first).all(|number| !seen.insert(url(number))) && seen.len() == 2 * first);
    assert!(seen.stats().disk_bytes > 0 && !seen.must_end());
}

#[test]
fn a_permanently_full_disk_ends_the_crawl_and_loses_nothing() {
    let directory = TempDir::new().unwrap();
    for store in [DedupStore::BloomExact, DedupStore::ExactOnly] {
        let seen = seen(&options(store, 50_000), directory.path());
        fs::write(directory.path().join("seen"), "a file in place of the directory").unwrap();
        let taken = (0..).take_while(|number| seen.insert(url(*number)) && !seen.must_end()).count() as u64;
        assert!(taken < 50_000 && seen.stats().memory_bytes < 400_000, "{taken}: {:?}", seen.stats());
        assert!((taken + 1..60_000).all(|number| seen.insert(url(number))), "URLs offered until the end are stored");
        assert!((0..60_000).all(|number| !seen.insert(url(number))) && seen.len() == 60_000);
    }
}

#[test]
fn with_an_unreadable_disk_a_url_is_new_once_more_and_the_crawl_ends() {
    let directory = TempDir::new().unwrap();
    for store in [DedupStore::BloomExact, DedupStore::ExactOnly] {
        let seen = seen(&options(store, 20_000), &directory.path().join(store.name()));
        (0..5_000).for_each(|number| _ = seen.insert(url(number)));
        for file in fs::read_dir(directory.path().join(store.name()).join("seen/00")).unwrap() {
            OpenOptions::new().write(true).open(file.unwrap().path()).unwrap().set_len(0).unwrap();
        }
        let again: Vec<u64> = (0..5_000).filter(|number| seen.insert(url(*number))).collect();
        assert!(again.len() > 3_000 && seen.must_end(), "{} of {}", again.len(), store.name());
        assert!(seen.error().unwrap().to_string().contains("cannot read"), "{}", seen.error().unwrap());
        assert!((0..5_000).all(|number| !seen.insert(url(number))), "each is new at most once more");
        assert!((5_000..6_000).all(|number| seen.insert(url(number))));
    }
}

#[test]
fn the_hashes_depend_on_the_seed() {
    let lost = |seed| {
        let seen = SeenUrls::new(&options(DedupStore::BloomOnly, 0), None, seed);
        (0..1_000).filter(|number| !seen.insert(url(*number))).collect::<Vec<u64>>()
    };
    assert_eq!(lost(Seed(1)), lost(Seed(1)));
    assert_ne!(lost(Seed(1)), lost(Seed(2)));
}
