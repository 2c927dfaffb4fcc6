//! The link filter: decides which links of a page to follow. The policy is consulted once per link class, before links
//! are resolved.

mod feed_yields;

use harvestman_core::model::path_hash::step;
use harvestman_core::model::{LinkClass, LinkGroup, LinkKind, PageCluster, PolicyRefusal, RawLink, UrlPattern};
use harvestman_core::url::Fingerprint;

pub use feed_yields::FeedYields;

/// The nofollow rules, which the filter applies in addition to the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NofollowRules {
    /// The page asks robots to follow none of its links, and the crawl honours this.
    pub page: bool,
    /// Links marked `rel=nofollow` are not followed.
    pub links: bool,
}

/// Filters all links of one Apath at once: returns their class, or the reason why the whole group is rejected.
pub fn check_group(
    cluster: PageCluster,
    group: &LinkGroup,
    nofollow: NofollowRules,
    policy: impl Fn(LinkClass) -> Option<PolicyRefusal>,
) -> Result<LinkClass, PolicyRefusal> {
    let class = cluster.links_at(group.apath);
    if nofollow.page {
        return Err(PolicyRefusal::Nofollow);
    }
    policy(class).map_or(Ok(class), Err)
}

/// Filters one link of a group that was accepted.
pub const fn check_link(link: &RawLink, nofollow: NofollowRules) -> Result<(), PolicyRefusal> {
    let marked = link.nofollow && nofollow.links && matches!(link.kind, LinkKind::Anchor);
    if marked { Err(PolicyRefusal::Nofollow) } else { Ok(()) }
}

/// Number of slots of a [`PatternMemo`]; 384 KiB of memory.
const SLOTS: usize = 1 << 14;

/// A direct-mapped cache from fingerprints to patterns. Most links of a page also occur on the previous page, and
/// finding the pattern of a URL costs ten times as much as a look-up here. Entries are overwritten. Two URLs, or two
/// versions of the patterns, that share a slot are confused with a probability of 2⁻⁶⁴.
pub struct PatternMemo {
    slots: Box<[Slot]>,
}

/// The half of the fingerprint that does not select the slot, mixed with the version of the patterns; and the pattern.
type Slot = (u64, UrlPattern);

const EMPTY: Slot = (0, UrlPattern::NONE);

impl Default for PatternMemo {
    fn default() -> Self {
        Self { slots: vec![EMPTY; SLOTS].into_boxed_slice() }
    }
}

impl PatternMemo {
    /// Loads the slots of these fingerprints into the CPU cache together: one cache miss per fingerprint would cost as
    /// much as the rest of a look-up.
    pub fn prepare(&self, fingerprints: &[Fingerprint]) {
        let touched = fingerprints.iter().fold(0, |sum, one| sum ^ self.slots[one.0 as usize % SLOTS].0);
        std::hint::black_box(touched);
    }

    /// Returns the pattern of the URL with this fingerprint, from the cache or from `find`.
    pub fn pattern(&mut self, fingerprint: Fingerprint, version: u64, find: impl FnOnce() -> UrlPattern) -> UrlPattern {
        let slot = &mut self.slots[fingerprint.0 as usize % SLOTS];
        // Clearing the slots for each version would cost more than all look-ups of a page, and a sample may have one
        // version per page.
        let tag = step((fingerprint.0 >> 64) as u64, version);
        if slot.0 != tag || tag == 0 {
            *slot = (tag, find());
        }
        slot.1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use harvestman_core::model::{Apath, ClusterId, LinkPosition, PatternId};

    const OBEY: NofollowRules = NofollowRules { page: false, links: true };

    fn group(nofollow: bool) -> LinkGroup {
        let place = LinkPosition::default();
        let link = RawLink { start: 0, end: 0, kind: LinkKind::Anchor, text: 0, nofollow, place };
        LinkGroup { apath: Apath(9), apath_text: None, links: vec![link] }
    }

    #[test]
    fn a_link_class_that_the_policy_rejects_is_rejected_as_a_whole() {
        let refused = |class: LinkClass| (class.apath == Apath(9)).then_some(PolicyRefusal::LinkClass);
        let verdict = check_group(ClusterId(3).into(), &group(false), OBEY, refused);
        assert_eq!(verdict, Err(PolicyRefusal::LinkClass));
        let verdict = check_group(ClusterId(3).into(), &group(false), OBEY, |_| None);
        assert_eq!(verdict, Ok(LinkClass::at(ClusterId(3), Apath(9))));
    }

    #[test]
    fn nofollow_is_honoured_where_configured() {
        let page = NofollowRules { page: true, links: false };
        assert_eq!(check_group(ClusterId(0).into(), &group(false), page, |_| None), Err(PolicyRefusal::Nofollow));
        assert_eq!(check_link(&group(true).links[0], OBEY), Err(PolicyRefusal::Nofollow));
        assert_eq!(check_link(&group(false).links[0], OBEY), Ok(()));
        assert_eq!(check_link(&group(true).links[0], NofollowRules { links: false, ..OBEY }), Ok(()));
    }

    fn pattern(of: u128, generation: u64) -> UrlPattern {
        let id = PatternId(of as u64 * 31 + generation + 1);
        UrlPattern { coarse: id, fine: id }
    }

    #[test]
    fn a_cached_pattern_is_not_looked_up_again() {
        let mut memo = PatternMemo::default();
        let first = memo.pattern(Fingerprint(5 << 64), 1, || pattern(5, 1));
        let again = memo.pattern(Fingerprint(5 << 64), 1, || unreachable!("it is cached"));
        assert_eq!(first, again);
    }

    proptest! {
        #[test]
        fn the_cache_returns_what_a_look_up_returns(
            asked in prop::collection::vec((0_u128..40, 0_u64..3), 0..300), spread in prop::sample::select(vec![1_u128 << 64, (1 << 64) + SLOTS as u128, 1 << 70]),
        ) {
            let mut memo = PatternMemo::default();
            for (of, generation) in asked {
                let found = memo.pattern(Fingerprint(of * spread), generation, || pattern(of, generation));
                prop_assert_eq!(found, pattern(of, generation));
            }
        }
    }
}
