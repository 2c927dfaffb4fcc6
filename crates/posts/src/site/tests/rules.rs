//! Single rules.

use jiff::Timestamp;

use super::*;
use crate::records::{PageThread, PageUser, ParentRef, PostSource};

fn origin(url: &str, day: i64) -> PageOrigin {
    let crawl_time = Timestamp::from_second(1_800_000_000 + day * 86_400).unwrap();
    PageOrigin { url: url.to_owned(), crawl_time, ..PageOrigin::default() }
}

fn post(author: &str, date: &str, text: &str) -> PagePost {
    let (author, date) = (Some(author.to_owned()), Some(date.to_owned()));
    PagePost { author, date, text: text.to_owned(), confidence: 1.0, ..PagePost::default() }
}

fn page(url: &str, day: i64, posts: Vec<PagePost>) -> OriginAndRecords {
    (origin(url, day), PageRecords { posts, ..PageRecords::default() })
}

fn with_id(id: &str, post: PagePost) -> PagePost {
    PagePost { id: Some(id.to_owned()), ..post }
}

const T: &str = "2026-01-01T10:00";

#[test]
fn identifiers_that_are_numbers_in_their_thread_do_not_join_threads() {
    let thread = |url: &str, author: &str| {
        page(url, 0, (1..9).map(|n| with_id(&n.to_string(), post(author, T, &format!("{author} {n}")))).collect())
    };
    let found = records(&[thread("http://h/t/1", "ann"), thread("http://h/t/2", "bob")]);
    check_integrity(&found);
    assert_eq!((found.posts.len(), found.threads.len()), (16, 2));
    assert!(found.posts[0].id.starts_with("h:1~"));
}

#[test]
fn identifiers_in_lists_that_are_those_of_threads_are_not_those_of_posts() {
    let text = |author: &str, n: u32| post(author, T, &format!("{n} is what {author} told the others who had asked"));
    let authors = ["ann", "bob"];
    let full = |n: u32| with_id(&n.to_string(), text(authors[n as usize % 2], n));
    // The list shows the last post of each thread, with the number of the thread.
    let last = |thread: u32| PagePost { is_excerpt: true, ..with_id(&thread.to_string(), full(2 * thread)) };
    let mut pages = vec![page("http://h/", 0, (1..9).map(last).collect())];
    for author in 0..2 {
        let of_author = (1..17).filter(|n| n % 2 == author).map(full).collect();
        pages.push(page(&format!("http://h/u/{author}"), 0, of_author));
    }
    pages.extend((1..9).map(|n| page(&format!("http://h/t/{n}"), 0, vec![full(2 * n - 1), full(2 * n)])));
    let found = records(&pages);
    check_integrity(&found);
    assert_eq!(found.posts.len(), 16);
    assert!(found.posts.iter().all(|post| !post.id.contains('~') && !post.is_excerpt));
}

#[test]
fn posts_without_an_author_are_those_of_other_pages_with_one() {
    let long = "a text that the page of a thread and the feed of the site show at about the same time";
    let full = page("http://h/t/1", 0, vec![post("ann", T, long), post("bob", T, "a short text of thirty letters")]);
    let unnamed = |text: &str| PagePost { author: None, ..post("", "2026-01-01T10:00:22", text) };
    let of_user = page("http://h/u/bob", 0, vec![unnamed("a short text of thirty letters"), unnamed("+1")]);
    let feed = PagePost { source: PostSource::Feed, ..unnamed(&format!("{long}. Two comments")) };
    let found = records(&[full, of_user, page("http://h/feed", 0, vec![feed])]);
    check_integrity(&found);
    assert_eq!(found.posts.len(), 3);
    assert_eq!(found.posts.iter().filter(|post| post.author.is_some()).count(), 2);
}

#[test]
fn an_entry_of_a_feed_with_the_text_of_another_post_is_the_post_of_its_minute() {
    let of_thread = |date: &str, text: &str| PagePost {
        source: PostSource::Feed,
        thread: Some(PageThread { url: Some("http://h/t/1".to_owned()), ..PageThread::default() }),
        ..PagePost { author: None, ..post("", date, text) }
    };
    let thread = page("http://h/t/1", 0, vec![post("ann", T, "why?"), post("bob", "2026-01-01T11:00", "so")]);
    let lying = of_thread("2026-01-01T10:00:22", "so (written by ann)");
    let found = records(&[thread.clone(), page("http://h/feed", 0, vec![lying.clone()])]);
    assert_eq!(found.posts.iter().map(|post| post.text.as_str()).collect::<Vec<_>>(), ["why?", "so"]);
    // A feed with several entries for a thread lists its posts: that of another text is a post of its own.
    let other = of_thread("2026-01-01T11:30:05", "and more");
    assert_eq!(records(&[thread, page("http://h/feed", 0, vec![lying, other])]).posts.len(), 4);
}

#[test]
fn a_short_text_on_the_page_of_its_author_is_that_of_a_thread() {
    let plus = |date: &str| post("ann", date, "+1");
    let thread = |url: &str, date: &str| page(url, 0, vec![post("bob", T, "why?"), plus(date)]);
    let later = "2026-01-01T10:05";
    let of_ann = page("http://h/u/ann", 0, vec![plus(T), plus(later), post("ann", "2026-01-03T10:00", "no")]);
    let found = records(&[thread("http://h/t/1", T), thread("http://h/t/2", later), of_ann]);
    assert_eq!(found.posts.iter().filter(|post| post.author.as_deref() == Some("ann")).count(), 3);
}

#[test]
fn a_short_text_on_a_page_within_the_address_of_its_thread_is_that_of_the_thread() {
    let plus = || post("ann", T, "+1");
    let pages = |form: &str| [page("http://h/t/1/", 0, vec![plus()]), page(form, 0, vec![plus()])];
    assert_eq!(records(&pages("http://h/t/1/reply")).posts.len(), 1);
    for other in ["http://h/t/10", "http://h/t/2/reply"] {
        assert_eq!(records(&pages(other)).posts.len(), 2, "{other}");
    }
}

#[test]
fn an_address_that_all_posts_of_a_page_have_is_not_theirs() {
    let at = |text: &str| PagePost { url: Some("http://h/t/1".to_owned()), ..post("ann", T, text) };
    assert_eq!(records(&[page("http://h/t/1", 0, vec![at("one"), at("two")])]).posts.len(), 2);
}

#[test]
fn equal_short_texts_are_several_posts_unless_time_and_thread_are_the_same() {
    let plus = |date: &str| post("ann", date, "+1");
    let pages = [
        page("http://h/t/1", 0, vec![plus(T), plus(T), plus("2026-01-01T10:05"), post("bob", T, "0")]),
        page("http://h/t/1?page=2", 0, vec![plus(T), plus("2026-01-03T10:00"), post("bob", T, "0")]),
        page("http://h/t/2", 0, vec![plus(T)]),
    ];
    assert_eq!(records(&pages).posts.len(), 6);
}

#[test]
fn which_of_two_records_of_a_visit_is_kept_does_not_depend_on_their_order() {
    let titled = |url: &str, title: Option<&str>, posts: &[&str]| {
        let (mut origin, records) = page(url, 0, posts.iter().map(|text| post("ann", T, text)).collect());
        origin.head.title = title.map(str::to_owned);
        (origin, records)
    };
    let mut pages = [
        titled("http://h/t/1", Some("One"), &["one"]),
        titled("http://h/t/1?p=2", None, &["two"]),
        titled("http://h/t/1?p=2", Some("One"), &["two"]),
    ];
    let found = records(&pages);
    pages.swap(1, 2);
    assert_eq!(found, records(&pages));
}

#[test]
fn a_post_that_a_page_no_longer_shows_is_gone() {
    let (one, two) = (with_id("1", post("ann", T, "one")), with_id("2", post("bob", T, "two")));
    let found = records(&[page("http://h/t/1", 0, vec![one.clone(), two]), page("http://h/t/1", 1, vec![one])]);
    let gone: Vec<_> = found.posts.iter().map(|post| (post.id.as_str(), post.is_gone, post.visit)).collect();
    assert_eq!(gone, [("h:1", false, 2), ("h:2", true, 1)]);
}

#[test]
fn an_edited_post_without_identifier_is_one_post_with_versions() {
    let pages = [("one", 0), ("one", 1), ("one, edited", 2)]
        .map(|(text, day)| page("http://h/t/1", day, vec![post("ann", T, text)]));
    let found = records(&pages);
    let versions: Vec<_> = found.posts[0].versions.iter().map(|version| version.text.as_str()).collect();
    assert_eq!((found.posts.len(), versions), (1, vec!["one", "one, edited"]));
}

#[test]
fn parents_are_found_by_every_kind_of_reference() {
    let answer = |id: &str, parent: ParentRef| PagePost { parent: Some(parent), ..with_id(id, post("cyd", T, id)) };
    let quote = ParentRef::Quote { author: Some("ann".to_owned()), text: "what I said".to_owned() };
    let first =
        PagePost { url: Some("http://h/t/1#a".to_owned()), ..with_id("a", post("ann", T, "This is what I said.")) };
    let pages = [
        page(
            "http://h/t/1",
            0,
            vec![first, with_id("b", post("bob", T, "what I said")), answer("c", ParentRef::Index(1))],
        ),
        page(
            "http://h/t/1?page=2",
            0,
            vec![
                answer("d", ParentRef::Id("a".to_owned())),
                answer("e", ParentRef::Url("http://h/t/1#a".to_owned())),
                answer("f", quote),
                answer("g", ParentRef::Id("unknown".to_owned())),
                answer("h", ParentRef::Id("h".to_owned())),
            ],
        ),
    ];
    let found = records(&pages);
    let parents: Vec<_> = found.posts.iter().map(|post| post.parent_id.as_deref().unwrap_or("-")).collect();
    assert_eq!(parents, ["-", "-", "h:b", "h:a", "h:a", "h:a", "-", "-"]);
}

#[test]
fn pages_of_a_thread_are_known_by_their_title_and_one_number() {
    let titled = |url: &str, title: &str| {
        let (mut origin, records) = page(url, 0, vec![post("ann", T, url)]);
        origin.head.title = Some(title.to_owned());
        (origin, records)
    };
    let pages = [
        titled("http://h/thread-7-1.html", "Bread - Forum"),
        titled("http://h/thread-7-2.html", "Bread (Page 2) - Forum"),
        titled("http://h/thread-8-1.html", "Bread - Forum"),
        titled("http://h/thread-7-3.html", "Other - Forum"),
    ];
    let found = records(&pages);
    let threads: Vec<_> = found.threads.iter().map(|thread| (thread.url.as_str(), thread.posts)).collect();
    assert_eq!(
        threads,
        [("http://h/thread-7-1.html", 2), ("http://h/thread-7-3.html", 1), ("http://h/thread-8-1.html", 1)]
    );
}

#[test]
fn entries_of_a_feed_are_the_posts_of_pages() {
    let long = "a text that is so long that it is found again by its beginning, whoever has it";
    let on_page = |id: &str, date: &str, text: &str| PagePost {
        url: Some(format!("http://h/t/1#p{id}")),
        ..with_id(id, post("ann", date, text))
    };
    let entry = |id: &str, url: Option<&str>, (date, text): (&str, &str)| PagePost {
        source: PostSource::Feed,
        url: url.map(str::to_owned),
        ..with_id(id, post("ann", date, text))
    };
    let excerpt = format!("{} …", &long[..40]);
    let thread = [on_page("1", T, "one"), on_page("2", "2026-01-01T10:05", long), on_page("3", "2026-01-02", "three")];
    let first = vec![
        entry("h-9", Some("http://h/t/1#p9"), ("2026-01-04", "nine")),
        entry("h-2", None, ("2026-01-01T10:05", &excerpt)),
        entry("h-1", Some("http://h/t/1#p1"), (T, "on…")),
    ];
    let second = vec![entry("h-10", None, ("2026-01-05", "ten"))];
    let found = records(&[
        page("http://h/feed", 5, first),
        page("http://h/t/1", 1, thread.to_vec()),
        page("http://h/feed", 6, second),
    ]);
    check_integrity(&found);
    let posts =
        found.posts.iter().map(|post| (post.id.as_str(), post.source, post.thread_id == found.posts[1].thread_id));
    let (page, feed) = (PostSource::Template, PostSource::Feed);
    let expected =
        [("h:h-10", feed, false), ("h:1", page, true), ("h:2", page, true), ("h:3", page, true), ("h:h-9", feed, true)];
    assert_eq!(posts.collect::<Vec<_>>(), expected);
    assert_eq!(found.posts[2].text, long);
    assert!(found.posts.iter().all(|post| !post.is_gone), "a feed drops what is old");
    assert!(found.posts[1].last_seen > found.posts[3].last_seen);
}

#[test]
fn users_are_those_of_profiles_and_of_posts() {
    let profile = PageUser {
        url: Some("http://h/u/ann".to_owned()),
        name: "ann".to_owned(),
        joined: Some("2020-01-01".to_owned()),
        posts: Some(7),
    };
    let records_of = PageRecords { users: vec![profile], ..PageRecords::default() };
    let linked = PagePost { author_url: Some("http://h/u/ann".to_owned()), ..post("ann", T, "one") };
    let pages = [
        (origin("http://h/u/ann", 0), records_of),
        page("http://h/t/1", 0, vec![linked, post("ann", T, "two"), post("bob", T, "three")]),
    ];
    let users = records(&pages).users;
    let shown: Vec<_> = users.iter().map(|user| (user.name.as_deref(), user.posts, user.posts_found)).collect();
    assert_eq!(shown, [(Some("ann"), Some(7), 2), (Some("bob"), None, 1)]);
}

#[test]
fn a_search_result_belongs_to_the_thread_that_it_names() {
    let thread = PageThread {
        url: Some("http://h/t/1?page=2#p5".to_owned()),
        title: Some("T".to_owned()),
        ..PageThread::default()
    };
    let result = PagePost { thread: Some(thread), ..post("ann", T, "a result") };
    let found = records(&[page("http://h/search", 0, vec![result])]);
    assert_eq!((found.threads[0].url.as_str(), found.threads[0].title.as_deref()), ("http://h/t/1", Some("T")));
}

#[test]
fn a_visit_that_finds_a_page_unchanged_has_seen_its_posts() {
    let (mut collector, mut stored) = collect(&[page("http://h/t/1", 0, vec![post("ann", T, "one")])]);
    collector.add_unchanged("http://h/t/1", origin("", 3).crawl_time);
    collector.add_unchanged("http://h/t/2", origin("", 5).crawl_time);
    let mut site = collector.finish();
    let mut seen = Vec::new();
    let each: Result<(), Infallible> = site.posts(&mut stored, &mut |post| {
        seen.push((post.first_seen, post.last_seen));
        Ok(())
    });
    each.unwrap();
    assert_eq!(seen, [(origin("", 0).crawl_time.to_string(), origin("", 3).crawl_time.to_string())]);
}
