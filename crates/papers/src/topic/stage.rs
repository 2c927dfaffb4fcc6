//! The two stages of section 7: what is done with a link.

use super::PageRole;

/// The stage of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Collects the tags of pictures, to expand the topic (Algorithm 3).
    Cotagging,
    /// Follows links by the rank of uploaders (Algorithm 4).
    Profiles,
}

/// What a stage does with a waiting link, from the worst to the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The algorithm discards it: it waits behind all others.
    Discarded,
    /// The algorithm does not mention it.
    Unmentioned,
    /// A detail page whose uploader's rank is not known yet. Section 7.2 leaves open what is done with it.
    Unranked,
    /// The algorithm follows it.
    Followed,
}

/// What is known of a waiting link when it is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prospects {
    /// The role of the page that it leads to, where that is known.
    pub role: Option<PageRole>,
    /// Whether it leads to the page of a tag of the topic.
    pub on_topic: bool,
    /// The rank of the user whose profile or picture it leads to, if the user is known.
    pub rank: Option<f64>,
}

impl Stage {
    /// Returns what Algorithm 3 or 4 does with a link. Their input is a queue of list pages; on a site that is found
    /// through its links, those are the lists without a tag and the pages of tags of the topic. A rank must be above
    /// `threshold` (RANK_TH).
    pub(super) fn standing(self, link: &Prospects, threshold: f64) -> Standing {
        match (link.role, self) {
            (Some(PageRole::List), _) => Standing::Followed,
            // The address shows what it is, whatever is known of its role.
            (Some(PageRole::Tag) | None, _) if link.on_topic => Standing::Followed,
            (Some(PageRole::Tag | PageRole::Other) | None, _) => Standing::Unmentioned,
            // Algorithm 3, lines 9 to 12.
            (Some(PageRole::Detail), Self::Cotagging) => Standing::Followed,
            (Some(PageRole::Profile), Self::Cotagging) => Standing::Discarded,
            // Algorithm 4, lines 9 to 14.
            (Some(PageRole::Profile), Self::Profiles) => Standing::Followed,
            (Some(PageRole::Detail), Self::Profiles) => match link.rank {
                Some(rank) if rank > threshold => Standing::Followed,
                Some(_) => Standing::Discarded,
                None => Standing::Unranked,
            },
        }
    }
}

/// Returns the score that section 8.3 gives a link in the place of its OPIC score: the maximum for a list page on
/// topic, the user's rank for a detail page or a profile. `None` for all others, which keep their OPIC score, and where
/// the user is not known.
pub(super) fn reset_score(link: &Prospects) -> Option<f64> {
    match link.role {
        Some(PageRole::List | PageRole::Tag) | None => link.on_topic.then_some(1.0),
        Some(PageRole::Detail | PageRole::Profile) => link.rank,
        Some(PageRole::Other) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(role: PageRole) -> Prospects {
        Prospects { role: Some(role), on_topic: false, rank: None }
    }

    #[test]
    fn stage_one_follows_detail_links_and_discards_profile_links() {
        let standing = |role| Stage::Cotagging.standing(&link(role), 0.01);
        let wanted =
            [Standing::Followed, Standing::Followed, Standing::Discarded, Standing::Unmentioned, Standing::Unmentioned];
        assert_eq!(PageRole::ALL.map(standing), wanted);
    }

    #[test]
    fn stage_two_follows_profile_links_and_detail_links_of_users_above_the_threshold() {
        let standing = |role, rank| Stage::Profiles.standing(&Prospects { rank, ..link(role) }, 0.01);
        assert_eq!(standing(PageRole::Profile, None), Standing::Followed);
        assert_eq!(standing(PageRole::Detail, Some(0.02)), Standing::Followed);
        assert_eq!(standing(PageRole::Detail, Some(0.01)), Standing::Discarded, "the rank must be above it");
        assert_eq!(standing(PageRole::Detail, None), Standing::Unranked);
        assert_eq!(standing(PageRole::Other, Some(1.0)), Standing::Unmentioned);
    }

    #[test]
    fn pages_of_topic_tags_are_lists_to_start_from_and_other_tags_are_not() {
        for stage in [Stage::Cotagging, Stage::Profiles] {
            let tag = Prospects { on_topic: true, ..link(PageRole::Tag) };
            assert_eq!(stage.standing(&tag, 0.01), Standing::Followed);
            assert_eq!(stage.standing(&Prospects { role: None, ..tag }, 0.01), Standing::Followed);
            assert_eq!(stage.standing(&link(PageRole::Tag), 0.01), Standing::Unmentioned);
        }
    }

    #[test]
    fn list_pages_on_topic_score_1_and_links_of_known_users_their_rank() {
        let score = |role, on_topic, rank| reset_score(&Prospects { role: Some(role), on_topic, rank });
        assert_eq!(score(PageRole::Tag, true, None), Some(1.0));
        assert_eq!(score(PageRole::List, false, None), None);
        assert_eq!(score(PageRole::Detail, false, Some(0.3)), Some(0.3));
        assert_eq!(score(PageRole::Profile, false, Some(0.0)), Some(0.0));
        assert_eq!([score(PageRole::Detail, true, None), score(PageRole::Other, true, Some(0.3))], [None; 2]);
    }

    #[test]
    fn followed_links_come_first_and_discarded_ones_last() {
        assert!(Standing::Followed > Standing::Unranked && Standing::Unmentioned > Standing::Discarded);
        assert!(Standing::Unranked > Standing::Unmentioned);
    }
}
