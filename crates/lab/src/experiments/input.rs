//! Corpora as they lie in a folder: a WARC file, and its labels beside it.

use std::path::{Path, PathBuf};

use crate::corpus::{self, Corpus, name_of};

/// The labels beside a WARC file: for `NAME.warc.gz` (or `NAME.warc`), `NAME.labels.csv.gz` or `NAME.labels.csv`; none where
/// neither is there.
pub fn labels_beside(warc: &Path) -> Option<PathBuf> {
    let name = name_of(warc);
    let beside = ["labels.csv.gz", "labels.csv"].map(|ending| warc.with_file_name(format!("{name}.{ending}")));
    beside.into_iter().find(|path| path.is_file())
}

/// Reads a corpus with these labels or, where none are given, those that lie beside it.
///
/// # Errors
///
/// As [`Corpus::load`].
pub fn load(warc: &Path, labels: Option<&Path>) -> Result<Corpus, corpus::Error> {
    let beside = if labels.is_none() { labels_beside(warc) } else { None };
    Corpus::load(warc, labels.or(beside.as_deref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_beside_their_corpus_the_compressed_ones_first() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(labels_beside(&at("a.warc.gz")), None);
        std::fs::write(at("a.labels.csv"), "").unwrap();
        assert_eq!(labels_beside(&at("a.warc.gz")), Some(at("a.labels.csv")));
        assert_eq!(labels_beside(&at("a.warc")), Some(at("a.labels.csv")));
        std::fs::write(at("a.labels.csv.gz"), "").unwrap();
        assert_eq!(labels_beside(&at("a.warc.gz")), Some(at("a.labels.csv.gz")));
        assert_eq!(labels_beside(&at("b.warc.gz")), None);
    }
}
