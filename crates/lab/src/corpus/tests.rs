use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

/// A record as tools write it, without the fields that are irrelevant here.
fn record(kind: &str, url: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let mut head = format!("WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{fields}");
    write!(head, "Content-Length: {}\r\n\r\n", block.len()).unwrap();
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A response of this message, with line feeds only.
pub(crate) fn response(url: &str, message: &str) -> Vec<u8> {
    record("response", url, "", message.replace('\n', "\r\n").as_bytes())
}

fn page(url: &str) -> Vec<u8> {
    response(url, "HTTP/1.1 200 OK\nContent-Type: text/html\n\n<html>page</html>")
}

/// A folder with a file in it.
fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn load(records: &[Vec<u8>]) -> Result<Corpus, CorpusError> {
    let (_folder, path) = file("site.warc", &records.concat());
    Corpus::load(&path, None)
}

/// A corpus of these records with the labels of a table.
pub(crate) fn load_labelled(records: &[Vec<u8>], csv: &str) -> Result<Corpus, CorpusError> {
    let (folder, path) = file("site.warc", &records.concat());
    let labels = folder.path().join("labels.csv");
    std::fs::write(&labels, csv).unwrap();
    Corpus::load(&path, Some(&labels))
}

fn body(corpus: &Corpus, url: &str) -> String {
    let id = corpus.find(url).unwrap_or_else(|| panic!("{url} is not in the corpus"));
    String::from_utf8(corpus.page(id).body.to_vec()).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_file_as_wget_writes_it_is_read_with_its_redirects() {
    let chunked = "HTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked\n\n5\n<html\n1\n>\n0\n\n";
    let corpus = load(&[
        b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 2\r\n\r\n{}\r\n\r\n".to_vec(),
        record("request", "<http://h/>", "", b"GET / HTTP/1.1\r\n\r\n"),
        response("<http://h/>", "HTTP/1.1 302 Found\nLocation: /start#top\nContent-Length: 0\n\n"),
        response("<http://h/start>", chunked),
        record("metadata", "metadata://gnu.org/software/wget/warc/MANIFEST.txt", "", b"x"),
        record("resource", "metadata://gnu.org/software/wget/warc/wget.log", "", b"x"),
    ])
    .unwrap();
    assert_eq!((corpus.len(), corpus.name.as_str(), corpus.notes.len()), (2, "site", 0));
    assert_eq!(body(&corpus, "http://h/start"), "<html>");
    let (front, start) = (corpus.find("http://h/").unwrap(), corpus.find("http://h/start").unwrap());
    assert_eq!(corpus.page(front).status, 302);
    assert_eq!(corpus.landing(front, 5), Some(start));
    assert_eq!(corpus.seed(), start, "a redirect is not a start page");
    assert!(corpus.truth().is_none());
}

#[test]
fn the_first_response_of_a_url_wins_in_any_spelling() {
    let second = response("HTTP://H:80/a?utm_source=x#f", "HTTP/1.1 404 No\n\n");
    let corpus = load(&[page("http://h/a"), second]).unwrap();
    assert_eq!((corpus.len(), corpus.page(PageId(0)).status), (1, 200));
    assert_eq!(corpus.notes, ["1 further responses of known URLs were skipped"]);
}

#[test]
fn a_revisit_has_the_body_it_refers_to() {
    let identical = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n";
    let refers = |to: &str| format!("{identical}WARC-Refers-To-Target-URI: {to}\r\n");
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let corpus = load(&[
        page("http://h/a"),
        record("revisit", "http://h/b", &refers("<http://h/a>"), head),
        record("revisit", "http://h/c", &refers("http://h/elsewhere"), head),
        record("revisit", "http://h/d", identical, head),
        record("revisit", "http://h/e", "WARC-Profile: server-not-modified\r\n", head),
    ])
    .unwrap();
    assert_eq!(corpus.len(), 2);
    assert_eq!(body(&corpus, "http://h/b"), "<html>page</html>");
    assert_eq!(corpus.notes, ["3 revisits of responses that are not in the file were skipped"]);
}

#[test]
fn a_truncated_file_keeps_its_complete_records_and_says_so() {
    let records = [page("http://h/a"), page("http://h/b")];
    let plain = records.concat();
    let packed: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let second = [records[0].len(), gzip(&records[0]).len()];
    for (whole, second) in [plain, packed].into_iter().zip(second) {
        for end in second + 1..whole.len() - 4 {
            let (_folder, path) = file("cut.warc.gz", &whole[..end]);
            let corpus = Corpus::load(&path, None).unwrap();
            assert_eq!((corpus.len(), corpus.notes.len()), (1, 1), "cut at {end} of {}", whole.len());
            let place = format!("ends within the record at byte {second}");
            assert!(corpus.notes[0].contains(&place), "{:?}", corpus.notes);
        }
    }
}

#[test]
fn a_file_cut_off_before_its_first_page_is_refused_with_the_reason() {
    let whole = page("http://h/a");
    let error = load(&[whole[..whole.len() / 2].to_vec()]).unwrap_err().to_string();
    assert!(error.contains("ends within the record at byte 0") && error.contains("site"), "{error}");
}

#[test]
fn other_files_are_refused_with_name_and_position() {
    let error = load(&[b"<html>no archive</html>\n".to_vec()]).unwrap_err().to_string();
    assert!(error.contains("site.warc") && error.contains("byte 0") && error.contains("WARC/"), "{error}");
    let broken = load(&[page("http://h/"), b"garbage\r\n\r\n".to_vec()]).unwrap_err().to_string();
    assert!(broken.contains("no WARC record at byte"), "{broken}");
    let missing = Corpus::load(Path::new("/nowhere/x.warc"), None).unwrap_err().to_string();
    assert!(missing.contains("cannot open /nowhere/x.warc"), "{missing}");
    for nothing in [vec![], vec![response("http://h/", "HTTP/1.1 404 No\n\n")]] {
        let error = load(&nothing).unwrap_err().to_string();
        assert!(error.contains("no HTML page with status 200"), "{error}");
    }
}

#[test]
fn records_that_are_not_responses_are_skipped_and_counted() {
    let corpus = load(&[
        page("http://h/"),
        record("response", "dns:h", "Content-Type: text/dns\r\n", b"h. 60 IN A 127.0.0.1"),
        response("http://h/not-http", "no head at all"),
    ])
    .unwrap();
    assert_eq!(corpus.len(), 1);
    assert_eq!(corpus.notes, ["2 responses that are not HTTP or not of a web address were skipped"]);
}

#[test]
fn a_corpus_respects_its_memory_limit() {
    let (_folder, path) = file("site.warc", &[page("http://h/a"), page("http://h/b")].concat());
    let limits = Limits { bytes_max: 800, ..Limits::default() };
    let error = Corpus::load_within(&path, None, limits).unwrap_err().to_string();
    assert!(error.contains("more than 800 bytes"), "{error}");
    let long = Limits { response_bytes_max: 20, ..Limits::default() };
    assert!(matches!(Corpus::load_within(&path, None, long), Err(CorpusError::NoPage { .. })));
}

#[test]
fn an_endless_or_leaving_redirect_lands_nowhere() {
    let to = |url: &str, to: &str| response(url, &format!("HTTP/1.1 301 Moved\nLocation: {to}\n\n"));
    let corpus = load(&[
        page("http://h/"),
        to("http://h/a", "/b"),
        to("http://h/b", "/a"),
        to("http://h/out", "http://elsewhere/"),
        to("http://h/tls", "https://h/"),
        to("http://h/mail", "mailto:a@b"),
    ])
    .unwrap();
    let landing = |url: &str| corpus.landing(corpus.find(url).unwrap(), 10);
    assert_eq!(landing("http://h/"), Some(PageId(0)));
    assert_eq!((landing("http://h/a"), landing("http://h/out")), (None, None));
    assert_eq!(landing("http://h/tls"), Some(PageId(0)), "the recorded site has one scheme");
    assert_eq!(landing("http://h/mail"), corpus.find("http://h/mail"));
}

#[test]
fn labels_are_found_by_column_names_and_in_a_second_spelling() {
    let pages = [page("http://h/"), page("http://h/caf%C3%A9"), page("http://h/t/1?page=1"), page("http://h/x")];
    let csv = "page_type,links_out,is_ucc,is_duplicate_view,url\nindex,4,0,0,http://H:80\nprofile,2,1,0,https://h/café\n\
        thread,,1,1,\"http://h/t/1?page=1\"\n";
    let corpus = load_labelled(&pages, csv).unwrap();
    let truth = corpus.truth().unwrap();
    let types: Vec<_> = corpus.ids().map(|id| truth.label(id).map(|label| &*label.page_type)).collect();
    assert_eq!(types, [Some("index"), Some("profile"), Some("thread"), None]);
    assert_eq!(truth.ucc(), TypeCounts { pages: 2, unique: 1 });
    assert_eq!(truth.types()["thread"], TypeCounts { pages: 1, unique: 0 });
    assert_eq!(corpus.notes, ["1 of 4 URLs of the corpus have no label"]);
}

#[test]
fn tags_authors_and_roles_are_read_where_the_labels_have_them() {
    let pages = [page("http://h/"), page("http://h/1"), page("http://h/2")];
    let csv = "url,page_type,tags,author,role\nhttp://h/1,t,Red|tea|red, Ada B. ,detail\nhttp://h/2,t,,,\n";
    let corpus = load_labelled(&pages, csv).unwrap();
    let label = |id| corpus.truth().unwrap().label(PageId(id)).unwrap();
    assert_eq!((label(1).tags().join(","), label(1).author.as_deref()), ("red,tea".to_owned(), Some("Ada B.")));
    assert_eq!((label(1).role, label(2).role), (Role::Detail, Role::Other));
    assert!(label(2).tags().is_empty() && label(2).author.is_none());
    let error = load_labelled(&pages, "url,page_type,role\nhttp://h/,t,item\n").unwrap_err().to_string();
    assert!(error.contains("line 2: `item` is no role"), "{error}");
}

#[test]
fn only_html_with_status_200_counts() {
    let pages = [
        page("http://h/"),
        response("http://h/gone", "HTTP/1.1 404 No\nContent-Type: text/html\n\n"),
        response("http://h/file", "HTTP/1.1 200 OK\nContent-Type: image/png\n\n"),
    ];
    let csv = "url,page_type,is_ucc\nhttp://h/,t,1\nhttp://h/gone,t,1\nhttp://h/file,t,1\n";
    let corpus = load_labelled(&pages, csv).unwrap();
    let truth = corpus.truth().unwrap();
    assert_eq!((truth.ucc().pages, truth.types()["t"].unique), (1, 1));
    assert!(truth.label(PageId(1)).is_some() && truth.page(PageId(1)).is_none());
    assert!(truth.label(PageId(9)).is_none() && truth.page(PageId(9)).is_none());
}

#[test]
fn labels_of_another_file_are_refused_and_a_part_is_counted() {
    let pages = [page("http://h/")];
    let error = load_labelled(&pages, "url,page_type\nhttp://other/,a\nno url,b\n").unwrap_err().to_string();
    assert!(error.starts_with("0 of 2 labelled URLs of ") && error.ends_with("is it the right file?"), "{error}");
    let some = load_labelled(&pages, "url,page_type\nhttp://h/,a\nhttp://h/2,b\nhttp://h/#x,c\n").unwrap();
    assert_eq!(
        some.notes,
        [
            "1 of 3 labelled URLs are not in the corpus",
            "1 labels of URLs labelled before were skipped",
            "the labels have no column `is_ucc`: user-created content is not measured",
        ]
    );
    assert!(!some.truth().unwrap().knows_ucc());
}

#[test]
fn labels_that_cannot_be_read_are_refused_with_the_line() {
    let pages = [page("http://h/")];
    let error = |csv: &str| load_labelled(&pages, csv).unwrap_err().to_string();
    let column = error("url,type\nhttp://h/,a\n");
    assert!(column.contains("no column `page_type`") && column.contains("url, type"), "{column}");
    assert!(error("").contains("no column `url`"));
    let flag = error("url,page_type,is_ucc\nhttp://h/,a,1\nhttp://h/b,a,maybe\n");
    assert!(flag.contains("line 3") && flag.contains("`maybe`"), "{flag}");
    assert!(error("url,page_type\nhttp://h/\n").contains("line 2: it has no page_type"));
    assert!(error("url,page_type\n").starts_with("0 of 0 labelled URLs"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_damaged_file_is_refused_or_read_and_never_more_than_once_a_url(
        at in 0_usize..400, damage in prop::collection::vec(any::<u8>(), 1..8), packed in any::<bool>(),
    ) {
        let records = [page("http://h/a"), page("http://h/b")];
        let mut bytes = if packed { records.iter().flat_map(|r| gzip(r)).collect() } else { records.concat() };
        let at = at % bytes.len();
        let end = (at + damage.len()).min(bytes.len());
        bytes.splice(at..end, damage);
        let (_folder, path) = file("damaged.warc", &bytes);
        match Corpus::load(&path, None) {
            Ok(corpus) => prop_assert!(corpus.len() <= 2 && corpus.page(corpus.seed()).is_page()),
            Err(error) => prop_assert!(error.to_string().contains("damaged"), "{error}"),
        }
    }
}

#[test]
fn scheme_and_escapes_do_not_matter_in_the_loose_form() {
    assert_eq!(loose_form("https://h/a%20b?c=%C3%A9"), loose_form("http://h/a b?c=é"));
    assert_ne!(loose_form("http://h/a"), loose_form("http://h/A"));
}
