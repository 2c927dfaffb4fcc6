//! From a tag to a topic in rounds of cotagging (section 6, Figure 7).

use std::collections::BTreeSet;

use super::{CotagOptions, Cotags, Picture, TOPIC_TAGS_MAX};

/// How a topic grows. The paper prints neither number; its two topics have 15 tags each (Tables 2 and 3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiscoveryOptions {
    /// How cotags are chosen.
    pub cotags: CotagOptions,
    /// Number of the best cotags of a round from which the next round starts.
    pub top: usize,
    /// Number of rounds; two in the paper.
    pub rounds: usize,
    /// Maximum number of tags of the final topic, the initial ones included; at most [`TOPIC_TAGS_MAX`].
    pub topic_max: usize,
}

impl DiscoveryOptions {
    /// With the paper's choice of cotags.
    pub fn paper() -> Self {
        Self { cotags: CotagOptions::paper(), ..Self::default() }
    }

    /// Returns the topic that the round after `topic` starts from, or the final topic if this `is_last`: `topic` and
    /// the best of its cotags.
    pub fn grown(&self, topic: &[u64], cotags: &Cotags, is_last: bool) -> Vec<u64> {
        let topic_max = self.topic_max.min(TOPIC_TAGS_MAX);
        let added = if is_last { topic_max } else { self.top };
        let found = cotags.found();
        let grown = topic.iter().copied().chain(found.iter().take(added).map(|cotag| cotag.tag));
        grown.take(topic_max.max(topic.len())).collect()
    }
}

impl Default for DiscoveryOptions {
    fn default() -> Self {
        Self { cotags: CotagOptions::default(), top: 5, rounds: 2, topic_max: 15 }
    }
}

/// Expands the tags `initial` to a topic by what these pictures carry: the initial tags first, then cotags by round,
/// the best first. The tags `noise` do not join. O(rounds · pictures · tags² · log tags).
pub fn discover(pictures: &[Picture], initial: &[u64], noise: &BTreeSet<u64>, options: &DiscoveryOptions) -> Vec<u64> {
    let mut topic = initial.to_vec();
    for round in 1..=options.rounds {
        let mut cotags = Cotags::new(topic.iter().copied(), noise.clone(), options.cotags);
        pictures.iter().for_each(|picture| {
            cotags.add(picture);
        });
        topic = options.grown(&topic, &cotags, round == options.rounds);
    }
    topic
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANIMALS: u64 = 1;
    const CAT: u64 = 2;
    const KITTEN: u64 = 3;
    const CAR: u64 = 4;
    const NOISE: u64 = 5;

    /// Cats are tagged as animals, kittens as cats alone; cars are by themselves.
    fn pictures() -> Vec<Picture> {
        let of = |first: u64, tags: &[u64]| (first..first + 4).map(|user| Picture::new(user, tags.to_vec())).collect();
        let all: [Vec<Picture>; 3] =
            [of(0, &[ANIMALS, CAT, NOISE]), of(10, &[CAT, KITTEN, NOISE]), of(20, &[CAR, NOISE])];
        all.concat()
    }

    fn topic(rounds: usize, topic_max: usize) -> Vec<u64> {
        let options = DiscoveryOptions { rounds, topic_max, ..DiscoveryOptions::default() };
        discover(&pictures(), &[ANIMALS], &BTreeSet::from([NOISE]), &options)
    }

    #[test]
    fn a_second_round_finds_the_cotags_of_cotags() {
        assert_eq!(topic(0, 15), [ANIMALS]);
        assert_eq!(topic(1, 15), [ANIMALS, CAT]);
        assert_eq!(topic(2, 15), [ANIMALS, CAT, KITTEN]);
        assert_eq!(topic(2, 2), [ANIMALS, CAT]);
        assert_eq!(topic(2, 0), [ANIMALS], "the initial tags always stay");
    }

    #[test]
    fn what_is_not_noise_and_on_every_picture_joins_as_printed_and_not_by_lift() {
        let found = |options| discover(&pictures(), &[ANIMALS], &BTreeSet::new(), &options);
        assert_eq!(found(DiscoveryOptions::paper()), [ANIMALS, CAT, NOISE, KITTEN, CAR]);
        assert_eq!(found(DiscoveryOptions::default()), [ANIMALS, CAT, KITTEN]);
    }
}
