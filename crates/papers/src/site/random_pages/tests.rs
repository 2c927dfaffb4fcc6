use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::Rng;

use super::literal_tests::Literal;
use super::*;
use harvestman_core::seed::Seed;

/// A site: which pages each page links to, each once.
type Site = Vec<Vec<u32>>;

const EXACT: usize = usize::MAX;

fn options(cohorts_max: usize) -> RandomPagesOptions {
    RandomPagesOptions { cohorts_max, ..RandomPagesOptions::default() }
}

/// What a crawler reports: new links only, each once.
struct Seen(BTreeSet<u32>);

impl Seen {
    fn new_of(&mut self, links: &[u32]) -> Vec<u32> {
        links.iter().copied().filter(|link| self.0.insert(*link)).collect()
    }
}

/// Returns the order in which pages are drawn from page 0 on.
fn crawl(site: &Site, options: RandomPagesOptions, seed: Seed, steps: usize) -> Vec<u32> {
    let (mut pages, mut seen, mut rng) = (RandomPages::new(options), Seen(BTreeSet::new()), seed.rng());
    pages.add(seen.new_of(&[0]));
    let mut drawn = Vec::new();
    while drawn.len() < steps {
        let Some(page) = pages.draw(&mut rng) else { break };
        let links = &site[page as usize];
        pages.crawled(links.len());
        pages.add(seen.new_of(links));
        check(&pages);
        drawn.push(page);
    }
    drawn
}

/// Checks the invariants between two draws.
fn check(pages: &RandomPages<u32>) {
    let desired = pages.desired();
    assert!(desired > 0.0 && desired <= 1.0, "{desired}");
    let mut urls = 0;
    for (s, r, members) in pages.waiting.iter() {
        assert!((s + r - 1.0).abs() < 1e-9, "s {s}, r {r}");
        assert!((0.0..=1.0 + 1e-9).contains(&s), "{s}");
        assert!(!members.is_empty());
        urls += members.len();
    }
    assert_eq!(urls + pages.withdrawn(), pages.len());
    assert!(pages.cohorts() <= pages.options.cohorts_max.max(2).saturating_add(1));
}

/// Does the same by the printed algorithm. Also returns whether rounding may have decided something.
fn crawl_literally(site: &Site, seed: Seed, steps: usize) -> (Vec<u32>, bool) {
    let (mut twin, mut seen, mut rng) = (Literal::new(options(EXACT)), Seen(BTreeSet::new()), seed.rng());
    twin.add(seen.new_of(&[0]));
    let mut drawn = Vec::new();
    while drawn.len() < steps {
        let Some(page) = twin.draw(&mut rng) else { break };
        let links = &site[page as usize];
        twin.crawled(links.len(), seen.new_of(links));
        drawn.push(page);
    }
    (drawn, twin.close)
}

/// Crawls from a queue in which all URLs are equally likely, which is what the paper improves on.
fn crawl_uniformly(site: &Site, seed: Seed, steps: usize) -> Vec<u32> {
    let (mut queue, mut seen, mut rng) = (vec![0], Seen(BTreeSet::from([0])), seed.rng());
    let mut drawn = Vec::new();
    while drawn.len() < steps && !queue.is_empty() {
        let page = queue.swap_remove(rng.random_range(0..queue.len()));
        queue.extend(seen.new_of(&site[page as usize]));
        drawn.push(page);
    }
    drawn
}

#[test]
fn a_step_is_that_of_the_paper_s_equations() {
    let mut pages = RandomPages::new(options(EXACT));
    pages.add([1, 2, 3, 4]);
    let mut rng = Seed(1).rng();
    let first = pages.draw(&mut rng).unwrap();
    // ξ = 1 and q = 1/4: s = 0 + 1 · 1/4, r = 1 · 3/4.
    let state: Vec<_> = pages.waiting.iter().map(|(s, r, urls)| (s, r, urls.len())).collect();
    assert_eq!(state, [(0.25, 0.75, 3)]);
    // K = 2: ξ = 1/2 + 1/2 / 5 = 0.6. Two more enter with p = 0.6, the others have p = 0.35: Σp = 2.25.
    pages.crawled(2);
    pages.add([5, 6]);
    let second = pages.draw(&mut rng).unwrap();
    assert_ne!(first, second);
    let [old, new] = [0.35 / 2.25, 0.6 / 2.25];
    let wanted = [(0.25 + 0.75 * old, 0.75 * (1.0 - old)), (new, 1.0 - new)];
    for ((s, r, _), (wanted_s, wanted_r)) in pages.waiting.iter().zip(wanted) {
        assert!((s - wanted_s).abs() < 1e-12 && (r - wanted_r).abs() < 1e-12, "{s}, {r}");
    }
    assert_eq!((pages.cohorts(), pages.len()), (2, 4));
}

#[test]
fn without_urls_nothing_is_drawn() {
    let mut pages = RandomPages::<u32>::new(options(EXACT));
    assert_eq!(pages.draw(&mut Seed(1).rng()), None);
    assert_eq!(pages.add([]), 0);
    assert!(pages.is_empty());
    assert_eq!(pages.cohorts(), 0);
}

#[test]
fn one_url_is_drawn_once() {
    let mut pages = RandomPages::new(options(EXACT));
    pages.add(["a"]);
    let mut rng = Seed(1).rng();
    assert_eq!(pages.draw(&mut rng), Some("a"));
    assert_eq!(pages.draw(&mut rng), None);
}

#[test]
fn a_url_whose_probability_is_used_up_is_withdrawn_and_returns_when_all_are() {
    let mut pages = RandomPages::new(options(EXACT));
    pages.add(0..4);
    let mut rng = Seed(3).rng();
    pages.draw(&mut rng).unwrap();
    // After one of four draws s = 1/4, and with K = 100 only ξ = 0.208 is wanted: nothing is left for the other three.
    pages.crawled(100);
    pages.add([9]);
    assert_eq!(pages.draw(&mut rng), Some(9), "the only one that is left");
    assert_eq!((pages.withdrawn(), pages.len()), (3, 3));
    let mut rest: Vec<_> = std::iter::from_fn(|| pages.draw(&mut rng)).collect();
    assert_eq!(rest.len(), 3);
    rest.sort_unstable();
    rest.dedup();
    assert_eq!(rest.len(), 3, "each returned once");
}

#[test]
fn what_there_is_no_room_for_is_left_out() {
    let mut pages = RandomPages::new(RandomPagesOptions { waiting_max: 3, ..options(EXACT) });
    assert_eq!(pages.add(0..5), 3);
    assert_eq!(pages.add([7]), 0);
    pages.draw(&mut Seed(1).rng()).unwrap();
    assert_eq!(pages.add([8, 9]), 1);
    assert_eq!(pages.len(), 3);
}

fn sites() -> impl Strategy<Value = Site> {
    (2..40_u32).prop_flat_map(|pages| {
        let links = proptest::collection::btree_set(0..pages, 0..8);
        proptest::collection::vec(links.prop_map(|links| links.into_iter().collect()), pages as usize)
    })
}

fn reachable(site: &Site) -> BTreeSet<u32> {
    let (mut found, mut open) = (BTreeSet::from([0]), vec![0]);
    while let Some(page) = open.pop() {
        open.extend(site[page as usize].iter().copied().filter(|link| found.insert(*link)));
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn cohorts_draw_what_the_printed_algorithm_draws(site in sites(), seed: u64) {
        let found = crawl(&site, options(EXACT), Seed(seed), usize::MAX);
        let (literal, close) = crawl_literally(&site, Seed(seed), usize::MAX);
        // Rarely, or the test would find too few cases.
        prop_assume!(!close);
        prop_assert_eq!(found, literal);
    }

    #[test]
    fn every_url_is_drawn_in_the_end_and_none_twice(site in sites(), seed: u64, cohorts_max in 0..6_usize) {
        let drawn = crawl(&site, options(cohorts_max), Seed(seed), usize::MAX);
        let distinct: BTreeSet<u32> = drawn.iter().copied().collect();
        prop_assert_eq!(distinct.len(), drawn.len());
        prop_assert_eq!(distinct, reachable(&site));
    }

    #[test]
    fn a_merger_keeps_the_sums_of_the_probabilities(sizes in proptest::collection::vec(1..9_u32, 1..30)) {
        let mut cohorts = Cohorts::new();
        let mut rng = Seed(5).rng();
        for size in sizes {
            cohorts.add(0..size);
            cohorts.draw(1.0, rng.random()).unwrap();
        }
        let sums = |cohorts: &Cohorts<u32>| {
            let of = |(s, r, urls): (f64, f64, &[u32])| [s, r, 1.0].map(|value| value * urls.len() as f64);
            cohorts.iter().map(of).fold([0.0; 3], |sums, next| [0, 1, 2].map(|i| sums[i] + next[i]))
        };
        let (before, count) = (sums(&cohorts), cohorts.len());
        cohorts.merge(4);
        prop_assert!(sums(&cohorts).iter().zip(before).all(|(one, other)| (one - other).abs() < 1e-9));
        prop_assert!(count <= 4 || cohorts.len() < count);
    }
}

/// Returns a site of three levels: 20 lists of 20 pages each, with 5 links more between them.
fn lists() -> Site {
    let mut rng = Seed(11).rng();
    let mut site: Site = vec![(1..=20).collect()];
    for list in 0..20_u32 {
        site.push((0..20).map(|page| 21 + list * 20 + page).collect());
    }
    for _ in 0..400 {
        site.push((0..5).map(|_| rng.random_range(0..421)).collect::<BTreeSet<_>>().into_iter().collect());
    }
    site
}

const CRAWLS: u64 = 1_500;
const STEPS: usize = 60;

/// Returns in how many crawls each page is among the first that are drawn.
fn counts(crawl: impl Fn(Seed) -> Vec<u32>, name: &str) -> Vec<f64> {
    let mut counts = vec![0.0; lists().len()];
    for number in 0..CRAWLS {
        for page in crawl(Seed(7).child(name).nth(number)) {
            counts[page as usize] += 1.0;
        }
    }
    counts
}

/// Returns χ² of two samples of counts, divided by its degrees of freedom: about 1 if they come from one distribution.
fn chi_square(one: &[f64], other: &[f64]) -> f64 {
    let crawls = CRAWLS as f64;
    let terms = one.iter().zip(other).filter_map(|(one, other)| {
        let share = (one + other) / (2.0 * crawls);
        (share > 0.0 && share < 1.0).then(|| (one - other).powi(2) / (2.0 * crawls * share * (1.0 - share)))
    });
    let (sum, freedom) = terms.fold((0.0, 0.0), |(sum, freedom), term| (sum + term, freedom + 1.0));
    sum / freedom
}

#[test]
fn merged_cohorts_draw_by_nearly_the_same_distribution_as_the_printed_algorithm() {
    let site = lists();
    let literal = counts(|seed| crawl_literally(&site, seed, STEPS).0, "literal");
    let exact = counts(|seed| crawl(&site, options(EXACT), seed, STEPS), "exact");
    let merged = counts(|seed| crawl(&site, options(8), seed, STEPS), "merged");
    let uniform = counts(|seed| crawl_uniformly(&site, seed, STEPS), "uniform");
    let [exact, merged, uniform] = [exact, merged, uniform].map(|counts| chi_square(&literal, &counts));
    eprintln!("χ² over its degrees of freedom: exact {exact:.3}, merged {merged:.3}, uniform {uniform:.3}");
    assert!(exact < 1.3, "{exact}");
    assert!(merged < 1.3, "{merged}");
    assert!(uniform > 2.0, "the test sees another distribution: {uniform}");
}

fn rate(alpha: u32, out_degrees: &[usize]) -> f64 {
    let mut rate = Rate::new(NonZeroU32::new(alpha).unwrap());
    out_degrees.iter().for_each(|degree| rate.see(*degree));
    rate.desired()
}

#[test]
fn the_rate_is_that_of_the_formula() {
    // K = 10: 0.1 + 0.9 / 5.
    assert!((rate(5, &[4, 16]) - 0.28).abs() < 1e-12);
    // With a large α it falls to 1/K, with α = 1 every page is to be sampled.
    assert!((rate(1_000_000, &[10]) - 0.1).abs() < 1e-5);
    assert!((rate(1, &[10]) - 1.0).abs() < 1e-12);
}

#[test]
fn without_links_every_page_is_to_be_sampled() {
    for out_degrees in [&[][..], &[0], &[0, 0, 1], &[1]] {
        assert!((rate(5, out_degrees) - 1.0).abs() < 1e-12, "{out_degrees:?}");
    }
}
