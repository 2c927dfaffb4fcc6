//! Outcomes of followed links by place and pattern: they predict the cluster of a link whose URL alone does not
//! determine it.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use harvestman_core::model::{Apath, PatternId};
use harvestman_structure::site::Cluster;

/// The number of followed links from which on their outcomes make a rule.
const LINKS_MIN: u32 = 3;
/// The share of them that must have led to the same cluster.
const MAJORITY: f64 = 0.8;

/// The features of a link that a rule applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkFeatures {
    PlaceAndPattern(Option<Cluster>, Apath, PatternId),
    Pattern(PatternId),
    Place(Option<Cluster>, Apath),
}

/// Counts where followed links led.
#[derive(Debug, Default)]
pub struct FollowedLinks(BTreeMap<(LinkFeatures, Cluster), u32>);

impl FollowedLinks {
    /// Counts a link at `apath` on a page of `source`, whose URL has this pattern, to a page of `target`.
    pub fn see(&mut self, source: Option<Cluster>, apath: Apath, pattern: PatternId, target: Cluster) {
        for mark in marks(source, apath, pattern) {
            *self.0.entry((mark, target)).or_default() += 1;
        }
    }

    /// Derives the rules.
    pub fn rules(&self) -> DestinationRules {
        let mut all: HashMap<LinkFeatures, (u32, u32, Cluster), FixedState> = HashMap::default();
        for ((mark, target), count) in &self.0 {
            let (sum, most, best) = all.entry(*mark).or_insert((0, 0, *target));
            *sum += count;
            if count > most {
                (*most, *best) = (*count, *target);
            }
        }
        let is_rule = |sum: u32, most: u32| sum >= LINKS_MIN && f64::from(most) >= MAJORITY * f64::from(sum);
        let rules = all.into_iter().filter(|(_, (sum, most, _))| is_rule(*sum, *most));
        DestinationRules(rules.map(|(mark, (.., best))| (mark, best)).collect())
    }
}

/// Rules: links with these features lead to this cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DestinationRules(HashMap<LinkFeatures, Cluster, FixedState>);

impl LinkFeatures {
    /// The cluster of the page with the link, if the rule depends on it.
    pub const fn source(self) -> Option<Cluster> {
        match self {
            Self::PlaceAndPattern(source, ..) | Self::Place(source, _) => source,
            Self::Pattern(_) => None,
        }
    }
}

impl FromIterator<(LinkFeatures, Cluster)> for DestinationRules {
    fn from_iter<I: IntoIterator<Item = (LinkFeatures, Cluster)>>(rules: I) -> Self {
        Self(rules.into_iter().collect())
    }
}

impl DestinationRules {
    /// All rules, in a fixed order.
    pub fn in_order(&self) -> Vec<(LinkFeatures, Cluster)> {
        let mut rules: Vec<_> = self.0.iter().map(|(mark, to)| (*mark, *to)).collect();
        rules.sort_unstable();
        rules
    }

    /// Where a link leads by place and pattern, otherwise by its pattern, otherwise by its place.
    pub fn to(&self, source: Option<Cluster>, apath: Apath, pattern: PatternId) -> Option<Cluster> {
        marks(source, apath, pattern).iter().find_map(|mark| self.0.get(mark).copied())
    }

    /// The same without a rule by place alone.
    pub fn to_by_pattern(&self, source: Option<Cluster>, apath: Apath, pattern: PatternId) -> Option<Cluster> {
        marks(source, apath, pattern)[..2].iter().find_map(|mark| self.0.get(mark).copied())
    }
}

const fn marks(source: Option<Cluster>, apath: Apath, pattern: PatternId) -> [LinkFeatures; 3] {
    [
        LinkFeatures::PlaceAndPattern(source, apath, pattern),
        LinkFeatures::Pattern(pattern),
        LinkFeatures::Place(source, apath),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPICS: PatternId = PatternId(7);

    fn tally(links: &[(u64, PatternId, u32)]) -> DestinationRules {
        let mut tally = FollowedLinks::default();
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
