//! Loads the recordings and labels of `replay`, `learn` and `lab`.

use std::path::Path;

use crate::corpus::{Corpus, PageId};
use crate::experiments::load;
use harvestman::cli::exit::Failure;

/// The part about labels of every help text whose command takes them.
pub const LABELS_HELP: &str = "\
Labels are a CSV file (or .gz) with the columns url and page_type, and optionally is_ucc (1 for
user-created content), is_duplicate_view (1 for another address or order of a page that has an
address of its own), role (list, detail, profile, tag or other), tags (of the item, with | between
them) and author. For NAME.warc.gz, the files NAME.labels.csv.gz and NAME.labels.csv beside it
are tried. Labels are used for measuring only; no policy sees them. Without labels, only requests,
new pages and clusters are measured.";

/// Parses a share of the requests.
pub fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a share is a number from 0 to 1, for example 0.1".to_owned())
}

/// Loads a corpus and prints its notes on standard error.
pub fn load_with_notes(warc: &Path, labels: Option<&Path>, no_labels: bool) -> anyhow::Result<Corpus> {
    let corpus = if no_labels { Corpus::load(warc, None)? } else { load(warc, labels)? };
    for note in &corpus.notes {
        tell!("note: {}: {note}", corpus.name);
    }
    if corpus.truth().is_none() && !no_labels {
        tell!("note: {}: no labels found; measures that need them are omitted (see --labels FILE)", corpus.name);
    }
    Ok(corpus)
}

/// Returns the page of a recording that `option` names.
pub fn recorded_page(corpus: &Corpus, option: &str, url: &str) -> Result<PageId, Failure> {
    let id = corpus.find_loosely(url);
    let missing = || format!("{option} {url} is not in {}: it must be the URL of one of its pages", corpus.name);
    let id = id.ok_or_else(|| Failure::usage(missing()))?;
    if corpus.page(id).is_page() {
        return Ok(id);
    }
    let status = corpus.page(id).status;
    Err(Failure::usage(format!("{option} {url} is not an HTML page with status 200 (status {status}): name another")))
}
