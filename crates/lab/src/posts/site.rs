//! Scores what needs all pages of a site: threads, parents, and records.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::collected::{Collected, Occurrence, record};
use super::replies::KnownPosts;
use super::tally::share;
use super::threads::ThreadPairs;
use super::truth::Field;
use harvestman_posts::site::Site;

/// Counts over a site, in which a post counts once, on however many pages it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteTally {
    /// Posts of which some page shows the whole.
    pub expected: u64,
    /// Those of them that were found on some page.
    pub found: u64,
    /// Records as an export has them. Those of excerpts alone do not count.
    pub records: u64,
    /// Records beyond the first of one post.
    pub duplicates: u64,
    /// Posts beyond the first in one record.
    pub merged: u64,
    /// Records that are no post.
    pub wrong: u64,
}

impl SiteTally {
    /// Returns the share of records that are a post of their own.
    pub fn precision(&self) -> Option<f64> {
        share(self.found.min(self.records), self.records)
    }

    /// Returns the share of posts that were found.
    pub fn recall(&self) -> Option<f64> {
        share(self.found, self.expected)
    }
}

/// Adds threads and parents to the tallies of the pages, and counts the records.
pub(super) fn score_site(all: &mut Collected<'_>) -> SiteTally {
    let found = std::mem::take(&mut all.found);
    add_threads(all, &found);
    add_parents(all, &found);
    let site = std::mem::take(&mut all.records).finish();
    SiteTally { expected: all.expected.len() as u64, ..count_records(&site, &found) }
}

fn add_threads(all: &mut Collected<'_>, found: &[Occurrence]) {
    let mut pairs = ThreadPairs::default();
    let truth = all.truth;
    let thread = |of: usize| truth[of].thread.as_deref();
    for post in found {
        if let (Some(of), Some(url)) = (post.of.and_then(thread), &post.thread) {
            pairs.add(url, of);
        }
    }
    let agreed = pairs.agreed();
    for post in found {
        let Some(of) = post.of.filter(|of| all.shows(*of, Field::Thread, &post.lacks)) else { continue };
        let is_right = post.thread.as_deref().is_some_and(|url| agreed.get(url).copied() == thread(of));
        let tally = all.tallies.entry(post.page_type.clone()).or_default();
        record(tally, Field::Thread, post.thread.is_some(), is_right);
    }
}

fn add_parents(all: &mut Collected<'_>, found: &[Occurrence]) {
    let mut right = Vec::new();
    let mut known = KnownPosts::new(all.truth, &all.readings);
    for post in found {
        if let Some(of) = post.of {
            known.add(of, post.id.as_deref(), post.url.as_deref());
        }
    }
    for post in found {
        right.push(match (post.of, &post.parent) {
            (Some(of), Some(parent)) => {
                let parents = &all.truth[of].parent.0;
                known.resolve(parent, of, &post.on_page).iter().any(|at| parents.contains(&all.truth[*at].id))
            }
            _ => false,
        });
    }
    drop(known);
    for (post, is_right) in found.iter().zip(right) {
        let Some(of) = post.of.filter(|_| !post.lacks.contains(&Field::Parent)) else { continue };
        let answers = all.shows(of, Field::Parent, &post.lacks);
        let tally = all.tallies.entry(post.page_type.clone()).or_default();
        if answers {
            record(tally, Field::Parent, post.parent.is_some(), is_right);
        } else {
            tally.parents_made_up += u64::from(post.parent.is_some());
        }
    }
}

fn count_records(site: &Site, found: &[Occurrence]) -> SiteTally {
    let (mut posts_of, mut counted) = (HashMap::<usize, BTreeSet<usize>>::new(), HashSet::new());
    for (number, places) in site.places().enumerate() {
        for post in places.filter_map(|place| found.get(usize::try_from(place).ok()?)) {
            posts_of.entry(number).or_default().extend(post.of);
            if !post.is_excerpt {
                counted.insert(number);
            }
        }
    }
    let mut records_of: HashMap<usize, u64> = HashMap::new();
    for post in posts_of.values().flatten() {
        *records_of.entry(*post).or_default() += 1;
    }
    SiteTally {
        expected: 0,
        found: records_of.len() as u64,
        records: counted.len() as u64,
        duplicates: records_of.values().map(|records| records - 1).sum(),
        merged: posts_of.values().map(|posts| (posts.len() as u64).saturating_sub(1)).sum(),
        wrong: counted.iter().filter(|number| posts_of.get(number).is_none_or(BTreeSet::is_empty)).count() as u64,
    }
}
