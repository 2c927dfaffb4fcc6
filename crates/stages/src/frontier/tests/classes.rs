//! The class that a URL waits under: the bound on classes, and classes that change their meaning.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::frontier::CATCH_ALL;
use harvestman_core::model::{Admission, ClusterId, PatternId, PolicyRefusal, Priority, QueueKey, UrlPattern};

fn pattern(coarse: u64, fine: u64) -> UrlPattern {
    UrlPattern { coarse: PatternId(coarse), fine: PatternId(fine) }
}

fn class(cluster: u32, apath: u64, coarse: u64, fine: u64) -> LinkClass {
    LinkClass::at(ClusterId(cluster), Apath(apath)).with_pattern(pattern(coarse, fine))
}

fn bounded(classes_max: u32) -> Frontier {
    Frontier::new(FrontierLimits { classes_max, ..NO_LIMITS }, scores(&[]))
}

/// Returns the classes of the first host, with the number of their URLs.
fn classes(frontier: &Frontier) -> Vec<(LinkClass, usize)> {
    frontier.classes(&host(1)).map(|(queue, waiting)| (queue.class, waiting)).collect()
}

/// Pushes a URL of each class, and returns the classes that they wait under.
fn pushed(frontier: &mut Frontier, classes: &[LinkClass]) -> Vec<(LinkClass, usize)> {
    for (path, class) in (0..).zip(classes) {
        frontier.push(&ScheduledUrl { class: *class, ..item(1, path, 0, 0) }).unwrap();
    }
    self::classes(frontier)
}

#[test]
fn only_hosts_of_another_generation_are_classified_again() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
    for (number, path) in [(1, 1), (1, 2), (2, 3)] {
        frontier.push(&item(number, path, 1, 0)).unwrap();
    }
    let asked = |frontier: &mut Frontier, generation_at: &dyn Fn(&str) -> u64| {
        let urls = std::cell::RefCell::new(Vec::new());
        frontier.reclassify(generation_at, &|class, url, _| {
            urls.borrow_mut().push(url.to_owned());
            class.into()
        });
        urls.into_inner().len()
    };
    assert_eq!(asked(&mut frontier, &|_| 7), 3, "never before");
    assert_eq!(asked(&mut frontier, &|_| 7), 0);
    let second = host(2);
    assert_eq!(asked(&mut frontier, &|origin| if origin == second.as_str() { 8 } else { 7 }), 1);
    frontier.push(&item(3, 4, 1, 0)).unwrap();
    assert_eq!(asked(&mut frontier, &|origin| if origin == second.as_str() { 8 } else { 7 }), 1, "a new host");
}

#[test]
fn urls_of_classes_beyond_the_bound_go_to_the_seeds_of_their_pattern_or_to_the_catch_all() {
    let seeds = class(0, 0, 7, 70);
    let known = class(1, 5, 7, 71);
    let mut frontier = bounded(2);
    let found =
        pushed(&mut frontier, &[seeds, known, class(2, 6, 7, 72), class(2, 6, 8, 80), class(3, 6, 9, 90), known]);
    assert_eq!(found, [(seeds, 2), (known, 2), (CATCH_ALL, 2)]);
    assert_eq!(frontier.waiting_at(&host(1), CATCH_ALL), 2);
    let order: Vec<LinkClass> =
        std::iter::from_fn(|| frontier.pop(&host(1), at(0)).ok()).map(|lease| lease.item.class).collect();
    assert_eq!(order, [seeds, known, seeds, CATCH_ALL, CATCH_ALL, known]);
}

#[test]
fn at_the_bound_no_class_is_merged() {
    let classes: Vec<LinkClass> = (0..50).map(|n| class(1, n, n, n)).collect();
    let found = pushed(&mut bounded(50), &classes);
    assert!(found.iter().map(|(class, _)| *class).eq(classes.iter().copied()));
    let found = pushed(&mut bounded(49), &classes);
    assert_eq!((found.len(), found[49]), (50, (CATCH_ALL, 1)));
    assert_eq!(pushed(&mut bounded(0), &classes), [(CATCH_ALL, 50)]);
}

#[test]
fn a_new_class_replaces_an_empty_one_but_not_the_catch_all() {
    let [seeds, a, b, c, d] =
        [class(0, 0, 7, 70), class(1, 1, 1, 1), class(1, 2, 2, 2), class(1, 3, 3, 3), class(1, 4, 7, 4)];
    let mut frontier = bounded(2);
    assert_eq!(pushed(&mut frontier, &[seeds, a, b]), [(seeds, 1), (a, 1), (CATCH_ALL, 1)]);
    for _ in 0..3 {
        frontier.pop(&host(1), at(0)).unwrap();
    }
    assert_eq!(pushed(&mut frontier, &[c, a]), [(c, 1), (a, 1)], "the place of the seeds");
    assert_eq!(pushed(&mut frontier, &[d]), [(c, 1), (a, 1), (CATCH_ALL, 1)], "the seeds' pattern went with them");
    let popped: Vec<LinkClass> =
        std::iter::from_fn(|| frontier.pop(&host(1), at(0)).ok()).map(|l| l.item.class).collect();
    assert_eq!(popped, [c, a, CATCH_ALL]);
}

#[test]
fn reclassified_urls_keep_the_order_of_discovery_and_leases_their_class() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[(9, 1.0)]));
    for path in 0..9 {
        frontier.push(&item(1, path, u64::from(path % 3), 4)).unwrap();
    }
    let lease = frontier.pop(&host(1), at(0)).unwrap();
    let again = frontier.pop(&host(1), at(0)).unwrap();
    assert!(frontier.retry(&again, at(5)).is_some());
    frontier.reclassify(&anew, &|class, url, via| {
        assert!(url.starts_with("http://h1.test/p") && url.ends_with("?q=1"), "{url}");
        assert_eq!(via, Some("http://h0.test/"));
        if url.contains("p5") { class.into() } else { LinkClass::unclassified(Apath(9)).into() }
    });
    let class = |apath| LinkClass::unclassified(Apath(apath));
    assert_eq!(classes(&frontier), [(class(9), 6), (class(2), 1)]);
    assert_eq!((frontier.queued(), lease.item.class), (8, class(0)));
    let rest: Vec<(String, u64)> = std::iter::from_fn(|| frontier.pop(&host(1), at(0)).ok())
        .map(|lease| (lease.item.url.path_and_query().replace("?q=1", ""), lease.item.class.apath.0))
        .collect();
    let expected = [("/p2", 9), ("/p3", 9), ("/p4", 9), ("/p6", 9), ("/p7", 9), ("/p8", 9), ("/p5", 2)];
    assert_eq!(rest, expected.map(|(path, apath)| (path.to_owned(), apath)));
    let retried = frontier.pop(&host(1), at(5)).unwrap().item;
    assert_eq!(retried, ScheduledUrl { class: class(9), ..again.item });
}

#[test]
fn rejected_urls_no_longer_wait_whether_they_were_tried_before_or_not() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
    for path in 0..6 {
        frontier.push(&item(1, path, 0, 0)).unwrap();
    }
    let tried = frontier.pop(&host(1), at(0)).unwrap();
    let under_way = frontier.pop(&host(1), at(0)).unwrap();
    assert!(frontier.retry(&tried, at(5)).is_some());
    let gone = frontier.reclassify(&anew, &|class, url, _| {
        let rejected = ["/p0", "/p1", "/p4"].iter().any(|path| url.contains(path));
        if rejected { Admission::Reject(PolicyRefusal::StructureTrap) } else { class.into() }
    });
    assert_eq!((gone.len(), frontier.queued(), frontier.waiting_for(&host(1)), frontier.leased()), (2, 3, 3, 1));
    assert!(frontier.end(under_way.id).is_some(), "a lease is not affected");
    let rest: Vec<String> = std::iter::from_fn(|| frontier.pop(&host(1), at(9)).ok())
        .map(|lease| lease.item.url.path_and_query().replace("?q=1", ""))
        .collect();
    assert_eq!(rest, ["/p2", "/p3", "/p5"]);
}

#[test]
fn reclassification_respects_the_bound_on_classes_and_removes_empty_ones() {
    let mut frontier = bounded(3);
    pushed(&mut frontier, &(0..9).map(|n| class(1, n % 2, n % 2, 0)).collect::<Vec<_>>());
    let by_path = |_: LinkClass, url: &str, _: Option<&str>| {
        let n = url.bytes().filter(u8::is_ascii_digit).map(u64::from).sum();
        class(2, n, n, 0).into()
    };
    frontier.reclassify(&anew, &by_path);
    let counts: Vec<usize> = frontier.classes(&host(1)).map(|(_, waiting)| waiting).collect();
    assert_eq!(counts, [1, 1, 1, 6]);
    assert_eq!(frontier.waiting_in(CATCH_ALL), 6);
    frontier.reclassify(&anew, &|_, _, _| class(3, 3, 3, 3).into());
    assert_eq!(classes(&frontier), [(class(3, 3, 3, 3), 9)]);
    frontier.reclassify(&anew, &by_path);
    assert_eq!(frontier.classes(&host(1)).count(), 4);
}

#[test]
fn an_unknown_host_has_no_classes() {
    let mut frontier = bounded(1);
    assert_eq!(frontier.classes(&host(1)).count() + frontier.waiting_at(&host(1), CATCH_ALL), 0);
    frontier.reclassify(&anew, &|_, _, _| CATCH_ALL.into());
    frontier.set_order(scores(&[]));
    assert_eq!(frontier.best(&host(1), at(0)), Err(NotReady::Empty));
}

proptest! {
    #[test]
    fn with_any_bound_on_classes_each_url_comes_out_once_under_its_own_or_a_common_class(
        classes_max in 0..6_u32,
        // A class of a cluster, an Apath and a pattern; `None`: a pop.
        steps in prop::collection::vec(prop::option::weighted(0.6, (0..2_u32, 0..3_u64, 0..3_u64)), 0..150),
    ) {
        let mut frontier = bounded(classes_max);
        let mut own = Vec::new();
        let mut popped = BTreeSet::new();
        let ends = vec![None; steps.len()];
        for step in steps.into_iter().chain(ends) {
            if let Some((cluster, apath, coarse)) = step {
                let class = class(cluster, apath, coarse, own.len() as u64 % 2);
                frontier.push(&ScheduledUrl { class, ..item(1, own.len() as u32, 0, 0) }).unwrap();
                own.push(class);
            } else if let Ok(lease) = frontier.pop(&host(1), at(0)) {
                let digits = lease.item.url.path_and_query()[2..].trim_end_matches("?q=1");
                let number: usize = digits.parse().unwrap();
                prop_assert!(popped.insert(number), "{number} came twice");
                let (found, own) = (lease.item.class, own[number]);
                let seeds = LinkClass { pattern: found.pattern, ..LinkClass::unclassified(Apath(0)) };
                let same_pattern = found == seeds && found.pattern.coarse == own.pattern.coarse;
                prop_assert!(found == own || same_pattern || found == CATCH_ALL, "{found:?} for {own:?}");
            }
            let waiting: Vec<usize> = frontier.classes(&host(1)).map(|(_, waiting)| waiting).collect();
            prop_assert!(waiting.len() <= classes_max as usize + 1);
            prop_assert_eq!(waiting.iter().sum::<usize>(), own.len() - popped.len());
        }
        prop_assert_eq!(popped.len(), own.len());
    }
}

#[test]
fn urls_rejected_under_their_new_class_no_longer_wait_and_are_accounted_for() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
    for path in 0..9 {
        frontier.push(&item(1, path, 9, 4)).unwrap();
    }
    let odd = |class, url: &str, _: Option<&str>| {
        let kept = ["p1", "p3", "p5", "p7"].iter().any(|path| url.contains(path));
        assert_eq!(class, LinkClass::unclassified(Apath(9)));
        if kept { LinkClass::unclassified(Apath(1)).into() } else { Admission::Reject(PolicyRefusal::DuplicateContent) }
    };
    let gone = frontier.reclassify(&anew, &odd);
    let why = Fate::Policy(PolicyRefusal::DuplicateContent);
    assert_eq!((gone.iter().filter(|gone| gone.fate == why).count(), gone.len()), (5, 5));
    assert_eq!((frontier.queued(), frontier.classes(&host(1)).map(|(_, waiting)| waiting).sum::<usize>()), (4, 4));
    let paths: Vec<_> = std::iter::from_fn(|| frontier.pop(&host(1), at(0)).ok())
        .map(|lease| lease.item.url.path_and_query().to_owned())
        .collect();
    assert_eq!(paths, ["/p1?q=1", "/p3?q=1", "/p5?q=1", "/p7?q=1"]);
}

#[test]
fn every_second_url_is_a_revisit_whatever_its_rank_if_one_waits() {
    let revisit = Apath::REVISIT.0;
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[(7, 9.0), (revisit, -9.0)]));
    for path in 0..6 {
        frontier.push(&item(1, path, 7, 0)).unwrap();
    }
    for path in 6..8 {
        frontier.push(&item(1, path, revisit, 5)).unwrap();
    }
    let popped = |frontier: &mut Frontier, most: usize| -> Vec<u64> {
        let leases = std::iter::from_fn(|| frontier.pop(&host(1), at(0)).ok());
        leases.take(most).map(|lease| lease.item.class.apath.0).collect()
    };
    assert_eq!(popped(&mut frontier, 5), [revisit, 7, revisit, 7, 7]);
    frontier.push(&item(1, 8, revisit, 5)).unwrap();
    assert_eq!(popped(&mut frontier, 9), [7, revisit, 7, 7]);
}

#[test]
fn revisits_stay_in_one_queue_unless_rejected_and_fit_into_a_full_table() {
    let mut frontier = bounded(1);
    let other = class(1, 1, 1, 1);
    let visits = LinkClass::REVISIT;
    assert_eq!(
        pushed(&mut frontier, &[other, class(1, 2, 2, 2), visits, visits, visits]),
        [(other, 1), (CATCH_ALL, 1), (visits, 3)]
    );
    let gone = frontier.reclassify(&anew, &|_, url, _| {
        if url.contains("p3") { Admission::Reject(PolicyRefusal::StructureTrap) } else { other.into() }
    });
    assert_eq!((gone.len(), classes(&frontier)), (1, vec![(other, 2), (visits, 2)]));
    for _ in 0..4 {
        frontier.pop(&host(1), at(0)).unwrap();
    }
    let found = pushed(&mut frontier, &[class(2, 2, 2, 2), class(2, 3, 3, 3), visits]);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(frontier.waiting_at(&host(1), visits), 1, "its place was not given to another class");
}

#[test]
fn urls_of_one_class_wait_in_a_queue_per_priority_and_leave_in_the_order_of_priorities() {
    let mut frontier = bounded(9);
    let one = class(1, 1, 1, 1);
    let priorities = [Priority::Last, Priority::Normal, Priority::Pinned];
    for (path, priority) in (0..).zip(priorities) {
        frontier.push(&ScheduledUrl { class: one, priority, ..item(1, path, 0, 0) }).unwrap();
    }
    let queues: Vec<_> = priorities.map(|priority| (QueueKey { class: one, priority }, 1)).into();
    assert_eq!(frontier.classes(&host(1)).collect::<Vec<_>>(), queues);
    let popped = std::iter::from_fn(|| frontier.pop(&host(1), at(0)).ok()).map(|lease| lease.item.priority);
    assert!(popped.eq([Priority::Pinned, Priority::Normal, Priority::Last]));
}
