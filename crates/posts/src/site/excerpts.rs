//! Joins excerpts to the posts that they are of, and quotes to the texts that they are from.

use std::collections::HashMap;

use super::groups::{Groups, key_of};
use super::moment::Moment;
use super::prints::{STARTS, plain};
use super::sighting::Sighting;

/// The shortest beginning, by its number, by which an excerpt without an author is found.
const START_MIN: usize = 1;
/// Maximum number of excerpts with the same author and beginning that are compared with full texts.
const ALIKE_MAX: usize = 100;

type Excerpts = HashMap<u64, Vec<u32>, foldhash::fast::RandomState>;

/// What fits an excerpt best so far: the distance of the times, and the sighting.
type Best = HashMap<u32, (i64, u32)>;

/// Joins each excerpt that no identifier joins to a full text to the full text with its author and beginning whose time
/// is nearest, and excerpts without a full text that have the same beginning at the same time.
pub(super) fn join(groups: &mut Groups<'_>) {
    let mut waiting: Excerpts = HashMap::default();
    let count = groups.sightings.len() as u32;
    for at in (0..count).filter(|at| groups.sightings[*at as usize].is_excerpt) {
        if groups.is_identified(at) {
            continue;
        }
        if let Some(key) = key_of_excerpt(groups, &groups.sightings[at as usize]) {
            let alike = waiting.entry(key).or_default();
            if alike.len() < ALIKE_MAX {
                alike.push(at);
            }
        }
    }
    if waiting.is_empty() {
        return;
    }
    let best = best_texts(groups, &waiting);
    let mut found: Vec<(u32, u32)> = best.into_iter().map(|(excerpt, (_, text))| (excerpt, text)).collect();
    found.sort_unstable();
    found.into_iter().for_each(|(excerpt, text)| groups.join(excerpt, text));
    join_to_each_other(groups, &waiting);
}

fn key_of_excerpt(groups: &Groups<'_>, excerpt: &Sighting) -> Option<u64> {
    let start = excerpt.prints.longest_start().filter(|start| excerpt.author != 0 || *start >= START_MIN)?;
    Some(start_key(groups, excerpt, excerpt.author, start))
}

fn start_key(groups: &Groups<'_>, sighting: &Sighting, author: u32, start: usize) -> u64 {
    let host = u64::from(groups.pages[sighting.page as usize].host);
    key_of(&[host, u64::from(author), start as u64, sighting.prints.starts[start]])
}

/// Returns the full text that fits each excerpt best.
fn best_texts(groups: &Groups<'_>, waiting: &Excerpts) -> Best {
    let mut best = Best::new();
    for (at, text) in groups.sightings.iter().enumerate().filter(|(_, text)| !text.is_excerpt) {
        for start in (0..STARTS.len()).filter(|start| text.prints.starts[*start] != 0) {
            // An excerpt may lack the author.
            for author in [text.author, 0].into_iter().take(if text.author == 0 { 1 } else { 2 }) {
                for excerpt in waiting.get(&start_key(groups, text, author, start)).into_iter().flatten() {
                    compare(groups, &mut best, *excerpt, at as u32);
                }
            }
        }
    }
    best
}

fn compare(groups: &Groups<'_>, best: &mut Best, excerpt: u32, text: u32) {
    let (short, long) = (&groups.sightings[excerpt as usize], &groups.sightings[text as usize]);
    if long.prints.length < short.prints.length || !Moment::may_be_one(short.moment, long.moment) {
        return;
    }
    // A feed may have identifiers of its own.
    let may_differ = short.id == 0 || long.id == 0 || short.is_feed != long.is_feed;
    if short.id != long.id && !may_differ {
        return;
    }
    let distance = short.moment.zip(long.moment).map_or(i64::MAX, |(one, other)| (one.seconds - other.seconds).abs());
    let known = best.entry(excerpt).or_insert((distance, text));
    *known = (*known).min((distance, text));
}

fn join_to_each_other(groups: &mut Groups<'_>, waiting: &Excerpts) {
    let mut left: Vec<u32> = waiting.values().flatten().copied().collect();
    left.sort_unstable();
    let keyed = left.into_iter().filter_map(|at| {
        let excerpt = &groups.sightings[at as usize];
        let moment = excerpt.moment.filter(|moment| moment.is_exact && excerpt.author != 0)?;
        Some((key_of(&[start_key(groups, excerpt, excerpt.author, 0), moment.seconds as u64]), at))
    });
    let keyed = keyed.collect();
    groups.join_keyed(keyed);
}

/// Minimum number of letters and digits of a quote whose author is known, and of one whose author is not.
const LENGTHS_MIN: [usize; 2] = [4, 24];
/// Number of letters and digits that are compared at the beginning of a quote.
const COMPARED: usize = 400;

/// What is quoted.
pub(super) struct Quote {
    pub author: Option<String>,
    text: String,
}

impl Quote {
    /// Reads a quote.
    pub fn of(author: Option<&str>, text: &str) -> Self {
        let author = author.map(str::trim).filter(|author| !author.is_empty()).map(str::to_owned);
        Self { author, text: plain(text).chars().take(COMPARED).collect() }
    }

    /// Returns whether it is long enough to tell a post.
    pub fn is_usable(&self) -> bool {
        let is_known = self.author.is_some();
        self.length() as usize >= LENGTHS_MIN[usize::from(!is_known)]
    }

    /// Returns its length in letters and digits.
    pub fn length(&self) -> u32 {
        self.text.chars().count() as u32
    }
}

/// Returns whether a text contains what is quoted.
pub(super) fn contains(text: &str, quote: &Quote) -> bool {
    plain(text).contains(&quote.text)
}
