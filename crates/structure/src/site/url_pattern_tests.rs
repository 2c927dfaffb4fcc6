use proptest::prelude::*;

use super::*;

fn learned(urls: &[&str]) -> UrlPatterns {
    let mut learner = UrlPatternLearner::default();
    urls.iter().for_each(|url| learner.see(url));
    learner.patterns()
}

fn forum() -> UrlPatterns {
    let mut learner = UrlPatternLearner::default();
    for i in 0..60 {
        learner.see(&format!("http://f/topic/{i}/a-title-of-topic-{i}/"));
        learner.see(&format!("http://f/topic/{i}/a-title-of-topic-{i}/?page=1"));
        learner.see(&format!("http://f/topic/{i}/a-title-of-topic-{i}/?post={}", i * 7));
        learner.see(&format!("http://f/tag/{}/", ["abc", "bcd", "cde", "def", "efg", "fgh"][i % 6].repeat(1 + i / 6)));
        learner.see(&format!("http://f/members/?sort={}&page={i}", ["name", "age"][i % 2]));
    }
    learner.patterns()
}

#[test]
fn numbers_slugs_and_instances_become_wildcards() {
    let patterns = forum();
    let spelt = |url: &str| patterns.spell(url);
    assert_eq!(spelt("http://f/topic/712/some-other-long-title/"), "/topic/N/S/");
    assert_eq!(spelt("http://f/tag/quite/"), "/tag/*/");
    assert_eq!(spelt("http://f/topic/7/t-1/?page=1"), "/topic/N/S/?page=1");
    assert_eq!(spelt("http://f/topic/7/t-1/?page=2"), "/topic/N/S/?page=*");
    assert_eq!(spelt("http://f/topic/7/t-1/?post=9"), "/topic/N/S/?post=*");
    assert_eq!(spelt("http://f/members/?sort=name&page=3"), "/members/?sort=name&page=*");
    assert_eq!(spelt("http://f/"), "/");
}

#[test]
fn the_coarse_pattern_knows_parameters_but_not_their_values() {
    let patterns = forum();
    let of = |url: &str| patterns.of(url);
    let (first, second) = (of("http://f/topic/1/a-b1/?page=1"), of("http://f/topic/2/a-b2/?page=2"));
    assert_eq!(first.coarse, second.coarse);
    assert_ne!(first.fine, second.fine);
    assert_ne!(first.coarse, of("http://f/topic/1/a-b1/").coarse);
    assert_ne!(first.coarse, of("http://f/topic/1/a-b1/?post=1").coarse);
    assert_eq!(patterns.of_path("http://f/topic/1/a-b1/?page=1"), patterns.of_path("http://f/topic/3/c-d3/"));
}

#[test]
fn the_order_of_parameters_means_nothing() {
    let patterns = forum();
    assert_eq!(patterns.of("http://f/x?a=1&b=2"), patterns.of("http://f/x?b=5&a=3"));
}

#[test]
fn a_prefix_with_a_colon_is_kept_where_it_is_frequent() {
    let urls: Vec<String> = (0..6).map(|i| format!("http://w/index.php/Talk:Page{i}")).collect();
    let patterns = learned(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(patterns.spell("http://w/index.php/Talk:Anything"), "/index.php/Talk:*");
    assert_eq!(patterns.spell("http://w/index.php/Rare:Anything"), "/index.php/*");
}

/// The addresses of members, and of the tabs of those that were visited.
fn members(names: &[String], tabs: &[&str], visited: usize) -> Vec<String> {
    let tabs_of = |name: &String| tabs.iter().map(|tab| format!("http://f/user/{name}/{tab}")).collect::<Vec<_>>();
    let all = names.iter().map(|name| format!("http://f/user/{name}"));
    all.chain(names[..visited].iter().flat_map(tabs_of)).collect()
}

#[test]
fn the_names_below_instances_are_kept() {
    let names: Vec<String> = ('a'..='z').map(|first| format!("{first}nn")).collect();
    let urls = members(&names, &["posts", "followers", "best"], 3);
    let patterns = learned(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(patterns.spell("http://f/user/ann/posts"), "/user/*/posts", "though more URLs are below it than most");
    assert_eq!(patterns.spell("http://f/user/somebody/posts"), "/user/*/posts");
    assert_eq!(patterns.spell("http://f/user/somebody/once"), "/user/*/*");
    assert_eq!(patterns.spell("http://f/user/somebody-who-is-long/posts"), "/user/S/posts");
    let values: Vec<&str> = patterns.slots("http://f/user/ann/posts").values().collect();
    assert_eq!(values, ["ann"]);
}

#[test]
fn a_name_that_leads_to_far_more_than_its_siblings_is_kept_unless_siblings_have_the_same_names_below() {
    let tags = (0..30).map(|number| format!("http://f/tag{}", "x".repeat(1 + number % 20)));
    let wiki = (0..30).map(|number| format!("http://f/wiki/{number}"));
    let urls: Vec<String> = tags.chain(wiki).collect();
    let patterns = learned(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(patterns.spell("http://f/wiki/7"), "/wiki/N");
}

#[test]
fn before_anything_was_counted_every_name_counts() {
    let patterns = UrlPatterns::default();
    assert_eq!(patterns.spell("http://f/topic/12/alice/x.html"), "/topic/N/alice/x.html");
    assert_ne!(patterns.of("http://f/a/"), patterns.of("http://f/b/"));
}

proptest! {
    #[test]
    fn equal_spellings_are_equal_patterns(
        one in "http://f(/[a-c0-9-]{0,4}){0,3}(\\?[ab]=[01](&[cd]=[x:y]{0,2})?)?",
        other in "http://f(/[a-c0-9-]{0,4}){0,3}(\\?[ab]=[01](&[cd]=[x:y]{0,2})?)?",
    ) {
        let patterns = learned(&["http://f/a/b", "http://f/a/c", "http://f/a/1", "http://f/a/2", "http://f/a/3"]);
        prop_assert_eq!(patterns.spell(&one) == patterns.spell(&other), patterns.of(&one).fine == patterns.of(&other).fine);
    }

    #[test]
    fn any_text_has_a_pattern(url in "\\PC{0,40}") {
        let mut learner = UrlPatternLearner::default();
        learner.see(&url);
        let patterns = learner.patterns();
        prop_assert_ne!(patterns.of(&url), UrlPattern::NONE);
        patterns.spell(&url);
    }

    #[test]
    fn the_fine_pattern_determines_the_coarse_one(
        one in "http://f/[a-b]/[0-9a-b]{1,2}\\?p=[1-3]", other in "http://f/[a-b]/[0-9a-b]{1,2}\\?p=[1-3]",
    ) {
        let patterns = forum();
        let (one, other) = (patterns.of(&one), patterns.of(&other));
        prop_assert!(one.fine != other.fine || one.coarse == other.coarse);
    }

    #[test]
    fn tabs_of_members_differ_and_are_the_same_for_all_members(
        names in prop::collection::btree_set("[a-z]{2,9}([-_.]?[a-z0-9]{0,9})?", 3..40),
        tabs in prop::collection::btree_set("[a-z]{3,10}", 1..20),
        visited in 2..40_usize,
        other in "[a-z]{2,9}([-_.]?[a-z0-9]{0,9})?",
    ) {
        let names: Vec<String> = names.into_iter().collect();
        let tabs: Vec<&str> = tabs.iter().map(String::as_str).collect();
        let urls = members(&names, &tabs, visited.min(names.len()));
        let patterns = learned(&urls.iter().map(String::as_str).collect::<Vec<_>>());
        let kind = |name: &str, tab: &str| patterns.kind(&format!("http://f/user/{name}/{tab}"));
        let all: Vec<_> = tabs.iter().map(|tab| kind(&other, tab)).collect();
        for name in &names {
            prop_assert_eq!(tabs.iter().map(|tab| kind(name, tab)).collect::<Vec<_>>(), all.clone(), "{}", name);
        }
        let different: std::collections::HashSet<_> = all.iter().map(|kind| kind.path).collect();
        prop_assert_eq!(different.len(), tabs.len());
    }
}
