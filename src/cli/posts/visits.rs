//! What page logs note of the visits to pages.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

use crate::cli::lines::{Lines, Next};
use harvestman_extraction::Visit;

/// The visits of crawls, by WARC file and offset: some 40 bytes each.
#[derive(Default)]
pub(super) struct Visits {
    files: HashMap<String, u32>,
    visits: HashMap<(u32, u64), Visit>,
}

/// The fields of a line of the page log that matter here.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    visit: Option<u32>,
    #[serde(default)]
    cluster: Option<u32>,
    #[serde(default)]
    warc_file: Option<String>,
    #[serde(default)]
    warc_offset: Option<u64>,
}

impl Visits {
    /// Reads the page log of a crawl, if there is one. Damaged lines are skipped.
    pub fn add(&mut self, directory: &Path) -> anyhow::Result<()> {
        let Some(mut lines) = Lines::open(directory, "pages.jsonl")? else { return Ok(()) };
        loop {
            match lines.step().with_context(|| format!("cannot read the page log in {}", directory.display()))? {
                Next::Line(line) => self.note(line),
                Next::TooLong => {}
                Next::Torn | Next::End => return Ok(()),
            }
        }
    }

    fn note(&mut self, line: &[u8]) {
        let Ok(Line { visit, cluster, warc_file: Some(file), warc_offset: Some(offset) }) =
            serde_json::from_slice(line)
        else {
            return;
        };
        let next = self.files.len() as u32;
        let file = *self.files.entry(file).or_insert(next);
        // The log counts from the second visit on.
        self.visits.insert((file, offset), Visit { number: Some(visit.unwrap_or(1)), cluster });
    }

    /// Returns what is noted of the record at an offset of a file.
    pub fn of(&self, file: &str, offset: u64) -> Visit {
        let file = self.files.get(file);
        file.and_then(|file| self.visits.get(&(*file, offset))).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_are_found_by_their_records() {
        let directory = tempfile::tempdir().unwrap();
        let lines = "{\"warc_file\":\"warc/a\",\"warc_offset\":5,\"visit\":3,\"cluster\":7}\n{}\nbroken\n\
            {\"warc_file\":\"warc/a\",\"warc_offset\":9}\n{\"warc_file\":";
        std::fs::write(directory.path().join("pages.jsonl"), lines).unwrap();
        let mut visits = Visits::default();
        visits.add(directory.path()).unwrap();
        let of = |offset| visits.of("warc/a", offset);
        assert_eq!(of(5), Visit { number: Some(3), cluster: Some(7) });
        assert_eq!((of(9).number, of(1), visits.of("warc/b", 5)), (Some(1), Visit::default(), Visit::default()));
    }
}
