//! Searches of a fleet: the leader sends the queries, and all nodes learn which sites belong to the crawl.

use std::sync::Arc;

use super::tests::{SingleNode, reader};
use super::{ClassModelId, FollowerPolicy, PolicyLeader};
use crate::learned::{Goal, LearnedPolicy, Tuning};
use crate::search::tests::{answer, observation, options, page};
use crate::search::{Searching, SearchingOptions, SiteLimits};
use crate::{BreadthFirst, Link, Policy};
use harvestman_core::model::{Admission, Apath, LinkClass, PolicyRefusal};

const FIRST: &str = "http://search.test/?q=first";
const SECOND: &str = "http://search.test/?q=second";

fn searching() -> SearchingOptions {
    SearchingOptions { limits: SiteLimits { requests: 20, share: 0.5 }, ..options(&["first", "second"], &[]) }
}

fn lead() -> PolicyLeader {
    let goal = Goal::Accepted { examples: Vec::new(), duplicate_worth: 0.5 };
    let inner = LearnedPolicy::new(goal, Tuning::default(), 1, reader());
    PolicyLeader::new(Box::new(Searching::new(Box::new(inner), searching())), reader()).unwrap()
}

fn queries(leader: &mut PolicyLeader) -> Vec<String> {
    leader.proposals().into_iter().filter(|proposal| proposal.is_query()).map(|proposal| proposal.url).collect()
}

/// The first query finds two sites, of which one has no further wanted page.
fn show_all(mut show: impl FnMut(crate::Observation)) {
    show(observation(FIRST, None, answer(7, 2), &["http://good.test/1", "http://poor.test/1"]));
    show(observation("http://good.test/1", Some(FIRST), page(true), &[]));
    show(observation("http://poor.test/1", Some(FIRST), page(true), &[]));
    for number in 2..40 {
        show(observation(&format!("http://good.test/{number}"), Some("http://good.test/1"), page(true), &[]));
        show(observation(&format!("http://poor.test/{number}"), Some("http://poor.test/1"), page(false), &[]));
    }
}

#[test]
fn the_leader_sends_each_query_once_and_a_successor_the_same_ones_again() {
    let mut leader = lead();
    assert_eq!(leader.pending_proposals(), 1);
    assert_eq!(queries(&mut leader), [FIRST]);
    assert_eq!(leader.pending_proposals(), 0);
    show_all(|seen| leader.show(seen, ClassModelId(1)));
    assert_eq!(queries(&mut leader), [SECOND]);
    let mut successor = lead();
    show_all(|seen| successor.show(seen, ClassModelId(1)));
    assert_eq!(queries(&mut successor), [FIRST, SECOND], "those that were sent are duplicates where the search is");
    assert_eq!(leader.publication(), successor.publication());
}

#[test]
fn all_nodes_are_told_the_sites_that_were_found_and_those_that_were_left() {
    let leader = SingleNode::with(lead());
    let mut follower = FollowerPolicy::new(Arc::clone(&leader) as _);
    assert!(follower.found_sites().is_empty());
    let before = leader.publish(1);
    assert!(before.found_sites.is_empty() && before.snapshot.left_sites.is_empty());
    let generation = follower.snapshot().generation();
    show_all(|seen| follower.observe(seen));
    let after = leader.publish(2);
    assert_eq!(after.snapshot.left_sites, [Box::from("http://poor.test")]);
    assert_eq!(follower.found_sites(), [Box::from("http://good.test/"), Box::from("http://poor.test/")]);
    assert!(follower.found_sites().is_empty(), "they were told");
    let snapshot = follower.snapshot();
    assert!(snapshot.generation() > generation);
    let class = LinkClass::unclassified(Apath(9));
    let admits = |url| snapshot.admit(&Link::New { class, url, via: "http://good.test/1", context: &[] });
    assert_eq!(admits("http://poor.test/99"), Admission::Reject(PolicyRefusal::PoorSite));
    assert!(matches!(admits("http://good.test/99"), Admission::Queue(..)));
    // The same again is no other generation.
    leader.publish(3);
    assert_eq!(follower.snapshot().generation(), snapshot.generation());
    assert_eq!((follower.facts().found_sites, follower.facts().queries), (2, 2));
    let shown = follower.searches().unwrap();
    assert_eq!((shown.queries, shown.found), (2, 2));
    assert_eq!(
        shown.sites.iter().map(|site| (&*site.site, site.left)).collect::<Vec<_>>(),
        [("http://good.test", false), ("http://poor.test", true)]
    );
}

#[test]
fn searches_around_a_policy_that_cannot_be_sent_cannot_be_led() {
    let policy = Searching::new(Box::new(BreadthFirst), searching());
    assert!(PolicyLeader::new(Box::new(policy), reader()).is_none());
}
