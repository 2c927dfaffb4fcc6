//! Decides when a page is complete: pure, with times since the page began.

use std::time::Duration;

use super::limits::RenderLimits;

/// What is known of a page's progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settling {
    active: Duration,
    whole: Duration,
    quiet: Duration,
    /// Time without anything new after which the page is complete: shorter after a scroll or a click, until that has
    /// an effect.
    patience: Duration,
    is_loaded: bool,
    is_used: bool,
    /// Number of things that happened.
    happened: u64,
    /// Their number when the page last said that its document is as it was: its scripts have had their turn since.
    checked: Option<u64>,
    waiting: u32,
    /// When something happened last.
    changed: Duration,
    /// The end of the time that is counted in `spent`.
    counted: Duration,
    /// Time in which no request waited.
    spent: Duration,
}

/// Whether a page is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Something is going on.
    Wait,
    /// Nothing has happened for a while.
    Settled,
    /// The page has had its time.
    Overtime,
}

impl Settling {
    pub(crate) const fn new(limits: &RenderLimits) -> Self {
        Self {
            active: limits.active,
            whole: limits.whole,
            quiet: limits.quiet,
            patience: limits.quiet,
            is_loaded: false,
            is_used: false,
            happened: 0,
            checked: None,
            waiting: 0,
            changed: Duration::ZERO,
            counted: Duration::ZERO,
            spent: Duration::ZERO,
        }
    }

    /// Records that a request waits for its answer.
    pub(crate) fn asked(&mut self, now: Duration) {
        self.count(now);
        self.waiting += 1;
        self.changed(now);
    }

    /// Records that a request was answered.
    pub(crate) fn answered(&mut self, now: Duration) {
        self.count(now);
        self.waiting = self.waiting.saturating_sub(1);
        self.changed(now);
    }

    /// Records a change of the document.
    pub(crate) const fn changed(&mut self, now: Duration) {
        self.changed = now;
        self.patience = self.quiet;
        self.happened += 1;
    }

    /// Returns a value that is the same while nothing happens.
    pub(crate) const fn happened(&self) -> u64 {
        self.happened
    }

    /// Records that the page was asked when `happened` was the value of [`Settling::happened`], and answered that its
    /// document is as it was.
    pub(crate) const fn unchanged(&mut self, happened: u64) {
        self.checked = Some(happened);
    }

    /// Records that the page was scrolled or clicked. For all of that it has twice the time that it had to become
    /// complete.
    pub(crate) fn used(&mut self, now: Duration) {
        self.count(now);
        if !self.is_used {
            (self.is_used, self.spent, self.active) = (true, Duration::ZERO, 2 * self.active);
        }
        self.changed(now);
        self.patience = self.quiet / 2;
    }

    /// Records that the document and what it loads at once are complete.
    pub(crate) const fn loaded(&mut self, now: Duration) {
        self.is_loaded = true;
        self.changed(now);
    }

    /// Returns whether no request waits.
    pub(crate) const fn is_idle(&self) -> bool {
        self.waiting == 0
    }

    /// Returns whether the page is complete.
    pub(crate) fn verdict(&mut self, now: Duration) -> Verdict {
        self.count(now);
        if self.spent >= self.active || now >= self.whole {
            Verdict::Overtime
        } else if self.is_loaded
            && self.waiting == 0
            && now.saturating_sub(self.changed) >= self.patience
            && self.checked == Some(self.happened)
        {
            Verdict::Settled
        } else {
            Verdict::Wait
        }
    }

    fn count(&mut self, now: Duration) {
        if self.waiting == 0 {
            self.spent += now.saturating_sub(self.counted);
        }
        self.counted = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// Returns the verdict on a page that says, when asked now, that nothing changed.
    fn verdict(page: &mut Settling, now: Duration) -> Verdict {
        page.unchanged(page.happened());
        page.verdict(now)
    }

    fn page() -> Settling {
        let limits = RenderLimits { active: at(1_000), whole: at(10_000), quiet: at(200), ..RenderLimits::default() };
        Settling::new(&limits)
    }

    #[test]
    fn a_page_is_complete_when_it_is_loaded_and_quiet() {
        let mut page = page();
        assert_eq!(verdict(&mut page, at(300)), Verdict::Wait, "it is not loaded");
        page.loaded(at(300));
        assert_eq!(verdict(&mut page, at(499)), Verdict::Wait);
        page.changed(at(499));
        assert_eq!(verdict(&mut page, at(698)), Verdict::Wait);
        assert_eq!(verdict(&mut page, at(699)), Verdict::Settled);
    }

    #[test]
    fn a_page_is_not_complete_before_its_scripts_had_their_turn() {
        let mut page = page();
        page.loaded(at(0));
        let before = page.happened();
        page.asked(at(10));
        page.answered(at(20));
        page.unchanged(before);
        assert_eq!(page.verdict(at(300)), Verdict::Wait, "it was asked before the answer came");
        page.unchanged(page.happened());
        assert_eq!(page.verdict(at(300)), Verdict::Settled);
    }

    #[test]
    fn time_in_which_a_request_waits_is_not_the_pages() {
        let mut page = page();
        page.loaded(at(0));
        page.asked(at(100));
        page.asked(at(200));
        page.answered(at(5_000));
        assert_eq!(verdict(&mut page, at(5_900)), Verdict::Wait, "one still waits");
        page.answered(at(6_000));
        assert!(page.is_idle());
        page.changed(at(6_899));
        assert_eq!(verdict(&mut page, at(6_899)), Verdict::Wait);
        assert_eq!(verdict(&mut page, at(6_900)), Verdict::Overtime);
    }

    #[test]
    fn a_use_without_effect_is_waited_for_less() {
        let mut page = page();
        page.loaded(at(800));
        assert_eq!(verdict(&mut page, at(1_000)), Verdict::Overtime);
        page.used(at(1_000));
        assert_eq!(verdict(&mut page, at(1_099)), Verdict::Wait, "it has time again");
        assert_eq!(verdict(&mut page, at(1_100)), Verdict::Settled);
        page.used(at(1_200));
        page.changed(at(1_250));
        assert_eq!(verdict(&mut page, at(1_400)), Verdict::Wait);
        assert_eq!(verdict(&mut page, at(1_450)), Verdict::Settled);
        assert_eq!(verdict(&mut page, at(3_000)), Verdict::Overtime);
    }

    #[test]
    fn a_page_whose_requests_never_end_ends() {
        let mut page = page();
        page.asked(at(0));
        assert_eq!(verdict(&mut page, at(9_999)), Verdict::Wait);
        assert_eq!(verdict(&mut page, at(10_000)), Verdict::Overtime);
    }

    proptest! {
        /// A naive twin: adds up the time without a waiting request millisecond by millisecond.
        #[test]
        fn own_time_is_that_without_waiting_requests(events in proptest::collection::vec((1_u64..50, proptest::bool::ANY), 0..30)) {
            let mut page = page();
            let (mut now, mut waiting, mut own) = (0, 0_u32, 0);
            for (pause, asks) in events {
                for _ in 0..pause {
                    own += u64::from(waiting == 0);
                    now += 1;
                }
                if asks { page.asked(at(now)); waiting += 1 } else { page.answered(at(now)); waiting = waiting.saturating_sub(1) }
            }
            let verdict = page.verdict(at(now));
            prop_assert_eq!(verdict == Verdict::Overtime, own >= 1_000);
            prop_assert_eq!(page.spent, at(own));
        }
    }
}
