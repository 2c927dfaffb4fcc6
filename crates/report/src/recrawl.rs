//! The results of a recrawl.

use serde::{Deserialize, Serialize, Serializer};

use super::figures;

/// The visits of a recrawl to known pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecrawlFigures {
    /// The number of the recrawl, from 1.
    pub round: u32,
    /// Pages that were known when the recrawl started or was resumed.
    pub known: u64,
    /// Those of them that were visited in this run.
    pub visited: u64,
    /// Visits that found a change.
    pub changed: u64,
    /// Visits answered with 304.
    pub not_modified: u64,
    /// Visits answered in full with unchanged content.
    pub same: u64,
    /// Pages that no longer exist (404, 410).
    pub gone: u64,
    /// Visits that failed or were disallowed (robots.txt).
    pub failed: u64,
    /// Fetched pages that were not known before.
    pub new_pages: u64,
    /// The expected number of changed pages among those not visited.
    #[serde(rename = "changed_expected", serialize_with = "tenths")]
    pub expected: f64,
}

impl RecrawlFigures {
    /// Formats the figures as `412 of 1,030 revisited: 380 changed, 20 not modified, 10 unchanged, 2 gone; 31 new`.
    pub fn line(&self) -> String {
        let count = figures::count;
        let parts = [
            (self.changed, "changed"),
            (self.not_modified, "not modified"),
            (self.same, "unchanged"),
            (self.gone, "gone"),
            (self.failed, "failed"),
        ];
        let parts =
            parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{} {what}", count(*number)));
        let parts: Vec<String> = parts.collect();
        let what = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        let (visited, known, new) = (count(self.visited), count(self.known), count(self.new_pages));
        format!("{visited} of {known} revisited{what}; {new} new")
    }
}

fn tenths<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((number * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_only_counts_above_zero() {
        let figures =
            RecrawlFigures { round: 2, known: 1_030, visited: 412, changed: 380, ..RecrawlFigures::default() };
        let figures = RecrawlFigures { not_modified: 32, new_pages: 31, ..figures };
        assert_eq!(figures.line(), "412 of 1,030 revisited: 380 changed, 32 not modified; 31 new");
        assert_eq!(RecrawlFigures::default().line(), "0 of 0 revisited; 0 new");
    }
}
