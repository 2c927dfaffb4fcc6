use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proptest::prelude::*;

use super::*;
use crate::{BreadthFirst, Link, NewLink, Observation, Outcome, PageFacts, Policy, Proposal, readmit};
use harvestman_core::config::url::UrlOptions;
use harvestman_core::model::{Admission, Apath, LinkClass, Priority};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, SearchTemplate};
use harvestman_structure::site::QueryOptions;

/// An inner policy that learns, so that it is shown everything.
struct Learning;

impl Policy for Learning {
    fn observe(&mut self, seen: Observation) {
        assert!(!matches!(seen.outcome, Outcome::Search(_)), "answers are the business of the searches");
    }

    fn snapshot(&mut self) -> std::sync::Arc<dyn crate::PolicySnapshot> {
        std::sync::Arc::new(BreadthFirst)
    }
}

pub(crate) fn options(queries: &[&str], samples: &[&str]) -> SearchingOptions {
    let canonicaliser = Canonicaliser::new(&UrlOptions::default()).unwrap();
    SearchingOptions {
        templates: vec![SearchTemplate::parse("http://search.test/?q={query}", &canonicaliser).unwrap()],
        own_max: 0,
        canonicaliser,
        queries: queries.iter().map(|query| (*query).to_owned()).collect(),
        samples: samples.iter().map(|text| (*text).to_owned()).collect(),
        generation: QueryOptions { tokens: 4, length: 2, max_iterations: 3, queries_max: 20 },
        each_example: false,
        counts_pages: false,
        limits: SiteLimits { requests: 100, share: 0.1 },
        read_text: Box::new(|body, _| Some(String::from_utf8_lossy(body).into_owned())),
    }
}

pub(crate) fn observation(url: &str, via: Option<&str>, outcome: Outcome, new: &[&str]) -> Observation {
    let class = LinkClass::unclassified(Apath::SEED);
    let new = new.iter().map(|url| NewLink::new(class, CanonicalUrl::from_canonical(*url))).collect();
    Observation { url: CanonicalUrl::from_canonical(url), class, via: via.map(Into::into), outcome, new }
}

pub(crate) fn page(accepted: bool) -> Outcome {
    let body = Some(("lens and zoom".into(), None));
    Outcome::Page(Box::new(PageFacts { accepted: Some(accepted), body, ..PageFacts::default() }))
}

pub(crate) fn answer(hits: u64, results: u32) -> Outcome {
    Outcome::Search(SearchReply::Answer(SearchAnswer { hits: Some(hits), results }))
}

/// The queries that are proposed now.
fn proposed(policy: &mut Searching) -> Vec<String> {
    let proposals = policy.proposals();
    assert!(proposals.iter().all(Proposal::is_query));
    proposals.into_iter().map(|proposal| proposal.url).collect()
}

#[test]
fn one_query_follows_the_other_when_the_results_were_fetched() {
    let mut policy = Searching::new(Box::new(Learning), options(&["first", "second"], &[]));
    let first = "http://search.test/?q=first";
    assert_eq!(proposed(&mut policy), [first]);
    policy.observe(observation(first, None, answer(70, 2), &["http://a.test/1", "http://b.test/1"]));
    policy.observe(observation("http://a.test/1", Some(first), page(true), &[]));
    assert!(proposed(&mut policy).is_empty(), "a result is missing");
    assert_eq!(policy.found_sites(), [Box::from("http://a.test/1")]);
    policy.observe(observation("http://b.test/1", Some(first), Outcome::Redirected, &["http://b.test/2"]));
    assert!(proposed(&mut policy).is_empty(), "the redirect leads on");
    policy.observe(observation("http://b.test/2", Some(first), page(false), &[]));
    assert_eq!(proposed(&mut policy), ["http://search.test/?q=second"]);
    assert!(policy.found_sites().is_empty());
    assert_eq!((policy.facts().queries, policy.facts().found_sites), (2, 1));
}

#[test]
fn a_site_is_found_once_and_pages_beside_searches_find_none() {
    let mut policy = Searching::new(Box::new(Learning), options(&["q"], &[]));
    let query = "http://search.test/?q=q";
    policy.observe(observation(query, None, answer(2, 2), &["http://a.test/1", "http://a.test/2"]));
    policy.observe(observation("http://c.test/", Some("http://a.test/1"), page(true), &[]));
    policy.observe(observation("http://a.test/1", Some(query), page(true), &[]));
    policy.observe(observation("http://a.test/2", Some(query), page(true), &[]));
    assert_eq!(policy.found_sites().len(), 1);
}

#[test]
fn queries_are_generated_from_the_examples_or_else_from_the_first_accepted_pages() {
    let mut policy = Searching::new(Box::new(Learning), options(&[], &["zoom zoom lens"]));
    assert_eq!(proposed(&mut policy), ["http://search.test/?q=zoom"]);
    let mut policy = Searching::new(Box::new(Learning), options(&[], &[]));
    assert!(policy.needs().body && proposed(&mut policy).is_empty());
    for number in 0..5 {
        policy.observe(observation(&format!("http://a.test/{number}"), None, page(true), &[]));
    }
    assert!(!policy.needs().body);
    assert_eq!(proposed(&mut policy).len(), 1);
}

#[test]
fn a_query_of_several_examples_is_sent_once_and_its_hits_serve_all() {
    let examples = ["zoom lens", "lens zoom", "zoom"];
    let options = SearchingOptions { each_example: true, ..options(&["lens"], &examples) };
    let mut policy = Searching::new(Box::new(Learning), options);
    let mut asked = Vec::new();
    while let Some(url) = proposed(&mut policy).pop() {
        policy.observe(observation(&url, None, answer(9, 1), &[]));
        asked.push(url.replace("http://search.test/?q=", ""));
    }
    let once: BTreeSet<&String> = asked.iter().collect();
    assert!(once.len() == asked.len() && asked.contains(&"zoom".to_owned()), "{asked:?}");
    assert!(asked.iter().any(|query| query.contains("%20")), "the hits of each word are known: {asked:?}");
}

#[test]
fn a_search_that_fails_or_answers_the_same_for_ever_is_asked_a_bounded_number_of_times() {
    let mut down = Searching::new(Box::new(Learning), options(&["a", "b", "c", "d", "e"], &["zoom lens"]));
    let mut asked = 0;
    while let Some(url) = proposed(&mut down).pop() {
        asked += 1;
        down.observe(observation(&url, None, Outcome::Failed, &[]));
    }
    assert_eq!(asked, 3);
    let note = down.note().unwrap();
    assert!(note.contains("failed and were given up") && note.contains("no search showed a result"), "{note}");

    let mut same = Searching::new(Box::new(Learning), options(&[], &["zoom lens sensor shoe flash"]));
    let mut asked = 0;
    while let Some(url) = proposed(&mut same).pop() {
        let new: &[&str] = if asked == 0 { &["http://a.test/1"] } else { &[] };
        asked += 1;
        same.observe(observation(&url, None, answer(9, 10), new));
        if asked == 1 {
            same.observe(observation("http://a.test/1", Some(&url), page(false), &[]));
        }
    }
    assert_eq!(asked, 4 + 3, "each of four words, then as many combinations as may be fruitless");
}

#[test]
fn a_resumed_crawl_sends_the_open_query_again_and_does_not_wait_for_lost_results() {
    let mut policy = Searching::new(Box::new(Learning), options(&["first", "second"], &[]));
    drop(policy.proposals());
    let first: Vec<String> = policy.open_queries().into_iter().map(|proposal| proposal.url).collect();
    assert_eq!(first, ["http://search.test/?q=first"]);
    policy.observe(observation(&first[0], None, answer(70, 2), &["http://a.test/1"]));
    let second: Vec<String> = policy.open_queries().into_iter().map(|proposal| proposal.url).collect();
    assert_eq!(second, ["http://search.test/?q=second"]);
    assert!(policy.proposals().is_empty(), "the run starts with it");
    policy.observe(observation("http://a.test/1", Some(&first[0]), page(true), &[]));
    assert_eq!(policy.found_sites().len(), 1, "a late result counts");
}

#[test]
fn queries_and_results_come_first_whenever_they_are_asked_about_and_other_links_do_not() {
    let mut policy = Searching::new(Box::new(Learning), options(&["first"], &[]));
    let (snapshot, class) = (policy.snapshot(), LinkClass::unclassified(Apath(77)));
    let pinned = Admission::Queue(class, Priority::Pinned);
    let query = "http://search.test/?q=first";
    for (url, via) in [(query, query), ("http://a.test/1", query)] {
        let new = Link::New { class, url, via, context: &[] };
        assert_eq!((snapshot.admit(&new), readmit(&*snapshot, class, url, Some(via))), (pinned, pinned), "{url}");
    }
    for (url, via) in [("http://a.test/2", Some("http://a.test/1")), ("http://a.test/", None)] {
        assert_eq!(readmit(&*snapshot, class, url, via), Admission::Queue(class, Priority::Normal), "{url}");
    }
    assert_eq!(snapshot.admit(&Link::Class(class)), Admission::Queue(class, Priority::Normal));
}

#[test]
fn links_to_a_site_that_brings_far_less_than_another_are_rejected() {
    let mut policy = Searching::new(Box::new(Learning), options(&["q"], &[]));
    let query = "http://search.test/?q=q";
    policy.observe(observation(query, None, answer(2, 2), &["http://a.test/x", "http://b.test/x"]));
    for site in ["a", "b"] {
        policy.observe(observation(&format!("http://{site}.test/x"), Some(query), page(true), &[]));
    }
    for number in 0..150 {
        policy.observe(observation(&format!("http://a.test/{number}"), None, page(true), &[]));
        policy.observe(observation(&format!("http://b.test/{number}"), None, page(false), &[]));
    }
    let snapshot = policy.snapshot();
    let class = LinkClass::unclassified(Apath(77));
    let admits = |url: &str| {
        let link = Link::New { class, url, via: "http://a.test/", context: &[] };
        snapshot.admit(&link).refusal().is_none()
    };
    assert!(admits("http://a.test/new") && !admits("http://b.test/new"));
    assert!(policy.note().unwrap().contains("http://b.test"), "{:?}", policy.note());
}

#[test]
fn results_on_a_site_whose_last_ones_were_rejected_are_passed_over_for_a_while() {
    let queries = ["q1", "q2", "q3", "q4"];
    let admits = |policy: &mut Searching, url: &str, via: &str| {
        let class = LinkClass::unclassified(Apath::SEED);
        policy.snapshot().admit(&Link::New { class, url, via, context: &[] }).refusal().is_none()
    };
    let run = |counts_pages: bool| {
        let options = SearchingOptions { counts_pages, ..options(&queries, &[]) };
        let mut policy = Searching::new(Box::new(Learning), options);
        let mut admitted = Vec::new();
        for number in 1..=4 {
            let query = format!("http://search.test/?q=q{number}");
            let result = format!("http://poor.test/{number}");
            admitted.push(admits(&mut policy, &result, &query));
            assert!(admits(&mut policy, &result, "http://a.test/") && admits(&mut policy, "http://b.test/", &query));
            let new: Vec<&str> = admitted[number - 1].then_some(result.as_str()).into_iter().collect();
            policy.observe(observation(&query, None, answer(1, 1), &new));
            if admitted[number - 1] {
                policy.observe(observation(&result, Some(&query), page(false), &[]));
            }
        }
        admitted
    };
    assert_eq!(run(false), [true, false, true, false], "after two rejected results, two queries");
    assert_eq!(run(true), [true; 4], "as printed");
}

/// Options without a search that a user named.
fn own_options(queries: &[&str]) -> SearchingOptions {
    SearchingOptions { templates: Vec::new(), own_max: 3, ..options(queries, &[]) }
}

/// A seed's page that names a search by a form, and maybe by a description.
fn seed(url: &str, form: &str, description: Option<&str>) -> Observation {
    let search =
        PageSearch { form: Some(form.into()), description: description.map(Into::into), links: Box::default() };
    let facts = PageFacts { search: Some(Box::new(search)), ..PageFacts::default() };
    observation(url, None, Outcome::Page(Box::new(facts)), &[])
}

#[test]
fn a_sites_own_search_is_asked_once_it_is_found_and_accepted_results_are_fruitful() {
    let mut policy = Searching::new(Box::new(Learning), own_options(&["zoom"]));
    assert!(proposed(&mut policy).is_empty() && policy.found_searches().is_empty());
    policy.observe(seed("http://a.test/", "http://a.test/?q={query}", Some("http://a.test/os")));
    assert_eq!(proposed(&mut policy), ["http://a.test/os"]);
    assert_eq!(
        policy.open_queries(),
        [Proposal::own_search("http://a.test/os", false)],
        "it is requested again after a resume"
    );
    let described = SearchReply::Description(Some("http://a.test/find?q={query}".into()));
    policy.observe(observation("http://a.test/os", None, Outcome::Search(described), &[]));
    assert_eq!(policy.proposals(), [Proposal::own_search("http://a.test/find?q=zoom", false)]);
    let found = policy.found_searches();
    assert!(matches!(&found[..], [FoundSearch::Description(_), FoundSearch::Search(own)] if own.links.is_empty()));
    assert_eq!(policy.open_queries(), [Proposal::own_search("http://a.test/find?q=zoom", false)]);

    let query = "http://a.test/find?q=zoom";
    policy.observe(observation(query, None, answer(1, 1), &["http://a.test/t/1"]));
    assert!(proposed(&mut policy).is_empty(), "its result is missing");
    policy.observe(observation("http://a.test/t/1", Some(query), page(true), &[]));
    assert!(policy.found_sites().is_empty(), "the site belongs to the crawl already");
    assert_eq!(proposed(&mut policy).len(), 1, "the words of the first accepted page are enough");
}

#[test]
fn a_sites_own_search_comes_after_all_else_while_links_bring_more() {
    let mut policy = Searching::new(Box::new(Learning), own_options(&["zoom", "lens"]));
    policy.observe(seed("http://a.test/", "http://a.test/?q={query}", None));
    assert_eq!(policy.proposals(), [Proposal::own_search("http://a.test/?q=zoom", false)]);
    let thread = |policy: &mut Searching, accepted| {
        policy.observe(observation("http://a.test/t/1", Some("http://a.test/"), page(accepted), &[]));
    };
    (0..30).for_each(|_| thread(&mut policy, true));
    policy.observe(observation("http://a.test/?q=zoom", None, answer(9, 0), &[]));
    let waiting = "http://a.test/?q=lens";
    assert_eq!(policy.proposals(), [Proposal::own_search(waiting, true)]);
    let class = LinkClass::unclassified(Apath::SEED);
    let priority = |policy: &mut Searching| match readmit(policy.snapshot().as_ref(), class, waiting, None) {
        Admission::Queue(_, priority) => priority,
        Admission::Reject(why) => panic!("{why:?}"),
    };
    assert_eq!(priority(&mut policy), Priority::Last);
    let generation = policy.generation();
    (0..100).for_each(|_| thread(&mut policy, false));
    assert!(proposed(&mut policy).is_empty(), "it is waited for");
    assert!(policy.generation() > generation, "waiting URLs are asked about again");
    assert_eq!(priority(&mut policy), Priority::Pinned);
}

#[test]
fn only_queries_that_were_sent_have_answers_and_linked_ones_are_not_sent() {
    let mut policy = Searching::new(Box::new(Learning), own_options(&["zoom", "lens"]));
    policy.observe(seed("http://a.test/", "http://a.test/?q={query}", None));
    assert_eq!(proposed(&mut policy), ["http://a.test/?q=zoom"]);
    let links = ["http://a.test/?q=lens", "http://a.test/?q=tag"];
    policy.observe(observation("http://a.test/tags", Some("http://a.test/"), page(false), &links));
    // It is a page like any other.
    policy.observe(observation("http://a.test/?q=tag", Some("http://a.test/tags"), page(false), &[]));
    assert!(proposed(&mut policy).is_empty());
    policy.observe(observation("http://a.test/?q=zoom", None, Outcome::Redirected, &["http://a.test/t/1"]));
    policy.observe(observation("http://a.test/t/1", Some("http://a.test/?q=zoom"), page(false), &[]));
    assert!(proposed(&mut policy).is_empty(), "the second query is the address of a page");
    assert_eq!(policy.facts().queries, 1);
}

#[test]
fn an_own_search_that_is_forbidden_or_fails_or_repeats_itself_is_given_up_and_the_note_says_so() {
    let queries = ["a", "b", "c", "d", "e", "f", "g"];
    for (outcome, times, says) in [
        (Outcome::Search(SearchReply::Forbidden), 1, "forbidden by robots.txt: http://a.test/?q={query}"),
        (Outcome::Failed, 3, "failed and were given up: http://a.test/"),
        (answer(9, 9), 3, "nothing new any more and were given up: http://a.test/"),
        (Outcome::Redirected, 3, "nothing new any more"),
    ] {
        let mut policy = Searching::new(Box::new(Learning), own_options(&queries));
        policy.observe(seed("http://a.test/", "http://a.test/?q={query}", None));
        let mut asked = 0;
        while let Some(url) = proposed(&mut policy).pop() {
            asked += 1;
            policy.observe(observation(&url, None, outcome.clone(), &[]));
        }
        let note = policy.note().unwrap();
        assert!(asked == times && note.contains(says), "{asked}: {note}");
    }
    let mut without = Searching::new(Box::new(Learning), own_options(&queries));
    assert!(without.note().unwrap().contains("no page of a seed"));
    let facts = PageFacts { search: Some(Box::default()), ..PageFacts::default() };
    without.observe(observation("http://b.test/x", None, Outcome::Page(Box::new(facts)), &[]));
    assert!(without.note().unwrap().contains("without a search on the seed's page: http://b.test"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a site's own search replies, its queries end, and each is sent once.
    #[test]
    fn queries_to_own_searches_end(replies in prop::collection::vec((0..6_u8, 0..3_usize), 1..30), described in any::<bool>()) {
        let mut policy = Searching::new(Box::new(Learning), own_options(&["one", "zoom", "one"]));
        let description = described.then_some("http://a.test/os");
        policy.observe(seed("http://a.test/", "http://a.test/find?q={query}", description));
        policy.observe(observation("http://a.test/first", Some("http://a.test/"), page(true), &["http://a.test/find?q=zoom"]));
        let mut waiting: VecDeque<(String, Option<String>)> = VecDeque::new();
        let mut asked = BTreeSet::new();
        loop {
            waiting.extend(proposed(&mut policy).into_iter().map(|url| (url, None)));
            let Some((url, via)) = waiting.pop_front() else { break };
            if via.is_some() {
                policy.observe(observation(&url, via.as_deref(), page(asked.len() % 3 > 0), &[]));
                continue;
            }
            prop_assert!(asked.insert(url.clone()) && url != "http://a.test/find?q=zoom", "{}", url);
            let (kind, count) = replies[asked.len() % replies.len()];
            let new: Vec<String> = (0..count).map(|at| format!("http://a.test/{}/{at}", asked.len())).collect();
            let outcome = match kind {
                0 => Outcome::Failed,
                1 => Outcome::Redirected,
                2 => Outcome::Search(SearchReply::Description(Some("http://b.test/?p={query}".into()))),
                3 if asked.len() > 9 => Outcome::Search(SearchReply::Forbidden),
                _ => answer(9, count as u32),
            };
            let links: Vec<&str> = new.iter().map(String::as_str).filter(|_| kind > 2).collect();
            policy.observe(observation(&url, None, outcome, &links));
            waiting.extend(links.iter().map(|result| ((*result).to_owned(), Some(url.clone()))));
            prop_assert!(asked.len() <= 3 + 2 * (4 + 20));
        }
    }

    /// Whatever searches answer and pages contain, the queries end, and each is sent once.
    #[test]
    fn queries_end(
        answers in prop::collection::vec((0..4_u64, 0..3_usize, any::<bool>()), 1..30), accepted in prop::collection::vec(any::<bool>(), 1..9),
    ) {
        let examples = ["zoom lens sensor shoe", "lens zoom flash", "flash one"];
        let options = SearchingOptions { each_example: true, ..options(&["one", "zoom", "one"], &examples) };
        let mut policy = Searching::new(Box::new(Learning), options);
        let mut waiting: VecDeque<(String, Option<String>)> =
            policy.open_queries().into_iter().map(|proposal| (proposal.url, None)).collect();
        let (mut asked, mut results, mut sites) = (BTreeSet::new(), 0_usize, BTreeMap::new());
        while let Some((url, via)) = waiting.pop_front() {
            if via.is_some() {
                results += 1;
                policy.observe(observation(&url, via.as_deref(), page(accepted[results % accepted.len()]), &[]));
            } else {
                prop_assert!(asked.insert(url.clone()));
                let (hits, new, fails) = answers[asked.len() % answers.len()];
                let new: Vec<String> = (0..new).map(|at| format!("http://s{}.test/{at}", asked.len())).collect();
                let links: Vec<&str> = new.iter().map(String::as_str).collect();
                let outcome = if fails { Outcome::Failed } else { answer(hits, new.len() as u32) };
                let links = if fails { &[][..] } else { &links };
                policy.observe(observation(&url, None, outcome, links));
                waiting.extend(links.iter().map(|result| ((*result).to_owned(), Some(url.clone()))));
            }
            waiting.extend(proposed(&mut policy).into_iter().map(|url| (url, None)));
            policy.found_sites().into_iter().for_each(|site| *sites.entry(site).or_insert(0) += 1);
            prop_assert!(asked.len() <= 2 + 4 * (4 + 20));
        }
        prop_assert!(sites.values().all(|times| *times == 1));
    }
}
