use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::*;
use crate::observed::{failed, page};
use crate::property_tests::holds_for_any_policy;
use crate::site::{GraphLimits, LinkChoice, SubTreeRule};
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::seed::Seed;
use harvestman_policy::{Observation, Outcome, Policy, PolicySnapshot};

const LISTED: LinkClass = LinkClass::unclassified(Apath(10));
const MENU: LinkClass = LinkClass::unclassified(Apath(11));
const SEED: LinkClass = LinkClass::unclassified(Apath::SEED);

/// The same observation of a page that is accepted.
fn accepted(mut seen: Observation) -> Observation {
    if let Outcome::Page(page) = &mut seen.outcome {
        page.accepted = Some(true);
    }
    seen
}

fn policy(options: XCrawlOptions) -> XCrawl {
    XCrawl::new(options, Seed(3))
}

/// The URLs among these that would be fetched first, and their score.
fn best<'a>(snapshot: &dyn PolicySnapshot, names: &[&'a str]) -> (f64, Vec<&'a str>) {
    let score = |name: &str| snapshot.score(snapshot.class_of(LISTED, &format!("http://h.test/{name}"), None));
    let most = names.iter().map(|name| score(name)).fold(0.0, f64::max);
    (most, names.iter().copied().filter(|name| score(name) == most).collect())
}

#[test]
fn before_a_page_is_accepted_the_order_is_breadth_first() {
    let mut policy = policy(XCrawlOptions::default());
    policy.observe(page("", SEED, &[(LISTED, "a"), (MENU, "b")], &[]));
    policy.observe(page("a", LISTED, &[(MENU, "c")], &[""]));
    let snapshot = policy.snapshot();
    assert_eq!((snapshot.generation(), snapshot.version()), (0, 2));
    assert_eq!(best(&*snapshot, &["b", "c", "unknown"]), (0.0, vec!["b", "c", "unknown"]));
    assert!(snapshot.score(SEED) > 0.0);
    assert_eq!(policy.note().as_deref(), Some("no page has been accepted yet"));
}

#[test]
fn walks_start_at_an_accepted_page_and_continue_when_all_that_they_chose_has_ended() {
    let mut policy = policy(XCrawlOptions { walkers: 2, restart: 0.0, ..XCrawlOptions::default() });
    policy.observe(page("", SEED, &[(LISTED, "a"), (LISTED, "x")], &[]));
    policy.observe(accepted(page("a", LISTED, &[(LISTED, "b"), (LISTED, "c")], &[])));
    let snapshot = policy.snapshot();
    assert_eq!(snapshot.generation(), 1);
    assert_eq!(best(&*snapshot, &["b", "c", "x"]), (2.0, vec!["b", "c"]), "two walks, each with a URL of its own");
    policy.observe(page("b", LISTED, &[(LISTED, "d")], &[]));
    assert_eq!(policy.snapshot().generation(), 1, "one of them still waits");
    policy.observe(failed("http://h.test/c", LISTED));
    assert_eq!(best(&*policy.snapshot(), &["b", "c", "d", "x"]), (2.0, vec!["d"]));
}

#[test]
fn a_chosen_url_that_is_never_fetched_is_given_up() {
    let mut policy = policy(XCrawlOptions { walkers: 1, patience: 3, restart: 0.0, ..XCrawlOptions::default() });
    policy.observe(accepted(page("a", SEED, &[(LISTED, "b")], &[])));
    assert_eq!(best(&*policy.snapshot(), &["b"]).0, 2.0);
    for (name, new) in [("p", "q"), ("r", "s"), ("t", "u")] {
        policy.observe(page(name, SEED, &[(LISTED, new)], &["a"]));
    }
    policy.observe(page("v", SEED, &[], &[]));
    assert_eq!(best(&*policy.snapshot(), &["b"]).0, 0.0, "it waits behind");
}

/// Pages by number: whether they are accepted, and their links.
type Pages = BTreeMap<u32, (bool, Vec<(LinkClass, u32)>)>;

/// A crawl of pages with numbers: it fetches the best waiting URL, one after the other.
struct Sim<'s> {
    site: &'s Pages,
    policy: Box<dyn Policy>,
    snapshot: Arc<dyn PolicySnapshot>,
    /// By depth and order of discovery.
    waiting: BTreeMap<(u32, usize), (LinkClass, u32)>,
    seen: BTreeSet<u32>,
    fetched: Vec<u32>,
}

impl<'s> Sim<'s> {
    fn new(site: &'s Pages, mut policy: Box<dyn Policy>, seeds: &[u32]) -> Self {
        let snapshot = policy.snapshot();
        let waiting = seeds.iter().enumerate().map(|(at, page)| ((0, at), (SEED, *page))).collect();
        Self { site, policy, snapshot, waiting, seen: seeds.iter().copied().collect(), fetched: Vec::new() }
    }

    fn run(mut self) -> Vec<u32> {
        while self.fetch() {}
        self.fetched
    }

    fn fetch(&mut self) -> bool {
        let score = |class: &LinkClass| self.snapshot.score(*class);
        let next = self.waiting.iter().rev().max_by(|one, other| score(&one.1.0).total_cmp(&score(&other.1.0)));
        let Some(((depth, at), (class, number))) = next.map(|(key, value)| (*key, *value)) else { return false };
        self.waiting.remove(&(depth, at));
        self.fetched.push(number);
        let (is_accepted, links) = &self.site[&number];
        let names: Vec<(LinkClass, String)> = links.iter().map(|(class, to)| (*class, to.to_string())).collect();
        let is_new: Vec<bool> = links.iter().map(|(_, to)| self.seen.insert(*to)).collect();
        let of = |wanted: bool| names.iter().zip(&is_new).filter(move |(_, new)| **new == wanted).map(|(link, _)| link);
        let new: Vec<(LinkClass, &str)> = of(true).map(|(class, name)| (*class, name.as_str())).collect();
        let known: Vec<&str> = of(false).map(|(_, name)| name.as_str()).collect();
        let seen = page(&number.to_string(), class, &new, &known);
        self.policy.observe(if *is_accepted { accepted(seen) } else { seen });
        let found = links.iter().zip(&is_new).filter(|(_, new)| **new).map(|(link, _)| *link);
        let first = self.seen.len() + self.fetched.len() * 1_000;
        self.waiting.extend(found.enumerate().map(|(place, link)| ((depth + 1, first + place), link)));
        self.adopt();
        true
    }

    fn adopt(&mut self) {
        let next = self.policy.snapshot();
        if next.generation() != self.snapshot.generation() {
            for (class, number) in self.waiting.values_mut() {
                *class = next.class_of(*class, &format!("http://h.test/{number}"), None);
            }
        }
        self.snapshot = next;
    }
}

#[test]
fn links_beside_those_to_accepted_pages_follow_when_walks_find_no_new_hub() {
    // The home page links to 200 others and to a list of 40 accepted pages, which link back to it.
    let listed = |pages: std::ops::Range<u32>| pages.map(|page| (LISTED, page));
    let mut site: Pages = (500..700).map(|page| (page, (false, Vec::new()))).collect();
    site.insert(0, (false, listed(500..700).chain([(MENU, 1)]).collect()));
    site.insert(1, (false, listed(100..140).chain([(MENU, 0)]).collect()));
    site.extend((100..140).map(|page| (page, (true, vec![(MENU, 1)]))));
    let options = XCrawlOptions { walkers: 2, max_iterations: 3, ..XCrawlOptions::default() };
    let mut sim = Sim::new(&site, Box::new(policy(options)), &[0, 100]);
    while !sim.policy.note().unwrap().contains("links of hubs wait") {
        assert!(sim.fetch(), "there are links of hubs");
    }
    let (before, note) = (sim.fetched.len(), sim.policy.note().unwrap());
    let left: Vec<u32> = (100..140).filter(|page| !sim.fetched.contains(page)).collect();
    assert!(left.len() > 10, "{left:?}");
    assert!(note.starts_with(&format!("{} links of hubs wait", left.len())) && note.ends_with("1 hubs"), "{note}");
    let fetched = sim.run();
    assert_eq!(fetched[before..before + left.len()], left);
    let rest = &fetched[before + left.len()..];
    assert!(rest.len() > 100 && rest.is_sorted(), "in the order of discovery: {rest:?}");
}

/// A shop: 0 links to 30 sections, each with 20 pages of other things. Section 7 links to the first of 5 lists, which
/// link to each other, of 20 accepted pages each (1,000 to 1,099). An accepted page links to its list, the home page
/// and three related ones.
fn shop() -> Pages {
    let listed = |pages: std::ops::Range<u32>| pages.map(|page| (LISTED, page)).collect::<Vec<_>>();
    let mut site = BTreeMap::from([(0, (false, listed(1..31)))]);
    for section in (1..31).filter(|section| *section != 7) {
        let things = 10_000 + section * 100;
        site.insert(section, (false, [vec![(MENU, 0)], listed(things..things + 20)].concat()));
        (things..things + 20).for_each(|thing| {
            site.insert(thing, (false, vec![(MENU, 0), (MENU, section), (LISTED, thing + 50)]));
            site.insert(thing + 50, (false, vec![(MENU, 0), (MENU, section)]));
        });
    }
    site.insert(7, (false, vec![(MENU, 0), (LISTED, 40)]));
    for list in 40..45 {
        let items = 1_000 + (list - 40) * 20;
        let pagination = (40..45).filter(|other| *other != list).map(|other| (MENU, other)).collect();
        site.insert(list, (false, [vec![(MENU, 0), (MENU, 7)], pagination, listed(items..items + 20)].concat()));
        for item in items..items + 20 {
            let related = (1..4).map(|step| (MENU, items + (item - items + step * 3) % 20));
            site.insert(item, (true, [(MENU, 0), (MENU, list)].into_iter().chain(related).collect()));
        }
    }
    site
}

/// The number of accepted pages among the first 300 of all pages, 100 of which are accepted.
fn early(policy: Box<dyn Policy>) -> usize {
    let site = shop();
    let fetched = Sim::new(&site, policy, &[0, 1_005]).run();
    assert_eq!(fetched.len(), site.len(), "nothing is left out");
    fetched[..300].iter().filter(|page| (1_000..1_100).contains(*page)).count()
}

#[test]
fn every_variant_finds_more_accepted_pages_early_than_breadth_first_order() {
    let default = XCrawlOptions::default();
    let variants = [
        default,
        XCrawlOptions { proximity: Proximity::Hits, ..default },
        XCrawlOptions { proximity: Proximity::HitsWithPageRank, ..default },
        XCrawlOptions { phases: Phases::Repeat, ..default },
        XCrawlOptions { choice: LinkChoice::Best, ..default },
        XCrawlOptions { max_iterations: 10, ..default },
        XCrawlOptions::paper(),
    ];
    let found = variants.map(|options| early(Box::new(policy(options))));
    let breadth_first = early(Box::new(harvestman_policy::BreadthFirst));
    assert!(breadth_first < 10 && found.iter().all(|found| *found >= 2 * breadth_first.max(8)), "{found:?}");
    assert!(found[0] > 40, "more than the two lists that are seen first: {found:?}");
}

#[test]
fn the_seed_alone_decides() {
    let site = shop();
    let crawl = |seed| Sim::new(&site, Box::new(XCrawl::new(XCrawlOptions::default(), Seed(seed))), &[0, 1_005]).run();
    assert_eq!(crawl(1), crawl(1));
    assert_ne!(crawl(1), crawl(2));
}

#[test]
fn it_is_a_policy() {
    let small = GraphLimits { nodes_max: 5, edges_max: 4 };
    let default = XCrawlOptions { max_iterations: 3, ..XCrawlOptions::default() };
    for options in [
        default,
        XCrawlOptions::paper(),
        XCrawlOptions { proximity: Proximity::Hits, sub_trees: SubTreeRule::Grandparent, ..default },
        XCrawlOptions { proximity: Proximity::HitsWithPageRank, phases: Phases::Repeat, ..default },
        XCrawlOptions { limits: small, patience: 2, ..default },
        XCrawlOptions { walkers: 0, moved_per_fetch: 1, restart: 0.0, weighed_every: 0, ..default },
    ] {
        holds_for_any_policy(|seed| Box::new(XCrawl::new(options, seed)));
    }
}
