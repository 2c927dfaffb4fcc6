//! Model updates: templates and patterns are learned again, and all remembered fetches are counted by them.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::{LearnedPolicy, PAGES_MAX, UPDATES_END};
use crate::learned::log::Log;
use crate::learned::reading::Reading;
use crate::learned::templates::Templates;
use crate::learned::text::{ContentId, Kin};
use crate::learned::worth::Worth;
use harvestman_core::model::{ClusterId, LinkClass};
use harvestman_core::url::Fingerprint;

/// The growth factor of the number of pages between two model updates.
const UPDATE_GROWTH: f64 = 1.6;
/// Number of latest fetches whose yield is counted again, where no links are rejected.
const YIELDS_RECOUNTED: usize = 400;
/// The growth factor of the number of observations between two decisions about waiting links: each costs a look at all
/// of them.
const READMISSION_GROWTH: f64 = 1.1;

impl LearnedPolicy {
    pub(super) fn update_is_due(&self) -> bool {
        self.pages >= self.next_update && self.pages <= UPDATES_END
    }

    /// Has waiting links decided about again from time to time: classes may be rejected that were not when they were
    /// found.
    pub(super) fn readmit_when_due(&mut self) {
        if self.tuning.followed_from.is_some() && self.version >= self.next_readmission {
            self.next_readmission = (self.version as f64 * READMISSION_GROWTH) as u64 + 1;
            self.generation += 1;
        }
    }

    /// Learns templates and patterns again, and counts all remembered fetches by them.
    pub(super) fn update_model(&mut self) {
        self.next_update = ((self.pages as f64 * UPDATE_GROWTH) as usize).max(self.pages + 1);
        self.generation += 1;
        self.model_updates += 1;
        if let Some(links) = &mut self.links {
            links.publish();
        }
        // After a drift all is read again.
        self.reading = Reading::default();
        self.duplicate_share.clear();
        self.patterns = Arc::new(self.url_learner.patterns());
        let sampled = self.templates.as_ref().map_or(0, |templates| templates.labels().len());
        if self.sample.len() > sampled {
            self.learn_templates(self.sample.len());
        }
        self.examples.classify(&self.patterns);
        self.recluster();
        self.recount();
    }

    /// Learns templates again. The clusters keep the numbers that the first `named` pages of the sample had.
    pub(super) fn learn_templates(&mut self, named: usize) {
        let mut templates = Templates::learn(&mut self.sample, &self.tuning.templates, &mut *self.read);
        let mut names = self.sample_names();
        names.truncate(named);
        templates.keep_names(&names, &mut self.next_name);
        self.use_templates(Some(templates));
    }

    /// Assigns the remembered pages to the new clusters.
    pub(super) fn recluster(&mut self) {
        let Some(templates) = &self.templates else { return };
        let labels = templates.labels();
        let mut clusters: HashMap<Fingerprint, ClusterId, FixedState> = HashMap::default();
        let mut by_content: HashMap<ContentId, Kin, FixedState> = HashMap::default();
        for entry in self.log.iter_mut() {
            let Some(page) = &mut entry.page else { continue };
            if let Some(label) = page.sample.and_then(|at| labels.get(at as usize)) {
                page.cluster = templates.name(*label);
            }
            clusters.insert(entry.url.fingerprint(), page.cluster);
            let pattern = self.patterns.of(entry.url.as_str()).coarse;
            if let Some(content) = page.content {
                by_content.insert(content, Kin { cluster: page.cluster, pattern });
            }
        }
        self.content.regroup(|id| by_content.get(&id).copied());
        self.find_examples(&clusters);
        self.clusters = Arc::new(clusters);
    }

    /// Counts the log again, under the current classes and worths.
    pub(super) fn recount(&mut self) {
        self.evidence.clear();
        self.yields.clear();
        let mut log = std::mem::replace(&mut self.log, Log::new(PAGES_MAX));
        let class_of = |class: LinkClass, url: &str, via: Option<Fingerprint>| {
            let cluster = via.and_then(|via| self.clusters.get(&via).copied()).unwrap_or(class.cluster);
            let class = LinkClass::at(cluster, class.apath).with_pattern(self.patterns.of(url));
            self.links.as_ref().map_or(class, |links| links.class_of(class, Fingerprint::of(url)))
        };
        for entry in log.iter_mut() {
            entry.class = class_of(entry.class, entry.url.as_str(), entry.via);
            let on = Some(entry.url.fingerprint());
            entry.new.iter_mut().for_each(|link| link.class = class_of(link.class, link.url.as_str(), on));
        }
        for entry in log.iter_mut() {
            entry.worth = entry.page.map_or(Worth::NOTHING, |page| self.worth(&entry.url, entry.class, &page));
            if self.is_evidence(entry.page) {
                self.evidence.add(entry.class, entry.worth, self.tuning.smoothing.memory);
            }
        }
        self.log = log;
        self.learn_derivations();
        let log = std::mem::replace(&mut self.log, Log::new(PAGES_MAX));
        // What opened much long ago is exhausted; but a class that is rejected is not fetched to be counted anew.
        let recounted = if self.tuning.followed_from.is_some() { PAGES_MAX } else { YIELDS_RECOUNTED };
        let skipped = log.iter().count().saturating_sub(recounted);
        for entry in log.iter().skip(skipped) {
            let derived = self.derived_before(&entry.new);
            let brought = self.brought(entry.new.iter().chain(&derived));
            self.yields.add(entry.class, brought);
        }
        self.log = log;
        self.derive_from_all();
        self.find_missing_examples();
    }
}
