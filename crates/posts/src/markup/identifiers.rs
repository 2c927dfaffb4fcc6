//! Chooses the identifiers of posts: what tells them apart within their host, not only on their page.

use std::collections::{BTreeMap, HashSet};

use url::Url;

use super::items::Items;
use super::postings::Posting;
use crate::parsed_page::Page;
use crate::tree::{NodeIndex, Tree};

/// Maximum length of an identifier, in bytes.
const BYTES_MAX: usize = 300;
/// What the numbers of posts of a page are multiples of.
const PAGE_STEP: u64 = 5;
/// How many of the first nodes in an element are next to it.
const NEAR_NODES: usize = 4;
/// What attributes name whose identifier is that of something else.
const OTHERS: [&str; 8] = ["user", "author", "member", "parent", "topic", "thread", "forum", "reply"];

/// Kinds of identifiers, the best first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The property `identifier`.
    Property,
    /// The fragment of the address.
    Fragment,
    /// The attribute `id` of the element.
    Element,
    /// Another attribute of the element with an identifier: `data-post-id`.
    Data(String),
    /// The attribute `id` of an element next to it: the one around it, or one of the first in it.
    Near,
    /// The whole address.
    Address,
    /// The address of the page with the attribute `id` as fragment.
    OnPage,
}

/// Returns the identifier of each post. Those of one page differ.
pub(super) fn identifiers(items: &Items<'_>, page: &Page, postings: &[Posting]) -> Vec<Option<String>> {
    let mut kinds: BTreeMap<Kind, Vec<Option<String>>> = BTreeMap::new();
    for (number, posting) in postings.iter().enumerate() {
        for (kind, value) in candidates(items, page, posting) {
            let values = kinds.entry(kind).or_insert_with(|| vec![None; postings.len()]);
            values[number] = Some(value).filter(|value| (1..=BYTES_MAX).contains(&value.len()));
        }
    }
    kinds.retain(|kind, values| {
        let present: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
        are_distinct(&present) && (matches!(kind, Kind::Address | Kind::OnPage) || !are_positions(&present))
    });
    let mut known = HashSet::new();
    let of = |number: usize| kinds.values().find_map(|values| values[number].clone());
    (0..postings.len()).map(|number| of(number).filter(|id| known.insert(id.clone()))).collect()
}

fn candidates(items: &Items<'_>, page: &Page, posting: &Posting) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    let property = items.text(posting.item, &["identifier"]).filter(|id| !id.contains(char::is_whitespace));
    found.extend(property.map(|id| (Kind::Property, id)));
    let address = posting.post.url.as_deref().and_then(|url| Url::parse(url).ok());
    // The address of the page itself tells nothing.
    if let Some(url) = address.filter(|url| url.fragment().is_some() || !is_same_page(url, &page.url)) {
        let fragment = url.fragment().filter(|fragment| has_number(fragment));
        found.extend(fragment.map(|fragment| (Kind::Fragment, fragment.to_owned())));
        found.push((Kind::Address, path_of(&url)));
    }
    let Some(node) = items.item(posting.item).node else { return found };
    if let Some(id) = page.tree.attribute(node, "id").filter(|id| has_number(id)) {
        found.push((Kind::Element, id.to_owned()));
        found.push((Kind::OnPage, format!("{}#{id}", path_of(&page.url).split('#').next().unwrap_or_default())));
    }
    found.extend(data_identifiers(&page.tree, node));
    let mut near = page.tree.inside(node).skip(1).take(NEAR_NODES).chain(page.tree.parent(node));
    let near = near.find_map(|near| page.tree.attribute(near, "id").filter(|id| has_number(id)));
    found.extend(near.map(|id| (Kind::Near, id.to_owned())));
    found
}

fn data_identifiers(tree: &Tree, node: NodeIndex) -> impl Iterator<Item = (Kind, String)> {
    let is_own = |name: &str| {
        name.starts_with("data-") && name.ends_with("id") && !OTHERS.iter().any(|other| name.contains(other))
    };
    let own = tree.attributes(node).filter(move |(name, _)| is_own(name));
    own.map(|(name, value)| (Kind::Data(name.to_owned()), value.trim().to_owned()))
}

/// Whether a name has a number: others name parts of a page.
fn has_number(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_digit())
}

fn is_same_page(one: &Url, other: &Url) -> bool {
    one.path() == other.path() && one.query() == other.query()
}

/// Returns an address without its host.
fn path_of(url: &Url) -> String {
    url[url::Position::BeforePath..].to_owned()
}

fn are_distinct(values: &[&str]) -> bool {
    let mut known = HashSet::new();
    values.iter().all(|value| known.insert(*value))
}

/// Whether values only count the posts of their thread: consecutive numbers from the first of a page on. The number of
/// posts of a page is mostly a multiple of five.
fn are_positions(values: &[&str]) -> bool {
    let number = |value: &&str| -> Option<u64> {
        let digits = value.len() - value.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        value[value.len() - digits..].parse().ok()
    };
    let numbers: Option<Vec<u64>> = values.iter().map(number).collect();
    let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty()) else { return false };
    let is_run = numbers.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(1));
    is_run && (numbers[0] <= 1 || (numbers.len() > 1 && (numbers[0] - 1).is_multiple_of(PAGE_STEP)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_no_identifiers() {
        assert!(
            are_positions(&["post_1", "post_2", "post_3"]) && are_positions(&["21", "22"]) && are_positions(&["c1"])
        );
        assert!(!are_positions(&["post-4712", "post-4713"]) && !are_positions(&["3", "7"]) && !are_positions(&["c7"]));
        assert!(!are_positions(&["a", "b"]) && !are_positions(&[]) && !are_positions(&["99999999999999999999999"]));
    }
}
