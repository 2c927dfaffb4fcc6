//! Who uploaded the pictures of a list page.

use std::collections::BTreeMap;

use super::{PageRole, RoleLink, UrlKey};

/// Finds the uploader of each detail link on a list page, whose links are given in page order: the profile link with
/// the same parent node, else with the same grandparent node (or where one's parent is the other's grandparent), else
/// the one that is nearest in page order. Of several in one node the nearest counts; of two equally near the later one,
/// because uploaders are named below a picture (section 3.2). A detail page that is linked several times gets the
/// uploader that is found in the closest node. Without profile links there are none. O(n log n + n · profile links of
/// one node).
pub fn uploaders(links: &[RoleLink]) -> BTreeMap<UrlKey, UrlKey> {
    let profiles: Vec<usize> = positions(links, PageRole::Profile).collect();
    let mut by_node = BTreeMap::<u32, Vec<usize>>::new();
    for at in &profiles {
        let place = links[*at].place;
        by_node.entry(place.parent).or_default().push(*at);
        if place.grandparent != place.parent {
            by_node.entry(place.grandparent).or_default().push(*at);
        }
    }
    let mut found = BTreeMap::<UrlKey, (Closeness, UrlKey)>::new();
    for at in positions(links, PageRole::Detail) {
        let place = links[at].place;
        let node = |node: u32| by_node.get(&node).map_or(&[][..], Vec::as_slice);
        let same_parent = node(place.parent).iter().filter(|other| links[**other].place.parent == place.parent);
        let near = nearest(same_parent, at).map(|user| (Closeness::Parent, user));
        let related = || nearest(node(place.parent).iter().chain(node(place.grandparent)), at);
        let near = near.or_else(|| related().map(|user| (Closeness::Grandparent, user)));
        let near = near.or_else(|| nearest(neighbours(&profiles, at), at).map(|user| (Closeness::Page, user)));
        let Some((closeness, user)) = near else { return BTreeMap::new() };
        let entry = found.entry(links[at].target).or_insert((closeness, links[user].target));
        if closeness < entry.0 {
            *entry = (closeness, links[user].target);
        }
    }
    found.into_iter().map(|(detail, (_, user))| (detail, user)).collect()
}

/// What a detail link and a profile link have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Closeness {
    Parent,
    Grandparent,
    Page,
}

fn positions(links: &[RoleLink], role: PageRole) -> impl Iterator<Item = usize> {
    links.iter().enumerate().filter(move |(_, link)| link.role == Some(role)).map(|(at, _)| at)
}

/// The profile links directly before and behind a position.
fn neighbours(profiles: &[usize], at: usize) -> impl Iterator<Item = &usize> {
    let behind = profiles.partition_point(|profile| *profile < at);
    profiles[behind.saturating_sub(1)..profiles.len().min(behind + 1)].iter()
}

fn nearest<'p>(profiles: impl Iterator<Item = &'p usize>, at: usize) -> Option<usize> {
    profiles.copied().min_by_key(|profile| (profile.abs_diff(at), *profile < at))
}

#[cfg(test)]
mod tests {
    use harvestman_core::model::LinkPosition;
    use proptest::prelude::*;

    use super::*;

    const DETAIL: PageRole = PageRole::Detail;
    const USER: PageRole = PageRole::Profile;

    fn link(target: u64, role: PageRole, parent: u32, grandparent: u32) -> RoleLink {
        let place = LinkPosition { parent, grandparent, image: false };
        RoleLink { target: UrlKey(target), role: Some(role), place }
    }

    fn found(links: &[RoleLink]) -> Vec<(u64, u64)> {
        uploaders(links).into_iter().map(|(detail, user)| (detail.0, user.0)).collect()
    }

    #[test]
    fn the_uploader_is_named_in_the_same_node_below_the_picture() {
        // Figure 3: two pictures, each in a cell with the name of its uploader.
        let cells = [link(1, DETAIL, 5, 2), link(91, USER, 5, 2), link(2, DETAIL, 8, 2), link(92, USER, 8, 2)];
        assert_eq!(found(&cells), [(1, 91), (2, 92)]);
        // In divisions of a cell.
        let divided = [link(1, DETAIL, 6, 5), link(91, USER, 7, 5), link(2, DETAIL, 9, 8), link(92, USER, 10, 8)];
        assert_eq!(found(&divided), [(1, 91), (2, 92)]);
        // The picture in the cell and the name in a division of it.
        let mixed = [link(1, DETAIL, 5, 2), link(91, USER, 6, 5), link(2, DETAIL, 8, 2), link(92, USER, 9, 8)];
        assert_eq!(found(&mixed), [(1, 91), (2, 92)]);
    }

    #[test]
    fn otherwise_it_is_the_nearest_profile_link_of_the_page() {
        let flat = [link(90, USER, 3, 1), link(1, DETAIL, 50, 40), link(91, USER, 60, 61), link(92, USER, 70, 71)];
        assert_eq!(found(&flat), [(1, 91)], "of two equally near the later one");
        assert_eq!(found(&flat[..2]), [(1, 90)]);
        assert_eq!(found(&flat[1..2]), []);
    }

    #[test]
    fn a_closer_node_decides_where_a_picture_is_linked_twice() {
        let twice = [link(1, DETAIL, 50, 40), link(90, USER, 3, 2), link(1, DETAIL, 6, 5), link(91, USER, 6, 5)];
        assert_eq!(found(&twice), [(1, 91)]);
    }

    /// By comparing each detail link with each profile link.
    fn one_by_one(links: &[RoleLink]) -> BTreeMap<UrlKey, UrlKey> {
        let mut best = BTreeMap::new();
        for (at, detail) in links.iter().enumerate().filter(|(_, link)| link.role == Some(DETAIL)) {
            for (other, user) in links.iter().enumerate().filter(|(_, link)| link.role == Some(USER)) {
                let (one, two) = (detail.place, user.place);
                let is_close = [one.parent, one.grandparent].iter().any(|n| [two.parent, two.grandparent].contains(n));
                let closeness = if one.parent == two.parent { 0 } else { 2 - u8::from(is_close) };
                let rank = (closeness, at, other.abs_diff(at), other < at, user.target);
                let entry = best.entry(detail.target).or_insert(rank);
                *entry = rank.min(*entry);
            }
        }
        best.into_iter().map(|(detail, (.., user))| (detail, user)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn uploaders_are_those_of_comparing_all_pairs(
            links in prop::collection::vec((0..6_u64, 0..3_usize, 0..5_u32, 0..5_u32), 0..20),
        ) {
            let roles = [DETAIL, USER, PageRole::Other];
            let link = |(target, role, one, two): &(u64, usize, u32, u32)| link(*target, roles[*role], one + two, *one);
            let links: Vec<_> = links.iter().map(link).collect();
            prop_assert_eq!(uploaders(&links), one_by_one(&links));
        }
    }
}
