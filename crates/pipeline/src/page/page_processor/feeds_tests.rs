//! Feeds that pages announce, and what is read from them.

use super::*;
use harvestman_core::config::FeedsMode;
use harvestman_core::model::PolicyRefusal;

const RSS: (&str, &str) = ("content-type", "application/rss+xml");

fn announcing(feeds: &[&str]) -> Exchange {
    let links: String =
        feeds.iter().map(|href| format!("<link rel=alternate type=application/rss+xml href='{href}'>")).collect();
    exchange(&[("content-type", "text/html")], format!("{links}<a href=/x>x</a>").as_bytes())
}

fn rss(items: &[(&str, &str)]) -> String {
    let item = |(url, title): &(&str, &str)| format!("<item><title>{title}</title><link>{url}</link></item>");
    let items: String = items.iter().map(item).collect();
    format!(
        "<rss version='2.0'><channel><title>T</title><link>http://h.test/</link><description/>{items}</channel></rss>"
    )
}

fn feed_at(url: &str) -> ScheduledUrl {
    ScheduledUrl::found(CanonicalUrl::from_canonical(url), LinkClass::unclassified(Apath::FEED))
}

#[test]
fn the_feeds_that_a_page_announces_are_links_of_a_class_of_their_own() {
    let mut processor = processor(|config| config.scope.mode = ScopeMode::Host);
    let result = page(&mut processor, &announcing(&["/feed", "http://other.test/feed", "//["]));
    // Nothing is within the scope without seeds.
    assert_eq!((urls(&result).len(), result.notes.links, result.links.found.settled.total()), (0, Some(1), 4));
    let mut processor = super::processor(|_| {});
    let result = page(&mut processor, &announcing(&["/feed", "feed", "/feed", "//["]));
    assert_eq!(urls(&result), ["http://h.test/x", "http://h.test/feed", "http://h.test/dir/feed"]);
    assert_eq!(result.links.found.accepted[1].class, LinkClass::unclassified(Apath::FEED));
    assert_eq!(result.links.found.settled.total() + result.links.found.accepted.len() as u64, 5);
}

#[test]
fn no_feed_is_followed_where_feeds_are_not_wanted_or_the_page_says_nofollow() {
    let mut never = processor(|config| config.crawl.feeds = FeedsMode::Never);
    assert_eq!(urls(&page(&mut never, &announcing(&["/feed"]))), ["http://h.test/x"]);
    let body = "<meta name=robots content=nofollow><link rel=alternate type=application/rss+xml href=/feed>";
    assert_eq!(followed(&[], body), [""; 0]);
}

/// Reads a thousand pages, each of which announces a feed of its own, and each feed as soon as it is accepted. Returns
/// the number of feeds that were accepted, and of links that were refused because of their feed.
fn a_feed_per_page(mode: FeedsMode) -> (usize, u64) {
    let mut processor = processor(|config| config.crawl.feeds = mode);
    let (mut accepted, mut refused) = (0, 0);
    for number in 0..1_000 {
        let result = page(&mut processor, &announcing(&[&format!("/thread/{number}/feed")]));
        let poor = |(fate, count)| if fate == Fate::Policy(PolicyRefusal::PoorFeed) { count } else { 0 };
        refused += result.links.found.settled.iter().map(poor).sum::<u64>();
        for item in result.links.found.accepted.iter().filter(|item| item.class.apath == Apath::FEED) {
            accepted += 1;
            let answer = exchange(&[RSS], rss(&[("http://h.test/x", "known")]).as_bytes());
            processor.page(item, &answer);
        }
    }
    (accepted, refused)
}

#[test]
fn a_feed_per_page_that_lists_what_is_known_is_left_after_a_few_and_every_link_has_a_fate() {
    let (accepted, refused) = a_feed_per_page(FeedsMode::Auto);
    assert!((2..=4).contains(&accepted), "{accepted}");
    assert_eq!(accepted as u64 + refused, 1_000);
    assert_eq!(a_feed_per_page(FeedsMode::Always), (1_000, 0));
}

#[test]
fn the_entries_of_a_feed_are_links_with_their_titles_as_anchor_texts() {
    let policy: Arc<dyn PolicySnapshot> = Arc::new(ReadsEven);
    let needs = Needs { words: true, contexts: true, ..Needs::default() };
    let (current, needs) =
        (Arc::new(ArcSwap::from_pointee(policy)), Arc::new(crate::policy_thread::needs::SharedNeeds::new(needs)));
    let seeds = [CanonicalUrl::from_canonical(PAGE)];
    let rules =
        crate::run::offline::rules(&Config::default(), &seeds, &current, &needs, RecordedSite::new(|_| true).exists)
            .unwrap();
    let mut processor = PageProcessor::new(Arc::new(rules), || Parser::new(&ParseOptions::default()));
    let body = rss(&[("http://h.test/1", "Macro lenses"), ("http://h.test/2", "Tripods")]);
    let item = feed_at("http://h.test/feed");
    let mut result = processor.page(&item, &exchange(&[RSS], body.as_bytes()));
    assert_eq!((urls(&result), result.notes.links), (vec!["http://h.test/1", "http://h.test/2"], Some(2)));
    let seen = observation(&item, &mut result);
    assert!(matches!(seen.outcome, Outcome::Document));
    let title = |word| word_token(word_hash(word), 0);
    assert!(seen.new[0].context.contains(&title("Macro")) && seen.new[0].context.contains(&title("lenses")));
    assert!(seen.new[1].context.contains(&title("Tripods")) && !seen.new[1].context.contains(&title("Macro")));
}

#[test]
fn a_feed_in_json_is_read_where_a_feed_is_expected() {
    let body = r#"{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","url":"/1","title":"One"}]}"#;
    let json = exchange(&[("content-type", "application/json")], body.as_bytes());
    let (feed, other) = (feed_at("http://h.test/feed"), ScheduledUrl::errand(CanonicalUrl::from_canonical(PAGE)));
    assert_eq!(urls(&processor(|_| {}).page(&feed, &json)), ["http://h.test/1"]);
    assert_eq!(urls(&processor(|_| {}).page(&other, &json)), [""; 0]);
    let declared = exchange(&[("content-type", "application/feed+json")], body.as_bytes());
    assert_eq!(urls(&processor(|_| {}).page(&other, &declared)), ["http://h.test/1"]);
}

#[test]
fn a_feed_of_fifty_thousand_entries_has_all_of_them_as_links() {
    let links: Vec<String> = (0..60_000).map(|number| format!("http://h.test/{number}")).collect();
    let items: Vec<(&str, &str)> = links.iter().map(|url| (url.as_str(), "T")).collect();
    let result = processor(|_| {}).page(&feed_at("http://h.test/feed"), &exchange(&[RSS], rss(&items).as_bytes()));
    assert_eq!(
        (result.fate, result.links.found.accepted.len(), result.notes.links),
        (Fate::Fetched, 50_000, Some(50_000))
    );
}

#[test]
fn a_feed_differs_from_that_of_another_visit_if_its_entries_do() {
    let digests = |date: &str, items: &[(&str, &str)]| {
        let mut policy = harvestman_policy::make(
            PolicyKind::Bfs,
            &PolicyInputs::new(Seed(0)),
            crate::policy_thread::example::reader(&ParseOptions::default()),
        );
        let (current, needs) = (Arc::new(ArcSwap::from_pointee(policy.snapshot())), Arc::default());
        let mut rules =
            crate::run::offline::rules(&Config::default(), &[], &current, &needs, RecordedSite::new(|_| true).exists)
                .unwrap();
        rules.reading.digests = true;
        let mut processor = PageProcessor::new(Arc::new(rules), || Parser::new(&ParseOptions::default()));
        let body = rss(items).replace("<title>T", &format!("<lastBuildDate>{date}</lastBuildDate><title>T"));
        let result = processor.page(&feed_at("http://h.test/feed"), &exchange(&[RSS], body.as_bytes()));
        (result.revisit.digests.unwrap(), result.revisit.rows.len())
    };
    let (one, other) = (("http://h.test/a", "A"), ("http://h.test/b", "B"));
    assert_eq!(digests("now", &[one, other]), digests("later", &[one, other]));
    assert_ne!(digests("now", &[one]).0, digests("now", &[other, one]).0);
    assert_eq!(digests("now", &[one, other]).1, 2, "its rows, for the plan of a recrawl");
}
