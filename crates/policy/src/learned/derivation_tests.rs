use proptest::prelude::*;

use super::*;
use crate::NewLink;
use crate::learned::log::LoggedPage;
use harvestman_core::model::{ClusterId, LinkClass};
use harvestman_structure::site::UrlPatternLearner;

const HOST: &str = "http://f.test";
const WANTED: Worth = Worth { value: 1.0, wanted: true };

fn address(path: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("{HOST}{path}"))
}

/// A crawl of a made-up site.
struct Crawl {
    log: Log,
    learner: UrlPatternLearner,
}

impl Crawl {
    fn new() -> Self {
        Self { log: Log::new(1_000), learner: UrlPatternLearner::default() }
    }

    /// Fetches a page found on another one, with its links.
    fn fetch(&mut self, path: &str, via: &str, worth: Worth, links: &[String]) {
        let class = LinkClass::unclassified(Apath(1));
        let new: Vec<NewLink> = links.iter().map(|path| NewLink::new(class, address(path))).collect();
        new.iter().for_each(|link| self.learner.see(link.url.as_str()));
        let page = LoggedPage { content: None, cluster: ClusterId(2), duplicate: false, accepted: false, sample: None };
        let via = Some(address(via).fingerprint());
        self.log.push(Entry { url: address(path), class, via, worth, page: Some(page), new });
    }

    fn learn(&self) -> (UrlPatterns, Derivations) {
        let patterns = self.learner.patterns();
        let rules = Derivations::learn(&patterns, &self.log);
        (patterns, rules)
    }
}

fn name(number: usize) -> String {
    format!("user{}x", number + 10)
}

/// A list of users; those before `fetched` were fetched with their tabs, of which the posts are wanted.
fn users(listed: usize, fetched: usize) -> Crawl {
    let mut crawl = Crawl::new();
    let page = |number: usize| format!("/user/{number}/{}/", name(number));
    crawl.fetch("/users/", "/", Worth::NOTHING, &(0..listed).map(page).collect::<Vec<_>>());
    for number in 0..fetched {
        let user = page(number);
        let tabs = ["posts", "stats", "likes"].map(|tab| format!("{user}?tab={tab}"));
        crawl.fetch(&user, "/users/", Worth::NOTHING, &tabs);
        crawl.fetch(&tabs[0], &user, WANTED, &[]);
        crawl.fetch(&tabs[1], &user, Worth::NOTHING, &[]);
    }
    crawl
}

fn made(rules: &mut Derivations, patterns: &UrlPatterns, paths: impl Iterator<Item = String>) -> Vec<String> {
    let all: Vec<_> = paths.flat_map(|path| rules.make(patterns, &address(&path))).collect();
    all.iter().map(|url| url.as_str().strip_prefix(HOST).unwrap().to_owned()).collect()
}

#[test]
fn a_wanted_address_is_made_from_one_with_the_same_values() {
    let (patterns, mut rules) = users(40, 5).learn();
    let page = |number: usize| format!("/user/{number}/{}/", name(number));
    let posts = |number: usize| format!("{}?tab=posts", page(number));
    let first = made(&mut rules, &patterns, (0..40).map(page));
    assert_eq!(first, (5..8).map(posts).collect::<Vec<_>>(), "known ones are not made, and few are tried");
    assert_eq!(made(&mut rules, &patterns, (0..40).map(page)), Vec::<String>::new());
    for number in 5..8 {
        assert!(rules.see(&patterns, &address(&posts(number)), WANTED), "more may be made now");
    }
    assert_eq!(made(&mut rules, &patterns, (0..40).map(page)), (8..40).map(posts).collect::<Vec<_>>());
    let again: Vec<_> = rules.proven(&patterns, &address(&page(9))).collect();
    assert_eq!(again, [address(&posts(9))], "what a proven rule makes is found again for the yield of a page");
}

#[test]
fn a_rule_whose_addresses_disappoint_makes_no_more() {
    let (patterns, mut rules) = users(60, 5).learn();
    let page = |number: usize| format!("/user/{number}/{}/", name(number));
    for _ in 0..4 {
        for url in made(&mut rules, &patterns, (0..60).map(page)) {
            assert!(!rules.see(&patterns, &address(&url), Worth::NOTHING));
        }
    }
    let known = rules.known.len();
    assert!(made(&mut rules, &patterns, (0..60).map(page)).is_empty());
    assert_eq!(known, 5 + PROBES as usize);
}

#[test]
fn a_rule_needs_pages_that_mostly_link_to_what_it_makes() {
    let mut crawl = users(40, 3);
    for number in 3..20 {
        crawl.fetch(&format!("/user/{number}/{}/", name(number)), "/users/", Worth::NOTHING, &[]);
    }
    let (patterns, mut rules) = crawl.learn();
    assert!(made(&mut rules, &patterns, (20..40).map(|number| format!("/user/{number}/{}/", name(number)))).is_empty());
}

#[test]
fn equal_numbers_of_pages_that_do_not_link_to_each_other_are_chance() {
    let mut crawl = Crawl::new();
    let all = |kind: &str, numbers: std::ops::Range<usize>| -> Vec<String> {
        numbers.map(|number| format!("/{kind}/{number}/")).collect()
    };
    crawl.fetch("/users/", "/", Worth::NOTHING, &all("user", 0..40));
    crawl.fetch("/topics/", "/", Worth::NOTHING, &all("topic", 0..20));
    for topic in all("topic", 0..20) {
        crawl.fetch(&topic, "/topics/", WANTED, &[]);
    }
    let (patterns, mut rules) = crawl.learn();
    assert!(made(&mut rules, &patterns, all("user", 0..40).into_iter()).is_empty());
}

#[test]
fn the_values_of_an_address_may_move_and_stay_on_their_host() {
    let mut crawl = Crawl::new();
    let page = |number: usize| format!("/wiki/Page_{}", name(number));
    let history = |number: usize| format!("/index.php?title=Page_{}&action=history", name(number));
    crawl.fetch("/", "/", Worth::NOTHING, &(0..30).map(page).collect::<Vec<_>>());
    for number in 0..6 {
        crawl.fetch(&page(number), "/", Worth::NOTHING, &[history(number)]);
        crawl.fetch(&history(number), &page(number), WANTED, &[]);
    }
    let (patterns, mut rules) = crawl.learn();
    assert_eq!(made(&mut rules, &patterns, std::iter::once(page(9))), [history(9)]);
    let elsewhere = CanonicalUrl::from_canonical(format!("https://g.test{}", page(10)));
    let there = rules.make(&patterns, &elsewhere);
    assert_eq!(there[0].as_str(), format!("https://g.test{}", history(10)));
}

#[test]
fn nothing_is_made_where_nothing_is_wanted() {
    let mut crawl = users(20, 0);
    for number in 0..20 {
        crawl.fetch(&format!("/user/{number}/{}/", name(number)), "/users/", Worth::NOTHING, &[]);
    }
    let (patterns, mut rules) = crawl.learn();
    assert!(rules.rules.is_empty());
    assert!(rules.make(&patterns, &address("/user/5/user15x/")).is_empty());
}

/// A kind of address with a number and a name, in some order, among words.
fn form() -> impl Strategy<Value = (Vec<&'static str>, bool)> {
    let words = prop::sample::select(vec!["show", "item", "view", "entry"]);
    (prop::collection::vec(words, 1..3), any::<bool>()).prop_map(|(words, name_first)| (words, name_first))
}

fn written((words, name_first): &(Vec<&'static str>, bool), end: &str, number: usize) -> String {
    let (number, name) = (number.to_string(), name(number));
    let values = if *name_first { [name, number] } else { [number, name] };
    format!("/{}/{}/{end}", words.join("/"), values.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// On any such site, a rule that was confirmed makes exactly the addresses that are missing, and one that was not
    /// makes as many as are tried at first.
    #[test]
    fn all_addresses_of_a_kind_are_made_and_no_others(
        from in form(),
        to in form(),
        end in prop::sample::select(vec!["posts/", "?tab=posts", "?tab=posts&sort=new"]),
        exists in any::<bool>(),
        known in 4_usize..8,
    ) {
        let all = 40;
        let mut crawl = Crawl::new();
        let page = |number: usize| written(&from, "", number);
        let wanted = |number: usize| written(&to, end, number);
        crawl.fetch("/list/", "/", Worth::NOTHING, &(0..all).map(page).collect::<Vec<_>>());
        for number in 0..known {
            crawl.fetch(&page(number), "/list/", Worth::NOTHING, &[wanted(number)]);
            crawl.fetch(&wanted(number), &page(number), WANTED, &[]);
        }
        let (patterns, mut rules) = crawl.learn();
        let mut found = Vec::new();
        for _ in 0..all {
            for url in made(&mut rules, &patterns, (0..all).map(page)) {
                rules.see(&patterns, &address(&url), if exists { WANTED } else { Worth::NOTHING });
                found.push(url);
            }
        }
        found.sort();
        let last = if exists { all } else { known + PROBES as usize };
        let mut expected: Vec<String> = (known..last).map(wanted).collect();
        expected.sort();
        prop_assert_eq!(found, expected);
    }
}
