//! The filter: which links of a page the policy wants, asked once for each link class and before a link is resolved.

mod pattern_memo;

pub use pattern_memo::PatternMemo;

use harvestman_core::model::{LinkClass, LinkGroup, LinkKind, PageCluster, PolicyRefusal, RawLink};

/// What the filter obeys besides the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NofollowRules {
    /// The page asks robots to follow none of its links, and is obeyed.
    pub page: bool,
    /// Links marked `rel=nofollow` are not followed.
    pub links: bool,
}

/// Judges all links of one Apath at once: `Err` refuses the whole group.
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

/// Judges one link of a group that was not refused.
pub const fn check_link(link: &RawLink, nofollow: NofollowRules) -> Result<(), PolicyRefusal> {
    let marked = link.nofollow && nofollow.links && matches!(link.kind, LinkKind::Anchor);
    if marked { Err(PolicyRefusal::Nofollow) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{Apath, ClusterId};

    const OBEY: NofollowRules = NofollowRules { page: false, links: true };

    fn group(nofollow: bool) -> LinkGroup {
        let link = RawLink { start: 0, end: 0, kind: LinkKind::Anchor, text: 0, nofollow };
        LinkGroup { apath: Apath(9), apath_text: None, links: vec![link] }
    }

    #[test]
    fn a_class_that_the_policy_refuses_is_refused_whole() {
        let refused = |class: LinkClass| (class.apath == Apath(9)).then_some(PolicyRefusal::LinkClass);
        let verdict = check_group(ClusterId(3).into(), &group(false), OBEY, refused);
        assert_eq!(verdict, Err(PolicyRefusal::LinkClass));
        let verdict = check_group(ClusterId(3).into(), &group(false), OBEY, |_| None);
        assert_eq!(verdict, Ok(LinkClass::at(ClusterId(3), Apath(9))));
    }

    #[test]
    fn nofollow_is_obeyed_where_asked_to() {
        let page = NofollowRules { page: true, links: false };
        assert_eq!(check_group(ClusterId(0).into(), &group(false), page, |_| None), Err(PolicyRefusal::Nofollow));
        assert_eq!(check_link(&group(true).links[0], OBEY), Err(PolicyRefusal::Nofollow));
        assert_eq!(check_link(&group(false).links[0], OBEY), Ok(()));
        assert_eq!(check_link(&group(true).links[0], NofollowRules { links: false, ..OBEY }), Ok(()));
    }
}
