//! Recorded forums of which no page is a substitute: hardly any is taken for one.

mod corpora;

use std::collections::HashMap;
use std::time::Duration;

use harvestman::clock::Instant;
use harvestman::config::ParseOptions;
use harvestman::parse::Parser;
use harvestman::seed::Seed;
use harvestman::substitutes::{Address, AnswerContent, AnswerKind, Judgement, PathSet, SeenAnswer, SubstituteDetector};
use harvestman::url::CanonicalUrl;
use rand::seq::SliceRandom as _;

/// A page as the detector sees it.
struct Page {
    url: CanonicalUrl,
    paths: PathSet,
    content: Option<AnswerContent>,
}

fn pages(name: &str) -> Option<Vec<Page>> {
    let mut parser = Parser::new(&ParseOptions::default()).with_words();
    let read = |page: &corpora::Page| {
        let parsed = parser.parse(&page.body, Some("text/html; charset=utf-8"));
        let paths = PathSet::of(&parsed.leaf_paths);
        let links = parsed.groups.iter().flat_map(|group| &group.links).map(|link| parsed.href(link));
        let content = AnswerContent::of(200, paths.clone(), &parsed.text).map(|content| content.leading_to(links));
        Page { url: CanonicalUrl::from_canonical(page.url.as_str()), paths, content }
    };
    Some(corpora::pages(name)?.iter().map(read).collect())
}

/// Returns how many pages were asked for again, and how many were taken for something else.
fn accused(pages: &[&Page]) -> (usize, usize) {
    let (mut detector, mut at) = (SubstituteDetector::default(), Instant::EPOCH);
    let mut judged = HashMap::new();
    let mut judge = |page: &Page| {
        at = at + Duration::from_secs(1);
        let address = Address::of(page.url.path_and_query());
        let url = page.url.fingerprint();
        let answer = SeenAnswer { address, url, asked_at: at, kind: AnswerKind::Page, paths: page.paths.clone() };
        detector.judge(&answer, || page.content.clone())
    };
    let mut again = Vec::new();
    for page in pages {
        match judge(page) {
            Judgement::Own | Judgement::Lifted => {}
            Judgement::Suspect => again.push(*page),
            accusation => {
                judged.insert(page.url.as_str(), accusation);
            }
        }
    }
    for page in &again {
        let accusation = judge(page);
        if !matches!(accusation, Judgement::Own | Judgement::Lifted) {
            judged.insert(page.url.as_str(), accusation);
        }
    }
    let mut examples: Vec<_> = judged.iter().collect();
    examples.sort_unstable_by_key(|(url, _)| **url);
    examples.iter().take(6).for_each(|(url, accusation)| eprintln!("  {accusation:?}: {url}"));
    (again.len(), judged.len())
}

fn check(name: &str) {
    let Some(pages) = pages(name) else { return };
    let mut order: Vec<&Page> = pages.iter().collect();
    for round in 0..4 {
        if round > 0 {
            order.shuffle(&mut Seed(round).rng());
        }
        let (again, accused) = accused(&order);
        eprintln!("{name}, order {round}: of {} pages {again} are asked for again, {accused} are accused", pages.len());
        assert!(again * 100 <= pages.len() && accused * 100 <= pages.len(), "{name}, order {round}");
    }
}

#[test]
fn hardly_any_page_of_a_recorded_forum_is_taken_for_a_substitute() {
    check("spirit");
    check("machina");
}

/// What a wall sends, by the page that was asked for: the paths and the words of its page.
type Wall = (&'static str, fn(&Page) -> (Vec<u64>, Vec<u32>));

const WALLS: [Wall; 3] = [
    ("a page of its own", |_| ((0..6).collect(), (0..9).collect())),
    ("with words of the address", |page| {
        let words = page.url.path_and_query().bytes().take(3).map(u32::from);
        ((0..6).collect(), (1_000..1_009).chain(words).collect())
    }),
    ("without any text", |_| (Vec::new(), Vec::new())),
];

/// Returns how many answers a wall gave until the host was paused, and how many of them counted as pages.
fn until_blocked(pages: &[&Page], before: usize, wall: &Wall) -> (usize, usize) {
    let (mut detector, mut at, mut counted) = (SubstituteDetector::default(), Instant::EPOCH, 0);
    for (number, page) in pages.iter().enumerate() {
        at = at + Duration::from_secs(1);
        let is_wall = number >= before;
        let (paths, words) = (wall.1)(page);
        let paths = if is_wall { PathSet::from_hashes(paths) } else { page.paths.clone() };
        let address = Address::of(page.url.path_and_query());
        let url = page.url.fingerprint();
        let answer = SeenAnswer { address, url, asked_at: at, kind: AnswerKind::Page, paths: paths.clone() };
        let content = || if is_wall { AnswerContent::from_words(200, paths, words) } else { page.content.clone() };
        match detector.judge(&answer, content) {
            Judgement::Blocked if is_wall => return (number + 1 - before, counted),
            Judgement::Own | Judgement::Lifted if is_wall => counted += 1,
            _ => {}
        }
    }
    (usize::MAX, counted)
}

#[test]
fn a_wall_before_a_recorded_forum_is_found_within_five_pages() {
    for name in corpora::NAMES {
        let Some(pages) = pages(name) else { continue };
        let mut order: Vec<&Page> = pages.iter().collect();
        for wall in &WALLS {
            let (mut answers, mut counted) = (Vec::new(), 0);
            for round in 0..20 {
                order.shuffle(&mut Seed(round).rng());
                let (until, own) = until_blocked(&order, 100 + 50 * round as usize, wall);
                answers.push(until);
                counted += own;
            }
            answers.sort_unstable();
            eprintln!(
                "{name}, {}: found after {answers:?} answers, {counted} of 20 walls' answers counted as pages",
                wall.0
            );
            assert!(answers[18] <= 5, "{name}, {}: {answers:?}", wall.0);
        }
    }
}
