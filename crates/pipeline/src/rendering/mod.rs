//! Rendering of pages in a browser: which pages, and what it gains.
//!
//! A worker decides for each HTML page whether its class may need a browser, before its links are taken in. Such a page
//! waits with its lease for its turn: while a page of its class is tried, the others wait for the result. A page that
//! is rendered comes back to the workers with the document that its scripts left, which is then processed in place of
//! the plain one. Where the requests of the scripts of a class are learned, plain requests complete its pages instead:
//! they are replayed.

mod assets;
mod classes;
mod file;
mod gain;
mod learned;
mod learned_requests;
mod links;
mod page;
mod requests;
mod stage;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

pub use self::file::{RENDER_FILE, read_rendering};
pub(crate) use self::file::{RenderWriter, RenderWriterThread};
pub(crate) use self::gain::{Gained, Shown, gain_of_page};
pub(crate) use self::links::LinkScope;
pub(crate) use self::page::{PageToRender, RenderClass, RenderOutcome, RenderProgress, RenderRole, ToRender};
pub use self::stage::{BrowserCheck, check_browser};
pub(crate) use self::stage::{Browsers, RenderQueue, RenderStage, browsers};

use self::learned::Learned;
use harvestman_core::config::{RenderMode, RenderOptions};
use harvestman_core::model::RenderingSummary;
use harvestman_metrics::RenderMetrics;
use harvestman_render::{
    ActionNote, Gain, KnownActions, Means, Need, RenderFailure, RenderedPage, ReplayState, Suspicion, Turn,
};

/// Decides which pages are rendered and which are replayed, and learns from the results.
pub(crate) struct Renders {
    mode: RenderMode,
    /// Whether pages may be replayed.
    is_replaying: bool,
    learned: Learned,
    /// Whether there are decisions that are not written yet, and the same of counts.
    has_decided: AtomicBool,
    has_counted: AtomicBool,
    /// Whether no browser starts any more.
    is_off: AtomicBool,
    /// Told when pages that wait may have their turn.
    changed: Notify,
    metrics: Arc<RenderMetrics>,
}

impl Renders {
    /// Starts from what an earlier run left in the crawl directory, if there was one.
    pub(crate) fn open(options: &RenderOptions, directory: &Path, metrics: Arc<RenderMetrics>) -> Self {
        let is_replaying = options.mode == RenderMode::Auto && options.replay;
        let renders = Self {
            mode: options.mode,
            is_replaying,
            learned: file::recall(directory),
            has_decided: AtomicBool::new(false),
            has_counted: AtomicBool::new(false),
            is_off: AtomicBool::new(false),
            changed: Notify::new(),
            metrics,
        };
        renders.show();
        renders
    }

    /// Returns how likely scripts add something to a page of this class, by a first guess and by the hints in its
    /// source, which are sought on a few pages of a class.
    pub(crate) fn suspicion(
        &self,
        class: RenderClass,
        guess: Suspicion,
        has_hints: impl FnOnce() -> bool,
    ) -> Suspicion {
        let seeks_hints =
            guess == Suspicion::Weak && self.mode == RenderMode::Auto && self.learned.needs.lock().reads(&class);
        if seeks_hints && has_hints() { Suspicion::Likely } else { guess }
    }

    /// Returns what is known of the classes with the most pages.
    pub(crate) fn summary(&self, max: usize) -> RenderingSummary {
        self.learned.summary(max)
    }

    /// Returns whether there is something that is not written yet: a decision or, if they matter, counts. It counts as
    /// written from then on.
    fn has_news(&self, counts_matter: bool) -> bool {
        let has_decided = self.has_decided.swap(false, Ordering::Relaxed);
        let has_counted = (has_decided || counts_matter) && self.has_counted.swap(false, Ordering::Relaxed);
        has_decided || has_counted
    }

    fn is_off(&self) -> bool {
        self.is_off.load(Ordering::Relaxed)
    }

    /// Takes note of a page. Returns whether it waits for its turn to be rendered.
    pub(crate) fn admits(&self, page: ToRender, url: &str) -> bool {
        self.meet(page, url);
        self.wants(page)
    }

    /// Counts a page whose class may need a browser.
    fn meet(&self, page: ToRender, url: &str) {
        if page.suspicion != Suspicion::None || self.mode == RenderMode::Always {
            self.learned.met.lock().meet(page.class, url);
            self.has_counted.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether a page waits for its turn to be rendered, if it comes.
    fn wants(&self, page: ToRender) -> bool {
        if self.is_off() {
            return false;
        }
        match self.mode {
            RenderMode::Never => false,
            RenderMode::Always => true,
            RenderMode::Auto => self.learned.needs.lock().wants(page.class, page.suspicion),
        }
    }

    /// Decides about a page that waits.
    fn turn(&self, page: &PageToRender) -> Turn {
        if self.is_off() {
            return Turn::Plain;
        }
        match self.mode {
            RenderMode::Never => Turn::Plain,
            RenderMode::Always => Turn::Render,
            RenderMode::Auto => {
                self.learned.needs.lock().turn(&page.class, page.suspicion, page.role == RenderRole::Retest)
            }
        }
    }

    /// Sets a page apart for which the requests of its class brought nothing. Returns whether it waits for a turn
    /// again.
    fn set_apart(&self, page: &mut PageToRender) -> bool {
        let class = page.class.apart();
        // Its class needs more than the plain pages, so it may too.
        let suspicion = page.suspicion.max(Suspicion::Likely);
        if page.role == RenderRole::Apart || !self.wants(ToRender { class, suspicion }) {
            return false;
        }
        self.learned.met.lock().move_page(page.class, class, page.fetched.lease.item.url.as_str());
        self.withdraw(page.class);
        (page.class, page.role, page.progress) = (class, RenderRole::Apart, RenderProgress::Waiting);
        true
    }

    /// Returns how a page of this class is completed.
    pub(crate) fn means(&self, class: RenderClass) -> Means {
        if self.is_replaying { self.learned.replays.lock().means(&class) } else { Means::Browser }
    }

    /// Returns whether pages of this class are rendered only now and then.
    pub(crate) fn is_retested(&self, class: RenderClass) -> bool {
        self.mode == RenderMode::Auto && self.learned.needs.lock().is_retested(&class)
    }

    /// Returns whether it has turned out that pages of this class need not be rendered.
    pub(crate) fn is_unneeded(&self, class: RenderClass) -> bool {
        self.mode == RenderMode::Auto && self.learned.needs.lock().is_unneeded(&class)
    }

    /// Learns what rendering a page gained, unless the crawl's rules kept its scripts from their data.
    pub(crate) fn learn(&self, class: RenderClass, page: &RenderedPage, plain: &Shown, rendered: &Shown) -> Gained {
        let gained = self.learned.known.lock().gain(plain, rendered);
        let gain = gained.gain();
        let mut needs = self.learned.needs.lock();
        let before = needs.of(&class).map(|class| class.need);
        // What was gained in spite of that is a gain.
        if page.is_impaired() && gain == Gain::default() {
            needs.fail(&class);
            self.metrics.pages.by("impaired").inc();
        } else {
            needs.learn(&class, gain);
            self.metrics.pages.by(if gain == Gain::default() { "no_gain" } else { "gain" }).inc();
        }
        let is_decided = needs.of(&class).map(|class| class.need) != before;
        drop(needs);
        self.has_decided.fetch_or(is_decided, Ordering::Relaxed);
        self.changed.notify_one();
        self.metrics.gained_links.add(u64::from(gain.links));
        self.learn_actions(class, &page.actions);
        self.show();
        gained
    }

    /// Returns what is known of clicks on a page of this class that is rendered now.
    pub(crate) fn actions(&self, class: RenderClass) -> KnownActions {
        self.learned.actions.lock().of_page(&class)
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
        self.learned.actions.lock().learn(class, notes);
    }

    /// Records the end of a page that was to be rendered, unless [`Renders::learn`] learns from it.
    pub(crate) fn ended(&self, class: RenderClass, outcome: &RenderOutcome) {
        self.has_counted.store(true, Ordering::Relaxed);
        match outcome {
            RenderOutcome::Rendered(_) => self.learned.met.lock().count_rendered(class),
            RenderOutcome::Replayed(_) => {
                self.learned.met.lock().count_replayed(class);
                self.metrics.pages.by("replayed").inc();
                self.withdraw(class);
            }
            RenderOutcome::Unneeded => self.withdraw(class),
            RenderOutcome::Failed(why) => self.fail(class, why),
        }
    }

    /// Records that a page was not rendered to its end.
    pub(crate) fn withdraw(&self, class: RenderClass) {
        self.learned.needs.lock().withdraw(&class);
        self.changed.notify_one();
    }

    /// Records that a page could not be rendered.
    fn fail(&self, class: RenderClass, why: &RenderFailure) {
        self.metrics.pages.by(why.label()).inc();
        if let RenderFailure::CannotStart(text) = why
            && !self.is_off.swap(true, Ordering::Relaxed)
        {
            tracing::error!("no page is rendered here from now on: {text}");
        }
        let mut needs = self.learned.needs.lock();
        let before = needs.is_retested(&class);
        needs.fail(&class);
        let is_decided = needs.is_retested(&class) != before;
        drop(needs);
        self.has_decided.fetch_or(is_decided, Ordering::Relaxed);
        self.changed.notify_one();
        self.show();
    }

    /// Shows the number of classes by what is known of them.
    fn show(&self) {
        let replays = self.learned.replays.lock();
        let needs = self.learned.needs.lock();
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
    use harvestman_core::url::CanonicalUrl;
    use harvestman_metrics::Metrics;
    use harvestman_render::Refusal;

    use super::*;

    #[test]
    fn nothing_is_rendered_once_the_browser_does_not_start() {
        let options = RenderOptions { mode: RenderMode::Auto, ..RenderOptions::default() };
        let renders = Renders::open(&options, Path::new("/nonexistent"), Metrics::new().render);
        let url = CanonicalUrl::from_canonical("http://a.test/app");
        let page = ToRender { class: RenderClass::of(&url, 7), suspicion: Suspicion::Strong };
        assert!(renders.admits(page, url.as_str()));
        renders.ended(page.class, &RenderOutcome::Failed(RenderFailure::Hung));
        assert!(renders.admits(page, url.as_str()), "the next one may be better");
        renders.ended(page.class, &RenderOutcome::Failed(RenderFailure::CannotStart(String::new())));
        assert!(!renders.admits(page, url.as_str()));
    }

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
