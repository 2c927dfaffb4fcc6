//! Chooses what is clicked on a page.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::control::Control;
use super::learned::{ActionNote, Expected, KnownActions};
use crate::need::Gain;

/// Number of clicks in succession without result after which the elements of one path are left alone.
const MISSES_MAX: u32 = 2;
/// The same for all paths of a page together.
const MISSES_PER_PAGE: u32 = 8;

/// What a page shows, as counts of all that it has shown so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Seen {
    /// Its URL: a script may have given it another.
    pub(crate) url: String,
    /// Number of distinct links.
    pub(crate) links: u32,
    /// Number of words of distinct texts.
    pub(crate) words: u32,
    /// Number of pages to which clicks led and no link does.
    pub(crate) ways: u32,
    /// What can be clicked now.
    pub(crate) controls: Vec<Control>,
}

impl Seen {
    fn gain_since(&self, before: &Self) -> Gain {
        Gain { links: self.links.saturating_sub(before.links), words: self.words.saturating_sub(before.words) }
    }
}

#[derive(Debug)]
struct OnPage {
    note: ActionNote,
    misses: u32,
}

/// The clicks on one page.
#[derive(Debug)]
pub(crate) struct Clicking {
    known: KnownActions,
    clicks_left: u32,
    misses_left: u32,
    /// Paths with what came of them.
    tried: HashMap<String, OnPage>,
    spent: HashSet<u64>,
    /// Paths and labels that are not clicked again, also if a script creates the element anew.
    spent_names: HashSet<(String, String)>,
    /// The element that was clicked last, and what the page showed before.
    last: Option<(Control, Seen)>,
}

impl Clicking {
    /// Begins with a page on which at most `clicks_max` clicks are made.
    pub(crate) fn new(known: KnownActions, clicks_max: u32) -> Self {
        let (tried, spent, spent_names, last) = Default::default();
        Self { known, clicks_left: clicks_max, misses_left: MISSES_PER_PAGE, tried, spent, spent_names, last }
    }

    /// Returns whether nothing is clicked in any case.
    pub(crate) const fn is_over(&self) -> bool {
        self.clicks_left == 0 || self.misses_left == 0
    }

    /// Learns what the last click brought, and returns the index of the control that is clicked next. `has_left` tells
    /// whether the last click gave the page another URL.
    pub(crate) fn next(&mut self, seen: &Seen, has_left: bool) -> Option<usize> {
        self.learn(seen, has_left);
        if self.is_over() {
            return None;
        }
        let open = seen.controls.iter().enumerate().filter(|(_, control)| self.is_open(control));
        let (index, control) = open.min_by_key(|(index, control)| (self.rank(control), control.look(), *index))?;
        self.clicks_left -= 1;
        let note = || ActionNote { path: control.path.clone(), clicks: 0, gain: Gain::default(), navigations: 0 };
        let on_page = self.tried.entry(control.path.clone()).or_insert_with(|| OnPage { note: note(), misses: 0 });
        on_page.note.clicks += 1;
        self.last = Some((control.clone(), Seen { controls: Vec::new(), ..seen.clone() }));
        Some(index)
    }

    /// Returns what the clicks brought.
    pub(crate) fn into_notes(self) -> Vec<ActionNote> {
        let mut notes: Vec<ActionNote> = self.tried.into_values().map(|on_page| on_page.note).collect();
        notes.sort_by(|one, other| one.path.cmp(&other.path));
        notes
    }

    fn learn(&mut self, seen: &Seen, has_left: bool) {
        let Some((control, before)) = self.last.take() else { return };
        let Some(on_page) = self.tried.get_mut(&control.path) else { return };
        let (gain, ways) = (seen.gain_since(&before), seen.ways.saturating_sub(before.ways));
        let note = &mut on_page.note;
        note.gain.links += gain.links;
        note.gain.words += gain.words;
        note.navigations += ways;
        let brought = ways > 0 || gain.is_worth_it();
        if brought {
            on_page.misses = 0;
        } else {
            on_page.misses += 1;
            self.misses_left = self.misses_left.saturating_sub(1);
        }
        let is_same = |other: &Control| other.id == control.id && is_same_label(&other.label, &control.label);
        // What loads more does so until it brings nothing.
        if !brought || has_left || ways > 0 || !seen.controls.iter().any(is_same) {
            self.spent.insert(control.id);
        }
        if has_left || ways > 0 {
            self.spent_names.insert((control.path, control.label));
        }
    }

    fn is_open(&self, control: &Control) -> bool {
        let is_left_alone = || {
            self.known.get(&control.path) == Some(&Expected::Nothing)
                || self.tried.get(&control.path).is_some_and(|tried| tried.misses >= MISSES_MAX)
        };
        let is_spent = || self.spent_names.contains(&(control.path.clone(), control.label.clone()));
        !self.spent.contains(&control.id) && !is_left_alone() && !is_spent() && !control.is_harmful()
    }

    /// Returns the place of a control's class in the order: what brought something goes first.
    fn rank(&self, control: &Control) -> u8 {
        match self.tried.get(&control.path) {
            Some(tried) if tried.note.brought() => 0,
            None if self.known.get(&control.path) == Some(&Expected::Something) => 1,
            None | Some(_) => 2,
        }
    }
}

/// Returns whether labels differ by numbers alone, such as "12 more" and "2 more".
fn is_same_label(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|symbol| !symbol.is_numeric()).collect::<String>();
    letters(one) == letters(other)
}

#[cfg(test)]
#[path = "clicking_tests.rs"]
mod tests;
