//! How much the `lastmod` that a host's sitemaps state for its pages is worth.
//!
//! A sitemap may state for a page a time of its last modification, `lastmod`. Compared with the last visit to the page
//! it is a sign: *later*, the page should have changed; *earlier*, it should not have. Many sitemaps are wrong: each
//! lastmod is the time at which the file was made, or never updated. So a host's lastmods are worth what they were
//! worth at the visits so far ([`LastmodEvidence`]).
//!
//! Let q₁ be the probability that a page with a later lastmod is found changed, and q₀ that of one with an earlier
//! lastmod. Each has a beta prior: after k of n visits found a change, its mean is (α + k) / (α + β + n). With the
//! share m of the host's pages whose lastmod is later, a page of the host is found changed with probability q = m·q₁ +
//! (1 − m)·q₀. By Bayes' theorem the sign s multiplies the odds of a change by the likelihood ratio
//!
//! L(s) = P(s | changed) / P(s | unchanged) = [q_s / (1 − q_s)] / [q / (1 − q)].
//!
//! Conditioning on the sign matters because visits are chosen by it: q₁ and q₀ are not distorted by that, P(s |
//! changed) would be. If all pages have the same sign, m is 0 or 1, q = q_s, and L = 1 whatever was found: lastmods
//! that are all "now", or all old, have no weight from the start. If the sign is independent of changes, q₁ and q₀
//! approach each other, and L approaches 1. If it is always right, L(later) grows without limit and L(earlier)
//! tends to 0.
//!
//! Pure; O(1) per visit and host.

/// What a lastmod says of the time since the last visit to its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LastmodSign {
    /// The page was modified after the visit.
    Later,
    /// It was not.
    Earlier,
}

impl LastmodSign {
    /// Returns the sign of a `lastmod` for a page that was visited at `visited`, where the sitemap was read at `read`;
    /// all in the same unit. `None` if the sitemap was read before the visit, and so could not know.
    pub const fn of(lastmod: u64, visited: u64, read: u64) -> Option<Self> {
        match () {
            () if lastmod > visited => Some(Self::Later),
            () if read > visited => Some(Self::Earlier),
            () => None,
        }
    }

    /// Returns the sign that a page had before a visit at `visited`, `waited` after the one before it. `None` if the
    /// lastmod became known after the visit.
    pub const fn before_visit(lastmod: u64, visited: u64, waited: u64, read: u64) -> Option<Self> {
        if lastmod > visited { None } else { Self::of(lastmod, visited.saturating_sub(waited), read) }
    }
}

/// The parameters α and β of a beta prior.
type Prior = (f64, f64);
/// That of a change where lastmod is later, and where it is earlier: a later one is believed to mean a change three
/// times as often, by little more than two visits.
const LATER: Prior = (0.75, 1.75);
const EARLIER: Prior = (0.25, 2.25);
/// The most that a sign multiplies or divides the odds by.
const RATIO_MAX: f64 = 1e4;

/// Visits, and those among them that found a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Tally {
    visits: u32,
    changed: u32,
}

impl Tally {
    fn mean(self, (alpha, beta): Prior) -> f64 {
        (alpha + f64::from(self.changed)) / (alpha + beta + f64::from(self.visits))
    }
}

/// What visits to pages of a host found, by the lastmod that each page had before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LastmodEvidence {
    later: Tally,
    earlier: Tally,
}

impl LastmodEvidence {
    /// Adds the result of a visit.
    pub const fn note(&mut self, sign: LastmodSign, changed: bool) {
        let tally = match sign {
            LastmodSign::Later => &mut self.later,
            LastmodSign::Earlier => &mut self.earlier,
        };
        tally.visits = tally.visits.saturating_add(1);
        tally.changed = tally.changed.saturating_add(changed as u32);
    }

    /// Returns the likelihood ratio of a sign, L(s), on a host where the lastmods of this share of the pages are later.
    pub fn ratio(&self, sign: LastmodSign, later_share: f64) -> f64 {
        let (later, earlier) = (self.later.mean(LATER), self.earlier.mean(EARLIER));
        let of_all = later_share * later + (1.0 - later_share) * earlier;
        let of_sign = if sign == LastmodSign::Later { later } else { earlier };
        (odds(of_sign) / odds(of_all)).clamp(RATIO_MAX.recip(), RATIO_MAX)
    }
}

/// The lastmods of one host, and what they were worth.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HostLastmods {
    evidence: LastmodEvidence,
    /// Number of pages with a sign.
    later: u32,
    earlier: u32,
}

impl HostLastmods {
    /// The number of pages with a sign.
    pub(super) fn count(&mut self, sign: LastmodSign) -> &mut u32 {
        match sign {
            LastmodSign::Later => &mut self.later,
            LastmodSign::Earlier => &mut self.earlier,
        }
    }

    /// Adds the result of a visit.
    pub(super) fn note(&mut self, sign: LastmodSign, changed: bool) {
        self.evidence.note(sign, changed);
    }

    /// Drops the results of visits.
    pub(super) fn forget(&mut self) {
        self.evidence = LastmodEvidence::default();
    }

    /// Returns [`LastmodEvidence::ratio`] of a sign.
    pub(super) fn ratio(&self, sign: LastmodSign) -> f64 {
        let all = f64::from(self.later) + f64::from(self.earlier);
        self.evidence.ratio(sign, f64::from(self.later) / all.max(1.0))
    }
}

/// Returns the probability of a change, given a sign that multiplies its odds by `ratio`.
pub fn chance_given(chance: f64, ratio: f64) -> f64 {
    let weighed = chance * ratio;
    if weighed > 0.0 { weighed / (weighed + 1.0 - chance) } else { 0.0 }
}

/// Returns the logarithm of the factor by which a sign changes the rate of a page that has changed with probability
/// `chance`: ln [ln(1 − c′) / ln(1 − c)], where c′ is [`chance_given`] the sign.
pub fn log_rate_shift(chance: f64, ratio: f64) -> f64 {
    let exposure = |chance: f64| -(-chance.clamp(1e-9, 1.0 - 1e-9)).ln_1p();
    (exposure(chance_given(chance, ratio)) / exposure(chance)).ln()
}

fn odds(chance: f64) -> f64 {
    chance / (1.0 - chance)
}

#[cfg(test)]
#[path = "lastmod_tests.rs"]
mod tests;
