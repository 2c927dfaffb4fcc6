//! What a plan is made from: each page of the state, with its traits.

use std::collections::BTreeMap;
use std::time::UNIX_EPOCH;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::page::{Difference, History, Visit};
use crate::revisit::traits::{age_class, rank_of_number};
use crate::revisit::{Known, PageNumber, PageTraits, Trait, TraitTable};
use crate::site::{UrlPatternLearner, UrlPatterns};
use crate::store::{StoreError, VisitReader};
use crate::url::{CanonicalUrl, Fingerprint, HostKey};

/// Numbers in a URL that are looked at: the last and the greatest.
const SLOTS: usize = 2;

/// The pages of a state.
#[derive(Default)]
pub(in crate::pipeline) struct Loaded {
    pub known: Vec<Known>,
    pub table: TraitTable,
    pub hosts: usize,
    /// Page → its number.
    pub numbers: HashMap<Fingerprint, PageNumber, FixedState>,
    /// Number → page.
    pub pages: Vec<Fingerprint>,
    /// Pages that wait already.
    pub waiting: Vec<PageNumber>,
}

impl Loaded {
    /// Reads all pages. Those whose last visit was in this `round` are known to be visited.
    pub(in crate::pipeline) fn read(reader: &VisitReader, round: u32) -> Result<Self, StoreError> {
        let mut learner = UrlPatternLearner::default();
        let unreadable = reader.each(|_, visit| learner.see(&visit.url))?;
        if unreadable > 0 {
            tracing::error!(
                pages = unreadable,
                "what the state knows of pages cannot be read; they are not visited again"
            );
        }
        let mut reading = Reading { patterns: learner.patterns(), round, ..Reading::default() };
        reader.each(|page, visit| reading.take(page, &visit))?;
        Ok(reading.finish())
    }

    /// Notes that a page waits, if it is one of these.
    pub(in crate::pipeline) fn waits(&mut self, page: Fingerprint) {
        self.waiting.extend(self.numbers.get(&page));
    }
}

#[derive(Default)]
struct Reading {
    loaded: Loaded,
    patterns: UrlPatterns,
    round: u32,
    hosts: HashMap<HostKey, u32, FixedState>,
    vias: Vec<Option<Fingerprint>>,
    /// The numbers in each page's URL.
    in_urls: Vec<[Option<u64>; SLOTS]>,
}

impl Reading {
    fn take(&mut self, page: Fingerprint, visit: &Visit) {
        let of_this_round = visit.round == self.round;
        if (of_this_round && visit.visits == 1) || (visit.gone && !of_this_round) {
            // New in this round, or gone for long.
            return;
        }
        let number = self.loaded.known.len() as PageNumber;
        let hosts = self.hosts.len() as u32;
        let host = *self.hosts.entry(CanonicalUrl::from_canonical(&*visit.url).host_key()).or_insert(hosts);
        let pattern = self.patterns.of(&visit.url);
        let via = visit.via.as_deref().map(Fingerprint::of);
        let found = visit.difference.filter(|_| of_this_round).map(|difference| (difference, visit.waited));
        let (history, numbers) = before(visit, found);
        let traits = self.traits(visit, (pattern.coarse.0, pattern.fine.0), via, found.is_some());
        self.loaded.numbers.insert(page, number);
        self.loaded.pages.push(page);
        self.vias.push(via);
        self.in_urls.push(numbers_in(&visit.url));
        let kind = pattern.coarse.0;
        self.loaded.known.push(Known { host, kind, via: None, traits, last: visit.last, history, numbers, found });
    }

    fn traits(
        &mut self,
        visit: &Visit,
        (coarse, fine): (u64, u64),
        via: Option<Fingerprint>,
        visited: bool,
    ) -> PageTraits {
        let modified = visit.modified.as_deref().and_then(|date| httpdate::parse_http_date(date).ok());
        let age = modified.and_then(|date| {
            let date = date.duration_since(UNIX_EPOCH).ok()?.as_secs();
            Some(age_class((visit.last.as_micros() / 1_000_000).saturating_sub(date)))
        });
        // Of a page that was visited in this round it is not known any more what the visit before that found.
        let last = visit.difference.filter(|_| !visited).map(|found| Trait::Last(found >= Difference::Numbers));
        let all = [
            Some(Trait::Coarse(coarse)),
            Some(Trait::Fine(fine)),
            Some(Trait::Depth(coarse, visit.depth)),
            via.map(|via| Trait::Via(via.0 as u64)),
            age.map(Trait::Modified),
            age.map(|age| Trait::ModifiedOf(coarse, age)),
            last,
        ];
        all.into_iter().flatten().filter_map(|one| self.loaded.table.number(one)).collect()
    }

    fn finish(mut self) -> Loaded {
        self.rank_numbers();
        let Loaded { known, numbers, .. } = &mut self.loaded;
        for (page, via) in known.iter_mut().zip(&self.vias) {
            page.via = via.and_then(|via| numbers.get(&via).copied());
        }
        self.loaded.hosts = self.hosts.len();
        self.loaded
    }

    /// Adds the traits that only all pages together tell: how great the numbers in a URL are.
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

/// What was found of a page before its visit in this round.
fn before(visit: &Visit, found: Option<(Difference, u64)>) -> (History, u32) {
    let (mut history, mut numbers) = (visit.history, visit.numbers);
    if let Some((difference, waited)) = found {
        history.forget(difference >= Difference::Numbers, waited);
        numbers -= numbers.min(u32::from(difference == Difference::Numbers));
    }
    (history, numbers)
}

/// The last number in a URL's path and query, and the greatest.
fn numbers_in(url: &str) -> [Option<u64>; SLOTS] {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    let numbers = || path.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<u64>().ok());
    [numbers().last(), numbers().max()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_url_are_those_of_its_path_and_query() {
        assert_eq!(numbers_in("http://h1.test:8080/threads/some-words.12/page-3"), [Some(3), Some(12)]);
        assert_eq!(numbers_in("http://h1.test/"), [None, None]);
        assert_eq!(numbers_in("http://h.test/a?id=99999999999999999999999"), [None, None]);
    }
}
