use std::io::{self, Read};

use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::bloom_file::{FORMAT, head, numbers};
use super::tests::{filled, fingerprint, options};
use super::{BloomError, BloomOptions, BloomSet};

fn bytes(set: &BloomSet) -> Vec<u8> {
    let mut bytes = Vec::new();
    set.write_to(&mut bytes).unwrap();
    bytes
}

fn rejected(bytes: impl Read, options: &BloomOptions) -> BloomError {
    BloomSet::read_from(bytes, options).err().expect("it must be rejected")
}

/// A small file, and the options it was created with.
fn small() -> (Vec<u8>, BloomOptions) {
    let options = options(64, 0.1, 2);
    (bytes(&filled(&options, 0..200).0), options)
}

/// The file with a checksum that matches its contents.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let sum = xxh3_64(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// A reader that counts the bytes read.
struct Counted<R>(R, usize);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(bytes)?;
        self.1 += read;
        Ok(read)
    }
}

proptest! {
    #[test]
    fn a_set_survives_a_round_trip(count in 0_u64..900, rate in 0.001_f64..0.4, shards in 1_usize..9) {
        let options = options(64, rate, shards);
        let (set, _) = filled(&options, 0..count);
        let saved = bytes(&set);
        let again = BloomSet::read_from(&*saved, &options).unwrap();
        prop_assert_eq!((again.len(), again.memory_bytes()), (set.len(), set.memory_bytes()));
        prop_assert_eq!(again.expected_false_positives(), set.expected_false_positives());
        prop_assert_eq!(again.expected_false_positive_rate(), set.expected_false_positive_rate());
        prop_assert!((0..count).all(|number| again.contains(fingerprint(number))));
        prop_assert!((0..1_000).all(|number| again.insert(fingerprint(number)) == set.insert(fingerprint(number))));
        prop_assert_eq!(bytes(&again), bytes(&set));
    }

    #[test]
    fn arbitrary_bytes_are_rejected(tail in prop::collection::vec(any::<u8>(), 0..2_000), headed in any::<bool>()) {
        let options = options(64, 0.1, 2);
        let start = if headed { head(1, numbers(&options)) } else { Vec::new() };
        prop_assert!(BloomSet::read_from(&*[start, tail].concat(), &options).is_err());
    }

    #[test]
    fn changed_bytes_with_a_matching_checksum_are_harmless(
        changes in prop::collection::vec((56_usize..100_000, any::<u8>()), 1..6)
    ) {
        let (mut saved, options) = small();
        let end = saved.len() - 8;
        changes.into_iter().for_each(|(at, byte)| saved[56 + at % (end - 56)] = byte);
        if let Ok(set) = BloomSet::read_from(&*sealed(saved), &options) {
            set.insert_all(&(0..500).map(fingerprint).collect::<Vec<_>>(), &mut Vec::new());
            prop_assert!((0..500).all(|number| set.contains(fingerprint(number))));
            prop_assert!(set.expected_false_positives().is_finite() && !set.is_empty());
        }
    }
}

#[test]
fn any_changed_byte_is_detected() {
    let (saved, options) = small();
    for at in 0..saved.len() {
        let mut damaged = saved.clone();
        damaged[at] ^= 0x10;
        let error = rejected(&*damaged, &options);
        match at {
            0..8 => assert!(matches!(error, BloomError::NotABloomSet), "{at}: {error}"),
            8..12 => assert!(matches!(error, BloomError::OtherVersion { .. }), "{at}: {error}"),
            _ => assert!(matches!(error, BloomError::Damaged(_)), "{at}: {error}"),
        }
    }
}

#[test]
fn a_file_truncated_anywhere_is_reported_as_truncated() {
    let (saved, options) = small();
    for end in 0..saved.len() {
        let error = rejected(&saved[..end], &options);
        assert!(matches!(error, BloomError::CutShort), "{end}: {error}");
    }
}

#[test]
fn bytes_after_a_set_are_not_consumed() {
    let (saved, options) = small();
    let both = [saved.clone(), b"more".to_vec()].concat();
    let mut from = &*both;
    BloomSet::read_from(&mut from, &options).unwrap();
    assert_eq!(from, b"more");
}

#[test]
fn a_mismatched_version_seed_or_option_is_named() {
    let (mut saved, options) = small();
    let others = [
        ("seed 11, not 12", BloomOptions { seed: 12, ..options }),
        ("planned 64, not 65", BloomOptions { planned: 65, ..options }),
        ("false_positives 0.1, not 0.2", BloomOptions { false_positives: 0.2, ..options }),
        ("shards 2, not 4", BloomOptions { shards: 3, ..options }),
    ];
    for (text, other) in others {
        let error = rejected(&*saved, &other).to_string();
        assert!(error.contains(text) && error.contains("rebuild the set"), "{error}");
    }
    saved[8] += 1;
    let error = rejected(&*saved, &options).to_string();
    assert!(error.contains(&format!("format {}; this version reads format {FORMAT}", FORMAT + 1)), "{error}");
}

#[test]
fn io_errors_are_passed_on() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let error = rejected(Failing, &options(64, 0.1, 2));
    assert!(error.to_string().ends_with("the disk is gone"), "{error}");
}

#[test]
fn invalid_sizes_are_rejected_before_their_contents_are_read() {
    let options = options(1 << 30, 0.001, 2);
    for (layers, blocks, probes) in [(1, u64::MAX, 9), (1, 0, 9), (16, 1 << 40, 9), (1, 1 << 25, 1 << 40), (1, 64, 9)] {
        let claim = [head(layers, numbers(&options)), [blocks, probes].map(u64::to_le_bytes).concat()].concat();
        let mut from = Counted(claim.chain(io::repeat(0)), 0);
        let error = rejected(&mut from, &options);
        assert!(matches!(error, BloomError::Damaged("the size of a layer")), "{error}");
        assert_eq!(from.1, claim.len());
    }
    for layers in [0, 17, u32::MAX] {
        let error = rejected(&*head(layers, numbers(&options)), &options);
        assert!(matches!(error, BloomError::Damaged("its number of layers")), "{error}");
    }
}

#[test]
fn a_large_layer_that_is_claimed_but_missing_is_reported_as_truncated() {
    // Its 2 GiB must not be allocated: many test machines have less memory.
    let options = options(1 << 30, 0.001, 2);
    let shape = options.shape(0);
    let claim = [shape.blocks, shape.probes.into()].map(u64::to_le_bytes).concat();
    let error = rejected(&*[head(1, numbers(&options)), claim, vec![0; 100_000]].concat(), &options);
    assert!(matches!(error, BloomError::CutShort), "{error}");
}

#[test]
fn impossible_counts_are_rejected_despite_a_matching_checksum() {
    let (saved, options) = small();
    let end = saved.len() - 8;
    // The second shard's counts of the first layer, whose capacity per shard is 52, and of the newest layer.
    for (at, count) in [(16, 51), (16, u64::MAX), (8, 0), (8, u64::MAX)] {
        let mut wrong = saved.clone();
        wrong[end - at..end - at + 8].copy_from_slice(&u64::to_le_bytes(count));
        let error = rejected(&*sealed(wrong), &options);
        assert!(matches!(error, BloomError::Damaged("its counts are impossible")), "{error}");
    }
}

#[test]
fn a_set_saved_during_inserts_has_all_earlier_fingerprints() {
    let options = options(500, 0.01, 4);
    let (set, _) = filled(&options, 0..3_000);
    let saved = std::thread::scope(|scope| {
        let others = [3_000..9_000, 9_000..15_000].map(|numbers| {
            let set = &set;
            scope.spawn(move || numbers.filter(|number| set.insert(fingerprint(*number))).count())
        });
        let saved: Vec<_> = (0..10).map(|_| bytes(&set)).collect();
        others.into_iter().for_each(|other| assert!(other.join().unwrap() > 5_000));
        saved
    });
    for saved in saved {
        let again = BloomSet::read_from(&*saved, &options).unwrap();
        assert!((0..3_000).all(|number| again.contains(fingerprint(number))));
        assert!((0..15_000).all(|number| again.insert(fingerprint(number)) || again.contains(fingerprint(number))));
    }
}
