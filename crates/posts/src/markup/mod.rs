//! Reads what a page says of its posts in markup for machines: JSON-LD, microdata, RDFa Lite, microformats, Open Graph: pure.
//!
//! Every syntax is read into items with the names of schema.org, and these into records. A syntax that says more of a post fills
//! what the others left out. What markup often says wrongly is dropped, or makes its post less sure.

mod address;
mod checks;
mod dates;
mod identifiers;
mod items;
mod json_ld;
mod marked;
mod microdata;
mod microformats;
mod open_graph;
mod postings;
mod rdfa;
mod shown;
mod threads;
mod users;

use std::collections::HashMap;

pub(crate) use self::checks::{completeness, ends_in_dots};
pub(crate) use self::dates::read_date;
use self::items::Items;
use self::marked::Marked;
pub(crate) use self::postings::plain;
use crate::combine::fill;
use crate::parsed_page::Page;
use crate::records::PageRecords;

/// Reads the records that a page describes in markup for machines.
pub fn read_markup(page: &Page) -> PageRecords {
    let marked = Marked::of(&page.tree);
    let mut all: Vec<PageRecords> = Vec::new();
    let has = |nodes: &[usize]| !nodes.is_empty();
    if has(&marked.microdata) {
        all.push(records(page, &microdata::read(&page.tree, &marked)));
    }
    if !page.head.json_ld.is_empty() {
        all.push(records(page, &json_ld::read(&page.tree, &page.head.json_ld)));
    }
    if has(&marked.rdfa) {
        all.push(records(page, &rdfa::read(&page.tree, &marked)));
    }
    if has(&marked.microformats) {
        all.push(records(page, &microformats::read(&page.tree, &marked)));
    }
    // The one with most posts first; of several the first.
    all.sort_by_key(|records| std::cmp::Reverse(records.posts.len()));
    all.push(open_graph::records(page));
    let together = all.into_iter().reduce(fill).unwrap_or_default();
    if together.posts.is_empty() && together.users.is_empty() && together.thread.is_none() {
        return PageRecords::default();
    }
    checks::checked(together, page)
}

/// Returns what the items of one syntax say of a page.
fn records(page: &Page, items: &Items<'_>) -> PageRecords {
    let mut postings = postings::find(items, page);
    let users = users::users(items, page);
    let thread = threads::thread(items, page, &postings);
    if thread.is_none() {
        for posting in &mut postings {
            posting.post.thread = threads::own_thread(items, page, posting);
        }
    }
    let by_item: HashMap<usize, usize> =
        postings.iter().enumerate().map(|(number, posting)| (posting.item, number)).collect();
    let parents: Vec<_> =
        postings.iter().map(|posting| postings::parent(items, (posting.item, page), &by_item)).collect();
    let ids = identifiers::identifiers(items, page, &postings);
    let mut posts: Vec<_> = postings.into_iter().map(|posting| posting.post).collect();
    for ((post, parent), id) in posts.iter_mut().zip(parents).zip(ids) {
        (post.parent, post.id) = (parent, id);
    }
    PageRecords { posts, thread, users }
}

#[cfg(test)]
mod tests;
