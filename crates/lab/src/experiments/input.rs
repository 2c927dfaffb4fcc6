//! Loads corpora from WARC files with label files beside them.

use std::path::{Path, PathBuf};

use crate::corpus::{self, Corpus, name_of};

/// Returns the label file beside a WARC file: for `NAME.warc.gz` (or `NAME.warc`), `NAME.labels.csv.gz` or
/// `NAME.labels.csv`; `None` if neither exists.
pub fn labels_beside(warc: &Path) -> Option<PathBuf> {
    let name = name_of(warc);
    let beside = ["labels.csv.gz", "labels.csv"].map(|ending| warc.with_file_name(format!("{name}.{ending}")));
    beside.into_iter().find(|path| path.is_file())
}

/// Loads a corpus with these labels or, by default, with those beside it.
///
/// # Errors
/// As [`Corpus::load`].
pub fn load(warc: &Path, labels: Option<&Path>) -> Result<Corpus, corpus::CorpusError> {
    let beside = if labels.is_none() { labels_beside(warc) } else { None };
    Corpus::load(warc, labels.or(beside.as_deref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_beside_their_corpus_compressed_ones_first() {
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
