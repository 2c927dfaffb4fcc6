//! Worked examples: what a truth file and found posts give, counted by hand.

use std::path::Path;

use url::Url;

use super::scorer::{PostScores, Scorer};
use super::tally::FieldTally;
use super::truth::{Field, PostTruth, parse_truth};
use harvestman_posts::site::PageOrigin;
use harvestman_posts::{PagePost, PageRecords, PageThread, ParentRef};

/// Two threads; the second page of the first one; a page of a member that shows parts.
const TRUTH: &str = r#"
{"id": "1", "thread": "t", "url": "http://h/t#p1", "author": "Ada", "time": "2025-01-01T10:00:30Z", "text": "How do I boil an egg", "pages": ["http://h/t"], "excerpts": ["http://h/ada"]}
{"id": "2", "thread": "t", "url": "http://h/t#p2", "author": "Bo", "time": "2025-01-01T11:00:00Z", "text": "In water", "variants": ["boil an egg In water"], "parent": "1", "pages": ["http://h/t"]}
{"id": "3", "thread": "t", "url": "http://h/t#p3", "author": "Ada", "time": "2025-01-02T09:00:00Z", "text": "Thanks", "parent": "2", "pages": ["http://h/t?page=2", {"url": "http://h/reply", "lacks": ["url", "thread"]}]}
{"id": "4", "thread": "u", "url": "http://h/u#p4", "author": "Cy", "time": "2025-01-03T09:00:00Z", "time_shown": false, "text": "Any news on the bridge", "pages": ["http://h/u"]}
"#;

fn truth() -> Vec<PostTruth> {
    parse_truth(TRUTH.as_bytes(), Path::new("truth")).unwrap()
}

/// A found post: its anchor, author, date and text.
fn post(anchor: &str, author: &str, date: &str, text: &str) -> PagePost {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    PagePost {
        id: given(anchor),
        author: given(author),
        date: given(date),
        text: text.to_owned(),
        ..PagePost::default()
    }
}

fn page(thread: &str, posts: Vec<PagePost>) -> PageRecords {
    let posts = posts.into_iter().map(|mut post| {
        post.url = post.id.as_ref().map(|id| format!("{thread}#{id}"));
        post
    });
    let thread = (!thread.is_empty()).then(|| PageThread { url: Some(thread.to_owned()), ..PageThread::default() });
    PageRecords { posts: posts.collect(), thread, ..PageRecords::default() }
}

fn scores(pages: &[(&str, PageRecords)]) -> PostScores {
    let truth = truth();
    let mut scorer = Scorer::new(&truth);
    for (url, records) in pages {
        let url = Url::parse(url).unwrap();
        let origin = PageOrigin { url: url.as_str().to_owned(), ..PageOrigin::default() };
        scorer.add(&url, &origin, url.path(), records).unwrap();
    }
    scorer.finish(9)
}

fn first_page() -> PageRecords {
    let reply = PagePost { parent: Some(ParentRef::Index(0)), ..post("p2", "Bo", "2025-01-01T11:00", "In water") };
    page("http://h/t", vec![post("p1", "Ada", "2025-01-01T10:00", "How do I boil an egg"), reply])
}

#[test]
fn a_page_on_which_all_is_found_is_perfect() {
    let scores = scores(&[("http://h/t", first_page())]);
    let all = &scores.all;
    assert_eq!((all.pages, all.perfect, all.expected, all.found, all.right), (1, 1, 2, 2, 2));
    assert_eq!((all.f1(), all.text_f1(), all.parent_precision()), (Some(1.0), Some(1.0), Some(1.0)));
    for field in [Field::Author, Field::Minute, Field::Day, Field::Thread, Field::Url] {
        assert_eq!(all.field(field), FieldTally { shown: 2, found: 2, given: 2, right: 2 }, "{field:?}");
    }
    assert_eq!(all.field(Field::Parent), FieldTally { shown: 1, found: 1, given: 1, right: 1 });
    assert_eq!((scores.site.expected, scores.site.found, scores.site.records), (2, 2, 2));
    assert!(scores.worst.is_empty());
}

#[test]
fn missing_and_wrong_posts_lower_recall_and_precision() {
    let found = vec![
        post("p1", "Bo", "2025-01-01T10:01", "How do I boil an egg"),
        post("", "", "", "Log in to reply"),
        post("", "", "", "Terms of use"),
    ];
    let scores = scores(&[("http://h/t", page("http://h/t", found)), ("http://h/u", page("", vec![]))]);
    let all = &scores.all;
    // Post 1 of 1, 2 and 4 is found; two of three found posts are none.
    assert_eq!((all.expected, all.found, all.right), (3, 3, 1));
    assert_eq!((all.precision(), all.recall(), all.f1()), (Some(1.0 / 3.0), Some(1.0 / 3.0), Some(2.0 / 6.0)));
    assert_eq!(all.field(Field::Author), FieldTally { shown: 3, found: 1, given: 1, right: 0 });
    assert_eq!(all.field(Field::Minute), FieldTally { shown: 2, found: 1, given: 1, right: 0 });
    assert_eq!(all.field(Field::Day), FieldTally { shown: 3, found: 1, given: 1, right: 1 });
    let first = &scores.worst[0];
    // One post is missing, two are wrong; the author and the minute of the found one too.
    assert_eq!((first.url.as_str(), first.weight(), first.expected, first.found), ("http://h/t", 32, 2, 3));
    assert_eq!(first.first, "post 1: author is `Bo`, not `Ada`");
    assert_eq!((scores.worst[1].url.as_str(), scores.worst[1].missed), ("http://h/u", 1));
    assert_eq!((scores.site.wrong, scores.site.records), (2, 3));
}

#[test]
fn a_text_with_its_quotes_is_as_right_as_one_without() {
    let quoted = post("p2", "Bo", "2025-01-01T11:00", "boil an egg In water");
    let scores = scores(&[("http://h/t", page("http://h/t", vec![quoted]))]);
    assert_eq!((scores.all.right, scores.all.text_f1()), (1, Some(1.0)));
}

#[test]
fn excerpts_are_neither_right_nor_wrong_and_no_records() {
    let scores =
        scores(&[("http://h/ada", page("", vec![post("", "Ada", "", "How do I…"), post("", "", "", "Profile")]))]);
    assert_eq!((scores.all.excerpts, scores.all.found, scores.all.right), (1, 1, 0));
    assert_eq!((scores.site.records, scores.site.wrong), (1, 1));
}

#[test]
fn fields_that_a_page_lacks_are_not_asked() {
    let scores = scores(&[("http://h/reply", page("", vec![post("", "Ada", "2025-01-02T09:00Z", "thanks")]))]);
    assert_eq!(scores.all.field(Field::Url).shown, 0);
    assert_eq!(scores.all.field(Field::Thread).shown, 0);
    assert_eq!(scores.all.field(Field::Parent), FieldTally { shown: 1, found: 1, given: 0, right: 0 });
    // Where the minute is not shown, it is not asked either.
    let day = page("http://h/u", vec![post("p4", "Cy", "2025-01-03", "Any news on the bridge")]);
    let all = self::scores(&[("http://h/u", day)]).all;
    assert_eq!((all.field(Field::Minute).shown, all.field(Field::Day).right), (0, 1));
}

#[test]
fn one_post_on_two_pages_is_one_record_if_its_key_or_its_content_is_the_same() {
    let second = || page("http://h/t", vec![post("p3", "Ada", "2025-01-02T09:00", "Thanks")]);
    let keyless = || page("http://h/t", vec![post("", "Ada", "2025-01-02T09:00", "thanks")]);
    let site = scores(&[("http://h/t?page=2", second()), ("http://h/reply", keyless())]).site;
    assert_eq!((site.expected, site.found, site.records, site.duplicates), (1, 1, 1, 0));
    let other = page("http://h/reply", vec![post("x9", "Ada", "2025-01-02T09:00", "thanks")]);
    let site = scores(&[("http://h/t?page=2", second()), ("http://h/reply", other)]).site;
    assert_eq!((site.found, site.records, site.duplicates, site.precision()), (1, 2, 1, Some(0.5)));
}

#[test]
fn two_posts_with_one_key_are_merged_unless_both_are_on_one_page() {
    let twice = vec![post("p1", "Ada", "", "How do I boil an egg"), post("p1", "Bo", "", "In water")];
    let site = scores(&[("http://h/t", page("http://h/t", twice))]).site;
    assert_eq!((site.found, site.records, site.merged, site.duplicates), (2, 2, 0, 0));
    let first = page("http://h/t", vec![post("p1", "Ada", "", "How do I boil an egg")]);
    let second = page("http://h/t", vec![post("p1", "Ada", "", "Thanks")]);
    let site = scores(&[("http://h/t", first), ("http://h/t?page=2", second)]).site;
    assert_eq!((site.found, site.records, site.merged, site.duplicates), (2, 1, 1, 0));
}

#[test]
fn parents_are_found_over_the_pages_of_the_site() {
    let by_id =
        PagePost { parent: Some(ParentRef::Id("p2".into())), ..post("p3", "Ada", "2025-01-02T09:00", "Thanks") };
    let made_up = PagePost {
        parent: Some(ParentRef::Id("p1".into())),
        ..post("p4", "Cy", "2025-01-03", "Any news on the bridge")
    };
    let pages = [
        ("http://h/t?page=2", page("http://h/t", vec![by_id])),
        ("http://h/u", page("http://h/u", vec![made_up])),
        ("http://h/t", first_page()),
    ];
    let all = scores(&pages).all;
    assert_eq!(all.field(Field::Parent), FieldTally { shown: 2, found: 2, given: 2, right: 2 });
    // Two of the three parents that were given.
    assert_eq!((all.parents_made_up, all.parent_precision()), (1, Some(2.0 / 3.0)));
}

#[test]
fn one_thread_for_all_posts_is_wrong_for_those_of_the_smaller_one() {
    let mut first = first_page();
    first.thread = Some(PageThread { url: Some("http://h/".into()), ..PageThread::default() });
    let second = page("http://h/", vec![post("p4", "Cy", "2025-01-03", "Any news on the bridge")]);
    let all = scores(&[("http://h/t", first), ("http://h/u", second)]).all;
    assert_eq!(all.field(Field::Thread), FieldTally { shown: 3, found: 3, given: 3, right: 2 });
}

#[test]
fn names_may_end_in_mail_addresses() {
    let right = |name: &str| {
        let found = page("", vec![post("", name, "", "Any news on the bridge")]);
        scores(&[("http://h/u", found)]).all.field(Field::Author).right
    };
    assert_eq!(["Cy", " Cy <cy@example.org>", "Cy (he)", "cy", "Cyd"].map(right), [1, 1, 0, 0, 0]);
}

#[test]
fn types_of_pages_are_counted_apart() {
    let scores = scores(&[("http://h/t", first_page()), ("http://h/u", page("", vec![]))]);
    assert_eq!((scores.by_type["/t"].right, scores.by_type["/u"].expected, scores.by_type["/u"].perfect), (2, 1, 0));
    assert_eq!(scores.by_type.values().map(|tally| tally.pages).sum::<u64>(), scores.all.pages);
}
