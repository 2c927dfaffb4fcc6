//! The ground truth, compared with a walk through HTML and JSON.

use std::collections::BTreeSet;

use harvestman_sim::{RenderedContent, World, WorldOptions};
use proptest::prelude::*;

use super::walk::{Found, hrefs, walk};
use super::{HOST, get, options, world};

fn path_of(url: &str) -> &str {
    &url[url.find(HOST).unwrap() + HOST.len()..]
}

fn paths<'a>(urls: impl IntoIterator<Item = &'a String>) -> BTreeSet<String> {
    urls.into_iter().map(|url| path_of(url).to_owned()).collect()
}

fn posts(shown: &RenderedContent) -> Vec<(String, String)> {
    shown.posts.iter().map(|post| (post.id.clone(), post.text.clone())).collect()
}

fn assert_is_truth(world: &World, path: &str, found: Option<&Found>) {
    let url = format!("http://{HOST}{path}");
    let truth = world.rendered(&url);
    assert_eq!(truth.is_some(), found.is_some(), "{path}");
    let Some((truth, found)) = truth.zip(found) else { return };
    assert_eq!(truth.url, url);
    assert_eq!(posts(&truth.complete), found.posts, "{path}");
    assert_eq!(paths(&truth.complete.links), found.links, "{path}");
    assert_eq!(paths(&truth.routed), found.routed, "{path}");
    assert_eq!(truth.requests.iter().map(|url| path_of(url)).collect::<Vec<_>>(), found.requests, "{path}");
    assert_eq!(posts(&truth.on_load), found.posts[..found.on_load.0], "{path}");
    assert_eq!(truth.on_load.links.len(), found.on_load.1, "{path}");
    assert_eq!(paths(&truth.in_html.links), hrefs(&get(world, path, 200)), "{path}");
    assert!(truth.in_html.links.is_subset(&truth.on_load.links), "{path}");
    assert!(truth.on_load.links.is_subset(&truth.complete.links), "{path}");
}

fn assert_truth_is_walked(options: &WorldOptions, seed: u64) {
    let world = world(options, seed);
    let walked = walk(&world, HOST);
    let rows: Vec<_> = world.truth().collect();
    let urls: BTreeSet<String> = rows.iter().map(|row| path_of(&row.url).to_owned()).collect();
    assert_eq!(urls.len(), rows.len(), "each URL is in the truth once");
    assert_eq!(urls, walked.keys().cloned().collect());
    for row in &rows {
        let found = walked[path_of(&row.url)].as_ref();
        assert_eq!(row.status == 200, found.is_some(), "{}", row.url);
        assert_eq!(row.ucc, found.is_some_and(|found| !found.posts.is_empty()) || is_profile(row), "{}", row.url);
    }
    walked.iter().for_each(|(path, found)| assert_is_truth(&world, path, found.as_ref()));
    assert!(rows.iter().filter(|row| row.status == 200).count() as u64 >= options.pages);
}

/// A profile is user-created content also if all threads that its user wrote in are gone.
fn is_profile(row: &harvestman_sim::TruthRow) -> bool {
    row.page_type == "client:user"
}

/// Options whose HTML can be read by plain code.
fn plain(pages: u64) -> WorldOptions {
    WorldOptions { spellings: false, ..options(pages) }
}

#[test]
fn the_truth_is_what_the_data_contain() {
    assert_truth_is_walked(&plain(400), 1);
    assert_truth_is_walked(&WorldOptions { dead_links: 0.4, ..plain(150) }, 2);
}

#[test]
fn a_large_site_has_lists_of_several_pages_and_threads_of_several_requests() {
    let world = world(&options(400), 3);
    let most = |folder: &str| {
        let pages = world.rendered_pages().filter(|page| path_of(&page.url).starts_with(folder));
        pages.map(|page| page.requests.len()).max().unwrap()
    };
    assert!(most("/f/") > 5 && most("/t/") > 3, "{} {}", most("/f/"), most("/t/"));
}

#[test]
fn help_topics_are_selected_by_the_fragment() {
    let world = world(&options(40), 4);
    let help = world.rendered(&format!("http://{HOST}/help")).unwrap();
    assert_eq!(help.complete.posts, []);
    for url in &help.routed {
        let topic = world.rendered(url).unwrap();
        let answer: serde_json::Value = serde_json::from_str(&get(&world, path_of(&topic.requests[0]), 200)).unwrap();
        assert_eq!((&topic.url, topic.complete.posts.len()), (url, 1));
        assert_eq!(answer["post"]["text"], topic.complete.posts[0].text.as_str());
    }
    assert_eq!(world.rendered(&format!("http://{HOST}/help#/topic/99")), None);
    assert_eq!(world.rendered(&format!("http://{HOST}/about#/topic/0")), None);
    let listed: BTreeSet<String> = world.rendered_pages().map(|page| page.url).collect();
    assert!(help.routed.is_subset(&listed));
}

#[test]
fn the_same_seed_gives_the_same_site_and_another_seed_another() {
    let all = |seed: u64| world(&options(120), seed).rendered_pages().collect::<Vec<_>>();
    assert_eq!(all(5), all(5));
    assert_ne!(all(5), all(6));
    let answers = |seed: u64| {
        let world = world(&options(120), seed);
        let urls: Vec<String> = world.rendered_pages().flat_map(|page| page.requests).collect();
        urls.iter().map(|url| get(&world, path_of(url), 200)).collect::<Vec<_>>()
    };
    assert_eq!(answers(5), answers(5));
}

#[test]
fn robots_txt_disallows_only_what_no_page_needs() {
    let world = world(&options(120), 7);
    assert!(get(&world, "/robots.txt", 200).contains("Disallow: /api/private/\n"));
    let requests = world.rendered_pages().flat_map(|page| page.requests);
    let urls = world.truth().map(|row| row.url).chain(requests);
    assert!(urls.into_iter().all(|url| !path_of(&url).starts_with("/api/private/")));
    assert!(world.truth().all(|row| row.robots_allowed));
    assert!(get(&world, "/app.js", 200).contains("/api/private/me"));
    assert!(get(&world, "/api/private/me", 200).contains("name"));
    let open = WorldOptions { disallow: false, ..options(120) };
    assert!(!get(&super::world(&open, 7), "/robots.txt", 200).contains("Disallow: /"));
}

#[test]
fn the_sitemap_and_the_complete_pages_reveal_nothing_that_needs_the_script() {
    let world = world(&options(120), 8);
    let sitemap = get(&world, "/sitemap-1.xml", 200);
    assert_eq!(sitemap.matches("<loc>").count(), 2);
    assert!(sitemap.contains("/about</loc>") && sitemap.contains("/rules</loc>"));
    for path in ["/about", "/rules"] {
        assert!(!get(&world, path, 200).contains("<script"));
    }
    let thread = world.rendered_pages().find(|page| path_of(&page.url).starts_with("/t/")).unwrap();
    assert!(!get(&world, path_of(&thread.url), 200).contains(&thread.complete.posts[0].text));
}

#[test]
fn requests_for_data_that_do_not_exist_are_refused() {
    let world = world(&options(40), 9);
    for path in [
        "/api/forum/0/threads",
        "/api/forum/0/threads?page=0",
        "/api/forum/0/threads?page=999",
        "/api/forum/99/threads?page=1",
        "/api/thread/0/posts",
        "/api/thread/0/posts?after=c0",
        "/api/thread/9999999/posts?after=0",
        "/api/user/0/posts",
        "/api/user/x/topics",
        "/api/help/5",
        "/api/collection/99",
        "/api",
        "/api/",
        "/api/thread/18446744073709551615/posts?after=0",
    ] {
        get(&world, path, 404);
    }
    for path in ["/t/9999999", "/t/0?x=1", "/t/00", "/u/nobody-0", "/u/0", "/f/99", "/c/99", "/help/"] {
        get(&world, path, 404);
    }
}

#[test]
fn the_time_parameter_of_the_thread_data_is_ignored() {
    let world = world(&options(40), 10);
    let thread = world.rendered_pages().find(|page| path_of(&page.url).starts_with("/t/")).unwrap();
    let path = path_of(&thread.requests[0]);
    assert_eq!(get(&world, path, 200), get(&world, &format!("{path}&_=1700000000000"), 200));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_truth_is_exact_at_all_sizes(
        pages in 1u64..150, links in 0usize..80, page_bytes in 0usize..3_000, dead_links in 0.0..0.9, seed in 0u64..1_000
    ) {
        assert_truth_is_walked(&WorldOptions { links, page_bytes, dead_links, ..plain(pages) }, seed);
    }
}
