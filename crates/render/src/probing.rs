//! Decides how a page that is complete is used: pure. It is scrolled to its end, then what leads on is clicked.

use crate::actions::{ActionNote, Clicking, KnownActions, Seen};

/// What is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Probe {
    /// Scroll to the end.
    Scroll,
    /// Ask what the page shows, and what can be clicked.
    Look,
    /// Click the control with this index.
    Click(usize),
    /// Return to the URL that the page had.
    GoBack,
    /// Nothing; the page is done.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Scrolling,
    Looking,
    /// The page was looked at; this control is clicked next.
    Chosen(Option<usize>),
    Clicked,
    Returning,
    Lost,
}

/// The progress of a page: changes of its document, and its requests.
pub(crate) type Progress = (Option<u64>, usize);

/// The use of one page.
#[derive(Debug)]
pub(crate) struct Probing {
    phase: Phase,
    scrolls_left: u32,
    /// The progress when it was last scrolled.
    before: Option<Progress>,
    is_at_end: bool,
    has_begun: bool,
    has_clicked: bool,
    clicking: Clicking,
    /// The URL that the page has when nothing is clicked.
    home: String,
    /// The URL that it has now.
    url: String,
    /// Whether the last click gave the page another URL.
    has_left: bool,
}

impl Probing {
    /// Begins with the page at `url`.
    pub(crate) fn new(url: &str, known: KnownActions, scrolls_max: u32, clicks_max: u32) -> Self {
        Self {
            phase: Phase::Scrolling,
            scrolls_left: scrolls_max,
            before: None,
            is_at_end: false,
            has_begun: false,
            has_clicked: false,
            clicking: Clicking::new(known, clicks_max),
            home: url.to_owned(),
            url: url.to_owned(),
            has_left: false,
        }
    }

    /// Returns what is done next with a page that is quiet.
    pub(crate) fn next(&mut self, progress: Progress) -> Probe {
        self.has_begun = true;
        let probe = match self.phase {
            Phase::Scrolling if !self.is_at_end && self.scrolls_left > 0 && self.before != Some(progress) => {
                self.scrolls_left -= 1;
                self.before = Some(progress);
                return Probe::Scroll;
            }
            Phase::Scrolling if self.clicking.is_over() => Probe::End,
            Phase::Chosen(Some(index)) => Probe::Click(index),
            Phase::Chosen(None) | Phase::Lost => Probe::End,
            Phase::Clicked if self.url != self.home => Probe::GoBack,
            Phase::Returning if self.url != self.home => Probe::End,
            Phase::Scrolling | Phase::Looking | Phase::Clicked | Phase::Returning => Probe::Look,
        };
        self.has_clicked |= matches!(probe, Probe::Click(_));
        self.phase = match probe {
            Probe::Click(_) => Phase::Clicked,
            Probe::GoBack => Phase::Returning,
            Probe::Look => Phase::Looking,
            Probe::End => Phase::Lost,
            Probe::Scroll => Phase::Scrolling,
        };
        probe
    }

    /// Records whether the last scroll moved something.
    pub(crate) const fn scrolled(&mut self, moved: bool) {
        self.is_at_end = !moved;
    }

    /// Records what the page shows.
    pub(crate) fn looked(&mut self, seen: Option<&Seen>) {
        if self.phase == Phase::Looking {
            let choice = seen.and_then(|seen| self.clicking.next(seen, self.has_left));
            self.has_left = false;
            self.phase = Phase::Chosen(choice);
        }
    }

    /// Records that a script gave the page another URL. Returns whether it shows another page, which must be left at
    /// once.
    pub(crate) fn url_changed(&mut self, url: &str) -> bool {
        url.clone_into(&mut self.url);
        let is_in_use = matches!(self.phase, Phase::Clicked);
        if !is_in_use {
            // The page itself may do so before anything is clicked.
            if !matches!(self.phase, Phase::Returning | Phase::Lost) {
                url.clone_into(&mut self.home);
            }
            return false;
        }
        self.has_left |= self.url != self.home;
        let is_away = self.is_away();
        if is_away {
            self.phase = Phase::Returning;
        }
        is_away
    }

    /// Records that there is no way back.
    pub(crate) const fn cannot_return(&mut self) {
        self.phase = Phase::Lost;
    }

    /// Returns whether another page is shown in place of this one.
    pub(crate) fn is_away(&self) -> bool {
        without_fragment(&self.url) != without_fragment(&self.home)
    }

    /// Returns whether a click may have led to another page without that it is known.
    pub(crate) const fn may_be_away(&self) -> bool {
        matches!(self.phase, Phase::Clicked)
    }

    /// Returns whether what was requested by the document at `url` is of this page; `None` before the first click, when
    /// the page may change its URL itself.
    pub(crate) fn is_own(&self, url: &str) -> Option<bool> {
        self.has_clicked.then(|| without_fragment(url) == without_fragment(&self.home))
    }

    /// Returns whether the page is at the URL that it had.
    pub(crate) fn is_home(&self) -> bool {
        self.url == self.home
    }

    /// Returns whether the page has been scrolled or looked at.
    pub(crate) const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Returns what the clicks brought.
    pub(crate) fn into_notes(self) -> Vec<ActionNote> {
        self.clicking.into_notes()
    }
}

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

#[cfg(test)]
#[path = "probing_tests.rs"]
mod tests;
