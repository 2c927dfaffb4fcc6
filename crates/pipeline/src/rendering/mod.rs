//! Rendering of pages in a browser: which pages, and what it gains.
//!
//! A worker decides for each HTML page whether its class may need a browser, before its links are taken in. Such a page
//! waits with its lease for its turn: while a page of its class is tried, the others wait for the result. A page that is
//! rendered comes back to the workers with the document that its scripts left, which is then processed in place of the plain
//! one. Where the requests of the scripts of a class are learned, plain requests complete its pages instead: they are
//! replayed.

mod assets;
mod gain;
mod links;
mod page;
mod requests;
mod stage;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;

pub(crate) use self::gain::{Gained, Shown, gain_of_page};
pub(crate) use self::links::LinkScope;
pub(crate) use self::page::{PageToRender, RenderClass, RenderOutcome, ToRender};
pub use self::stage::{BrowserCheck, check_browser};
pub(crate) use self::stage::{Browsers, RenderQueue, RenderStage, browsers};

use self::gain::KnownGains;
use harvestman_core::config::{RenderMode, RenderOptions};
use harvestman_metrics::RenderMetrics;
use harvestman_render::replay::{ReplayTemplate, Sample};
use harvestman_render::{
    ActionNote, Actions, Gain, Held, KnownActions, Means, Need, RenderFailure, RenderNeeds, RenderedPage, ReplayState,
    Replays, Suspicion, Turn,
};

/// Decides which pages are rendered and which are replayed, and learns from the results.
pub(crate) struct Renders {
    mode: RenderMode,
    /// Whether pages may be replayed.
    is_replaying: bool,
    needs: Mutex<RenderNeeds<RenderClass>>,
    known: Mutex<KnownGains>,
    replays: Mutex<Replays<RenderClass>>,
    actions: Mutex<Actions<RenderClass>>,
    /// Whether no browser starts.
    is_off: AtomicBool,
    /// Told when pages that wait may have their turn.
    changed: Notify,
    metrics: Arc<RenderMetrics>,
}

impl Renders {
    pub(crate) fn new(options: &RenderOptions, metrics: Arc<RenderMetrics>) -> Self {
        let (needs, known, replays, actions) = Default::default();
        let is_replaying = options.mode == RenderMode::Auto && options.replay;
        Self {
            mode: options.mode,
            is_replaying,
            needs,
            known,
            replays,
            actions,
            is_off: AtomicBool::new(false),
            changed: Notify::new(),
            metrics,
        }
    }

    /// Returns how likely scripts add something to a page of this class, by a first guess and by the hints in its source,
    /// which are sought on a few pages of a class.
    pub(crate) fn suspicion(
        &self,
        class: RenderClass,
        guess: Suspicion,
        has_hints: impl FnOnce() -> bool,
    ) -> Suspicion {
        let seeks_hints = guess == Suspicion::Weak && self.mode == RenderMode::Auto && self.needs.lock().reads(&class);
        if seeks_hints && has_hints() { Suspicion::Likely } else { guess }
    }

    /// Returns whether a page waits for its turn to be rendered, if it comes.
    pub(crate) fn wants(&self, page: ToRender) -> bool {
        if self.is_off.load(Ordering::Relaxed) {
            return false;
        }
        match self.mode {
            RenderMode::Never => false,
            RenderMode::Always => true,
            RenderMode::Auto => self.needs.lock().wants(page.class, page.suspicion),
        }
    }

    /// Decides about a page that waits.
    fn turn(&self, page: &PageToRender) -> Turn {
        if self.is_off.load(Ordering::Relaxed) {
            return Turn::Plain;
        }
        match self.mode {
            RenderMode::Never => Turn::Plain,
            RenderMode::Always => Turn::Render,
            RenderMode::Auto => self.needs.lock().turn(&page.class, page.suspicion, page.is_retest),
        }
    }

    /// Sets a page apart for which the requests of its class brought nothing. Returns whether it waits for a turn again.
    fn set_apart(&self, page: &mut PageToRender) -> bool {
        let class = page.class.apart();
        // Its class needs more than the plain pages, so it may too.
        let suspicion = page.suspicion.max(Suspicion::Likely);
        if page.is_apart || !self.wants(ToRender { class, suspicion }) {
            return false;
        }
        self.withdraw(page.class);
        (page.class, page.is_apart, page.is_begun) = (class, true, false);
        true
    }

    /// Returns how a page of this class is completed.
    pub(crate) fn means(&self, class: RenderClass) -> Means {
        if self.is_replaying { self.replays.lock().means(&class) } else { Means::Browser }
    }

    /// Returns whether pages of this class are rendered only now and then.
    pub(crate) fn is_retested(&self, class: RenderClass) -> bool {
        self.mode == RenderMode::Auto && self.needs.lock().is_retested(&class)
    }

    /// Returns whether it has turned out that pages of this class need not be rendered.
    pub(crate) fn is_unneeded(&self, class: RenderClass) -> bool {
        self.mode == RenderMode::Auto && self.needs.lock().is_unneeded(&class)
    }

    /// Learns what rendering a page gained, unless the crawl's rules kept its scripts from their data.
    pub(crate) fn learn(&self, class: RenderClass, page: &RenderedPage, plain: &Shown, rendered: &Shown) -> Gained {
        let gained = self.known.lock().gain(plain, rendered);
        let gain = gained.gain();
        let mut needs = self.needs.lock();
        // What was gained in spite of that is a gain.
        if page.is_impaired() && gain == Gain::default() {
            needs.fail(&class);
            self.metrics.pages.by("impaired").inc();
        } else {
            needs.learn(&class, gain);
            self.metrics.pages.by(if gain == Gain::default() { "no_gain" } else { "gain" }).inc();
        }
        drop(needs);
        self.changed.notify_one();
        self.metrics.gained_links.add(u64::from(gain.links));
        self.learn_actions(class, &page.actions);
        self.show();
        gained
    }

    /// Returns what is known of clicks on a page of this class that is rendered now.
    pub(crate) fn actions(&self, class: RenderClass) -> KnownActions {
        self.actions.lock().of_page(&class)
    }

    /// Learns what clicks on a page brought.
    fn learn_actions(&self, class: RenderClass, notes: &[ActionNote]) {
        for note in notes {
            let outcome = match note.brought() {
                true if note.navigations > 0 => "navigation",
                true => "gain",
                false => "nothing",
            };
            self.metrics.clicks.by(outcome).add(u64::from(note.clicks));
        }
        self.actions.lock().learn(class, notes);
    }

    /// Returns the template whose share of the gain of a sample [`Renders::learn_requests`] must be told.
    pub(crate) fn candidate(&self, class: RenderClass, sample: &Sample) -> Option<Arc<ReplayTemplate>> {
        self.replays.lock().candidate(&class, sample)
    }

    /// Returns whether the requests of pages that were rendered are learned.
    pub(crate) const fn learns_requests(&self) -> bool {
        self.is_replaying
    }

    /// Learns from the requests of a page that a browser rendered.
    pub(crate) fn learn_requests(
        &self,
        class: RenderClass,
        sample: Sample,
        candidate: Option<(Arc<ReplayTemplate>, Held)>,
    ) {
        let url = sample.page_url.clone();
        let template = candidate.as_ref().map(|(template, _)| Arc::clone(template));
        let mut replays = self.replays.lock();
        let before = replays.state(&class);
        replays.learn(class, sample, candidate);
        let after = replays.state(&class);
        drop(replays);
        match (before == after, after, template) {
            (false, Some(ReplayState::Ready), Some(template)) => {
                let requests = template.describe();
                tracing::info!(
                    page = url.as_str(),
                    requests,
                    "plain requests bring what a browser shows: no page like this is rendered from now on"
                );
            }
            (false, Some(ReplayState::GivenUp), _) => {
                tracing::info!(
                    page = url.as_str(),
                    "no plain requests bring what a browser shows: pages like this are rendered"
                );
            }
            _ => {}
        }
        self.show();
    }

    /// Records the end of a page that was to be rendered, unless [`Renders::learn`] learns from it.
    pub(crate) fn ended(&self, class: RenderClass, outcome: &RenderOutcome) {
        match outcome {
            RenderOutcome::Rendered(_) => {}
            RenderOutcome::Replayed(_) => {
                self.metrics.pages.by("replayed").inc();
                self.withdraw(class);
            }
            RenderOutcome::Unneeded => self.withdraw(class),
            RenderOutcome::Failed(why) => self.fail(class, why),
        }
    }

    /// Records that a page was not rendered to its end.
    pub(crate) fn withdraw(&self, class: RenderClass) {
        self.needs.lock().withdraw(&class);
        self.changed.notify_one();
    }

    /// Records that a page could not be rendered.
    fn fail(&self, class: RenderClass, why: &RenderFailure) {
        self.metrics.pages.by(why.label()).inc();
        if let RenderFailure::CannotStart(text) = why
            && !self.is_off.swap(true, Ordering::Relaxed)
        {
            tracing::error!("no page is rendered from now on: {text}");
        }
        self.needs.lock().fail(&class);
        self.changed.notify_one();
        self.show();
    }

    /// Shows the number of classes by what is known of them.
    fn show(&self) {
        let replays = self.replays.lock();
        let needs = self.needs.lock();
        let mut counts: HashMap<&str, u64> = LABELS.map(|label| (label, 0)).into();
        for (class, known) in needs.tried() {
            let is_replayed = replays.state(class) == Some(ReplayState::Ready);
            *counts.entry(if is_replayed { REPLAYED } else { known.need.label() }).or_default() += 1;
        }
        counts.into_iter().for_each(|(label, count)| self.metrics.classes.by(label).set(count));
    }
}

/// The name in output of a class whose pages are replayed.
const REPLAYED: &str = "replayed";
/// All names of what is known of a class.
const LABELS: [&str; 5] =
    [Need::Open.label(), Need::Needed.label(), Need::Unneeded.label(), Need::Failing.label(), REPLAYED];

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
        LABELS.iter().for_each(|label| metrics.classes.by(label).set(1));
        assert!(LABELS.iter().all(|label| metrics.classes.by(label).get() == 1));
        failures.iter().for_each(|failure| metrics.pages.by(failure.label()).inc());
        assert!(failures.iter().all(|failure| metrics.pages.by(failure.label()).get() == 1));
        assert_eq!((metrics.requests.by("other").get(), metrics.pages.by("other").get()), (0, 0));
    }
}
