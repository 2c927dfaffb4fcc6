//! What was learned: how the requests of a cluster's pages are made without a browser.

use serde::{Deserialize, Serialize};

use super::extract::Extract;
use super::places::ValuePlace;
use super::source::PartSource;

/// The version of [`ReplayTemplate`] that this code writes and reads.
pub const REPLAY_VERSION: u32 = 3;

/// How to make the requests of all pages of a cluster. Its slots are made together, as answers of one may start
/// another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayTemplate {
    /// Version of the format. Another version must be learned again.
    pub version: u32,
    /// The kinds of requests.
    pub slots: Vec<SlotTemplate>,
    /// Headers that all useful requests of the samples had with the same value: `accept` and `x-requested-with`, by
    /// which some servers tell what to answer.
    pub headers: Vec<(String, String)>,
    /// The fields of JSON answers whose URLs the pages show as links, sorted. The URLs of others, such as those of
    /// actions and of images, are no links.
    pub link_fields: Vec<String>,
}

/// One kind of request: those of the same path shape and query keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotTemplate {
    /// Origin, path and keys, with `*` for what differs.
    pub name: String,
    /// Whether its answers hold gains. Otherwise they only start other slots.
    pub is_useful: bool,
    /// Whether its URLs are links of the page, not requests.
    pub is_link: bool,
    /// Names of the query keys that differ without reason.
    pub volatile_keys: Vec<String>,
    /// Ways to make its requests, the most plausible first; at least one. A replay uses the first.
    pub plans: Vec<RequestPlan>,
}

/// A way to make the requests of a slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestPlan {
    /// Index of the slot whose answers start a chain of requests; `None` if the page does.
    pub start: Option<usize>,
    /// The place whose values start a chain each; `None` for one chain.
    pub fan: Option<Fan>,
    /// The URL of a request.
    pub url: UrlPlan,
    /// Whether its chains continue the requests of the slot that starts them: none begins where the answer meets
    /// `stop`.
    pub continues: bool,
    /// Whether a chain has more than one request.
    pub repeats: bool,
    /// When a chain ends, besides the bounds and a missing value.
    pub stop: StopRule,
}

/// A place whose values start a chain of requests each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fan {
    /// The place: of the page, or of the answer that starts the chains.
    pub place: ValuePlace,
    /// Which part of a value counts.
    pub extract: Extract,
    /// Which of the values count; `None` if all do.
    pub condition: Option<FanCondition>,
}

/// Tells the values of a fan that start a request from others, such as comments with hidden replies from those without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FanCondition {
    /// The field of the same item.
    pub place: ValuePlace,
    /// Its text where there is nothing to request.
    pub is_not: String,
}

/// How a URL is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum UrlPlan {
    /// It stands somewhere as a whole, absolute or relative to the page, perhaps without volatile parameters.
    Whole {
        /// Where it stands, in order of preference.
        sources: Vec<PartSource>,
        /// What it must look like.
        shape: UrlShape,
    },
    /// It is put together.
    Parts {
        /// Scheme, host and port.
        origin: PartPlan,
        /// Segments of the path.
        segments: Vec<PartPlan>,
        /// Keys, with their equals sign, and values.
        query: Vec<(String, PartPlan)>,
    },
}

/// What the URLs of a slot have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlShape {
    /// Scheme, host and port, if they are the same for all.
    pub origin: Option<String>,
    /// Segments of the path that are the same for all.
    pub segments: Vec<Option<String>>,
    /// Keys of the query with their equals signs, without volatile ones, sorted.
    pub keys: Vec<String>,
}

/// How a segment or a value is made: its pieces in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartPlan {
    /// The pieces, one unless the part is cut at separators.
    pub pieces: Vec<PiecePlan>,
}

/// How a piece of a part is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PiecePlan {
    /// Where it comes from, in order of preference; at least one.
    pub sources: Vec<PartSource>,
    /// The separator behind it, empty for the last piece.
    pub separator: String,
}

/// When a chain of requests ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopRule {
    /// An answer has no link or text that was not seen before on this page.
    NothingNew,
    /// The first value at a place of the answer is this text: a flag, or the length of a list.
    Value(ValuePlace, String),
    /// The list at a place of the answer is shorter.
    ShorterThan(ValuePlace, u64),
}

impl PartPlan {
    /// Returns whether it is a parameter that differs without reason.
    pub fn is_volatile(&self) -> bool {
        self.pieces.iter().any(|piece| piece.sources.iter().all(PartSource::is_volatile))
    }
}

impl ReplayTemplate {
    /// Returns whether this program can use it: a stored one may be of another version.
    pub fn is_usable(&self) -> bool {
        self.version == REPLAY_VERSION
    }

    /// Returns the same template with volatile parameters filled with the values of a sample, for sites whose answers
    /// without them are others.
    #[must_use]
    pub fn with_sampled_values(mut self) -> Self {
        let plans = self.slots.iter_mut().flat_map(|slot| &mut slot.plans);
        for plan in plans {
            let UrlPlan::Parts { query, .. } = &mut plan.url else { continue };
            for piece in query.iter_mut().flat_map(|(_, part)| &mut part.pieces) {
                piece.sources.sort_by_key(|source| *source == PartSource::LeftOut);
            }
        }
        self
    }
}
