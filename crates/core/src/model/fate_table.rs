//! Counts of fates by name and reason, as in reports and snapshots.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Fate, Fates};

/// The name of a fate or of a reason: static if this process counts, owned if it was read from a file.
type Name = Cow<'static, str>;

/// Counts of links by the names of their fate and reason.
///
/// It is the file form of [`Fates`]: `{fate: count}`, or `{fate: {reason: count}}` for fates with reasons. Reading
/// yields what was written: a reason such as `http_4xx`, which stands for several statuses, stays that reason, and a
/// fate that only a newer version knows keeps its count. Names that are absent count 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<Name, InFile>", into = "BTreeMap<Name, InFile>")]
pub struct FateTable {
    /// By fate and reason; the reason is empty for fates without reasons.
    counts: BTreeMap<(Name, Name), u64>,
}

/// A fate with one of its reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FateCount<'a> {
    /// The name of the fate.
    pub fate: &'a str,
    /// The reason; empty for fates without reasons.
    pub reason: &'a str,
    /// The number of links.
    pub count: u64,
}

/// The value of a fate in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a count, or an object of counts by reason")]
enum InFile {
    Count(u64),
    Reasons(BTreeMap<Name, u64>),
}

impl FateTable {
    /// Counts `count` links of fate `fate`.
    pub fn add(&mut self, fate: Fate, count: u64) {
        self.add_named(fate.name(), fate.reason().unwrap_or_default(), count);
    }

    /// Counts `count` links by the names of their fate and reason; `reason` is empty for fates without reasons.
    pub fn add_named(&mut self, fate: impl Into<Name>, reason: impl Into<Name>, count: u64) {
        if count > 0 {
            let sum = self.counts.entry((fate.into(), reason.into())).or_default();
            *sum = sum.saturating_add(count);
        }
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for ((fate, reason), count) in &other.counts {
            self.add_named(fate.clone(), reason.clone(), *count);
        }
    }

    /// Returns the number of links of fate `fate`. HTTP statuses that share a label are counted together.
    pub fn of(&self, fate: Fate) -> u64 {
        let name = (Cow::Borrowed(fate.name()), Cow::Borrowed(fate.reason().unwrap_or_default()));
        self.counts.get(&name).copied().unwrap_or(0)
    }

    /// Returns the number of links whose fate has this name, for any reason.
    pub fn named(&self, fate: &str) -> u64 {
        self.iter().filter(|row| row.fate == fate).fold(0, |sum, row| sum.saturating_add(row.count))
    }

    /// Returns the sum over all fates; the largest number if it does not fit.
    pub fn total(&self) -> u64 {
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Returns all counts, by name of fate, then by reason.
    pub fn iter(&self) -> impl Iterator<Item = FateCount<'_>> {
        self.counts.iter().map(|((fate, reason), count)| FateCount { fate, reason, count: *count })
    }
}

impl From<&Fates> for FateTable {
    fn from(fates: &Fates) -> Self {
        let mut table = Self::default();
        fates.iter().for_each(|(fate, count)| table.add(fate, count));
        table
    }
}

impl From<BTreeMap<Name, InFile>> for FateTable {
    fn from(file: BTreeMap<Name, InFile>) -> Self {
        let mut table = Self::default();
        for (fate, value) in file {
            match value {
                InFile::Count(count) => table.add_named(fate, "", count),
                InFile::Reasons(reasons) => {
                    reasons.into_iter().for_each(|(reason, count)| table.add_named(fate.clone(), reason, count));
                }
            }
        }
        table
    }
}

impl From<FateTable> for BTreeMap<Name, InFile> {
    fn from(table: FateTable) -> Self {
        let mut fates: BTreeMap<Name, BTreeMap<Name, u64>> = BTreeMap::new();
        for ((fate, reason), count) in table.counts {
            fates.entry(fate).or_default().insert(reason, count);
        }
        let value = |reasons: BTreeMap<Name, u64>| match reasons.get("") {
            Some(count) if reasons.len() == 1 => InFile::Count(*count),
            _ => InFile::Reasons(reasons),
        };
        fates.into_iter().map(|(fate, reasons)| (fate, value(reasons))).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::model::Failure;

    #[test]
    fn reasons_are_grouped_under_their_fate_and_keep_the_sum() {
        let mut fates = Fates::default();
        fates.add(Fate::Fetched, 3);
        for (status, count) in [(404, 2), (418, 1), (451, 1)] {
            fates.add(Fate::Failed(Failure::Http(status)), count);
        }
        let table = FateTable::from(&fates);
        let json = serde_json::to_value(&table).unwrap();
        assert_eq!(json, json!({"fetched": 3, "failed": {"http_404": 2, "http_4xx": 2}}));
        assert_eq!((table.total(), table.named("failed"), table.of(Fate::Failed(Failure::Http(418)))), (7, 4, 2));
    }

    #[test]
    fn fates_of_other_versions_keep_their_counts() {
        let read: FateTable = serde_json::from_value(json!({"failed": 3, "eaten": {"by a bear": 2}})).unwrap();
        assert_eq!((read.total(), read.named("eaten")), (5, 2));
        let mut sum = read.clone();
        sum.add(Fate::Failed(Failure::Dns), 1);
        sum.merge(&read);
        let expected = json!({"failed": {"": 6, "dns": 1}, "eaten": {"by a bear": 4}});
        assert_eq!(serde_json::to_value(&sum).unwrap(), expected);
        let error = serde_json::from_value::<FateTable>(json!({"failed": "often"})).unwrap_err().to_string();
        assert!(error.contains("expected a count"), "{error}");
    }

    proptest! {
        #[test]
        fn a_table_is_read_as_it_was_written(rows in prop::collection::vec(("[a-c]", "[a-c]?", 0..9_u64), 0..20)) {
            let mut table = FateTable::default();
            rows.iter().for_each(|(fate, reason, count)| table.add_named(fate.clone(), reason.clone(), *count));
            let read: FateTable = serde_json::from_str(&serde_json::to_string(&table).unwrap()).unwrap();
            prop_assert_eq!(&read, &table);
            prop_assert_eq!(table.total(), rows.iter().map(|(_, _, count)| count).sum::<u64>());
        }
    }
}
