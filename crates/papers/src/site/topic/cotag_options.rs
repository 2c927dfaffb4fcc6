//! Choices about cotags that the paper leaves open.

/// How cotags are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CotagOptions {
    /// Minimum number of pictures that carry both tags. Eq. 6 alone favours tags that one picture has: two tags that
    /// only one picture has are perfectly correlated.
    pub votes_min: u64,
    /// What [`CotagOptions::score_min`] is compared with.
    pub scale: CotagScale,
    /// A tag joins the topic if its score is above this.
    pub score_min: f64,
    /// How the tags that join are ordered.
    pub order: CotagOrder,
    /// Which pictures with equal tags count.
    pub same_sets: SameSets,
    /// Maximum number of tags whose pictures are counted ([`HeavyHitters`](super::HeavyHitters)).
    pub tags_max: usize,
    /// Maximum number of cotags of one topic tag that are counted.
    pub cotags_max: usize,
    /// Number of tag sets that are remembered to recognise repetitions.
    pub sets_max: usize,
}

impl CotagOptions {
    /// The paper's choices. It prints no threshold, so any correlation suffices; the minimum of three common pictures
    /// is not the paper's.
    pub const fn paper() -> Self {
        Self {
            votes_min: 3,
            scale: CotagScale::Phi,
            score_min: 0.0,
            order: CotagOrder::Votes,
            same_sets: SameSets::OncePerUploader,
            tags_max: 1 << 16,
            cotags_max: 1 << 12,
            sets_max: 1 << 16,
        }
    }
}

impl Default for CotagOptions {
    /// As the paper, but a tag joins only if it is with a topic tag more often than by chance.
    fn default() -> Self {
        Self { scale: CotagScale::Lift, score_min: 1.0, ..Self::paper() }
    }
}

/// The scale of a cotag's score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CotagScale {
    /// φ of eq. 6, in which P is a number of pictures, so that φ becomes smaller as more pictures are seen. Where all
    /// pictures carry the topic tag, as in the paper's collections, it is the same for all cotags: 1 / P(T).
    Phi,
    /// φ times the number of pictures, the *lift*: 1 where two tags are independent.
    #[default]
    Lift,
}

/// The order of the tags that join a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CotagOrder {
    /// By the number of common pictures (the votes of section 6, the frequency of Algorithm 3).
    #[default]
    Votes,
    /// By φ.
    Score,
}

/// Which pictures with equal tags count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SameSets {
    /// All.
    Each,
    /// The first of each user: users tag a group of pictures at once (section 6, strategy 1).
    #[default]
    OncePerUploader,
    /// The first of all users.
    OnceOverall,
}
