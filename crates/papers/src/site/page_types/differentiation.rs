//! How well path strings tell schema data from value data (section 8.1, Table 1).

use std::collections::BTreeSet;

use super::{PageStrings, Schema, Share};

/// One row of Table 1, for pages of one type. The paper does not say how its counts of pairs combine the pages; here
/// they are means per page, where a pair that a page has several times counts once. The counts of path strings are of
/// all pages together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Differentiation {
    /// T: PSNV pairs per page; the sum of S and V.
    pub pairs: f64,
    /// S: schema pairs per page.
    pub schema_pairs: f64,
    /// V: value pairs per page.
    pub value_pairs: f64,
    /// US: distinct path strings of schema pairs.
    pub schema_paths: usize,
    /// UV: distinct path strings of value pairs.
    pub value_paths: usize,
    /// INT: path strings that are both. The fewer, the better path strings tell both kinds of data apart.
    pub shared_paths: usize,
}

/// Computes the row for these pages, of which this share have each schema pair (all in the paper). All numbers are 0
/// without pages.
#[expect(clippy::cast_precision_loss, reason = "numbers of pairs in memory")]
pub fn differentiation(pages: &[PageStrings], schema: Share) -> Differentiation {
    let schema = Schema::of(pages, schema);
    let pairs = || pages.iter().flat_map(|page| page.pairs()).copied();
    let per_page = |count: usize| if pages.is_empty() { 0.0 } else { count as f64 / pages.len() as f64 };
    let in_schema = pairs().filter(|pair| schema.has(*pair)).count();
    let total = pairs().count();
    let schema_paths: BTreeSet<u64> = schema.pairs().iter().map(|pair| pair.0).collect();
    let value_paths: BTreeSet<u64> = pairs().filter(|pair| !schema.has(*pair)).map(|pair| pair.0).collect();
    Differentiation {
        pairs: per_page(total),
        schema_pairs: per_page(in_schema),
        value_pairs: per_page(total - in_schema),
        schema_paths: schema_paths.len(),
        value_paths: value_paths.len(),
        shared_paths: schema_paths.intersection(&value_paths).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_six_numbers_of_two_pages_are_those_counted_by_hand() {
        // Both have (1, 1), (1, 2) and (2, 1); the first has two further texts, one of them at a path of the schema,
        // and the second one.
        let one = [(1, 1), (1, 2), (2, 1), (2, 7), (3, 1), (3, 1)].into_iter().collect();
        let two = [(1, 1), (1, 2), (2, 1), (4, 1)].into_iter().collect();
        let found = differentiation(&[one, two], Share::ALL);
        let wanted = Differentiation {
            pairs: 4.5,
            schema_pairs: 3.0,
            value_pairs: 1.5,
            schema_paths: 2,
            value_paths: 3,
            shared_paths: 1,
        };
        assert_eq!(found, wanted);
    }

    #[test]
    fn without_pages_all_numbers_are_0_and_one_page_is_all_schema() {
        assert_eq!(differentiation(&[], Share::ALL), Differentiation::default());
        let page: PageStrings = [(1, 1), (2, 2)].into_iter().collect();
        let found = differentiation(&[page], Share::ALL);
        assert_eq!((found.schema_pairs, found.value_pairs, found.value_paths), (2.0, 0.0, 0));
    }
}
