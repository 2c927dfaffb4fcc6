//! Links from the page of a post to that of the post that it answers.
//!
//! Links of one kind are at one place of the template behind one label. Those to what posts answer lead to earlier
//! posts of the same thread, and several replies have one target: that is not so of links to the post before.

use std::collections::{BTreeMap, HashMap, HashSet};

use url::Url;

use super::super::outline::{KindOfLink, LinkKind, address_key, kinds_of_links};
use crate::outline::Outline;
use crate::tree::Tree;

/// Minimum number of links whose targets are known.
const KNOWN_MIN: u32 = 5;
/// Minimum share of these that lead to earlier posts, and to posts of the same title.
const EARLIER_MIN: f64 = 0.95;
const TITLE_MIN: f64 = 0.9;
/// Minimum share of links that lead where another one of their kind leads.
const SHARED_MIN: f64 = 0.05;

/// The kind of links of a site that lead to what a post answers.
#[derive(Debug, Clone, Default)]
pub struct ParentLinks {
    kind: Option<LinkKind>,
}

/// What the links of one kind lead to.
#[derive(Debug, Clone, Default)]
struct Targets {
    links: u32,
    all: HashSet<u64>,
    /// Links to known pages, and those of them that lead to earlier posts, to the same title, and to pages with such a
    /// link.
    known: u32,
    earlier: u32,
    titled: u32,
    linking: u32,
}

impl ParentLinks {
    /// Learns from the pages of a site.
    pub fn learn(pages: &[Outline]) -> Self {
        let by_address: HashMap<u64, &Outline> =
            pages.iter().map(|page| (address_key(&page.address.url), page)).collect();
        let mut kinds: BTreeMap<LinkKind, Targets> = BTreeMap::new();
        for page in pages {
            for (kind, target) in first_of_each(page) {
                let targets = kinds.entry(kind).or_default();
                targets.links += 1;
                targets.all.insert(target);
                if let Some(other) = by_address.get(&target) {
                    targets.count(page, other, kind);
                }
            }
        }
        let good = kinds.into_iter().filter(|(kind, of)| of.are_parents(*kind));
        // Those to the first post of the thread lead to pages without such a link.
        let best = good.max_by(|(one, of_one), (other, of_other)| {
            let by_label = one.names_parent().cmp(&other.names_parent());
            by_label.then(of_one.depth().total_cmp(&of_other.depth())).then(of_one.links.cmp(&of_other.links))
        });
        Self { kind: best.map(|(kind, _)| kind) }
    }

    /// Returns the address of what the only post of a page answers.
    pub fn parent(&self, tree: &Tree, page: &Url) -> Option<Url> {
        let links: Vec<KindOfLink> = kinds_of_links(tree, page).collect();
        let learned = links.iter().find(|link| Some(link.kind) == self.kind);
        let labelled = || links.iter().find(|link| link.kind.names_parent() && has_form(page, &link.url));
        learned.or_else(labelled).map(|link| link.url.clone())
    }
}

impl Targets {
    fn count(&mut self, page: &Outline, other: &Outline, kind: LinkKind) {
        let date = |(place, minute): &(u64, i64)| {
            let (_, of_other) = other.dates.iter().find(|(of_other, _)| of_other == place)?;
            Some((*minute, *of_other))
        };
        let Some((own, of_other)) = page.dates.iter().find_map(date) else { return };
        let mut titles = page.address.titles.iter().filter(|title| title.key != 0);
        let has_title = titles.any(|title| other.address.titles.iter().any(|of_other| of_other.key == title.key));
        self.known += 1;
        self.earlier += u32::from(of_other <= own);
        self.titled += u32::from(has_title);
        self.linking += u32::from(other.links.iter().any(|(of_other, _)| *of_other == kind));
    }

    fn are_parents(&self, kind: LinkKind) -> bool {
        let known = f64::from(self.known);
        let is_shared = self.all.len() as f64 <= (1.0 - SHARED_MIN) * f64::from(self.links);
        self.known >= KNOWN_MIN
            && f64::from(self.earlier) >= EARLIER_MIN * known
            && (kind.names_parent() || (is_shared && f64::from(self.titled) >= TITLE_MIN * known))
    }

    fn depth(&self) -> f64 {
        f64::from(self.linking) / f64::from(self.known.max(1))
    }
}

/// Returns the links of a page, of each kind the first.
fn first_of_each(page: &Outline) -> BTreeMap<LinkKind, u64> {
    let mut first = BTreeMap::new();
    for (kind, target) in &page.links {
        first.entry(*kind).or_insert(*target);
    }
    first
}

/// Returns whether two addresses differ in the last segment of their paths only.
fn has_form(one: &Url, other: &Url) -> bool {
    let parts = |url: &Url| {
        let path = url.path().trim_end_matches('/').to_owned();
        path.rsplit_once('/').map(|(before, _)| before.to_owned())
    };
    one.path() != other.path() && parts(one) == parts(other)
}

#[cfg(test)]
#[path = "parent_links_tests.rs"]
mod tests;
