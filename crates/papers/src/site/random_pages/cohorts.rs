//! Waiting URLs, grouped by equal probabilities.

use std::mem;

/// URLs that entered between the same two draws.
#[derive(Debug, Clone)]
struct Cohort<T> {
    /// s: the probability that each of them would have been sampled by now.
    sampled: f64,
    /// r: the probability that it would not.
    unsampled: f64,
    urls: Vec<T>,
}

impl<T> Cohort<T> {
    /// Returns p, the part of the `desired` probability ξ that is left for each of its URLs.
    fn left(&self, desired: f64) -> f64 {
        desired - self.sampled
    }

    /// Returns Σp over its URLs.
    fn weight(&self, desired: f64) -> f64 {
        self.urls.len() as f64 * self.left(desired)
    }

    /// Updates the probabilities after a draw in which each URL was drawn with probability `q`.
    fn age(&mut self, q: f64) {
        self.sampled += self.unsampled * q;
        self.unsampled *= 1.0 - q;
    }

    /// Merges another cohort into this one such that the sums of the probabilities do not change.
    fn take_in(&mut self, other: Self) {
        let share = other.urls.len() as f64 / (self.urls.len() + other.urls.len()) as f64;
        self.sampled += (other.sampled - self.sampled) * share;
        self.unsampled += (other.unsampled - self.unsampled) * share;
        self.urls.extend(other.urls);
    }

    /// Returns how much a merger with `other` changes probabilities: the sum of the squared changes.
    fn apart(&self, other: &Self) -> f64 {
        let (one, two) = (self.urls.len() as f64, other.urls.len() as f64);
        (self.sampled - other.sampled).powi(2) * one * two / (one + two)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Cohorts<T> {
    /// None of them is empty.
    cohorts: Vec<Cohort<T>>,
    urls: usize,
    /// Whether the last cohort still accepts new URLs: there was no draw since it began.
    open: bool,
}

impl<T> Cohorts<T> {
    pub(super) const fn new() -> Self {
        Self { cohorts: Vec::new(), urls: 0, open: false }
    }

    pub(super) const fn len(&self) -> usize {
        self.cohorts.len()
    }

    pub(super) const fn urls(&self) -> usize {
        self.urls
    }

    /// Adds new URLs, with s = 0 and r = 1. Returns their number.
    pub(super) fn add(&mut self, urls: impl IntoIterator<Item = T>) -> usize {
        let mut urls = urls.into_iter().peekable();
        if urls.peek().is_none() {
            return 0;
        }
        if !mem::replace(&mut self.open, true) {
            self.cohorts.push(Cohort { sampled: 0.0, unsampled: 1.0, urls: Vec::new() });
        }
        let cohort = self.cohorts.last_mut().expect("an open one is the last");
        let before = cohort.urls.len();
        cohort.urls.extend(urls);
        let new = cohort.urls.len() - before;
        self.urls += new;
        new
    }

    /// Moves the URLs with nothing left of `desired`.
    pub(super) fn withdraw(&mut self, desired: f64, into: &mut Vec<T>) {
        let mut gone = 0;
        self.cohorts.retain_mut(|cohort| {
            let stays = cohort.left(desired) > 0.0;
            if !stays {
                gone += cohort.urls.len();
                into.append(&mut cohort.urls);
            }
            stays
        });
        self.urls -= gone;
    }

    /// Removes the URL at the position `uniform`, in [0, 1), of the line of all URLs, each as long as its probability,
    /// and updates the others. Something must be left for each of them.
    pub(super) fn draw(&mut self, desired: f64, uniform: f64) -> Option<T> {
        let total: f64 = self.cohorts.iter().map(|cohort| cohort.weight(desired)).sum();
        let (place, url) = self.find(desired, uniform * total)?;
        let drawn = self.cohorts[place].urls.swap_remove(url);
        if self.cohorts[place].urls.is_empty() {
            self.cohorts.remove(place);
        }
        self.urls -= 1;
        for cohort in &mut self.cohorts {
            cohort.age(cohort.left(desired) / total);
        }
        self.open = false;
        Some(drawn)
    }

    /// Returns the cohort, and the URL in it, at the position `way` of all; the very last one if rounding leads past
    /// the end.
    fn find(&self, desired: f64, mut way: f64) -> Option<(usize, usize)> {
        for (place, cohort) in self.cohorts.iter().enumerate() {
            let weight = cohort.weight(desired);
            if way < weight {
                return Some((place, ((way / cohort.left(desired)) as usize).min(cohort.urls.len() - 1)));
            }
            way -= weight;
        }
        let last = self.cohorts.last()?;
        Some((self.cohorts.len() - 1, last.urls.len() - 1))
    }

    /// If there are more than `max`, merges the half of all pairs of neighbours by s that are most alike. It happens
    /// every `max / 4` draws at most, so that it costs O(log max) per draw. A difference in s between URLs shrinks with
    /// each draw as long as 1 + ξ - 2s < 2·Σp, which holds except for the last few URLs, so the changes by mergers do
    /// not add up.
    pub(super) fn merge(&mut self, max: usize) {
        if self.cohorts.len() <= max {
            return;
        }
        self.cohorts.sort_by(|one, other| other.sampled.total_cmp(&one.sampled));
        let mut pairs: Vec<(f64, usize)> =
            self.cohorts.chunks_exact(2).map(|pair| pair[0].apart(&pair[1])).zip(0..).collect();
        pairs.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        pairs.truncate(pairs.len().div_ceil(2));
        let merged: std::collections::HashSet<usize> = pairs.into_iter().map(|(_, pair)| 2 * pair + 1).collect();
        for (place, cohort) in mem::take(&mut self.cohorts).into_iter().enumerate() {
            match self.cohorts.last_mut() {
                Some(before) if merged.contains(&place) => before.take_in(cohort),
                _ => self.cohorts.push(cohort),
            }
        }
    }

    /// Returns s, r and the URLs of each cohort.
    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = (f64, f64, &[T])> {
        self.cohorts.iter().map(|cohort| (cohort.sampled, cohort.unsampled, &*cohort.urls))
    }
}
