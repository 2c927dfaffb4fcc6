//! The posts of a site as sets of sightings: their threads, their order, their identifiers.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::collector::Collector;
use super::grouping::group;
use super::groups::key_of;
use super::order::{natural, sort};
use super::parents::{NONE, References, break_cycles};
use super::prints::TextId;
use super::sighting::Sighting;
use super::threads::ThreadSets;

/// A post: the sightings that are it.
#[derive(Debug, Clone)]
pub(super) struct SitePost {
    /// Its sightings, the best version first: numbers in [`Grouped::members`].
    pub first: u32,
    pub count: u32,
    /// The address of its thread.
    pub thread: TextId,
    /// Place in the thread, from 1.
    pub position: u32,
    /// The sighting that has its identifier, or [`NONE`].
    pub identified_by: u32,
    /// The hash that its identifier is made from where the site shows none.
    pub hash: u64,
    /// How many posts before it have the same identifier.
    pub repetition: u32,
}

/// All posts, sorted by thread and place in it.
#[derive(Debug, Default)]
pub(super) struct Grouped {
    pub posts: Vec<SitePost>,
    pub members: Vec<u32>,
    /// The post that each answers.
    pub parents: Vec<u32>,
}

impl Grouped {
    /// Returns the sightings of a post, the best version first.
    pub fn members_of(&self, post: &SitePost) -> &[u32] {
        &self.members[post.range()]
    }
}

impl SitePost {
    fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// Groups what was collected.
pub(super) fn group_posts(collected: &mut Collector) -> Grouped {
    sort(collected);
    let mut threads = ThreadSets::of(collected);
    let sets = group(&mut collected.sightings, &collected.pages, &collected.names, &mut threads);
    let mut grouped = gather(&sets);
    for post in &mut grouped.posts {
        let members = &mut grouped.members[post.range()];
        (post.identified_by, post.hash) = identity(collected, members);
    }
    choose_threads(collected, &mut threads, &mut grouped);
    for post in &grouped.posts {
        let members = &mut grouped.members[post.range()];
        members
            .sort_by(|one, other| rank(collected, *other).total_cmp_with(&rank(collected, *one)).then(one.cmp(other)));
    }
    sort_posts(collected, &mut threads, &mut grouped);
    number_repetitions(&collected.sightings, &mut grouped.posts);
    find_parents(collected, &mut threads, &mut grouped);
    grouped
}

/// Makes a post of each set, in the order of their first sightings.
fn gather(sets: &[u32]) -> Grouped {
    let mut members: Vec<u32> = (0..sets.len() as u32).collect();
    members.sort_by_key(|at| (sets[*at as usize], *at));
    let mut posts = Vec::new();
    let mut first = 0;
    for set in members.chunk_by(|one, other| sets[*one as usize] == sets[*other as usize]) {
        let count = set.len() as u32;
        let post = SitePost { first, count, thread: 0, position: 0, identified_by: NONE, hash: 0, repetition: 0 };
        posts.push(post);
        first += count;
    }
    Grouped { posts, members, parents: Vec::new() }
}

/// Returns the sighting with the identifier, and the hash of the earliest sighting.
fn identity(collected: &Collector, members: &[u32]) -> (u32, u64) {
    // Identifiers of feeds may differ from those of pages.
    let time = |at: &u32| {
        let sighting = &collected.sightings[*at as usize];
        (sighting.is_feed, collected.pages[sighting.page as usize].crawl_time, *at)
    };
    let with_id = members.iter().copied().filter(|at| collected.sightings[*at as usize].id != 0).min_by_key(time);
    let earliest = members.iter().copied().min_by_key(time).unwrap_or(0);
    let sighting = &collected.sightings[earliest as usize];
    let page = &collected.pages[sighting.page as usize];
    let date = sighting.moment.map_or_else(String::new, |moment| moment.text());
    let names = &collected.names;
    let hash = sighting.prints.hash_with([names.text(page.host), names.text(sighting.author), &date]);
    (with_id.unwrap_or(NONE), hash)
}

/// How good a version is: full, on a page, from a late visit, sure, long.
struct Rank([bool; 2], u32, f32, u32);

impl Rank {
    fn total_cmp_with(&self, other: &Self) -> std::cmp::Ordering {
        let order = (self.0, self.1).cmp(&(other.0, other.1));
        order.then(self.2.total_cmp(&other.2)).then(self.3.cmp(&other.3))
    }
}

fn rank(collected: &Collector, at: u32) -> Rank {
    let sighting = &collected.sightings[at as usize];
    let visit = collected.pages[sighting.page as usize].visit;
    Rank([!sighting.is_excerpt, !sighting.is_feed], visit, sighting.confidence, sighting.prints.length)
}

/// What is known of a thread as a whole.
#[derive(Default)]
struct ThreadFacts {
    posts: u32,
    author: TextId,
    has_authors: bool,
}

/// Chooses for each post one of the threads that it is seen in: the one that a page tells, that its own address is in,
/// with several authors, with the most posts.
fn choose_threads(collected: &Collector, threads: &mut ThreadSets, grouped: &mut Grouped) {
    let mut facts: HashMap<u32, ThreadFacts> = HashMap::new();
    for post in &grouped.posts {
        let members = &grouped.members[post.range()];
        let seen: HashSet<u32> = members
            .iter()
            .map(|at| threads.find(collected.sightings[*at as usize].thread))
            .filter(|set| *set != 0)
            .collect();
        let author = members.iter().map(|at| collected.sightings[*at as usize].author).find(|author| *author != 0);
        for set in seen {
            let facts = facts.entry(set).or_default();
            facts.posts += 1;
            facts.has_authors |= author.is_some_and(|author| facts.author != 0 && facts.author != author);
            facts.author = author.unwrap_or(facts.author);
        }
    }
    for post in &mut grouped.posts {
        let members = &grouped.members[post.range()];
        let mut best = None;
        for at in members {
            let sighting = &collected.sightings[*at as usize];
            let set = threads.find(sighting.thread);
            let Some(facts) = facts.get(&set) else { continue };
            let own = threads.find(sighting.url_base) == set && sighting.url_base != 0;
            let address = threads.address(set);
            let worth = [sighting.is_thread_told, !sighting.is_feed, !sighting.is_excerpt, own, facts.has_authors];
            let text = Reverse(collected.names.text(address));
            best = best.max(Some((worth, facts.posts, text, address)));
        }
        let page = |at: u32| collected.pages[collected.sightings[at as usize].page as usize].base;
        post.thread = best.map_or_else(|| page(members[0]), |(.., address)| address);
    }
}

/// Sorts the posts by thread and by their order on its pages.
fn sort_posts(collected: &Collector, threads: &mut ThreadSets, grouped: &mut Grouped) {
    let ranks = page_ranks(collected);
    let place = |threads: &mut ThreadSets, post: &SitePost| {
        let thread = threads.find(post.thread);
        let members = &grouped.members[post.range()];
        let places = members.iter().map(|at| {
            let sighting = &collected.sightings[*at as usize];
            let is_elsewhere = threads.find(sighting.thread) != thread;
            if sighting.is_feed {
                // Its place in the feed is none in the thread.
                return (true, is_elsewhere, 0, Reverse(0), sighting.moment.map_or(i64::MAX, |moment| moment.seconds));
            }
            // Of several visits to a page the last counts.
            let later = Reverse(sighting.page);
            (false, is_elsewhere, ranks[sighting.page as usize], later, i64::from(sighting.index))
        });
        places.min()
    };
    let mut keyed: Vec<_> = grouped.posts.drain(..).map(|post| (place(threads, &post), post)).collect();
    keyed.sort_by(|(place, post), (other_place, other)| {
        let address = |post: &SitePost| collected.names.text(post.thread);
        natural(address(post), address(other)).then(place.cmp(other_place)).then(post.first.cmp(&other.first))
    });
    let mut posts: Vec<SitePost> = keyed.into_iter().map(|(_, post)| post).collect();
    for thread in posts.chunk_by_mut(|one, other| one.thread == other.thread) {
        thread.iter_mut().enumerate().for_each(|(at, post)| post.position = at as u32 + 1);
    }
    grouped.posts = posts;
}

/// Returns for each page the place of its address among all.
fn page_ranks(collected: &Collector) -> Vec<u32> {
    let text = |page: u32| collected.names.text(collected.pages[page as usize].url);
    let mut pages: Vec<u32> = (0..collected.pages.len() as u32).collect();
    pages.sort_by(|one, other| natural(text(*one), text(*other)));
    let mut ranks = vec![0; pages.len()];
    let mut rank = 0;
    for (at, page) in pages.iter().enumerate() {
        rank += u32::from(at > 0 && text(pages[at - 1]) != text(*page));
        ranks[*page as usize] = rank;
    }
    ranks
}

fn number_repetitions(sightings: &[Sighting], posts: &mut [SitePost]) {
    let mut seen: HashMap<u64, u32, foldhash::fast::RandomState> = HashMap::default();
    for post in posts {
        let id = sightings.get(post.identified_by as usize).map_or(post.hash, |sighting| key_of(&[sighting.id]));
        let count = seen.entry(id).or_default();
        post.repetition = *count;
        *count += 1;
    }
}

fn find_parents(collected: &Collector, threads: &mut ThreadSets, grouped: &mut Grouped) {
    let references = References::of(&collected.sightings, &collected.pages);
    let mut post_of = vec![NONE; collected.sightings.len()];
    for (number, post) in grouped.posts.iter().enumerate() {
        for at in &grouped.members[post.range()] {
            post_of[*at as usize] = number as u32;
        }
    }
    for (number, post) in grouped.posts.iter().enumerate() {
        let members = &grouped.members[post.range()];
        let mut found = members.iter().filter_map(|at| {
            let parent = references.parent(&collected.sightings[*at as usize], &collected.names, threads)?;
            Some(post_of[parent as usize]).filter(|parent| *parent as usize != number)
        });
        grouped.parents.push(found.next().unwrap_or(NONE));
    }
    break_cycles(&mut grouped.parents);
}
