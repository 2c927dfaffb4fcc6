use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use harvestman_core::clock::Instant;
use harvestman_core::model::{
    Apath, ApathLinks, ArchivedRecord, Change, ClusterId, Difference, Ended, Failure, Fate, History, Lastmod, Ledger,
    LinkClass, PageDigests, Priority, ProgressRecord, RecrawlVisit, RowChange, ScheduledUrl, Visit,
};
use harvestman_core::url::{CanonicalUrl, Fingerprint, HostKey};

fn item(number: u64) -> ScheduledUrl {
    ScheduledUrl {
        url: CanonicalUrl::from_canonical(format!("http://h{}.test/p{number}?q=ä", number % 3)),
        class: LinkClass::at(ClusterId(number as u32), Apath(number * 7)),
        priority: Priority::Normal,
        depth: number as u16,
        redirects: 1,
        attempts: 2,
        via: number.is_multiple_of(2).then(|| "http://h0.test/".into()),
    }
}

/// A group that contains only changes.
fn of(changes: Vec<Change>) -> CommitGroup {
    CommitGroup { changes, ..CommitGroup::default() }
}

fn ledger(changes: u64) -> Ledger {
    let mut ledger = Ledger::default();
    (0..changes).for_each(|_| ledger.own_requests(1, 10));
    ledger
}

/// The expected contents of the store.
#[derive(Debug, Clone, Default, PartialEq)]
struct Twin {
    waiting: BTreeMap<u64, ScheduledUrl>,
    ended: Vec<Fingerprint>,
    ledger: Ledger,
}

impl Twin {
    fn apply(&mut self, change: &Change) {
        self.waiting.extend(change.waiting.iter().cloned());
        for ended in &change.ended {
            ended.number.map(|number| self.waiting.remove(&number));
            self.ended.push(ended.url);
        }
        self.ended.sort_unstable();
        self.ended.dedup();
        self.ledger = change.ledger.clone();
    }

    fn of(store: &Store) -> (Self, RestoredState) {
        let mut twin = Self::default();
        let mut restored = store.restore().unwrap();
        let waiting = |number, item| drop(twin.waiting.insert(number, item));
        restored.unreadable += store.urls(waiting, |url| twin.ended.push(url)).unwrap();
        twin.ended.sort_unstable();
        twin.ledger = restored.account.ledger.clone();
        (twin, restored)
    }
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let fates = prop::sample::select(vec![Fate::Fetched, Fate::Failed(Failure::Http(418)), Fate::Redirected]);
    let ended = (0..20_u64, prop::bool::weighted(0.8), fates).prop_map(|(number, waited, fate)| Ended {
        number: waited.then_some(number),
        url: item(number).url.fingerprint(),
        host: item(number).url.host_key(),
        fate,
    });
    let waiting = prop::collection::vec(0..20_u64, 0..4);
    let change = (waiting, prop::collection::vec(ended, 0..2), 0..9_u64).prop_map(|(waiting, ended, spent)| Change {
        waiting: waiting.into_iter().map(|number| (number, item(number))).collect(),
        ended,
        leases: 1,
        ledger: ledger(spent),
        ..Change::default()
    });
    prop::collection::vec(change, 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn committed_changes_are_present_whenever_the_store_is_opened(groups in prop::collection::vec((changes(), any::<bool>()), 1..6)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let mut store = Store::create(&path).unwrap();
        let mut twin = Twin::default();
        for (at, (group, reopen)) in groups.iter().enumerate() {
            group.iter().for_each(|change| twin.apply(change));
            store.commit(&of(group.clone()), Duration::from_secs(at as u64)).unwrap();
            if *reopen {
                drop(store);
                store = Store::open(&path).unwrap();
            }
            let (found, restored) = Twin::of(&store);
            prop_assert_eq!(&found, &twin);
            prop_assert_eq!((restored.account.elapsed, restored.unreadable), (Duration::from_secs(at as u64), 0));
        }
    }
}

/// Copies a store as a power failure would leave it: unsynced data may be present or not.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copied(&entry.path(), &to)
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The active journal, and the length of its written part.
fn journal(path: &Path) -> (std::path::PathBuf, u64) {
    let files = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let journal = files.filter(|path| path.extension().is_some_and(|it| it == "jnl")).max().unwrap();
    let bytes = fs::read(&journal).unwrap();
    let written = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
    (journal, written as u64)
}

#[test]
fn a_torn_end_loses_whole_groups_from_the_end_and_never_part_of_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let store = Store::create(&path).unwrap();
    let mut states = vec![Twin::default()];
    for group in 0..8_u64 {
        let numbers = group * 5..group * 5 + 5;
        let ended = group.checked_sub(1).map(|before| before * 5);
        let change = Change {
            waiting: numbers.map(|number| (number, item(number))).collect(),
            ended: ended
                .map(|number| Ended {
                    number: Some(number),
                    url: item(number).url.fingerprint(),
                    host: item(number).url.host_key(),
                    fate: Fate::Fetched,
                })
                .into_iter()
                .collect(),
            leases: 1,
            ledger: ledger(group + 1),
            ..Change::default()
        };
        let mut twin = states.last().unwrap().clone();
        twin.apply(&change);
        states.push(twin);
        store.commit(&of(vec![change]), Duration::ZERO).unwrap();
    }
    let image = dir.path().join("image");
    copied(&path, &image);
    let (file, written) = journal(&image);
    let name = file.file_name().unwrap().to_owned();
    let mut seen = std::collections::BTreeSet::new();
    for cut in (0..written).rev().step_by(written as usize / 60) {
        let torn = dir.path().join("torn");
        copied(&image, &torn);
        fs::File::options().write(true).open(torn.join(&name)).unwrap().set_len(cut).unwrap();
        if let Ok(opened) = Store::open(&torn) {
            let (found, restored) = Twin::of(&opened);
            let at = states.iter().position(|state| *state == found);
            assert!(at.is_some(), "cut at {cut} of {written}: not a committed state: {found:?}");
            assert_eq!(restored.unreadable, 0);
            seen.insert(at);
        }
        fs::remove_dir_all(&torn).unwrap();
    }
    assert!(seen.len() >= 7, "{seen:?}");
}

/// Creates a store of `count` groups. Returns its journal and the end of each group in it.
fn groups(path: &Path, count: u64) -> (std::path::PathBuf, Vec<u64>) {
    let store = Store::create(path).unwrap();
    let mut ends = Vec::new();
    for number in 0..count {
        let mut item = item(number);
        item.via = Some("x".repeat(300).into());
        let change = Change { waiting: vec![(number, item)], ..Change::default() };
        store.commit(&of(vec![change]), Duration::ZERO).unwrap();
        ends.push(journal(path).1);
    }
    (journal(path).0, ends)
}

#[test]
fn damage_in_the_last_group_loses_that_group_and_earlier_damage_is_reported_and_changes_nothing() {
    use std::os::unix::fs::FileExt;
    let dir = tempfile::tempdir().unwrap();
    for (damaged, left) in [(2, Some(2)), (1, None)] {
        let path = dir.path().join(damaged.to_string());
        let (file, ends) = groups(&path, 3);
        // In the middle of a long value: all markers of the format are intact.
        let at = ends[damaged - 1] + 250;
        fs::File::options().write(true).open(&file).unwrap().write_all_at(b"\x01", at).unwrap();
        let bytes = fs::read(&file).unwrap();
        match (Store::open(&path), left) {
            (Ok(store), Some(left)) => assert_eq!(Twin::of(&store).0.waiting.len(), left),
            (Err(error), None) => {
                assert!(error.to_string().contains("cannot open"), "{error}");
                assert!(fs::read(&file).unwrap() == bytes, "the journal is unchanged");
            }
            (opened, _) => panic!("{:?}", opened.map(|store| Twin::of(&store).0.waiting.len())),
        }
    }
}

#[test]
fn an_unreadable_record_is_skipped_and_the_others_are_present() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let store = Store::create(&path).unwrap();
    let change = Change { waiting: (0..3).map(|number| (number, item(number))).collect(), ..Change::default() };
    store.commit(&of(vec![change]), Duration::ZERO).unwrap();
    store.spoil_waiting(1);
    drop(store);
    let (found, restored) = Twin::of(&Store::open(&path).unwrap());
    assert_eq!((found.waiting.keys().copied().collect::<Vec<_>>(), restored.unreadable), (vec![0, 2], 1));
}

#[test]
fn the_last_record_of_each_host_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let store = Store::create(&path).unwrap();
    let (one, two) = (HostKey::from_origin("http://a.test"), HostKey::from_origin("https://b.test:8443"));
    let hosts = |memory: &[u8]| BTreeMap::from([(one.clone(), memory.to_vec()), (two.clone(), b"x".to_vec())]);
    store.commit(&CommitGroup { hosts: hosts(b"first"), ..CommitGroup::default() }, Duration::ZERO).unwrap();
    store.commit(&CommitGroup { hosts: hosts(b"second"), ..CommitGroup::default() }, Duration::ZERO).unwrap();
    let (_, restored) = Twin::of(&store);
    assert_eq!(restored.hosts, [(one.clone(), b"second".to_vec()), (two.clone(), b"x".to_vec())]);
}

fn visit(url: &str, visits: u32) -> Visit {
    Visit {
        url: url.into(),
        via: Some("http://h/".into()),
        depth: 2,
        round: visits - 1,
        visits,
        first: Instant::from_micros(5),
        last: Instant::from_micros(6),
        waited: 7,
        changed: None,
        difference: Some(Difference::Numbers),
        gone: false,
        history: History { changed: 1, ..History::default() },
        numbers: 1,
        digests: PageDigests { gist: 1, text: 2, body: 3 },
        rows: [1, 2, 3].into(),
        etag: Some("\"tag\"".into()),
        modified: None,
        archived: Some(ArchivedRecord {
            url: None,
            date: Instant::from_micros(8),
            id: [9; 16],
            payload: "sha1:A".into(),
        }),
    }
}

#[test]
fn the_last_visit_of_a_page_can_be_looked_up_during_commits() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let store = Store::create(&path).unwrap();
    let reader = store.visits();
    let change = |visit: Visit| Change { visit: Some(Box::new(visit)), ..Change::default() };
    let (one, other) = ("http://h/1", "http://h/2");
    store.commit(&of(vec![change(visit(one, 1)), change(visit(other, 1))]), Duration::ZERO).unwrap();
    store.commit(&of(vec![change(visit(one, 2)), change(visit(one, 3))]), Duration::ZERO).unwrap();
    let of = |url: &str| reader.of(Fingerprint::of(url)).unwrap();
    assert_eq!((of(one), of(other), of("http://h/3")), (Some(visit(one, 3)), Some(visit(other, 1)), None));
    assert_eq!(reader.count().unwrap(), 2);
    let mut each = Vec::new();
    assert_eq!(reader.each(|page, visit| each.push((page, visit.page()))).unwrap(), 0);
    assert!(each.len() == 2 && each.iter().all(|(page, of)| page == of));
}

#[test]
fn sightings_of_a_recrawl_are_returned_in_order_until_the_next_one_starts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let store = Store::create(&path).unwrap();
    let place = ApathLinks { apath: u64::MAX, links: vec![(7, RowChange::Fresh), (u32::MAX, RowChange::Both)] };
    let sighting = |round: u32, at: u64, page: u128| RecrawlVisit {
        page: Fingerprint(page),
        round,
        at: Instant::from_micros(at),
        difference: (at != 3).then_some(Difference::Content),
        waited: 9,
        gone: at == 2,
        places: vec![place.clone()],
    };
    let change =
        |sighting: &RecrawlVisit| Change { recrawl_visit: Some(Box::new(sighting.clone())), ..Change::default() };
    let all = [sighting(1, 1, 5), sighting(1, 2, 1), sighting(1, 3, 9), sighting(1, 300, 5), sighting(2, 0, 5)];
    store.commit(&of(all.iter().rev().map(change).collect()), Duration::ZERO).unwrap();
    drop(store);
    let store = Store::open(&path).unwrap();
    let of_round = |store: &Store, round: u32| {
        let mut seen = Vec::new();
        store.visits().sightings(round, |sighting| seen.push(sighting)).unwrap();
        seen
    };
    assert_eq!((of_round(&store, 1), of_round(&store, 2)), (all[..4].to_vec(), all[4..].to_vec()));
    let round = RecrawlRound { number: 3, ..RecrawlRound::default() };
    store.begin_round(&round, &Account::default()).unwrap();
    store.commit(&of(vec![change(&sighting(3, 4, 4))]), Duration::ZERO).unwrap();
    drop(store);
    let store = Store::open(&path).unwrap();
    assert_eq!((of_round(&store, 1), of_round(&store, 2)), (vec![], vec![]));
    assert_eq!(of_round(&store, 3), [sighting(3, 4, 4)]);
}

#[test]
fn a_recrawl_starts_with_its_own_account() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let store = Store::create(&path).unwrap();
    let change = Change { waiting: vec![(4, item(4))], ledger: ledger(9), ..Change::default() };
    store.commit(&of(vec![change]), Duration::from_secs(50)).unwrap();
    assert_eq!((store.waiting().unwrap(), store.restore().unwrap().round), (1, None));
    let round = RecrawlRound { number: 1, began: Instant::from_micros(77), pages: 3 };
    let account = Account { ledger: ledger(1), ..Account::default() };
    store.begin_round(&round, &account).unwrap();
    drop(store);
    let restored = Store::open(&path).unwrap().restore().unwrap();
    assert_eq!((restored.round, restored.account), (Some(round), account));
}

#[test]
fn a_missing_state_and_a_state_in_use_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Store::open(&dir.path().join("none")), Err(StoreError::Missing { .. })));
    let path = dir.path().join("state");
    let store = Store::create(&path).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::InUse { .. })));
    store.set_format(9);
    drop(store);
    let error = Store::open(&path).err().unwrap();
    assert!(error.to_string().contains("has format 9; this version reads format 1"), "{error}");
}

#[test]
fn the_last_note_of_each_key_is_restored_and_unreadable_notes_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::create(&dir.path().join("state")).unwrap();
    let host = HostKey::from_origin("http://h.test");
    let robots = ProgressRecord::Robots(host.clone(), values::encode(&7_u64));
    let found = ProgressRecord::SitemapFound("http://h.test/a.xml".to_owned(), 1);
    let noted = |notes: &[ProgressRecord]| Change { progress: notes.to_vec(), ..Change::default() };
    let changes = [
        noted(&[ProgressRecord::Admitted(host.clone(), 3), found.clone()]),
        noted(&[ProgressRecord::Admitted(host.clone(), 5)]),
    ];
    let hosts = BTreeMap::from([(host.clone(), vec![values::FORMAT, 1])]);
    store
        .commit(&CommitGroup { changes: changes.to_vec(), hosts, notes: vec![robots.clone()] }, Duration::ZERO)
        .unwrap();
    let read = noted(&[ProgressRecord::SitemapRead("http://h.test/a.xml".to_owned())]);
    store.commit(&of(vec![read]), Duration::ZERO).unwrap();
    let read = |store: &Store| {
        let past = store.restore().unwrap();
        assert_eq!(past.hosts, [(host.clone(), vec![values::FORMAT, 1])]);
        (past.notes, past.unreadable)
    };
    let all = vec![
        ProgressRecord::Admitted(host.clone(), 5),
        robots,
        found,
        ProgressRecord::SitemapRead("http://h.test/a.xml".to_owned()),
    ];
    assert_eq!(read(&store), (all.clone(), 0));
    store.spoil_note("admitted http://h.test");
    assert_eq!(read(&store), (all[1..].to_vec(), 1));
}

#[test]
fn the_last_lastmod_of_a_page_is_kept_over_recrawls() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let store = Store::create(&path).unwrap();
    let lastmod = |page, modified, read| Lastmod::new(Fingerprint(page), modified, read);
    let change = |lastmods: &[Lastmod]| Change { lastmods: lastmods.to_vec(), ..Change::default() };
    let changes = vec![change(&[lastmod(1, 5, 9), lastmod(2, 7, 9)]), change(&[lastmod(1, 6, 10)])];
    assert!(!changes[0].is_empty());
    store.commit(&of(changes), Duration::ZERO).unwrap();
    store.begin_round(&RecrawlRound::default(), &Account::default()).unwrap();
    drop(store);
    let reader = Store::open(&path).unwrap().visits();
    let of = |page| reader.lastmod(Fingerprint(page)).unwrap();
    assert_eq!((of(1), of(2), of(3)), (Some(lastmod(1, 6, 10)), Some(lastmod(2, 7, 9)), None));
}
