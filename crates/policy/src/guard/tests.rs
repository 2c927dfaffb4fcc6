use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::*;
use crate::{NewLink, PageFacts};
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::url::CanonicalUrl;

/// The response of a site.
enum Answer {
    /// What is shown, and links.
    Page(Vec<String>, Vec<String>),
    Redirect(String),
    Picture,
    Missing,
}

/// The record of a crawl.
struct Crawl {
    guard: StructureGuard,
    fetched: Vec<String>,
    refused: usize,
    /// Whether it ended by itself.
    ended: bool,
}

impl Crawl {
    /// Crawls breadth-first from `/` with at most `most` requests; what is put last is fetched last.
    fn of(most: usize, site: impl Fn(&str) -> Answer) -> Self {
        let mut crawl = Self { guard: StructureGuard::default(), fetched: Vec::new(), refused: 0, ended: false };
        let mut waiting: VecDeque<(String, String)> = VecDeque::from([("/".to_owned(), "/".to_owned())]);
        let mut seen: BTreeSet<String> = waiting.iter().map(|(path, _)| path.clone()).collect();
        let mut generation = 0;
        while crawl.fetched.len() < most {
            let verdicts = crawl.guard.verdicts();
            if crawl.guard.generation() > generation {
                generation = crawl.guard.generation();
                let before = waiting.len();
                waiting.retain(|(path, via)| verdicts.of(&url(path), Some(&url(via))) != Verdict::Refused);
                crawl.refused += before - waiting.len();
            }
            let first =
                waiting.iter().position(|(path, via)| verdicts.of(&url(path), Some(&url(via))) == Verdict::Free);
            let Some((path, _)) = waiting.remove(first.unwrap_or(0)) else {
                crawl.ended = true;
                break;
            };
            let (outcome, links) = outcome(site(&path));
            let mut new = Vec::new();
            for link in links {
                if seen.contains(&link) {
                    continue;
                }
                let refused = verdicts.of(&url(&link), Some(&url(&path))) == Verdict::Refused;
                if refused && !verdicts.count_refused(&url(&link)) {
                    crawl.refused += 1;
                    continue;
                }
                seen.insert(link.clone());
                new.push(link.clone());
                waiting.push_back((link, path.clone()));
            }
            crawl.guard.observe(&observation(&path, outcome, &new));
            crawl.fetched.push(path);
        }
        crawl
    }

    fn fetched(&self, part: &str) -> usize {
        self.fetched.iter().filter(|path| path.contains(part)).count()
    }

    /// The measures by form, without the host.
    fn measures(&self) -> BTreeMap<String, TrapMeasure> {
        let form = |trap: &TrapRecord| trap.form.strip_prefix("http://h.test").expect("the host").to_owned();
        self.guard.traps().iter().map(|trap| (form(trap), trap.measure)).collect()
    }

    fn refuses(&self, form: &str) -> bool {
        self.measures().get(form).is_some_and(|measure| *measure >= TrapMeasure::Cut)
    }

    fn refuses_nothing(&self) -> bool {
        self.refused == 0 && self.measures().values().all(|measure| *measure <= TrapMeasure::Last)
    }
}

fn url(path: &str) -> String {
    format!("http://h.test{path}")
}

fn outcome(answer: Answer) -> (Outcome, Vec<String>) {
    match answer {
        Answer::Page(shown, links) => {
            let mut gist: Vec<u64> = shown.iter().map(|text| xxh3_64(text.as_bytes())).collect();
            gist.sort_unstable();
            gist.dedup();
            (Outcome::Page(Box::new(PageFacts { gist, ..PageFacts::default() })), links)
        }
        Answer::Redirect(target) => (Outcome::Redirected, vec![target]),
        Answer::Picture => (Outcome::Document, Vec::new()),
        Answer::Missing => (Outcome::Failed, Vec::new()),
    }
}

fn observation(path: &str, outcome: Outcome, new: &[String]) -> Observation {
    let class = LinkClass::unclassified(Apath(9));
    let new = new.iter().map(|link| NewLink::new(class, CanonicalUrl::from_canonical(url(link)))).collect();
    Observation { url: CanonicalUrl::from_canonical(url(path)), class, via: None, outcome, new }
}

fn page(shown: &[String], links: &[String]) -> Answer {
    let every_page = ["Home".to_owned(), "Search".to_owned(), "Log in".to_owned()];
    Answer::Page([shown, &every_page].concat(), links.to_vec())
}

fn number(path: &str, before: &str) -> usize {
    path.split(before).nth(1).and_then(|rest| rest.split(['/', '&']).next()?.parse().ok()).unwrap_or(0)
}

/// Articles from a start page that links to all of them; each has a text of its own and one further link.
fn articles(path: &str, count: usize, besides: impl Fn(usize) -> String) -> Answer {
    if path == "/" {
        let links: Vec<String> = (1..=count).map(|n| format!("/article/{n}")).collect();
        return page(&["Articles".to_owned()], &links);
    }
    let n = number(path, "/article/");
    page(&[format!("What article number {n} says of it")], &[besides(n)])
}

#[test]
fn a_log_in_page_that_holds_its_own_address_is_cut_off_and_then_closed() {
    let site = |path: &str| match path.strip_prefix("/login") {
        Some(_) => page(&["User name".to_owned(), "Password".to_owned()], &[format!("/login?next={path}")]),
        None => articles(path, 700, |n| format!("/login?next=/article/{n}")),
    };
    let crawl = Crawl::of(5_000, site);
    assert!(crawl.ended && crawl.fetched("/article/") >= 700);
    assert_eq!(crawl.measures(), BTreeMap::from([("/login?next=".to_owned(), TrapMeasure::Closed)]));
    let logins = crawl.fetched.iter().filter(|path| path.starts_with("/login")).count();
    assert!((290..360).contains(&logins), "{logins} of 700 and more were fetched");
}

#[test]
fn a_calendar_is_crawled_only_while_it_has_events() {
    let months = ["January", "February", "March", "April", "May", "June"];
    let site = |path: &str| {
        if !path.starts_with("/calendar/") {
            return articles(path, 50, |_| "/calendar/0/".to_owned());
        }
        let month = number(path, "/calendar/");
        // The parser leaves numbers out.
        let mut shown = vec![months[month % 6].to_owned()];
        shown.extend((month < 200).then(|| format!("The meeting about subject {month}")));
        page(&shown, &[format!("/calendar/{}/", month + 1), format!("/calendar/{}/", month.saturating_sub(1))])
    };
    let crawl = Crawl::of(5_000, site);
    assert!(crawl.ended && crawl.refuses("/calendar/N/"), "{:?}", crawl.measures());
    let months = crawl.fetched("/calendar/");
    assert!((300..=420).contains(&months), "{months} months, 200 of them with events");
}

#[test]
fn a_calendar_of_months_and_days_that_lead_to_each_other_is_a_trap_too() {
    let site = |path: &str| {
        if !path.starts_with("/calendar?") {
            return articles(path, 50, |_| "/calendar?month=0".to_owned());
        }
        let month = number(path, "month=");
        let mut links = vec![format!("/calendar?month={}", month + 1)];
        links.extend((1..=28).map(|day| format!("/calendar?month={month}&day={day}")));
        page(&["Nothing on this day".to_owned()], &links)
    };
    let crawl = Crawl::of(50_000, site);
    assert!(crawl.ended && crawl.refuses("/calendar?month="), "{:?}", crawl.measures());
    // In breadth-first order, the days of a month precede the next month: about a hundred months with 28 days.
    assert!(crawl.fetched("/calendar") < 3_200, "{}", crawl.fetched("/calendar"));
}

#[test]
fn paths_that_deepen_are_one_form_and_a_trap() {
    let site = |path: &str| match path.starts_with("/deeper/") {
        true => page(&["deeper".to_owned()], &[0, 1, 2].map(|step| format!("{path}{step}/"))),
        false => articles(path, 50, |_| "/deeper/0/".to_owned()),
    };
    let crawl = Crawl::of(50_000, site);
    assert!(crawl.ended && crawl.refuses("/deeper/N/N/N/"), "{:?}", crawl.measures());
    assert!(crawl.fetched("/deeper/") < 1_500, "{}", crawl.fetched("/deeper/"));
}

#[test]
fn options_of_a_list_that_show_it_alike_are_a_trap() {
    // Each chosen option leads to all others: 2^12 URLs of one list.
    let site = |path: &str| {
        if !path.starts_with("/list?") {
            return articles(path, 50, |_| "/list?f=0".to_owned());
        }
        let chosen = number(path, "f=");
        let links: Vec<String> = (0..12).map(|option| format!("/list?f={}", chosen ^ (1 << option))).collect();
        page(&(0..20).map(|item| format!("List item {item}")).collect::<Vec<_>>(), &links)
    };
    let crawl = Crawl::of(5_000, site);
    assert!(crawl.ended && crawl.refuses("/list?f="), "{:?}", crawl.measures());
    assert!(crawl.fetched("/list") < 500, "{}", crawl.fetched("/list"));
}

#[test]
fn short_profiles_with_nothing_but_a_name_are_all_fetched() {
    let site = |path: &str| match path.starts_with("/user/") {
        true => {
            let n = number(path, "/user/");
            // Friends, found from profile to profile.
            page(&[format!("member{n}name")], &[format!("/user/{}/", n + 1), format!("/user/{}/", n + 7)])
        }
        false => articles(path, 10, |_| "/user/1/".to_owned()),
    };
    let crawl = Crawl::of(1_500, site);
    assert!(crawl.refuses_nothing() && crawl.measures().is_empty(), "{:?}", crawl.measures());
}

#[test]
fn profiles_that_look_all_alike_are_fetched_where_others_link_to_them() {
    let site = |path: &str| match path.starts_with("/user/") {
        true => page(&["This member is shy".to_owned()], &["/".to_owned()]),
        false => articles(path, 2_000, |n| format!("/user/{n}/")),
    };
    let crawl = Crawl::of(9_000, site);
    assert!(crawl.ended && crawl.refuses_nothing(), "{:?}", crawl.measures());
    assert_eq!(crawl.fetched("/user/"), 2_000, "last, but all of them");
}

#[test]
fn a_gallery_without_words_is_crawled_to_its_end() {
    let site = |path: &str| {
        if path.ends_with(".jpg") {
            return Answer::Picture;
        }
        let n = number(path, "/photo/");
        match path {
            "/" => page(&[], &["/photo/1/".to_owned(), "/view/1/".to_owned()]),
            // The picture itself is the link's target, or is shown on the page.
            _ if path.starts_with("/photo/") && n < 800 => {
                page(&["Photo".to_owned()], &[format!("/photo/{}/", n + 1), format!("/media/{n}.jpg")])
            }
            _ if path.starts_with("/view/") && number(path, "/view/") < 800 => {
                let n = number(path, "/view/");
                page(&["View".to_owned(), format!("image /media/v{n}.jpg")], &[format!("/view/{}/", n + 1)])
            }
            _ => page(&["The end".to_owned()], &[]),
        }
    };
    let crawl = Crawl::of(9_000, site);
    assert!(crawl.ended && crawl.refuses_nothing(), "{:?}", crawl.measures());
    assert_eq!((crawl.fetched("/photo/"), crawl.fetched("/view/"), crawl.fetched(".jpg")), (800, 800, 799));
}

#[test]
fn a_board_of_a_thousand_pages_is_read_to_its_end_also_when_all_threads_are_known() {
    let site = |path: &str| match path {
        "/" => {
            let mut links: Vec<String> = (0..5_000).map(|n| format!("/thread/{n}")).collect();
            links.insert(0, "/board?page=0".to_owned());
            // All titles are known from the start.
            page(&(0..5_000).map(|n| format!("Thread {n}")).collect::<Vec<_>>(), &links)
        }
        _ if path.starts_with("/board?") => {
            let n = number(path, "page=");
            let titles: Vec<String> = (0..5).map(|k| format!("Thread {}", n * 5 + k)).collect();
            page(&titles, &(n < 999).then(|| format!("/board?page={}", n + 1)).into_iter().collect::<Vec<_>>())
        }
        _ => page(&[format!("What is said in {path}")], &[]),
    };
    let crawl = Crawl::of(9_000, site);
    assert!(crawl.ended, "{:?}", crawl.measures());
    assert!(crawl.refuses_nothing(), "{:?}", crawl.measures());
    assert_eq!(crawl.fetched("/board?"), 1_000);
    assert_eq!(crawl.fetched("/thread/"), 5_000);
}

#[test]
fn permalinks_that_show_known_text_are_put_last_and_fetched() {
    let site = |path: &str| {
        if path == "/" {
            return page(&[], &(0..200).map(|n| format!("/topic/{n}")).collect::<Vec<_>>());
        }
        let n = number(path, "/topic/");
        let posts: Vec<String> = (0..6).map(|post| format!("Topic {n} post {post}")).collect();
        page(&posts, &(0..6).map(|post| format!("/topic/{n}/?post={post}")).collect::<Vec<_>>())
    };
    let crawl = Crawl::of(9_000, site);
    assert!(crawl.ended && crawl.refuses_nothing(), "{:?}", crawl.measures());
    assert_eq!(crawl.measures().get("/topic/N/?post="), Some(&TrapMeasure::Last));
    assert_eq!(crawl.fetched("?post="), 1_200);
}

#[test]
fn redirects_to_nothing_new_are_put_last_and_errors_prove_nothing() {
    let site = |path: &str| match path {
        _ if path.starts_with("/reply/") => Answer::Redirect("/login".to_owned()),
        _ if path.starts_with("/gone/") => Answer::Missing,
        "/login" => page(&["Password".to_owned()], &[]),
        "/" => page(&[], &(0..200).flat_map(|n| [format!("/reply/{n}"), format!("/gone/{n}")]).collect::<Vec<_>>()),
        _ => Answer::Missing,
    };
    let crawl = Crawl::of(9_000, site);
    assert_eq!(crawl.measures(), BTreeMap::from([("/reply/N".to_owned(), TrapMeasure::Last)]));
    assert_eq!((crawl.fetched("/reply/"), crawl.fetched("/gone/")), (200, 200));
}

#[test]
fn a_form_that_shows_something_new_is_reopened() {
    let mut guard = StructureGuard::default();
    let mut show = |n: usize, text: &str| {
        let (outcome, _) = outcome(page(&[text.to_owned()], &[]));
        guard.observe(&observation(&format!("/month/{n}"), outcome, &[format!("/month/{}", n + 1)]));
        guard.traps().first().map_or(TrapMeasure::None, |trap| trap.measure)
    };
    let measures: Vec<TrapMeasure> = (0..120).map(|n| show(n, "nothing")).collect();
    assert!(measures.is_sorted() && measures.last() == Some(&TrapMeasure::Cut), "{measures:?}");
    assert_eq!((show(120, "an event"), show(121, "another event")), (TrapMeasure::Last, TrapMeasure::Last));
    assert_eq!(show(122, "a third event"), TrapMeasure::None);
}

#[test]
fn probes_are_too_rare_to_keep_a_trap_alive() {
    let (closed, form) = (url("/a/1"), form_of(&UrlPatterns::default(), &url("/a/1")));
    let taken = (closed.as_str(), form, TrapMeasure::Closed, Arc::default());
    let verdicts = Verdicts::new([taken].into_iter(), Arc::default());
    let probes = (0..1_000_000).filter(|n| verdicts.count_refused(&url(&format!("/a/{n}")))).count();
    assert_eq!(probes, 14, "after 64, 128, … 524,288");
    assert!(!verdicts.count_refused(&url("/b/1")), "nothing is known of it");
    assert_eq!(verdicts.of(&url("/a/1"), None), Verdict::Refused);
    assert_eq!(verdicts.of("http://other.test/a/1", None), Verdict::Free, "another host");
}

/// The measure of a form with only fruitless pages that feed it, by the definition of the tests: Wald's ratio of n such
/// pages is n times that of one.
fn measure_after(pages: usize) -> TrapMeasure {
    let ratio = pages as f64 * (0.99_f64 / 0.9).ln();
    let at = |error: f64| ratio >= -error.ln();
    match (at(1e-12), at(1e-4), at(0.05)) {
        (true, ..) => TrapMeasure::Closed,
        (_, true, _) => TrapMeasure::Cut,
        (.., true) => TrapMeasure::Last,
        _ => TrapMeasure::None,
    }
}

#[test]
fn the_measures_are_taken_after_as_many_pages_as_the_sequential_test_needs() {
    let mut guard = StructureGuard::default();
    for n in 0..400 {
        let (outcome, _) = outcome(page(&[], &[]));
        guard.observe(&observation(&format!("/x/{n}"), outcome, &[format!("/x/{}", n + 1)]));
        let measure = guard.traps().first().map_or(TrapMeasure::None, |trap| trap.measure);
        // The first page is the first to show what all pages show.
        assert!(n == 0 || measure == measure_after(n), "after {n}: {measure:?}");
    }
}

/// The same decisions from whole histories, without running sums or bounds.
#[derive(Default)]
struct Twin {
    shown: BTreeSet<u64>,
    together: BTreeSet<Vec<u64>>,
    history: Vec<(bool, bool, bool)>,
}

impl Twin {
    /// Adds a page of the single form, which shows `gist` and may lead to another page of it.
    fn see(&mut self, gist: &[u64], feeds: bool) {
        let fresh = gist.iter().filter(|hash| self.shown.insert(**hash)).count() > 0;
        let other = self.together.insert(gist.to_vec());
        self.history.push((fresh, other, feeds && !fresh));
    }

    /// The sum over the history, restarted wherever it would fall below 0.
    fn sum(&self, weight: impl Fn(bool) -> f64) -> f64 {
        let one = (0.99_f64 / 0.9).ln();
        self.history.iter().fold(0.0, |sum: f64, (fresh, other, _)| {
            (sum + if *fresh { -(10_f64.ln()) } else { weight(*other) * one }).clamp(0.0, -(1e-12_f64.ln()))
        })
    }
}

proptest! {
    #[test]
    fn one_form_is_judged_as_by_its_whole_history(pages in proptest::collection::vec((0_u64..200, any::<bool>(), 0_u64..3), 1..300)) {
        let (mut guard, mut twin) = (StructureGuard::default(), Twin::default());
        for (n, (text, feeds, rare)) in pages.into_iter().enumerate() {
            // Few texts, so that pages soon repeat what others showed.
            let gist = if rare == 0 { vec![1, 1_000 + text / 20] } else { vec![1] };
            let facts = PageFacts { gist: gist.clone(), ..PageFacts::default() };
            let new: Vec<String> = feeds.then(|| format!("/x/{}", n + 1_000)).into_iter().collect();
            guard.observe(&observation(&format!("/x/{n}"), Outcome::Page(Box::new(facts)), &new));
            twin.see(&gist, feeds);
            let measure = guard.traps().first().map_or(TrapMeasure::None, |trap| trap.measure);
            let (barren, alike) = (twin.sum(|_| 1.0), twin.sum(|other| if other { 0.05 } else { 1.0 }));
            if measure >= TrapMeasure::Cut {
                prop_assert!(alike >= 9.2 - 1e-6 && barren >= alike - 1e-6, "{} {}", alike, barren);
            } else if barren > 3.0 {
                prop_assert_eq!(measure, TrapMeasure::Last);
            } else if barren == 0.0 {
                prop_assert_eq!(measure, TrapMeasure::None);
            }
        }
    }

    #[test]
    fn whatever_a_site_answers_only_known_forms_are_measured_and_memory_of_them_is_small(
        pages in proptest::collection::vec((0_usize..6, 0_usize..40, proptest::collection::vec((0_usize..6, 0_usize..40), 0..4), 0_u64..12, 0_u8..4), 0..200),
    ) {
        let address = |kind: usize, n: usize| format!("/{}/{n}", ["a", "b", "c", "d?x=", "e/f", "g"][kind]);
        let mut guard = StructureGuard::default();
        for (kind, n, links, shown, what) in &pages {
            let outcome = match what {
                0 => Outcome::Redirected,
                1 => Outcome::Failed,
                _ => Outcome::Page(Box::new(PageFacts { gist: vec![*shown], ..PageFacts::default() })),
            };
            let new: Vec<String> = links.iter().map(|(kind, n)| address(*kind, *n)).collect();
            let before = guard.generation();
            guard.observe(&observation(&address(*kind, *n), outcome, &new));
            prop_assert!(guard.generation() - before <= 1);
        }
        prop_assert!(guard.traps().len() <= 6);
        for trap in guard.traps() {
            prop_assert!(trap.fetched >= trap.fruitful && trap.fetched > 30, "{:?}", trap);
        }
    }
}
