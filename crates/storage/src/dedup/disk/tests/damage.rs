//! Files that are not as they were written.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::super::{DeferredSet, DiskError, DiskSet};
use super::{opened, runs, tiny, url, urls, written};

/// The text of the error that opening gives.
fn complaint(directory: &Path) -> String {
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
    let complaint = complaint(directory.path());
    assert!(complaint.contains(run.to_str().unwrap()) && complaint.contains(what), "{complaint}");
    assert!(complaint.contains("put a sound copy"), "{complaint}");
}

#[test]
fn a_damaged_run_is_an_error_that_names_it_and_says_what_to_do() {
    damaged("is cut short", Vec::clear);
    damaged("is cut short", |bytes| bytes.truncate(4_095));
    damaged("another length", |bytes| bytes.truncate(bytes.len() - 1));
    damaged("another length", |bytes| bytes.extend([0; 16]));
    damaged("is no run", |bytes| bytes[0] = b'?');
    damaged("another version", |bytes| bytes[8] = 2);
    damaged("damaged header", |bytes| bytes[33] ^= 1);
    damaged("is not in order", |bytes| bytes[4_096..].reverse());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_changed_bit_of_a_fingerprint_goes_unnoticed(at in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let directory = tempfile::tempdir().unwrap();
        written(directory.path(), 60);
        let run = runs(directory.path()).remove(0);
        let mut bytes = fs::read(&run).unwrap();
        let at = 4_096 + at.index(bytes.len() - 4_096);
        bytes[at] ^= 1_u8 << bit;
        fs::write(&run, bytes).unwrap();
        prop_assert!(complaint(directory.path()).contains(run.to_str().unwrap()));
    }
}

#[test]
fn a_run_that_is_missing_or_of_another_name_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 100);
    let first = runs(directory.path()).remove(0);
    assert!(runs(directory.path()).len() > 1);
    fs::rename(&first, first.with_extension("elsewhere")).unwrap();
    assert!(complaint(directory.path()).contains("follows a run that is missing"));
    fs::copy(&runs(directory.path())[0], &first).unwrap();
    assert!(complaint(directory.path()).contains("has the name of another run"));
    fs::rename(first.with_extension("elsewhere"), &first).unwrap();
    fs::write(directory.path().join("old.run"), "").unwrap();
    assert!(complaint(directory.path()).contains("old.run has no name that a run can have"));
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
fn runs_that_a_crash_left_after_their_merge_are_not_counted_twice() {
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
fn damage_found_while_merging_is_an_error_and_nothing_is_lost() {
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

/// Through the file that the set has open.
fn write_in_place(path: &Path, bytes: &[u8]) {
    use std::os::unix::fs::FileExt;
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(bytes, 0).unwrap();
}
