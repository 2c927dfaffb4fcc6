use arc_swap::ArcSwap;

use super::*;
use harvestman_core::model::{Apath, ClassOrder, LinkClass, PatternId, PolicyRefusal, QueueKey, UrlPattern};
use harvestman_policy::Link;

/// A policy that distinguishes URLs by their last letter.
struct ByLetter(u64);

impl ClassOrder for ByLetter {
    fn score(&self, _: LinkClass) -> f64 {
        0.0
    }
}

impl PolicySnapshot for ByLetter {
    fn version(&self) -> u64 {
        self.0
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        let letter = PatternId(u64::from(url.bytes().last().unwrap_or_default()));
        UrlPattern { coarse: letter, fine: letter }
    }
}

fn publisher() -> SnapshotPublisher {
    let first: Arc<dyn PolicySnapshot> = Arc::new(ByLetter(0));
    let current: CurrentPolicy = Arc::new(ArcSwap::from_pointee(Arc::clone(&first)));
    SnapshotPublisher::new(first, current, Steering::default(), true, FilterOrder::default())
}

fn admitted(publisher: &SnapshotPublisher, url: &str) -> Result<QueueKey, PolicyRefusal> {
    let class = LinkClass::unclassified(Apath(9));
    publisher.snapshot().admit(&Link::New { class, url, via: "http://h.test/", context: &[] }).queued()
}

#[test]
fn without_bans_and_pins_snapshots_are_the_policys_own() {
    let publisher = publisher();
    let snapshot: Arc<dyn PolicySnapshot> = Arc::new(ByLetter(7));
    let published = publisher.publish(Arc::clone(&snapshot), &|order| assert_eq!(order.version, Some(7)));
    assert!(Arc::ptr_eq(&published, &snapshot) && publisher.snapshot().generation() == 0);
}

#[test]
fn a_ban_takes_effect_at_once_and_lasts_until_it_is_revoked() {
    let publisher = publisher();
    let ban = Steering { banned: vec!["/*x".parse().unwrap()], pinned: Vec::new() };
    publisher.steer(ban, &|order| assert_eq!(order.generation, 1));
    assert_eq!(admitted(&publisher, "http://h.test/x"), Err(PolicyRefusal::Banned));
    publisher.publish(Arc::new(ByLetter(1)), &|order| assert_eq!((order.version, order.generation), (Some(1), 1)));
    assert_eq!(admitted(&publisher, "http://h.test/x"), Err(PolicyRefusal::Banned));
    publisher.steer(Steering::default(), &|order| assert_eq!(order.generation, 2));
    assert!(admitted(&publisher, "http://h.test/x").is_ok());
}

#[test]
fn a_banned_cluster_grows_with_the_known_destinations_of_links() {
    let publisher = publisher();
    let seen =
        |letter: &str| (0..3).for_each(|page| publisher.see(&format!("http://h.test/{page}{letter}"), ClusterId(5)));
    seen("x");
    assert_eq!(publisher.clusters()[&ClusterId(5)].pages, 3);
    publisher.steer(Steering { banned: vec!["5".parse().unwrap()], pinned: Vec::new() }, &|_| {});
    assert_eq!(admitted(&publisher, "http://h.test/x"), Err(PolicyRefusal::Banned));
    assert!(admitted(&publisher, "http://h.test/y").is_ok());
    let generation = publisher.snapshot().generation();
    seen("y");
    publisher.publish(Arc::new(ByLetter(1)), &|_| {});
    assert_eq!(admitted(&publisher, "http://h.test/y"), Err(PolicyRefusal::Banned));
    assert!(publisher.snapshot().generation() > generation, "waiting URLs are checked again");
    let settled = publisher.snapshot().generation();
    seen("x");
    publisher.publish(Arc::new(ByLetter(2)), &|_| {});
    assert_eq!(publisher.snapshot().generation(), settled, "the ban means the same as before");
}

/// A policy that has learned to distinguish pages by their last letter: those with an x are of cluster 7 now.
struct Relearned;

impl ClassOrder for Relearned {
    fn score(&self, _: LinkClass) -> f64 {
        0.0
    }
}

impl PolicySnapshot for Relearned {
    fn version(&self) -> u64 {
        9
    }

    fn generation(&self) -> u64 {
        1
    }

    fn class_of(&self, class: LinkClass, _: &str, via: Option<&str>) -> LinkClass {
        let cluster = if via.is_some_and(|via| via.ends_with('x')) { ClusterId(7) } else { class.cluster };
        LinkClass { cluster, ..class }
    }
}

#[test]
fn after_a_model_update_pages_have_their_new_clusters() {
    let publisher = publisher();
    for page in ["1x", "2x", "3y"] {
        publisher.see(&format!("http://h.test/{page}"), ClusterId(5));
    }
    let known = |publisher: &SnapshotPublisher| {
        publisher.clusters().iter().map(|(id, cluster)| (id.0, cluster.pages)).collect::<Vec<_>>()
    };
    assert_eq!(known(&publisher), [(5, 3)]);
    publisher.publish(Arc::new(Relearned), &|_| {});
    assert_eq!(known(&publisher), [(5, 1), (7, 2)]);
}
