//! Clustering by schema and minimum description length (Crescenzi, Merialdo, Missier: *Clustering Web Pages Based on
//! Their Structure*, Data & Knowledge Engineering 54, 2005).
//!
//! The *schema* of a page is the set of its paths. Pages with the same schema form a class; classes, largest first,
//! absorb smaller ones whose schema is closer than a threshold. Then each class, largest first, either becomes part of
//! the model or is encoded by a class of the model, whichever description is shorter.
//!
//! Simplifications: in the original, paths lead to links and pages are crawled while they are clustered; here, paths
//! are the leaf paths of a bag, restricted to anchors where they are spelt out. The lengths are those of the program of
//! SOUrCe's authors (0.8 for a path of the schema, 1 for an extra path, 2 for a missing path); link counts, which cost
//! the same either way, are omitted.

use std::collections::{BTreeMap, BTreeSet};

use harvestman_core::model::LeafPath;
use harvestman_structure::site::Label;

/// Cost of a path of the page that is in the schema of its class.
const KNOWN: f64 = 0.8;
/// Cost of a path of the page that is not in the schema.
const EXTRA: f64 = 1.0;
/// Cost of a path of the schema that the page lacks.
const MISSING: f64 = 2.0;

/// The parameters of [`mdl`].
#[derive(Debug, Clone, Copy)]
pub struct MdlOptions {
    /// d_t: classes whose schemas are closer than this Jaccard distance are merged.
    pub threshold: f64,
    /// Whether to merge classes further where that shortens the description.
    pub minimise: bool,
}

impl Default for MdlOptions {
    /// The threshold suggested by the original's authors.
    fn default() -> Self {
        Self { threshold: 0.2, minimise: true }
    }
}

type Schema = BTreeSet<u64>;

#[derive(Debug)]
struct Class {
    schema: Schema,
    pages: Vec<usize>,
}

/// Returns the cluster of each page. No page is an outlier. Quadratic time in the number of distinct schemas.
pub fn mdl(bags: &[&[LeafPath]], options: &MdlOptions) -> Vec<Label> {
    let schemas: Vec<Schema> = bags.iter().map(|bag| schema(bag)).collect();
    let mut classes = collapse(by_schema(&schemas), options.threshold);
    if options.minimise {
        classes = minimise(classes, &schemas);
    }
    label(&classes, bags.len())
}

/// Returns the paths of a page, restricted to its anchors where paths are spelt out.
fn schema(bag: &[LeafPath]) -> Schema {
    let leads_to_anchor =
        |text: &str| text.rsplit('/').next().is_some_and(|leaf| leaf == "a" || leaf.starts_with("a."));
    let counts = |leaf: &&LeafPath| leaf.text.as_deref().is_none_or(leads_to_anchor);
    bag.iter().filter(counts).map(|leaf| leaf.path).collect()
}

/// Groups pages with the same schema into classes, largest first, then by first member.
fn by_schema(schemas: &[Schema]) -> Vec<Class> {
    let mut pages: BTreeMap<&Schema, Vec<usize>> = BTreeMap::new();
    for (page, schema) in schemas.iter().enumerate() {
        pages.entry(schema).or_default().push(page);
    }
    let mut classes: Vec<Class> =
        pages.into_iter().map(|(schema, pages)| Class { schema: schema.clone(), pages }).collect();
    classes.sort_by_key(|class| (std::cmp::Reverse(class.pages.len()), class.pages[0]));
    classes
}

/// Lets each class absorb the close ones, smallest first; its schema grows accordingly.
fn collapse(classes: Vec<Class>, threshold: f64) -> Vec<Class> {
    let mut left: Vec<Option<Class>> = classes.into_iter().map(Some).collect();
    let mut collapsed = Vec::new();
    for at in 0..left.len() {
        let Some(mut class) = left[at].take() else { continue };
        for other in left[at + 1..].iter_mut().rev() {
            if let Some(near) = other.take_if(|other| jaccard_distance(&class.schema, &other.schema) < threshold) {
                class.schema.extend(near.schema);
                class.pages.extend(near.pages);
            }
        }
        collapsed.push(class);
    }
    collapsed
}

#[expect(clippy::cast_precision_loss, reason = "a number of paths")]
fn jaccard_distance(one: &Schema, other: &Schema) -> f64 {
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    (all - common) as f64 / all.max(1) as f64
}

/// Encodes each class by the cheapest class of the model if that is shorter than adding it to the model.
#[expect(clippy::cast_precision_loss, reason = "a number of paths")]
fn minimise(classes: Vec<Class>, schemas: &[Schema]) -> Vec<Class> {
    let mut model: Vec<Class> = Vec::new();
    for class in classes {
        let length = |by: &Schema| class.pages.iter().map(|page| description(&schemas[*page], by)).sum::<f64>();
        let own = class.schema.len() as f64 + length(&class.schema);
        let costs = model.iter().map(|class| length(&class.schema)).enumerate();
        let cheapest = costs.min_by(|one, other| one.1.total_cmp(&other.1)).filter(|(_, cost)| *cost < own);
        match cheapest {
            Some((at, _)) => model[at].pages.extend(class.pages),
            None => model.push(class),
        }
    }
    model
}

/// Returns the length of the description of a page by a schema.
#[expect(clippy::cast_precision_loss, reason = "a number of paths")]
fn description(page: &Schema, by: &Schema) -> f64 {
    let known = page.intersection(by).count();
    KNOWN * known as f64 + EXTRA * (page.len() - known) as f64 + MISSING * (by.len() - known) as f64
}

/// Numbers the classes by first member.
fn label(classes: &[Class], pages: usize) -> Vec<Label> {
    let mut class_of = vec![0; pages];
    for (at, class) in classes.iter().enumerate() {
        class.pages.iter().for_each(|page| class_of[*page] = at);
    }
    let mut names: BTreeMap<usize, u32> = BTreeMap::new();
    let mut name = |class: usize| {
        let next = names.len() as u32;
        Some(*names.entry(class).or_insert(next))
    };
    class_of.into_iter().map(&mut name).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BY_THRESHOLD: MdlOptions = MdlOptions { threshold: 0.2, minimise: false };

    fn bag(paths: impl IntoIterator<Item = u64>) -> Vec<LeafPath> {
        paths.into_iter().map(|path| LeafPath { path, count: 1, text: None }).collect()
    }

    fn labels(bags: &[Vec<LeafPath>], options: &MdlOptions) -> Vec<Label> {
        mdl(&bags.iter().map(Vec::as_slice).collect::<Vec<_>>(), options)
    }

    #[test]
    fn schemas_closer_than_the_threshold_are_merged() {
        // 9 of 10 paths are shared: distance 0.1. 4 of 5: exactly 0.2.
        let near = [bag(0..10), bag(0..9)];
        let at_limit = [bag(0..5), bag(0..4)];
        assert_eq!(labels(&near, &BY_THRESHOLD), [Some(0), Some(0)]);
        assert_eq!(labels(&at_limit, &BY_THRESHOLD), [Some(0), Some(1)]);
    }

    #[test]
    fn a_class_grows_by_what_it_absorbs() {
        // The third differs from the first in 2 of 12 paths (0.17) and is close to the union as well; the fourth is
        // close to none.
        let bags = [bag(0..10), bag(0..10), bag(0..12), bag(20..30)];
        assert_eq!(labels(&bags, &BY_THRESHOLD), [Some(0), Some(0), Some(0), Some(1)]);
    }

    #[test]
    fn a_small_class_is_encoded_by_a_large_one_if_shorter() {
        // A page of 10 paths shares 7 of the 8 paths of the large class: 0.8·7 + 3 + 2·1 = 10.6 < 10 + 0.8·10 = 18.
        let mut bags = vec![bag(0..8); 5];
        bags.push(bag((0..7).chain(20..23)));
        assert_eq!(labels(&bags, &BY_THRESHOLD).last(), Some(&Some(1)));
        assert_eq!(labels(&bags, &MdlOptions::default()).last(), Some(&Some(0)));
        // Three such pages: 31.8 < 10 + 24 still. A page that shares nothing: 10 + 2·8 = 26 > 18.
        bags.push(bag(30..40));
        assert_eq!(labels(&bags, &MdlOptions::default()).last(), Some(&Some(1)));
    }

    #[test]
    fn only_anchors_count_if_paths_are_spelt_out() {
        let leaf = |path, text: &str| LeafPath { path, count: 1, text: Some(text.into()) };
        let one = vec![leaf(1, "/html/body/a"), leaf(2, "/html/body/#text"), leaf(3, "/html/body/abbr")];
        let other = vec![leaf(1, "/html/body/a"), leaf(4, "/html/body/img")];
        assert_eq!(labels(&[one, other], &BY_THRESHOLD), [Some(0), Some(0)]);
    }

    #[test]
    fn no_pages_have_no_labels_and_empty_pages_are_alike() {
        assert!(labels(&[], &MdlOptions::default()).is_empty());
        assert_eq!(labels(&[bag([]), bag([])], &MdlOptions::default()), [Some(0), Some(0)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn pages_of_one_schema_share_a_label_and_labels_are_numbered_by_first_member(
            pages in proptest::collection::vec(proptest::collection::btree_set(0..12_u64, 0..8), 0..20)
        ) {
            let bags: Vec<_> = pages.iter().map(|page| bag(page.iter().copied())).collect();
            let labels = labels(&bags, &MdlOptions::default());
            let mut next = 0;
            for (page, label) in labels.iter().enumerate() {
                let label = label.expect("no page is an outlier");
                prop_assert!(label <= next);
                next = next.max(label + 1);
                for other in 0..page {
                    prop_assert!(pages[page] != pages[other] || labels[other] == Some(label));
                }
            }
        }
    }
}
