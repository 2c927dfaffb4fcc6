//! Topics of a corpus with tags.

use std::collections::{BTreeMap, BTreeSet};

use crate::corpus::{Corpus, Label, Role};

/// Minimum and maximum share of the items that carry a topic's first tag.
const SHARES: (f64, f64) = (0.02, 0.2);
/// Maximum number of tags of a topic that are chosen with the first.
const COTAGS_MAX: usize = 3;
/// Minimum number of items that carry both tags.
const COMMON_MIN: u32 = 5;
/// Minimum lift (eq. 6 with shares of all items) of a tag of the topic.
const LIFT_MIN: f64 = 2.0;
/// Maximum share of a topic's items that may also belong to a topic chosen before.
const OVERLAP_MAX: f64 = 0.3;

/// A topic: items with one of its tags belong to it (Zhang, Nasraoui 2009, section 8.3).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Topic {
    /// The tags, the one that names the topic first.
    pub tags: Vec<Box<str>>,
}

impl Topic {
    /// Returns the topic of these tags, in the spelling of labels. Texts without characters are no tags.
    pub fn named<'a>(tags: impl IntoIterator<Item = &'a str>) -> Self {
        Self { tags: Label::default().with_tags(tags).tags().into() }
    }

    /// Returns whether a page with this label is an item of the topic.
    pub fn contains(&self, label: &Label) -> bool {
        label.role == Role::Detail && label.tags().iter().any(|tag| self.tags.contains(tag))
    }

    /// Returns its name.
    pub fn name(&self) -> String {
        self.tags.first().map_or_else(String::new, ToString::to_string)
    }

    /// Chooses `count` topics of a corpus: the most frequent tags, each with the tags that occur with it most above
    /// chance, as far as topics share few items. Empty if the labels have no tags.
    pub fn of(corpus: &Corpus, count: usize) -> Vec<Self> {
        let items = items(corpus);
        let counts = count_tags(&items);
        let all = items.len() as f64;
        let mut firsts: Vec<(&str, u32)> = counts.iter().map(|(tag, count)| (*tag, *count)).collect();
        firsts.retain(|(_, count)| (SHARES.0..=SHARES.1).contains(&(f64::from(*count) / all)));
        firsts.sort_by_key(|(tag, count)| (std::cmp::Reverse(*count), *tag));
        let mut topics: Vec<Self> = Vec::new();
        for (first, _) in firsts {
            if topics.len() >= count {
                break;
            }
            let topic = Self::around(first, &items, &counts);
            let has = |topic: &Self, item: &BTreeSet<&str>| topic.tags.iter().any(|tag| item.contains(&**tag));
            let own: Vec<&BTreeSet<&str>> = items.iter().filter(|item| has(&topic, item)).collect();
            let shared = own.iter().filter(|item| topics.iter().any(|other| has(other, item))).count();
            if shared as f64 <= OVERLAP_MAX * own.len() as f64 {
                topics.push(topic);
            }
        }
        topics
    }

    /// The topic of a tag.
    fn around(first: &str, items: &[BTreeSet<&str>], counts: &BTreeMap<&str, u32>) -> Self {
        let with: Vec<&BTreeSet<&str>> = items.iter().filter(|item| item.contains(first)).collect();
        let mut common: BTreeMap<&str, u32> = BTreeMap::new();
        with.iter().flat_map(|item| item.iter()).for_each(|tag| *common.entry(tag).or_default() += 1);
        let lift = |tag: &str, common: u32| {
            f64::from(common) * items.len() as f64 / (with.len() as f64 * f64::from(counts[tag]))
        };
        let mut cotags: Vec<(&str, f64)> = common
            .iter()
            .filter(|(tag, common)| **tag != first && **common >= COMMON_MIN)
            .map(|(tag, common)| (*tag, lift(tag, *common)))
            .filter(|(_, lift)| *lift >= LIFT_MIN)
            .collect();
        cotags.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        let tags = std::iter::once(first).chain(cotags.into_iter().take(COTAGS_MAX).map(|(tag, _)| tag));
        Self { tags: tags.map(Box::from).collect() }
    }
}

/// The tags of each item of a corpus.
fn items(corpus: &Corpus) -> Vec<BTreeSet<&str>> {
    let Some(truth) = corpus.truth() else { return Vec::new() };
    let labels = corpus.ids().filter_map(|id| truth.page(id));
    let items = labels.filter(|label| label.role == Role::Detail && !label.is_duplicate_view);
    items.map(|label| label.tags().iter().map(|tag| &**tag).collect()).collect()
}

fn count_tags<'c>(items: &[BTreeSet<&'c str>]) -> BTreeMap<&'c str, u32> {
    let mut counts = BTreeMap::new();
    items.iter().flatten().for_each(|tag| *counts.entry(*tag).or_default() += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Truth;
    use harvestman_core::seed::Seed;
    use harvestman_sim::{Family, World, WorldOptions};

    /// A corpus whose pages are items, with tags by their number.
    fn tagged(tags: impl Fn(usize) -> Vec<&'static str>) -> Corpus {
        let options = WorldOptions {
            pages: 300,
            hosts: 1,
            families: vec![Family::Forum],
            page_bytes: 200,
            links: 12,
            ..WorldOptions::default()
        };
        let corpus = Corpus::from_world(&World::new(&options, Seed(5)).unwrap()).unwrap();
        let label = |(at, _)| Some(Label { role: Role::Detail, ..Label::default() }.with_tags(tags(at)));
        let labels = corpus.ids().enumerate().map(label).collect();
        let truth = Truth::new(&corpus, labels, true);
        corpus.labelled(truth)
    }

    #[test]
    fn topics_are_frequent_tags_with_those_that_occur_with_them_above_chance() {
        let corpus = tagged(|at| match at % 20 {
            0 => vec!["macro", "closeup", "photo"],
            1 => vec!["macro", "photo"],
            2 => vec!["cars", "photo"],
            3 => vec!["cars", "engine", "photo"],
            4 => vec!["closeup", "macro"],
            _ => vec!["photo"],
        });
        let topics = Topic::of(&corpus, 5);
        let names: Vec<String> = topics.iter().map(Topic::name).collect();
        assert_eq!(names, ["macro", "cars"], "`photo` is on nearly all items, and the others belong to these topics");
        assert_eq!(topics[0].tags, ["macro".into(), "closeup".into()]);
        assert_eq!(topics[1].tags, ["cars".into(), "engine".into()]);
        let label = |role, tags: &[&'static str]| Label { role, ..Label::default() }.with_tags(tags.to_vec());
        assert!(topics[0].contains(&label(Role::Detail, &["closeup"])));
        assert!(
            !topics[0].contains(&label(Role::List, &["closeup"]))
                && !topics[0].contains(&label(Role::Detail, &["photo"]))
        );
    }

    #[test]
    fn a_corpus_without_tags_has_no_topics() {
        assert_eq!(Topic::of(&tagged(|_| Vec::new()), 2), []);
    }
}
