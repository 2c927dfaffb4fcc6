//! Corpora from the sources of users: archives written by Harvestman, recorded forums with labels, simulated sites.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use harvestman::archive::{Archive, CrawlInfo, PageFacts, RecordEncoder, RevisitIndex, RunId, WARC_DIRECTORY};
use harvestman::clock::Instant;
use harvestman::config::ByteSize;
use harvestman::config::archive::ArchiveOptions;
use harvestman::model::{Answer, Apath, Exchange, LinkClass, Priority, ScheduledUrl, Timings};
use harvestman::seed::Seed;
use harvestman::sim::{Family, World, WorldOptions};
use harvestman::url::CanonicalUrl;
use harvestman_lab::corpus::{Corpus, CorpusError, TypeCounts};
use http::{HeaderMap, HeaderName, HeaderValue, Version};

const START: Instant = Instant::from_micros(1_800_000_000_000_000);

fn gzipped(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn exchange(url: &str, status: u16, headers: &[(&'static str, &str)], body: Vec<u8>) -> Exchange {
    let field =
        |(name, value): &(&'static str, &str)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    let answer = Answer {
        status,
        version: Version::HTTP_2,
        headers: headers.iter().map(field).collect(),
        body: Bytes::from(body),
        truncated: None,
        remote: None,
        reservation: None,
    };
    Exchange {
        url: CanonicalUrl::from_canonical(url),
        request_headers: HeaderMap::new(),
        signature: Default::default(),
        result: Ok(answer),
        timings: Timings { started: START, first_byte: Some(START), ended: START },
    }
}

/// Writes `exchanges` as a crawl does, with request and metadata records. Returns the file.
fn archive(folder: &Path, exchanges: &[Exchange]) -> PathBuf {
    let options = ArchiveOptions::default();
    let run = || RunId::new(Seed(1), START);
    let index = Arc::new(RevisitIndex::new(ByteSize::mib(1)));
    let mut encoder = RecordEncoder::new(&options, run().ids(0), Arc::clone(&index)).revisiting_from(50);
    let info = CrawlInfo { robots: "obeyed".to_owned(), ..CrawlInfo::default() };
    let mut archive = Archive::create(folder, &options, &info, run(), START).unwrap();
    for exchange in exchanges {
        let item = ScheduledUrl {
            url: exchange.url.clone(),
            class: LinkClass::unclassified(Apath::SEED),
            priority: Priority::Normal,
            depth: 0,
            redirects: 0,
            attempts: 1,
            via: None,
        };
        let page = encoder.encode(exchange, &item, &PageFacts::default()).unwrap();
        archive.append(&page, START).unwrap();
        if let Some(original) = page.original {
            index.register(&page.payload_digest, &original);
        }
    }
    archive.finish().unwrap();
    std::fs::read_dir(folder.join(WARC_DIRECTORY)).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn an_archive_of_a_crawl_is_a_corpus() {
    let text = "<html><p>A page that is long enough to be worth a revisit record.</html>".repeat(3);
    let html = ("content-type", "text/html");
    let folder = tempfile::tempdir().unwrap();
    let file = archive(
        folder.path(),
        &[
            exchange("http://site.test/robots.txt", 200, &[("content-type", "text/plain")], b"User-agent: *".to_vec()),
            exchange("http://site.test/", 200, &[html, ("content-encoding", "gzip")], gzipped(&text)),
            exchange("http://site.test/same", 200, &[html, ("content-encoding", "gzip")], gzipped(&text)),
            exchange("http://site.test/chunked", 200, &[html, ("transfer-encoding", "chunked")], b"<p>x".to_vec()),
            exchange("http://site.test/old", 301, &[("location", "../same?utm_source=old")], Vec::new()),
            exchange("http://site.test/gone", 404, &[html], b"gone".to_vec()),
        ],
    );
    let corpus = Corpus::load(&file, None).unwrap();
    assert_eq!((corpus.len(), corpus.notes.len()), (6, 0), "{:?}", corpus.notes);
    let body = |path: &str| {
        let id = corpus.find(&format!("http://site.test{path}")).unwrap();
        String::from_utf8_lossy(&corpus.page(id).body).into_owned()
    };
    assert_eq!((body("/"), body("/same"), body("/chunked")), (text.clone(), text, "<p>x".to_owned()));
    assert_eq!(corpus.url(corpus.seed()).as_str(), "http://site.test/");
    let old = corpus.find("http://site.test/old").unwrap();
    assert_eq!(corpus.landing(old, 5), corpus.find("http://site.test/same"));

    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let cut = Corpus::load(&file, None).unwrap();
    assert!(cut.len() < 6 && cut.notes[0].contains("ends within the record at byte"), "{:?}", cut.notes);
}

/// Returns a corpus and its labels; `None`, with a report, if they are missing.
fn recorded(name: &str) -> Option<(PathBuf, PathBuf)> {
    let folder = std::env::var_os("HARVESTMAN_CORPORA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpora")), PathBuf::from);
    let files = (folder.join(format!("{name}.warc.gz")), folder.join(format!("{name}.labels.csv.gz")));
    if files.0.is_file() && files.1.is_file() {
        return Some(files);
    }
    let required = std::env::var_os("HARVESTMAN_REQUIRE_CORPORA").is_some_and(|value| value == "1");
    assert!(!required, "{} or its labels are missing", files.0.display());
    // Bypasses the harness, which hides the output of passing tests.
    let text =
        format!("SKIPPED: {} is missing; set HARVESTMAN_CORPORA to the folder of the corpora\n", files.0.display());
    std::io::stderr().write_all(text.as_bytes()).unwrap();
    None
}

#[test]
fn a_recorded_forum_has_the_counts_of_its_description() {
    let Some((warc, labels)) = recorded("spirit") else { return };
    let corpus = Corpus::load(&warc, Some(&labels)).unwrap();
    let truth = corpus.truth().unwrap();
    assert_eq!((corpus.len(), corpus.name.as_str()), (5_703, "spirit"));
    assert_eq!(corpus.notes, Vec::<String>::new());
    let count = |is: &dyn Fn(u16) -> bool| corpus.ids().filter(|id| is(corpus.page(*id).status)).count();
    assert_eq!((count(&|status| status == 200), count(&|status| status / 100 == 3)), (3_921, 1_782));
    let of_type = |name: &str| corpus.ids().filter(|id| &*truth.label(*id).unwrap().page_type == name).count();
    for (name, urls, pages) in [
        ("spirit:user:auth:login", 2_770, 2_770),
        ("spirit:topic:detail", 1_158, 996),
        ("spirit:comment:publish", 715, 0),
        ("spirit:category:detail", 73, 73),
        ("robots", 1, 0),
    ] {
        let found = (of_type(name), truth.types().get(name).map_or(0, |counts| counts.pages));
        assert_eq!(found, (urls, pages), "{name}");
    }
    assert_eq!(truth.ucc(), TypeCounts { pages: 996, unique: 996 - 133 });
    let duplicates = corpus.ids().filter(|id| truth.label(*id).unwrap().is_duplicate_view).count();
    assert_eq!(duplicates, 2_956);
    assert!(corpus.url(corpus.seed()).as_str().ends_with(":8102/"));
    let redirects = corpus.ids().filter(|id| corpus.page(*id).status / 100 == 3);
    let stray: Vec<_> = redirects.filter(|id| corpus.landing(*id, 5).is_none()).map(|id| corpus.url(id)).collect();
    assert!(stray.is_empty(), "{} redirects lead out of the corpus, as {}", stray.len(), stray[0]);
}

#[test]
fn the_labels_of_another_forum_are_refused() {
    let (Some((warc, _)), Some((_, labels))) = (recorded("spirit"), recorded("machina")) else { return };
    let error = Corpus::load(&warc, Some(&labels)).unwrap_err();
    assert!(matches!(error, CorpusError::OtherLabels { .. }), "{error}");
    assert!(error.to_string().starts_with("0 of 14,444 labelled URLs of "), "{error}");
}

#[test]
fn a_simulated_site_is_a_corpus_with_its_truth() {
    for family in Family::SOCIAL {
        let options = WorldOptions {
            pages: 150,
            hosts: 1,
            families: vec![family],
            page_bytes: 300,
            links: 16,
            ..WorldOptions::default()
        };
        let world = World::new(&options, Seed(7)).unwrap();
        let corpus = Corpus::from_world(&world).unwrap();
        let truth = corpus.truth().unwrap();
        assert_eq!(corpus.len(), world.truth().count(), "{family:?}");
        assert_eq!(corpus.url(corpus.seed()).as_str(), world.seeds()[0]);
        let (mut ucc, mut unique) = (0, 0);
        for row in world.truth() {
            let id = corpus.find(&row.url).unwrap();
            let (page, label) = (corpus.page(id), truth.label(id).unwrap());
            assert_eq!((page.status, &*label.page_type), (row.status, row.page_type.as_str()), "{}", row.url);
            let target = page.location.as_ref().map(|to| to.as_str().to_owned());
            assert_eq!(target, row.redirect_to, "{}", row.url);
            assert_eq!(label.is_duplicate_view, row.duplicate_of.is_some(), "{}", row.url);
            let counts = row.ucc && row.status == 200 && row.media_type.starts_with("text/html");
            ucc += u64::from(counts);
            unique += u64::from(counts && row.duplicate_of.is_none());
        }
        assert_eq!(truth.ucc(), TypeCounts { pages: ucc, unique }, "{family:?}");
        assert!(unique > 20 && truth.types().len() > 3, "{family:?} has {unique} user-created pages");
    }
}
