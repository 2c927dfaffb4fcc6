//! The classes of waiting URLs.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use harvestman_core::model::{Apath, ClassOrder, LinkClass, PatternId, UrlPattern};
use harvestman_core::url::Fingerprint;
use harvestman_policy::PolicySnapshot;

/// Why a URL is fetched before others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// A walk waits for it.
    Asked,
    /// It is in a part of a hub that contains links to authorities.
    SubTree,
}

/// The marked URLs.
pub(super) type Marks = HashMap<Fingerprint, Mark, FixedState>;

/// The pattern of URLs with a mark.
const fn pattern(mark: Mark) -> PatternId {
    PatternId(match mark {
        Mark::SubTree => 1,
        Mark::Asked => 2,
    })
}

/// The marks of a generation.
#[derive(Debug, Clone)]
pub(super) struct XCrawlSnapshot {
    pub version: u64,
    pub generation: u64,
    pub marks: Arc<Marks>,
}

impl ClassOrder for XCrawlSnapshot {
    fn score(&self, class: LinkClass) -> f64 {
        match class.pattern.fine {
            _ if class.apath == Apath::SEED => 3.0,
            fine if fine == pattern(Mark::Asked) => 2.0,
            fine if fine == pattern(Mark::SubTree) => 1.0,
            _ => 0.0,
        }
    }
}

impl PolicySnapshot for XCrawlSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    /// New URLs have no mark.
    fn has_patterns(&self) -> bool {
        false
    }

    fn patterns_version(&self) -> u64 {
        0
    }

    fn class_of(&self, class: LinkClass, url: &str, _: Option<&str>) -> LinkClass {
        let pattern = self.marks.get(&Fingerprint::of(url)).map_or(PatternId::NONE, |mark| pattern(*mark));
        class.with_pattern(UrlPattern { coarse: pattern, fine: pattern })
    }
}
