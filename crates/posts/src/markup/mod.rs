//! Reads what a page says of its posts in markup for machines: JSON-LD, microdata, RDFa Lite, microformats, Open Graph:
//! pure.
//!
//! Every syntax is read into items with the names of schema.org, and these into records. A syntax that says more of a
//! post fills what the others left out. What markup often says wrongly is dropped, or makes its post less sure.

mod attributes;
mod checks;
mod identifiers;
mod items;
mod json_ld;
mod microformats;
mod open_graph;
mod places;
mod postings;
mod threads;
mod values;

use std::collections::HashMap;

use self::attributes::Marked;
pub(crate) use self::checks::{completeness, ends_in_dots};
use self::items::Items;
pub(crate) use self::places::{ItemPlaces, MarkedField, MarkupSyntax, SyntaxPosts};
pub(crate) use self::postings::plain;
pub(crate) use self::values::read_date;
use crate::combine::fill;
use crate::parsed_page::Page;
use crate::records::PageRecords;

/// Reads the records that a page describes in markup for machines.
pub fn read_markup(page: &Page) -> PageRecords {
    let marked = Marked::of(&page.tree);
    let items = MarkupSyntax::ALL.into_iter().filter_map(|syntax| items(page, &marked, syntax));
    let mut all: Vec<PageRecords> = items.map(|items| records(page, &items)).collect();
    // The one with most posts first; of several the first.
    all.sort_by_key(|records| std::cmp::Reverse(records.posts.len()));
    all.push(open_graph::records(page));
    let together = all.into_iter().reduce(fill).unwrap_or_default();
    if together.posts.is_empty() && together.users.is_empty() && together.thread.is_none() {
        return PageRecords::default();
    }
    checks::checked(together, page)
}

/// Reads the items of one syntax; `None` if the page has none.
fn items<'p>(page: &'p Page, marked: &Marked, syntax: MarkupSyntax) -> Option<Items<'p>> {
    let tree = &page.tree;
    match syntax {
        MarkupSyntax::Microdata => (!marked.microdata.is_empty()).then(|| attributes::read_microdata(tree, marked)),
        MarkupSyntax::JsonLd => (!page.head.json_ld.is_empty()).then(|| json_ld::read(tree, &page.head.json_ld)),
        MarkupSyntax::Rdfa => (!marked.rdfa.is_empty()).then(|| attributes::read_rdfa(tree, marked)),
        MarkupSyntax::Microformats => (!marked.microformats.is_empty()).then(|| microformats::read(tree, marked)),
    }
}

/// Returns the posts that each syntax describes, with the places of their fields.
pub(crate) fn posts_by_syntax(page: &Page) -> Vec<SyntaxPosts> {
    let marked = Marked::of(&page.tree);
    let of = |syntax| Some(SyntaxPosts::of(syntax, &items(page, &marked, syntax)?, page));
    MarkupSyntax::ALL.into_iter().filter_map(of).collect()
}

/// Returns what the items of one syntax say of a page.
fn records(page: &Page, items: &Items<'_>) -> PageRecords {
    let mut postings = postings::find(items, page);
    let users = threads::users(items, page);
    let thread = threads::thread(items, page, &postings);
    if thread.is_none() {
        for posting in &mut postings {
            posting.post.thread = threads::own_thread(items, page, posting);
        }
    }
    let by_item: HashMap<usize, usize> =
        postings.iter().enumerate().map(|(number, posting)| (posting.item, number)).collect();
    let parents: Vec<_> =
        postings.iter().map(|posting| postings::parent(items, posting.item, page, &by_item)).collect();
    let ids = identifiers::identifiers(items, page, &postings);
    let mut posts: Vec<_> = postings.into_iter().map(|posting| posting.post).collect();
    for ((post, parent), id) in posts.iter_mut().zip(parents).zip(ids) {
        (post.parent, post.id) = (parent, id);
    }
    PageRecords { posts, thread, users, ..PageRecords::default() }
}

#[cfg(test)]
mod tests;
