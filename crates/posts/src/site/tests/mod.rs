//! Sites that are made up, and what must come out of their pages.

mod naive;
mod rules;
mod world;

use std::collections::HashSet;
use std::convert::Infallible;

use proptest::prelude::*;

use super::*;
use crate::records::{PagePost, PageRecords};

/// A page with its origin.
pub(super) type OriginAndRecords = (PageOrigin, PageRecords);

/// The posts of pages, in memory.
#[derive(Default)]
pub(super) struct Stored(Vec<PagePost>);

impl PostStore for Stored {
    type Error = Infallible;

    fn post(&mut self, place: u64) -> Result<PagePost, Infallible> {
        Ok(self.0[place as usize].clone())
    }
}

pub(super) fn collect(pages: &[OriginAndRecords]) -> (Collector, Stored) {
    let (mut collector, mut stored) = (Collector::default(), Stored::default());
    for (origin, records) in pages {
        let places: Vec<u64> = (0..records.posts.len()).map(|at| (stored.0.len() + at) as u64).collect();
        stored.0.extend(records.posts.iter().cloned());
        collector.add(origin, records, &places).unwrap();
    }
    (collector, stored)
}

/// All records of a site.
#[derive(Debug, PartialEq)]
pub(super) struct Records {
    pub posts: Vec<Post>,
    pub threads: Vec<Thread>,
    pub users: Vec<User>,
}

pub(super) fn records(pages: &[OriginAndRecords]) -> Records {
    let (collector, mut stored) = collect(pages);
    let mut site = collector.finish();
    let mut posts = Vec::new();
    let each: Result<(), Infallible> = site.posts(&mut stored, &mut |post| {
        posts.push(post);
        Ok(())
    });
    each.unwrap();
    Records { posts, threads: site.threads().collect(), users: site.users().to_vec() }
}

fn check_integrity(records: &Records) {
    let ids: HashSet<&String> = records.posts.iter().map(|post| &post.id).collect();
    assert_eq!(ids.len(), records.posts.len(), "identifiers are unique");
    let threads: HashSet<&String> = records.threads.iter().map(|thread| &thread.id).collect();
    assert_eq!(threads.len(), records.threads.len());
    assert_eq!(records.threads.iter().map(|thread| thread.posts).sum::<u64>(), records.posts.len() as u64);
    for post in &records.posts {
        assert!(threads.contains(&post.thread_id));
        assert!(post.parent_id.as_ref().is_none_or(|parent| ids.contains(parent) && *parent != post.id));
        assert!(post.first_seen <= post.last_seen);
    }
    let found: u64 = records.users.iter().map(|user| user.posts_found).sum();
    assert!(found <= records.posts.len() as u64);
}

proptest! {
    #[test]
    fn the_order_of_pages_does_not_matter(pages in naive::any_pages(), seed in any::<u64>()) {
        let one = records(&pages);
        check_integrity(&one);
        let mut shuffled = pages;
        shuffle(&mut shuffled, seed);
        prop_assert_eq!(one, records(&shuffled));
    }

    #[test]
    fn the_posts_are_those_that_the_slow_way_finds(pages in naive::any_pages()) {
        naive::check(&pages);
    }

    #[test]
    fn each_post_of_a_site_is_found_once(world in world::any_world(), seed in any::<u64>()) {
        let mut pages = world.pages();
        shuffle(&mut pages, seed);
        let found = records(&pages);
        check_integrity(&found);
        world.check(&found);
    }
}

fn shuffle<T>(items: &mut [T], mut seed: u64) {
    for at in (1..items.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        items.swap(at, (seed >> 33) as usize % (at + 1));
    }
}
