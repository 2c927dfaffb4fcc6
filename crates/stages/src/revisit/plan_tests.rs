use std::time::Duration;

use rand::RngCore;

use super::*;

const NOW: Instant = Instant::from_micros(1_000_000_000_000_000);

/// Pages of several types, a share of which has changed.
struct Site {
    known: Vec<KnownPage>,
    changed: Vec<bool>,
}

fn site(kinds: &[(usize, f64)], table: &mut TraitTable, seed: Seed) -> Site {
    let mut rng = seed.rng();
    let (mut known, mut changed) = (Vec::new(), Vec::new());
    for (kind, (pages, share)) in kinds.iter().enumerate() {
        let traits: PageTraits = table.number(Trait::Coarse(kind as u64)).into_iter().collect();
        for _ in 0..*pages {
            known.push(KnownPage {
                host: 0,
                kind: kind as u64,
                via: None,
                traits: traits.clone(),
                signs: PageTraits::new(),
                last: NOW - Duration::from_secs(3_600),
                history: History::default(),
                numbers: 0,
                found: None,
                lastmod: None,
                earlier: None,
            });
            changed.push((rng.next_u64() as f64 / u64::MAX as f64) < *share);
        }
    }
    Site { known, changed }
}

fn limits(visits: u64) -> PlanLimits {
    PlanLimits { visits, recall: 0.95, chance: 0.01 }
}

/// Executes a plan over pages without noise. Returns the number of visits, and how many found a change.
fn carry_out(plan: &mut Plan, mut visit: impl FnMut(PageNumber) -> Difference) -> (u64, u64) {
    carry_out_over_noise(plan, |page, again| if again { Difference::None } else { visit(page) })
}

fn carry_out_over_noise(plan: &mut Plan, mut visit: impl FnMut(PageNumber, bool) -> Difference) -> (u64, u64) {
    let (mut visits, mut changes) = (0, 0);
    while let Some(page) = plan.next(0, NOW) {
        let difference = visit(page, plan.is_probe(page));
        visits += 1;
        changes += u64::from(difference >= Difference::Numbers);
        plan.found(&VisitFinding { page, difference: Some(difference), waited: 3_600, gone: false, links: &[] });
    }
    (visits, changes)
}

#[test]
fn page_types_that_change_are_found_and_the_others_are_skipped() {
    for seed in 0..10 {
        let mut table = TraitTable::default();
        let site = site(&[(100, 0.9), (500, 0.02), (300, 0.0), (100, 0.6)], &mut table, Seed(seed));
        let all = site.changed.iter().filter(|changed| **changed).count() as f64;
        let mut plan = Plan::new(site.known, table, limits(400), 0, NOW, Seed(seed));
        let changed = site.changed;
        let found = |page: PageNumber| if changed[page as usize] { Difference::Content } else { Difference::None };
        let (visits, changes) = carry_out(&mut plan, found);
        assert!(visits <= 400, "{visits}");
        assert!(changes as f64 >= 0.9 * all, "seed {seed}: {changes} of {all} in {visits}");
        assert!(plan.ahead().visited <= visits && plan.under_way() == 0);
    }
}

#[test]
fn the_visits_to_an_unchanged_site_stop_early() {
    let mut table = TraitTable::default();
    let site = site(&[(1_000, 0.0), (1_000, 0.0)], &mut table, Seed(1));
    let mut plan = Plan::new(site.known, table, limits(2_000), 0, NOW, Seed(1));
    let (visits, changes) = carry_out(&mut plan, |_| Difference::None);
    assert!(visits < 500 && changes == 0, "{visits}");
    assert_eq!(plan.stopped(), Some(PlanStop::Chance));
}

#[test]
fn a_clock_on_every_page_is_not_a_change() {
    let mut table = TraitTable::default();
    let site = site(&[(400, 1.0), (100, 1.0)], &mut table, Seed(2));
    let kinds: Vec<u64> = site.known.iter().map(|page| page.kind).collect();
    let mut plan = Plan::new(site.known, table, limits(250), 0, NOW, Seed(2));
    let mut seen = std::collections::BTreeSet::new();
    carry_out_over_noise(&mut plan, |page, again| match kinds[page as usize] {
        0 => Difference::Numbers,
        // A real change: a second request returns the same.
        _ if again => Difference::None,
        _ => {
            seen.insert(page);
            Difference::Numbers
        }
    });
    assert_eq!(seen.len(), 100, "all changed pages were found");
    assert_eq!(plan.ahead().changed, 100);
}

#[test]
fn the_history_of_a_page_counts() {
    let mut table = TraitTable::default();
    let mut site = site(&[(400, 0.0)], &mut table, Seed(3));
    for (at, page) in site.known.iter_mut().enumerate() {
        (0..4).for_each(|_| page.history.note(at < 40, 3_600));
    }
    let mut plan = Plan::new(site.known, table, limits(100), 0, NOW, Seed(3));
    let mut first = Vec::new();
    carry_out(&mut plan, |page| {
        first.push(page);
        if page < 40 { Difference::Content } else { Difference::None }
    });
    assert!(first.iter().filter(|page| **page < 40).count() >= 38, "{first:?}");
}

#[test]
fn visits_of_an_interrupted_round_are_not_repeated_and_count() {
    let mut table = TraitTable::default();
    let mut site = site(&[(100, 0.0)], &mut table, Seed(4));
    for page in &mut site.known[..60] {
        page.found = Some((Difference::Content, 3_600));
    }
    let mut plan = Plan::new(site.known, table, limits(80), 0, NOW, Seed(4));
    assert_eq!((plan.ahead().visited, plan.ahead().changed), (60, 60));
    let mut visited = Vec::new();
    carry_out(&mut plan, |page| {
        visited.push(page);
        Difference::Content
    });
    assert!(visited.iter().all(|page| *page >= 60), "{visited:?}");
    // One of them is requested twice, because all seem to change.
    assert_eq!((visited.len(), plan.ahead().visited), (19, 79));
}

/// Forty lists with links to twenty topics each; the topics at the top have changed.
fn lists(table: &mut TraitTable) -> (Vec<KnownPage>, Vec<Vec<PlannedLink>>) {
    let mut site = site(&[(40, 1.0), (800, 0.0)], table, Seed(5));
    let link = |list: u32, at: u32| PlannedLink { apath: 7, page: 40 + list * 20 + at, row: RowChange::Unknown };
    for (at, page) in site.known.iter_mut().enumerate().skip(40) {
        page.via = Some((at as PageNumber - 40) / 20);
    }
    (site.known, (0..40).map(|list| (0..20).map(|at| link(list, at)).collect()).collect())
}

fn difference(page: PageNumber, is_probe: bool) -> Difference {
    let changed = page.checked_sub(40).is_none_or(|topic| topic % 20 < 4);
    if changed && !is_probe { Difference::Content } else { Difference::None }
}

/// Visits at most `most` pages. Returns what was found on each, in order.
fn visit_lists(plan: &mut Plan, links: &[Vec<PlannedLink>], most: usize) -> Vec<(PageNumber, Difference)> {
    let mut visited = Vec::new();
    while visited.len() < most
        && let Some(page) = plan.next(0, NOW)
    {
        let difference = difference(page, plan.is_probe(page));
        plan.found(&of_list(page, difference, links));
        visited.push((page, difference));
    }
    visited
}

fn of_list(page: PageNumber, difference: Difference, links: &[Vec<PlannedLink>]) -> VisitFinding<'_> {
    let links = links.get(page as usize).map_or(&[][..], Vec::as_slice);
    VisitFinding { page, difference: Some(difference), waited: 3_600, gone: false, links }
}

fn topics(visited: &[(PageNumber, Difference)]) -> usize {
    visited.iter().filter(|(page, difference)| *page >= 40 && *difference >= Difference::Numbers).count()
}

#[test]
fn the_rank_of_a_page_in_a_visited_list_predicts_its_change() {
    let mut table = TraitTable::default();
    let (known, links) = lists(&mut table);
    let mut plan = Plan::new(known, table, limits(336), 0, NOW, Seed(5));
    let found = topics(&visit_lists(&mut plan, &links, usize::MAX));
    assert!(found >= 144, "{found} of 160");
}

#[test]
fn a_rebuilt_plan_has_its_previous_state_after_its_visits_are_replayed() {
    let mut visited = Vec::new();
    let mut figures = Vec::new();
    for run in 0..12 {
        let mut table = TraitTable::default();
        let (known, links) = lists(&mut table);
        let mut plan = Plan::new(known, table, limits(336), 0, NOW, Seed(5 + run));
        for (page, difference) in &visited {
            plan.recall(&of_list(*page, *difference, &links));
        }
        plan.recalled();
        let of_plan = (plan.ahead().visited, plan.ahead().changed, plan.probed);
        assert!(figures.last().is_none_or(|before| *before == of_plan), "{figures:?} {of_plan:?}");
        visited.extend(visit_lists(&mut plan, &links, 30));
        figures.push((plan.ahead().visited, plan.ahead().changed, plan.probed));
    }
    let found = topics(&visited);
    assert!(found >= 144, "{found} of 160");
    let mut pages: Vec<_> = visited.iter().map(|(page, _)| page).collect();
    pages.sort_unstable();
    pages.dedup();
    assert!(visited.len() - pages.len() <= 2, "at most one page of each type was requested twice");
}

#[test]
fn a_page_that_waits_for_its_second_visit_is_visited_exactly_once_more() {
    let mut table = TraitTable::default();
    let site = site(&[(30, 0.0)], &mut table, Seed(7));
    let mut plan = Plan::new(site.known, table, limits(30), 0, NOW, Seed(7));
    let found =
        |page| VisitFinding { page, difference: Some(Difference::Numbers), waited: 60, gone: false, links: &[] };
    plan.recall(&found(4));
    plan.recalled();
    assert!(plan.claim(4) && plan.is_probe(4) && !plan.claim(4));
    assert_eq!((plan.under_way(), plan.probed), (1, 1));
    plan.found(&found(4));
    assert_eq!((plan.under_way(), plan.noise_of_page(4)), (0, Some(Difference::Numbers)));
    assert_ne!(plan.next(0, NOW), Some(4));
}

#[test]
fn a_page_that_could_not_be_fetched_is_not_an_observation_and_completes() {
    let mut table = TraitTable::default();
    let site = site(&[(3, 0.0)], &mut table, Seed(6));
    let mut plan = Plan::new(site.known, table, limits(3), 0, NOW, Seed(6));
    while let Some(page) = plan.next(0, NOW) {
        plan.found(&VisitFinding { page, difference: None, waited: 0, gone: false, links: &[] });
    }
    assert_eq!((plan.ahead().visited, plan.ahead().changed, plan.under_way()), (3, 0, 0));
}
