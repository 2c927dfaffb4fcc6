//! Learns which classes of pages need a browser: pure.
//!
//! A class is what the caller takes for one, such as the pages with URLs of one form and the same scripts. A render of
//! a page is a trial; its label is what the rendered page has that the plain one lacks. Trials cost hundreds of plain
//! pages, so they are rationed: pages that look empty without scripts are tried at once, others from a budget that
//! grows slowly with the pages of the crawl, and faster while trials succeed. Pages whose source hints that scripts add
//! something have an advance; without hints a short crawl has no trials, since the first would cost a large part of it.

mod kept;

use std::collections::HashMap;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

use super::suspicion::Suspicion;

pub use kept::{KeptBudget, KeptNeed};

/// Number of trials after which a class is decided, if all have the same result.
const TRIALS: u32 = 3;
/// Number of trials after which it is decided in any case.
const TRIALS_MAX: u32 = 8;
/// Number of trials of classes with hints that may be spent before any succeeds.
const ADVANCE: f64 = 4.0;
/// What a page of the crawl adds to the budget, and a trial that gained something.
const BUDGET_PER_PAGE: f64 = 1.0 / 4_000.0;
const BUDGET_PER_GAIN: f64 = 4.0;
/// Maximum of the budget.
const BUDGET_MAX: f64 = 64.0;
/// Number of pages of a class in which hints are sought.
const PAGES_READ: u64 = 8;
/// Number of pages of a class without need after which one is tried again, at first; it doubles up to the maximum.
const RETEST_AFTER: u64 = 1_000;
const RETEST_AFTER_MAX: u64 = 16_000;
/// Weight of a new label in the average of a class that is rendered.
const MEMORY: f64 = 0.1;
/// Number of words that are worth as much as a link.
const WORDS_PER_LINK: f64 = 10.0;
/// Average gain, in links, from which a class is rendered.
const NEEDED: f64 = 0.5;
/// Number of failures in succession after which a class is not rendered for a while.
const FAILURES_MAX: u32 = 3;
/// Maximum number of classes; those beyond are not rendered.
const CLASSES_MAX: usize = 16_384;

/// What a rendered page has that the plain one lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gain {
    /// Links to pages of the crawl.
    pub links: u32,
    /// Words of text.
    pub words: u32,
}

impl Gain {
    /// Returns the worth of the gain, in links.
    pub fn worth(self) -> f64 {
        f64::from(self.links) + f64::from(self.words) / WORDS_PER_LINK
    }

    /// Returns whether it is worth a render or a click.
    pub fn is_worth_it(self) -> bool {
        self.worth() >= NEEDED
    }
}

/// What is done with a page that waits for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It stays as it is.
    Plain,
    /// It is rendered.
    Render,
    /// It waits for the end of a trial.
    Wait,
}

/// What is known of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Too little is known.
    Open,
    /// Its pages are rendered.
    Needed,
    /// Rendering adds nothing.
    Unneeded,
    /// Renders fail.
    Failing,
}

impl Need {
    /// Returns the name in output.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Needed => "needed",
            Self::Unneeded => "unneeded",
            Self::Failing => "failing",
        }
    }
}

/// A class of pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Class {
    need: Need,
    trials: u32,
    /// Renders that were asked for and have not ended. Those of an earlier run never end.
    #[serde(skip)]
    pending: u32,
    /// The average gain, in links; of recent pages only once the class is decided.
    gain: f64,
    gained: u32,
    failures: u32,
    /// Pages since the last trial.
    since: u64,
    retest_after: u64,
    /// Whether a page of it had hints.
    is_likely: bool,
}

impl Default for Class {
    fn default() -> Self {
        let (need, retest_after) = (Need::Open, RETEST_AFTER);
        Self {
            need,
            trials: 0,
            pending: 0,
            gain: 0.0,
            gained: 0,
            failures: 0,
            since: 0,
            retest_after,
            is_likely: false,
        }
    }
}

/// A class, for display.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassNeed {
    /// What is known of it.
    pub need: Need,
    /// Number of pages that were rendered.
    pub renders: u32,
    /// The average gain of a page, in links.
    pub gain: f64,
}

/// What is known of the need of all classes.
#[derive(Debug, Clone)]
pub struct RenderNeeds<K> {
    classes: HashMap<K, Class>,
    budget: Budget,
}

impl<K> Default for RenderNeeds<K> {
    fn default() -> Self {
        Self { classes: HashMap::new(), budget: Budget::default() }
    }
}

/// Trials that may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Budget {
    /// By any class.
    earned: f64,
    /// By classes with hints.
    advance: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { earned: 0.0, advance: ADVANCE }
    }
}

impl Budget {
    fn earn(&mut self, trials: f64) {
        self.earned = (self.earned + trials).min(BUDGET_MAX);
    }

    fn has_trial(self, is_likely: bool) -> bool {
        self.earned >= 1.0 || (is_likely && self.advance >= 1.0)
    }

    fn spend(&mut self, is_likely: bool) {
        let from = if is_likely && self.advance >= 1.0 { &mut self.advance } else { &mut self.earned };
        *from -= 1.0;
    }
}

impl<K: Hash + Eq> RenderNeeds<K> {
    /// Returns whether a page of this class waits for its turn: it is rendered, or that is decided when the trials of
    /// its class have ended.
    pub fn wants(&mut self, class: K, suspicion: Suspicion) -> bool {
        self.budget.earn(BUDGET_PER_PAGE);
        if suspicion == Suspicion::None || (self.classes.len() >= CLASSES_MAX && !self.classes.contains_key(&class)) {
            return false;
        }
        let class = self.classes.entry(class).or_default();
        class.is_likely |= suspicion >= Suspicion::Likely;
        class.since += 1;
        let has_budget = self.budget.has_trial(class.is_likely);
        match class.need {
            Need::Needed => true,
            // While such a class is open, all its pages are rendered: without that they would be empty.
            Need::Open => suspicion == Suspicion::Strong || class.gained > 0 || class.pending > 0 || has_budget,
            Need::Unneeded | Need::Failing => {
                let is_due = class.since >= class.retest_after && class.pending == 0 && has_budget;
                if is_due {
                    class.since = 0;
                }
                is_due
            }
        }
    }

    /// Returns whether hints are to be sought in the source of a page of this class.
    pub fn reads(&self, class: &K) -> bool {
        let is_read = |class: &Class| class.need == Need::Open && !class.is_likely && class.since < PAGES_READ;
        self.classes.get(class).is_none_or(is_read)
    }

    /// Decides about a page that waits. If it is rendered, [`RenderNeeds::learn`], [`RenderNeeds::fail`] or
    /// [`RenderNeeds::withdraw`] must follow. `is_retest` tells that [`RenderNeeds::wants`] chose it of a class without
    /// need.
    pub fn turn(&mut self, class: &K, suspicion: Suspicion, is_retest: bool) -> Turn {
        let Some(class) = self.classes.get_mut(class) else { return Turn::Plain };
        let (is_rendered, is_rationed) = match class.need {
            Need::Needed => (true, false),
            Need::Open if suspicion == Suspicion::Strong => (true, false),
            // One trial after the other, while the other pages wait: otherwise most would pass before the first has
            // ended.
            Need::Open if class.pending > 0 => return Turn::Wait,
            Need::Open => (true, class.gained == 0),
            Need::Unneeded | Need::Failing => (is_retest && class.pending == 0, true),
        };
        if !is_rendered || (is_rationed && !self.budget.has_trial(class.is_likely)) {
            return Turn::Plain;
        }
        if is_rationed {
            self.budget.spend(class.is_likely);
        }
        class.pending += 1;
        class.since = 0;
        Turn::Render
    }

    /// Learns what rendering a page gained.
    pub fn learn(&mut self, class: &K, gain: Gain) {
        let Some(class) = self.classes.get_mut(class) else { return };
        class.pending = class.pending.saturating_sub(1);
        class.failures = 0;
        class.trials = class.trials.saturating_add(1);
        let worth = gain.worth();
        if gain.is_worth_it() {
            class.gained = class.gained.saturating_add(1);
            self.budget.earn(BUDGET_PER_GAIN);
        }
        let weight = (1.0 / f64::from(class.trials)).max(MEMORY);
        class.gain += (worth - class.gain) * weight;
        class.decide();
    }

    /// Records a render that was not finished.
    pub fn withdraw(&mut self, class: &K) {
        if let Some(class) = self.classes.get_mut(class) {
            class.pending = class.pending.saturating_sub(1);
        }
    }

    /// Records a render that says nothing of the class: it failed, or a request of the page was not allowed.
    pub fn fail(&mut self, class: &K) {
        let Some(class) = self.classes.get_mut(class) else { return };
        class.pending = class.pending.saturating_sub(1);
        class.failures += 1;
        if class.failures >= FAILURES_MAX && class.need != Need::Unneeded {
            class.need = Need::Failing;
        }
    }

    /// Returns whether rendering adds nothing to the pages of a class, as far as is known.
    pub fn is_unneeded(&self, class: &K) -> bool {
        self.classes.get(class).is_some_and(|class| matches!(class.need, Need::Unneeded))
    }

    /// Returns whether pages of a class are rendered only now and then, to see whether that is still right.
    pub fn is_retested(&self, class: &K) -> bool {
        self.classes.get(class).is_some_and(|class| matches!(class.need, Need::Unneeded | Need::Failing))
    }

    /// Returns what is known of a class.
    pub fn of(&self, class: &K) -> Option<ClassNeed> {
        self.classes.get(class).map(Class::shown)
    }

    /// Returns all classes that were ever tried.
    pub fn tried(&self) -> impl Iterator<Item = (&K, ClassNeed)> {
        let tried = self.classes.iter().filter(|(_, class)| class.trials > 0 || class.need == Need::Failing);
        tried.map(|(key, class)| (key, class.shown()))
    }
}

impl Class {
    fn decide(&mut self) {
        let before = self.need;
        let is_clear = self.trials >= TRIALS && (self.gained == 0 || self.gained == self.trials);
        self.need = match before {
            Need::Open if is_clear || self.trials >= TRIALS_MAX => Self::need_of(self.gain),
            Need::Open => Need::Open,
            Need::Needed => Self::need_of(self.gain),
            // A later trial that gains something opens the class again.
            Need::Unneeded | Need::Failing if self.gain >= NEEDED * MEMORY => {
                (self.trials, self.gained, self.retest_after) = (1, 1, RETEST_AFTER);
                Need::Open
            }
            Need::Unneeded | Need::Failing => Need::Unneeded,
        };
        if before == Need::Unneeded && self.need == Need::Unneeded {
            self.retest_after = (2 * self.retest_after).min(RETEST_AFTER_MAX);
        }
    }

    fn need_of(gain: f64) -> Need {
        if gain >= NEEDED { Need::Needed } else { Need::Unneeded }
    }

    const fn shown(&self) -> ClassNeed {
        ClassNeed { need: self.need, renders: self.trials, gain: self.gain }
    }
}

#[cfg(test)]
#[path = "need_tests.rs"]
mod tests;
