//! What is kept of the need of classes over a restart.

use std::hash::Hash;

use serde::{Deserialize, Serialize};

use super::{
    ADVANCE, BUDGET_MAX, Budget, CLASSES_MAX, Class, FAILURES_MAX, RETEST_AFTER, RETEST_AFTER_MAX, RenderNeeds,
};

/// What is kept of a class over a restart: all but the renders that have not ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeptNeed(Class);

/// The trials that may be spent, which are kept over a restart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeptBudget(Budget);

impl<K: Hash + Eq> RenderNeeds<K> {
    /// Returns what is kept of a class.
    pub fn kept(&self, class: &K) -> Option<KeptNeed> {
        self.classes.get(class).map(|class| KeptNeed(Class { pending: 0, ..class.clone() }))
    }

    /// Restores a class. Values that no class can have are replaced by the nearest that it can.
    pub fn restore(&mut self, class: K, KeptNeed(kept): KeptNeed) {
        if self.classes.len() < CLASSES_MAX {
            let retest_after = kept.retest_after.clamp(RETEST_AFTER, RETEST_AFTER_MAX);
            let (failures, since) = (kept.failures.min(FAILURES_MAX), kept.since.min(RETEST_AFTER_MAX));
            let gain = kept.gain.max(0.0);
            self.classes.insert(class, Class { retest_after, failures, since, gain, pending: 0, ..kept });
        }
    }

    /// Returns the trials that may be spent.
    pub const fn budget(&self) -> KeptBudget {
        KeptBudget(self.budget)
    }

    /// Restores the trials that may be spent.
    pub const fn restore_budget(&mut self, KeptBudget(Budget { earned, advance }): KeptBudget) {
        self.budget = Budget { earned: earned.clamp(0.0, BUDGET_MAX), advance: advance.clamp(0.0, ADVANCE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::need::{Gain, Need, Turn};
    use crate::suspicion::Suspicion;
    use proptest::prelude::*;

    /// Returns the same needs in the next run.
    fn restarted(needs: &RenderNeeds<u8>) -> RenderNeeds<u8> {
        let mut next = RenderNeeds::default();
        for class in 0..4 {
            let kept = needs.kept(&class).map(|kept| serde_json::to_string(&kept).unwrap());
            kept.into_iter().for_each(|kept| next.restore(class, serde_json::from_str(&kept).unwrap()));
        }
        next.restore_budget(needs.budget());
        next
    }

    #[test]
    fn a_decided_class_is_not_tried_again_and_a_trial_that_was_under_way_is() {
        let mut needs = RenderNeeds::default();
        for class in [0, 1] {
            for _ in 0..3 {
                assert!(needs.wants(class, Suspicion::Strong));
                assert_eq!(needs.turn(&class, Suspicion::Strong, false), Turn::Render);
                needs.learn(&class, Gain { links: u32::from(class), words: 0 });
            }
        }
        assert!(needs.wants(2, Suspicion::Likely));
        assert_eq!(needs.turn(&2, Suspicion::Likely, false), Turn::Render);
        assert_eq!(needs.turn(&2, Suspicion::Likely, false), Turn::Wait);
        let mut next = restarted(&needs);
        assert!(!next.wants(0, Suspicion::Strong), "rendering adds nothing");
        assert_eq!(next.of(&1).map(|class| (class.need, class.renders)), Some((Need::Needed, 3)));
        assert_eq!(next.turn(&2, Suspicion::Likely, false), Turn::Render, "no render of this run is under way");
    }

    #[test]
    fn impossible_values_are_corrected() {
        let kept: KeptNeed = serde_json::from_str(r#"{"need": "unneeded", "retest_after": 0, "gain": -3.0}"#).unwrap();
        let mut needs = RenderNeeds::default();
        needs.restore(0, kept);
        assert!(!needs.wants(0, Suspicion::Likely), "it is tested again after many pages only");
        needs.restore_budget(serde_json::from_str(r#"{"earned": 1e300, "advance": -1.0}"#).unwrap());
        assert_eq!(needs.budget(), KeptBudget(Budget { earned: BUDGET_MAX, advance: 0.0 }));
        assert!(serde_json::from_str::<KeptNeed>(r#"{"need": "other"}"#).is_err());
    }

    proptest! {
        #[test]
        fn the_next_run_decides_as_this_one(steps in proptest::collection::vec((0_u8..4, 0_u8..5), 0..200)) {
            let mut needs = RenderNeeds::default();
            let step = |needs: &mut RenderNeeds<u8>, class: u8, what: u8| {
                let suspicion = if class == 0 { Suspicion::Strong } else { Suspicion::Likely };
                if !needs.wants(class, suspicion) || needs.turn(&class, suspicion, needs.is_retested(&class)) != Turn::Render {
                    return None;
                }
                match what {
                    0 => needs.fail(&class),
                    1 => needs.withdraw(&class),
                    links => needs.learn(&class, Gain { links: u32::from(links) - 2, words: 0 }),
                }
                needs.of(&class)
            };
            for (at, (class, what)) in steps.iter().enumerate() {
                if at == steps.len() / 2 {
                    let mut next = restarted(&needs);
                    for (class, what) in &steps[at..] {
                        prop_assert_eq!(step(&mut needs, *class, *what), step(&mut next, *class, *what));
                    }
                    break;
                }
                step(&mut needs, *class, *what);
            }
        }
    }
}
