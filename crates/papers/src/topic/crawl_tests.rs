use crate::site::{CotagOptions, DiscoveryOptions};
use harvestman_core::model::LinkPosition;
use harvestman_core::url::CanonicalUrl;

use super::*;

const LIST: UrlKey = UrlKey(1);
const ANN: UrlKey = UrlKey(10);
const BOB: UrlKey = UrlKey(11);
const EVE: UrlKey = UrlKey(12);
const SKY: UrlKey = UrlKey(30);
const CAR: UrlKey = UrlKey(31);

fn flowers() -> UrlKey {
    UrlKey::without_query("http://h.test/tag/flowers")
}

fn options() -> TopicOptions {
    let topic = vec![CanonicalUrl::from_canonical("http://h.test/tag/flowers")];
    let cotags = CotagOptions { votes_min: 2, ..CotagOptions::paper() };
    let discovery = DiscoveryOptions { cotags, ..DiscoveryOptions::paper() };
    TopicOptions { pictures: 3, discovery, ..TopicOptions::paper(topic) }
}

fn link(target: UrlKey, role: PageRole, node: u32) -> RoleLink {
    RoleLink { target, role: Some(role), place: LinkPosition { parent: node, grandparent: 1, image: false } }
}

/// A crawl that has seen a list with pictures 101 to 103 of Ann and 104 of Bob.
fn listed(options: TopicOptions) -> TopicCrawl {
    let mut crawl = TopicCrawl::new(options);
    let pictures = [(101, ANN), (102, ANN), (103, ANN), (104, BOB)];
    let links: Vec<_> = pictures
        .iter()
        .flat_map(|(picture, user)| {
            let node = *picture as u32;
            [link(UrlKey(*picture), PageRole::Detail, node), link(*user, PageRole::Profile, node)]
        })
        .collect();
    links.iter().for_each(|link| crawl.enter(link.target, link.target, link.role));
    assert!(!crawl.observe(&PageSeen { page: LIST, role: PageRole::List, links: &links }, None));
    crawl
}

fn fetch(crawl: &mut TopicCrawl, page: UrlKey, role: PageRole, tags: &[UrlKey], users: &[UrlKey]) -> bool {
    let tags = tags.iter().map(|tag| link(*tag, PageRole::Tag, 1));
    let links: Vec<_> = tags.chain(users.iter().map(|user| link(*user, PageRole::Profile, 1))).collect();
    let uploader = crawl.leave(page);
    crawl.observe(&PageSeen { page, role, links: &links }, uploader)
}

/// The same after stage one: flowers and sky are the topic.
fn ranked(options: TopicOptions) -> TopicCrawl {
    let mut crawl = listed(options);
    assert!(!fetch(&mut crawl, UrlKey(101), PageRole::Detail, &[flowers(), SKY], &[]));
    assert!(!fetch(&mut crawl, UrlKey(102), PageRole::Detail, &[flowers(), SKY, CAR], &[]));
    assert!(fetch(&mut crawl, UrlKey(104), PageRole::Detail, &[flowers()], &[]), "three pictures end stage one");
    crawl
}

#[test]
fn stage_one_follows_pictures_and_its_cotags_become_the_topic() {
    let crawl = listed(options());
    assert_eq!(crawl.standing(UrlKey(101)), Some((Standing::Followed, None)));
    assert_eq!(crawl.standing(ANN), Some((Standing::Discarded, None)));
    assert_eq!((crawl.stage(), crawl.topic().clone()), (Stage::Cotagging, BTreeSet::from([flowers()])));
    let crawl = ranked(options());
    assert_eq!((crawl.stage(), crawl.topic().clone()), (Stage::Profiles, BTreeSet::from([flowers(), SKY])));
    assert_eq!(crawl.harvest(), (3, 3));
}

#[test]
fn stage_two_follows_profiles_and_then_the_pictures_of_users_with_the_topic() {
    let mut crawl = ranked(options());
    assert_eq!(crawl.standing(ANN), Some((Standing::Followed, None)));
    assert_eq!(crawl.standing(UrlKey(103)), Some((Standing::Unranked, None)));
    // Ann's tags: flowers, sky, cars twice; Eve, her contact, has no tag of the topic.
    fetch(&mut crawl, ANN, PageRole::Profile, &[flowers(), SKY, CAR, CAR], &[EVE]);
    fetch(&mut crawl, EVE, PageRole::Profile, &[CAR], &[ANN]);
    let (standing, rank) = crawl.standing(UrlKey(103)).unwrap();
    // Eq. 1: 2 / (√6 · √2); eq. 2: 0; eq. 5: half of it.
    assert_eq!(standing, Standing::Followed);
    assert!((rank.unwrap() - 0.5 * 2.0 / 12.0_f64.sqrt()).abs() < 1e-12);
    assert_eq!(crawl.reset_score(UrlKey(103)), rank);
}

#[test]
fn pictures_of_users_without_the_topic_are_discarded() {
    let mut crawl = ranked(options());
    fetch(&mut crawl, ANN, PageRole::Profile, &[CAR], &[]);
    assert_eq!(crawl.standing(UrlKey(103)), Some((Standing::Discarded, Some(0.0))));
}

#[test]
fn tags_of_pictures_are_terms_of_their_uploader_on_request() {
    assert_eq!(ranked(options()).standing(UrlKey(103)).unwrap().1, None);
    let crawl = ranked(TopicOptions { terms_from_details: true, ..options() });
    // Flowers twice, sky twice, cars once: 4 / (3 · √2), by half.
    let rank = crawl.standing(UrlKey(103)).unwrap().1.unwrap();
    assert!((rank - 0.5 * 4.0 / (3.0 * 2.0_f64.sqrt())).abs() < 1e-12);
}

#[test]
fn the_uploader_of_a_picture_that_no_list_had_is_the_first_profile_on_its_page() {
    let mut crawl = TopicCrawl::new(TopicOptions { terms_from_details: true, ..options() });
    fetch(&mut crawl, UrlKey(200), PageRole::Detail, &[flowers()], &[BOB, ANN]);
    crawl.enter(BOB, BOB, Some(PageRole::Profile));
    crawl.enter(ANN, ANN, Some(PageRole::Profile));
    assert_eq!((crawl.standing(BOB).unwrap().1, crawl.standing(ANN).unwrap().1), (Some(0.5), None));
}

#[test]
fn lists_of_topic_tags_are_followed_with_any_query_and_score_1() {
    let mut crawl = TopicCrawl::new(options());
    crawl.enter(UrlKey(5), flowers(), Some(PageRole::Tag));
    crawl.enter(UrlKey(6), SKY, Some(PageRole::Tag));
    crawl.enter(UrlKey(7), UrlKey(7), None);
    assert_eq!(crawl.standing(UrlKey(5)).unwrap().0, Standing::Followed);
    assert_eq!(crawl.standing(UrlKey(6)).unwrap().0, Standing::Unmentioned);
    assert_eq!([5, 6, 7, 8].map(|url| crawl.reset_score(UrlKey(url))), [Some(1.0), None, None, None]);
}

#[test]
fn a_role_that_becomes_known_later_is_taken_over() {
    let mut crawl = TopicCrawl::new(options());
    crawl.enter(UrlKey(5), UrlKey(5), None);
    let links = [link(UrlKey(5), PageRole::Detail, 1)];
    crawl.observe(&PageSeen { page: LIST, role: PageRole::Other, links: &links }, None);
    assert_eq!(crawl.standing(UrlKey(5)).unwrap().0, Standing::Followed);
}

#[test]
fn stage_one_ends_after_a_number_of_fetches_even_without_pictures() {
    let mut crawl = TopicCrawl::new(TopicOptions { stage_one_max: 2, ..options() });
    assert!(!fetch(&mut crawl, UrlKey(1), PageRole::Other, &[], &[]));
    assert!(fetch(&mut crawl, UrlKey(2), PageRole::Other, &[], &[]));
    assert!(!fetch(&mut crawl, UrlKey(3), PageRole::Other, &[], &[]), "it ends once");
    assert_eq!(crawl.topic().len(), 1);
}

#[test]
fn memory_is_bounded() {
    let mut options = options();
    options.limits.urls_max = 3;
    options.limits.pictures_max = 2;
    let mut crawl = TopicCrawl::new(options);
    (0..10).for_each(|url| crawl.enter(UrlKey(url), UrlKey(url), None));
    for url in 100..110 {
        fetch(&mut crawl, UrlKey(url), PageRole::Detail, &[SKY], &[]);
    }
    assert_eq!((crawl.waiting(), crawl.urls().count(), crawl.pictures.len()), (3, 3, 2));
}
