use std::collections::BTreeMap;

use harvestman_structure::site::tokens;
use proptest::prelude::*;

use crate::index::{
    EXCERPT_CHARACTERS_MAX, Error, IndexBuilder, LocalIndex, TEXT_BYTES_MAX, TITLE_BYTES_MAX, URL_BYTES_MAX, clauses,
};

/// Address, title, text.
type Document = (String, Option<String>, String);

fn document(url: &str, title: Option<&str>, text: &str) -> Document {
    (url.to_owned(), title.map(str::to_owned), text.to_owned())
}

/// Builds an index whose texts are written out after `bytes`.
fn built(documents: &[Document], bytes: usize) -> LocalIndex {
    let mut builder = IndexBuilder::new().unwrap().with_unwritten_bytes_max(bytes);
    for (url, title, text) in documents {
        builder.add(url, title.as_deref(), text).unwrap();
    }
    builder.finish().unwrap()
}

fn index(documents: &[Document]) -> LocalIndex {
    built(documents, usize::MAX)
}

fn urls(index: &LocalIndex, query: &str) -> Vec<String> {
    let found = index.search(query, 0, usize::MAX).unwrap();
    assert_eq!(found.hits, found.results.len() as u64);
    found.results.iter().map(|hit| hit.url.to_string()).collect()
}

/// The reference implementation: scans the texts for each query.
struct Scan(BTreeMap<String, [Vec<String>; 2]>);

impl Scan {
    fn new(documents: &[Document]) -> Self {
        let mut pages = BTreeMap::new();
        for (url, title, text) in documents {
            let parts = [title.as_deref().unwrap_or_default(), text].map(|part| tokens(part).collect());
            pages.entry(url.clone()).or_insert(parts);
        }
        Self(pages)
    }

    fn count(parts: &[Vec<String>; 2], clause: &[String]) -> usize {
        parts.iter().map(|words| words.windows(clause.len()).filter(|window| *window == clause).count()).sum()
    }

    fn length(parts: &[Vec<String>; 2]) -> f64 {
        (parts[0].len() + parts[1].len()) as f64
    }

    /// The inverse document frequency of BM25, as Lucene has it. That of a phrase is the sum over its words.
    fn idf(&self, clause: &[String]) -> f64 {
        let all = self.0.len() as f64;
        let having = |word: &String| {
            self.0.values().filter(|parts| Self::count(parts, std::slice::from_ref(word)) > 0).count() as f64
        };
        clause.iter().map(having).map(|n| (1.0 + (all - n + 0.5) / (n + 0.5)).ln()).sum()
    }

    /// The addresses and scores of all documents that match, by address.
    fn search(&self, query: &str) -> BTreeMap<String, f64> {
        let wanted = clauses(query);
        let matching = self
            .0
            .iter()
            .filter(|(_, parts)| !wanted.is_empty() && wanted.iter().all(|clause| Self::count(parts, clause) > 0));
        let average = self.0.values().map(Self::length).sum::<f64>() / self.0.len() as f64;
        let score = |parts: &[Vec<String>; 2]| {
            let norm = 1.2 * (1.0 - 0.75 + 0.75 * Self::length(parts) / average);
            let of = |clause: &Vec<String>| {
                let count = Self::count(parts, clause) as f64;
                self.idf(clause) * 2.2 * count / (count + norm)
            };
            wanted.iter().map(of).sum()
        };
        matching.map(|(url, parts)| (url.clone(), score(parts))).collect()
    }
}

#[test]
fn all_words_must_be_in_the_title_or_the_text() {
    let index = index(&[
        document("a", Some("Zoom lenses"), "Prices and tests"),
        document("b", None, "A zoom without tests of lenses"),
        document("c", Some("Tests"), "of tripods"),
    ]);
    assert_eq!(urls(&index, "ZOOM tests"), ["a", "b"]);
    assert_eq!(urls(&index, "tests tripods"), ["c"]);
    assert_eq!(urls(&index, "zoom tripods"), [""; 0]);
    assert_eq!(urls(&index, "prices"), ["a"]);
}

#[test]
fn quoted_parts_are_phrases_within_the_title_or_within_the_text() {
    let index = index(&[
        document("a", Some("the hot-shoe flash"), "works well"),
        document("b", None, "flash on the hot-shoe and a flash"),
        document("c", None, "hot shoe flash"),
    ]);
    assert_eq!(urls(&index, "\"hot-shoe flash\""), ["a"]);
    assert_eq!(urls(&index, "hot-shoe flash"), ["b", "a"]);
    assert_eq!(urls(&index, "\"flash works\""), [""; 0]);
    assert_eq!(urls(&index, "\"hot shoe\" \"flash\""), ["c"]);
}

#[test]
fn equal_scores_are_in_the_order_of_the_addresses_and_pages_of_results_join() {
    let documents: Vec<Document> = (0..25).rev().map(|at| document(&format!("u{at:02}"), None, "same text")).collect();
    let index = index(&documents);
    let all = urls(&index, "same");
    assert!(all.is_sorted() && all.len() == 25);
    let mut joined = Vec::new();
    for offset in (0..30).step_by(10) {
        let found = index.search("same", offset, 10).unwrap();
        assert_eq!(found.hits, 25);
        joined.extend(found.results.iter().map(|hit| hit.url.to_string()));
    }
    assert_eq!(joined, all);
    assert_eq!(index.search("same", 0, 0).unwrap().results, []);
    assert_eq!(index.search("same", usize::MAX, usize::MAX).unwrap().hits, 25);
}

#[test]
fn an_address_is_added_once_and_a_very_long_one_not_at_all() {
    let mut builder = IndexBuilder::new().unwrap();
    assert!(builder.is_empty() && builder.add("u", Some(" A \n title "), " first  text ").unwrap());
    assert!(!builder.add("u", None, "second").unwrap());
    assert!(!builder.add(&"u".repeat(URL_BYTES_MAX + 1), None, "third").unwrap());
    let index = builder.finish().unwrap();
    assert_eq!((index.len(), index.search("second", 0, 9).unwrap().hits), (1, 0));
    let hit = index.search("first", 0, 9).unwrap().results.remove(0);
    assert_eq!((hit.title.as_deref(), &*hit.excerpt), (Some("A title"), "first text"));
}

#[test]
fn long_titles_and_texts_count_up_to_their_limits() {
    let text = format!("{} last", "word ".repeat(TEXT_BYTES_MAX / 4));
    let title = format!("{} end", "head ".repeat(TITLE_BYTES_MAX));
    let index = index(&[document("u", Some(&title), &text)]);
    assert_eq!(["word", "last", "head", "end"].map(|word| urls(&index, word).len()), [1, 0, 1, 0]);
    let hit = index.search("word", 0, 1).unwrap().results.remove(0);
    assert!(hit.excerpt.chars().count() <= EXCERPT_CHARACTERS_MAX && hit.title.unwrap().len() <= TITLE_BYTES_MAX);
}

#[test]
fn an_empty_index_finds_nothing() {
    let index = index(&[]);
    assert!(index.is_empty());
    assert_eq!((urls(&index, "a1 \"b1 c1\"").len(), urls(&index, "").len()), (0, 0));
}

#[test]
fn an_index_in_a_directory_answers_as_one_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    let documents: Vec<Document> =
        (0..50).map(|at| document(&format!("u{at}"), None, &format!("common word{}", at % 7))).collect();
    let mut builder = IndexBuilder::in_directory(directory.path()).unwrap().with_unwritten_bytes_max(100);
    for (url, _, text) in &documents {
        builder.add(url, None, text).unwrap();
    }
    let (on_disk, in_memory) = (builder.finish().unwrap(), index(&documents));
    for query in ["common", "word3", "\"common word6\""] {
        assert_eq!(on_disk.search(query, 0, 20).unwrap(), in_memory.search(query, 0, 20).unwrap());
    }
    let again = IndexBuilder::in_directory(directory.path());
    assert!(matches!(again, Err(Error::Directory { .. })));
    assert!(IndexBuilder::in_directory(&directory.path().join("missing")).is_err());
}

fn documents() -> impl Strategy<Value = Vec<Document>> {
    let text = "([a-d]{2}|Ä[ab]|x-[yz]|7|[.'\"-]|\u{301}e){0,1}( ([a-d]{2}|Ä[ab]|x-[yz]|7|[.'\"-]|\u{301}e)){0,14}";
    prop::collection::vec(("[a-h]", prop::option::of(text), text), 0..12)
}

proptest! {
    // Each case starts the threads of a writer.
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_document_is_found_by_each_of_its_tokens(documents in documents(), bytes in 1_usize..200) {
        let (index, scan) = (built(&documents, bytes), Scan::new(&documents));
        for (url, parts) in &scan.0 {
            for token in parts.iter().flatten() {
                let found = urls(&index, token);
                prop_assert!(found.contains(url), "{token} does not find {url}");
                prop_assert_eq!(found.len(), scan.search(token).len());
            }
        }
    }

    #[test]
    fn a_scan_of_all_documents_finds_the_same_with_the_same_scores(
        documents in documents(),
        queries in prop::collection::vec("([a-b]{2}|Äa|x-y|\"[a-b]{2} [a-b]{2}\"|[\"*])( ([a-b]{2}|Äa|\"[a-b]{2} [a-b]{2}\"|[\"*])){0,3}", 8),
        bytes in 1_usize..200,
    ) {
        let (index, scan) = (built(&documents, bytes), Scan::new(&documents));
        let in_one_go = built(&documents, usize::MAX);
        for query in queries {
            let found = index.search(&query, 0, usize::MAX).unwrap();
            let expected = scan.search(&query);
            let mut addresses: Vec<&str> = found.results.iter().map(|hit| &*hit.url).collect();
            addresses.sort_unstable();
            prop_assert_eq!(addresses, expected.keys().map(String::as_str).collect::<Vec<_>>(), "{}", query);
            for hit in &found.results {
                let score = expected[&*hit.url];
                prop_assert!((f64::from(hit.score) - score).abs() < 1e-4 * score.max(1.0), "{query}: {hit:?}, {score}");
            }
            prop_assert!(found.results.is_sorted_by(|one, other| (-one.score, &one.url) < (-other.score, &other.url)));
            prop_assert_eq!(&in_one_go.search(&query, 0, usize::MAX).unwrap(), &found);
        }
    }

    #[test]
    fn no_text_and_no_query_is_an_error(title in "\\PC{0,40}", text in "\\PC{0,80}|\\p{Any}{0,80}", query in "\\PC{0,40}|\\p{Any}{0,40}|[\"a-c *+(){}:^~\\\\-]{0,40}") {
        let index = index(&[document("u", Some(&title), &text)]);
        prop_assert!(index.search(&query, 0, 10).unwrap().hits <= 1);
    }
}
