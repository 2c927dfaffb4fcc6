//! Where links led, by place and pattern: what a link's cluster is taken for where its URL alone does not tell.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use harvestman_core::model::{Apath, PatternId};
use harvestman_structure::site::Cluster;

/// From so many links on that were followed, where they led is a rule.
const LINKS_MIN: u32 = 3;
/// The share of them that must have led to the same cluster.
const MAJORITY: f64 = 0.8;

/// What a link is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    PlaceAndPattern(Option<Cluster>, Apath, PatternId),
    Pattern(PatternId),
    Place(Option<Cluster>, Apath),
}

/// Counts where links led.
#[derive(Debug, Default)]
pub struct Tally(BTreeMap<(Mark, Cluster), u32>);

impl Tally {
    /// Counts a link at `apath` on a page of `source`, whose URL has this pattern, to a page of `target`.
    pub fn see(&mut self, source: Option<Cluster>, apath: Apath, pattern: PatternId, target: Cluster) {
        for mark in marks(source, apath, pattern) {
            *self.0.entry((mark, target)).or_default() += 1;
        }
    }

    /// The rules that follow.
    pub fn rules(&self) -> Rules {
        let mut all: HashMap<Mark, (u32, u32, Cluster), FixedState> = HashMap::default();
        for ((mark, target), count) in &self.0 {
            let (sum, most, best) = all.entry(*mark).or_insert((0, 0, *target));
            *sum += count;
            if count > most {
                (*most, *best) = (*count, *target);
            }
        }
        let is_rule = |sum: u32, most: u32| sum >= LINKS_MIN && f64::from(most) >= MAJORITY * f64::from(sum);
        let rules = all.into_iter().filter(|(_, (sum, most, _))| is_rule(*sum, *most));
        Rules(rules.map(|(mark, (.., best))| (mark, best)).collect())
    }
}

/// Rules: links with these marks lead to this cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(HashMap<Mark, Cluster, FixedState>);

impl Mark {
    /// The cluster of the page that the link stands on, as far as that matters.
    pub const fn source(self) -> Option<Cluster> {
        match self {
            Self::PlaceAndPattern(source, ..) | Self::Place(source, _) => source,
            Self::Pattern(_) => None,
        }
    }
}

impl FromIterator<(Mark, Cluster)> for Rules {
    fn from_iter<I: IntoIterator<Item = (Mark, Cluster)>>(rules: I) -> Self {
        Self(rules.into_iter().collect())
    }
}

impl Rules {
    /// All of them, in a fixed order.
    pub fn in_order(&self) -> Vec<(Mark, Cluster)> {
        let mut rules: Vec<_> = self.0.iter().map(|(mark, to)| (*mark, *to)).collect();
        rules.sort_unstable();
        rules
    }

    /// Where a link leads by place and pattern; else by its pattern; else by its place.
    pub fn to(&self, source: Option<Cluster>, apath: Apath, pattern: PatternId) -> Option<Cluster> {
        marks(source, apath, pattern).iter().find_map(|mark| self.0.get(mark).copied())
    }

    /// The same, but the place alone tells nothing.
    pub fn to_by_pattern(&self, source: Option<Cluster>, apath: Apath, pattern: PatternId) -> Option<Cluster> {
        marks(source, apath, pattern)[..2].iter().find_map(|mark| self.0.get(mark).copied())
    }
}

const fn marks(source: Option<Cluster>, apath: Apath, pattern: PatternId) -> [Mark; 3] {
    [Mark::PlaceAndPattern(source, apath, pattern), Mark::Pattern(pattern), Mark::Place(source, apath)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPICS: PatternId = PatternId(7);

    fn tally(links: &[(u64, PatternId, u32)]) -> Rules {
        let mut tally = Tally::default();
        links
            .iter()
            .for_each(|(apath, pattern, to)| tally.see(Some(Cluster(0)), Apath(*apath), *pattern, Cluster(*to)));
        tally.rules()
    }

    #[test]
    fn the_place_decides_where_a_pattern_leads_to_several_clusters() {
        let mixed = [
            (100, TOPICS, 1),
            (100, TOPICS, 1),
            (100, TOPICS, 1),
            (101, TOPICS, 2),
            (101, TOPICS, 2),
            (101, TOPICS, 2),
        ];
        let led = tally(&mixed);
        let to = |apath| led.to_by_pattern(Some(Cluster(0)), Apath(apath), TOPICS);
        assert_eq!((to(100), to(101)), (Some(Cluster(1)), Some(Cluster(2))));
        assert_eq!(to(102), None, "at another place it is uncertain");
        assert_eq!(led.to_by_pattern(Some(Cluster(5)), Apath(100), TOPICS), None, "and on other pages");
    }

    #[test]
    fn a_pattern_that_leads_to_one_cluster_decides_anywhere_and_a_place_where_nothing_else_is_known() {
        let led = tally(&[(100, TOPICS, 1), (100, TOPICS, 1), (101, TOPICS, 1), (101, TOPICS, 1)]);
        assert_eq!(led.to(None, Apath(9), TOPICS), Some(Cluster(1)));
        let led = tally(&[(100, PatternId(1), 3), (100, PatternId(2), 3), (100, PatternId(3), 3)]);
        assert_eq!(led.to(Some(Cluster(0)), Apath(100), PatternId(4)), Some(Cluster(3)));
        assert_eq!(led.to_by_pattern(Some(Cluster(0)), Apath(100), PatternId(4)), None);
    }

    #[test]
    fn few_links_and_narrow_majorities_are_no_rule() {
        let led = tally(&[(100, TOPICS, 1), (100, TOPICS, 1)]);
        assert_eq!(led.to(Some(Cluster(0)), Apath(100), TOPICS), None);
        let led = tally(&[(100, TOPICS, 1), (100, TOPICS, 1), (100, TOPICS, 1), (100, TOPICS, 2)]);
        assert_eq!(led.to(Some(Cluster(0)), Apath(100), TOPICS), None);
    }
}
