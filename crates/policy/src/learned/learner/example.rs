//! The example pages that wanted pages resemble: whether they were fetched, and how pages like them are recognised.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::LearnedPolicy;
use crate::learned::goal::{Goal, Likeness};
use crate::learned::note::ExampleStatus;
use crate::learned::templates::OUTLIER;
use harvestman_core::model::{ClusterId, PatternId};
use harvestman_core::url::Fingerprint;
use harvestman_structure::site::UrlKind;

/// The share of the pages with an outlying example's URL pattern that must be of the nearest cluster.
const STANDS_IN: f64 = 0.25;

impl LearnedPolicy {
    /// Records whether the response to an example's URL was a page.
    pub(super) fn meet_example(&mut self, url: &str, page: bool) {
        if matches!(self.goal, Goal::Like { .. })
            && let Some(example) = self.examples.at(url)
        {
            example.status = if page { ExampleStatus::Fine } else { ExampleStatus::Missing { found: false } };
        }
    }

    /// Records whether the validator accepts an example.
    pub(super) fn check_example(&mut self, url: &str, accepted: Option<bool>) {
        if matches!(self.goal, Goal::Accepted { .. })
            && accepted != Some(true)
            && let Some(example) = self.examples.at(url)
        {
            example.status = ExampleStatus::Rejected;
        }
    }

    /// The patterns of the examples' URLs, where nothing else is known of any of them.
    pub(super) fn lost(&self) -> Option<Vec<PatternId>> {
        if !matches!(self.goal, Goal::Like { .. }) || !self.examples.are_lost() {
            return None;
        }
        let known = self.templates.is_some();
        let pattern = |url: &str| if known { self.patterns.of(url).coarse } else { PatternId::NONE };
        let mut patterns: Vec<_> = self.examples.all().iter().map(|example| pattern(&example.url)).collect();
        patterns.sort_unstable();
        patterns.dedup();
        Some(patterns)
    }

    /// Finds the examples' clusters among those of the remembered pages, and learns how much clusters and kinds of
    /// addresses tell about likeness to each.
    pub(super) fn find_examples(&mut self, clusters: &HashMap<Fingerprint, ClusterId, FixedState>) {
        if !matches!(self.goal, Goal::Like { .. }) {
            return;
        }
        let of = |url: &str| clusters.get(&Fingerprint::of(url)).copied();
        let is_one_known = self.examples.all().iter().any(|example| of(&example.url).is_some());
        let pages = if is_one_known { self.clustered_pages() } else { Vec::new() };
        let mut examples = std::mem::take(&mut self.examples);
        examples.update(&pages, |example| {
            let cluster = of(&example.url);
            let likeness = &mut example.likeness;
            (likeness.cluster, likeness.nearest) = (cluster.filter(|cluster| *cluster > OUTLIER), false);
            if cluster == Some(OUTLIER)
                && let Some(nearest) = self.stand_in(Fingerprint::of(&example.url), likeness, &pages)
            {
                (likeness.cluster, likeness.nearest) = (Some(nearest), true);
            }
            if let Some(cluster) = cluster {
                let outlier = ExampleStatus::Outlier { nearest: likeness.nearest };
                example.status = if cluster == OUTLIER { outlier } else { ExampleStatus::Fine };
            }
        });
        self.examples = examples;
    }

    /// The cluster that takes the place of an example's, which is an outlier: the nearest one, unless the pages with
    /// its URL pattern are mostly of others.
    fn stand_in(&self, url: Fingerprint, likeness: &Likeness, pages: &[(ClusterId, UrlKind)]) -> Option<ClusterId> {
        let nearest = self.nearest_to(url)?;
        let mut likeness = Likeness { cluster: Some(nearest), nearest: true, ..likeness.clone() };
        likeness.count(pages);
        (likeness.reliability(likeness.kind) >= STANDS_IN).then_some(nearest)
    }

    pub(super) fn nearest_to(&self, url: Fingerprint) -> Option<ClusterId> {
        let entry = self.log.iter().find(|entry| entry.url.fingerprint() == url)?;
        self.templates.as_ref()?.nearest_to(entry.page?.sample? as usize)
    }

    /// The remembered pages, outliers apart, with the kinds of their addresses.
    fn clustered_pages(&self) -> Vec<(ClusterId, UrlKind)> {
        let pages = self.log.iter().filter_map(|entry| Some((entry.page?.cluster, entry.url.as_str())));
        let pages = pages.filter(|(cluster, _)| *cluster > OUTLIER);
        pages.map(|(cluster, url)| (cluster, self.patterns.kind(url))).collect()
    }

    /// After the last model update, an example's cluster is determined when it is fetched.
    pub(super) fn recognise_example(&mut self, url: &str, cluster: ClusterId) {
        if matches!(self.goal, Goal::Like { .. }) && !self.will_learn() {
            self.examples.recognise(url, Some(cluster).filter(|cluster| *cluster > OUTLIER));
        }
    }

    /// Looks among the remembered pages for wanted ones whose addresses are like those of missing examples.
    pub(super) fn find_missing_examples(&mut self) {
        self.examples.forget_found();
        if self.examples.is_one_missing() {
            for entry in self.log.iter().filter(|entry| entry.worth.value > 0.0) {
                self.examples.find_missing(self.patterns.kind(entry.url.as_str()));
            }
        }
    }

    /// The greatest likeness of an address to an example's; the same for all where there is no example.
    pub(super) fn address_likeness(&self, url: &str) -> f64 {
        match &self.goal {
            Goal::Content | Goal::Accepted { .. } | Goal::Topic { .. } => 0.0,
            Goal::Like { .. } => self.examples.of_address(self.patterns.kind(url)),
        }
    }
}
