//! Finds out which sightings are the same post: by identifiers and addresses first, then by author, time and text.
//!
//! Some sightings need rules of their own: short texts by one author at one time, where their pages tell that they are
//! one post (otherwise, equal short texts in two threads are two posts); what a page shows of a post before and after
//! it was edited, where the site gives posts neither identifiers nor addresses; and posts whose pages do not name their
//! authors, such as feeds and lists of one user's posts. Lists of threads may name the author of the thread beside its
//! last post: there the time tells it.

use super::groups::{Groups, LENGTH_MIN, key_of};
use super::moment::Moment;
use super::prints::{Names, TextId};
use super::sighting::{SeenPage, Sighting};
use super::threads::ThreadSets;
use super::{excerpts, identity};
use crate::maps::HashMap;

/// Returns the number of the set of each sighting: that of its first one.
pub(super) fn group(
    sightings: &mut [Sighting],
    pages: &[SeenPage],
    names: &Names,
    threads: &mut ThreadSets,
) -> Vec<u32> {
    identity::validate(sightings, pages, names, threads);
    let of_threads = sightings.iter().map(|sighting| threads.find(sighting.thread)).collect();
    let mut groups = Groups::of(sightings, pages, of_threads);
    groups.join_equal_texts();
    join_short_texts(&mut groups, names);
    join_unnamed(&mut groups);
    excerpts::join(&mut groups);
    join_revisions(&mut groups);
    (0..sightings.len() as u32).map(|at| groups.find(at)).collect()
}

/// Minimum number of posts of a page that tell that it is one author's.
const POSTS_MIN: u32 = 2;
/// Minimum number of slashes in the address of a thread: that of a site has fewer.
const SLASHES_MIN: usize = 3;
/// Maximum number of equal posts before one that are compared with it.
const ALIKE_MAX: usize = 16;

/// Joins short texts by one author at one time if one of them is on a page with posts of this author only, or on a page
/// that shows other posts of the other's thread, or has an address within that of the thread: a form for replies, for
/// example.
pub(super) fn join_short_texts(groups: &mut Groups<'_>, names: &Names) {
    let alike = alike(groups);
    let threads = threads_of_pages(groups, alike.iter().flatten().copied());
    let pairs: Vec<(u32, u32)> = alike.iter().flat_map(|alike| pairs(groups, names, &threads, alike)).collect();
    pairs.into_iter().for_each(|(one, other)| groups.join(one, other));
}

/// Returns the short texts with the same author and time, in order.
fn alike(groups: &Groups<'_>) -> Vec<Vec<u32>> {
    let mut alike: HashMap<u64, Vec<u32>> = HashMap::default();
    // The number of those before one on its page.
    let mut seen: HashMap<(u32, u64), u64> = HashMap::default();
    for (at, sighting) in groups.sightings.iter().enumerate() {
        let is_short = sighting.author != 0 && sighting.prints.length < LENGTH_MIN && !sighting.is_excerpt;
        let Some(moment) = sighting.moment.filter(|moment| moment.is_exact && is_short) else { continue };
        let [host, author] = [groups.pages[sighting.page as usize].host, sighting.author].map(u64::from);
        let written = key_of(&[host, author, sighting.prints.whole, moment.seconds as u64]);
        let number = seen.entry((sighting.page, written)).or_default();
        alike.entry(key_of(&[written, *number])).or_default().push(at as u32);
        *number += 1;
    }
    let mut alike: Vec<_> = alike.into_values().filter(|alike| alike.len() > 1).collect();
    alike.sort_unstable();
    alike
}

/// Returns those that are one post.
fn pairs(groups: &Groups<'_>, names: &Names, threads: &HashMap<u32, Vec<u32>>, alike: &[u32]) -> Vec<(u32, u32)> {
    let page = |at: u32| groups.sightings[at as usize].page;
    let is_within = |at: u32, other: u32| {
        let (address, thread) = (groups.pages[page(at) as usize].base, groups.sightings[other as usize].thread);
        is_address_within(names, address, thread)
    };
    let shows = |at: u32, other: u32| {
        let threads = threads.get(&page(at)).map_or(&[][..], Vec::as_slice);
        threads.contains(&groups.threads[other as usize])
    };
    let is_of_one = |at: u32| is_of_one_author(groups, &groups.pages[page(at) as usize]);
    let is_near = |at: u32, other: u32| shows(at, other) || is_within(at, other) || is_of_one(at);
    let is_one = |one: u32, other: u32| is_near(one, other) || is_near(other, one);
    let before = |number: usize| alike[number.saturating_sub(ALIKE_MAX)..number].iter();
    let numbered = alike.iter().enumerate();
    numbered.filter_map(|(number, at)| Some((*at, *before(number).find(|other| is_one(*at, **other))?))).collect()
}

/// Returns for each page of these posts the threads of all posts that it shows, as other pages tell them.
fn threads_of_pages(groups: &mut Groups<'_>, posts: impl Iterator<Item = u32>) -> HashMap<u32, Vec<u32>> {
    let mut pages: HashMap<u32, Vec<u32>> = posts.map(|at| (groups.sightings[at as usize].page, Vec::new())).collect();
    let mut of_set: HashMap<u32, Vec<u32>> = HashMap::default();
    for page in pages.keys() {
        for set in groups.sets_of_page(*page) {
            of_set.insert(set, Vec::new());
        }
    }
    for at in 0..groups.sightings.len() as u32 {
        let (set, thread) = (groups.find(at), groups.threads[at as usize]);
        if let Some(threads) = of_set.get_mut(&set)
            && thread != 0
            && !threads.contains(&thread)
        {
            threads.push(thread);
        }
    }
    for (page, threads) in &mut pages {
        threads.extend(groups.sets_of_page(*page).iter().flat_map(|set| &of_set[set]));
    }
    pages
}

/// Returns whether an address continues another one, that of a thread, by parts of its path.
fn is_address_within(names: &Names, address: TextId, thread: TextId) -> bool {
    let (address, thread) = (names.text(address), names.text(thread).trim_end_matches('/'));
    let rest = address.strip_prefix(thread).filter(|_| thread.matches('/').count() >= SLASHES_MIN);
    rest.is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
}

fn is_of_one_author(groups: &Groups<'_>, page: &SeenPage) -> bool {
    let posts = &groups.sightings[page.first as usize..(page.first + page.posts) as usize];
    page.posts >= POSTS_MIN && posts.iter().all(|post| post.author != 0 && post.author == posts[0].author)
}

/// The author and the time of a post.
type Written = (u32, i64);

/// Joins the posts of two visits to a page that are the only ones there by their author at their time, and are not on
/// the page of the other visit.
pub(super) fn join_revisions(groups: &mut Groups<'_>) {
    let pages = groups.pages;
    for later in 1..pages.len() as u32 {
        let earlier = later - 1;
        if pages[later as usize].url != pages[earlier as usize].url {
            continue;
        }
        let (before, after) = (unmatched(groups, earlier, later), unmatched(groups, later, earlier));
        let pairs = before.iter().filter_map(|(written, one)| (*one).zip(after.get(written).copied().flatten()));
        let mut pairs: Vec<(u32, u32)> = pairs.collect();
        // The numbers of authors depend on the order of pages.
        pairs.sort_unstable();
        pairs.into_iter().for_each(|(one, other)| groups.join(one, other));
    }
}

/// Returns the posts on a page that are not on the other one, by author and time; `None` of several.
fn unmatched(groups: &mut Groups<'_>, page: u32, other: u32) -> HashMap<Written, Option<u32>> {
    let others = groups.sets_of_page(other);
    let (first, count) = (groups.pages[page as usize].first, groups.pages[page as usize].posts);
    let mut found: HashMap<Written, Option<u32>> = HashMap::default();
    for at in first..first + count {
        let sighting = &groups.sightings[at as usize];
        let Some(moment) = sighting.moment.filter(|moment| moment.is_exact && sighting.author != 0) else { continue };
        if !others.contains(&groups.find(at)) {
            let written = (sighting.author, moment.seconds);
            found.entry(written).and_modify(|post| *post = None).or_insert(Some(at));
        }
    }
    found
}

/// The beginning, by its number, that texts have in common where one page shows more of the post than the other.
const START: usize = 1;
/// Seconds by which their times may differ then: one page shows the minute only.
const MINUTE: i64 = 60;
/// Maximum number of posts without an author with one text that are compared.
const UNNAMED_ALIKE_MAX: usize = 100;

/// Joins each text without an author, and each excerpt, to the whole text with an author and the same text, or the same
/// beginning, whose time is nearest: that of an excerpt is the same.
pub(super) fn join_unnamed(groups: &mut Groups<'_>) {
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
                if alike.len() < UNNAMED_ALIKE_MAX {
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
