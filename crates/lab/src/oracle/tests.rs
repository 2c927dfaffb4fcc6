//! The choice and the bound, compared with all choices of small sites.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use super::SiteGraph;

fn graph(links: &[&[u32]], wanted: &[u32], starts: &[u32]) -> SiteGraph {
    SiteGraph {
        links: links.iter().map(|links| links.to_vec()).collect(),
        wanted: (0..links.len() as u32).map(|url| wanted.contains(&url)).collect(),
        starts: starts.to_vec(),
    }
}

/// The wanted URLs among these requests; fails if one of them could not be made.
fn harvest(graph: &SiteGraph, order: &[u32]) -> usize {
    for (at, url) in order.iter().enumerate() {
        let linked = |earlier: &u32| graph.links[*earlier as usize].contains(url);
        assert!(!order[..at].contains(url), "{url} is requested twice");
        assert!(graph.starts.contains(url) || order[..at].iter().any(linked), "nothing leads to {url}");
    }
    order.iter().filter(|url| graph.wanted[**url as usize]).count()
}

/// The best of all choices.
fn optimum(graph: &SiteGraph, budget: usize) -> usize {
    let choices = 0..1_u32 << graph.links.len();
    let harvests = choices.filter(|choice| choice.count_ones() as usize <= budget).filter_map(|choice| {
        let chosen = |url: u32| choice >> url & 1 == 1;
        let reached = graph.reach(graph.starts.iter().copied(), chosen);
        let all = (0..graph.links.len() as u32).all(|url| !chosen(url) || reached[url as usize]);
        all.then(|| (0..graph.links.len() as u32).filter(|url| chosen(*url) && graph.wanted[*url as usize]).count())
    });
    harvests.max().unwrap_or(0)
}

#[test]
fn a_list_of_two_is_requested_before_a_list_of_one() {
    // 0 links two lists, 1 and 2; the second has more.
    let site = graph(&[&[1, 2], &[3], &[4, 5], &[], &[], &[]], &[3, 4, 5], &[0]);
    assert_eq!(site.greedy(4), [0, 2, 4, 5]);
    assert_eq!(site.bound(4), 2);
    assert_eq!(site.greedy(100), [0, 2, 4, 5, 1, 3], "it ends where nothing wanted is left");
}

#[test]
fn a_longer_path_is_followed_to_more() {
    // The list 1 has one wanted page; the list 3, behind 2, has four.
    let site = graph(&[&[1, 2], &[4], &[3], &[5, 6, 7, 8], &[], &[], &[], &[], &[]], &[4, 5, 6, 7, 8], &[0]);
    assert_eq!(site.greedy(7), [0, 2, 3, 5, 6, 7, 8]);
    assert_eq!(site.greedy(3), [0, 1, 4], "there is no room for the long one");
}

#[test]
fn wanted_pages_lead_to_others_for_nothing() {
    let site = graph(&[&[1], &[2], &[3], &[1]], &[1, 2, 3], &[0]);
    assert_eq!((site.greedy(4), site.bound(4)), (vec![0, 1, 2, 3], 3));
    let unreachable = graph(&[&[], &[]], &[1], &[0]);
    assert_eq!((unreachable.greedy(5), unreachable.bound(5)), (vec![], 0));
    let empty = graph(&[], &[], &[]);
    assert_eq!((empty.greedy(5), empty.bound(5)), (vec![], 0));
}

proptest! {
    #[test]
    fn the_optimum_is_between_the_choice_and_the_bound(
        links in vec(btree_set(0..9_u32, 0..4), 1..10),
        wanted in vec(any::<bool>(), 9),
        starts in btree_set(0..9_u32, 0..3),
        budget in 0..10_usize,
    ) {
        let count = links.len() as u32;
        let site = SiteGraph {
            links: links.iter().map(|to| to.iter().copied().filter(|to| *to < count).collect()).collect(),
            wanted: wanted[..links.len()].to_vec(),
            starts: starts.into_iter().filter(|url| *url < count).collect(),
        };
        let order = site.greedy(budget);
        let (greedy, best, bound) = (harvest(&site, &order), optimum(&site, budget), site.bound(budget));
        prop_assert!(order.len() <= budget);
        prop_assert!(greedy <= best && best <= bound, "{greedy} {best} {bound}");
        prop_assert!(budget < 9 || greedy == best, "with a request for each URL, all is reached");
    }
}
