//! Characteristic path strings of page types (Algorithm 2), and the classifier that compares them with a page's.

use serde::{Deserialize, Serialize};

use super::schema::common_to;
use super::{PageStrings, Schema, Share};

/// Choices that the paper leaves open. The default is the paper's procedure.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct PageTypeOptions {
    /// Share of all sample pages that have a schema pair. The paper's procedure asks for all and its text suggests a
    /// threshold.
    pub schema: Share,
    /// Share of a type's sample pages that have a characteristic path string; all in the paper.
    pub characteristic: Share,
    /// Share of a type's characteristic path strings that a page of the type has; all in the paper.
    pub contained: Share,
    /// Whether only those characteristic path strings are kept that no sample page of another type has. A type that
    /// would keep none keeps all: its pages look like a part of another type's.
    pub discriminative: bool,
}

/// Tells page types apart. Types are numbered from 0, in the order of their samples. Several types may stand for one
/// role, such as two forms of a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageTypes {
    schema: Schema,
    /// The characteristic path strings of each type, in ascending order.
    characteristic: Vec<Box<[u64]>>,
    contained: Share,
}

impl PageTypes {
    /// Learns from sample pages, which are grouped by type. The schema is that of all samples together. A type without
    /// samples, or whose samples share no value data, is never found. O(pairs · log pairs).
    pub fn learn(samples: &[Vec<PageStrings>], options: PageTypeOptions) -> Self {
        let schema = Schema::of(samples.iter().flatten(), options.schema);
        let sets: Vec<_> = samples.iter().map(|pages| characteristic(pages, &schema, options.characteristic)).collect();
        let kept = |(this, paths): (usize, &Vec<u64>)| {
            let others = || samples.iter().enumerate().filter(|(other, _)| *other != this).flat_map(|(_, pages)| pages);
            let own = |path: &u64| !others().any(|page| page.has_path(*path));
            let own: Box<[u64]> = paths.iter().copied().filter(own).collect();
            if own.is_empty() || !options.discriminative { paths.as_slice().into() } else { own }
        };
        let characteristic = sets.iter().enumerate().map(kept).collect();
        Self { schema, characteristic, contained: options.contained }
    }

    /// Returns the type of a page: the one whose characteristic path strings it has. Of several, the type with the most
    /// characteristic strings wins, because a detail page often has all that a list has; of equally many, the first.
    /// `None` for any other page.
    pub fn classify(&self, page: &PageStrings) -> Option<usize> {
        let has = |paths: &[u64]| {
            let found = paths.iter().filter(|path| page.has_path(**path)).count();
            !paths.is_empty() && found >= self.contained.of(paths.len())
        };
        let fitting = self.characteristic.iter().enumerate().rev().filter(|(_, paths)| has(paths));
        fitting.max_by_key(|(_, paths)| paths.len()).map(|(number, _)| number)
    }

    /// Returns the pairs that the samples of all types share.
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the characteristic path strings of each type, in ascending order.
    pub fn characteristic(&self) -> impl Iterator<Item = &[u64]> {
        self.characteristic.iter().map(AsRef::as_ref)
    }
}

/// Returns the path strings that this share of a type's pages have and that are no path strings of the schema:
/// Algorithm 2.
fn characteristic(pages: &[PageStrings], schema: &Schema, share: Share) -> Vec<u64> {
    common_to(pages.iter().map(|page| page.paths().filter(|path| !schema.has_path(*path))), share)
}

#[cfg(test)]
#[path = "classifier_tests.rs"]
mod tests;
