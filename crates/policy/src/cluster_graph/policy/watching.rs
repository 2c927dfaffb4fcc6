//! What the policy observes while it crawls by the graph: rejected page types, and places that lead to nothing new.

use std::sync::Arc;

use super::{ClusterGraphPolicy, Phase};
use crate::cluster_graph::learned::class_cluster;
use crate::cluster_graph::places::LinkOutcome;
use crate::{Observation, Outcome};
use harvestman_core::model::{ClusterId, PatternId, UrlPattern};
use harvestman_core::url::Fingerprint;

/// Number of pages after which the closed places are computed again.
const CLOSED_EVERY: u64 = 8;

impl ClusterGraphPolicy {
    /// Counts a fetch of a page type that may be rejected, and plans the next look at one.
    pub(super) fn look(&mut self, seen: &Observation) {
        let Phase::Filtering(learned) = &self.phase else { return };
        let is_rejected = seen.class.pattern != UrlPattern::NONE && learned.refusal(&seen.class).is_some();
        if self.looks.see(seen.class.pattern.fine, is_rejected) {
            self.generation += 1;
        }
        self.looks.plan(self.memory.fetches().len(), learned.rejected_patterns());
    }

    /// Counts the outcomes of a page's links by place.
    pub(super) fn watch(&mut self, seen: &Observation) {
        let Phase::Filtering(learned) = &self.phase else { return };
        if !self.options.by_place {
            return;
        }
        let Outcome::Page(facts) = &seen.outcome else { return };
        let kinds = learned.kinds();
        let waited = seen.class.pattern.fine;
        let cluster = class_cluster(kinds.of_fetched(waited, seen.url.as_str(), &facts.bag));
        if cluster == ClusterId::UNKNOWN {
            return;
        }
        let new: std::collections::HashSet<Fingerprint> = seen.new.iter().map(|link| link.url.fingerprint()).collect();
        for link in &facts.links {
            let led = match link.refused {
                Some(why) => LinkOutcome::Refused(why),
                None if new.contains(&link.url) => LinkOutcome::New,
                None => LinkOutcome::Known,
            };
            let known = || self.memory.number(link.url).map(|url| kinds.urls.of(self.memory.url(url)).fine);
            let pattern = if link.pattern == PatternId::NONE { known() } else { Some(link.pattern) };
            if let Some(pattern) = pattern {
                self.places.see(cluster, link.apath, link.url, pattern, led);
            }
        }
        self.watched += 1;
        if self.watched.is_multiple_of(CLOSED_EVERY) {
            self.close();
        }
    }

    /// Closes the places that have long led to nothing new and those whose links are all rejected.
    pub(super) fn close(&mut self) {
        let closed = self.places.closed();
        self.closed = Arc::new(match &self.phase {
            Phase::Filtering(learned) => closed.with(learned.closed()),
            Phase::Sampling(_) | Phase::BreadthFirst(_) => closed,
        });
    }
}
