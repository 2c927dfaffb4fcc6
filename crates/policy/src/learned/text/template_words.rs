//! The templates of groups of pages: what many pages of a group show.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::content::{Content, template_keys};
use super::key::Kin;
use harvestman_core::model::{ClusterId, PageText, PatternId};

/// The number of pages from which a group's template is learned.
const SAMPLE: u32 = 40;
/// A key on more than this share of a group's pages is template, unless it is on very few.
const SHARE: f64 = 0.5;
const PAGES_MIN: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Group {
    Cluster(ClusterId),
    Pattern(PatternId),
}

const fn groups(kin: Kin) -> [Group; 2] {
    [Group::Cluster(kin.cluster), Group::Pattern(kin.pattern)]
}

/// The template of a group. Its first pages are counted; then it is fixed.
#[derive(Debug)]
enum Template {
    Counting { pages: u32, counts: HashMap<u64, u32, FixedState> },
    Fixed(FixedKeys),
}

impl Default for Template {
    fn default() -> Self {
        Self::Counting { pages: 0, counts: HashMap::default() }
    }
}

impl Template {
    fn see(&mut self, keys: &HashSet<u64, FixedState>) {
        let Self::Counting { pages, counts } = self else { return };
        *pages += 1;
        keys.iter().for_each(|key| *counts.entry(*key).or_default() += 1);
        if *pages >= SAMPLE {
            let common = counts.iter().filter(|(_, count)| is_common(**count, *pages));
            *self = Self::Fixed(FixedKeys::new(common.map(|(key, _)| *key).collect()));
        }
    }

    #[inline]
    fn has(&self, key: u64) -> bool {
        match self {
            Self::Counting { pages, counts } => has_common(counts, *pages, key),
            Self::Fixed(keys) => keys.contains(key),
        }
    }
}

/// Keys that do not change any more, behind a filter: most words of most pages are not template, and a bit is asked for
/// faster than a table.
#[derive(Debug)]
struct FixedKeys {
    /// A power of two of words; a bit for each key.
    filter: Box<[u64]>,
    keys: HashSet<u64, FixedState>,
}

impl FixedKeys {
    /// Number of bits for each key, at least.
    const BITS: usize = 16;

    fn new(keys: HashSet<u64, FixedState>) -> Self {
        let mut filter = vec![0; (keys.len() * Self::BITS / 64).next_power_of_two()].into_boxed_slice();
        for key in &keys {
            let (word, bit) = Self::place(*key, filter.len());
            filter[word] |= bit;
        }
        Self { filter, keys }
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        let (word, bit) = Self::place(key, self.filter.len());
        self.filter[word] & bit != 0 && self.is_among(key)
    }

    #[inline(never)]
    fn is_among(&self, key: u64) -> bool {
        self.keys.contains(&key)
    }

    /// Returns the word and the bit of a key; `words` is a power of two.
    const fn place(key: u64, words: usize) -> (usize, u64) {
        ((key >> 6) as usize & (words - 1), 1 << (key & 63))
    }
}

#[inline(never)]
fn has_common(counts: &HashMap<u64, u32, FixedState>, pages: u32, key: u64) -> bool {
    counts.get(&key).is_some_and(|count| is_common(*count, pages))
}

fn is_common(count: u32, pages: u32) -> bool {
    count > PAGES_MIN && f64::from(count) > SHARE * f64::from(pages)
}

/// The templates of clusters and URL patterns.
#[derive(Debug, Default)]
pub struct TemplateWords(HashMap<Group, Template, FixedState>);

impl TemplateWords {
    /// Learns from a page. Returns whether its groups still had something to learn.
    pub fn see(&mut self, text: &PageText, kin: Kin) -> bool {
        let is_fixed = |group: &Group| matches!(self.0.get(group), Some(Template::Fixed(_)));
        if groups(kin).iter().all(is_fixed) {
            return false;
        }
        let keys = template_keys(text);
        groups(kin).into_iter().for_each(|group| self.0.entry(group).or_default().see(&keys));
        true
    }

    /// Returns the content of a page.
    pub fn content(&self, text: &PageText, kin: Kin) -> Content {
        Content::of(text, self.of(kin))
    }

    /// Returns what tells the keys that are template on a page.
    pub fn of(&self, kin: Kin) -> impl Fn(u64) -> bool {
        let [cluster, pattern] = groups(kin).map(|group| self.0.get(&group));
        let has = |template: Option<&Template>, key| template.is_some_and(|template| template.has(key));
        move |key| has(pattern, key) || has(cluster, key)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_of_a_groups_pages_show_is_template_and_stays_so() {
        let kin = Kin { cluster: ClusterId(3), pattern: PatternId(4) };
        let mut templates = TemplateWords::default();
        let page = |number: u32| {
            let mut text = PageText::default();
            text.push(&[1, 2, 3, 4, 5, 6], false, false);
            text.push(&(0..20).map(|at| 1_000 * (number + 1) + at).collect::<Vec<_>>(), false, false);
            text
        };
        let seen: Vec<bool> = (0..SAMPLE + 2).map(|number| templates.see(&page(number), kin)).collect();
        assert_eq!(seen.iter().filter(|seen| **seen).count(), SAMPLE as usize);
        assert_eq!(templates.content(&page(77), kin).shingles.len(), 18);
        let other = Kin { cluster: ClusterId(5), pattern: PatternId(6) };
        assert_eq!(templates.content(&page(77), other).shingles.len(), 22);
        templates.clear();
        assert_eq!(templates.content(&page(77), kin).shingles.len(), 22);
    }

    #[test]
    fn on_very_few_pages_nothing_is_common() {
        assert!(!is_common(3, 3) && is_common(4, 4) && !is_common(20, 40) && is_common(21, 40));
    }

    #[test]
    fn fixed_keys_are_all_found_and_no_others() {
        let key = |number: u64| (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for count in [0, 1, 4, 5, 700] {
            let keys = FixedKeys::new((0..count).map(key).collect());
            assert!((0..count).all(|number| keys.contains(key(number))), "{count}");
            assert!((count..3_000).all(|number| !keys.contains(key(number))), "{count}");
        }
    }
}
