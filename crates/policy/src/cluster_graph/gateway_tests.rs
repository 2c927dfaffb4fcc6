//! Redirects that alone lead to pages, documents, and what waits of rejected page types.

use super::*;

const ITEMS: u64 = 150;
const ITEM_PLACE: u64 = 500;
const EXPORT_PLACE: u64 = 501;

/// Lists of redirects; items that only these lead to, each with an export.
fn behind_redirects() -> Site {
    let mut site = Site::new();
    for list in 0..LISTS {
        let on_it = (0..ITEMS).filter(|i| i % LISTS == list);
        let mut links: Vec<_> = on_it.clone().map(|i| (ITEM_PLACE, format!("go/{i}"))).collect();
        links.push((101, format!("list/{}", (list + 1) % LISTS)));
        let units = on_it.map(|i| unit(1_000 + i, true)).collect();
        site.insert(format!("list/{list}"), Page { bag: bag(10), units, links, ..Page::default() });
    }
    for i in 0..ITEMS {
        let to = vec![(0, format!("item/{i}"))];
        site.insert(format!("go/{i}"), Page { links: to, redirects: true, ..Page::default() });
        let units = (0..6).map(|k| unit(10_000 + i * 10 + k, false)).collect();
        let links = vec![(EXPORT_PLACE, format!("export/{i}")), (NAVIGATION, "list/0".to_owned())];
        site.insert(format!("item/{i}"), Page { bag: bag(20), units, links, ..Page::default() });
        site.insert(format!("export/{i}"), Page { is_document: true, ..Page::default() });
    }
    site
}

#[test]
fn redirects_that_alone_lead_to_pages_are_followed_and_documents_are_not() {
    for by in [ClusterBy::Url, ClusterBy::Both] {
        let mut policy = policy_for(behind_redirects(), ClusterGraphOptions::default_form(by, 100), 1);
        let done = crawl(&behind_redirects(), &mut policy);
        assert_eq!(done.fetched(|name| name.starts_with("item/")), ITEMS as usize, "{by:?}");
        let documents = done.fetched(|name| name.starts_with("export/"));
        assert!((2..50).contains(&documents), "{by:?}: {documents}");
    }
}

#[test]
fn what_waits_of_a_rejected_page_type_waits_behind_all_else_until_hardly_anything_else_does() {
    let mut policy = policy(ClusterGraphOptions::default_form(ClusterBy::Url, 200), 1);
    let done = crawl(&forum(), &mut policy);
    let snapshot = policy.snapshot();
    let permalink = class_of(&*snapshot, "topic/5", PERMALINK_PLACE, "topic/5?post=99");
    assert!(refused(&*snapshot, permalink).is_some() && !is_kept(&*snapshot, permalink), "the crawl is over");
    let rest = &done.order[done.sampled..];
    let is_permalink = |name: &String| name.contains("?post=");
    let first = rest.iter().position(is_permalink).unwrap_or(rest.len());
    let wanted_after = rest[first..].iter().filter(|name| is_topic(name) || name.starts_with("list/")).count();
    assert_eq!(wanted_after, 0);
    assert!(rest[first..].len() < 40, "{}", rest[first..].len());
}
