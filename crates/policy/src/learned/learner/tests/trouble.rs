//! Sites and examples that teach little.

use super::*;

fn has_finite_scores(driver: &Driver) -> bool {
    let places = [(TO_TOPIC, "/topic/9"), (TO_USER, "/user/9?a=1"), (999, "/x"), (Apath::SEED.0, "/")];
    places.iter().all(|(place, path)| driver.score(("/list/0", *place), path).is_finite())
}

#[test]
fn sites_that_teach_nothing_are_crawled_by_finite_scores_and_noted() {
    // Pages, and the number of their templates. Features that no two pages share tell none apart.
    let cases = [(0, 1, "too few"), (3, 1, "too few"), (60, 60, "one template"), (60, 1, "one template")];
    for goal in [Goal::Content, like("/topic/1")] {
        for (pages, templates, note) in cases {
            let mut driver = Driver::new(goal.clone());
            for number in 0..pages {
                // One number for all: the pages of a template are identical.
                let (template, body) = (100 + number % templates, vec![(100 + number % templates) as u8, 0]);
                let facts = PageFacts {
                    bag: bag(template, 0),
                    text: Some(text(template)),
                    body: Some((body.into(), None)),
                    ..PageFacts::default()
                };
                driver.fetch(ROOT, &format!("/topic/{number}"), Outcome::Page(Box::new(facts)), &[]);
                assert!(has_finite_scores(&driver));
            }
            driver.policy.update_model();
            driver.snapshot = driver.policy.snapshot();
            assert!(has_finite_scores(&driver));
            assert!(driver.policy.note().unwrap().contains(note), "{pages} {templates}: {:?}", driver.policy.note());
        }
    }
}

#[test]
fn a_missing_example_leaves_the_order_of_discovery_until_a_url_like_it_is_met() {
    let mut driver = Driver::new(like("/topic/1"));
    assert!(driver.policy.note().unwrap().contains("was not fetched"));
    driver.fetch(("", Apath::SEED.0), "/topic/1", Outcome::Failed, &[]);
    for number in 0..30 {
        let new = [(TO_LIST, format!("/list/{}", number + 1)), (TO_USER, format!("/user/{number}"))];
        driver.page(ROOT, &format!("/list/{number}"), LIST, text(number), &new);
        let [list, other] = [driver.score(ROOT, "/list/99"), driver.score(("/list/0", 999), "/x/y")];
        assert_eq!((list, other), (0.0, 0.0));
    }
    assert!(driver.policy.note().unwrap().contains("breadth-first"));
    assert!(driver.score(ROOT, "/topic/7") > 0.0);
    driver.page(ROOT, "/topic/7", TOPIC, text(900), &[]);
    assert!(driver.policy.note().unwrap().contains("by their URLs"));
    assert!(has_finite_scores(&driver) && driver.score(ROOT, "/topic/8") > driver.score(ROOT, "/list/99"));
}

#[test]
fn of_two_examples_one_that_is_missing_leaves_the_goal_of_the_other() {
    let examples = ["/topic/1", "/gone/1"].map(|path| format!("{HOST}{path}")).to_vec();
    let mut driver = Driver::new(Goal::Like { examples, duplicate_worth: 0.5 });
    driver.fetch(("", Apath::SEED.0), "/gone/1", Outcome::Failed, &[]);
    driver.page(("", Apath::SEED.0), "/topic/1", TOPIC, text(5_000), &[]);
    show_lists(&mut driver, 0..20, LIST, TOPIC);
    driver.policy.update_model();
    driver.snapshot = driver.policy.snapshot();
    assert!(driver.score(("/list/0", TO_TOPIC), "/topic/99999") > driver.score(ROOT, "/list/99"));
    let note = driver.policy.note().unwrap();
    assert!(note.contains("/gone/1 could not be fetched") && !note.contains("/topic/1 "), "{note}");
    assert!(!note.contains("breadth-first"), "{note}");
}

#[test]
fn an_example_like_no_other_page_is_represented_by_the_nearest_template() {
    const ODD: u64 = 9;
    let mut driver = Driver::new(like("/odd"));
    driver.page(("", Apath::SEED.0), "/odd", ODD, text(5_000), &[]);
    show_lists(&mut driver, 0..20, LIST, TOPIC);
    driver.policy.update_model();
    driver.snapshot = driver.policy.snapshot();
    let likeness = &driver.policy.examples.all()[0].likeness;
    assert!(likeness.nearest && likeness.cluster.is_some_and(|cluster| cluster > OUTLIER));
    assert!(driver.policy.note().unwrap().contains("the nearest template"));
    assert!(has_finite_scores(&driver) && driver.policy.log.iter().skip(1).any(|entry| entry.worth.value > 0.0));
}

#[test]
fn where_all_pages_are_outliers_scores_are_finite_and_the_note_says_so() {
    for goal in [Goal::Content, like("/topic/1")] {
        let mut driver = Driver::new(goal);
        (0..3).for_each(|number| driver.page(ROOT, &format!("/topic/{number}"), TOPIC, text(number), &[]));
        driver.policy.update_model();
        driver.policy.next_update = usize::MAX;
        show_lists(&mut driver, 3..80, LIST, TOPIC);
        assert!(driver.policy.log.iter().skip(3).all(|entry| entry.page.unwrap().cluster == OUTLIER));
        assert!(has_finite_scores(&driver) && driver.policy.facts().drifts == 0);
        assert!(driver.policy.note().unwrap().contains("no two of the site's pages are alike"));
    }
}

#[test]
fn a_page_like_the_example_that_was_not_read_repeats_another_one_if_most_of_its_kind_did() {
    let mut driver = Driver::new(like("/topic/1"));
    for number in 0..60 {
        if number == 40 {
            // The last model update is over; before it all pages are read.
            driver.policy.next_update = usize::MAX;
        }
        let (topic, permalink) = (format!("/topic/{number}"), format!("/topic/{number}?post={number}"));
        driver.page(ROOT, &topic, TOPIC, text(number), &[(TO_POST, permalink.clone())]);
        driver.page((&topic, TO_POST), &permalink, TOPIC, text(number), &[]);
        driver.page(ROOT, &format!("/user/{number}"), USER, PageText::default(), &[]);
    }
    let mut unread = |path: &dyn Fn(u64) -> String| {
        let before = driver.policy.wanted;
        (200..240).for_each(|number| driver.page_read_or_not(ROOT, &path(number), TOPIC, None, &[]));
        driver.policy.wanted - before
    };
    assert_eq!(unread(&|number| format!("/topic/{number}?post=1")), 0, "permalinks");
    assert_eq!(unread(&|number| format!("/topic/{number}")), 40, "topics");
}
