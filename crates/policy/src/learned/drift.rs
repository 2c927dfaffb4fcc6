//! Detects that a site's pages are no longer rendered from the templates that were learned, because of a redesign or of
//! a part of the site that the sample did not contain.
//!
//! A page is strange if it fits no template: it is an outlier, or consists of unknown paths. The clustering leaves some
//! pages of the sample strange too; an alarm is raised when the latest pages have clearly more of them. A sample is
//! then taken again, and replaces the older half of the previous one.

use std::collections::VecDeque;

/// Number of pages that are judged together.
pub const WINDOW: usize = 200;
/// The bounds that their strange share must exceed: this share, and this multiple of the share in the sample.
const SHARE_MIN: f64 = 0.25;
const TIMES_SAMPLE: f64 = 3.0;
/// Minimum number of pages between two alarms.
pub const BETWEEN: u64 = 1_000;
/// Number of new pages that templates are learned from after an alarm; after [`PATIENCE`] pages fewer suffice, but at
/// least [`FEW`].
pub const NEW_PAGES: usize = 150;
const FEW: usize = 12;
const PATIENCE: u64 = 400;

/// How a page fits the templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateFit {
    /// Not counted: there were no templates, or the page is in the sample, which is learned from anyway.
    Uncounted,
    /// It fits a template.
    Known,
    /// It fits no template.
    Strange,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriftAction {
    /// Nothing.
    Nothing,
    /// Add pages to the sample again from now on.
    Sample,
    /// Learn the templates again, after this number of the oldest pages of the sample were dropped; `kept` of the
    /// others are older than the change.
    Learn { dropped: usize, kept: usize },
}

#[derive(Debug, Clone, Copy)]
struct Sampling {
    /// Pages of the sample when the alarm was raised.
    had: usize,
    until: u64,
}

/// Watches for a change of templates.
#[derive(Debug, Clone, Default)]
pub struct Drift {
    /// The strange share of the sample, once there are templates.
    sample_share: Option<f64>,
    recent: VecDeque<bool>,
    strange: usize,
    pages: u64,
    quiet_until: u64,
    sampling: Option<Sampling>,
    relearned: u64,
}

impl Drift {
    /// Records that templates were learned from a sample with this strange share.
    pub fn learned(&mut self, strange: f64) {
        self.sample_share = Some(strange);
        self.clear();
    }

    /// Adds a page; `sample` is the current number of pages in the sample.
    pub fn see(&mut self, seen: TemplateFit, sample: usize) -> DriftAction {
        self.pages += 1;
        if let Some(sampling) = self.sampling {
            return self.continue_sampling(sampling, sample);
        }
        if seen != TemplateFit::Uncounted {
            self.count(seen == TemplateFit::Strange);
        }
        if self.pages < self.quiet_until || !self.is_alarming() {
            return DriftAction::Nothing;
        }
        self.clear();
        self.quiet_until = self.pages + BETWEEN;
        self.sampling = Some(Sampling { had: sample, until: self.pages + PATIENCE });
        DriftAction::Sample
    }

    fn continue_sampling(&mut self, Sampling { had, until }: Sampling, sample: usize) -> DriftAction {
        let new = sample.saturating_sub(had);
        let is_over = self.pages >= until;
        if new < NEW_PAGES && !is_over {
            return DriftAction::Nothing;
        }
        self.sampling = None;
        if new < FEW {
            return DriftAction::Nothing;
        }
        self.relearned += 1;
        DriftAction::Learn { dropped: had / 2, kept: had - had / 2 }
    }

    fn count(&mut self, strange: bool) {
        self.recent.push_back(strange);
        self.strange += usize::from(strange);
        if self.recent.len() > WINDOW {
            self.strange -= usize::from(self.recent.pop_front() == Some(true));
        }
    }

    fn clear(&mut self) {
        self.recent.clear();
        self.strange = 0;
    }

    fn is_alarming(&self) -> bool {
        let Some(share) = self.sample_share.filter(|_| self.recent.len() == WINDOW) else { return false };
        self.strange as f64 / WINDOW as f64 > SHARE_MIN.max(TIMES_SAMPLE * share)
    }

    /// Whether pages are sampled because of an alarm.
    pub const fn is_sampling(&self) -> bool {
        self.sampling.is_some()
    }

    /// The maximum size of the sample, where it is `max` without an alarm.
    pub fn room(&self, max: usize) -> usize {
        self.sampling.map_or(max, |sampling| max.max(sampling.had + NEW_PAGES))
    }

    /// The number of times that templates were learned again because of an alarm.
    pub const fn relearned(&self) -> u64 {
        self.relearned
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn watching(share: f64) -> Drift {
        let mut drift = Drift::default();
        drift.learned(share);
        drift
    }

    /// Adds `pages` pages of which every `nth` is strange, until something is to be done.
    fn show(drift: &mut Drift, pages: usize, nth: usize) -> Option<usize> {
        let seen = |at: usize| if at.is_multiple_of(nth) { TemplateFit::Strange } else { TemplateFit::Known };
        (1..=pages).find(|at| drift.see(seen(*at), 100) != DriftAction::Nothing)
    }

    #[test]
    fn many_more_strange_pages_than_the_sample_had_are_an_alarm_once_there_are_enough_pages() {
        assert_eq!(show(&mut watching(0.05), 1_000, 2), Some(WINDOW));
        assert_eq!(show(&mut watching(0.05), 1_000, 5), None, "a fifth is too few");
        assert_eq!(show(&mut watching(0.2), 1_000, 2), None, "not three times what the sample had");
        assert_eq!(show(&mut watching(1.0), 1_000, 1), None, "a site without templates cannot lose them");
        assert_eq!(show(&mut Drift::default(), 1_000, 1), None, "there are no templates yet");
    }

    #[test]
    fn new_pages_are_sampled_after_an_alarm_and_the_older_half_of_the_sample_is_dropped() {
        let mut drift = watching(0.0);
        show(&mut drift, WINDOW, 1);
        assert!(drift.is_sampling() && drift.room(100) == 100 + NEW_PAGES);
        assert_eq!(drift.see(TemplateFit::Strange, 100 + NEW_PAGES - 1), DriftAction::Nothing);
        assert_eq!(drift.see(TemplateFit::Strange, 100 + NEW_PAGES), DriftAction::Learn { dropped: 50, kept: 50 });
        assert_eq!((drift.is_sampling(), drift.room(100), drift.relearned()), (false, 100, 1));
    }

    #[test]
    fn fewer_new_pages_suffice_when_no_more_come_and_none_change_nothing() {
        for (new, expected) in [(FEW, DriftAction::Learn { dropped: 50, kept: 50 }), (0, DriftAction::Nothing)] {
            let mut drift = watching(0.0);
            show(&mut drift, WINDOW, 1);
            let last = (0..PATIENCE).map(|_| drift.see(TemplateFit::Known, 100 + new)).last();
            assert_eq!((last, drift.is_sampling()), (Some(expected), false));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn model_updates_are_bounded_and_so_is_the_window(
            seen in prop::collection::vec((0..3_u8, 0..400_usize), 0..5_000), share in 0.0..1.0_f64,
        ) {
            let mut drift = watching(share);
            let mut naive: Vec<bool> = Vec::new();
            for (kind, sample) in &seen {
                let seen = [TemplateFit::Uncounted, TemplateFit::Known, TemplateFit::Strange][*kind as usize];
                let sampling = drift.is_sampling();
                match drift.see(seen, *sample) {
                    DriftAction::Learn { .. } => drift.learned(0.0),
                    DriftAction::Sample => naive.clear(),
                    DriftAction::Nothing if seen != TemplateFit::Uncounted && !sampling => naive.push(seen == TemplateFit::Strange),
                    DriftAction::Nothing => {}
                }
                let latest = &naive[naive.len().saturating_sub(WINDOW)..];
                prop_assert_eq!(drift.recent.len(), latest.len());
                prop_assert_eq!(drift.strange, latest.iter().filter(|strange| **strange).count());
            }
            prop_assert!(drift.relearned() <= seen.len() as u64 / BETWEEN + 1);
        }
    }
}
