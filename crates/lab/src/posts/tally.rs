//! Counts of what was found, and the measures over them.

use std::collections::BTreeMap;

use super::truth::Field;

/// Counts over pages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PostTally {
    /// Pages.
    pub pages: u64,
    /// Pages of which all posts, and nothing else, were found.
    pub perfect: u64,
    /// Posts of which pages show the whole.
    pub expected: u64,
    /// Found posts, without excerpts.
    pub found: u64,
    /// Those with the right text.
    pub right: u64,
    /// Found posts of which the page shows a part.
    pub excerpts: u64,
    /// Found posts whose text is that of a shown one, or near it.
    pub paired: u64,
    /// The sum of the agreement of their texts.
    pub agreement: f64,
    /// The fields of the posts with the right text.
    pub fields: BTreeMap<Field, FieldTally>,
    /// Posts with the right text that were given a parent, although they answer none.
    pub parents_made_up: u64,
}

/// Counts of a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FieldTally {
    /// Posts that show it, found or not.
    pub shown: u64,
    /// Those of them with the right text.
    pub found: u64,
    /// Those of these for which a value was given.
    pub given: u64,
    /// Those whose value is right.
    pub right: u64,
}

/// Returns `part / whole`, if there is a whole.
#[expect(clippy::cast_precision_loss, reason = "counts of posts are far below 2^52")]
pub fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl PostTally {
    /// Returns the share of found posts that are right.
    pub fn precision(&self) -> Option<f64> {
        share(self.right, self.found)
    }

    /// Returns the share of shown posts that were found.
    pub fn recall(&self) -> Option<f64> {
        share(self.right, self.expected)
    }

    /// Returns the harmonic mean of both.
    pub fn f1(&self) -> Option<f64> {
        share(2 * self.right, self.found + self.expected)
    }

    /// Returns the mean agreement of the texts of pairs.
    #[expect(clippy::cast_precision_loss, reason = "counts of posts are far below 2^52")]
    pub fn text_f1(&self) -> Option<f64> {
        (self.paired > 0).then(|| self.agreement / self.paired as f64)
    }

    /// Returns the counts of a field.
    pub fn field(&self, field: Field) -> FieldTally {
        self.fields.get(&field).copied().unwrap_or_default()
    }

    /// Returns the share of given parents that are right.
    pub fn parent_precision(&self) -> Option<f64> {
        let parents = self.field(Field::Parent);
        share(parents.right, parents.given + self.parents_made_up)
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.pages += other.pages;
        self.perfect += other.perfect;
        self.expected += other.expected;
        self.found += other.found;
        self.right += other.right;
        self.excerpts += other.excerpts;
        self.paired += other.paired;
        self.agreement += other.agreement;
        self.parents_made_up += other.parents_made_up;
        for (field, counts) in &other.fields {
            let sum = self.fields.entry(*field).or_default();
            sum.shown += counts.shown;
            sum.found += counts.found;
            sum.given += counts.given;
            sum.right += counts.right;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_shares_of_counts() {
        let tally = PostTally { expected: 8, found: 5, right: 4, paired: 5, agreement: 4.5, ..PostTally::default() };
        assert_eq!((tally.precision(), tally.recall()), (Some(0.8), Some(0.5)));
        // 2 * 0.8 * 0.5 / 1.3.
        assert_eq!((tally.f1(), tally.text_f1()), (Some(8.0 / 13.0), Some(0.9)));
        let none = PostTally::default();
        assert_eq!((none.precision(), none.recall(), none.f1(), none.text_f1()), (None, None, None, None));
    }

    #[test]
    fn parents_of_posts_that_answer_none_count_as_wrong() {
        let parents = FieldTally { shown: 9, found: 8, given: 5, right: 3 };
        let tally = PostTally {
            fields: BTreeMap::from([(Field::Parent, parents)]),
            parents_made_up: 1,
            ..PostTally::default()
        };
        assert_eq!(tally.parent_precision(), Some(0.5));
    }

    #[test]
    fn counts_add_up() {
        let fields = |right| BTreeMap::from([(Field::Day, FieldTally { shown: 2, found: 2, given: 2, right })]);
        let mut sum = PostTally { pages: 1, right: 2, agreement: 1.5, fields: fields(1), ..PostTally::default() };
        sum.add(&PostTally { pages: 2, right: 3, agreement: 2.5, fields: fields(2), ..PostTally::default() });
        assert_eq!((sum.pages, sum.right, sum.agreement, sum.field(Field::Day).right), (3, 5, 4.0, 3));
        assert_eq!(sum.field(Field::Day).shown, 4);
    }
}
