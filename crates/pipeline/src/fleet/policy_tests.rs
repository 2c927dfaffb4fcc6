use super::*;
use harvestman_core::model::{Apath, ContentUnit, LinkClass, PageText};
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::PageFacts;

fn fleet_policy(name: &str) -> (Option<SharedPolicy>, Box<dyn Policy>) {
    let config = Config::default();
    let kind = harvestman_core::config::PolicyKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap();
    let parse = config.parse.clone();
    let make: MakePolicy = Arc::new(move |seed| {
        let validated = kind == harvestman_core::config::PolicyKind::Xcrawl;
        let inputs = harvestman_policy::PolicyInputs { validated, ..harvestman_policy::PolicyInputs::new(seed) };
        harvestman_policy::make(kind, &inputs, reader(&parse))
    });
    let clock = Clock::starting_at(harvestman_core::clock::Instant::EPOCH);
    let fleet = FleetPolicy::new(&config, &clock, Arc::new(FleetMetrics::off()));
    let policy = fleet.make(&make, Seed(7));
    (fleet.shared(), policy)
}

fn seen(number: usize) -> Observation {
    let url = CanonicalUrl::from_canonical(format!("http://h.test/topic/{number}"));
    let unit = ContentUnit { hash: number as u64, words: 60, text_words: 60, in_anchor: false, in_form: false };
    let mut text = PageText::default();
    text.push(&(0..60).map(|word| 100 * number as u32 + word).collect::<Vec<_>>(), false, false);
    let body = format!("<html><body><div class=post><p>words {number}</p></div></body></html>");
    let facts = PageFacts {
        units: vec![unit],
        text: Some(text),
        gist: vec![number as u64],
        body: Some((body.into_bytes().into(), None)),
        ..PageFacts::default()
    };
    let class = LinkClass::unclassified(Apath(9));
    Observation { url, class, via: None, outcome: Outcome::Page(Box::new(facts)), new: Vec::new() }
}

#[test]
fn policies_that_cannot_be_transferred_learn_on_each_node_and_bfs_on_none() {
    for (name, is_shared, learns) in [
        ("ucc", true, true),
        ("target", true, true),
        ("bfs", false, false),
        ("cluster-graph", true, true),
        ("xcrawl", true, true),
        ("topic", true, true),
    ] {
        let (fleet, policy) = fleet_policy(name);
        assert_eq!(
            (fleet.is_some(), policy.learns_elsewhere(), policy.learns()),
            (is_shared, is_shared, learns),
            "{name}"
        );
        assert!(fleet.is_none_or(|shared| shared.pending() == 0), "{name}");
    }
}

#[tokio::test]
async fn the_leader_learns_from_other_nodes_and_all_decide_by_its_policy() {
    let (leader, mut at_leader) = fleet_policy("ucc");
    let (other, mut elsewhere) = fleet_policy("ucc");
    let (post, others) = (leader.unwrap().session(), other.unwrap().session());
    post.replica.start_leading().await;
    (0..20).for_each(|number| elsewhere.observe(seen(number)));
    assert!(at_leader.site_model(&mut *reader(&ParseOptions::default())).is_some_and(|model| model.facts.pages == 0));
    assert!(elsewhere.site_model(&mut *reader(&ParseOptions::default())).is_none());
    post.replica.observe(others.outbox.take()).await;
    let publication = post.replica.publication().await.unwrap();
    for (version, policy, post) in [(1, &mut at_leader, &post), (1, &mut elsewhere, &others)] {
        assert!(!policy.has_news());
        post.replica.follow(version, publication.clone()).await.unwrap();
        assert!(policy.has_news());
        let snapshot = policy.snapshot();
        assert!(
            !policy.has_news()
                && snapshot.version() == 1
                && snapshot.generation() > 0
                && policy.facts().model_updates > 0
        );
    }
    let class = LinkClass::unclassified(Apath(9));
    assert_eq!(at_leader.snapshot().score(class).to_bits(), elsewhere.snapshot().score(class).to_bits());
    assert!(at_leader.site_model(&mut *reader(&ParseOptions::default())).is_some_and(|model| model.facts.pages == 20));
    assert!(post.replica.follow(2, Bytes::from_static(b"nonsense")).await.is_err());
    post.replica.stop_leading();
    assert!(post.replica.publication().await.is_none());
}

#[test]
fn unneeded_fields_are_not_sent() {
    let lean = encode(seen(1), ClassModelId(3), Needs::default());
    let all = encode(
        seen(1),
        ClassModelId(3),
        Needs { words: true, units: true, gist: true, links: true, gaps: false, contexts: true, body: true },
    );
    let read = |bytes: &Bytes| postcard::from_bytes::<(ClassModelId, Observation)>(bytes).unwrap();
    let page = |bytes: &Bytes| match read(bytes).1.outcome {
        Outcome::Page(page) => {
            (page.text.map_or(0, |text| text.len()), page.units.len(), page.gist.len(), page.body.is_some())
        }
        _ => (9, 9, 9, false),
    };
    assert_eq!((page(&lean), page(&all)), ((0, 0, 0, false), (60, 1, 1, true)));
    assert_eq!(read(&lean).0, ClassModelId(3));
}
