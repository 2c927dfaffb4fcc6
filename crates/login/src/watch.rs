//! Decides which answers of a host count while the crawl is logged in there.
//!
//! A session does not come back by itself. An answer that shows it therefore vouches for all that were asked for
//! before, back to the log-in. An answer that does not show it waits for the next that does. If it looks like what
//! guests are sent, or enough wait for long enough, the check page is asked for. If the session is lost, all that wait
//! were perhaps answered without it: their URLs are asked for again after the next log-in.
//!
//! What is asked for first after the last sign of the session is blamed for its end. What is blamed again and again,
//! without having been answered to a member in between, ends sessions and is not followed any more; neither is what
//! differs from it by tokens only. Twice is enough where sessions hold; where they end often by themselves, more is
//! needed, as anything may come next after such an end ([`is_proven`]). URLs that were asked for again are checked one
//! by one, so that the blame finds the right one. This requires that a host gets one request at a time.
//!
//! Pure: the caller passes times and answers. Bounded: at most as many wait as the caller has requests in progress.

use std::collections::VecDeque;
use std::time::Duration;

use crate::marks::Evidence;
use harvestman_core::clock::Instant;
use harvestman_core::held_pages::{HeldPage, HeldPages, HoldLimits};

/// Maximum number of addresses that are remembered of each kind.
const REMEMBERED_MAX: usize = 1_024;
/// How often an address is blamed before it is avoided in any case, so that the requests for it are bounded.
const BLAMED_MAX: u8 = 6;
/// The expected number of addresses among all those that are blamed which are avoided by mistake.
const MISTAKES_MAX: f64 = 0.05;

/// When the session is checked.
#[derive(Debug, Clone, Copy)]
pub struct WatchLimits {
    /// Number of answers without a sign that wait before the session is checked.
    pub unsure: usize,
    /// Time that one of them waits before the session is checked.
    pub unsure_time: Duration,
}

/// An answer as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionAnswer {
    /// When it was asked for.
    pub asked_at: Instant,
    /// What it shows.
    pub evidence: Evidence,
    /// Path and query without tokens ([`neutral_address`](crate::neutral_address)).
    pub address: String,
    /// Whether it takes so much memory that it must not wait for long.
    pub is_large: bool,
}

/// What is done with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It was sent to the member: it counts.
    Member,
    /// It was perhaps sent to a guest: its URL is asked for again.
    Lost,
    /// It ended the session more than once: its URL is not asked for again.
    EndsSession,
}

/// Watches the session at one host; `T` is what waits with an answer.
#[derive(Debug)]
pub struct SessionWatch<T> {
    limits: WatchLimits,
    /// When the crawl logged in; `None` while it is not.
    logged_in_at: Option<Instant>,
    /// When the latest answer that shows the session was asked for.
    member_at: Instant,
    waiting: HeldPages<SessionAnswer, T>,
    is_check_urgent: bool,
    blamed: VecDeque<(String, u8)>,
    /// Number of answers while logged in, and of sessions that were lost.
    answers: u64,
    losses: u64,
    /// Addresses that were asked for again, which are checked one by one.
    suspects: VecDeque<String>,
    avoided: VecDeque<String>,
}

impl<T> SessionWatch<T> {
    /// Creates the watch of a host where the crawl is not logged in. `avoided` ended sessions of an earlier run.
    pub fn new(limits: WatchLimits, avoided: Vec<String>) -> Self {
        Self {
            limits,
            logged_in_at: None,
            member_at: Instant::EPOCH,
            waiting: HeldPages::new(HoldLimits::LEASES),
            is_check_urgent: false,
            blamed: VecDeque::new(),
            answers: 0,
            losses: 0,
            suspects: VecDeque::new(),
            avoided: avoided.into_iter().take(REMEMBERED_MAX).collect(),
        }
    }

    /// Returns whether the crawl is logged in, as far as is known.
    pub const fn is_logged_in(&self) -> bool {
        self.logged_in_at.is_some()
    }

    /// Returns the number of answers that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Returns whether following this address, without its tokens, ended sessions.
    pub fn avoids(&self, address: &str) -> bool {
        self.avoided.iter().any(|avoided| avoided == address)
    }

    /// Returns the addresses that ended sessions.
    pub fn avoided(&self) -> impl Iterator<Item = &String> {
        self.avoided.iter()
    }

    /// Records that the crawl is logged in: the check page, which was asked for at `at`, shows it.
    pub fn logged_in(&mut self, at: Instant) {
        self.logged_in_at = Some(at);
        self.member_at = at;
    }

    /// Takes in an answer at `now`. Returns all answers that are decided by it.
    pub fn answered(&mut self, answered: SessionAnswer, what: T, now: Instant) -> Vec<(T, Verdict)> {
        if self.logged_in_at.is_none_or(|since| answered.asked_at < since) {
            // From before the log-in, or on its way when the session was lost.
            let verdict = if answered.evidence == Evidence::Member { Verdict::Member } else { Verdict::Lost };
            return vec![(what, verdict)];
        }
        self.answers = self.answers.saturating_add(1);
        if answered.evidence == Evidence::Member {
            self.forgive(&answered.address);
            let mut decided = self.vouched(answered.asked_at);
            decided.push((what, Verdict::Member));
            return decided;
        }
        if answered.asked_at <= self.member_at {
            self.forgive(&answered.address);
            return vec![(what, Verdict::Member)];
        }
        self.is_check_urgent |=
            answered.is_large || answered.evidence == Evidence::Guest || self.suspects.contains(&answered.address);
        let refused = self.waiting.hold(answered, what, 0, now).err();
        refused.into_iter().map(|what| (what, Verdict::Lost)).collect()
    }

    /// Returns when the session is to be checked; `None` if nothing waits.
    pub fn check_at(&self) -> Option<Instant> {
        let oldest = self.waiting.iter().next()?.since;
        let is_due = self.is_check_urgent || self.waiting.len() >= self.limits.unsure.max(1);
        Some(if is_due { oldest } else { oldest + self.limits.unsure_time })
    }

    /// Takes in that the check page, which was asked for at `asked_at`, shows the session.
    pub fn holds(&mut self, asked_at: Instant) -> Vec<(T, Verdict)> {
        self.is_check_urgent = false;
        self.vouched(asked_at)
    }

    /// Takes in that the session is lost. Returns all answers that wait.
    pub fn lost(&mut self) -> Vec<(T, Verdict)> {
        self.logged_in_at = None;
        self.is_check_urgent = false;
        self.losses = self.losses.saturating_add(1);
        let first = self.waiting.iter().min_by_key(|waiting| waiting.reason.asked_at);
        let ends = first.map(|first| first.reason.address.clone()).filter(|address| self.blame(address));
        let waiting = self.waiting.release_all();
        let mut decided = Vec::with_capacity(waiting.len());
        for HeldPage { reason: answered, page: what, .. } in waiting {
            let verdict = if ends.as_ref() == Some(&answered.address) { Verdict::EndsSession } else { Verdict::Lost };
            if verdict == Verdict::Lost && !self.suspects.contains(&answered.address) {
                push_bounded(&mut self.suspects, answered.address);
            }
            decided.push((what, verdict));
        }
        decided
    }

    /// Returns all answers that wait, when it can no longer be found out whether they count.
    pub fn give_up(&mut self) -> Vec<(T, Verdict)> {
        self.waiting.release_all().into_iter().map(|waiting| (waiting.page, Verdict::Lost)).collect()
    }

    /// Takes in that the session held at `at`. Returns what was asked for before.
    fn vouched(&mut self, at: Instant) -> Vec<(T, Verdict)> {
        self.member_at = self.member_at.max(at);
        let member_at = self.member_at;
        let before = self.waiting.release(|waiting| waiting.reason.asked_at <= member_at);
        if self.waiting.is_empty() {
            self.is_check_urgent = false;
        }
        before.iter().for_each(|waiting| self.forgive(&waiting.reason.address));
        before.into_iter().map(|waiting| (waiting.page, Verdict::Member)).collect()
    }

    /// Counts that an address was the first without the session. Returns whether it is avoided from now on.
    fn blame(&mut self, address: &str) -> bool {
        let Some(at) = self.blamed.iter().position(|(blamed, _)| blamed == address) else {
            push_bounded(&mut self.blamed, (address.to_owned(), 1));
            return false;
        };
        let times = self.blamed[at].1.saturating_add(1);
        self.blamed[at].1 = times;
        let by_themselves = self.losses.saturating_sub(u64::from(times));
        let is_avoided = times >= BLAMED_MAX || is_proven(times, by_themselves, self.answers, self.blamed.len());
        if is_avoided {
            self.blamed.remove(at);
            push_bounded(&mut self.avoided, address.to_owned());
        }
        is_avoided
    }

    /// Records that an address was answered to a member.
    fn forgive(&mut self, address: &str) {
        self.blamed.retain(|(blamed, _)| blamed != address);
        self.suspects.retain(|suspect| suspect != address);
    }
}

/// Returns whether an address that was blamed so often ends sessions, where `losses` others are known in `answers`.
///
/// With r = (losses + 1) / (answers + 1) as the share of answers after which a session ends by itself, an innocent
/// address is blamed in all of n tries with probability rⁿ. Each of the `blamed` addresses was chosen by its first try,
/// so r^(n − 1) · blamed of them are expected to be innocent.
fn is_proven(times: u8, losses: u64, answers: u64, blamed: usize) -> bool {
    let rate = ((losses + 1) as f64 / (answers + 1) as f64).min(1.0);
    times >= 2 && rate.powi(i32::from(times) - 1) * blamed as f64 <= MISTAKES_MAX
}

fn push_bounded<U>(list: &mut VecDeque<U>, more: U) {
    if list.len() >= REMEMBERED_MAX {
        list.pop_front();
    }
    list.push_back(more);
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
