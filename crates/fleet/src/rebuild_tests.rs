use proptest::prelude::*;

use super::*;
use crate::FinishedUrl;
use crate::wire::tests::samples::{entries, partitions};

/// The reference implementation: scans the whole history for each partition.
fn twin(history: &[LogEntry], partition: Partition) -> PartitionState {
    let divided = partitions();
    let of = |host: &HostKey| divided.of(host) == partition;
    let ended: BTreeSet<Fingerprint> = history
        .iter()
        .flat_map(|entry| &entry.ended)
        .filter(|ended| ended.partition == partition)
        .map(|ended| ended.url)
        .collect();
    let mut waiting: Vec<ScheduledUrl> = Vec::new();
    let (mut hosts, mut notes) = (BTreeMap::new(), BTreeMap::new());
    let (mut position, mut held) = (0, false);
    for entry in history {
        for item in entry.waiting.iter().filter(|item| of(&item.url.host_key())) {
            match waiting.iter_mut().find(|other| other.url == item.url) {
                Some(other) => *other = item.clone(),
                None => waiting.push(item.clone()),
            }
        }
        hosts.extend(entry.hosts.iter().filter(|(host, _)| of(host)).cloned());
        for note in &entry.notes {
            let key = NoteKey::of(note);
            if of(&key.host()) {
                let smaller = matches!((note, notes.get(&key)), (ProgressRecord::Admitted(_, new), Some(ProgressRecord::Admitted(_, old))) if new < old);
                if !smaller {
                    notes.insert(key, note.clone());
                }
            }
        }
        held |= entry.taken.contains(&partition);
        if held {
            position = position.max(entry.positions.get(usize::from(divided.shard(partition))).copied().unwrap_or(0));
        }
        held &= !entry.released.contains(&partition);
    }
    waiting.retain(|item| !ended.contains(&item.url.fingerprint()));
    PartitionState {
        waiting,
        ended: ended.into_iter().collect(),
        hosts: hosts.into_iter().collect(),
        notes: notes.into_values().collect(),
        position,
    }
}

fn twins(history: &[LogEntry]) -> BTreeMap<Partition, PartitionState> {
    partitions().all().map(|partition| (partition, twin(history, partition))).collect()
}

fn rebuilt(parts: &[Part], log: &[LogEntry]) -> BTreeMap<Partition, PartitionState> {
    let mut rebuild = Rebuild::new(&partitions(), partitions().all().collect());
    parts.iter().for_each(|part| rebuild.part(part));
    log.iter().for_each(|entry| rebuild.entry(entry));
    rebuild.finish()
}

fn part_of(stretch: &[LogEntry]) -> Part {
    let mut builder = PartBuilder::new(&partitions());
    stretch.iter().for_each(|entry| builder.entry(entry));
    builder.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_log_says_what_its_entries_say_one_after_the_other(history in entries(12)) {
        prop_assert_eq!(rebuilt(&[], &history), twins(&history));
    }

    #[test]
    fn wherever_a_history_is_cut_into_parts_it_says_the_same(
        history in entries(12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
        merged in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        on_top in any::<bool>(),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(history.len() + 1)).collect();
        cuts.sort_unstable();
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let mut parts: Vec<Part> = starts.zip(&cuts).map(|(from, to)| part_of(&history[from..*to])).collect();
        let log = &history[cuts.last().copied().unwrap_or(0)..];
        if !parts.is_empty() {
            let (one, other) = (merged.0.index(parts.len()), merged.1.index(parts.len()));
            let range = one.min(other)..=one.max(other);
            let whole = if on_top {
                // A builder continues from parts just as merging does.
                let mut builder = PartBuilder::new(&partitions());
                parts[range.clone()].iter().for_each(|part| builder.part(part));
                builder.finish()
            } else {
                merge(&parts[range.clone()])
            };
            parts.splice(range, [whole]);
        }
        prop_assert_eq!(rebuilt(&parts, log), twins(&history));
    }

    #[test]
    fn what_is_said_twice_changes_nothing(history in entries(12), at in any::<prop::sample::Index>()) {
        // Each entry twice, as after an append without an answer.
        let doubled: Vec<LogEntry> = history.iter().flat_map(|entry| [entry.clone(), entry.clone()]).collect();
        let steady = |entry: &LogEntry| entry.taken.is_empty() || entry.released.is_empty();
        prop_assume!(history.iter().all(steady));
        prop_assert_eq!(rebuilt(&[], &doubled), twins(&history));
        // The end of the log is already in the parts, as if the log had not been trimmed yet.
        let at = at.index(history.len() + 1);
        let again = rebuilt(&[part_of(&history)], &history[at..]);
        for (partition, known) in twins(&history) {
            let found = &again[&partition];
            prop_assert_eq!(&found.ended, &known.ended);
            // Ownership depends on the order of entries: repeated entries must not change it.
            if history[at..].iter().all(|entry| entry.taken.is_empty() && entry.released.is_empty()) {
                prop_assert_eq!(found.position, known.position);
            }
            let waiting = |known: &PartitionState| known.waiting.iter().map(|item| item.url.clone()).collect::<Vec<_>>();
            prop_assert_eq!(waiting(found), waiting(&known));
        }
    }

    #[test]
    fn marks_may_be_put_together_in_any_grouping(marks in prop::collection::vec((any::<Option<bool>>(), 0..9_u64, 0..9_u64), 3)) {
        let [one, two, three]: [Marks; 3] =
            marks.iter().map(|(held, position, early)| Marks { held: *held, position: *position, early: *early }).collect::<Vec<_>>().try_into().unwrap();
        prop_assert_eq!(one.then(two).then(three), one.then(two.then(three)));
        prop_assert_eq!(Marks::default().then(one), one);
    }
}

fn item(url: &str, attempts: u8) -> ScheduledUrl {
    ScheduledUrl { attempts, ..crate::wire::tests::samples::scheduled(url) }
}

fn known(log: &[LogEntry]) -> PartitionState {
    let one = Partitions::new(1, 1);
    let mut rebuild = Rebuild::new(&one, one.all().collect());
    log.iter().for_each(|entry| rebuild.entry(entry));
    rebuild.finish().remove(&Partition(0)).unwrap()
}

#[test]
fn a_url_waits_at_its_first_place_with_its_last_values_until_it_has_ended() {
    let waits = |items: &[ScheduledUrl]| LogEntry { waiting: items.to_vec(), ..LogEntry::default() };
    let ends = |url: &str| LogEntry {
        ended: vec![FinishedUrl {
            partition: Partition(0),
            url: Fingerprint::of(url),
            fate: harvestman_core::model::Fate::Fetched,
        }],
        ..LogEntry::default()
    };
    let (a, b) = ("http://a/", "http://b/");
    let log =
        [waits(&[item(a, 0), item(b, 0)]), waits(&[item(a, 2)]), ends("http://c/"), waits(&[item("http://c/", 0)])];
    assert_eq!(known(&log).waiting, [item(a, 2), item(b, 0)]);
    assert_eq!(known(&[log.as_slice(), &[ends(a)]].concat()).waiting, [item(b, 0)]);
    assert_eq!(known(&log).ended, [Fingerprint::of("http://c/")]);
}

#[test]
fn positions_count_from_taken_to_released() {
    let entry = |position: u64, taken: bool, released: bool| LogEntry {
        positions: vec![position],
        taken: if taken { vec![Partition(0)] } else { Vec::new() },
        released: if released { vec![Partition(0)] } else { Vec::new() },
        ..LogEntry::default()
    };
    assert_eq!(known(&[entry(9, false, false)]).position, 0);
    assert_eq!(known(&[entry(3, true, false), entry(5, false, true), entry(9, false, false)]).position, 5);
}

#[test]
fn gaps_that_ended_urls_leave_are_closed_and_the_order_stays() {
    let mut gathered = Gathered::default();
    let url = |number: usize| format!("http://a/{number}");
    (0..4_000).for_each(|number| gathered.wait(&item(&url(number), 0)));
    (0..3_990).for_each(|number| gathered.end(Fingerprint::of(&url(number))));
    assert!(gathered.waiting.len() < 1_024 + 20, "{}", gathered.waiting.len());
    gathered.wait(&item(&url(3_995), 7));
    let section = gathered.finish();
    let expected: Vec<ScheduledUrl> =
        (3_990..4_000).map(|number| item(&url(number), if number == 3_995 { 7 } else { 0 })).collect();
    assert_eq!((section.waiting, section.ended.len()), (expected, 3_990));
}
