//! Rendering of pages in a browser: which pages, and what it gains.
//!
//! A worker decides for each HTML page whether it is rendered, once its cluster is known and before its links are taken
//! in. Such a page goes to the browser with its lease, and comes back to the workers with the document that its scripts
//! left, which is then processed in place of the plain one.

mod assets;
mod gain;
mod page;
mod requests;
mod stage;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

pub(crate) use self::gain::Shown;
pub(crate) use self::page::{PageToRender, RenderClass};
pub use self::stage::{BrowserCheck, check_browser};
pub(crate) use self::stage::{RenderQueue, RenderStage, require_browser};

use self::gain::KnownGains;
use harvestman_core::config::RenderMode;
use harvestman_metrics::RenderMetrics;
use harvestman_render::{Gain, RenderFailure, RenderNeeds, RenderedPage, Suspicion};

/// Decides which pages are rendered, and learns from the results.
pub(crate) struct Renders {
    mode: RenderMode,
    needs: Mutex<RenderNeeds<RenderClass>>,
    known: Mutex<KnownGains>,
    /// Whether no browser starts.
    is_off: AtomicBool,
    metrics: Arc<RenderMetrics>,
}

impl Renders {
    pub(crate) fn new(mode: RenderMode, metrics: Arc<RenderMetrics>) -> Self {
        let (needs, known) = Default::default();
        Self { mode, needs, known, is_off: AtomicBool::new(false), metrics }
    }

    /// Returns whether a page is rendered.
    pub(crate) fn wants(&self, class: RenderClass, suspicion: impl FnOnce() -> Suspicion) -> bool {
        if self.is_off.load(Ordering::Relaxed) {
            return false;
        }
        match self.mode {
            RenderMode::Never => false,
            RenderMode::Always => true,
            RenderMode::Auto => self.needs.lock().wants(class, suspicion()),
        }
    }

    /// Learns what rendering a page gained, unless the crawl's rules kept its scripts from their data.
    pub(crate) fn learn(&self, class: RenderClass, page: &RenderedPage, plain: &Shown, rendered: &Shown) -> Gain {
        let gain = self.known.lock().gain(plain, rendered);
        let mut needs = self.needs.lock();
        // What was gained in spite of that is a gain.
        if page.is_impaired() && gain == Gain::default() {
            needs.fail(&class);
            self.metrics.pages.by("impaired").inc();
        } else {
            needs.learn(&class, gain);
            self.metrics.pages.by(if gain == Gain::default() { "no_gain" } else { "gain" }).inc();
        }
        self.metrics.gained_links.add(u64::from(gain.links));
        self.show(&needs);
        gain
    }

    /// Records that a page was not rendered to its end.
    pub(crate) fn withdraw(&self, class: RenderClass) {
        self.needs.lock().withdraw(&class);
    }

    /// Records that a page could not be rendered.
    pub(crate) fn fail(&self, class: RenderClass, why: &RenderFailure) {
        self.metrics.pages.by(why.label()).inc();
        if let RenderFailure::CannotStart(text) = why
            && !self.is_off.swap(true, Ordering::Relaxed)
        {
            tracing::error!("no page is rendered from now on: {text}");
        }
        let mut needs = self.needs.lock();
        needs.fail(&class);
        self.show(&needs);
    }

    fn show(&self, needs: &RenderNeeds<RenderClass>) {
        use harvestman_render::Need;
        for need in [Need::Open, Need::Needed, Need::Unneeded, Need::Failing] {
            let count = needs.tried().filter(|(_, class)| class.need == need).count();
            self.metrics.classes.by(need.label()).set(count as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use harvestman_metrics::Metrics;
    use harvestman_render::Refusal;

    use super::*;

    #[test]
    fn every_outcome_and_refusal_has_a_label_of_its_own() {
        let metrics = Metrics::new().render;
        Refusal::ALL.iter().for_each(|refusal| metrics.requests.by(refusal.label()).inc());
        assert!(Refusal::ALL.iter().all(|refusal| metrics.requests.by(refusal.label()).get() == 1));
        let text = String::new;
        let failures = [
            RenderFailure::CannotStart(text()),
            RenderFailure::Crashed,
            RenderFailure::Hung,
            RenderFailure::TooLarge,
            RenderFailure::TooManyEvents,
            RenderFailure::Rejected(text()),
        ];
        failures.iter().for_each(|failure| metrics.pages.by(failure.label()).inc());
        assert!(failures.iter().all(|failure| metrics.pages.by(failure.label()).get() == 1));
        assert_eq!((metrics.requests.by("other").get(), metrics.pages.by("other").get()), (0, 0));
    }
}
