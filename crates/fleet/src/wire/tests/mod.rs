//! Properties of all formats, and samples to test them with.

pub(crate) mod samples;

use std::collections::BTreeSet;

use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::*;
use crate::LogEntry;
use samples::{Shape, entry, links_of, scheduled};

/// Decodes bytes as every kind.
fn read_all(bytes: &[u8], codec: &mut WireCodec) -> (bool, bool, bool) {
    let part = PartReader::open(bytes.to_vec().into(), codec).map(|reader| reader.read_all(codec));
    (Batch::read(bytes, codec).is_ok(), decode_entry(bytes, codec).is_ok(), part.is_ok())
}

/// Corrects the checksum of a message, to test what is behind it.
fn sealed_again(message: &mut [u8]) {
    if let [kind, check @ ..] = message
        && check.len() >= 4
    {
        let (check, rest) = check.split_at_mut(4);
        check.copy_from_slice(&(xxh3_64_with_seed(rest, u64::from(*kind)) as u32).to_le_bytes());
    }
}

fn samples_of_each(codec: &mut WireCodec) -> [Vec<u8>; 2] {
    let batch = Batch::split(&links_of(Shape::Mixed, 12, 3), 1, codec).messages[0].to_vec();
    let entry = LogEntry { waiting: vec![scheduled("http://a/ä")], positions: vec![1], ..LogEntry::default() };
    [batch, encode_entry(&entry, codec)]
}

#[test]
fn no_cut_message_is_read() {
    let mut codec = WireCodec::new();
    for message in samples_of_each(&mut codec) {
        for length in 0..message.len() {
            assert_eq!(read_all(&message[..length], &mut codec), (false, false, false), "{length}");
            let mut cut = message[..length].to_vec();
            sealed_again(&mut cut);
            assert_eq!(read_all(&cut, &mut codec), (false, false, false), "{length}, sealed again");
        }
    }
}

#[test]
fn fields_that_are_cut_or_changed_are_errors_and_no_panic() {
    let mut codec = WireCodec::new();
    let mut unreadable = BTreeSet::new();
    for message in samples_of_each(&mut codec) {
        let kind = if message[0] >> 4 == 1 { codec::MessageKind::Batch } else { codec::MessageKind::Entry };
        let (raw, plain) = codec.decode(kind, &message, 1 << 20).unwrap();
        for at in 0..plain.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = plain.clone();
                changed[at] = value;
                let message = codec.encode_plain(kind, raw, &changed);
                unreadable.insert(read_all(&message, &mut codec));
            }
            let message = codec.encode_plain(kind, raw, &plain[..at]);
            assert_eq!(read_all(&message, &mut codec), (false, false, false), "{at}");
        }
    }
    assert!(unreadable.contains(&(false, false, false)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_bytes_make_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..300), kind in 1..5_u8) {
        let mut codec = WireCodec::new();
        read_all(&bytes, &mut codec);
        if let Some(first) = bytes.first_mut() {
            *first = kind << 4 | 1;
        }
        sealed_again(&mut bytes);
        read_all(&bytes, &mut codec);
    }

    #[test]
    fn a_changed_entry_is_no_entry(entry in entry(), at in any::<prop::sample::Index>(), change in 1..=u8::MAX) {
        let mut codec = WireCodec::new();
        let mut message = encode_entry(&entry, &mut codec);
        let at = at.index(message.len());
        message[at] ^= change;
        prop_assert!(decode_entry(&message, &mut codec).is_err());
        sealed_again(&mut message);
        read_all(&message, &mut codec);
    }
}
