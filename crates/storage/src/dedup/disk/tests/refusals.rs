//! Tests of unusable directories and failing writes.

use std::fs;

use super::super::{DeferredSet, DiskError, DiskSet};
use super::{opened, tiny, url, urls, written};

#[test]
fn an_unwritable_directory_is_an_error_that_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a file");
    fs::write(&file, "").unwrap();
    let error = DiskSet::create(&file.join("seen"), &tiny(2)).err().unwrap().to_string();
    assert!(error.contains("a file/seen") && error.contains("check that the directory"), "{error}");
}

#[test]
fn only_sets_are_opened_and_no_set_is_created_over_another() {
    let directory = tempfile::tempdir().unwrap();
    let error = opened(directory.path()).err().unwrap();
    assert!(error.to_string().contains("does not contain a set of URLs"), "{error}");
    let error = opened(&directory.path().join("nowhere")).err().unwrap();
    assert!(
        matches!(error, DiskError::File { action: "read", .. }) && error.to_string().contains("nowhere"),
        "{error}"
    );
    written(directory.path(), 10);
    let error = DeferredSet::create(directory.path(), &tiny(2)).err().unwrap();
    assert!(matches!(error, DiskError::Exists { .. }), "{error}");
    assert_eq!(opened(directory.path()).unwrap().len(), 10);
}

#[test]
fn a_set_can_be_open_only_once() {
    let directory = tempfile::tempdir().unwrap();
    let set = DiskSet::create(directory.path(), &tiny(2)).unwrap();
    assert!(matches!(opened(directory.path()), Err(DiskError::InUse { .. })));
    drop(set);
    assert!(opened(directory.path()).unwrap().is_empty());
}

#[test]
fn a_set_that_cannot_write_answers_as_before_and_recovers() {
    let directory = tempfile::tempdir().unwrap();
    let mut set = DiskSet::create(directory.path(), &tiny(u64::MAX)).unwrap();
    let in_the_way = directory.path().join("0000000000-0000000001.partial");
    fs::create_dir(&in_the_way).unwrap();
    let mut new = Vec::new();
    let error = set.insert_all(&urls(0..30), &mut new).unwrap_err();
    assert!(error.to_string().contains(in_the_way.to_str().unwrap()), "{error}");
    let taken = new.len() as u32;
    assert!((1..30).contains(&taken) && new.iter().all(|new| *new));
    assert_eq!(set.len(), u64::from(taken));
    set.insert_all(&urls(0..taken), &mut new).unwrap();
    assert!(!new.contains(&true), "accepted fingerprints are known");
    assert!(!set.contains(url(taken)).unwrap(), "rejected fingerprints are not");
    assert!(set.flush().is_err(), "it reports the failure");
    fs::remove_dir(&in_the_way).unwrap();
    set.insert_all(&urls(0..30), &mut new).unwrap();
    assert_eq!(new, (0..30).map(|n| n >= taken).collect::<Vec<_>>());
    set.flush().unwrap();
    drop(set);
    assert_eq!(opened(directory.path()).unwrap().len(), 30);
}

#[test]
fn a_full_batch_accepts_no_more_until_it_is_merged() {
    let directory = tempfile::tempdir().unwrap();
    let mut set = DeferredSet::create(directory.path(), &tiny(2)).unwrap();
    set.put(url(0), 7).unwrap();
    assert!(set.is_full() && matches!(set.put(url(1), 8), Err(DiskError::BatchFull)));
    let mut answers = Vec::new();
    set.merge(|tag, new| answers.push((tag, new))).unwrap();
    set.put(url(0), 9).unwrap();
    set.merge(|tag, new| answers.push((tag, new))).unwrap();
    assert_eq!(answers, [(7, true), (9, false)]);
    set.merge(|_, _| panic!("an empty batch has no answers")).unwrap();
}
