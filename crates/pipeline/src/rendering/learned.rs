//! All that a crawl learns of rendering, and what of it is kept over a restart: pure.

use std::borrow::Cow;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::classes::{MetClass, MetClasses};
use super::gain::KnownGains;
use super::page::RenderClass;
use harvestman_core::model::{RenderClassSummary, RenderingSummary};
use harvestman_render::replay::ReplayTemplate;
use harvestman_render::{
    Actions, KeptActions, KeptBudget, KeptNeed, KeptReplay, Need, RenderNeeds, ReplayState, Replays,
};

/// The format that is written, and the only one that is read.
const FORMAT: u32 = 1;
/// Maximum length of the description of a template.
const DESCRIPTION_MAX: usize = 4_096;
/// Maximum number of classes that are kept: those with the most pages.
const KEPT_MAX: usize = 4_096;

/// All that a crawl learns of rendering.
///
/// Whoever needs `replays` and `needs` at a time locks them in this order, and nothing else meanwhile.
#[derive(Default)]
pub(super) struct Learned {
    pub(super) met: Mutex<MetClasses>,
    pub(super) needs: Mutex<RenderNeeds<RenderClass>>,
    pub(super) known: Mutex<KnownGains>,
    pub(super) replays: Mutex<Replays<RenderClass>>,
    pub(super) actions: Mutex<Actions<RenderClass>>,
}

/// What is kept of it over a restart.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptRendering {
    format: u32,
    rendered: u64,
    replayed: u64,
    budget: KeptBudget,
    /// The classes, the largest first.
    pub(super) classes: Vec<KeptClass>,
    /// The templates that are tried for new classes.
    templates: Vec<Arc<ReplayTemplate>>,
    /// What several pages gained alike.
    gains: Vec<u64>,
}

/// What is kept of a class.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptClass {
    class: RenderClass,
    pages: MetClass,
    need: Option<KeptNeed>,
    replay: Option<KeptReplay>,
    actions: Option<KeptActions>,
}

impl Learned {
    /// Returns what is kept of it.
    pub(super) fn kept(&self) -> KeptRendering {
        let (largest, rendered, replayed) = {
            let met = self.met.lock();
            (met.largest(KEPT_MAX), met.rendered, met.replayed)
        };
        let (replays, needs) = (self.replays.lock(), self.needs.lock());
        let (templates, budget) = (replays.templates().to_vec(), needs.budget());
        let kept = |(class, pages)| {
            let (need, replay) = (needs.kept(&class), replays.kept(&class));
            KeptClass { class, pages, need, replay, actions: None }
        };
        let mut classes: Vec<KeptClass> = largest.into_iter().map(kept).collect();
        drop((replays, needs));
        let actions = self.actions.lock();
        classes.iter_mut().for_each(|kept| kept.actions = actions.kept(&kept.class));
        drop(actions);
        let gains = self.known.lock().repeated();
        KeptRendering { format: FORMAT, rendered, replayed, budget, classes, templates, gains }
    }

    /// Returns what is known of the classes with the most pages.
    pub(super) fn summary(&self, max: usize) -> RenderingSummary {
        let (largest, mut summary) = {
            let met = self.met.lock();
            let (rendered, replayed, known) = (met.rendered, met.replayed, met.len() as u64);
            (met.largest(max), RenderingSummary { rendered, replayed, known, classes: Vec::new() })
        };
        let (replays, needs) = (self.replays.lock(), self.needs.lock());
        let shown = |(class, pages): (RenderClass, MetClass)| {
            let need = needs.of(&class);
            RenderClassSummary {
                class: class.name(),
                example: pages.example,
                pages: pages.pages,
                rendered: pages.rendered,
                replayed: pages.replayed,
                need: Cow::Borrowed(need.map_or(Need::Open, |class| class.need).label()),
                gain: need.map_or(0.0, |class| (100.0 * class.gain).round() / 100.0),
                replay: replays.state(&class).map(ReplayState::label).map(Cow::Borrowed),
                requests: replays.template(&class).map(described),
            }
        };
        summary.classes = largest.into_iter().map(shown).collect();
        summary
    }
}

fn described(template: &ReplayTemplate) -> String {
    template.describe().chars().take(DESCRIPTION_MAX).collect()
}

impl KeptRendering {
    /// Reads it. An error says why it is of no use.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let Format { format } = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if format != FORMAT {
            return Err(format!("it has format {format}, and this version reads format {FORMAT}"));
        }
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    /// Returns it as text.
    pub(super) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    /// Returns what the next run starts from.
    pub(super) fn restored(self) -> Learned {
        let (mut met, mut needs, mut replays, mut actions) =
            (MetClasses::default(), RenderNeeds::default(), Replays::default(), Actions::default());
        (met.rendered, met.replayed) = (self.rendered, self.replayed);
        needs.restore_budget(self.budget);
        replays.restore_templates(&self.templates);
        for kept in self.classes.into_iter().take(KEPT_MAX) {
            met.restore(kept.class, kept.pages);
            kept.need.into_iter().for_each(|need| needs.restore(kept.class, need));
            kept.replay.into_iter().for_each(|replay| replays.restore(kept.class, replay));
            kept.actions.into_iter().for_each(|known| actions.restore(kept.class, known));
        }
        Learned {
            met: Mutex::new(met),
            needs: Mutex::new(needs),
            known: Mutex::new(KnownGains::of_repeated(self.gains)),
            replays: Mutex::new(replays),
            actions: Mutex::new(actions),
        }
    }
}

#[cfg(test)]
#[path = "learned_tests.rs"]
mod tests;
