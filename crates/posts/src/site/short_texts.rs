//! Joins short texts by one author at one time where their pages tell that they are one post. Otherwise, equal short
//! texts in two threads are two posts.

use super::groups::{Groups, LENGTH_MIN, key_of};
use super::names::{Names, TextId};
use super::sighting::SeenPage;
use crate::maps::HashMap;

/// Minimum number of posts of a page that tell that it is one author's.
const POSTS_MIN: u32 = 2;
/// Minimum number of slashes in the address of a thread: that of a site has fewer.
const SLASHES_MIN: usize = 3;
/// Maximum number of equal posts before one that are compared with it.
const ALIKE_MAX: usize = 16;

/// Joins short texts by one author at one time if one of them is on a page with posts of this author only, or on a page
/// that shows other posts of the other's thread, or has an address within that of the thread: a form for replies, for
/// example.
pub(super) fn join(groups: &mut Groups<'_>, names: &Names) {
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
