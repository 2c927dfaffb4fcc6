use proptest::prelude::*;

use super::*;

fn thread(number: u64) -> String {
    format!("http://h.test/t/title-{number}/feed")
}

/// Follows a feed if it is worth a request, and ends it with this many new links. Returns whether it was.
fn try_one(yields: &mut FeedYields, url: &str, new_links: usize) -> bool {
    let is_worth_it = yields.is_worth_a_request(url);
    if is_worth_it {
        yields.follow(url);
        yields.ended(url, new_links);
    }
    is_worth_it
}

#[test]
fn the_class_of_a_feed_does_not_depend_on_the_thread_that_it_belongs_to() {
    let same = [
        ["http://h/t/one-1.12/feed", "http://h/t/other.7/feed"],
        ["http://h/t/a/123.rss", "http://h/t/bcd/7.rss"],
        ["http://h/feed.php?f=2&t=19", "http://h/feed.php?f=15&t=4"],
        ["http://h/2024/05/post/feed/", "http://h/2023/11/other-post/feed/"],
    ];
    for [one, other] in same {
        assert_eq!(class_of(one), class_of(other), "{one} {other}");
    }
    let different =
        ["http://h", "http://h/feed", "http://h/a/feed", "http://h/feed?a=1", "http://h/feed?b=1", "http://h/rss"];
    let classes: std::collections::BTreeSet<u64> = different.iter().map(|url| class_of(url)).collect();
    assert_eq!(classes.len(), different.len());
}

#[test]
fn a_feed_per_thread_that_brings_nothing_new_is_given_up_after_a_few_tries() {
    let mut yields = FeedYields::default();
    let followed = (0..10_000).filter(|number| {
        yields.page(&thread(*number));
        try_one(&mut yields, &thread(*number), 0)
    });
    assert_eq!(followed.count() as u32, TRIES);
}

#[test]
fn feeds_that_bring_new_links_are_followed_as_long_as_they_do() {
    let mut yields = FeedYields::default();
    assert_eq!((0..100).filter(|number| try_one(&mut yields, &thread(*number), 5)).count(), 100);
    let more = (100..10_000).filter(|number| {
        yields.page(&thread(*number));
        try_one(&mut yields, &thread(*number), 0)
    });
    // Until fewer than half were fruitful, or one in two hundred of the pages was spent on them.
    assert!((40..=101).contains(&more.count()));
}

#[test]
fn no_more_feeds_wait_at_a_time_than_may_turn_out_fruitless() {
    let mut yields = FeedYields::default();
    let follow = |yields: &mut FeedYields| {
        (0..50)
            .filter(|number| {
                let is_worth_it = yields.is_worth_a_request(&thread(*number));
                if is_worth_it {
                    yields.follow(&thread(*number));
                }
                is_worth_it
            })
            .count() as u64
    };
    assert_eq!(follow(&mut yields), SPARE);
    (0..PAGES_PER_FEED * 10).for_each(|number| yields.page(&thread(number)));
    assert_eq!(follow(&mut yields), u64::from(TRIES) - SPARE, "no more of one class than are tried");
}

#[test]
fn each_host_and_each_class_is_judged_by_itself() {
    let mut yields = FeedYields::default();
    for number in 0..2_000 {
        yields.page(&thread(number));
        try_one(&mut yields, &thread(number), 0);
    }
    assert!(!yields.is_worth_a_request(&thread(9_999)));
    assert!(yields.is_worth_a_request("http://h.test/feed") && yields.is_worth_a_request("http://other.test/t/a/feed"));
    // Of a feed that an earlier run followed nothing is known.
    yields.ended("http://unknown.test/feed", 3);
    assert!(yields.is_worth_a_request("http://unknown.test/feed"));
}

#[test]
fn the_number_of_classes_is_bounded() {
    let mut yields = FeedYields::default();
    let class = |number: usize| format!("http://h.test/feed?{}=1", "a".repeat(number + 1));
    let followed = (0..200).filter(|number| try_one(&mut yields, &class(*number), 1)).count();
    assert_eq!(followed, CLASSES_MAX);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a site announces, and whatever its feeds bring.
    #[test]
    fn fruitless_feeds_take_no_more_than_their_share(steps in prop::collection::vec((0_u8..6, 0_u8..5, any::<bool>()), 0..4_000)) {
        let mut yields = FeedYields::default();
        let (mut pages, mut fruitless) = (0_u64, 0_u64);
        for (at, (class, kind, fruitful)) in steps.into_iter().enumerate() {
            let url = format!("http://h.test/{}/{at}/feed", "x/".repeat(usize::from(class)));
            if kind > 0 {
                yields.page(&url);
                pages += 1;
            } else if try_one(&mut yields, &url, usize::from(fruitful)) {
                fruitless += u64::from(!fruitful);
            }
            prop_assert!(fruitless <= SPARE + pages / PAGES_PER_FEED);
        }
    }

    #[test]
    fn any_url_has_a_class(url in "\\PC{0,80}") {
        let mut yields = FeedYields::default();
        try_one(&mut yields, &url, 1);
    }
}
