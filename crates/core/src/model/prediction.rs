//! What is predicted of links before they are fetched.

use serde::{Deserialize, Serialize};

/// What is predicted of links by what stands around them, and what addresses say of the topic. Stored as one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "u8", into = "u8")]
pub struct Prediction {
    /// How likely it is that their pages are wanted, in steps from 1 on; 0 where that is not predicted.
    pub step: u8,
    /// What addresses say of the topic; `None` in crawls without one.
    pub topic: Option<TopicMark>,
}

/// Which addresses name the topic of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TopicMark {
    /// That of the link itself.
    pub named: bool,
    /// That of the page with the link.
    pub on_named: bool,
}

impl Prediction {
    /// Nothing is predicted.
    pub const NONE: Self = Self { step: 0, topic: None };
    /// The largest step.
    const STEP_MAX: u8 = 0b111;
    /// [`Prediction::topic`] is set.
    const FOR_TOPIC: u8 = 1 << 3;
    /// [`TopicMark::named`].
    const NAMED: u8 = 1 << 4;
    /// [`TopicMark::on_named`].
    const ON_NAMED: u8 = 1 << 5;
}

impl From<Prediction> for u8 {
    fn from(Prediction { step, topic }: Prediction) -> Self {
        let flag = |holds, flag| if holds { flag } else { 0 };
        let mark = |mark: TopicMark| {
            Prediction::FOR_TOPIC | flag(mark.named, Prediction::NAMED) | flag(mark.on_named, Prediction::ON_NAMED)
        };
        step.min(Prediction::STEP_MAX) | topic.map_or(0, mark)
    }
}

impl From<u8> for Prediction {
    fn from(stored: u8) -> Self {
        let mark = TopicMark { named: stored & Self::NAMED != 0, on_named: stored & Self::ON_NAMED != 0 };
        Self { step: stored & Self::STEP_MAX, topic: (stored & Self::FOR_TOPIC != 0).then_some(mark) }
    }
}
