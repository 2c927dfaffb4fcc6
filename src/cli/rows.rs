//! What `replay`, `learn` and `lab` have in common: corpora and their labels, and rows as JSON.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use harvestman_lab::corpus::{Corpus, PageId};
use harvestman_lab::experiments::load;
use harvestman_lab::tables::{Row, to_json};

/// What is said of labels, in every help that takes them.
pub const LABELS_HELP: &str = "\
Labels are a CSV file (or .gz) with the columns url and page_type, and best is_ucc (1 where the
page shows what users made) and is_duplicate_view (1 where it is another address or order of a
page that has an address of its own). For NAME.warc.gz they are looked for beside it as
NAME.labels.csv.gz or NAME.labels.csv. No policy sees them: they only measure. Without them
there is what needs none: requests, new pages, clusters.";

/// Reads a share of the requests.
pub fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a share is a number from 0 to 1, such as 0.1 for one of ten".to_owned())
}

/// Loads a corpus and tells its notes on standard error.
pub fn load_telling(warc: &Path, labels: Option<&Path>, no_labels: bool) -> anyhow::Result<Corpus> {
    let corpus = if no_labels { Corpus::load(warc, None)? } else { load(warc, labels)? };
    for note in &corpus.notes {
        eprintln!("note: {}: {note}", corpus.name);
    }
    if corpus.truth().is_none() && !no_labels {
        eprintln!("note: {}: no labels, so only what needs none is measured (--labels FILE names some)", corpus.name);
    }
    Ok(corpus)
}

/// The page of a recording that `--example` names.
pub fn example_page(corpus: &Corpus, url: &str) -> Result<PageId, Failure> {
    let id = corpus.find_loosely(url);
    let missing = || format!("--example {url} is not in {}: it must be the URL of one of its pages", corpus.name);
    let id = id.ok_or_else(|| Failure::usage(missing()))?;
    if corpus.page(id).is_page() {
        return Ok(id);
    }
    let status = corpus.page(id).status;
    Err(Failure::usage(format!("--example {url} is no HTML page with status 200 (status {status}): name another")))
}

/// Writes rows to a file; `-` is standard output. Without a file nothing is written.
pub fn write_json(rows: &[Row], to: Option<&PathBuf>) -> Result<(), Failure> {
    match to {
        None => Ok(()),
        Some(path) => write_text(&to_json(rows), path),
    }
}

/// Writes a text to a file; `-` is standard output.
pub fn write_text(text: &str, path: &Path) -> Result<(), Failure> {
    let written = if is_stdout(path) { print_text(text) } else { std::fs::write(path, text) };
    written.map_err(|error| Failure::new(Exit::Output, format!("cannot write {}: {error}", path.display())))
}

/// Prints a text; a reader that has gone away is no failure.
pub fn print_text(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Whether this file stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}
