use std::io::{self, Read};

use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::file::{FORMAT, head, numbers};
use super::tests::{filled, fingerprint, options};
use super::{BloomError, BloomOptions, BloomSet};

fn bytes(set: &BloomSet) -> Vec<u8> {
    let mut bytes = Vec::new();
    set.write_to(&mut bytes).unwrap();
    bytes
}

fn refused(bytes: impl Read, options: &BloomOptions) -> BloomError {
    BloomSet::read_from(bytes, options).err().expect("it is to be refused")
}

/// A small file, and what it was made for.
fn small() -> (Vec<u8>, BloomOptions) {
    let options = options(64, 0.1, 2);
    (bytes(&filled(&options, 0..200).0), options)
}

/// The file with a last number that fits its contents.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let sum = xxh3_64(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// How many bytes are taken from it.
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
    fn what_is_read_is_what_was_written(count in 0_u64..900, rate in 0.001_f64..0.4, shards in 1_usize..9) {
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
    fn arbitrary_bytes_are_refused(tail in prop::collection::vec(any::<u8>(), 0..2_000), headed in any::<bool>()) {
        let options = options(64, 0.1, 2);
        let start = if headed { head(1, numbers(&options)) } else { Vec::new() };
        prop_assert!(BloomSet::read_from(&*[start, tail].concat(), &options).is_err());
    }

    #[test]
    fn changed_bytes_with_a_fitting_checksum_do_no_harm(
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
fn any_byte_that_is_another_is_found() {
    let (saved, options) = small();
    for at in 0..saved.len() {
        let mut damaged = saved.clone();
        damaged[at] ^= 0x10;
        let error = refused(&*damaged, &options);
        match at {
            0..8 => assert!(matches!(error, BloomError::NotABloomSet), "{at}: {error}"),
            8..12 => assert!(matches!(error, BloomError::OtherVersion { .. }), "{at}: {error}"),
            _ => assert!(matches!(error, BloomError::Damaged(_)), "{at}: {error}"),
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_called_cut_short() {
    let (saved, options) = small();
    for end in 0..saved.len() {
        let error = refused(&saved[..end], &options);
        assert!(matches!(error, BloomError::CutShort), "{end}: {error}");
    }
}

#[test]
fn what_follows_a_set_is_left_to_others() {
    let (saved, options) = small();
    let both = [saved.clone(), b"more".to_vec()].concat();
    let mut from = &*both;
    BloomSet::read_from(&mut from, &options).unwrap();
    assert_eq!(from, b"more");
}

#[test]
fn another_version_seed_or_option_is_named() {
    let (mut saved, options) = small();
    let others = [
        ("seed 11, not 12", BloomOptions { seed: 12, ..options }),
        ("planned 64, not 65", BloomOptions { planned: 65, ..options }),
        ("false_positives 0.1, not 0.2", BloomOptions { false_positives: 0.2, ..options }),
        ("shards 2, not 4", BloomOptions { shards: 3, ..options }),
    ];
    for (text, other) in others {
        let error = refused(&*saved, &other).to_string();
        assert!(error.contains(text) && error.contains("build the set anew"), "{error}");
    }
    saved[8] += 1;
    let error = refused(&*saved, &options).to_string();
    assert!(error.contains(&format!("format {}, this version reads format {FORMAT}", FORMAT + 1)), "{error}");
}

#[test]
fn what_the_system_says_is_passed_on() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let error = refused(Failing, &options(64, 0.1, 2));
    assert!(error.to_string().ends_with("the disk is gone"), "{error}");
}

#[test]
fn claimed_sizes_are_refused_before_anything_is_read_for_them() {
    let options = options(1 << 30, 0.001, 2);
    for (layers, blocks, probes) in [(1, u64::MAX, 9), (1, 0, 9), (16, 1 << 40, 9), (1, 1 << 25, 1 << 40), (1, 64, 9)] {
        let claim = [head(layers, numbers(&options)), [blocks, probes].map(u64::to_le_bytes).concat()].concat();
        let mut from = Counted(claim.chain(io::repeat(0)), 0);
        let error = refused(&mut from, &options);
        assert!(matches!(error, BloomError::Damaged("the size of a layer")), "{error}");
        assert_eq!(from.1, claim.len());
    }
    for layers in [0, 17, u32::MAX] {
        let error = refused(&*head(layers, numbers(&options)), &options);
        assert!(matches!(error, BloomError::Damaged("its number of layers")), "{error}");
    }
}

#[test]
fn a_large_layer_that_is_claimed_and_not_there_is_cut_short() {
    // Its 2 GiB are not asked for: that would be the end of many a test machine.
    let options = options(1 << 30, 0.001, 2);
    let shape = options.shape(0);
    let claim = [shape.blocks, shape.probes.into()].map(u64::to_le_bytes).concat();
    let error = refused(&*[head(1, numbers(&options)), claim, vec![0; 100_000]].concat(), &options);
    assert!(matches!(error, BloomError::CutShort), "{error}");
}

#[test]
fn counts_that_cannot_be_are_refused_in_spite_of_a_fitting_checksum() {
    let (saved, options) = small();
    let end = saved.len() - 8;
    // What the second shard has of the first layer, which is for 52 of it, and of the newest one.
    for (at, count) in [(16, 51), (16, u64::MAX), (8, 0), (8, u64::MAX)] {
        let mut wrong = saved.clone();
        wrong[end - at..end - at + 8].copy_from_slice(&u64::to_le_bytes(count));
        let error = refused(&*sealed(wrong), &options);
        assert!(matches!(error, BloomError::Damaged("its counts cannot be")), "{error}");
    }
}

#[test]
fn a_set_saved_while_others_add_has_all_that_was_there_before() {
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
