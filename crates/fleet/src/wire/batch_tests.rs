use proptest::prelude::*;

use super::*;
use crate::wire::tests::samples::{Shape, entry, links_of, scheduled};
use harvestman_core::clock::Clock;
use harvestman_core::seed::Seed;

/// The bytes of a message besides its payload: subject, reply address, headers.
const AROUND: usize = 60;

fn sorted(links: &[ScheduledUrl]) -> Vec<ScheduledUrl> {
    let mut links = links.to_vec();
    links.sort_by(|one, other| one.url.origin().cmp(other.url.origin()));
    links
}

fn read(split: &SplitMessages) -> Vec<Batch> {
    let mut codec = WireCodec::new();
    split.messages.iter().map(|message| Batch::read(message, &mut codec).unwrap()).collect()
}

fn bytes_a_link(shape: Shape, count: usize) -> f64 {
    let mut codec = WireCodec::new();
    let rounds = 20;
    let mut bytes = 0;
    for seed in 0..rounds {
        let split = Batch::split(&links_of(shape, count, seed), 7, &mut codec);
        assert_eq!((split.messages.len(), split.too_long), (1, 0));
        bytes += AROUND + split.messages[0].len();
    }
    bytes as f64 / (rounds as usize * count) as f64
}

/// At most 40 bytes per link from 64 links on for all sites, and from 16 to 32 on if URLs are short. Slugs of three to
/// six words, drawn uniformly from 2,048, leave no more to save: they are two thirds of it.
#[test]
fn a_link_costs_few_bytes_on_the_wire() {
    let counts = [1, 4, 8, 16, 32, 64, 128, 256];
    eprintln!("bytes a link in batches of {counts:?} links");
    for shape in Shape::ALL {
        let costs = counts.map(|count| bytes_a_link(shape, count));
        let shown: Vec<String> = costs.iter().map(|cost| format!("{cost:5.1}")).collect();
        eprintln!("{:10} {}", format!("{shape:?}"), shown.join(" "));
        let bounds = match shape {
            Shape::Forum | Shape::Mixed => [210.0, 90.0, 70.0, 56.0, 48.0, 40.5, 36.5, 33.0],
            Shape::Questions | Shape::Blogs => [200.0, 80.0, 60.0, 45.0, 38.0, 33.0, 29.0, 26.0],
            Shape::Ids => [180.0, 75.0, 54.0, 40.0, 31.0, 26.0, 22.0, 19.5],
        };
        for (at, count) in counts.iter().enumerate() {
            assert!(costs[at] <= bounds[at], "{shape:?}, {count} links: {} bytes each", costs[at]);
        }
    }
}

#[test]
fn what_a_link_costs_in_time() {
    let (mut codec, clock, rounds) = (WireCodec::new(), Clock::system(), 40);
    for count in [16, 64, 256] {
        let links: Vec<_> = (0..rounds).map(|seed| links_of(Shape::Mixed, count, seed)).collect();
        let begun = clock.now();
        let packed: Vec<SplitMessages> = links.iter().map(|links| Batch::split(links, 7, &mut codec)).collect();
        let written = clock.now();
        for split in &packed {
            assert_eq!(Batch::read(&split.messages[0], &mut codec).unwrap().links.len(), count);
        }
        let links = (rounds as usize * count) as f64;
        let micros = |from: harvestman_core::clock::Instant, to: harvestman_core::clock::Instant| {
            (to.as_micros() - from.as_micros()) as f64 / links
        };
        let (to_write, to_read) = (micros(begun, written), micros(written, clock.now()));
        eprintln!("batches of {count}: {to_write:.2} µs a link to write, {to_read:.2} µs to read");
    }
}

#[test]
fn a_batch_has_as_many_links_as_it_may_and_no_more() {
    for (count, batches) in [(0, vec![]), (1, vec![1]), (256, vec![256]), (257, vec![256, 1])] {
        let links = links_of(Shape::Blogs, count, 1);
        let split = Batch::split(&links, u64::MAX, &mut WireCodec::new());
        let read = read(&split);
        assert_eq!(read.iter().map(|batch| batch.links.len()).collect::<Vec<_>>(), batches);
        assert!(read.iter().all(|batch| batch.generation == u64::MAX));
        assert_eq!(read.into_iter().flat_map(|batch| batch.links).collect::<Vec<_>>(), sorted(&links));
    }
}

#[test]
fn links_that_are_too_long_for_one_message_go_in_several() {
    let noise = |seed: u64, length: u64| -> String {
        (0..length).map(|at| char::from(b'!' + (Seed(seed).nth(at).0 % 94) as u8)).collect()
    };
    let mut links: Vec<ScheduledUrl> =
        (0..32).map(|seed| scheduled(&format!("http://a/{}", noise(seed, 60_000)))).collect();
    let split = Batch::split(&links, 1, &mut WireCodec::new());
    assert!(split.messages.len() > 2 && split.messages.iter().all(|message| message.len() <= PAYLOAD_MAX));
    assert_eq!(read(&split).into_iter().flat_map(|batch| batch.links).collect::<Vec<_>>(), links);
    links.push(scheduled(&format!("http://a/{}", noise(99, PAYLOAD_MAX as u64 * 3 / 2))));
    let split = Batch::split(&links, 1, &mut WireCodec::new());
    assert_eq!(split.too_long, 1);
    assert_eq!(read(&split).into_iter().map(|batch| batch.links.len()).sum::<usize>(), 32);
}

#[test]
fn a_batch_of_more_links_or_of_something_else_is_refused() {
    let mut codec = WireCodec::new();
    let mut seal = |items: &[ScheduledUrl]| {
        let mut raw = Vec::new();
        let links = Links::of(&items.iter().collect::<Vec<_>>(), &mut raw);
        let message = codec.encode(MessageKind::Batch, &raw, &Body { generation: 0, links });
        Batch::read(&message, &mut codec).map_err(|error| error.to_string())
    };
    assert!(seal(&links_of(Shape::Ids, 256, 1)).is_ok());
    assert!(seal(&links_of(Shape::Ids, 257, 1)).unwrap_err().contains("too many links"));
    assert!(seal(&[scheduled("ftp://a/")]).unwrap_err().contains("links are unreadable"));
}

proptest! {
    #[test]
    fn any_links_come_back(entry in entry(), generation in any::<u64>()) {
        let links = entry.waiting;
        let split = Batch::split(&links, generation, &mut WireCodec::new());
        prop_assert_eq!(read(&split).into_iter().flat_map(|batch| batch.links).collect::<Vec<_>>(), sorted(&links));
    }
}
