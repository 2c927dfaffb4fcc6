//! Sampling (SOUrCe 2018, section 4.1): one of all links at one Apath of a page is fetched, chosen at random.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use rand::Rng;

use harvestman_core::model::Apath;
use harvestman_core::url::Fingerprint;
use harvestman_policy::PlacedLink;

/// Maximum number of links of a page that are used; pages seldom have more than a few hundred.
const LINKS_MAX: usize = 10_000;

/// Chooses, for each Apath among `links`, one of the URLs for which `open` holds: those that are not enqueued yet. An
/// Apath whose URLs are all enqueued gives nothing. URLs that occur twice are as likely as others. Returned in order of
/// first occurrence.
pub fn one_per_apath(links: &[PlacedLink], open: impl Fn(Fingerprint) -> bool, rng: &mut impl Rng) -> Vec<PlacedLink> {
    let mut places: Vec<(Apath, Vec<Fingerprint>)> = Vec::new();
    let mut place_of: HashMap<Apath, usize, FixedState> = HashMap::default();
    let mut placed: HashSet<(Apath, Fingerprint), FixedState> = HashSet::default();
    for link in links.iter().filter(|link| open(link.url)) {
        if placed.insert((link.apath, link.url)) {
            let at = *place_of.entry(link.apath).or_insert(places.len());
            if at == places.len() {
                places.push((link.apath, Vec::new()));
            }
            places[at].1.push(link.url);
        }
    }
    let mut chosen: Vec<PlacedLink> = Vec::new();
    for (apath, mut urls) in places {
        // A URL at two places of the page is enqueued for the first one.
        urls.retain(|url| chosen.iter().all(|other| other.url != *url));
        if !urls.is_empty() {
            chosen.push(PlacedLink::new(apath, urls[rng.random_range(0..urls.len())]));
        }
    }
    chosen
}

/// The links of a page that are kept, U(p, x) for all x: without links to the page itself, repetitions included.
pub fn kept_links(page: Fingerprint, mut links: Vec<PlacedLink>) -> Vec<PlacedLink> {
    links.retain(|link| link.url != page);
    links.truncate(LINKS_MAX);
    links
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use harvestman_core::seed::Seed;

    fn url(number: u8) -> Fingerprint {
        Fingerprint::of(&format!("http://h.test/{number}"))
    }

    fn link(apath: u8, to: u8) -> PlacedLink {
        PlacedLink::new(Apath(u64::from(apath) + 100), url(to))
    }

    #[test]
    fn each_link_of_a_place_is_chosen_about_as_often_as_another() {
        let links = [link(1, 1), link(1, 2), link(1, 2), link(1, 3), link(2, 9)];
        let mut times: BTreeMap<u64, u32> = BTreeMap::new();
        let mut rng = Seed(1).rng();
        for _ in 0..3000 {
            let chosen = one_per_apath(&links, |found| found != url(3), &mut rng);
            assert_eq!(chosen.len(), 2);
            let number = if chosen[0].url == url(1) { 1 } else { 2 };
            *times.entry(number).or_default() += 1;
            assert!(chosen[0].url != url(3), "it is enqueued already");
        }
        assert!(times.values().all(|times| (1350..1650).contains(times)), "{times:?}");
    }

    #[test]
    fn links_of_a_page_to_itself_are_not_kept() {
        assert_eq!(kept_links(url(1), vec![link(1, 1), link(1, 2), link(1, 2)]), [link(1, 2), link(1, 2)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn one_link_is_chosen_for_each_apath_that_has_an_open_url(
            links in prop::collection::vec((0..6_u8, 0..30_u8), 0..40),
            enqueued in prop::collection::btree_set(0..30_u8, 0..15), seed in any::<u64>(),
        ) {
            let placed: Vec<PlacedLink> = links.iter().map(|(apath, to)| link(*apath, *to)).collect();
            let closed: BTreeSet<Fingerprint> = enqueued.iter().map(|number| url(*number)).collect();
            let chosen = one_per_apath(&placed, |found| !closed.contains(&found), &mut Seed(seed).rng());
            prop_assert!(chosen.iter().all(|one| placed.contains(one) && !closed.contains(&one.url)));
            let urls: BTreeSet<_> = chosen.iter().map(|one| one.url).collect();
            prop_assert_eq!(urls.len(), chosen.len(), "no URL twice");
            for apath in placed.iter().map(|link| link.apath) {
                let open = placed.iter().filter(|link| link.apath == apath && !closed.contains(&link.url));
                let left = open.filter(|link| chosen.iter().all(|one| one.apath == apath || one.url != link.url));
                let expected = usize::from(left.count() > 0);
                prop_assert_eq!(chosen.iter().filter(|one| one.apath == apath).count(), expected);
            }
        }
    }
}
