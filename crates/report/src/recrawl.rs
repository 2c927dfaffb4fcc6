//! What a recrawl has come to.

use serde::{Deserialize, Serialize, Serializer};

use super::figures;

/// The visits of a recrawl to pages that were known before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecrawlFigures {
    /// Which recrawl of the crawl it is, from 1.
    pub round: u32,
    /// Pages that were known when it began, or went on.
    pub known: u64,
    /// Those of them that were visited in this run.
    pub visited: u64,
    /// Visits that found a change.
    pub changed: u64,
    /// Visits that were answered 304.
    pub not_modified: u64,
    /// Visits that were answered in full, by what the page had shown before.
    pub same: u64,
    /// Pages that were there and are gone (404, 410).
    pub gone: u64,
    /// Visits that failed, or were kept back (robots.txt).
    pub failed: u64,
    /// Pages that were not known before and were fetched.
    pub new_pages: u64,
    /// Changed pages that are expected among those not visited.
    #[serde(rename = "changed_expected", serialize_with = "tenths")]
    pub expected: f64,
}

impl RecrawlFigures {
    /// `412 of 1,030 visited again: 380 changed, 20 not modified, 10 the same, 2 gone; 31 new pages`.
    pub fn line(&self) -> String {
        let count = figures::count;
        let parts = [
            (self.changed, "changed"),
            (self.not_modified, "not modified"),
            (self.same, "the same"),
            (self.gone, "gone"),
            (self.failed, "failed"),
        ];
        let parts =
            parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{} {what}", count(*number)));
        let parts: Vec<String> = parts.collect();
        let what = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        let (visited, known, new) = (count(self.visited), count(self.known), count(self.new_pages));
        format!("{visited} of {known} visited again{what}; {new} new")
    }
}

fn tenths<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((number * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_what_there_was() {
        let figures =
            RecrawlFigures { round: 2, known: 1_030, visited: 412, changed: 380, ..RecrawlFigures::default() };
        let figures = RecrawlFigures { not_modified: 32, new_pages: 31, ..figures };
        assert_eq!(figures.line(), "412 of 1,030 visited again: 380 changed, 32 not modified; 31 new");
        assert_eq!(RecrawlFigures::default().line(), "0 of 0 visited again; 0 new");
    }
}
