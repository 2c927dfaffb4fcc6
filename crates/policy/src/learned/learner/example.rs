//! The example page that wanted pages resemble: whether it was fetched, and how pages like it are recognised.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::Learned;
use crate::learned::goal::Goal;
use crate::learned::note::ExampleStatus;
use crate::learned::templates::OUTLIER;
use harvestman_core::model::{ClusterId, PatternId};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

impl Learned {
    /// Records whether the response to the example's URL was a page.
    pub(super) fn meet_example(&mut self, url: &CanonicalUrl, page: bool) {
        match &self.goal {
            Goal::Like(example) if example.url == url.as_str() => {
                self.example = if page { ExampleStatus::Fine } else { ExampleStatus::Missing { found: false } };
            }
            _ => {}
        }
    }

    /// Records whether the validator accepts the example.
    pub(super) fn check_example(&mut self, url: &CanonicalUrl, accepted: Option<bool>) {
        match &self.goal {
            Goal::Accepted { example: Some(example), .. } if example == url.as_str() && accepted != Some(true) => {
                self.example = ExampleStatus::Rejected;
            }
            _ => {}
        }
    }

    /// The pattern of the example's URL, where nothing else is known of it.
    pub(super) fn lost(&self) -> Option<PatternId> {
        match &self.goal {
            Goal::Like(example) if self.example == (ExampleStatus::Missing { found: false }) => {
                let known = self.templates.is_some();
                Some(if known { self.patterns.of(&example.url).coarse } else { PatternId::NONE })
            }
            _ => None,
        }
    }

    /// Finds the example's cluster among those of the remembered pages. Where it is an outlier, the nearest cluster
    /// takes its place, unless the pages with its URL pattern are mostly of others.
    pub(super) fn find_example(&mut self, clusters: &HashMap<Fingerprint, ClusterId, FixedState>) {
        /// The share of the pages with the URL pattern that must be of the nearest cluster.
        const STANDS_IN: f64 = 0.25;
        let Goal::Like(example) = &self.goal else { return };
        let fingerprint = Fingerprint::of(&example.url);
        let cluster = clusters.get(&fingerprint).copied();
        (self.likeness.cluster, self.likeness.nearest) = (cluster.filter(|cluster| *cluster > OUTLIER), false);
        if cluster == Some(OUTLIER)
            && let Some(nearest) = self.nearest_to(fingerprint)
        {
            self.likeness.cluster = Some(nearest);
            self.likeness.nearest = true;
            self.weigh_address();
            if self.likeness.reliability(self.likeness.kind) < STANDS_IN {
                (self.likeness.cluster, self.likeness.nearest) = (None, false);
            }
        }
        if cluster.is_some() {
            let outlier = ExampleStatus::Outlier { nearest: self.likeness.nearest };
            self.example = if cluster == Some(OUTLIER) { outlier } else { ExampleStatus::Fine };
        }
    }

    pub(super) fn nearest_to(&self, url: Fingerprint) -> Option<ClusterId> {
        let entry = self.log.iter().find(|entry| entry.url.fingerprint() == url)?;
        self.templates.as_ref()?.nearest_to(entry.page?.sample? as usize)
    }

    /// After the last model update, the example's cluster is determined when it is fetched.
    pub(super) fn recognise_example(&mut self, url: &CanonicalUrl, cluster: ClusterId) {
        if let Goal::Like(example) = &self.goal
            && !self.will_learn()
            && example.url == url.as_str()
        {
            self.likeness.cluster = Some(cluster).filter(|cluster| cluster.0 > 1);
        }
    }

    /// Learns how much clusters and kinds of addresses tell about likeness to the example.
    pub(super) fn weigh_address(&mut self) {
        if self.likeness.cluster.is_some() {
            let pages = self.log.iter().filter_map(|entry| Some((entry.page?.cluster, entry.url.as_str())));
            let pages = pages.filter(|(cluster, _)| *cluster > OUTLIER);
            let pages: Vec<_> = pages.map(|(cluster, url)| (cluster, self.patterns.kind(url))).collect();
            self.likeness.count(&pages);
        }
    }

    /// The likeness of an address to the example's; the same for all where there is no example.
    pub(super) fn address_likeness(&self, url: &str) -> f64 {
        match &self.goal {
            Goal::Content | Goal::Accepted { .. } | Goal::Topic { .. } => 0.0,
            Goal::Like(_) => self.likeness.of_address(self.patterns.kind(url)),
        }
    }
}
