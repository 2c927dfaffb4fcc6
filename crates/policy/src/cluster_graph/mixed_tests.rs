//! URL patterns that several templates share.

use super::*;
use crate::learned::SiteModel;
use crate::property_tests::refused;

const ITEMS: u64 = 120;
const ITEM_PLACE: u64 = 400;
const COMMENT_PLACE: u64 = 401;

fn item(i: u64) -> String {
    format!("item/{i}")
}

/// A form for a comment on an article, under the same URL pattern, so that only the template tells it apart.
fn form(i: u64) -> String {
    item(1_000 + i)
}

fn is_article(name: &str) -> bool {
    (0..ITEMS).any(|i| item(i) == name)
}

fn is_form(name: &str) -> bool {
    (0..ITEMS).any(|i| form(i) == name)
}

/// The bag of page `i` of a template: twelve paths, one of them repeated as often as on that page.
fn made(template: u64, i: u64) -> Vec<LeafPath> {
    let path = |k| LeafPath { path: template * 100 + k, count: if k == 0 { 1 + i as u32 % 3 } else { 2 }, text: None };
    (0..12).map(path).chain([LeafPath { path: 1, count: 2, text: None }]).collect()
}

/// Lists of articles and of their authors, who link to nobody else; articles, each with a form for comments that quotes
/// it.
fn magazine() -> Site {
    let mut site = Site::new();
    let navigation = || [(NAVIGATION, "list/0".to_owned()), (NAVIGATION, "list/1".to_owned())];
    for list in 0..LISTS {
        let on_it = (0..ITEMS).filter(|i| i % LISTS == list);
        let mut links: Vec<_> = on_it.clone().map(|i| (ITEM_PLACE, item(i))).collect();
        links.push((101, format!("list/{}", (list + 1) % LISTS)));
        links.extend(on_it.clone().map(|i| (402, format!("user/{i}/about"))));
        links.extend(navigation());
        let units = on_it.map(|i| unit(1_000 + i, true)).collect();
        site.insert(format!("list/{list}"), Page { bag: made(10, list), units, links, ..Page::default() });
    }
    for i in 0..ITEMS {
        let text: Vec<_> = (0..6).map(|k| unit(10_000 + i * 10 + k, false)).collect();
        let mut links = vec![(COMMENT_PLACE, form(i))];
        links.extend(navigation());
        site.insert(item(i), Page { bag: made(20, i), units: text.clone(), links, ..Page::default() });
        let forms = FormFacts { text_areas: 1, post_forms: 1, password_fields: 0 };
        let units = text.into_iter().chain((0..3).map(|k| unit(50_000 + i * 10 + k, false))).collect();
        site.insert(form(i), Page { bag: made(30, i), units, forms, links: navigation().into(), ..Page::default() });
        let units = (0..4).map(|k| unit(90_000 + i * 10 + k, false)).collect();
        let links = navigation().into();
        site.insert(format!("user/{i}/about"), Page { bag: made(40, i), units, links, ..Page::default() });
    }
    site
}

fn crawled(by: ClusterBy, seed: u64) -> (ClusterGraphPolicy, Crawled) {
    let mut options = ClusterGraphOptions::default_form(by, 120);
    // Templates with fewer than a handful of pages in the sample are not known.
    options.sample.per_pattern = Some(60);
    let mut policy = policy_for(magazine(), options, seed);
    let done = crawl(&magazine(), &mut policy);
    (policy, done)
}

/// Why a link at a place of a page is rejected.
fn said(snapshot: &dyn PolicySnapshot, from: &str, place: u64, to: &str) -> Option<PolicyRefusal> {
    let cluster = snapshot.page_cluster(SEED, url(from).as_str(), &magazine()[from].bag);
    refused(snapshot, cluster.links_at(Apath(place)).with_pattern(snapshot.pattern(url(to).as_str())))
}

#[test]
fn templates_distinguish_articles_from_forms_where_urls_do_not() {
    let (mut policy, done) = crawled(ClusterBy::Both, 1);
    assert_eq!(done.fetched(is_article), ITEMS as usize);
    let sampled = done.order[..done.sampled].iter().filter(|name| is_form(name)).count();
    let later = done.fetched(is_form) - sampled;
    assert!(sampled > 10 && later <= 8, "after the sample only what waited when nothing else did: {later}");
    let snapshot = policy.snapshot();
    let said = |from: &str, place| said(&*snapshot, from, place, "item/7000");
    assert_eq!(said("list/2", ITEM_PLACE), None);
    assert_eq!(said("item/5", COMMENT_PLACE), Some(PolicyRefusal::Uninformative));
    let (_, by_url) = crawled(ClusterBy::Url, 1);
    assert!(by_url.fetched(is_article) < ITEMS as usize / 2, "by addresses alone articles are lost with the forms");
}

#[test]
fn a_model_contains_the_clusters_that_were_set_apart() {
    let (mut page_type, _) = crawled(ClusterBy::Both, 1);
    let made =
        page_type.site_model(&mut |_: &[u8], _: Option<&str>, _: Option<&Arc<_>>| ParsedPage::default()).unwrap();
    let read = SiteModel::from_bytes(&made.to_bytes().unwrap()).unwrap();
    assert_eq!(read, made);
    let mut known = ClusterGraphPolicy::from_model(read.facts.clone(), read.graph().unwrap().clone());
    let done = crawl(&magazine(), &mut known);
    assert_eq!((done.fetched(is_article), done.fetched(is_form)), (ITEMS as usize, 0));
}

#[test]
fn where_templates_add_nothing_to_urls_both_crawl_alike() {
    for seed in 1..4 {
        let done = |by| crawl(&forum(), &mut policy(ClusterGraphOptions::default_form(by, 150), seed));
        assert_eq!(done(ClusterBy::Both), done(ClusterBy::Url), "seed {seed}");
    }
}
