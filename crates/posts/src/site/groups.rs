//! Joins sightings of the same post: by identifiers and addresses first, then by author, time and text.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::identity;
use super::moment::Moment;
use super::sighting::{SeenPage, Sighting};
use super::union::Sets;

/// Minimum length of texts, in letters and digits, that are the same post in two places at the same time.
pub(super) const LENGTH_MIN: u32 = 24;
/// Minimum length of texts that are the same post in one thread, at about the same time.
const LONG_MIN: u32 = 64;

/// Sets of sightings, each of which is one post.
pub(super) struct Groups<'s> {
    pub sightings: &'s [Sighting],
    pub pages: &'s [SeenPage],
    /// The set of addresses of each sighting's thread; 0 if it has none.
    pub threads: Vec<u32>,
    sets: Sets,
    /// For each set, by the number that stands for it, whether the site tells it apart from others: a full text on a
    /// page has an identifier or an address. Those of a feed may be of another kind than those of pages.
    is_identified: Vec<bool>,
}

impl<'s> Groups<'s> {
    /// Makes the sets of the sightings that share an identifier or an address. `threads` has the set of each one's
    /// thread.
    pub fn of(sightings: &'s [Sighting], pages: &'s [SeenPage], threads: Vec<u32>) -> Self {
        let mut sets = Sets::new(sightings.len());
        identity::join(sightings, &mut sets);
        let mut is_identified = vec![false; sightings.len()];
        for (at, sighting) in sightings.iter().enumerate() {
            let has_identity = sighting.id != 0 || sighting.url != 0;
            let has_identity = has_identity && !sighting.is_excerpt && !sighting.is_feed;
            is_identified[sets.find(at as u32) as usize] |= has_identity;
        }
        Self { sightings, pages, threads, sets, is_identified }
    }

    /// Returns the number of the set of a sighting.
    pub fn find(&mut self, sighting: u32) -> u32 {
        self.sets.find(sighting)
    }

    /// Returns whether the site tells the post of a sighting apart from others.
    pub fn is_identified(&mut self, sighting: u32) -> bool {
        let set = self.find(sighting);
        self.is_identified[set as usize]
    }

    /// Joins the sets of two sightings unless the site tells them apart.
    pub fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        let identified = (self.is_identified[one as usize], self.is_identified[other as usize]);
        if one != other && identified != (true, true) {
            let set = self.sets.join(one, other);
            self.is_identified[set as usize] = identified.0 || identified.1;
        }
    }

    /// Joins sightings with equal authors and texts that are in one place: at one time, in one thread, on one page.
    pub fn join_equal_texts(&mut self) {
        let numbers = self.numbers_of_repetitions();
        for keys in [exact_key, thread_key, page_key] {
            let keyed = (0..self.sightings.len() as u32).filter_map(|at| {
                let number = u64::from(numbers[at as usize]);
                keys(self, &self.sightings[at as usize], at).map(|key| (key_of(&[key, number]), at))
            });
            let keyed = keyed.collect();
            self.join_keyed(keyed);
        }
    }

    /// Returns for each sighting how many with the same author and text are before it on its page.
    fn numbers_of_repetitions(&self) -> Vec<u32> {
        let mut seen: HashMap<(u32, u32, u64), u32, foldhash::fast::RandomState> = HashMap::default();
        let number = |sighting: &Sighting| {
            let number = seen.entry((sighting.page, sighting.author, sighting.prints.whole)).or_default();
            *number += 1;
            *number - 1
        };
        self.sightings.iter().map(number).collect()
    }

    /// Joins sightings with equal keys whose dates may be those of one post.
    pub fn join_keyed(&mut self, mut keyed: Vec<(u64, u32)>) {
        let seconds = |at: u32| self.sightings[at as usize].moment.map(|moment| moment.seconds);
        keyed.sort_unstable_by_key(|(key, at)| (*key, seconds(*at), *at));
        let sightings = self.sightings;
        let moment = |at: u32| sightings[at as usize].moment;
        let is_one = |one: &(u64, u32), other: &(u64, u32)| {
            one.0 == other.0 && Moment::may_be_one(moment(one.1), moment(other.1))
        };
        let mut runs: Vec<&[(u64, u32)]> = keyed.chunk_by(is_one).filter(|run| run.len() > 1).collect();
        runs.sort_unstable_by_key(|run| run.iter().map(|(_, at)| *at).min());
        for run in runs {
            self.join_run(run);
        }
    }

    /// Joins a run to the first of its sets that the site tells apart from others, or to its first one.
    fn join_run(&mut self, run: &[(u64, u32)]) {
        let mut members: Vec<u32> = run.iter().map(|(_, at)| *at).collect();
        members.sort_unstable();
        let identified = members.iter().copied().find(|at| self.is_identified(*at));
        let target = identified.unwrap_or(members[0]);
        members.into_iter().for_each(|at| self.join(target, at));
    }

    /// Returns the sets that are on each page.
    pub fn sets_of_page(&mut self, page: u32) -> HashSet<u32> {
        let page = &self.pages[page as usize];
        (page.first..page.first + page.posts).map(|at| self.sets.find(at)).collect()
    }
}

/// Returns the key of an author, a time of day and a text, and of the thread if the text is short.
fn exact_key(groups: &Groups<'_>, sighting: &Sighting, at: u32) -> Option<u64> {
    let moment = sighting.moment.filter(|moment| moment.is_exact && sighting.author != 0)?;
    let thread = if sighting.prints.length >= LENGTH_MIN { 0 } else { u64::from(groups.threads[at as usize]).max(1) };
    let host = u64::from(groups.pages[sighting.page as usize].host);
    Some(key_of(&[1, host, u64::from(sighting.author), sighting.prints.whole, moment.seconds as u64, thread]))
}

/// Returns the key of a thread, an author and a long text.
fn thread_key(groups: &Groups<'_>, sighting: &Sighting, at: u32) -> Option<u64> {
    let thread = groups.threads[at as usize];
    let is_long = sighting.prints.length >= LONG_MIN && thread != 0;
    is_long.then(|| key_of(&[2, u64::from(thread), u64::from(sighting.author), sighting.prints.whole]))
}

/// Returns the key of a page, an author and a text: that of the same post at other visits.
fn page_key(groups: &Groups<'_>, sighting: &Sighting, _: u32) -> Option<u64> {
    let url = groups.pages[sighting.page as usize].url;
    Some(key_of(&[3, u64::from(url), u64::from(sighting.author), sighting.prints.whole]))
}

/// Returns a hash of numbers.
pub(super) fn key_of(parts: &[u64]) -> u64 {
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
    xxh3_64(&bytes)
}
