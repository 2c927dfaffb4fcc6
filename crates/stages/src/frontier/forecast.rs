//! What the next requests are expected to bring: the frontier's classes played through in the order of their scores, with the links
//! that they are expected to bring.
//!
//! In: for each class that has URLs waiting its score, its [`Prospect`] and how many wait. Out: the share of the next requests
//! expected to bring a page that is wanted and new. Nothing is drawn at random: a link is expected in fractions, and links that
//! are born wait under their mean score. What those links bring in turn is left out.

use harvestman_core::model::Prospect;

/// URLs that wait under one class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassBacklog {
    /// The score of the class.
    pub score: f64,
    /// What each of them is expected to bring.
    pub prospect: Prospect,
    /// How many wait.
    pub urls: u64,
}

/// What is expected of the next requests.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct YieldForecast {
    /// The share of them expected to bring a page that is wanted and new, 0 to 1.
    pub expected_yield: f64,
    /// How many they are: fewer than asked for where less waits and is expected to be found.
    pub requests: f64,
}

impl YieldForecast {
    /// The same where `lately` such a share of the requests brought something. What links lead to in two steps and more is left
    /// out of the play; where a crawl lives on that, what came of it tells.
    #[must_use]
    pub fn at_least(self, recent: Option<f64>) -> Self {
        Self { expected_yield: self.expected_yield.max(recent.unwrap_or(0.0)), ..self }
    }
}

/// Links that are expected to be born, of one kind.
#[derive(Debug, Clone, Copy, Default)]
struct Born {
    links: f64,
    score: f64,
    wanted: f64,
}

impl Born {
    /// Adds links; all have the mean score and chance of all.
    fn add(&mut self, links: f64, score: f64, wanted: f64) {
        let all = self.links + links;
        if all > 0.0 {
            self.score = (self.links * self.score + links * score) / all;
            self.wanted = (self.links * self.wanted + links * wanted) / all;
        }
        self.links = all;
    }
}

/// Plays the next `requests` through; none where nothing waits. O(classes + k log k), k being those of the best that are reached.
pub fn forecast(mut waiting: Vec<ClassBacklog>, requests: u32) -> Option<YieldForecast> {
    waiting.retain(|class| class.urls > 0);
    let reached = requests as usize;
    if waiting.len() > reached && reached > 0 {
        // Each class gives one URL at least, so no more classes are reached than there are requests.
        waiting.select_nth_unstable_by(reached - 1, better);
        waiting.truncate(reached);
    }
    waiting.sort_unstable_by(better);
    let (mut left, mut wanted) = (f64::from(requests), 0.0);
    let mut born = Born::default();
    let mut classes = waiting.into_iter().peekable();
    while left > 0.0 {
        let next = classes.peek().copied();
        // Less than a link may be expected; then that much of a request is made.
        if born.links > 0.0 && next.is_none_or(|class| born.score >= class.score) {
            let taken = born.links.min(left);
            wanted += taken * born.wanted;
            born.links -= taken;
            left -= taken;
        } else if let Some(class) = classes.peek_mut() {
            let Prospect { links, links_score, links_wanted, .. } = class.prospect;
            let leads_on = links > 0.0 && links_score >= class.score;
            // Where its links come before the next of its own, one at a time.
            let taken = if leads_on { 1.0 } else { class.urls as f64 }.min(left);
            wanted += taken * class.prospect.wanted;
            born.add(taken * links, links_score, links_wanted);
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

/// The better class first; NaN is least, as it is to the frontier.
fn better(one: &ClassBacklog, other: &ClassBacklog) -> std::cmp::Ordering {
    let key = |class: &ClassBacklog| if class.score.is_nan() { f64::NEG_INFINITY } else { class.score };
    key(other).total_cmp(&key(one))
}

#[cfg(test)]
#[path = "forecast_tests.rs"]
mod tests;
