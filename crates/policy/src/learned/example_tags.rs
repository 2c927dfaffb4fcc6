//! The topic that example pages share: their common tags.

use std::collections::{BTreeMap, BTreeSet};

use super::topic_terms::names_itself;

/// Maximum number of tags of a topic.
const TAGS_MAX: usize = 20;

/// A link on an example page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExampleLink {
    /// Where on the page it is: equal for links in lists of one form.
    pub place: u64,
    /// Its text.
    pub text: String,
    /// Its address.
    pub address: String,
}

/// Returns the tags that at least half of the example pages show, and at least two of them, most frequent first. A tag
/// is a link whose text names a part of its address behind the first (`/tag/macro-photography`: `Macro photography`). A
/// place that shows the same links on all pages is navigation, and none of its links is a tag.
pub fn shared_tags(examples: &[Vec<ExampleLink>]) -> Vec<String> {
    let places = places(examples);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for example in examples {
        let varies = |link: &&ExampleLink| places.get(&link.place).is_some_and(|shown| !is_same(shown, examples.len()));
        let tags = example.iter().filter(varies).filter(|link| names_itself(&link.address, &link.text));
        let tags: BTreeSet<&str> = tags.map(|link| link.text.as_str()).collect();
        tags.into_iter().for_each(|tag| *counts.entry(tag).or_default() += 1);
    }
    let mut shared: Vec<_> =
        counts.into_iter().filter(|(_, count)| *count >= 2 && 2 * count >= examples.len()).collect();
    shared.sort_by_key(|(tag, count)| (std::cmp::Reverse(*count), *tag));
    shared.into_iter().take(TAGS_MAX).map(|(tag, _)| tag.to_owned()).collect()
}

/// The links that each place shows, page by page.
type Shown<'e> = Vec<BTreeSet<&'e ExampleLink>>;

fn places(examples: &[Vec<ExampleLink>]) -> BTreeMap<u64, Shown<'_>> {
    let mut places: BTreeMap<u64, Shown<'_>> = BTreeMap::new();
    for example in examples {
        let mut here: BTreeMap<u64, BTreeSet<&ExampleLink>> = BTreeMap::new();
        for link in example {
            here.entry(link.place).or_default().insert(link);
        }
        here.into_iter().for_each(|(place, links)| places.entry(place).or_default().push(links));
    }
    places
}

/// Returns whether a place shows the same links on all pages.
fn is_same(shown: &Shown<'_>, pages: usize) -> bool {
    shown.len() == pages && shown.windows(2).all(|two| two[0] == two[1])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn link(place: u64, text: &str, address: &str) -> ExampleLink {
        ExampleLink { place, text: text.to_owned(), address: address.to_owned() }
    }

    fn tag(name: &str) -> ExampleLink {
        link(1, name, &format!("/tags/{}/", name.replace(' ', "-").to_lowercase()))
    }

    #[test]
    fn the_tags_that_most_examples_show_are_the_topic() {
        let navigation = link(2, "Questions", "/all/questions");
        let author = |name: &str| link(3, name, &format!("/users/{name}"));
        let examples = [
            vec![navigation.clone(), tag("Macro photography"), tag("bees"), author("ann")],
            vec![navigation.clone(), tag("Macro photography"), tag("bokeh"), author("bob")],
            vec![navigation.clone(), tag("bokeh"), tag("Macro photography"), tag("paris"), author("cid")],
            vec![navigation, tag("Macro photography"), author("ann")],
        ];
        assert_eq!(shared_tags(&examples), ["Macro photography", "ann", "bokeh"]);
        assert_eq!(shared_tags(&examples[..3]), ["Macro photography", "bokeh"]);
    }

    #[test]
    fn one_example_and_examples_without_a_common_tag_share_none() {
        assert!(shared_tags(&[]).is_empty());
        assert!(shared_tags(&[vec![tag("a"), tag("b")]]).is_empty());
        assert!(shared_tags(&[vec![tag("a")], vec![tag("b")]]).is_empty());
        let other = link(1, "More", "/tags/all");
        assert!(shared_tags(&[vec![other.clone(), tag("a")], vec![other, tag("b")]]).is_empty(), "its text is no name");
    }

    fn links() -> impl Strategy<Value = Vec<ExampleLink>> {
        prop::collection::vec((0..3_u64, "[ab]{1,2}", "/[ab]{0,2}/[ab]{1,2}"), 0..6)
            .prop_map(|links| links.into_iter().map(|(place, text, address)| link(place, &text, &address)).collect())
    }

    /// The rule, word for word.
    fn naive(examples: &[Vec<ExampleLink>]) -> BTreeSet<String> {
        let at = |example: &[ExampleLink], place: u64| -> BTreeSet<ExampleLink> {
            example.iter().filter(|link| link.place == place).cloned().collect()
        };
        let is_navigation = |place: u64| {
            examples.iter().all(|one| !at(one, place).is_empty() && at(one, place) == at(&examples[0], place))
        };
        let shows = |example: &[ExampleLink], tag: &str| {
            let is_tag = |link: &ExampleLink| link.text == tag && names_itself(&link.address, tag);
            example.iter().any(|link| is_tag(link) && !is_navigation(link.place))
        };
        let texts = examples.iter().flatten().map(|link| link.text.clone());
        let count = |tag: &str| examples.iter().filter(|example| shows(example, tag)).count();
        texts.filter(|tag| count(tag) >= 2 && 2 * count(tag) >= examples.len()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn shared_tags_are_those_of_the_rule(examples in prop::collection::vec(links(), 0..5)) {
            let found = shared_tags(&examples);
            let once: BTreeSet<String> = found.iter().cloned().collect();
            prop_assert_eq!(found.len(), once.len());
            prop_assert_eq!(once, naive(&examples));
        }
    }
}
