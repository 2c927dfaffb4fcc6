//! What is known of the classes of actions.

mod kept;

use std::collections::HashMap;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

use crate::need::Gain;

pub use kept::KeptActions;

/// Number of pages on which a class of actions is tried before it is left alone.
const TRIALS: u32 = 3;
/// Share of pages on which it must bring something, once it is known on [`KNOWN`] pages.
const SHARE_MIN: f64 = 0.1;
const KNOWN: u32 = 20;
/// Number of pages after which a class that is left alone is tried again.
const RETRY_AFTER: u32 = 50;
/// Maximum number of classes of pages.
const PAGE_CLASSES_MAX: usize = 4_096;
/// Maximum number of classes of actions of a class of pages.
const ACTIONS_MAX: usize = 256;

/// What the clicks on the elements of one path brought on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionNote {
    /// The path of the elements.
    pub path: String,
    /// Number of clicks.
    pub clicks: u32,
    /// Links and words that came.
    pub gain: Gain,
    /// Number of clicks that led to another page.
    pub navigations: u32,
}

impl ActionNote {
    /// Returns whether the clicks brought something.
    pub fn brought(&self) -> bool {
        self.navigations > 0 || self.gain.is_worth_it()
    }
}

/// What is to be expected of a class of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// It brings something.
    Something,
    /// It brings nothing.
    Nothing,
}

/// What is known of the actions of a page, by path.
pub type KnownActions = HashMap<String, Expected>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Class {
    /// Number of pages on which it was tried.
    pages: u32,
    /// Number of those on which it brought something.
    brought: u32,
    /// Number of pages since the last trial.
    since: u32,
}

impl Class {
    fn expected(self) -> Option<Expected> {
        let is_rare = self.pages >= KNOWN && f64::from(self.brought) < SHARE_MIN * f64::from(self.pages);
        match self.brought {
            0 if self.pages < TRIALS => None,
            0 => Some(Expected::Nothing),
            _ if is_rare => Some(Expected::Nothing),
            _ => Some(Expected::Something),
        }
    }
}

/// What is known of the actions of all classes of pages.
#[derive(Debug)]
pub struct Actions<K>(HashMap<K, HashMap<String, Class>>);

impl<K> Default for Actions<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Hash + Eq> Actions<K> {
    /// Returns what is known of the actions of a page of this class, and counts the page. Actions that are to be tried
    /// again are left out.
    pub fn of_page(&mut self, class: &K) -> KnownActions {
        let Some(actions) = self.0.get_mut(class) else { return KnownActions::new() };
        let expected = actions.iter_mut().filter_map(|(path, action)| {
            action.since = action.since.saturating_add(1);
            let expected = action.expected()?;
            let is_retried = expected == Expected::Nothing && action.since > RETRY_AFTER;
            (!is_retried).then(|| (path.clone(), expected))
        });
        expected.collect()
    }

    /// Learns what the clicks on a page of a class brought.
    pub fn learn(&mut self, class: K, notes: &[ActionNote]) {
        if notes.is_empty() || (self.0.len() >= PAGE_CLASSES_MAX && !self.0.contains_key(&class)) {
            return;
        }
        let actions = self.0.entry(class).or_default();
        for note in notes {
            if actions.len() >= ACTIONS_MAX && !actions.contains_key(&note.path) {
                continue;
            }
            let action = actions.entry(note.path.clone()).or_default();
            // A success after a long time begins anew.
            if note.brought() && action.expected() == Some(Expected::Nothing) {
                *action = Class::default();
            }
            action.pages = action.pages.saturating_add(1);
            action.brought = action.brought.saturating_add(u32::from(note.brought()));
            action.since = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn note(path: &str, links: u32) -> ActionNote {
        ActionNote { path: path.to_owned(), clicks: 1, gain: Gain { links, words: 0 }, navigations: 0 }
    }

    #[test]
    fn actions_are_known_by_class_of_pages_and_path() {
        let mut actions = Actions::default();
        for page in 0..3 {
            assert_eq!(actions.of_page(&1).get("b"), None, "page {page}");
            actions.learn(1, &[note("a", 2), note("b", 0)]);
        }
        let known = actions.of_page(&1);
        assert_eq!((known.get("a"), known.get("b")), (Some(&Expected::Something), Some(&Expected::Nothing)));
        assert!(actions.of_page(&2).is_empty());
    }

    #[test]
    fn an_action_that_brought_nothing_is_tried_again_seldom() {
        let mut actions = Actions::default();
        (0..3).for_each(|_| actions.learn(1, &[note("a", 0)]));
        let left_alone = (0..60).filter(|_| actions.of_page(&1).contains_key("a")).count();
        assert_eq!(left_alone, RETRY_AFTER as usize);
        actions.learn(1, &[note("a", 1)]);
        assert_eq!(actions.of_page(&1).get("a"), Some(&Expected::Something));
    }

    #[test]
    fn a_navigation_is_something_and_a_word_is_not() {
        let with = |words, navigations| ActionNote { navigations, gain: Gain { links: 0, words }, ..note("a", 0) };
        assert_eq!([with(0, 1), with(4, 0), with(5, 0)].map(|note| note.brought()), [true, false, true]);
    }

    proptest! {
        /// A naive twin: the share of pages since the last new beginning.
        #[test]
        fn an_action_is_used_while_enough_pages_gain(gains in proptest::collection::vec(0_u32..2, 1..60)) {
            let mut actions = Actions::default();
            let mut since = Vec::new();
            for gain in gains {
                let nothing = |since: &[u32]| {
                    let (pages, brought) = (since.len(), since.iter().sum::<u32>() as usize);
                    pages >= 3 && (brought == 0 || (pages >= 20 && 10 * brought < pages))
                };
                if gain == 1 && nothing(&since) {
                    since.clear();
                }
                since.push(gain);
                actions.learn(1, &[note("a", gain)]);
                let known = actions.of_page(&1).get("a") == Some(&Expected::Nothing);
                prop_assert_eq!(known, nothing(&since));
            }
        }
    }
}
