//! The sample that templates are learned from.

use super::LearnedPolicy;
use crate::learned::sample_page::SamplePage;
use crate::{PageFacts, Policy};
use harvestman_core::model::ClusterId;
use harvestman_core::url::CanonicalUrl;

/// Maximum size of the pages together, in bytes.
pub(crate) const SAMPLE_BYTES_MAX: usize = 64 << 20;
/// Maximum number of pages of one URL pattern: a successful crawl sees little else, and templates are told apart by
/// contrast.
pub(super) const SAMPLE_PER_PATTERN: usize = 60;

impl LearnedPolicy {
    pub(super) fn sample_page(&mut self, url: &CanonicalUrl, facts: &mut PageFacts) -> Option<u32> {
        let (body, content_type) = facts.body.take()?;
        if !self.needs().body || self.sample_bytes + body.len() > self.sample_bytes_max() {
            return None;
        }
        let alike = self.sampled.entry(self.patterns.of(url.as_str()).coarse).or_default();
        if *alike >= SAMPLE_PER_PATTERN {
            return None;
        }
        *alike += 1;
        self.sample_bytes += body.len();
        self.sample.push(SamplePage::new(body, content_type));
        Some(self.sample.len() as u32 - 1)
    }

    /// After an alarm there is room for the pages that replace the older half.
    pub(super) const fn sample_bytes_max(&self) -> usize {
        let bytes = self.sample_bytes_max;
        if self.drift.is_sampling() { bytes + bytes / 2 } else { bytes }
    }

    /// Drops the oldest pages of the sample.
    pub(super) fn forget_sample(&mut self, dropped: usize) {
        let gone = self.sample.drain(..dropped.min(self.sample.len()));
        self.sample_bytes -= gone.map(|page| page.body.len()).sum::<usize>();
        for page in self.log.iter_mut().filter_map(|entry| entry.page.as_mut()) {
            page.sample = page.sample.and_then(|at| at.checked_sub(dropped as u32));
        }
    }

    /// The previous numbers of the clusters of the sample's pages.
    pub(super) fn sample_names(&self) -> Vec<ClusterId> {
        let mut names = vec![ClusterId::UNKNOWN; self.sample.len()];
        for page in self.log.iter().filter_map(|entry| entry.page) {
            if let Some(name) = page.sample.and_then(|at| names.get_mut(at as usize)) {
                *name = page.cluster;
            }
        }
        names
    }
}
