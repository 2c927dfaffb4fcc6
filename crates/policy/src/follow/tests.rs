use std::sync::Arc;

use parking_lot::Mutex;

use super::*;
use crate::learned::{Goal, Learned, Tuning};
use crate::{NewLink, Outcome, PageFacts};
use harvestman_core::model::{Apath, LeafPath, LinkClass, PageText, ParsedPage};
use harvestman_core::url::CanonicalUrl;

/// Parses a generated page again: its body is the number of its template, and its own.
fn reader() -> Box<ReadPage> {
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
    PolicyLeader::new(Box::new(Learned::new(Goal::Content, Tuning::default(), 1, reader())), reader()).unwrap()
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

/// A fleet of one node: observations go to the leader at once.
struct SingleNode {
    lead: Mutex<PolicyLeader>,
    published: Mutex<Arc<PublishedPolicy>>,
    reader: Mutex<Reader>,
}

impl SingleNode {
    fn new() -> Arc<Self> {
        let lead = lead();
        let published = lead.published();
        let reader = Mutex::new(Reader::new(&published));
        Arc::new(Self { lead: Mutex::new(lead), published: Mutex::new(Arc::new(published)), reader })
    }

    fn publish(&self, version: u64) -> Publication {
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
fn the_same_observations_in_the_same_order_give_the_same_publications() {
    let (mut one, mut other) = (lead(), lead());
    for number in 0..80 {
        // Read under a class model that neither has any more: both parse the page again.
        let class_model = ClassModelId(u64::from(number % 4));
        one.show(seen(number), class_model);
        other.show(seen(number), class_model);
        if number == 40 {
            // The time of a publication changes nothing of what is learnt.
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
