//! Joins posts whose pages do not name their authors, such as feeds and lists of one user's posts, to those of other
//! pages that do. Lists of threads may name the author of the thread beside its last post: there the time tells it.

use super::groups::{Groups, LENGTH_MIN, key_of};
use super::moment::Moment;
use super::names::TextId;
use super::sighting::Sighting;
use crate::maps::HashMap;

/// The beginning, by its number, that texts have in common where one page shows more of the post than the other.
const START: usize = 1;
/// Seconds by which their times may differ then: one page shows the minute only.
const MINUTE: i64 = 60;
/// Maximum number of posts without an author with one text that are compared.
const ALIKE_MAX: usize = 100;

/// Joins each text without an author, and each excerpt, to the whole text with an author and the same text, or the same
/// beginning, whose time is nearest: that of an excerpt is the same.
pub(super) fn join(groups: &mut Groups<'_>) {
    let count = groups.sightings.len() as u32;
    let mut is_named = vec![false; count as usize];
    for at in (0..count).filter(|at| is_whole(&groups.sightings[*at as usize])) {
        is_named[groups.find(at) as usize] = true;
    }
    let entries = numbers_of_entries(groups);
    let mut waiting: HashMap<u64, Vec<u32>> = HashMap::default();
    for at in 0..count {
        let sighting = &groups.sightings[at as usize];
        let is_exact = sighting.moment.is_some_and(|moment| moment.is_exact);
        if is_exact && !is_named[groups.find(at) as usize] {
            let of_thread = entries.get(&(sighting.page, groups.threads[at as usize])).filter(|_| sighting.is_feed);
            let is_about_thread = of_thread == Some(&1);
            for key in keys(groups, at, sighting.url_base).chain(minute_key(groups, at).filter(|_| is_about_thread)) {
                let alike = waiting.entry(key).or_default();
                if alike.len() < ALIKE_MAX {
                    alike.push(at);
                }
            }
        }
    }
    let mut best: HashMap<u32, (bool, i64, u32)> = HashMap::default();
    let named = groups.sightings.iter().enumerate().filter(|(_, named)| is_whole(named));
    for (at, named) in named {
        for unnamed in keys(groups, at as u32, groups.pages[named.page as usize].base)
            .chain(minute_key(groups, at as u32))
            .filter_map(|key| waiting.get(&key))
            .flatten()
        {
            let lacks_name = &groups.sightings[*unnamed as usize];
            if let Some(distance) = distance(lacks_name, named) {
                let fit = (!have_one_text(lacks_name, named), distance, at as u32);
                let known = best.entry(*unnamed).or_insert(fit);
                *known = (*known).min(fit);
            }
        }
    }
    let mut found: Vec<(u32, u32)> = best.into_iter().map(|(unnamed, (.., named))| (unnamed, named)).collect();
    found.sort_unstable();
    found.into_iter().for_each(|(unnamed, named)| groups.join(unnamed, named));
}

fn have_one_text(one: &Sighting, other: &Sighting) -> bool {
    let starts = [one, other].map(|sighting| sighting.prints.starts[START]);
    one.prints.whole == other.prints.whole || (starts[0] == starts[1] && starts[0] != 0)
}

fn is_whole(sighting: &Sighting) -> bool {
    sighting.author != 0 && !sighting.is_excerpt
}

/// Returns keys of the whole text, and of its beginning if it is long. A short one tells a post only on the page with
/// an address, which the other page links to. Where times have seconds, there is one post of a thread at each: excerpts
/// may begin behind a quote.
fn keys(groups: &Groups<'_>, at: u32, address: TextId) -> impl Iterator<Item = u64> + use<> {
    let (sighting, thread) = (&groups.sightings[at as usize], groups.threads[at as usize]);
    let host = u64::from(groups.pages[sighting.page as usize].host);
    let is_short = sighting.prints.length < LENGTH_MIN;
    let page = if is_short { u64::from(address) } else { 0 };
    let whole = (!is_short || address != 0).then(|| key_of(&[4, host, page, sighting.prints.whole]));
    let start = Some(sighting.prints.starts[START]).filter(|start| *start != 0);
    let seconds = sighting.moment.map(|moment| moment.seconds).filter(|seconds| thread != 0 && seconds % MINUTE != 0);
    let written = seconds.map(|seconds| key_of(&[6, u64::from(thread), seconds as u64]));
    whole.into_iter().chain(start.map(|start| key_of(&[5, host, start]))).chain(written)
}

/// Returns the key of the thread and the minute of a post. Feeds with one entry for each thread may have the time of
/// its first post and the text of its last one.
fn minute_key(groups: &Groups<'_>, at: u32) -> Option<u64> {
    let thread = Some(groups.threads[at as usize]).filter(|thread| *thread != 0)?;
    let minute = groups.sightings[at as usize].moment?.seconds.div_euclid(MINUTE);
    Some(key_of(&[7, u64::from(thread), minute as u64]))
}

/// Returns how many entries each feed has for each thread.
fn numbers_of_entries(groups: &Groups<'_>) -> HashMap<(u32, u32), u32> {
    let mut numbers = HashMap::default();
    for (sighting, thread) in groups.sightings.iter().zip(&groups.threads).filter(|(sighting, _)| sighting.is_feed) {
        *numbers.entry((sighting.page, *thread)).or_default() += 1;
    }
    numbers
}

/// Returns the seconds between the times of two posts; `None` if they are two.
fn distance(unnamed: &Sighting, named: &Sighting) -> Option<i64> {
    let (one, other) = unnamed.moment.zip(named.moment)?;
    // A feed may have identifiers of its own.
    let may_differ = unnamed.id == 0 || named.id == 0 || unnamed.is_feed != named.is_feed;
    let is_one = unnamed.page != named.page && (unnamed.id == named.id || may_differ);
    let distance = (one.seconds - other.seconds).abs();
    let may_be_one = unnamed.prints.whole == named.prints.whole || distance < MINUTE;
    let is_near = match unnamed.author {
        0 => may_be_one && Moment::may_be_one(Some(one), Some(other)),
        _ => distance == 0,
    };
    (is_one && is_near).then_some(distance)
}
