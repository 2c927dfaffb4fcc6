//! The places where a site has dates, so that the dates of its other pages are looked for nowhere else.

use harvestman_core::model::path_hash::step;
use jiff::civil::DateTime;

use crate::anchors::{Anchor, find_anchors, find_where, settle_order};
use crate::maps::HashSet;
use crate::tree::{NodeIndex, Tree};

/// Number of nodes that make a place: the node with a date, and the elements around it.
const PLACE_NODES: usize = 3;
/// Minimum number of pages that tell which of two numbers is the day, and none tells otherwise.
const ORDERED_MIN: usize = 3;
/// Minimum number of pages of a site whose places of dates are those of all of its pages, and the maximum number of
/// places.
const PAGES_MIN: usize = 100;
const PLACES_MAX: usize = 2_000;

/// The places where a site has dates, to look for dates nowhere else: each is a hash of the names of the innermost
/// elements around a date, whatever is around them.
#[derive(Debug, Clone, Default)]
pub struct KnownDatePlaces {
    places: HashSet<u64>,
    /// Number of pages that they are those of.
    pages: usize,
    /// How many of these have dates whose day is told from the month, by whether the month is the first number.
    orders: [usize; 2],
}

impl KnownDatePlaces {
    /// Finds the dates of a page as [`find_anchors`] does, and notes where they are.
    pub fn learn(&mut self, tree: &Tree, now: DateTime) -> Vec<Anchor> {
        self.pages += 1;
        let places = &mut self.places;
        let mut anchors = find_where(
            tree,
            now,
            |_| true,
            |at| {
                if places.len() < PLACES_MAX {
                    places.insert(place(tree, at));
                }
            },
        );
        let orders: HashSet<bool> = anchors.iter().filter_map(|anchor| anchor.date.is_month_first).collect();
        orders.iter().for_each(|is_month_first| self.orders[usize::from(*is_month_first)] += 1);
        self.settle(&mut anchors);
        anchors
    }

    /// Settles which of two numbers is the day, where a page does not tell it, as other pages of the site have it.
    fn settle(&self, anchors: &mut [Anchor]) {
        match self.orders {
            [0, month_first] if month_first >= ORDERED_MIN => settle_order(anchors, true),
            [day_first, 0] if day_first >= ORDERED_MIN => settle_order(anchors, false),
            _ => {}
        }
    }

    /// Finds the dates of a page: if many pages are known, at the places of their dates, otherwise all.
    pub fn find_anchors(&self, tree: &Tree, now: DateTime) -> Vec<Anchor> {
        let mut anchors = if self.pages < PAGES_MIN || self.places.len() >= PLACES_MAX {
            find_anchors(tree, now)
        } else {
            find_where(tree, now, |at| self.places.contains(&place(tree, at)), |_| {})
        };
        self.settle(&mut anchors);
        anchors
    }
}

/// Returns a hash of the names of a node and of the innermost elements around it.
fn place(tree: &Tree, at: NodeIndex) -> u64 {
    tree.upwards(at).take(PLACE_NODES).fold(1, |hash, node| step(hash, u64::from(tree.node(node).tag)))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    /// Returns the places of this many pages, and the nodes of the dates that are found on a page with them.
    fn found(pages: usize, learned: &str, page: &str) -> Vec<NodeIndex> {
        let now = date(2026, 5, 1).at(12, 0, 0, 0);
        let (mut places, learned) = (KnownDatePlaces::default(), Tree::parse(learned).unwrap());
        (0..pages).for_each(|_| drop(places.learn(&learned, now)));
        places.find_anchors(&Tree::parse(page).unwrap(), now).into_iter().map(|anchor| anchor.node).collect()
    }

    const POST: &str = "<div class=post><p class=by>3 May 2025</p><div><b>4 words</b></div></div>";

    #[test]
    fn dates_are_looked_for_where_a_site_has_them() {
        let page = POST.repeat(3) + "<table><tr><td>4 May 2025</table>" + &format!("<div><div>{POST}</div></div>");
        let all = found(0, POST, &page);
        assert_eq!((all.len(), found(PAGES_MIN - 1, POST, &page)), (5, all.clone()));
        let known = found(PAGES_MIN, POST, &page);
        assert!(known.len() == 4 && known.iter().all(|node| all.contains(node)), "the table is no such place");
    }

    #[test]
    fn pages_tell_which_number_is_the_day_for_others() {
        let now = date(2026, 5, 1).at(12, 0, 0, 0);
        let tree = |day: &str| Tree::parse(&format!("<p class=by>{day}/2025</p>")).unwrap();
        let mut places = KnownDatePlaces::default();
        let mut dates = |known: &[&str]| {
            known.iter().for_each(|day| drop(places.learn(&tree(day), now)));
            places.find_anchors(&tree("05/03"), now)[0].date.date
        };
        assert_eq!(dates(&["25/03", "26/03", "27/03"]), date(2025, 3, 5));
        let mut places = KnownDatePlaces::default();
        ["03/25", "03/26", "03/27"].iter().for_each(|day| drop(places.learn(&tree(day), now)));
        assert_eq!(places.find_anchors(&tree("05/03"), now)[0].date.date, date(2025, 5, 3));
    }

    proptest::proptest! {
        /// On a page that was learned from, all dates are found.
        #[test]
        fn known_places_have_all_dates_of_the_pages_that_they_are_those_of(parts in proptest::collection::vec(0_usize..6, 1..12)) {
            const PARTS: [&str; 6] = [POST, "<time datetime=2025-05-03>then</time>", "<ul><li>3.5.2025", "</div>", "<div>", "<b>5 May</b> 2025"];
            let page: String = parts.into_iter().map(|part| PARTS[part]).collect();
            proptest::prop_assert_eq!(found(PAGES_MIN, &page, &page), found(0, &page, &page));
        }
    }
}
