//! Tests of the writer thread: order, answers, errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::unbounded;

use super::*;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::ByteSize;
use harvestman_core::config::archive::ArchiveOptions;
use harvestman_core::model::PageRecord;
use harvestman_core::seed::Seed;

fn record(url: &str) -> PageRecord {
    serde_json::from_value(serde_json::json!({
        "url": url, "time": "2027-01-15T08:00:00Z", "fate": "fetched", "bytes": 0, "depth": 0, "attempts": 1
    }))
    .unwrap()
}

fn page(bytes: &[u8]) -> EncodedPage {
    EncodedPage {
        bytes: bytes.to_vec(),
        response_length: bytes.len() as u64,
        records: 1,
        payload_digest: Digest::Sha1([7; 20]),
        revisit: false,
        original: Some(OriginalRecord {
            url: "http://h/".into(),
            date: Instant::EPOCH,
            id: RunId::new(Seed(1), Instant::EPOCH).ids(0).next_id(),
        }),
        held_by: None,
        is_unkept: false,
    }
}

fn spawn(directory: &std::path::Path, options: &ArchiveOptions) -> (ArchiveSink, ArchiveThread, Arc<RevisitIndex>) {
    spawn_within(ArchiveLimits::default(), directory, options)
}

fn spawn_within(
    limits: ArchiveLimits,
    directory: &std::path::Path,
    options: &ArchiveOptions,
) -> (ArchiveSink, ArchiveThread, Arc<RevisitIndex>) {
    let index = Arc::new(RevisitIndex::new(ByteSize::mib(1)));
    let run = RunId::new(Seed(1), Instant::EPOCH);
    let files = CrawlFiles::open(directory, options, limits, &CrawlInfo::default(), run, Instant::EPOCH).unwrap();
    let clock = Clock::starting_at(Instant::from_micros(1_800_000_000_000_000));
    let (sink, writer) = ArchiveSink::new(Box::new(files), index.clone(), clock, limits);
    let thread = writer.spawn().unwrap();
    (sink, thread, index)
}

#[test]
fn entries_are_answered_in_order_after_their_bytes_are_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let options = ArchiveOptions { links: true, ..Default::default() };
    let limits = ArchiveLimits { queue_entries: 2, queue_bytes: 16, ..ArchiveLimits::default() };
    let (sink, thread, index) = spawn_within(limits, directory.path(), &options);
    let (answers, answered) = unbounded();
    for number in 0..50u8 {
        let root = directory.path().to_path_buf();
        let answers = answers.clone();
        let done = Box::new(move |result: Result<Option<RecordLocation>, Arc<Error>>| {
            let position = result.unwrap().unwrap();
            let file = std::fs::read(root.join(format!("{}{OPEN_SUFFIX}", position.file))).unwrap();
            let start = position.offset as usize;
            let there = file[start..start + position.length as usize].iter().all(|byte| *byte == number);
            answers.send((number, there)).unwrap();
        });
        // Every third page exceeds the queue's byte limit on its own.
        let bytes = vec![number; if number % 3 == 0 { 40 } else { 5 }];
        let links = Some(links_line("http://h/", std::iter::empty()));
        let entry = ArchiveEntry { page: Some(page(&bytes)), record: Some(record("http://h/")), links, done };
        assert!(sink.write(entry).is_ok());
    }
    drop(sink);
    let written = thread.join().unwrap();
    assert_eq!(written.records, 51);
    let expected: Vec<_> = (0..50).map(|number| (number, true)).collect();
    assert_eq!(answered.try_iter().collect::<Vec<_>>(), expected);
    assert_eq!(index.len(), 1);
    let log = std::fs::read_to_string(directory.path().join("pages.jsonl")).unwrap();
    let lines: Vec<PageRecord> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 50);
    let offsets: Vec<_> = lines.iter().map(|line| line.warc_offset.unwrap()).collect();
    assert!(offsets.is_sorted_by(|a, b| a < b));
    assert!(directory.path().join(lines[0].warc_file.as_ref().unwrap()).exists());
    assert_eq!(lines[0].payload_digest.as_deref(), Some("sha1:A4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYH"));
    let links = std::fs::File::open(directory.path().join("links.jsonl.gz")).unwrap();
    let links = std::io::read_to_string(flate2::read::MultiGzDecoder::new(links)).unwrap();
    assert_eq!(links.lines().count(), 50);
}

#[test]
fn without_an_archive_the_page_log_is_still_written() {
    let directory = tempfile::tempdir().unwrap();
    let options = ArchiveOptions { enabled: false, ..Default::default() };
    let (sink, thread, _) = spawn(directory.path(), &options);
    let done: OnWritten = Box::new(|result| assert_eq!(result.unwrap(), None));
    assert!(sink.write(ArchiveEntry { page: None, record: Some(record("http://h/")), links: None, done }).is_ok());
    drop(sink);
    assert_eq!(thread.join().unwrap(), ArchiveTotals::default());
    assert_eq!(std::fs::read_to_string(directory.path().join("pages.jsonl")).unwrap().lines().count(), 1);
    assert!(!directory.path().join(WARC_DIRECTORY).exists());
}

#[test]
fn after_the_first_error_every_entry_is_answered_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let options = ArchiveOptions { file_size_max: ByteSize(1), ..Default::default() };
    let (sink, thread, index) = spawn(directory.path(), &options);
    let (succeeded, failed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let entry = || {
        let (succeeded, failed) = (succeeded.clone(), failed.clone());
        let done: OnWritten = Box::new(move |result| {
            if result.is_ok() { &succeeded } else { &failed }.fetch_add(1, Ordering::SeqCst);
        });
        ArchiveEntry { page: Some(page(b"x")), record: Some(record("http://h/")), links: None, done }
    };
    assert!(sink.write(entry()).is_ok());
    while sink.queue_length() > 0 || sink.queue_bytes() > 0 {
        std::thread::yield_now();
    }
    // The next page needs a new file, but its directory no longer exists.
    std::fs::rename(directory.path().join(WARC_DIRECTORY), directory.path().join("moved")).unwrap();
    for _ in 0..20 {
        assert!(sink.write(entry()).is_ok());
    }
    drop(sink);
    let error = thread.join().unwrap_err().to_string();
    assert!(error.contains("warc"), "{error}");
    assert_eq!((succeeded.load(Ordering::SeqCst), failed.load(Ordering::SeqCst)), (1, 20));
    assert_eq!(index.len(), 1);
    assert_eq!(std::fs::read_to_string(directory.path().join("pages.jsonl")).unwrap().lines().count(), 1);
}

#[test]
fn a_panic_in_an_answer_stops_the_archive_but_not_the_answers() {
    let directory = tempfile::tempdir().unwrap();
    let limits = ArchiveLimits { queue_entries: 1, ..ArchiveLimits::default() };
    let (sink, thread, _) = spawn_within(limits, directory.path(), &ArchiveOptions::default());
    let failed = Arc::new(AtomicUsize::new(0));
    let panics: OnWritten = Box::new(|_| panic!("on purpose"));
    assert!(
        sink.write(ArchiveEntry { page: None, record: Some(record("http://h/")), links: None, done: panics }).is_ok()
    );
    for _ in 0..10 {
        let failed = failed.clone();
        let done: OnWritten = Box::new(move |result| {
            failed.fetch_add(usize::from(result.is_err()), Ordering::SeqCst);
        });
        assert!(
            sink.write(ArchiveEntry { page: Some(page(b"x")), record: Some(record("http://h/")), links: None, done })
                .is_ok()
        );
    }
    drop(sink);
    assert!(matches!(thread.join(), Err(Error::Stopped(_))));
    assert_eq!(failed.load(Ordering::SeqCst), 10);
}
