use proptest::prelude::*;

use super::*;
use crate::rebuild::Rebuild;
use crate::wire::tests::samples::{Shape, entry, links_of, partitions, scheduled};
use harvestman_core::seed::Seed;

fn read(message: &[u8]) -> LogEntry {
    decode_entry(message, &mut WireCodec::new()).unwrap()
}

/// A large entry and its messages.
fn large() -> (LogEntry, Vec<LogEntry>) {
    let noise = |number: u64| (0..40).map(|at| Seed(number).nth(at).0 as u8).collect::<Vec<u8>>();
    let host = |number: u64| HostKey::from_origin(&format!("http://h{number:03}.localhost:8080"));
    let ended = |number: u64| FinishedUrl {
        partition: Partition(number as u16 % 4),
        url: Fingerprint::of(&number.to_string()),
        fate: Fate::Fetched,
    };
    let mut ledger = Ledger::default();
    ledger.request(100);
    let entry = LogEntry {
        waiting: links_of(Shape::Mixed, 30_000, 1),
        ended: (0..40_000).map(ended).collect(),
        hosts: (0..500).map(|number| (host(number), noise(number))).collect(),
        notes: vec![
            ProgressRecord::SitemapRead("http://h001.localhost:8080/index.xml".to_owned()),
            ProgressRecord::SitemapFound("http://h001.localhost:8080/s.xml".to_owned(), 1),
        ],
        taken: vec![Partition(1)],
        released: vec![Partition(2)],
        positions: vec![7, 8],
        ledger,
    };
    let split = split_entry(&entry, &mut WireCodec::new());
    assert!(split.messages.iter().all(|message| message.len() <= PAYLOAD_MAX));
    assert_eq!(split.too_long, 0);
    (entry, split.messages.iter().map(|message| read(message)).collect())
}

#[test]
fn a_long_entry_becomes_several_that_mean_the_same() {
    let (entry, pieces) = large();
    assert!(pieces.len() > 2, "{}", pieces.len());
    let known = |log: &[LogEntry]| {
        let mut rebuild = Rebuild::new(&partitions(), partitions().all().collect());
        log.iter().for_each(|entry| rebuild.entry(entry));
        rebuild.finish()
    };
    assert_eq!(known(&pieces), known(&[entry]));
}

#[test]
fn a_log_that_ends_within_a_long_entry_claims_nothing_that_it_lacks() {
    let (entry, pieces) = large();
    let (last, others) = pieces.split_last().unwrap();
    assert_eq!((&last.positions, &last.released, &last.ledger), (&entry.positions, &entry.released, &entry.ledger));
    for piece in others {
        assert!(piece.positions.is_empty() && piece.released.is_empty());
        assert_eq!(piece.ledger, Ledger::default());
    }
    assert_eq!(pieces[0].taken, entry.taken);
    assert!(pieces[1..].iter().all(|piece| piece.taken.is_empty()));
    // No URL is finished before all waiting URLs are there, and no sitemap is read before those that it named.
    let ends = pieces.iter().position(|piece| !piece.ended.is_empty()).unwrap();
    assert!(pieces[ends + 1..].iter().all(|piece| piece.waiting.is_empty() && piece.notes.is_empty()));
    let notes: Vec<&ProgressRecord> = pieces.iter().flat_map(|piece| &piece.notes).collect();
    assert!(matches!(notes[..], [ProgressRecord::SitemapFound(..), ProgressRecord::SitemapRead(..)]));
}

#[test]
fn what_fits_into_no_message_is_counted_and_the_rest_goes() {
    let noise: String =
        (0..PAYLOAD_MAX as u64 * 3 / 2).map(|at| char::from(b'!' + (Seed(at).nth(0).0 % 94) as u8)).collect();
    let long = scheduled(&format!("http://a/{noise}"));
    for waiting in [vec![long.clone()], vec![long.clone(), scheduled("http://b/")], vec![scheduled("http://b/"), long]]
    {
        let short = waiting.iter().filter(|item| item.url.as_str().len() < 100).cloned().collect::<Vec<_>>();
        let entry = LogEntry { waiting, positions: vec![5], taken: vec![Partition(0)], ..LogEntry::default() };
        let split = split_entry(&entry, &mut WireCodec::new());
        assert_eq!(split.too_long, 1);
        let pieces: Vec<LogEntry> = split.messages.iter().map(|message| read(message)).collect();
        assert_eq!(pieces.iter().flat_map(|piece| piece.waiting.clone()).collect::<Vec<_>>(), short);
        assert_eq!(pieces.last().unwrap().positions, [5]);
        assert_eq!(pieces[0].taken, [Partition(0)]);
    }
}

proptest! {
    #[test]
    fn any_entry_comes_back(entry in entry()) {
        let mut codec = WireCodec::new();
        let mut sorted = entry.clone();
        sorted.notes.sort_by_key(NoteKey::rank);
        prop_assert_eq!(&decode_entry(&encode_entry(&entry, &mut codec), &mut codec).unwrap(), &sorted);
        let split = split_entry(&entry, &mut codec);
        prop_assert_eq!(split.messages.len(), 1);
        prop_assert_eq!(decode_entry(&split.messages[0], &mut codec).unwrap(), sorted);
    }
}
