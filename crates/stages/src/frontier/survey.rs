//! A survey of the waiting URLs, for display: link classes over all hosts, and hosts.

use std::cmp::Reverse;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use harvestman_core::model::{ClassOrder, QueueKey};
use harvestman_core::url::HostKey;

/// A survey of the waiting URLs. Retries count for their hosts, but not for classes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueueSurvey {
    /// Number of link classes that have URLs waiting.
    pub classes: usize,
    /// The best of them by score.
    pub best: Vec<WaitingClass>,
    /// Number of hosts that have URLs waiting.
    pub hosts: usize,
    /// The hosts with the most waiting URLs.
    pub largest: Vec<(HostKey, usize)>,
}

/// A link class that has URLs waiting.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingClass {
    /// The class, with the priority of the waiting URLs.
    pub queue: QueueKey,
    /// Number of waiting URLs over all hosts.
    pub waiting: usize,
    /// The score of the class.
    pub score: f64,
    /// The next URL of the first host, by name, that has any.
    pub example: String,
}

/// A class while it is being counted.
struct Counted<'a> {
    waiting: usize,
    first: (&'a HostKey, &'a str),
}

impl QueueSurvey {
    /// Surveys hosts: each with the number of its waiting URLs and with its classes; each class with its number of URLs
    /// and the path of the next one.
    pub(super) fn of<'a, C: Iterator<Item = (QueueKey, usize, &'a str)>>(
        hosts: impl Iterator<Item = (&'a HostKey, usize, C)>,
        scores: &dyn ClassOrder,
        rows: usize,
    ) -> Self {
        let mut classes: HashMap<QueueKey, Counted<'a>, FixedState> = HashMap::default();
        let mut largest = Vec::new();
        for (host, waiting, of_host) in hosts {
            largest.push((host, waiting));
            for (key, waiting, path) in of_host {
                let first = (host, path);
                let counted = classes.entry(key).or_insert(Counted { waiting: 0, first });
                counted.waiting += waiting;
                counted.first = counted.first.min(first);
            }
        }
        let all = (classes.len(), largest.len());
        let mut best: Vec<_> = classes.into_iter().map(|(key, counted)| (key.rank(scores), key, counted)).collect();
        best.sort_unstable_by(|(a, a_key, a_counted), (b, b_key, b_counted)| {
            let by_score = least_if_none(*b).total_cmp(&least_if_none(*a));
            by_score.then(b_counted.waiting.cmp(&a_counted.waiting)).then(a_key.cmp(b_key))
        });
        best.truncate(rows);
        largest.sort_unstable_by_key(|(host, waiting)| (Reverse(*waiting), *host));
        largest.truncate(rows);
        Self {
            classes: all.0,
            best: best.into_iter().map(|(score, key, counted)| counted.row(key, score)).collect(),
            hosts: all.1,
            largest: largest.into_iter().map(|(host, waiting)| (host.clone(), waiting)).collect(),
        }
    }
}

impl Counted<'_> {
    fn row(self, queue: QueueKey, score: f64) -> WaitingClass {
        let (host, path) = self.first;
        WaitingClass { queue, waiting: self.waiting, score, example: format!("{host}{path}") }
    }
}

/// NaN counts as least, as in the order of the frontier.
const fn least_if_none(score: f64) -> f64 {
    if score.is_nan() { f64::NEG_INFINITY } else { score }
}
