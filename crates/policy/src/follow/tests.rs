use std::sync::Arc;

use parking_lot::Mutex;

use super::*;
use crate::learned::{Goal, LearnedPolicy, TopicTerms, Tuning};
use crate::{Link, NewLink, Outcome, PageFacts, PlacedLink};
use harvestman_core::model::{Apath, LeafPath, LinkClass, PageText, ParsedPage};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

/// Parses a generated page again: its body is the number of its template, and its own.
pub(super) fn reader() -> Box<ReadPage> {
    Box::new(|body: &[u8], _: Option<&str>, _: Option<&Arc<harvestman_core::model::ClassTokens>>| ParsedPage {
        leaf_paths: bag(u64::from(body[0]), u32::from(body[1])),
        ..ParsedPage::default()
    })
}

/// Pages of one template differ slightly.
fn bag(template: u64, number: u32) -> Vec<LeafPath> {
    let leaf = |path, count| LeafPath { path, count, text: None };
    vec![leaf(1, 1), leaf(100 * template, 20 + number % 7), leaf(100 * template + 1, 3)]
}

fn lead() -> PolicyLeader {
    lead_to(Goal::Content)
}

fn lead_to(goal: Goal) -> PolicyLeader {
    PolicyLeader::new(Box::new(LearnedPolicy::new(goal, Tuning::default(), 1, reader())), reader()).unwrap()
}

/// Pages that a validator accepts, and items with a tag: every other topic.
fn goals() -> [Goal; 2] {
    [
        Goal::Accepted { examples: Vec::new(), duplicate_worth: 0.5 },
        Goal::Topic { terms: TopicTerms::new(["macro"]), duplicate_worth: 0.0 },
    ]
}

fn url(template: u64, number: u32) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("http://h.test/{}/{number}", ["list", "topic", "user"][template as usize % 3]))
}

/// A page of a generated forum: lists link to topics, topics have content, users nothing new.
fn seen(number: u32) -> Observation {
    let template = u64::from(number % 3);
    let word = |at: u32| if template == 1 { number * 1_000 + at } else { at };
    let mut text = PageText::default();
    text.push(&(0..100).map(word).collect::<Vec<_>>(), false, false);
    let class = LinkClass::unclassified(Apath(100 + template));
    let new = if template == 0 { vec![NewLink::new(class, url(1, 1_000 + number))] } else { Vec::new() };
    let facts = PageFacts {
        bag: bag(template, number),
        text: Some(text),
        body: Some((vec![template as u8, (number % 250) as u8].into(), None)),
        ..PageFacts::default()
    };
    let via = Some(url(0, number.saturating_sub(1)).as_str().into());
    Observation { url: url(template, number), class, via, outcome: Outcome::Page(Box::new(facts)), new }
}

/// The same forum, for goals that are told by pages and what stands around links: each list links to the topic that is
/// fetched next. Every other topic is wanted, which is said beside the link, and has a tag.
fn wanted(number: u32) -> Observation {
    const TAG: &str = "http://h.test/tag/macro";
    const OTHER: &str = "http://h.test/tag/cars";
    let mut page = seen(number);
    let is_wanted = number % 6 == 1;
    if let Outcome::Page(facts) = &mut page.outcome {
        let tag = PlacedLink::new(Apath(50), Fingerprint::of(if is_wanted { TAG } else { OTHER }));
        (facts.accepted, facts.links) = (Some(is_wanted), (number % 3 == 1).then_some(tag).into_iter().collect());
    }
    for link in &mut page.new {
        (link.url, link.context) = (url(1, number + 1), Box::new([number % 2, 7]));
    }
    if number == 0 {
        page.new.push(NewLink::new(page.class, CanonicalUrl::from_canonical(TAG)));
    }
    page
}

/// A fleet of one node: observations go to the leader at once.
pub(super) struct SingleNode {
    lead: Mutex<PolicyLeader>,
    published: Mutex<Arc<PublishedPolicy>>,
    reader: Mutex<Reader>,
}

impl SingleNode {
    fn new() -> Arc<Self> {
        Self::with(lead())
    }

    pub(super) fn with(lead: PolicyLeader) -> Arc<Self> {
        let published = lead.published();
        let reader = Mutex::new(Reader::new(&published));
        Arc::new(Self { lead: Mutex::new(lead), published: Mutex::new(Arc::new(published)), reader })
    }

    pub(super) fn publish(&self, version: u64) -> Publication {
        let publication = self.lead.lock().publication().unwrap();
        let publication = Publication::from_bytes(&publication.to_bytes()).unwrap();
        let before = self.published();
        let published = self.reader.lock().read(&publication, version, &before).unwrap();
        *self.published.lock() = Arc::new(published);
        publication
    }
}

impl LeaderLink for SingleNode {
    fn published(&self) -> Arc<PublishedPolicy> {
        Arc::clone(&self.published.lock())
    }

    fn show(&self, seen: Observation, class_model: ClassModelId) {
        self.lead.lock().show(seen, class_model);
    }

    fn proposals(&self) -> Vec<Proposal> {
        self.lead.lock().proposals()
    }

    fn site_model(&self, read: &mut ReadPage) -> Option<SiteModel> {
        self.lead.lock().site_model(read)
    }

    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts> {
        self.lead.lock().site_facts(read)
    }
}

fn classes(snapshot: &dyn PolicySnapshot) -> Vec<LinkClass> {
    let numbers = (0..30).map(seen);
    numbers.map(|seen| snapshot.class_of(seen.class, seen.url.as_str(), seen.via.as_deref())).collect()
}

#[test]
fn a_follower_decides_exactly_as_the_leaders_policy() {
    let leader = SingleNode::new();
    let (mut follower, mut own) = (FollowerPolicy::new(Arc::clone(&leader) as _), lead());
    let mut generation = 0;
    for number in 0..120 {
        own.show(seen(number), leader.published().class_model);
        follower.observe(seen(number));
        assert!(!follower.has_news());
        if number % 10 == 9 {
            leader.publish(u64::from(number));
            assert!(follower.has_news() && follower.learns_elsewhere());
            let (snapshot, twin) = (follower.snapshot(), own.policy_snapshot());
            assert_eq!(snapshot.version(), u64::from(number));
            assert!(snapshot.generation() >= generation);
            generation = snapshot.generation();
            assert_eq!(classes(&*snapshot), classes(&*twin));
            for class in classes(&*twin) {
                assert_eq!(snapshot.score(class).to_bits(), twin.score(class).to_bits());
            }
            for template in 0..3 {
                assert_eq!(snapshot.cluster(&bag(template, 3)), twin.cluster(&bag(template, 3)));
            }
        }
    }
    assert!(generation > 2 && follower.facts().clusters >= 2, "{generation}, {:?}", follower.facts());
    assert_eq!(follower.site_model(&mut *reader()).map(|model| model.facts.pages), Some(120));
}

#[test]
fn a_follower_predicts_links_exactly_as_the_leaders_policy() {
    for goal in goals() {
        let leader = SingleNode::with(lead_to(goal.clone()));
        let (mut follower, mut own) = (FollowerPolicy::new(Arc::clone(&leader) as _), lead_to(goal));
        let mut predicted = 0;
        for number in 0..240 {
            own.show(wanted(number), leader.published().class_model);
            follower.observe(wanted(number));
            if number % 10 != 9 {
                continue;
            }
            leader.publish(u64::from(number));
            let (snapshot, twin) = (follower.snapshot(), own.policy_snapshot());
            for seen in (0..=number + 1).map(wanted) {
                let via = seen.via.as_deref();
                let class = snapshot.class_of(seen.class, seen.url.as_str(), via);
                assert_eq!(class, twin.class_of(seen.class, seen.url.as_str(), via));
                assert_eq!(snapshot.score(class).to_bits(), twin.score(class).to_bits());
                predicted += usize::from(class.stored_pattern() != snapshot.pattern(seen.url.as_str()));
                for NewLink { class, url, context } in &seen.new {
                    let new = Link::New { class: *class, url: url.as_str(), via: seen.url.as_str(), context };
                    assert_eq!(snapshot.admit(&new), twin.admit(&new));
                }
            }
        }
        assert!(predicted > 500 && follower.facts().wanted > Some(30), "{predicted}, {:?}", follower.facts());
    }
}

#[test]
fn links_that_were_found_under_another_class_model_are_predicted_by_what_stands_around_them() {
    for goal in goals() {
        let (mut at_once, mut late) = (lead_to(goal.clone()), lead_to(goal));
        for number in 0..240 {
            let model = at_once.published().class_model;
            let mut known = wanted(number);
            crate::update_observation(&*at_once.published().snapshot, &mut *reader(), &mut known, true);
            at_once.show(known, model);
            late.show(wanted(number), ClassModelId(1));
        }
        assert_eq!(at_once.publication(), late.publication());
    }
}

#[test]
fn the_same_observations_in_the_same_order_give_the_same_publications() {
    let (mut one, mut other) = (lead(), lead());
    for number in 0..80 {
        // Read under a class model that neither has any more: both parse the page again.
        let class_model = ClassModelId(u64::from(number % 4));
        one.show(seen(number), class_model);
        other.show(seen(number), class_model);
        if number == 40 {
            // The time of a publication changes nothing of what is learned.
            assert!(one.publication().is_some());
        }
    }
    assert_eq!(one.publication(), other.publication());
    assert!(one.publication().unwrap().facts.model_updates > 1);
}

#[test]
fn pages_that_were_read_under_another_class_model_are_parsed_again() {
    let (mut whole, mut spoilt, mut trusting) = (lead(), lead(), lead());
    for number in 0..60 {
        let mut wrong = seen(number);
        if let Outcome::Page(page) = &mut wrong.outcome {
            page.bag = Vec::new();
        }
        whole.show(seen(number), ClassModelId(1));
        spoilt.show(wrong.clone(), ClassModelId(1));
        let own = trusting.published().class_model;
        trusting.show(wrong, own);
    }
    assert_eq!(whole.publication(), spoilt.publication());
    assert_ne!(whole.publication(), trusting.publication());
}

#[test]
fn another_class_model_is_another_generation_and_the_same_one_is_read_once() {
    let leader = SingleNode::new();
    (0..30).for_each(|number| leader.show(seen(number), ClassModelId(1)));
    let first = leader.publish(1);
    let before = leader.published();
    assert_eq!(leader.publish(2), first);
    assert_eq!(leader.published().snapshot.generation(), before.snapshot.generation());
    // Another leader, which has seen less and counts its model updates from 0.
    let mut younger = lead();
    (0..14).for_each(|number| younger.show(seen(number), ClassModelId(1)));
    let publication = younger.publication().unwrap();
    assert!(publication.generation < first.generation);
    let published = leader.reader.lock().read(&publication, 3, &before).unwrap();
    assert!(published.snapshot.generation() > before.snapshot.generation());
    assert!(Publication::from_bytes(b"nonsense").is_err());
}
