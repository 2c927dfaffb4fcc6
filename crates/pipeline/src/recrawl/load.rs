//! Loads what a plan is made from: each page of the state, with its traits.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

use harvestman_core::clock::Instant;
use harvestman_core::model::{Difference, History, Lastmod, Visit};
use harvestman_core::url::{CanonicalUrl, Fingerprint, HostKey};
use harvestman_stages::revisit::traits::{age_class, newest_class, rank_of_number};
use harvestman_stages::revisit::{DatedVisit, KnownPage, LastmodSign, PageNumber, PageTraits, Trait, TraitTable};
use harvestman_storage::store::{StoreError, VisitReader};
use harvestman_structure::site::{UrlPatternLearner, UrlPatterns};

/// The number of numbers that are used of a URL: the last and the greatest.
const SLOTS: usize = 2;

/// The pages of a state.
#[derive(Default)]
pub(crate) struct Loaded {
    pub known: Vec<KnownPage>,
    pub table: TraitTable,
    pub hosts: usize,
    /// Page → its number.
    pub numbers: HashMap<Fingerprint, PageNumber, FixedState>,
    /// Number → page.
    pub pages: Vec<Fingerprint>,
    /// The duration of the longest of the earlier rounds, in seconds.
    pub lasted: u64,
    /// Pages that are waiting already.
    pub waiting: Vec<PageNumber>,
}

impl Loaded {
    /// Reads all pages. Those whose last visit was in this `round` count as visited, except for those whose visits the
    /// state lists one by one.
    pub(crate) fn read(reader: &VisitReader, round: u32) -> Result<Self, StoreError> {
        let mut learner = UrlPatternLearner::default();
        let unreadable = reader.each(|_, visit| learner.see(&visit.url))?;
        if unreadable > 0 {
            tracing::error!(pages = unreadable, "the state of pages cannot be read; they are not visited again");
        }
        let mut reading = Reading { patterns: learner.patterns(), round, ..Reading::default() };
        reader.sightings(round, |sighting| {
            reading.sighted.insert(sighting.page);
        })?;
        reader.each(|page, visit| reading.take(page, &visit, reader.lastmod(page).ok().flatten()))?;
        Ok(reading.finish())
    }

    /// Records that a page waits, if it is one of these.
    pub(crate) fn waits(&mut self, page: Fingerprint) {
        self.waiting.extend(self.numbers.get(&page));
    }
}

#[derive(Default)]
struct Reading {
    loaded: Loaded,
    patterns: UrlPatterns,
    round: u32,
    /// Pages whose visits in this round are listed one by one.
    sighted: HashSet<Fingerprint, FixedState>,
    hosts: HashMap<HostKey, u32, FixedState>,
    vias: Vec<Option<Fingerprint>>,
    /// For each earlier round, the times of the first and the last of those visits that are the latest of their pages.
    rounds: BTreeMap<u32, (Instant, Instant)>,
    /// The numbers in each page's URL, and the folder of the last one.
    in_urls: Vec<[Option<u64>; SLOTS]>,
    folders: Vec<u64>,
}

impl Reading {
    fn take(&mut self, page: Fingerprint, visit: &Visit, lastmod: Option<Lastmod>) {
        let of_this_round = visit.round == self.round;
        if !of_this_round {
            let (first, last) = self.rounds.entry(visit.round).or_insert((visit.last, visit.last));
            (*first, *last) = ((*first).min(visit.last), (*last).max(visit.last));
        }
        if (of_this_round && visit.visits == 1) || (visit.gone && !of_this_round) {
            // New in this round, or gone since an earlier one.
            return;
        }
        let number = self.loaded.known.len() as PageNumber;
        let hosts = self.hosts.len() as u32;
        let host = *self.hosts.entry(CanonicalUrl::from_canonical(&*visit.url).host_key()).or_insert(hosts);
        let pattern = self.patterns.of(&visit.url);
        let via = visit.via.as_deref().map(Fingerprint::of);
        let found = visit.difference.filter(|_| of_this_round).map(|difference| (difference, visit.waited));
        let (history, numbers) = before(visit, found);
        let traits = self.traits(visit, pattern.coarse.0, pattern.fine.0, via, host);
        // If a page was visited in this round, it is no longer known what the visit before that found.
        let last = visit.difference.filter(|_| !of_this_round);
        let last = last.map(|found| Trait::Last(found >= Difference::Numbers));
        let signs = last.and_then(|last| self.loaded.table.number(last)).into_iter().collect();
        self.loaded.numbers.insert(page, number);
        self.loaded.pages.push(page);
        self.vias.push(via);
        self.in_urls.push(numbers_in(&visit.url));
        self.folders.push(folder_of(&visit.url));
        let kind = pattern.coarse.0;
        let (sign, earlier) = lastmod.map_or((None, None), |lastmod| signs_of(lastmod, visit, of_this_round));
        self.loaded.known.push(KnownPage {
            host,
            kind,
            via: None,
            traits,
            signs,
            last: if of_this_round { visit.last - Duration::from_secs(visit.waited) } else { visit.last },
            history,
            numbers,
            found: found.filter(|_| !self.sighted.contains(&page)),
            lastmod: sign,
            earlier,
        });
    }

    fn traits(&mut self, visit: &Visit, coarse: u64, fine: u64, via: Option<Fingerprint>, host: u32) -> PageTraits {
        let modified = visit.modified.as_deref().and_then(|date| httpdate::parse_http_date(date).ok());
        let age = modified.and_then(|date| {
            let date = date.duration_since(UNIX_EPOCH).ok()?.as_secs();
            Some(age_class((visit.last.as_micros() / 1_000_000).saturating_sub(date)))
        });
        let all = [
            Some(Trait::Coarse(coarse)),
            Some(Trait::Fine(fine)),
            Some(Trait::Depth(coarse, visit.depth)),
            via.map(|via| Trait::Via(via.0 as u64)),
            Some(Trait::Host(host)),
            Some(Trait::HostOf(host, coarse)),
            age.map(Trait::Modified),
            age.map(|age| Trait::ModifiedOf(coarse, age)),
        ];
        all.into_iter().flatten().filter_map(|one| self.loaded.table.number(one)).collect()
    }

    fn finish(mut self) -> Loaded {
        self.rank_numbers();
        self.rank_folders();
        let Loaded { known, numbers, .. } = &mut self.loaded;
        for (page, via) in known.iter_mut().zip(&self.vias) {
            page.via = via.and_then(|via| numbers.get(&via).copied());
        }
        self.loaded.lasted = self.rounds.values().map(|(first, last)| last.since(*first).as_secs()).max().unwrap_or(0);
        self.loaded.hosts = self.hosts.len();
        self.loaded
    }

    /// Adds the traits that depend on all pages together: how great the numbers in a URL are.
    fn rank_numbers(&mut self) {
        let mut of_kind: BTreeMap<(u64, usize), Vec<u64>> = BTreeMap::new();
        for (page, numbers) in self.loaded.known.iter().zip(&self.in_urls) {
            for (slot, number) in numbers.iter().enumerate() {
                of_kind.entry((page.kind, slot)).or_default().extend(number);
            }
        }
        of_kind.values_mut().for_each(|numbers| numbers.sort_unstable());
        for (page, numbers) in self.loaded.known.iter_mut().zip(&self.in_urls) {
            for (slot, number) in numbers.iter().enumerate() {
                let (Some(number), Some(all)) = (number, of_kind.get(&(page.kind, slot))) else { continue };
                let one = Trait::Number { coarse: page.kind, slot: slot as u8, rank: rank_of_number(*number, all) };
                page.traits.extend(self.loaded.table.number(one));
            }
        }
    }
}

impl Reading {
    /// Adds how many pages of the same folder and type have a greater last number.
    fn rank_folders(&mut self) {
        let mut of_folder: BTreeMap<(u64, u64), Vec<u64>> = BTreeMap::new();
        let last = |at: usize| Some((self.folders[at], self.in_urls[at][0]?));
        for (at, page) in self.loaded.known.iter().enumerate() {
            if let Some((folder, number)) = last(at) {
                of_folder.entry((page.kind, folder)).or_default().push(number);
            }
        }
        of_folder.values_mut().for_each(|numbers| numbers.sort_unstable());
        for (at, page) in self.loaded.known.iter_mut().enumerate() {
            let Some((folder, number)) = last(at) else { continue };
            let Some(all) = of_folder.get(&(page.kind, folder)) else { continue };
            let newer = all.len() - all.partition_point(|other| *other <= number);
            page.traits.extend(self.loaded.table.number(Trait::Newest(page.kind, newest_class(newer))));
        }
    }
}

/// Returns what the lastmod of a page says of the time since its last visit before this round, and that visit, if its
/// lastmod was known then.
fn signs_of(lastmod: Lastmod, visit: &Visit, of_this_round: bool) -> (Option<LastmodSign>, Option<DatedVisit>) {
    let Lastmod { modified, read, .. } = lastmod;
    let (visited, waited) = (visit.last.as_micros() / 1_000_000, visit.waited);
    let before = LastmodSign::before_visit(modified, visited, waited, read);
    if of_this_round {
        return (before, None);
    }
    let dated = |(sign, difference)| DatedVisit { sign, difference, waited };
    (LastmodSign::of(modified, visited, read), before.zip(visit.difference).map(dated))
}

/// Returns the folder of a URL's last number, as a hash: what precedes the path segment, or the parameter, that it is
/// in.
fn folder_of(url: &str) -> u64 {
    let end = url.rfind(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let start = url[..end].rfind(['/', '?', '&']).unwrap_or(0);
    xxh3_64(&url.as_bytes()[..start])
}

/// Returns what was found of a page before its visit in this round.
fn before(visit: &Visit, found: Option<(Difference, u64)>) -> (History, u32) {
    let (mut history, mut numbers) = (visit.history, visit.numbers);
    if let Some((difference, waited)) = found {
        history.forget(difference >= Difference::Numbers, waited);
        numbers -= numbers.min(u32::from(difference == Difference::Numbers));
    }
    (history, numbers)
}

/// Returns the last number in a URL's path and query, and the greatest.
fn numbers_in(url: &str) -> [Option<u64>; SLOTS] {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    let numbers = || path.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<u64>().ok());
    [numbers().next_back(), numbers().max()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_what_precedes_the_last_number() {
        let of = |path: &str| folder_of(&["http://h.test", path].concat());
        assert_eq!(of("/threads/one.12/"), of("/threads/other.7/"));
        assert_eq!(of("/threads/one.12/page-2"), of("/threads/one.12/page-3"));
        assert_ne!(of("/threads/one.12/page-2"), of("/threads/other.7/page-2"));
        assert_ne!(of("/photos/a-1/1001/"), of("/photos/b-2/2001/"));
        assert_eq!(of("/list?page=2"), of("/list?page=3"));
    }

    #[test]
    fn the_numbers_of_a_url_are_those_of_its_path_and_query() {
        assert_eq!(numbers_in("http://h1.test:8080/threads/some-words.12/page-3"), [Some(3), Some(12)]);
        assert_eq!(numbers_in("http://h1.test/"), [None, None]);
        assert_eq!(numbers_in("http://h.test/a?id=99999999999999999999999"), [None, None]);
    }
}
