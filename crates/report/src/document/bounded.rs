//! A table by name of bounded size: all names beyond the bound share one row.

use std::collections::BTreeMap;

/// Rows by name. Names that come after `most` others share a row, the rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bounded<V> {
    most: usize,
    rows: BTreeMap<String, V>,
    rest: Option<V>,
}

impl<V: Default> Bounded<V> {
    /// Creates a table of at most `most` rows and the rest.
    pub fn new(most: usize) -> Self {
        Self { most, rows: BTreeMap::new(), rest: None }
    }

    /// Returns the row of a name, or the rest.
    pub fn row(&mut self, name: &str) -> &mut V {
        let full = self.rows.len() >= self.most;
        if self.rows.contains_key(name) || !full {
            // Looked up first, so that a known name costs no copy.
            if !self.rows.contains_key(name) {
                self.rows.insert(name.to_owned(), V::default());
            }
            return self.rows.get_mut(name).expect("the row exists or was just inserted");
        }
        self.rest.get_or_insert_default()
    }

    /// Returns the rows by descending `weight` (equal ones by name), and the rest.
    pub fn by_weight(self, weight: impl Fn(&V) -> u64) -> (Vec<(String, V)>, Option<V>) {
        let mut rows: Vec<(String, V)> = self.rows.into_iter().collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(weight(row)));
        (rows, self.rest)
    }
}

/// Shortens a text to `most` characters. An ellipsis replaces what is removed from its middle.
pub fn cut(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let (start, end) = (most * 2 / 3, most - most * 2 / 3 - 1);
    let tail: String = text.chars().skip(length - end).collect();
    text.chars().take(start).chain(['…']).chain(tail.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_bound_are_summed_and_nothing_is_lost() {
        let mut table: Bounded<u64> = Bounded::new(2);
        for name in ["b", "a", "c", "a", "d", "b", "a"] {
            *table.row(name) += 1;
        }
        assert_eq!(table.by_weight(|count| *count), (vec![("a".to_owned(), 3), ("b".to_owned(), 2)], Some(2)));
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!((cut("abc", 3), cut("äöüabcdef", 6)), ("abc".to_owned(), "äöüa…f".to_owned()));
        assert_eq!(cut(&"x".repeat(9_000), 100).chars().count(), 100);
    }
}
