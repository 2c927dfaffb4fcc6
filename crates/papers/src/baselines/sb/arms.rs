//! The arms of the bandit: groups of places with similar tag paths, and the reward of pulling them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foldhash::fast::FixedState;
use xxhash_rust::xxh3::xxh3_64;

use harvestman_core::model::Apath;

/// Spells an Apath out (`/html/body/div/a[class]`), where it can.
pub type Spelling = Arc<dyn Fn(Apath) -> Option<Box<str>> + Send + Sync>;

/// Maximum number of arms; further places belong to the last one.
const ARMS_MAX: usize = 1024;
/// Maximum number of places that are remembered; further ones are new each time.
const PLACES_MAX: usize = 1 << 16;
/// Number of dimensions that bigrams are hashed to: 2^12.
const DIMENSIONS: u64 = 1 << 12;
/// Takes the place of the pulls of an arm that was never pulled, so that it is tried before all others.
const NEVER: f64 = 1e-6;

type Vector = BTreeMap<u64, f64>;

/// Place to arm.
pub(super) type ArmOfPlace = HashMap<Apath, u16, FixedState>;

/// One arm.
#[derive(Debug, Clone, Default)]
pub(super) struct Arm {
    /// The sum of its places' vectors, which has the direction of their mean.
    centroid: Vector,
    /// Pages fetched through it.
    pub pulls: u64,
    /// New wanted pages that were found on them.
    pub reward: u64,
}

impl Arm {
    /// The mean reward plus the exploration bonus: AUER, Q + α √(ln t / n), at the `time`-th fetch.
    #[expect(clippy::cast_precision_loss, reason = "numbers of pages")]
    pub fn index(&self, alpha: f64, time: u64) -> f64 {
        let pulls = self.pulls as f64;
        let mean = if self.pulls == 0 { 0.0 } else { self.reward as f64 / pulls };
        mean + alpha * ((time.max(1) as f64).ln() / (pulls + NEVER)).sqrt()
    }
}

/// All arms.
pub(super) struct Arms {
    pub arms: Vec<Arm>,
    pub places: Arc<ArmOfPlace>,
    similarity: f64,
    spelling: Option<Spelling>,
}

impl Arms {
    /// No arms. Places are of one arm if the cosine of their tag paths is at least `similarity`; without a `spelling`
    /// each place is an arm.
    pub fn new(similarity: f64, spelling: Option<Spelling>) -> Self {
        Self { arms: Vec::new(), places: Arc::default(), similarity, spelling }
    }

    /// The arm of a place: that of the nearest centroid which is near enough, or a new one.
    pub fn of(&mut self, place: Apath) -> u16 {
        if let Some(arm) = self.places.get(&place) {
            return *arm;
        }
        let path = self.spelling.as_ref().and_then(|spell| spell(place)).map(|path| bigrams(&path)).unwrap_or_default();
        let arm = self.nearest(&path).unwrap_or_else(|| self.add_arm());
        path.iter().for_each(|(bigram, count)| *self.arms[arm].centroid.entry(*bigram).or_default() += count);
        #[expect(clippy::cast_possible_truncation, reason = "there are at most ARMS_MAX")]
        let arm = arm as u16;
        if self.places.len() < PLACES_MAX {
            Arc::make_mut(&mut self.places).insert(place, arm);
        }
        arm
    }

    fn nearest(&self, path: &Vector) -> Option<usize> {
        let similarity = |arm: &Arm| cosine(&arm.centroid, path);
        let arms = self.arms.iter().map(similarity).enumerate().filter(|(_, similar)| *similar >= self.similarity);
        arms.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0))).map(|(at, _)| at)
    }

    fn add_arm(&mut self) -> usize {
        if self.arms.len() < ARMS_MAX {
            self.arms.push(Arm::default());
        }
        self.arms.len() - 1
    }
}

/// The hashed bigrams of a tag path with their shares.
#[expect(clippy::cast_precision_loss, reason = "a number of elements")]
fn bigrams(path: &str) -> Vector {
    let steps: Vec<&str> = std::iter::once("^").chain(path.split('/').skip(1)).chain(["$"]).collect();
    let mut vector = Vector::new();
    for pair in steps.windows(2) {
        let bigram = xxh3_64(format!("{}/{}", pair[0], pair[1]).as_bytes()) % DIMENSIONS;
        *vector.entry(bigram).or_default() += 1.0 / (steps.len() - 1) as f64;
    }
    vector
}

/// The cosine of two vectors; -1, which is near nothing, if one of them is zero.
fn cosine(one: &Vector, other: &Vector) -> f64 {
    let dot: f64 = one.iter().filter_map(|(at, weight)| Some(weight * other.get(at)?)).sum();
    let squared = |vector: &Vector| vector.values().map(|weight| weight * weight).sum::<f64>();
    let norms = (squared(one) * squared(other)).sqrt();
    if norms > 0.0 { dot / norms } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_the_mean_plus_the_exploration_bonus() {
        let arm = Arm { pulls: 4, reward: 6, ..Arm::default() };
        assert!((arm.index(2.0, 100) - (1.5 + 2.0 * (100.0_f64.ln() / 4.0).sqrt())).abs() < 1e-6);
        assert_eq!([arm.index(2.0, 0), arm.index(2.0, 1)], [1.5, 1.5]);
        let untried = Arm::default();
        assert!(untried.index(2.0, 2) > 1000.0 && untried.index(2.0, u64::MAX).is_finite());
    }

    #[test]
    fn places_with_similar_tag_paths_share_an_arm() {
        let spelling: Spelling = Arc::new(|place| match place.0 {
            10 => Some("/html/body/div/div/ul/li/h3/a[topic]".into()),
            11 => Some("/html/body/div/div/ul/li/ul/li/h3/a[topic]".into()),
            12 => Some("/html/body/table/tr/td/p/span/a".into()),
            _ => None,
        });
        let mut arms = Arms::new(0.75, Some(spelling));
        let of: Vec<u16> = [10, 11, 12, 13, 14, 10].map(|place| arms.of(Apath(place))).to_vec();
        assert_eq!(of, [0, 0, 1, 2, 3, 0], "what cannot be spelt out is an arm of its own");
        let mut alone = Arms::new(0.75, None);
        assert_eq!([10, 11, 10].map(|place| alone.of(Apath(place))), [0, 1, 0]);
    }

    #[test]
    fn the_number_of_arms_is_bounded() {
        let mut arms = Arms::new(0.75, None);
        let last = (0..ARMS_MAX as u64 + 10).map(|place| arms.of(Apath(place))).last();
        assert_eq!((arms.arms.len(), last), (ARMS_MAX, Some(ARMS_MAX as u16 - 1)));
    }
}
