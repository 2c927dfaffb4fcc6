//! The link filter: decides which links of a page to follow. The policy is consulted once per link class, before links
//! are resolved.

mod feed_yields;
mod pattern_memo;

pub use feed_yields::FeedYields;
pub use pattern_memo::PatternMemo;

use harvestman_core::model::{LinkClass, LinkGroup, LinkKind, PageCluster, PolicyRefusal, RawLink};

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

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{Apath, ClusterId, LinkPosition};

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
}
