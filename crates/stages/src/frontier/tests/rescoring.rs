//! Scores that change between pops, and pops that explore.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;

/// Whole scores by Apath.
struct Table(Vec<i8>);

impl ClassOrder for Table {
    fn score(&self, class: LinkClass) -> f64 {
        f64::from(self.0[class.apath.0 as usize])
    }
}

proptest! {
    /// The first Apaths, which represent no place on a page, are left out. A class retains the order of discovery, so
    /// the expected order is that of all URLs sorted if later ones are no less deep.
    #[test]
    fn pops_between_score_changes_are_the_first_of_a_full_sort(
        urls in prop::collection::vec((10..40_usize, 0..2_u16), 1..150),
        changes in prop::collection::vec((prop::collection::vec(-2..3_i8, 40), 0..8_usize), 1..25),
    ) {
        let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
        let (mut all, mut depth) = (Vec::new(), 0);
        for (order, (apath, deeper)) in (0..).zip(urls) {
            depth += deeper;
            all.push((apath, depth, order));
            frontier.push(&item(1, order, apath as u64, depth)).unwrap();
        }
        for (table, pops) in changes {
            all.sort_by_key(|(apath, depth, order)| (Reverse(table[*apath]), *depth, *order));
            frontier.set_order(Arc::new(Table(table)));
            for (apath, depth, order) in all.drain(..pops.min(all.len())) {
                let popped = frontier.pop(&host(1), at(0)).unwrap().item;
                prop_assert_eq!(popped, item(1, order, apath as u64, depth));
            }
        }
    }
}

/// Counts its calls.
#[derive(Default)]
struct Counting(AtomicUsize);

impl ClassOrder for Counting {
    fn score(&self, _: LinkClass) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        0.0
    }
}

#[test]
fn a_change_of_scores_ranks_only_the_requested_hosts() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
    for url in 0..100 {
        frontier.push(&item(1, url, u64::from(url % 10), 0)).unwrap();
        frontier.push(&item(2, url, u64::from(url % 10), 0)).unwrap();
    }
    let asked_by = |frontier: &mut Frontier, pops: &[u8]| {
        let order = Arc::new(Counting::default());
        frontier.set_order(Arc::clone(&order) as Arc<dyn ClassOrder>);
        let at_once = order.0.load(Ordering::Relaxed);
        for host in pops {
            frontier.pop(&self::host(*host), at(0)).unwrap();
        }
        (at_once, order.0.load(Ordering::Relaxed))
    };
    assert_eq!(asked_by(&mut frontier, &[1]), (0, 11), "ten classes at the first pop, and the next head of one");
    assert_eq!(asked_by(&mut frontier, &[1, 1, 2]), (10, 23), "host 1 at once, host 2 when it is popped");
    assert_eq!(asked_by(&mut frontier, &[]), (20, 20));
    assert_eq!(asked_by(&mut frontier, &[]), (0, 0), "no host was requested in between");
}

/// Class 1 is good and known; 2 and 3 are bad and unknown, 3 is better than 2; 4 has no curiosity.
struct Unknown;

impl ClassOrder for Unknown {
    fn score(&self, class: LinkClass) -> f64 {
        [0.0, 9.0, 1.0, 2.0, 3.0][class.apath.0 as usize]
    }

    fn curiosity(&self, class: LinkClass) -> f64 {
        [0.0, 0.0, 5.0, 5.0, f64::NAN][class.apath.0 as usize]
    }
}

fn classes_popped(explore_every: u32) -> Vec<u64> {
    let mut frontier = Frontier::new(NO_LIMITS, Arc::new(Unknown)).exploring(explore_every);
    for (path, apath) in (0..).zip([1, 1, 1, 1, 1, 2, 3, 4]) {
        frontier.push(&item(1, path, apath, 0)).unwrap();
    }
    std::iter::from_fn(|| frontier.pop(&host(1), at(0)).ok()).map(|lease| lease.item.class.apath.0).collect()
}

#[test]
fn exploring_pops_take_the_most_curious_class_and_the_better_of_equals() {
    assert_eq!(classes_popped(0), [1, 1, 1, 1, 1, 4, 3, 2]);
    assert_eq!(classes_popped(3), [1, 1, 3, 1, 1, 2, 1, 4], "the ninth would explore");
    assert_eq!(classes_popped(1), [3, 2, 1, 1, 1, 1, 1, 4], "without curiosity the best is taken");
    assert_eq!(classes_popped(9), classes_popped(0));
}

#[test]
fn each_host_explores_by_its_own_count() {
    let mut frontier = Frontier::new(NO_LIMITS, Arc::new(Unknown)).exploring(2);
    for (path, apath) in (0..).zip([1, 1, 2]) {
        frontier.push(&item(1, path, apath, 0)).unwrap();
        frontier.push(&item(2, path, apath, 0)).unwrap();
    }
    let popped = [1, 2, 2, 1].map(|n| frontier.pop(&host(n), at(0)).unwrap().item.class.apath.0);
    assert_eq!(popped, [1, 1, 2, 2]);
}
