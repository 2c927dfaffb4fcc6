//! The policy as a whole, on sites small enough to compute by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::sitemap::cluster_id;
use super::*;
use crate::property_tests::holds_for_any_policy;
use harvestman_core::model::{Apath, LeafPath, LinkClass, UrlPattern};
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_policy::{NewLink, Observation, Outcome, PageFacts, PlacedLink, Policy};
use harvestman_structure::site::EpsRule;

fn url(name: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("http://h.test/{name}"))
}

fn bag(paths: &[(u64, u32)]) -> Vec<LeafPath> {
    paths.iter().map(|&(path, count)| LeafPath { path, count, text: None }).collect()
}

/// A page with its bag and its links by place.
#[derive(Debug, Clone, Default)]
struct Page {
    bag: Vec<LeafPath>,
    links: Vec<(u64, String)>,
}

impl Page {
    fn facts(&self) -> PageFacts {
        let placed = |(apath, to): &(u64, String)| PlacedLink::new(Apath(*apath), url(to).fingerprint());
        PageFacts { bag: self.bag.clone(), links: self.links.iter().map(placed).collect(), ..PageFacts::default() }
    }

    fn observed(&self, name: &str, new: Vec<NewLink>) -> Observation {
        let class = LinkClass::unclassified(Apath::SEED);
        Observation { url: url(name), class, via: None, outcome: Outcome::Page(Box::new(self.facts())), new }
    }
}

type Site = BTreeMap<String, Page>;

/// Four equal lists `l1` … `l4`, and four threads `t1` … `t4`, two of them longer. Place 100 of a list has all threads,
/// 101 the next list, 102 one list and one thread; place 200 of a thread has the first list, 201 the next thread, and
/// in the last thread an unknown one.
fn forum() -> Site {
    let mut site = Site::new();
    for i in 1..=4_u32 {
        let mut links: Vec<(u64, String)> = (1..=4).map(|thread| (100, format!("t{thread}"))).collect();
        links.extend((i < 4).then(|| (101, format!("l{}", i + 1))));
        links.extend([(102, "t1".to_owned()), (102, if i == 1 { "l2".to_owned() } else { "l1".to_owned() })]);
        // A link to the page itself does not count.
        links.push((103, format!("l{i}")));
        site.insert(format!("l{i}"), Page { bag: bag(&[(1, 1), (2, 1)]), links });
        let length = if i <= 2 { 1 } else { 3 };
        let links = vec![(200, "l1".to_owned()), (201, format!("t{}", i + 1))];
        site.insert(format!("t{i}"), Page { bag: bag(&[(1, 1), (3, length)]), links });
    }
    site
}

fn observations(site: &Site) -> Vec<Observation> {
    site.iter().map(|(name, page)| page.observed(name, Vec::new())).collect()
}

fn options(goal: SourceGoal) -> SourceOptions {
    let mut options = SourceOptions::paper(goal);
    options.eps.rule = EpsRule::Quantile(1.0);
    options
}

fn trained(goal: SourceGoal) -> Arc<Trained> {
    Arc::new(SourcePolicy::train(observations(&forum()), options(goal)))
}

fn like(name: &str) -> SourceGoal {
    SourceGoal::Like { url: url(name).fingerprint(), bag: Vec::new() }
}

const LISTS: u32 = 0;
const THREADS: u32 = 1;

fn class(cluster: u32, apath: u64) -> LinkClass {
    LinkClass::at(cluster_id(Some(cluster)), Apath(apath))
}

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}

/// The authorities and hubs of A = [[7, 20], [4, 4]]: its first singular vectors, in closed form.
fn hubs_and_authorities() -> ([f64; 2], [f64; 2]) {
    let unit = |x: f64, y: f64| [x / x.hypot(y), y / x.hypot(y)];
    // AᵀA = [[65, 156], [156, 416]].
    let eigenvalue = f64::midpoint(481.0, (481.0_f64.powi(2) - 4.0 * 2704.0).sqrt());
    let authority = unit(156.0, eigenvalue - 65.0);
    let hub = unit(7.0 * authority[0] + 20.0 * authority[1], 4.0 * authority[0] + 4.0 * authority[1]);
    (authority, hub)
}

/// Dsim of the threads: half the distance between a short one and a long one.
fn dsim_of_threads() -> f64 {
    let short = 2.0_f64.ln() / 6.0_f64.ln();
    let long = 2.0_f64.ln() / 18.0_f64.ln();
    (short - long) / 2.0_f64.sqrt()
}

#[test]
fn a_sitemap_is_that_of_equations_1_to_6() {
    let trained = trained(SourceGoal::Content);
    let learned = trained.learned.as_ref().unwrap();
    assert_eq!(learned.clustering.labels, [[Some(LISTS); 4], [Some(THREADS); 4]].concat());
    let adjacency = learned.navigation.adjacency(&[4, 4]);
    let rows = [[adjacency.at(0, 0), adjacency.at(0, 1)], [adjacency.at(1, 0), adjacency.at(1, 1)]];
    assert_eq!(rows, [[7.0, 20.0], [4.0, 4.0]]);
    assert_close(learned.dsim[THREADS as usize], dsim_of_threads());
    assert_eq!(learned.dsim[LISTS as usize], 0.0);
    assert!(trained.note().starts_with("learned from 8 pages: 3 paths, 5 places of links, 2 clusters and 0 outliers"));
}

#[test]
fn scores_for_content_are_those_of_equations_7_to_12_and_follow_the_balance() {
    let mut policy = SourcePolicy::from_trained(trained(SourceGoal::Content));
    let (authority, hub) = hubs_and_authorities();
    let threads = 0.5 * (authority[1] + hub[1]) * dsim_of_threads();
    let scores = |policy: &mut SourcePolicy| {
        let snapshot = policy.snapshot();
        [class(LISTS, 100), class(LISTS, 101), class(LISTS, 102), class(THREADS, 201), class(THREADS, 999)]
            .map(|class| snapshot.score(class))
    };
    let before = scores(&mut policy);
    [threads, 0.0, threads / 2.0, threads, 0.0].iter().zip(before).for_each(|(e, found)| assert_close(found, *e));
    let site = forum();
    policy.observe(site["t1"].observed("t1", Vec::new()));
    assert_eq!(scores(&mut policy), [0.0; 5], "all that was crawled are threads");
    policy.observe(site["l1"].observed("l1", Vec::new()));
    assert_close(scores(&mut policy)[0], threads / 2.0);
}

#[test]
fn each_factor_can_be_left_out() {
    let (authority, hub) = hubs_and_authorities();
    let info = |cluster: usize| 0.5 * (authority[cluster] + hub[cluster]);
    let score = |info, dsim, balance| {
        let mut options = options(SourceGoal::Content);
        (options.score.info, options.score.dsim, options.score.balance) = (info, dsim, balance);
        let mut policy = SourcePolicy::from_trained(Arc::new(SourcePolicy::train(observations(&forum()), options)));
        for name in ["t1", "t2", "t3", "l1"] {
            policy.observe(forum()[name].observed(name, Vec::new()));
        }
        policy.snapshot().score(class(LISTS, 100))
    };
    assert_close(score(false, true, true), dsim_of_threads() / 4.0);
    assert_close(score(true, false, true), info(1) / 4.0);
    assert_close(score(true, true, false), info(1) * dsim_of_threads());
}

#[test]
fn scores_for_a_target_are_authority_of_the_examples_cluster_and_hubs_that_lead_there() {
    let mut policy = SourcePolicy::from_trained(trained(like("t2")));
    let snapshot = policy.snapshot();
    let [list_hub, thread_hub] = [20.0, 4.0].map(|links: f64| links / 416.0_f64.sqrt());
    assert_close(snapshot.score(class(LISTS, 100)), 0.8 + 0.2 * thread_hub);
    assert_close(snapshot.score(class(LISTS, 101)), 0.2 * list_hub);
}

#[test]
fn an_example_that_is_an_outlier_stands_for_the_nearest_cluster() {
    let target = |name: &str, strange: &[(u64, u32)], example: SourceGoal| {
        let mut site = forum();
        site.insert(name.to_owned(), Page { bag: bag(strange), links: Vec::new() });
        let mut options = options(example);
        // The radius without the outlier.
        options.eps.rule = EpsRule::Quantile(0.85);
        let trained = SourcePolicy::train(observations(&site), options);
        let learned = trained.learned.unwrap();
        (learned.clustering.labels.last().copied().unwrap(), learned.target)
    };
    assert_eq!(target("z", &[(1, 9), (3, 1)], like("z")), (None, Some(THREADS)));
    assert_eq!(target("z", &[(1, 9), (2, 1)], like("z")), (None, Some(LISTS)));
    let unseen = SourceGoal::Like { url: url("unseen").fingerprint(), bag: bag(&[(1, 1), (3, 2)]) };
    assert_eq!(target("z", &[(1, 9), (2, 1)], unseen).1, Some(THREADS));
}

/// Lets the policy learn from these pages, checks that no class is preferred then, and returns its note.
fn note_on(pages: Vec<Page>, options: SourceOptions) -> String {
    let site: Site = pages.into_iter().enumerate().map(|(i, page)| (format!("p{i:02}"), page)).collect();
    let mut policy = SourcePolicy::from_trained(Arc::new(SourcePolicy::train(observations(&site), options)));
    let snapshot = policy.snapshot();
    assert_eq!([class(0, 100), LinkClass::unclassified(Apath::SEED)].map(|class| snapshot.score(class)), [0.0; 2]);
    policy.note().unwrap()
}

#[test]
fn where_nothing_can_be_learned_the_crawl_is_breadth_first_and_the_note_says_why() {
    let page = |paths: &[(u64, u32)]| Page { bag: bag(paths), links: vec![(100, "x".to_owned())] };
    let paper = || SourceOptions::paper(SourceGoal::Content);
    assert!(note_on(Vec::new(), paper()).starts_with("the sample has only 0 pages"));
    assert!(note_on(vec![page(&[(1, 1)]); 3], paper()).starts_with("the sample has only 3 pages"));
    let one = "all pages of the sample have one template";
    assert!(note_on(vec![page(&[(1, 1)]); 9], paper()).starts_with(one), "all are identical");
    assert!(note_on(vec![page(&[]); 9], paper()).starts_with(one), "pages with nothing on them");
    assert!(note_on((0..9).map(|i| page(&[(1, 1), (2, 3 + i % 3)])).collect(), paper()).starts_with(one));
}

#[test]
fn a_site_with_only_outliers_is_crawled_breadth_first_too() {
    // Six pairs; the radius is the distance between the pages of a pair.
    let page = |i: u32| Page { bag: bag(&[(1, 1), (2, 10 * 3_u32.pow(i / 2) + i % 2)]), links: Vec::new() };
    let mut options = options(SourceGoal::Content);
    (options.eps.rule, options.eps.k) = (EpsRule::Quantile(0.5), 1);
    assert!(note_on((0..12).map(page).collect(), options).starts_with("all 12 pages of the sample are outliers"));
}

/// Crawls a site by the policy without a frontier. Returns the class, name and phase of each fetch.
fn crawl(site: &Site, policy: &mut SourcePolicy) -> Vec<(LinkClass, String, bool)> {
    let mut seen: BTreeSet<String> = ["seed".to_owned()].into();
    let mut waiting = vec![(LinkClass::unclassified(Apath::SEED), "seed".to_owned())];
    let mut fetched = Vec::new();
    let mut generation = policy.snapshot().generation();
    while !waiting.is_empty() {
        let snapshot = policy.snapshot();
        if snapshot.generation() > generation {
            generation = snapshot.generation();
            for (class, name) in &mut waiting {
                *class = snapshot.class_of(*class, url(name).as_str(), None);
            }
        }
        // Of equal ones the first.
        let best = (0..waiting.len())
            .rev()
            .max_by(|a, b| snapshot.score(waiting[*a].0).total_cmp(&snapshot.score(waiting[*b].0)));
        let (class, name) = waiting.remove(best.unwrap());
        fetched.push((class, name.clone(), policy.is_sampling()));
        let page = site.get(&name).cloned().unwrap_or_default();
        let cluster = snapshot.cluster(&page.bag);
        let mut new = Vec::new();
        for (apath, to) in &page.links {
            if seen.insert(to.clone()) {
                let class = LinkClass::at(cluster, Apath(*apath));
                waiting.push((class, to.clone()));
                new.push(NewLink::new(class, url(to)));
            }
        }
        policy.observe(Observation { class, ..page.observed(&name, new) });
    }
    fetched
}

fn sites() -> impl Strategy<Value = Site> {
    let page = (0..3_u64, prop::collection::vec((0..4_u64, 0..40_usize), 0..12));
    prop::collection::vec(page, 1..40).prop_map(|pages| {
        let name = |i: usize| if i == 0 { "seed".to_owned() } else { format!("p{i:02}") };
        let page = |(i, (template, links)): (usize, (u64, Vec<(u64, usize)>))| {
            let links = links.into_iter().map(|(apath, to)| (apath + 100, name(to))).collect();
            (name(i), Page { bag: bag(&[(1, 1), (template + 2, 1 + i as u32 % 3)]), links })
        };
        pages.into_iter().enumerate().map(page).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sample_has_one_page_for_each_page_and_apath_in_the_order_of_discovery(site in sites(), seed in any::<u64>()) {
        let mut options = SourceOptions::paper(SourceGoal::Content);
        options.sampling.pages_max = 30;
        let fetched = crawl(&site, &mut SourcePolicy::new(options, Seed(seed)));
        let sampled: Vec<_> = fetched.iter().filter(|(class, _, sampling)| *sampling && class.apath != Apath::SEED).collect();
        let chosen: BTreeSet<_> = sampled.iter().map(|(class, ..)| (class.pattern, class.apath)).collect();
        prop_assert_eq!(chosen.len(), sampled.len(), "one for each page and Apath");
        prop_assert!(sampled.iter().all(|(class, ..)| class.pattern != UrlPattern::NONE), "only what was chosen");
        prop_assert!(sampled.is_sorted_by_key(|(class, ..)| class.pattern.fine), "first in, first out");
        let samples = fetched.iter().filter(|(.., sampling)| *sampling).count();
        prop_assert!(samples <= 30);
        let names: BTreeSet<_> = fetched.iter().map(|(_, name, _)| name).collect();
        prop_assert_eq!(names.len(), fetched.len(), "what the sample left is crawled after it, each page once");
    }
}

#[test]
fn a_crawl_continues_from_its_sample_or_starts_again_with_what_the_sample_taught() {
    let mut site = forum();
    site.insert("seed".to_owned(), Page { bag: bag(&[(1, 1)]), links: vec![(50, "l1".to_owned())] });
    let mut sampled = options(SourceGoal::Content);
    sampled.sampling.pages_max = 9;
    let mut policy = SourcePolicy::new(sampled, Seed(1));
    let fetched = crawl(&site, &mut policy);
    assert_eq!(fetched.len(), 10, "eight pages, the seed, and the thread that is nowhere");
    let trained = Arc::clone(policy.trained().unwrap());
    let mut anew = policy.restarted().unwrap();
    assert!(!anew.is_sampling() && anew.note() == policy.note());
    let (old, new) = (policy.snapshot(), anew.snapshot());
    let fresh = SourcePolicy::from_trained(trained).snapshot();
    assert_close(new.score(class(LISTS, 100)), fresh.score(class(LISTS, 100)));
    assert_eq!(new.cluster(&site["t3"].bag), old.cluster(&site["t3"].bag));
    assert_eq!(new.class_of(class(LISTS, 100), url("t1").as_str(), None), class(LISTS, 100), "nothing waits");
}

#[test]
fn sampling_ends_when_pages_bring_no_new_place() {
    // A chain of lists, each with a thread of its own.
    let mut site = Site::new();
    let name = |i: u32| if i == 0 { "seed".to_owned() } else { format!("l{i}") };
    for i in 0..200 {
        let links = vec![(100, format!("t{i}")), (101, name(i + 1))];
        site.insert(name(i), Page { bag: bag(&[(1, 1), (2, 1)]), links });
        site.insert(format!("t{i}"), Page { bag: bag(&[(1, 1), (3, 1 + i % 2)]), links: Vec::new() });
    }
    let samples = |stop| {
        let mut options = options(SourceGoal::Content);
        options.sampling = SamplingOptions { stop, ..SamplingOptions::default() };
        crawl(&site, &mut SourcePolicy::new(options, Seed(1))).iter().filter(|(.., sampling)| *sampling).count()
    };
    assert_eq!(samples(StopRule::Pages), 401, "the chain has an end that is no page");
    let stopped = samples(StopRule::NoNewPlace { pages: 20 });
    assert!((20..40).contains(&stopped), "{stopped}");
}

#[test]
fn pages_without_a_new_place_are_counted_from_the_last_one_with_a_new_place() {
    let page = |apath| SampledPage {
        url: Fingerprint::of("x"),
        bag: Vec::new(),
        links: vec![PlacedLink::new(Apath(apath), Fingerprint::of("y"))],
    };
    let pages = [page(1), page(1), page(2), page(1), page(9), page(2)];
    let labels = |cluster: fn(usize) -> harvestman_structure::site::Label| (0..6).map(cluster).collect::<Vec<_>>();
    assert_eq!(pages_without_a_new_place(&pages, &labels(|_| Some(0))), 1);
    assert_eq!(pages_without_a_new_place(&pages, &labels(|i| (i != 4).then_some(0))), 2, "outliers have no place");
    assert_eq!(pages_without_a_new_place(&pages, &labels(|i| Some(i as u32))), 0);
    assert_eq!(pages_without_a_new_place(&[], &[]), 0);
}

#[test]
fn a_url_seen_at_a_better_place_moves_there_with_the_next_generation() {
    let moves = |moved_per_fetch| {
        let mut options = options(SourceGoal::Content);
        options.moved_per_fetch = moved_per_fetch;
        let trained = Arc::new(SourcePolicy::train(observations(&forum()), options));
        let mut policy = SourcePolicy::from_trained(trained);
        let site = forum();
        let (poor, good) = (class(LISTS, 101), class(LISTS, 100));
        let with = |apath| Page { links: vec![(apath, "new".to_owned())], ..site["l1"].clone() };
        policy.observe(with(101).observed("a", vec![NewLink::new(poor, url("new"))]));
        let before = policy.snapshot();
        policy.observe(with(100).observed("b", Vec::new()));
        policy.observe(site["t1"].observed("c", Vec::new()));
        let after = policy.snapshot();
        let moved = after.class_of(poor, url("new").as_str(), None);
        (after.generation() - before.generation(), moved == poor, after.score(moved) == after.score(good))
    };
    assert_eq!(moves(1024), (1, false, true));
    assert_eq!(moves(0), (0, true, false));
}

#[test]
fn a_link_that_redirects_leads_to_the_cluster_of_its_target() {
    let mut seen = observations(&forum());
    let redirect = |from: &str, to: &str| Observation {
        outcome: Outcome::Redirected,
        new: vec![NewLink::new(LinkClass::unclassified(Apath::REDIRECT), url(to))],
        ..Page::default().observed(from, Vec::new())
    };
    seen.push(redirect("hop", "t1"));
    seen.push(redirect("loop", "loop"));
    let links = vec![(300, "hop".to_owned()), (301, "loop".to_owned())];
    seen.extend(
        (0..4).map(|i| Page { links: links.clone(), ..forum()["l1"].clone() }.observed(&format!("m{i}"), Vec::new())),
    );
    let trained = SourcePolicy::train(seen, options(SourceGoal::Content));
    let learned = trained.learned.unwrap();
    let shares = |apath| {
        let place = crate::site::LinkPlace { source: Some(LISTS), apath: Apath(apath) };
        learned.navigation.shares(place).collect::<Vec<_>>()
    };
    assert_eq!((shares(300), shares(301)), (vec![(THREADS, 1.0)], Vec::new()));
}

#[test]
fn it_is_a_policy() {
    for (pages_max, moved_per_fetch) in [(1, 0), (5, 1), (12, 1024), (1000, 1024)] {
        for order in [SampleOrder::OnePerApath, SampleOrder::BreadthFirst] {
            let example = SourceGoal::Like { url: url("list/0").fingerprint(), bag: bag(&[(110, 2)]) };
            for (goal, stop) in [(SourceGoal::Content, StopRule::Pages), (example, StopRule::NoNewPlace { pages: 6 })] {
                let mut options = SourceOptions::paper(goal);
                options.sampling = SamplingOptions { order, pages_max, stop };
                options.moved_per_fetch = moved_per_fetch;
                holds_for_any_policy(|seed| Box::new(SourcePolicy::new(options.clone(), seed)));
            }
        }
    }
}
