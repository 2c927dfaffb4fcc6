//! Learns which classes of pages need no browser any more, because plain requests bring the same: pure.
//!
//! The pages of a class that a browser renders are samples. From three of them a template of their requests is learned;
//! it must then predict what the browser requests on three further pages, and what these requests bring must hold what
//! the pages gained. From then on the pages of the class are replayed. Now and then one is rendered again and compared,
//! ever more seldom while the template holds.

mod kept;

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::replay::{ReplayTemplate, Sample, learn, settle, verify};

pub use kept::KeptReplay;

/// Number of samples from which a template is learned.
const SAMPLES_MIN: usize = 3;
/// Number of samples after which a class without a template that holds is given up for a while.
const SAMPLES_MAX: usize = 8;
/// Number of pages in succession that a template must predict.
const VERIFIED: u32 = 3;
/// Share of the useful requests of a page that it must predict.
const SHARE_MIN: f64 = 0.95;
/// Share of the page's gain that their answers must hold. Scripts add words of their own, such as labels and dates.
const GAIN_MIN: f64 = 0.9;
/// Gain, in links, below which it does not matter.
const LITTLE: f64 = 1.0;
/// Number of replayed pages after which one is rendered again, at first; it doubles up to the maximum.
const CHECK_AFTER: u32 = 100;
const CHECK_AFTER_MAX: u32 = 3_200;
/// Number of pages in succession on which a template in use must fail to be given up.
const FAILURES_MAX: u32 = 3;
/// Number of rendered pages after which a class that was given up is tried again, at first; it doubles up to the
/// maximum.
const RETRY_AFTER: u32 = 100;
const RETRY_AFTER_MAX: u32 = 6_400;
/// Maximum number of classes; others are rendered.
const CLASSES_MAX: usize = 4_096;
/// Maximum size of all samples together, in bytes; while they are larger, new classes are not learned.
const BYTES_MAX: usize = 64 << 20;
/// Maximum number of templates of other classes that are tried for a new class.
const KNOWN_MAX: usize = 32;

/// How the pages of a class are completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Means {
    /// A browser renders them.
    Browser,
    /// A browser renders this one, to compare it with what the requests bring.
    Check,
    /// Plain requests bring what a browser would.
    Requests(Arc<ReplayTemplate>),
}

/// How much of what a page gained the answers to its requests hold, by worth in links.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ReplayShare {
    /// What they hold.
    pub found: f64,
    /// All that it gained and no page rendered before had.
    pub all: f64,
}

impl ReplayShare {
    /// Returns whether they hold what a browser shows. What gained next to nothing shows nothing of that.
    fn suffices(self) -> bool {
        self.all < LITTLE || self.found >= GAIN_MIN * self.all
    }

    fn and(self, other: Self) -> Self {
        Self { found: self.found + other.found, all: self.all + other.all }
    }
}

/// How far a class is, for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplayState {
    /// Its samples are collected or its template is verified.
    Learning,
    /// Its pages are replayed.
    Ready,
    /// Nothing explains its requests.
    GivenUp,
}

#[derive(Debug)]
enum Progress {
    Learning { samples: Vec<Sample>, template: Option<Arc<ReplayTemplate>>, verified: u32, held: ReplayShare },
    Ready { template: Arc<ReplayTemplate>, since: u32, check_after: u32, failures: u32 },
    GivenUp { since: u32 },
}

impl Default for Progress {
    fn default() -> Self {
        Self::of_samples(Vec::new())
    }
}

impl Progress {
    fn of_samples(samples: Vec<Sample>) -> Self {
        Self::Learning { samples, template: None, verified: 0, held: ReplayShare::default() }
    }
}

#[derive(Debug)]
struct Class {
    progress: Progress,
    retry_after: u32,
}

impl Default for Class {
    fn default() -> Self {
        Self { progress: Progress::default(), retry_after: RETRY_AFTER }
    }
}

/// What is known of the requests of all classes.
#[derive(Debug)]
pub struct Replays<K> {
    classes: HashMap<K, Class>,
    /// The latest templates that held.
    known: Vec<Arc<ReplayTemplate>>,
}

impl ReplayState {
    /// Returns the name in output.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Learning => "learning",
            Self::Ready => "ready",
            Self::GivenUp => "given up",
        }
    }
}

impl<K> Default for Replays<K> {
    fn default() -> Self {
        Self { classes: HashMap::new(), known: Vec::new() }
    }
}

impl<K: Hash + Eq> Replays<K> {
    /// Returns how a page of this class is completed, and counts it.
    pub fn means(&mut self, class: &K) -> Means {
        match self.classes.get_mut(class).map(|class| &mut class.progress) {
            Some(Progress::Ready { template, since, check_after, .. }) => {
                *since += 1;
                if *since > *check_after {
                    *since = 0;
                    return Means::Check;
                }
                Means::Requests(Arc::clone(template))
            }
            Some(Progress::Learning { .. } | Progress::GivenUp { .. }) | None => Means::Browser,
        }
    }

    /// Returns the template whose gain on the next sample of a class must be known to [`Replays::learn`].
    pub fn candidate(&self, class: &K, sample: &Sample) -> Option<Arc<ReplayTemplate>> {
        match self.classes.get(class).map(|class| &class.progress) {
            Some(Progress::Learning { template: Some(template), .. } | Progress::Ready { template, .. }) => {
                Some(Arc::clone(template))
            }
            Some(Progress::Learning { samples, template: None, .. }) if samples.is_empty() => {
                self.predicting_template(sample)
            }
            None => self.predicting_template(sample),
            Some(Progress::Learning { .. } | Progress::GivenUp { .. }) => None,
        }
    }

    /// Learns from a page of a class that a browser rendered. `candidate` is what [`Replays::candidate`] returned for
    /// it, and how much of the page's gain the answers to its requests hold.
    ///
    /// A page whose requests brought nothing says nothing.
    pub fn learn(&mut self, class: K, sample: Sample, candidate: Option<(Arc<ReplayTemplate>, ReplayShare)>) {
        if !sample.is_useful() {
            return;
        }
        let is_known = self.classes.contains_key(&class);
        if !is_known && (self.classes.len() >= CLASSES_MAX || self.bytes() >= BYTES_MAX) {
            return;
        }
        let class = self.classes.entry(class).or_default();
        // The pages that verify a template are judged together: single ones may show little that is new.
        let before = if let Progress::Learning { held, .. } = class.progress { held } else { ReplayShare::default() };
        let holds = |(template, held): &(Arc<ReplayTemplate>, ReplayShare)| {
            before.and(*held).suffices() && verify(template, std::slice::from_ref(&sample)).share() >= SHARE_MIN
        };
        match (&mut class.progress, candidate.filter(holds)) {
            (Progress::Learning { template, verified, held, .. }, Some((holding, of_page))) => {
                *template = Some(Arc::clone(&holding));
                *held = held.and(of_page);
                *verified += 1;
                if *verified >= VERIFIED {
                    let template = holding;
                    remember(&mut self.known, &template);
                    class.progress = Progress::Ready { template, since: 0, check_after: CHECK_AFTER, failures: 0 };
                }
            }
            (Progress::Learning { samples, template, verified, held }, None) => {
                samples.push(sample);
                (*template, *verified, *held) = (template_of(samples), 0, ReplayShare::default());
                if samples.len() >= SAMPLES_MAX {
                    class.progress = Progress::GivenUp { since: 0 };
                }
            }
            (Progress::Ready { check_after, failures, .. }, Some(_)) => {
                *failures = 0;
                *check_after = (2 * *check_after).min(CHECK_AFTER_MAX);
            }
            // One failed check is followed by another page at once.
            (Progress::Ready { since, check_after, failures, .. }, None) if *failures + 1 < FAILURES_MAX => {
                *failures += 1;
                *since = *check_after;
            }
            (Progress::Ready { .. }, None) => {
                class.progress = Progress::of_samples(vec![sample]);
            }
            (Progress::GivenUp { since }, _) => {
                *since += 1;
                if *since >= class.retry_after {
                    class.retry_after = (2 * class.retry_after).min(RETRY_AFTER_MAX);
                    class.progress = Progress::default();
                }
            }
        }
    }

    /// Returns how far a class is; `None` if nothing of it was learned.
    pub fn state(&self, class: &K) -> Option<ReplayState> {
        self.classes.get(class).map(|class| match class.progress {
            Progress::Learning { .. } => ReplayState::Learning,
            Progress::Ready { .. } => ReplayState::Ready,
            Progress::GivenUp { .. } => ReplayState::GivenUp,
        })
    }

    /// Returns the template by which the pages of a class are replayed, if they are.
    pub fn template(&self, class: &K) -> Option<&ReplayTemplate> {
        match &self.classes.get(class)?.progress {
            Progress::Ready { template, .. } => Some(template),
            Progress::Learning { .. } | Progress::GivenUp { .. } => None,
        }
    }

    /// Returns a template of another class that predicts the requests of a page.
    fn predicting_template(&self, sample: &Sample) -> Option<Arc<ReplayTemplate>> {
        let predicts = |template: &&Arc<ReplayTemplate>| {
            let verification = verify(template, std::slice::from_ref(sample));
            verification.useful > 0 && verification.share() >= SHARE_MIN
        };
        self.known.iter().rev().find(predicts).cloned()
    }

    /// Returns the size of all samples.
    fn bytes(&self) -> usize {
        let of_class = |class: &Class| match &class.progress {
            Progress::Learning { samples, .. } => samples.iter().map(Sample::bytes).sum(),
            Progress::Ready { .. } | Progress::GivenUp { .. } => 0,
        };
        self.classes.values().map(of_class).sum()
    }
}

/// Learns a template; `None` while there are too few samples, or if no useful request can be made.
fn template_of(samples: &[Sample]) -> Option<Arc<ReplayTemplate>> {
    if samples.len() < SAMPLES_MIN {
        return None;
    }
    let template = learn(samples).template;
    let has_requests = template.slots.iter().any(|slot| slot.is_useful && !slot.is_link);
    has_requests.then(|| Arc::new(settle(&template, samples)))
}

fn remember(known: &mut Vec<Arc<ReplayTemplate>>, template: &Arc<ReplayTemplate>) {
    if known.contains(template) {
        return;
    }
    if known.len() >= KNOWN_MAX {
        known.remove(0);
    }
    known.push(Arc::clone(template));
}

#[cfg(test)]
#[path = "replays_tests.rs"]
mod tests;
