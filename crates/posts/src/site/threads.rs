//! Finds out which pages show the same thread.

use std::collections::{HashMap, HashSet};

use super::address::first_forms;
use super::collector::Collector;
use super::prints::TextId;
use super::sighting::SeenPage;
use super::union::Sets;

/// The share of the threads of a host from which a title says nothing: it is that of the site.
const COMMON_TITLE: f64 = 0.2;
/// Number of threads of a host below which no title is common.
const THREADS_MIN: usize = 10;

/// The threads of a site: sets of addresses without paging.
pub(super) struct ThreadSets {
    sets: Sets,
    /// The address that stands for each set.
    addresses: HashMap<u32, TextId>,
}

impl ThreadSets {
    /// Joins the addresses of pages: what they tell of their thread; the page after or before another with the same
    /// title; the same title where the addresses differ in the number of the page only.
    pub fn of(collected: &Collector) -> Self {
        let mut titles = Titles::of(&collected.pages);
        // Pages of one thread have one title. What many threads have in common is found once these are joined.
        let mut sets = joined(collected, &titles);
        titles.find_common(collected, &mut sets);
        let mut sets = if titles.common.is_empty() { sets } else { joined(collected, &titles) };
        let addresses = addresses(collected, &mut sets);
        Self { sets, addresses }
    }

    /// Returns the set of an address; 0 of none.
    pub fn find(&mut self, address: TextId) -> u32 {
        if address == 0 { 0 } else { self.sets.find(address) }
    }

    /// Returns the address that stands for a set.
    pub fn address(&self, set: u32) -> TextId {
        self.addresses.get(&set).copied().unwrap_or(set)
    }
}

fn joined(collected: &Collector, titles: &Titles) -> Sets {
    let mut sets = Sets::new(collected.names.count() + 1);
    for page in &collected.pages {
        if page.thread != 0 {
            sets.join(page.base, page.thread);
        }
        if titles.is_common(page) {
            continue;
        }
        for neighbour in page.neighbours {
            if titles.has(neighbour, page) {
                sets.join(page.base, neighbour);
            }
        }
        for form in first_forms(collected.names.text(page.base)) {
            if let Some(first) = collected.names.find(&form).filter(|first| titles.has(*first, page)) {
                sets.join(page.base, first);
            }
        }
    }
    sets
}

/// The titles of the addresses of pages with posts.
struct Titles {
    of: HashSet<(TextId, u64)>,
    /// Titles of hosts.
    common: HashSet<(TextId, u64)>,
}

impl Titles {
    fn of(pages: &[SeenPage]) -> Self {
        let titled = pages.iter().filter(|page| page.posts > 0 && page.title != 0);
        Self { of: titled.map(|page| (page.base, page.title)).collect(), common: HashSet::new() }
    }

    /// Finds the titles that many threads of a host have.
    fn find_common(&mut self, collected: &Collector, sets: &mut Sets) {
        let (mut all, mut with): (HashMap<TextId, HashSet<u32>>, HashMap<_, HashSet<u32>>) = Default::default();
        for page in collected.pages.iter().filter(|page| page.posts > 0) {
            let set = sets.find(page.base);
            all.entry(page.host).or_default().insert(set);
            with.entry((page.host, page.title)).or_default().insert(set);
        }
        let is_common = |(host, _): &(TextId, u64), threads: usize| {
            let all = all.get(host).map_or(0, HashSet::len);
            all >= THREADS_MIN && threads as f64 > COMMON_TITLE * all as f64
        };
        let common = with.iter().filter(|(key, threads)| is_common(key, threads.len())).map(|(key, _)| *key);
        self.common = common.collect();
    }

    fn is_common(&self, page: &SeenPage) -> bool {
        page.title == 0 || self.common.contains(&(page.host, page.title))
    }

    /// Returns whether pages of an address have the title of a page.
    fn has(&self, address: TextId, page: &SeenPage) -> bool {
        address != 0 && self.of.contains(&(address, page.title))
    }
}

/// Returns the address of each set: what pages tell, or the shortest one.
fn addresses(collected: &Collector, sets: &mut Sets) -> HashMap<u32, TextId> {
    let mut addresses: HashMap<u32, (bool, TextId)> = HashMap::new();
    let told = collected.pages.iter().filter(|page| page.thread != 0).map(|page| (false, page.thread));
    let own = collected.threads.keys().map(|address| (false, *address));
    let pages = collected.pages.iter().map(|page| (true, page.base));
    let length = |address: TextId| (collected.names.text(address).len(), collected.names.text(address));
    for (is_taken, address) in told.chain(own).chain(pages) {
        let best = addresses.entry(sets.find(address)).or_insert((is_taken, address));
        if (is_taken, length(address)) < (best.0, length(best.1)) {
            *best = (is_taken, address);
        }
    }
    addresses.into_iter().map(|(set, (_, address))| (set, address)).collect()
}
