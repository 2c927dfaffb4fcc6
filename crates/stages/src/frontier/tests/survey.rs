//! Compares the survey with a plain list of the waiting URLs.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::frontier::WaitingClass;

#[test]
fn the_best_classes_come_first_with_the_next_url_of_the_first_host() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[(1, 0.5), (2, f64::NAN), (3, 0.9)]));
    for (host, path, apath) in [(2, 1, 1), (2, 2, 1), (1, 3, 1), (1, 4, 2), (3, 5, 3)] {
        frontier.push(&item(host, path, apath, 0)).unwrap();
    }
    let survey = frontier.survey(2);
    let best: Vec<_> =
        survey.best.iter().map(|class| (class.queue.class.apath.0, class.waiting, class.example.as_str())).collect();
    assert_eq!(best, [(3, 1, "http://h3.test/p5?q=1"), (1, 3, "http://h1.test/p3?q=1")]);
    assert_eq!((survey.classes, survey.hosts), (3, 3));
    assert_eq!(survey.largest, [(host(1), 2), (host(2), 2)]);
    assert_eq!(frontier.survey(9).best.last().map(|class| class.queue.class.apath.0), Some(2), "NaN is least");
}

proptest! {
    #[test]
    fn a_survey_counts_the_waiting_urls(
        pushed in prop::collection::vec((1..4_u8, 0..5_u64), 0..60), popped in 0..20_usize, rows in 0..8_usize,
    ) {
        let mut frontier = Frontier::new(NO_LIMITS, scores(&[(0, 0.1), (1, 0.7), (2, 0.7), (3, -1.0)]));
        for (path, (host, apath)) in (0..).zip(&pushed) {
            frontier.push(&item(*host, path, *apath, 0)).unwrap();
        }
        let mut waiting: Vec<(u8, u64)> = pushed.clone();
        for turn in 0..popped {
            let of = 1 + (turn % 3) as u8;
            if let Ok(lease) = frontier.pop(&host(of), at(0)) {
                let gone = waiting.iter().position(|(host, apath)| (*host, *apath) == (of, lease.item.class.apath.0));
                waiting.remove(gone.unwrap());
            }
        }
        let (mut classes, mut hosts) = (BTreeMap::<u64, usize>::new(), BTreeMap::<u8, usize>::new());
        for (host, apath) in &waiting {
            *classes.entry(*apath).or_default() += 1;
            *hosts.entry(*host).or_default() += 1;
        }
        let survey = frontier.survey(rows);
        prop_assert_eq!((survey.classes, survey.hosts), (classes.len(), hosts.len()));
        prop_assert_eq!((survey.best.len(), survey.largest.len()), (rows.min(classes.len()), rows.min(hosts.len())));
        for WaitingClass { queue, waiting, example, .. } in &survey.best {
            prop_assert_eq!(Some(waiting), classes.get(&queue.class.apath.0));
            prop_assert!(example.starts_with("http://h"));
        }
        for (key, count) in &survey.largest {
            prop_assert!(hosts.iter().any(|(number, waiting)| *key == host(*number) && waiting == count));
        }
        prop_assert!(survey.best.windows(2).all(|pair| pair[0].score >= pair[1].score));
        prop_assert!(survey.largest.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    }
}
