//! Tests of damaged and missing files.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::super::{DeferredSet, DiskError, DiskSet};
use super::{opened, runs, tiny, url, urls, written};

/// Returns the error message of opening the set.
fn message(directory: &Path) -> String {
    let error = opened(directory).err().expect("it must not open");
    assert!(matches!(error, DiskError::Damaged { .. }), "{error}");
    error.to_string()
}

/// Changes a file and expects an error that names it and says `what`.
fn damaged(what: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 100);
    let run = runs(directory.path()).remove(0);
    let mut bytes = fs::read(&run).unwrap();
    change(&mut bytes);
    fs::write(&run, bytes).unwrap();
    let message = message(directory.path());
    assert!(message.contains(run.to_str().unwrap()) && message.contains(what), "{message}");
    assert!(message.contains("restore an intact copy"), "{message}");
}

#[test]
fn a_damaged_run_is_an_error_with_its_name_and_a_remedy() {
    damaged("is truncated", Vec::clear);
    damaged("is truncated", |bytes| bytes.truncate(4_095));
    damaged("does not have the length", |bytes| bytes.truncate(bytes.len() - 1));
    damaged("does not have the length", |bytes| bytes.extend([0; 16]));
    damaged("is not a run", |bytes| bytes[0] = b'?');
    damaged("another version", |bytes| bytes[8] = 2);
    damaged("damaged header", |bytes| bytes[33] ^= 1);
    damaged("is not in order", |bytes| bytes[4_096..].reverse());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_changed_bit_of_a_fingerprint_is_detected(at in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let directory = tempfile::tempdir().unwrap();
        written(directory.path(), 60);
        let run = runs(directory.path()).remove(0);
        let mut bytes = fs::read(&run).unwrap();
        let at = 4_096 + at.index(bytes.len() - 4_096);
        bytes[at] ^= 1_u8 << bit;
        fs::write(&run, bytes).unwrap();
        prop_assert!(message(directory.path()).contains(run.to_str().unwrap()));
    }
}

#[test]
fn a_missing_or_renamed_run_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 100);
    let first = runs(directory.path()).remove(0);
    assert!(runs(directory.path()).len() > 1);
    fs::rename(&first, first.with_extension("elsewhere")).unwrap();
    assert!(message(directory.path()).contains("follows a run that is missing"));
    fs::copy(&runs(directory.path())[0], &first).unwrap();
    assert!(message(directory.path()).contains("has the name of another run"));
    fs::rename(first.with_extension("elsewhere"), &first).unwrap();
    fs::write(directory.path().join("old.run"), "").unwrap();
    assert!(message(directory.path()).contains("old.run does not have the name of a run"));
    fs::remove_file(directory.path().join("old.run")).unwrap();
    assert_eq!(opened(directory.path()).unwrap().len(), 100);
}

#[test]
fn an_unfinished_file_is_set_aside() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 100);
    let torn = directory.path().join("0000000000-0000000099.partial");
    fs::write(&torn, [0; 5_000]).unwrap();
    assert_eq!(opened(directory.path()).unwrap().len(), 100);
    assert!(!torn.exists() && torn.with_extension("torn").exists());
    assert_eq!(opened(directory.path()).unwrap().len(), 100);
}

#[test]
fn merged_runs_left_by_a_crash_are_not_counted_twice() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 100);
    let before: Vec<_> = runs(directory.path()).into_iter().map(|run| (fs::read(&run).unwrap(), run)).collect();
    let mut set = DiskSet::open(directory.path(), &tiny(u64::MAX)).unwrap();
    set.insert_all(&urls(100..101), &mut Vec::new()).unwrap();
    set.flush().unwrap();
    drop(set);
    assert_eq!(runs(directory.path()).len(), 1);
    before.iter().for_each(|(bytes, run)| fs::write(run, bytes).unwrap());
    let set = opened(directory.path()).unwrap();
    assert_eq!((set.len(), runs(directory.path()).len()), (101, 1));
}

#[test]
fn damage_found_during_a_merge_is_an_error_and_nothing_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 40);
    let mut set = DeferredSet::open(directory.path(), &tiny(u64::MAX)).unwrap();
    let run = runs(directory.path()).remove(0);
    let sound = fs::read(&run).unwrap();
    let mut bytes = sound.clone();
    bytes[4_096] ^= 1;
    write_in_place(&run, &bytes);
    set.put(url(77), 0).unwrap();
    let error = set.merge(|_, _| panic!("nothing is answered")).unwrap_err();
    assert!(error.to_string().contains(run.to_str().unwrap()), "{error}");
    write_in_place(&run, &sound);
    let mut answers = Vec::new();
    set.merge(|tag, new| answers.push((tag, new))).unwrap();
    assert_eq!((answers, set.len()), (vec![(0, true)], 41));
}

/// Writes into the file that the set has open.
fn write_in_place(path: &Path, bytes: &[u8]) {
    use std::os::unix::fs::FileExt;
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(bytes, 0).unwrap();
}
