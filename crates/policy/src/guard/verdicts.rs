//! The measures by URL form, as workers and the frontier look them up.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::FixedState;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::form::FormId;
use harvestman_core::model::TrapMeasure;
use harvestman_core::url::origin_of;
use harvestman_structure::site::UrlPatterns;

/// Number of rejected links to a form after which one link is followed nevertheless, and again each time the number has
/// doubled, in case the form shows something new again.
const PROBE_FIRST: u64 = 64;

/// The guard's verdict on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No measure applies.
    Free,
    /// Pages like it show nothing new: unless the policy knows which links are wanted, it waits until no others do.
    Barren,
    /// It leads to a trap, but is found outside of it: it waits until no others do.
    Last,
    /// It is rejected.
    Refused,
}

/// The measures at one moment. While there are none, a look-up costs nothing.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    measures: HashMap<FormId, (TrapMeasure, Arc<AtomicU64>), FixedState>,
    /// The hosts of these forms, as hashes: links to other hosts need no look-up of their form.
    hosts: HashSet<u64, FixedState>,
    patterns: Arc<UrlPatterns>,
    /// Whether any measure rejects links.
    refuse: bool,
}

/// The host of a canonical URL, as a hash.
pub(super) fn host_of(url: &str) -> u64 {
    xxh3_64(origin_of(url).as_bytes())
}

/// The form of a canonical URL on its host.
pub(super) fn form_of(patterns: &UrlPatterns, url: &str) -> FormId {
    xxh3_64_with_seed(origin_of(url).as_bytes(), patterns.form(url))
}

impl Verdicts {
    /// The verdicts by these measures, each with a URL of the form.
    pub(super) fn new<'u>(
        taken: impl Iterator<Item = (&'u str, FormId, TrapMeasure, Arc<AtomicU64>)>,
        patterns: Arc<UrlPatterns>,
    ) -> Self {
        let mut verdicts = Self { patterns, ..Self::default() };
        for (url, form, measure, refused) in taken {
            verdicts.hosts.insert(host_of(url));
            verdicts.refuse |= measure >= TrapMeasure::Cut;
            verdicts.measures.insert(form, (measure, refused));
        }
        verdicts
    }

    /// Whether there is no measure.
    pub fn is_empty(&self) -> bool {
        self.measures.is_empty()
    }

    /// The verdict on a link to `url` on the page `via`.
    pub fn of(&self, url: &str, via: Option<&str>) -> Verdict {
        if self.measures.is_empty() {
            return Verdict::Free;
        }
        match self.measure(url) {
            TrapMeasure::None => Verdict::Free,
            TrapMeasure::Closed => Verdict::Refused,
            // The form grows through the links on such pages.
            _ if self.refuse && via.is_some_and(|via| self.measure(via) >= TrapMeasure::Cut) => Verdict::Refused,
            TrapMeasure::Last => Verdict::Barren,
            TrapMeasure::Cut => Verdict::Last,
        }
    }

    fn measure(&self, url: &str) -> TrapMeasure {
        self.entry(url).map_or(TrapMeasure::None, |(measure, _)| *measure)
    }

    fn entry(&self, url: &str) -> Option<&(TrapMeasure, Arc<AtomicU64>)> {
        let known = self.hosts.contains(&host_of(url));
        known.then(|| self.measures.get(&form_of(&self.patterns, url))).flatten()
    }

    /// Counts a rejected link to `url`. Returns true where it is to be followed nevertheless, to test whether the form
    /// still shows nothing: so rarely that no trap keeps a crawl running by it.
    pub fn count_refused(&self, url: &str) -> bool {
        let Some((_, refused)) = self.entry(url) else { return false };
        let count = refused.fetch_add(1, Ordering::Relaxed) + 1;
        count >= PROBE_FIRST && count.is_power_of_two()
    }

    /// Counts a URL that waited and was dropped.
    pub fn count_dropped(&self, url: &str) {
        if let Some((_, refused)) = self.entry(url) {
            refused.fetch_add(1, Ordering::Relaxed);
        }
    }
}
