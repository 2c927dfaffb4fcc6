mod derived;
mod topic;
mod trouble;

use super::sampling::{SAMPLE_BYTES_MAX, SAMPLE_PER_PATTERN};
use super::*;
use crate::learned::templates::OUTLIER;
use crate::learned::{ClusterFacts, Destination, TopicTerms};
use crate::property_tests::holds_for_any_policy;
use crate::{Link, NewLink, PageFacts};
use harvestman_core::model::{Apath, LeafPath, LinkClass, PageText, ParsedPage};
use harvestman_core::url::CanonicalUrl;

const HOST: &str = "http://h.test";

/// Places of links.
const TO_TOPIC: u64 = 101;
const TO_POST: u64 = 102;
const TO_LIST: u64 = 103;
const TO_USER: u64 = 104;

/// The templates.
const LIST: u64 = 1;
const TOPIC: u64 = 2;
const USER: u64 = 3;

/// Parses a generated page again: its body is the number of its template, and its own.
fn reader() -> Box<ReadPage> {
    Box::new(|body: &[u8], _: Option<&str>, _: Option<&Arc<harvestman_core::model::ClassTokens>>| ParsedPage {
        leaf_paths: bag(u64::from(body[0]), u32::from(body[1])),
        ..ParsedPage::default()
    })
}

/// The leaf paths of the page of this number: pages of one template differ slightly.
fn bag(template: u64, number: u32) -> Vec<LeafPath> {
    let leaf = |path, count| LeafPath { path, count, text: None };
    vec![leaf(1, 1), leaf(100 * template, 20 + number % 7), leaf(100 * template + 1, 3)]
}

/// A text of a hundred words.
fn text(number: u64) -> PageText {
    let words: Vec<u32> = (0..100).map(|word| 1_000 * number as u32 + word).collect();
    let mut text = PageText::default();
    text.push(&words, false, false);
    text
}

/// A crawl of a generated forum, which the learner observes fetch by fetch.
struct Driver {
    policy: LearnedPolicy,
    snapshot: Arc<dyn PolicySnapshot>,
    /// The templates of the pages.
    templates: HashMap<String, u64>,
}

impl Driver {
    fn new(goal: Goal) -> Self {
        Self::tuned(goal, Tuning::default())
    }

    fn tuned(goal: Goal, tuning: Tuning) -> Self {
        let mut policy = LearnedPolicy::new(goal, tuning, 1, reader());
        let snapshot = policy.snapshot();
        Self { policy, snapshot, templates: HashMap::new() }
    }

    /// The class of a link to `path` at `place` on the page `via`.
    fn class(&self, (via, place): (&str, u64), path: &str) -> LinkClass {
        let cluster =
            self.templates.get(via).map_or(ClusterId::UNKNOWN, |template| self.snapshot.cluster(&bag(*template, 0)));
        LinkClass::at(cluster, Apath(place)).with_pattern(self.snapshot.pattern(&format!("{HOST}{path}")))
    }

    fn score(&self, at: (&str, u64), path: &str) -> f64 {
        self.snapshot.score(self.class(at, path))
    }

    fn fetch(&mut self, at: (&str, u64), path: &str, outcome: Outcome, new: &[(u64, String)]) {
        let url = |path: &str| CanonicalUrl::from_canonical(format!("{HOST}{path}"));
        let class = self.class(at, path);
        let new = new.iter().map(|(place, to)| NewLink::new(self.class((path, *place), to), url(to))).collect();
        let via = Some(url(at.0).as_str().into());
        self.policy.observe(Observation { url: url(path), class, via, outcome, new });
        self.snapshot = self.policy.snapshot();
    }

    fn page(&mut self, at: (&str, u64), path: &str, template: u64, text: PageText, new: &[(u64, String)]) {
        self.page_read_or_not(at, path, template, Some(text), new);
    }

    fn page_read_or_not(
        &mut self,
        at: (&str, u64),
        path: &str,
        template: u64,
        text: Option<PageText>,
        new: &[(u64, String)],
    ) {
        let number = self.templates.len() as u8;
        self.templates.insert(path.to_owned(), template);
        let facts = PageFacts {
            bag: bag(template, number.into()),
            text,
            body: Some((bytes::Bytes::from(vec![template as u8, number]), None)),
            ..PageFacts::default()
        };
        self.fetch(at, path, Outcome::Page(Box::new(facts)), new);
    }
}

const ROOT: (&str, u64) = ("/list/0", TO_LIST);

fn like(path: &str) -> Goal {
    Goal::Like { examples: vec![format!("{HOST}{path}")], duplicate_worth: 0.5 }
}

/// A list with three topics, each with a permalink that is fetched before it, and a profile without content.
fn crawl(goal: Goal, lists: u64) -> Driver {
    let mut driver = Driver::new(goal);
    show_forum(&mut driver, lists);
    driver
}

fn show_forum(driver: &mut Driver, lists: u64) {
    for list in 0..lists {
        let here = format!("/list/{list}");
        let numbers = 3 * list..3 * list + 3;
        let links = numbers.clone().flat_map(|number| {
            let to = [(TO_POST, format!("/topic/{number}?post={number}")), (TO_TOPIC, format!("/topic/{number}"))];
            to.into_iter().chain([(TO_USER, format!("/user/{number}"))])
        });
        driver.page(ROOT, &here, LIST, PageText::default(), &links.collect::<Vec<_>>());
        for number in numbers {
            driver.page((&here, TO_POST), &format!("/topic/{number}?post={number}"), TOPIC, text(number), &[]);
            driver.page((&here, TO_TOPIC), &format!("/topic/{number}"), TOPIC, text(number), &[]);
            driver.page((&here, TO_USER), &format!("/user/{number}"), USER, PageText::default(), &[]);
        }
    }
}

#[test]
fn a_page_that_was_not_read_counts_as_its_class_is_expected_to() {
    let mut driver = crawl(Goal::Content, 20);
    let at = ("/list/19", TO_TOPIC);
    let scores = |driver: &Driver| (driver.score(at, "/topic/900"), driver.score(("/list/19", TO_USER), "/user/900"));
    let before = scores(&driver);
    for number in 200..240 {
        driver.page_read_or_not(at, &format!("/topic/{number}"), TOPIC, None, &[]);
        driver.page_read_or_not(("/list/19", TO_USER), &format!("/user/{number}"), USER, None, &[]);
    }
    let after = scores(&driver);
    assert!((after.0 - before.0).abs() < 0.05 && (after.1 - before.1).abs() < 0.05, "{before:?} {after:?}");
    let yielded = driver.snapshot.recent_yield().unwrap();
    assert!((0.3..0.7).contains(&yielded), "every second page was wanted: {yielded}");
    // Classes are named anew, and all is counted again.
    driver.policy.update_model();
    driver.snapshot = driver.policy.snapshot();
    let recounted = scores(&driver);
    assert!((recounted.0 - before.0).abs() < 0.1 && (recounted.1 - before.1).abs() < 0.1, "{before:?} {recounted:?}");
}

#[test]
fn the_learner_is_a_policy_for_every_goal() {
    holds_for_any_policy(|seed| Box::new(LearnedPolicy::new(Goal::Content, Tuning::default(), seed.0, reader())));
    let goal = like("/topic/1");
    let accepted = Goal::Accepted { examples: Vec::new(), duplicate_worth: 0.5 };
    let topic = Goal::Topic { terms: TopicTerms::new(["3", "topic"]), duplicate_worth: 0.5 };
    for goal in [goal, accepted, topic] {
        holds_for_any_policy(|seed| Box::new(LearnedPolicy::new(goal.clone(), Tuning::default(), seed.0, reader())));
    }
}

#[test]
fn a_view_like_the_example_is_no_duplicate_of_the_page_and_the_page_none_of_it() {
    let duplicates = |goal: Goal| {
        let driver = crawl(goal, 8);
        let topics = driver.policy.log.iter().filter(|entry| entry.url.as_str().contains("/topic/"));
        topics.filter(|entry| entry.page.is_some_and(|page| page.duplicate)).count()
    };
    assert_eq!((duplicates(like("/topic/1?post=1")), duplicates(like("/topic/1"))), (0, 24));
}

#[test]
fn permalinks_are_learned_to_be_worth_nothing_even_where_they_come_first() {
    let driver = crawl(Goal::Content, 8);
    let list = "/list/7";
    let permalink = driver.score((list, TO_POST), "/topic/900?post=900");
    let topic = driver.score((list, TO_TOPIC), "/topic/901");
    assert!(permalink < 0.3 * topic, "{permalink} {topic}");
    assert!(driver.policy.log.iter().all(|entry| {
        let is_permalink = entry.url.as_str().contains("post=");
        entry.page.is_some_and(|page| page.duplicate == is_permalink) && (!is_permalink || entry.worth.value == 0.0)
    }));
}

#[test]
fn of_two_alike_pages_the_one_whose_kind_shows_nothing_else_is_the_duplicate() {
    let mut driver = Driver::new(Goal::Content);
    for number in 0..60 {
        // Half of the questions have no answer yet: the page of their revisions is like them, with a shorter address.
        let mut shown = text(2 * number);
        if number % 2 == 1 {
            text(2 * number + 1).runs().for_each(|(_, words)| shown.push(words, false, false));
        }
        let question = format!("/question/{number}/a-title-of-it");
        driver.page(ROOT, &question, TOPIC, shown, &[]);
        driver.page((&question, TO_POST), &format!("/r/{number}/all"), USER, text(2 * number), &[]);
    }
    for entry in driver.policy.log.iter().skip(60) {
        let is_revision = entry.url.as_str().contains("/r/");
        assert_eq!(entry.page.map(|page| page.duplicate), Some(is_revision), "{}", entry.url.as_str());
    }
}

#[test]
fn lists_come_after_topics_and_before_what_brings_nothing() {
    let driver = crawl(Goal::Content, 8);
    let (topic, list, user) = (
        driver.score(("/list/7", TO_TOPIC), "/topic/900"),
        driver.score(ROOT, "/list/900"),
        driver.score(("/list/7", TO_USER), "/user/900"),
    );
    assert!(topic > list && list > user, "{topic} {list} {user}");
}

#[test]
fn redirects_documents_and_errors_are_worth_nothing() {
    for nothing in [Outcome::Redirected, Outcome::Document, Outcome::Failed] {
        let mut driver = crawl(Goal::Content, 4);
        let before = driver.score(("/list/3", 200), "/go/1");
        (0..20).for_each(|number| driver.fetch(("/list/3", 200), &format!("/go/{number}"), nothing.clone(), &[]));
        let after = driver.score(("/list/3", 200), "/go/1");
        assert!(after < 0.5 * before, "{nothing:?}: {after}");
    }
}

#[test]
fn pages_like_the_example_come_first_and_second_views_of_them_after_them() {
    let goal = like("/topic/0");
    let driver = crawl(goal, 8);
    let list = "/list/7";
    let topic = driver.score((list, TO_TOPIC), "/topic/900");
    let permalink = driver.score((list, TO_POST), "/topic/900?post=900");
    let (user, list) = (driver.score((list, TO_USER), "/user/900"), driver.score(ROOT, "/list/900"));
    assert!(topic > 0.8 && permalink < 0.8 * topic, "{topic} {permalink}");
    assert!(user < permalink && user < list && list < topic, "{topic} {permalink} {list} {user}");
}

#[test]
fn pages_of_the_examples_template_come_first_where_addresses_tell_nothing() {
    let goal = like("/page/0");
    let mut driver = Driver::new(goal);
    for list in 0..10 {
        let here = format!("/list/{list}");
        driver.page(ROOT, &here, LIST, PageText::default(), &[]);
        for number in 4 * list..4 * list + 4 {
            let (place, template) = if number % 2 == 0 { (TO_TOPIC, TOPIC) } else { (TO_USER, USER) };
            driver.page((&here, place), &format!("/page/{number}"), template, text(number), &[]);
        }
    }
    let wanted = driver.score(("/list/9", TO_TOPIC), "/page/900");
    let others = [driver.score(("/list/9", TO_USER), "/page/901"), driver.score(ROOT, "/list/900")];
    assert!(others.iter().all(|other| *other < wanted), "{wanted} {others:?}");
}

#[test]
fn templates_are_learned_from_the_pages_that_were_kept() {
    let driver = crawl(Goal::Content, 8);
    let templates = driver.policy.templates().expect("there were model_updates");
    assert_eq!(templates.clusters(), 3);
    let clusters = [LIST, TOPIC, USER].map(|template| driver.snapshot.cluster(&bag(template, 7)));
    assert_eq!(clusters.into_iter().collect::<std::collections::BTreeSet<_>>(), [2, 3, 4].map(ClusterId).into());
}

#[test]
fn model_updates_happen_at_growing_numbers_of_pages_until_the_site_is_known() {
    let mut policy = LearnedPolicy::new(Goal::Content, Tuning::default(), 1, reader());
    let mut model_updates = Vec::new();
    for number in 0..UPDATES_END + 1_000 {
        let url = CanonicalUrl::from_canonical(format!("{HOST}/{number}"));
        let outcome = Outcome::Page(Box::default());
        let class = LinkClass::unclassified(Apath(1));
        let before = policy.generation;
        policy.observe(Observation { url, class, via: None, outcome, new: Vec::new() });
        if policy.generation > before {
            model_updates.push(number + 1);
        }
    }
    assert_eq!(model_updates[..3], [FIRST_UPDATE, 19, 30]);
    assert!(model_updates.windows(3).all(|three| three[2] - three[1] >= three[1] - three[0]));
    assert!(model_updates.len() < 25 && model_updates.last().is_some_and(|last| *last <= UPDATES_END));
    assert_eq!(policy.version as usize, UPDATES_END + 1_000);
}

#[test]
fn bodies_are_needed_and_kept_until_the_sample_is_full() {
    let mut driver = Driver::new(Goal::Content);
    driver.policy.next_update = UPDATES_END;
    assert!(driver.policy.needs().body && driver.policy.needs().words);
    let max = driver.policy.tuning.sample_max;
    for number in 0..2 * max {
        driver.page(ROOT, &format!("/{}/{number}", "k".repeat(1 + number % 40)), TOPIC, PageText::default(), &[]);
    }
    assert_eq!((driver.policy.needs().body, driver.policy.sample.len()), (false, max));
    assert!(driver.policy.sampled.values().all(|pages| *pages <= SAMPLE_PER_PATTERN));
}

#[test]
fn a_sample_of_large_pages_ends_at_its_bytes() {
    let mut driver = Driver::new(Goal::Content);
    driver.policy.next_update = UPDATES_END;
    let large = bytes::Bytes::from(vec![0_u8; SAMPLE_BYTES_MAX / 4]);
    for number in 0..10 {
        let facts = PageFacts { body: Some((large.clone(), None)), ..PageFacts::default() };
        driver.fetch(ROOT, &format!("/topic/{number}"), Outcome::Page(Box::new(facts)), &[]);
    }
    assert_eq!(driver.policy.sample.len(), 4);
}

#[test]
fn counting_the_log_again_changes_nothing_where_classes_are_unchanged() {
    let mut driver = crawl(Goal::Content, 8);
    driver.policy.update_model();
    let before: Vec<_> = driver.policy.log.iter().map(|entry| (entry.class, entry.worth.value)).collect();
    driver.policy.recount();
    let after: Vec<_> = driver.policy.log.iter().map(|entry| (entry.class, entry.worth.value)).collect();
    assert_eq!(before, after);
}

#[test]
fn the_same_crawl_gives_the_same_model() {
    let [one, other] = [1, 1].map(|_| crawl(Goal::Content, 6));
    for (place, path) in [(TO_TOPIC, "/topic/9"), (TO_POST, "/topic/9?post=1"), (TO_USER, "/user/9"), (999, "/x")] {
        assert_eq!(one.score(("/list/1", place), path), other.score(("/list/1", place), path));
    }
}

fn learn_from(goal: Goal, model: SiteModel) -> LearnedPolicy {
    LearnedPolicy::from_model(goal, Tuning::default(), 1, reader(), model)
}

#[test]
fn a_crawl_that_begins_with_a_model_scores_and_classifies_as_the_one_that_made_it() {
    let mut driver = crawl(Goal::Content, 8);
    driver.policy.update_model();
    driver.snapshot = driver.policy.snapshot();
    let bytes = driver.policy.model().to_bytes().unwrap();
    let mut next = learn_from(Goal::Content, SiteModel::from_bytes(&bytes).unwrap());
    let snapshot = next.snapshot();
    for template in [LIST, TOPIC, USER, 99] {
        assert_eq!(snapshot.cluster(&bag(template, 7)), driver.snapshot.cluster(&bag(template, 7)));
    }
    for (place, path) in [(TO_TOPIC, "/topic/99"), (TO_POST, "/topic/99?post=1"), (TO_USER, "/user/99"), (999, "/x")] {
        let class = driver.class(("/list/1", place), path);
        assert_eq!(snapshot.pattern(&format!("{HOST}{path}")), class.pattern);
        assert_eq!(snapshot.score(class), driver.snapshot.score(class));
    }
}

#[test]
fn a_crawl_that_begins_with_a_model_continues_to_count_but_has_no_model_updates() {
    let model = crawl(Goal::Content, 8).policy.model();
    let mut driver = Driver { policy: learn_from(Goal::Content, model), ..Driver::new(Goal::Content) };
    driver.snapshot = driver.policy.snapshot();
    assert!(!driver.policy.needs().body);
    let before = driver.score(("/list/1", TO_USER), "/user/1");
    for number in 0..100_u64 {
        driver.page(("/list/1", TO_USER), &format!("/user/{number}"), USER, text(500 + number), &[]);
    }
    assert_eq!(driver.snapshot.generation(), 0);
    assert!(driver.score(("/list/1", TO_USER), "/user/1") > before + 0.3, "profiles say something now");
}

#[test]
fn a_crawl_that_begins_with_a_model_knows_its_examples_cluster_when_it_meets_the_example() {
    let goal = || like("/topic/900");
    let model = crawl(goal(), 8).policy.model();
    let mut driver = Driver { policy: learn_from(goal(), model), ..Driver::new(goal()) };
    assert_eq!(driver.policy.examples.all()[0].likeness.cluster, None);
    driver.page(("/list/1", TO_TOPIC), "/topic/900", TOPIC, text(900), &[]);
    assert_eq!(driver.policy.examples.all()[0].likeness.cluster, Some(driver.snapshot.cluster(&bag(TOPIC, 7))));
}

#[test]
fn a_models_facts_describe_what_was_seen() {
    let mut driver = crawl(Goal::Content, 8);
    driver.policy.update_model();
    let facts = driver.policy.model().facts;
    assert_eq!((&facts.hosts[..], facts.pages), (&[HOST.to_owned()][..], 80));
    // Rare pages may be of several clusters, or outliers.
    let of = |kind: &str| {
        let begin = format!("{HOST}/{kind}/");
        let is_of = |cluster: &&ClusterFacts| cluster.examples.iter().all(|url| url.starts_with(&begin));
        facts.clusters.iter().filter(is_of).collect::<Vec<_>>()
    };
    let pages = |clusters: &[&ClusterFacts]| clusters.iter().map(|cluster| cluster.pages).sum::<u64>();
    let (lists, topics, users) = (of("list"), of("topic"), of("user"));
    assert_eq!([&lists, &topics, &users].map(|clusters| pages(clusters)), [8, 48, 24]);
    assert!(topics[0].worth > 0.3 && users[0].worth == 0.0);
    assert_eq!((topics[0].links, &topics[0].classes[..]), (0, &[][..]));
    let third = 1.0 / 3.0;
    let expected = [(TO_TOPIC, "/topic/N", third), (TO_POST, "/topic/N?post=*", third), (TO_USER, "/user/N", third)];
    for list in lists {
        assert_eq!(list.links, 9 * list.pages);
        let classes = &list.classes[..3];
        let driver = classes.iter().map(|class| (class.apath.0, class.pattern.as_str(), class.share));
        assert_eq!(driver.collect::<Vec<_>>(), expected);
        let to_user = Destination { cluster: Some(users[0].cluster), fetches: 3 * list.pages };
        assert_eq!(classes[2].leads_to, [to_user]);
    }
}

/// Shows `lists` more lists with three topics each, with these templates.
fn show_lists(driver: &mut Driver, lists: std::ops::Range<u64>, list_template: u64, topic_template: u64) {
    for list in lists {
        let here = format!("/list/{list}");
        driver.page(ROOT, &here, list_template, PageText::default(), &[]);
        for number in 3 * list..3 * list + 3 {
            driver.page((&here, TO_TOPIC), &format!("/topic/{number}"), topic_template, text(number), &[]);
        }
    }
}

/// The clusters of a template's pages: pages that differ may be of several.
fn clusters_of(driver: &Driver, template: u64) -> std::collections::BTreeSet<ClusterId> {
    (0..7).map(|number| driver.snapshot.cluster(&bag(template, number))).collect()
}

/// A learner without further regular model updates, after this number of lists of the generated forum.
fn settled(lists: u64) -> Driver {
    let mut driver = Driver::new(Goal::Content);
    show_lists(&mut driver, 0..lists, LIST, TOPIC);
    driver.policy.update_model();
    driver.policy.next_update = usize::MAX;
    driver.snapshot = driver.policy.snapshot();
    driver
}

#[test]
fn a_redesign_is_noticed_and_its_pages_get_clusters() {
    const NEW_LIST: u64 = 7;
    const NEW_TOPIC: u64 = 8;
    let mut driver = settled(30);
    assert!(!driver.policy.needs().body);
    let (generation, old) = (driver.snapshot.generation(), clusters_of(&driver, TOPIC));
    show_lists(&mut driver, 30..90, NEW_LIST, NEW_TOPIC);
    assert!(driver.policy.needs().body, "pages are sampled again");
    show_lists(&mut driver, 90..200, NEW_LIST, NEW_TOPIC);
    let (lists, topics) = (clusters_of(&driver, NEW_LIST), clusters_of(&driver, NEW_TOPIC));
    assert!(!topics.contains(&OUTLIER) && lists.is_disjoint(&topics), "{lists:?} {topics:?}");
    assert!(topics.is_disjoint(&old) && lists.is_disjoint(&old), "a name keeps its meaning");
    assert_eq!((driver.policy.facts().drifts, driver.snapshot.generation()), (1, generation + 1));
    assert!(driver.policy.sample.len() <= driver.policy.tuning.sample_max);
    let bytes: usize = driver.policy.sample.iter().map(|page| page.body.len()).sum();
    assert_eq!(driver.policy.sample_bytes, bytes);
    for entry in driver.policy.log.iter() {
        assert!(entry.page.unwrap().sample.is_none_or(|at| (at as usize) < driver.policy.sample.len()));
    }
}

#[test]
fn waiting_links_are_decided_about_again_as_the_crawl_grows_where_links_are_rejected() {
    let mut driver = Driver::tuned(Goal::Content, Tuning { followed_from: Some(0.25), ..Tuning::default() });
    show_forum(&mut driver, 60);
    let (at, post, topic) = (("/list/59", TO_POST), "/topic/900?post=900", "/topic/900");
    let refused = |driver: &Driver, (via, place), path: &str| {
        let class = driver.class((via, place), path);
        let url = format!("{HOST}{path}");
        driver.snapshot.admit(&Link::Waiting { class, url: &url, via: None }).refusal().is_some()
    };
    assert!(refused(&driver, at, post) && !refused(&driver, ("/list/59", TO_TOPIC), topic));
    let (updates, generation) = (driver.policy.facts().model_updates, driver.snapshot.generation());
    // Each update of the model, and each tenth more observations.
    assert!(generation > updates && generation < 60, "{generation} after {updates} updates");
    let facts = driver.policy.site_facts(None).unwrap();
    let classes = facts.clusters.iter().flat_map(|cluster| &cluster.classes);
    let found: Vec<_> = classes.map(|class| (class.pattern.contains("post="), class.refused)).collect();
    assert!(found.contains(&(true, true)) && found.contains(&(false, false)), "{facts:?}");
}

#[test]
fn an_unchanged_site_is_not_learned_again() {
    let mut driver = settled(30);
    let generation = driver.snapshot.generation();
    show_lists(&mut driver, 30..400, LIST, TOPIC);
    assert_eq!((driver.policy.facts().drifts, driver.snapshot.generation()), (0, generation));
}

#[test]
fn a_site_that_was_redesigned_since_its_model_was_made_is_learned_again() {
    let model = settled(30).policy.model();
    let mut driver = Driver { policy: learn_from(Goal::Content, model), ..Driver::new(Goal::Content) };
    driver.snapshot = driver.policy.snapshot();
    let old = clusters_of(&driver, TOPIC);
    show_lists(&mut driver, 0..150, 7, 8);
    assert_eq!(driver.policy.facts().drifts, 1);
    let new = clusters_of(&driver, 8);
    assert!(!new.contains(&OUTLIER) && new.is_disjoint(&old), "{old:?} {new:?}");
}
