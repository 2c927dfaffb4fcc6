//! Brings what was collected into an order that does not depend on the order of the calls.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::collector::Collector;
use super::prints::TextId;
use super::sighting::{SeenPage, Sighting};

/// Sorts the pages by address and time, drops those that were added twice, and numbers visits that the crawl did not
/// count.
pub(super) fn sort(collected: &mut Collector) {
    let names = &collected.names;
    let mut pages = std::mem::take(&mut collected.pages);
    // All that a page tells is compared: of pages that are the same visit the first is kept, and they may differ in
    // their titles.
    let numbers = |page: &SeenPage| {
        [page.visit.into(), page.warc_offset.map_or(0, |offset| offset + 1), page.content, page.title]
    };
    let told = |page: &SeenPage| [page.warc_file, page.base, page.thread, page.neighbours[0], page.neighbours[1]];
    pages.sort_by(|one, other| {
        let by_address = names.text(one.url).cmp(names.text(other.url)).then(one.crawl_time.cmp(&other.crawl_time));
        let by_told = || told(one).map(|id| names.text(id)).cmp(&told(other).map(|id| names.text(id)));
        let by_numbers = || numbers(one).cmp(&numbers(other)).then(one.cluster.cmp(&other.cluster));
        by_address.then_with(by_numbers).then_with(by_told)
    });
    pages.dedup_by(|one, other| is_same(one, other));
    confirm(&mut pages, &collected.unchanged);
    let mut sightings: Vec<Sighting> = Vec::with_capacity(collected.sightings.len());
    for at in 0..pages.len() {
        let visits = match at.checked_sub(1).map(|before| &pages[before]).filter(|before| before.url == pages[at].url) {
            Some(before) => before.visit + 1,
            None => 1,
        };
        let page = &mut pages[at];
        if page.visit == 0 {
            page.visit = visits;
        }
        let range = page.first as usize..(page.first + page.posts) as usize;
        page.first = sightings.len() as u32;
        sightings.extend(collected.sightings[range].iter().map(|post| Sighting { page: at as u32, ..post.clone() }));
    }
    (collected.pages, collected.sightings) = (pages, sightings);
}

/// Notes until when visits found pages unchanged.
fn confirm(pages: &mut [SeenPage], unchanged: &[(TextId, i64)]) {
    let mut visits: HashMap<TextId, Vec<i64>> = HashMap::new();
    unchanged.iter().for_each(|(url, time)| visits.entry(*url).or_default().push(*time));
    for at in 0..pages.len() {
        let next = pages.get(at + 1).filter(|next| next.url == pages[at].url).map_or(i64::MAX, |next| next.crawl_time);
        let page = &mut pages[at];
        let times = visits.get(&page.url).into_iter().flatten().copied();
        page.confirmed = times.filter(|time| *time < next).fold(page.crawl_time, i64::max);
    }
}

fn is_same(one: &SeenPage, other: &SeenPage) -> bool {
    let key = |page: &SeenPage| (page.url, page.crawl_time, page.warc_file, page.warc_offset, page.content);
    key(one) == key(other)
}

/// Compares two addresses such that `page=10` is behind `page=9`. Only equal ones are equal.
pub(super) fn natural(one: &str, other: &str) -> Ordering {
    by_numbers(one, other).then_with(|| one.cmp(other))
}

fn by_numbers(mut one: &str, mut other: &str) -> Ordering {
    loop {
        let ((text, number, rest), (text_other, number_other, rest_other)) = (split(one), split(other));
        let order = text.cmp(text_other);
        let order = order.then(number.len().cmp(&number_other.len())).then(number.cmp(number_other));
        if order != Ordering::Equal || (rest.is_empty() && rest_other.is_empty()) {
            return order;
        }
        (one, other) = (rest, rest_other);
    }
}

/// Splits a text into what is before its first number, the number without leading zeros, and the rest.
fn split(text: &str) -> (&str, &str, &str) {
    let start = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let end = text[start..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |end| start + end);
    (&text[..start], text[start..end].trim_start_matches('0'), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_numbers() {
        let mut all = ["t?p=10", "t?p=9", "t", "t?p=9&a", "t0", "s10/2", "t?p=09", "s9/10"];
        all.sort_by(|one, other| natural(one, other));
        assert_eq!(all, ["s9/10", "s10/2", "t", "t0", "t?p=09", "t?p=9", "t?p=9&a", "t?p=10"]);
        assert_ne!(natural("t/01", "t/1"), Ordering::Equal);
    }
}
