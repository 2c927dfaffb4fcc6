//! Addresses that extend others: where every page at `/member/N/` links to `/member/N/posts/`, the second address is
//! known as soon as the first one is, without fetching it.
//!
//! For each URL pattern the fetched pages are counted, and the suffixes that their links add to their own address. A
//! suffix that nearly all of them have becomes a rule. A rule whose addresses turn out to be worthless has no further
//! effect: its proposals wait in a class of their own ([`Apath::DERIVED`](harvestman_core::model::Apath::DERIVED)) and
//! are judged like any other.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use crate::NewLink;
use harvestman_core::model::PatternId;

/// Number of pages of a pattern that must have been seen before a suffix becomes a rule, and the share of them that
/// must have it.
pub const PAGES_MIN: u32 = 6;
const SHARE_MIN: f64 = 0.9;
/// Maximum length of a suffix, and maximum number of suffixes that are counted per pattern.
const SUFFIX_MAX: usize = 32;
const SUFFIXES_MAX: usize = 32;
/// Maximum number of patterns that are counted.
const PATTERNS_MAX: usize = 1_024;

#[derive(Debug, Clone, Default)]
struct Counted {
    pages: u32,
    suffixes: BTreeMap<Box<str>, u32>,
    rules: Vec<Box<str>>,
}

/// The suffixes of a site's addresses.
#[derive(Debug, Clone, Default)]
pub struct Extensions {
    patterns: HashMap<PatternId, Counted, FixedState>,
}

impl Extensions {
    /// Counts a page of pattern `pattern` at `url`, with its new links. Returns the suffixes that became rules.
    pub fn see(&mut self, pattern: PatternId, url: &str, new: &[NewLink]) -> Vec<Box<str>> {
        if self.patterns.len() >= PATTERNS_MAX && !self.patterns.contains_key(&pattern) {
            return Vec::new();
        }
        let counted = self.patterns.entry(pattern).or_default();
        if !counted.rules.is_empty() {
            // The proposals of a rule are no longer new on the pages that have them: counting these pages would revoke
            // the rule.
            return Vec::new();
        }
        counted.pages += 1;
        for suffix in new.iter().filter_map(|link| suffix(url, link.url.as_str())) {
            if counted.suffixes.len() < SUFFIXES_MAX || counted.suffixes.contains_key(suffix) {
                *counted.suffixes.entry(suffix.into()).or_default() += 1;
            }
        }
        if counted.pages < PAGES_MIN {
            return Vec::new();
        }
        let enough = SHARE_MIN * f64::from(counted.pages);
        let rules = counted.suffixes.iter().filter(|(_, pages)| f64::from(**pages) >= enough);
        counted.rules = rules.map(|(suffix, _)| suffix.clone()).collect();
        counted.rules.clone()
    }

    /// The rules for addresses of `pattern`.
    pub fn rules(&self, pattern: PatternId) -> &[Box<str>] {
        self.patterns.get(&pattern).map_or(&[], |counted| &counted.rules)
    }

    /// Forgets everything: patterns have changed their meaning.
    pub fn clear(&mut self) {
        self.patterns.clear();
    }
}

/// The suffix that `link` adds to `url`: at the end of the path, or a query to an address without one.
pub fn suffix<'l>(url: &str, link: &'l str) -> Option<&'l str> {
    let added = link.strip_prefix(url).filter(|added| !added.is_empty() && added.len() <= SUFFIX_MAX)?;
    let whole = url.ends_with('/') || added.starts_with(['/', '?']);
    (whole && !url.contains('?')).then_some(added)
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{Apath, LinkClass};
    use harvestman_core::url::CanonicalUrl;

    fn link(url: &str) -> NewLink {
        NewLink::new(LinkClass::unclassified(Apath(9)), CanonicalUrl::from_canonical(url.to_owned()))
    }

    #[test]
    fn what_every_page_adds_to_its_address_becomes_a_rule() {
        let mut extensions = Extensions::default();
        let member = PatternId(1);
        for i in 0..PAGES_MIN {
            let url = format!("http://f/member/{i}/");
            let mut new = vec![link(&format!("{url}posts/")), link("http://f/other/")];
            if i % 2 == 0 {
                new.push(link(&format!("{url}?page=2")));
            }
            let rules = extensions.see(member, &url, &new);
            assert_eq!(rules.is_empty(), i + 1 < PAGES_MIN);
        }
        assert_eq!(extensions.rules(member), ["posts/".into()]);
        assert!(extensions.rules(PatternId(2)).is_empty());
        // A page whose extension was proposed before, and is no longer new, changes nothing.
        extensions.see(member, "http://f/member/99/", &[]);
        assert_eq!(extensions.rules(member).len(), 1);
    }

    #[test]
    fn only_whole_segments_and_queries_extend_an_address() {
        assert_eq!(suffix("http://f/a/", "http://f/a/b/"), Some("b/"));
        assert_eq!(suffix("http://f/a", "http://f/a/b"), Some("/b"));
        assert_eq!(suffix("http://f/a", "http://f/a?tab=b"), Some("?tab=b"));
        assert_eq!(suffix("http://f/a", "http://f/ab"), None);
        assert_eq!(suffix("http://f/a?b=1", "http://f/a?b=1&c=2"), None);
        assert_eq!(suffix("http://f/a/", "http://f/a/"), None);
    }
}
