//! One round of cotagging: how often tags occur together with the tags of a topic (section 6, eq. 6).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;

use super::{CotagOptions, CotagOrder, CotagScale, HeavyHitters, Picture, SameSets};

/// Maximum number of tags of a topic; further ones are not counted.
pub const TOPIC_TAGS_MAX: usize = 32;

/// Counts the tags of pictures.
///
/// The score of a cotag is a lower bound where the tables are full: common pictures count with the lower bound of their
/// number and pictures of the cotag with the upper one, whose distance is at most the number of tags counted divided by
/// the size of the table. So no tag joins by an error of counting. Pictures of topic tags are counted exactly.
#[derive(Debug, Clone)]
pub struct Cotags {
    options: CotagOptions,
    topic: BTreeMap<u64, TopicTag>,
    /// Tags that never join a topic, such as the names of cameras.
    noise: BTreeSet<u64>,
    tags: HeavyHitters,
    repeated: RepeatedSets,
    pictures: u64,
}

/// The counts of a tag of the topic.
#[derive(Debug, Clone)]
struct TopicTag {
    /// P(T).
    pictures: u64,
    /// P(T ∩ T1) by T1.
    cotags: HeavyHitters,
}

/// A tag that occurs together with a tag of the topic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cotag {
    /// The tag.
    pub tag: u64,
    /// The number of pictures that carry both tags.
    pub votes: u64,
    /// The correlation on the scale of the options.
    pub score: f64,
}

impl Cotags {
    /// Creates empty counts for the topic `topic`. The tags `noise` are not proposed.
    pub fn new(topic: impl IntoIterator<Item = u64>, noise: BTreeSet<u64>, options: CotagOptions) -> Self {
        let empty = || TopicTag { pictures: 0, cotags: HeavyHitters::new(options.cotags_max) };
        Self {
            topic: topic.into_iter().take(TOPIC_TAGS_MAX).map(|tag| (tag, empty())).collect(),
            noise,
            tags: HeavyHitters::new(options.tags_max),
            repeated: RepeatedSets::new(options.sets_max),
            pictures: 0,
            options,
        }
    }

    /// Counts a picture. Returns whether it counts: one without tags does not, nor does one with the tags of another
    /// ([`SameSets`]).
    pub fn add(&mut self, picture: &Picture) -> bool {
        let tags = picture.tags();
        let is_new = match self.options.same_sets {
            SameSets::Each => true,
            SameSets::OncePerUploader => self.repeated.is_new((picture.uploader(), tags)),
            SameSets::OnceOverall => self.repeated.is_new(tags),
        };
        if tags.is_empty() || !is_new {
            return false;
        }
        self.pictures += 1;
        tags.iter().for_each(|tag| self.tags.add(*tag));
        for tag in tags {
            let Some(topic) = self.topic.get_mut(tag) else { continue };
            topic.pictures += 1;
            tags.iter().filter(|other| *other != tag).for_each(|other| topic.cotags.add(*other));
        }
        true
    }

    /// Returns the number of pictures that counted.
    pub const fn pictures(&self) -> u64 {
        self.pictures
    }

    /// Returns the number of counted pictures that carry the topic tag `tag`; 0 for any other tag.
    pub fn pictures_with(&self, tag: u64) -> u64 {
        self.topic.get(&tag).map_or(0, |topic| topic.pictures)
    }

    /// Returns the tags that may join the topic, the best first; tags of the topic are not among them. For a tag that
    /// is with several tags of the topic, the best of them counts. Of equal tags, the one with the smaller hash comes
    /// first.
    pub fn found(&self) -> Vec<Cotag> {
        let mut best = BTreeMap::<u64, Cotag>::new();
        for topic in self.topic.values() {
            for (tag, common) in topic.cotags.iter() {
                if self.topic.contains_key(&tag) || self.noise.contains(&tag) || common.least < self.options.votes_min {
                    continue;
                }
                let cotag = Cotag { tag, votes: common.least, score: self.score(topic.pictures, tag, common.least) };
                let known = best.entry(tag).or_insert(cotag);
                if cotag.score > self.options.score_min && self.rank(&cotag) > self.rank(known) {
                    *known = cotag;
                }
            }
        }
        let mut found: Vec<Cotag> = best.into_values().filter(|cotag| cotag.score > self.options.score_min).collect();
        found.sort_by_key(|cotag| Reverse(self.rank(cotag)));
        found
    }

    /// Computes eq. 6: the common pictures divided by the product of both tags' pictures.
    #[expect(clippy::cast_precision_loss, reason = "numbers of pictures")]
    fn score(&self, with_topic_tag: u64, tag: u64, common: u64) -> f64 {
        let phi = common as f64 / (with_topic_tag as f64 * self.tags.count(tag).most as f64);
        match self.options.scale {
            CotagScale::Phi => phi,
            CotagScale::Lift => phi * self.pictures as f64,
        }
    }

    /// A key that is larger for better cotags. Scores are positive, so their bits are in their order.
    fn rank(&self, cotag: &Cotag) -> (u64, u64) {
        match self.options.order {
            CotagOrder::Votes => (cotag.votes, cotag.score.to_bits()),
            CotagOrder::Score => (cotag.score.to_bits(), cotag.votes),
        }
    }
}

/// Remembers tag sets as 64-bit hashes, 16 bytes each.
///
/// A repetition is recognised if fewer than `sets_max` different sets came in between; at most twice that number are
/// remembered.
#[derive(Debug, Clone)]
struct RepeatedSets {
    latest: HashSet<u64, FixedState>,
    earlier: HashSet<u64, FixedState>,
    sets_max: usize,
}

impl RepeatedSets {
    fn new(sets_max: usize) -> Self {
        Self { latest: HashSet::default(), earlier: HashSet::default(), sets_max: sets_max.max(1) }
    }

    /// Returns whether a set with this key is new, and remembers it.
    fn is_new(&mut self, key: impl Hash) -> bool {
        let hash = FixedState::default().hash_one(key);
        if self.latest.contains(&hash) {
            return false;
        }
        let known = self.earlier.contains(&hash);
        if self.latest.len() >= self.sets_max {
            self.earlier = std::mem::take(&mut self.latest);
        }
        self.latest.insert(hash);
        !known
    }
}

#[cfg(test)]
#[path = "cotags_tests.rs"]
mod tests;
