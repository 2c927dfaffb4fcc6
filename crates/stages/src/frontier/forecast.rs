//! The yield forecast: simulates the next requests over the classes of the frontier in the order of their scores,
//! including the links that they are expected to bring.
//!
//! Input: for each class with waiting URLs its score, its [`Prospect`] and the number of URLs. Output: the share of the
//! next requests expected to bring a page that is wanted and new. Nothing is random: links are expected in fractions,
//! and wait under their mean score. What those links bring in turn is not simulated.

use harvestman_core::model::Prospect;

/// The waiting URLs of one class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassBacklog {
    /// The score of the class.
    pub score: f64,
    /// What each of them is expected to bring.
    pub prospect: Prospect,
    /// Number of waiting URLs.
    pub urls: u64,
}

/// The expected yield of the next requests.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct YieldForecast {
    /// The share of them expected to bring a page that is wanted and new, 0 to 1.
    pub expected_yield: f64,
    /// Number of requests: fewer than requested if fewer URLs wait and are expected to be found.
    pub requests: f64,
}

impl YieldForecast {
    /// Raises the expected yield to the recent one. The simulation omits what links lead to in two or more steps; if a
    /// crawl depends on that, the recent yield shows it.
    #[must_use]
    pub fn at_least(self, recent: Option<f64>) -> Self {
        Self { expected_yield: self.expected_yield.max(recent.unwrap_or(0.0)), ..self }
    }
}

/// Links that are expected to be found.
#[derive(Debug, Clone, Copy, Default)]
struct ExpectedLinks {
    links: f64,
    score: f64,
    wanted: f64,
}

impl ExpectedLinks {
    /// Adds links; afterwards all have the mean score and the mean chance of all.
    fn add(&mut self, links: f64, score: f64, wanted: f64) {
        let all = self.links + links;
        if all > 0.0 {
            self.score = (self.links * self.score + links * score) / all;
            self.wanted = (self.links * self.wanted + links * wanted) / all;
        }
        self.links = all;
    }
}

/// Simulates the next `requests`. Returns `None` if nothing waits. O(classes + k log k), where k is the number of
/// classes that are reached.
pub fn forecast(mut waiting: Vec<ClassBacklog>, requests: u32) -> Option<YieldForecast> {
    waiting.retain(|class| class.urls > 0);
    let reached = requests as usize;
    if waiting.len() > reached && reached > 0 {
        // Each class yields at least one URL, so no more classes are reached than there are requests.
        waiting.select_nth_unstable_by(reached - 1, better);
        waiting.truncate(reached);
    }
    waiting.sort_unstable_by(better);
    let (mut left, mut wanted) = (f64::from(requests), 0.0);
    let mut expected = ExpectedLinks::default();
    let mut classes = waiting.into_iter().peekable();
    while left > 0.0 {
        let next = classes.peek().copied();
        // The expected number of links may be a fraction; then it takes that part of a request.
        if expected.links > 0.0 && next.is_none_or(|class| expected.score >= class.score) {
            let taken = expected.links.min(left);
            wanted += taken * expected.wanted;
            expected.links -= taken;
            left -= taken;
        } else if let Some(class) = classes.peek_mut() {
            let Prospect { links, links_score, links_wanted, .. } = class.prospect;
            let leads_on = links > 0.0 && links_score >= class.score;
            // One URL at a time if its links rank before its own next URL.
            let taken = if leads_on { 1.0 } else { class.urls as f64 }.min(left);
            wanted += taken * class.prospect.wanted;
            expected.add(taken * links, links_score, links_wanted);
            left -= taken;
            class.urls -= (taken.ceil() as u64).min(class.urls);
            if class.urls == 0 {
                classes.next();
            }
        } else {
            break;
        }
    }
    let made = f64::from(requests) - left;
    (made > 0.0).then(|| YieldForecast { expected_yield: (wanted / made).clamp(0.0, 1.0), requests: made })
}

/// Orders the better class first; NaN is least, as in the frontier.
fn better(one: &ClassBacklog, other: &ClassBacklog) -> std::cmp::Ordering {
    let key = |class: &ClassBacklog| if class.score.is_nan() { f64::NEG_INFINITY } else { class.score };
    key(other).total_cmp(&key(one))
}

#[cfg(test)]
#[path = "forecast_tests.rs"]
mod tests;
