//! The cost of a page, a link and a known URL in a fleet, measured by writing and reading what nodes write and read.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use super::Sample;
use harvestman_core::clock::Clock;
use harvestman_core::config::DedupOptions;
use harvestman_core::model::{Fate, ScheduledUrl};
use harvestman_core::url::Fingerprint;
use harvestman_fleet::node::records::{Heartbeat, PartitionRecord, SessionRecord, written};
use harvestman_fleet::rebuild::Rebuild;
use harvestman_fleet::wire::{Batch, Part, Section, WireCodec, split_entry};
use harvestman_fleet::{FinishedUrl, LogEntry, Partition, Partitions, SessionId};
use harvestman_storage::dedup::{BloomOptions, BloomSet};

/// Number of pages of a group of changes.
const GROUP: usize = 64;
/// Numbers of links of the measured batches.
const BATCHES: (usize, usize) = (16, 256);
/// Bytes of each message besides its payload: request, headers and acknowledgement of an append, as measured on a
/// connection.
const AROUND: f64 = 150.0;
/// Number of URLs with which the set of seen URLs is measured.
const SEEN: u64 = 1_000_000;

/// Measured costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Costs {
    /// Number of pages measured.
    pub pages: u64,
    /// Number of their hosts.
    pub hosts: u64,
    /// Distinct URLs linked per page.
    pub links: f64,
    /// URLs per page that it is the first to link to.
    pub new: f64,
    /// Links per page to other hosts that no page of the same host had before: the number handed over if each host is
    /// on a node of its own.
    pub handed: f64,
    /// Bytes of a batch without links, including the message overhead.
    pub batch_bytes: f64,
    /// Bytes per link in it.
    pub link_bytes: f64,
    /// Bytes of a log message without pages.
    pub entry_bytes: f64,
    /// Bytes per page in it, with its results.
    pub page_bytes: f64,
    /// Bytes of a queued URL in a checkpoint.
    pub waiting_bytes: f64,
    /// Bytes of a completed URL in a checkpoint.
    pub ended_bytes: f64,
    /// URLs per second that one thread of a node restores from a checkpoint.
    pub rebuilt: f64,
    /// Bytes of memory per URL in the Bloom filter.
    pub seen_memory: f64,
    /// Bytes of a heartbeat without partitions, and per partition.
    pub beat_bytes: (f64, f64),
    /// Bytes of the key of a partition.
    pub partition_bytes: f64,
}

/// Measures the costs; takes some seconds.
pub fn measure(sample: &Sample, clock: &Clock) -> Costs {
    let mut packer = WireCodec::new();
    let counted = Counted::of(sample);
    let (fixed, each) = batches(&counted.first, &mut packer);
    let (entry_bytes, page_bytes) = entries(sample, &mut packer);
    let part = parts(&counted.first, &mut packer, clock);
    let pages = sample.pages.len().max(1) as f64;
    Costs {
        pages: sample.pages.len() as u64,
        hosts: sample.hosts,
        links: counted.links as f64 / pages,
        new: counted.first.len() as f64 / pages,
        handed: counted.handed as f64 / pages,
        batch_bytes: fixed + AROUND,
        link_bytes: each,
        entry_bytes: entry_bytes + AROUND,
        page_bytes,
        waiting_bytes: part.waiting,
        ended_bytes: part.ended,
        rebuilt: part.rebuilt,
        seen_memory: seen_memory(),
        beat_bytes: beat_bytes(),
        partition_bytes: partition_bytes(),
    }
}

#[derive(Default)]
struct Counted {
    links: u64,
    handed: u64,
    /// Each URL, as first linked.
    first: Vec<ScheduledUrl>,
}

impl Counted {
    fn of(sample: &Sample) -> Self {
        let (mut counted, mut known, mut handed) = (Self::default(), HashSet::new(), HashSet::new());
        for (page, links) in &sample.pages {
            counted.links += links.len() as u64;
            for link in links {
                let url = link.url.fingerprint();
                if known.insert(url) {
                    counted.first.push(link.clone());
                }
                let is_away = link.url.origin() != page.origin();
                counted.handed += u64::from(is_away && handed.insert((page.origin(), url)));
            }
        }
        counted
    }
}

/// Returns the bytes of a batch without links, and per link.
fn batches(links: &[ScheduledUrl], packer: &mut WireCodec) -> (f64, f64) {
    let mut mean = |size: usize| {
        let whole = links.chunks_exact(size.min(links.len().max(1)));
        let sizes: Vec<usize> =
            whole.flat_map(|chunk| Batch::split(chunk, 0, packer).messages).map(|message| message.len()).collect();
        sizes.iter().sum::<usize>() as f64 / sizes.len().max(1) as f64
    };
    line((BATCHES.0 as f64, mean(BATCHES.0)), (BATCHES.1 as f64, mean(BATCHES.1)))
}

/// Returns the line through two points: its value at 0 and its slope, both at least 0.
fn line(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    let slope = ((other.1 - one.1) / (other.0 - one.0)).max(0.0);
    ((one.1 - slope * one.0).max(0.0), slope)
}

/// Returns the bytes of an entry without pages, and per page.
fn entries(sample: &Sample, packer: &mut WireCodec) -> (f64, f64) {
    let mut known = HashSet::new();
    let partitions = Partitions::new(256, 4);
    let (mut bytes, mut pages, mut groups) = (0, 0, 0_u32);
    for group in sample.pages.chunks(GROUP) {
        let ended = |url: &harvestman_core::url::CanonicalUrl| FinishedUrl {
            partition: partitions.of(&url.host_key()),
            url: url.fingerprint(),
            fate: Fate::Fetched,
        };
        let new = group.iter().flat_map(|(_, links)| links).filter(|link| known.insert(link.url.fingerprint()));
        let entry = LogEntry {
            waiting: new.cloned().collect(),
            ended: group.iter().map(|(url, _)| ended(url)).collect(),
            positions: vec![u64::from(groups); usize::from(partitions.shards())],
            ..LogEntry::default()
        };
        bytes += split_entry(&entry, packer).messages.iter().map(|message| message.len()).sum::<usize>();
        pages += group.len();
        groups += 1;
    }
    let empty: usize = split_entry(&LogEntry { positions: vec![1; 4], ..LogEntry::default() }, packer)
        .messages
        .iter()
        .map(|message| message.len())
        .sum();
    let of_pages = bytes as f64 - empty as f64 * f64::from(groups);
    (empty as f64, of_pages.max(0.0) / pages.max(1) as f64)
}

struct OfPart {
    waiting: f64,
    ended: f64,
    rebuilt: f64,
}

/// Returns the size of a URL in a checkpoint, and the speed of reading it.
fn parts(links: &[ScheduledUrl], packer: &mut WireCodec, clock: &Clock) -> OfPart {
    let partition = Partition(0);
    let part = |section: Section| Part { sections: [(partition, section)].into() };
    let empty = part(Section::default()).encode(packer).len() as f64;
    let count = links.len().max(1) as f64;
    let waiting = part(Section { waiting: links.to_vec(), ..Section::default() });
    let mut ended: Vec<Fingerprint> = links.iter().map(|link| link.url.fingerprint()).collect();
    ended.sort_unstable();
    let ended = part(Section { ended, ..Section::default() });
    let (waiting, ended) = (waiting.encode(packer), ended.encode(packer));
    let began = clock.now();
    let mut urls = 0;
    // Repeat until the time is measurable.
    while clock.now().since(began).as_millis() < 300 {
        // A single partition, which contains everything.
        let mut rebuild = Rebuild::new(&Partitions::new(1, 1), BTreeSet::from([partition]));
        for object in [&ended, &waiting] {
            let Ok(reader) = harvestman_fleet::wire::PartReader::open(object.clone(), packer) else { break };
            rebuild.part(&reader.read_all(packer).0);
        }
        drop(rebuild.finish());
        urls += 2 * links.len();
        if links.is_empty() {
            break;
        }
    }
    let seconds = clock.now().since(began).as_secs_f64().max(1e-6);
    OfPart {
        waiting: (waiting.len() as f64 - empty) / count,
        ended: (ended.len() as f64 - empty) / count,
        rebuilt: urls as f64 / seconds,
    }
}

fn seen_memory() -> f64 {
    let options = DedupOptions::default();
    let set =
        BloomSet::new(&BloomOptions { planned: SEEN, false_positives: options.false_positives, shards: 1, seed: 0 });
    set.memory_bytes() as f64 / SEEN as f64
}

fn beat_bytes() -> (f64, f64) {
    let beat = |held: u16| {
        let held = (0..held).map(|at| Partition(at.wrapping_mul(97))).collect();
        let numbers = 1_000_000;
        let heartbeat = Heartbeat {
            beat: numbers,
            born: numbers,
            held,
            waiting: numbers,
            under_way: 100,
            activity: numbers,
            positions: vec![numbers; 4],
            discovered: numbers,
            pages: numbers,
            requests: numbers,
            bytes: numbers * numbers,
            ..Heartbeat::default()
        };
        written(&SessionRecord::Live(heartbeat)).len() as f64
    };
    let (fixed, each) = line((0.0, beat(0)), (256.0, beat(256)));
    (fixed + AROUND, each)
}

fn partition_bytes() -> f64 {
    let session = Some(SessionId("node-1000.0123abcd".to_owned()));
    let record =
        PartitionRecord { token: 1_000, owner: session.clone(), source: session, end: None, needs_browser: false };
    written(&record).len() as f64 + AROUND
}
