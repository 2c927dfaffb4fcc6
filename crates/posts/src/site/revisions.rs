//! Joins what a page shows of a post before and after it was edited, where the site gives posts neither identifiers nor
//! addresses.

use std::collections::HashMap;

use super::groups::Groups;

/// The author and the time of a post.
type Written = (u32, i64);

/// Joins the posts of two visits to a page that are the only ones there by their author at their time, and are not on
/// the page of the other visit.
pub(super) fn join(groups: &mut Groups<'_>) {
    let pages = groups.pages;
    for later in 1..pages.len() as u32 {
        let earlier = later - 1;
        if pages[later as usize].url != pages[earlier as usize].url {
            continue;
        }
        let (before, after) = (unmatched(groups, earlier, later), unmatched(groups, later, earlier));
        let pairs = before.iter().filter_map(|(written, one)| (*one).zip(after.get(written).copied().flatten()));
        let mut pairs: Vec<(u32, u32)> = pairs.collect();
        // The numbers of authors depend on the order of pages.
        pairs.sort_unstable();
        pairs.into_iter().for_each(|(one, other)| groups.join(one, other));
    }
}

/// Returns the posts on a page that are not on the other one, by author and time; `None` of several.
fn unmatched(groups: &mut Groups<'_>, page: u32, other: u32) -> HashMap<Written, Option<u32>> {
    let others = groups.sets_of_page(other);
    let (first, count) = (groups.pages[page as usize].first, groups.pages[page as usize].posts);
    let mut found: HashMap<Written, Option<u32>> = HashMap::new();
    for at in first..first + count {
        let sighting = &groups.sightings[at as usize];
        let Some(moment) = sighting.moment.filter(|moment| moment.is_exact && sighting.author != 0) else { continue };
        if !others.contains(&groups.find(at)) {
            let written = (sighting.author, moment.seconds);
            found.entry(written).and_modify(|post| *post = None).or_insert(Some(at));
        }
    }
    found
}
