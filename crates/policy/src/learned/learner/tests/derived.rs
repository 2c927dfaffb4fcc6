//! Addresses that are made from known ones, and the worth that they give to the pages that link to those.

use super::*;

const POSTS: u64 = 5;
const TO_POSTS: u64 = 105;

/// Lists of five users each. A user's page links to the user's posts; the users of the first lists are fetched, of the
/// others only the posts, as soon as they are proposed.
fn crawl_users(driver: &mut Driver, lists: std::ops::Range<u64>) {
    for list in lists {
        let here = format!("/list/{list}");
        let users = 5 * list..5 * list + 5;
        let links: Vec<_> = users.clone().map(|user| (TO_USER, format!("/user/{user}"))).collect();
        driver.page(ROOT, &here, LIST, PageText::default(), &links);
        let proposed: Vec<_> = driver.policy.proposals().into_iter().map(|proposal| proposal.url).collect();
        for user in users {
            let (page, posts) = (format!("/user/{user}"), format!("/user/{user}/posts"));
            let at = if proposed.contains(&format!("{HOST}{posts}")) {
                (here.clone(), Apath::DERIVED.0)
            } else {
                driver.page((&here, TO_USER), &page, USER, PageText::default(), &[(TO_POSTS, posts.clone())]);
                (page, TO_POSTS)
            };
            driver.page((&at.0, at.1), &posts, POSTS, text(user), &[]);
        }
    }
}

#[test]
fn what_every_page_of_a_kind_links_to_is_proposed_before_the_page_is_fetched() {
    let mut driver = Driver::new(like("/user/1/posts"));
    crawl_users(&mut driver, 0..6);
    let fetched = |path: &str| driver.templates.contains_key(path);
    assert!(fetched("/user/0") && !fetched("/user/28"), "the rule makes a user's page needless");
    assert!((0..30).all(|user| fetched(&format!("/user/{user}/posts"))));
}

#[test]
fn a_list_is_worth_what_derives_from_its_links_also_after_a_model_update() {
    let mut driver = Driver::new(like("/user/1/posts"));
    crawl_users(&mut driver, 0..12);
    let before = driver.score(ROOT, "/list/99");
    driver.policy.update_model();
    driver.snapshot = driver.policy.snapshot();
    let after = driver.score(ROOT, "/list/99");
    assert!(before > 0.5 && after > 0.5, "{before} {after}");
}

#[test]
fn an_address_that_stands_beside_the_one_it_is_made_from_is_not_derived_again() {
    let mut driver = Driver::new(like("/user/1/posts"));
    crawl_users(&mut driver, 0..6);
    let link = |path: &str| {
        let url = CanonicalUrl::from_canonical(format!("{HOST}{path}"));
        NewLink::new(driver.class(ROOT, path), url)
    };
    let urls = |links: &[NewLink]| -> Vec<String> {
        driver.policy.derived_before(links).iter().map(|link| link.url.as_str().to_owned()).collect()
    };
    assert_eq!(urls(&[link("/user/70"), link("/user/71")]).len(), 2);
    let expected = [format!("{HOST}/user/71/posts")];
    assert_eq!(urls(&[link("/user/70"), link("/user/71"), link("/user/70/posts")]), expected);
}
