//! What is kept of the actions of classes over a restart.

use std::cmp::Reverse;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

use super::{Actions, Class, PAGE_CLASSES_MAX};

/// Maximum number of actions of a class of pages that are kept: those tried on the most pages.
const KEPT_MAX: usize = 32;
/// Maximum length of a path that is kept.
const PATH_MAX: usize = 1_024;

/// What is kept of the actions of a class of pages over a restart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeptActions(Vec<KeptAction>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptAction {
    path: String,
    #[serde(flatten)]
    known: Class,
}

impl<K: Hash + Eq> Actions<K> {
    /// Returns what is kept of a class of pages.
    pub fn kept(&self, class: &K) -> Option<KeptActions> {
        let known = self.0.get(class)?.iter().filter(|(path, _)| path.len() <= PATH_MAX);
        let mut known: Vec<(&String, &Class)> = known.collect();
        known.sort_unstable_by_key(|(path, known)| (Reverse(known.pages), *path));
        let known = known.into_iter().take(KEPT_MAX);
        Some(KeptActions(known.map(|(path, known)| KeptAction { path: path.clone(), known: *known }).collect()))
    }

    /// Restores a class of pages.
    pub fn restore(&mut self, class: K, KeptActions(kept): KeptActions) {
        if self.0.len() < PAGE_CLASSES_MAX {
            let kept = kept.into_iter().take(KEPT_MAX).map(|action| (action.path, action.known));
            self.0.insert(class, kept.collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::{ActionNote, Expected};
    use crate::need::Gain;

    #[test]
    fn actions_are_known_in_the_next_run() {
        let note = |path: &str, links| {
            let gain = Gain { links, words: 0 };
            ActionNote { path: path.to_owned(), clicks: 1, gain, navigations: 0 }
        };
        let mut actions = Actions::default();
        for _ in 0..3 {
            actions.learn(1, &[note("a", 2), note("b", 0), note(&"c".repeat(PATH_MAX + 1), 2)]);
        }
        (0..100).for_each(|path| actions.learn(1, &[note(&format!("rare {path}"), 1)]));
        let kept = serde_json::to_string(&actions.kept(&1)).unwrap();
        let mut next = Actions::default();
        next.restore(1, serde_json::from_str::<Option<KeptActions>>(&kept).unwrap().unwrap());
        let known = next.of_page(&1);
        assert_eq!((known.get("a"), known.get("b")), (Some(&Expected::Something), Some(&Expected::Nothing)));
        assert_eq!(known.len(), KEPT_MAX);
        assert_eq!(next.kept(&2), None);
    }
}
