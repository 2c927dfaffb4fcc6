//! A site map for crawls whose policy does not distinguish page types: by URL forms. Pure.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use harvestman_report::live::{NODES, NodeKind, SiteEdge, SiteMap, SiteNode};
use harvestman_structure::site::{UrlPatternLearner, UrlPatterns};

/// The number of pages that are remembered: the latest.
const PAGES_MAX: usize = 2_000;
/// The number of URLs that are shown per form.
const EXAMPLES: usize = 3;

/// The latest pages, each with the page that it was discovered on. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct LatestPages(VecDeque<(Arc<str>, Option<Arc<str>>)>);

impl LatestPages {
    /// Adds a page.
    pub(super) fn see(&mut self, url: &str, via: Option<&str>) {
        self.0.push_back((url.into(), via.map(Into::into)));
        if self.0.len() > PAGES_MAX {
            self.0.pop_front();
        }
    }

    /// Returns the map of their forms. Forms are numbered in the order of their names; the numbers are meaningful only
    /// in this map.
    pub(super) fn site_map(&self) -> SiteMap {
        let patterns = self.patterns();
        let (mut forms, mut followed) = (BTreeMap::<String, Form<'_>>::new(), BTreeMap::<(String, String), u64>::new());
        for (url, via) in &self.0 {
            let form = patterns.spell(url);
            if let Some(via) = via {
                *followed.entry((patterns.spell(via), form.clone())).or_default() += 1;
            }
            forms.entry(form).or_default().see(url);
        }
        let numbers: BTreeMap<String, u32> = forms.keys().cloned().zip(0..).collect();
        let mut nodes: Vec<SiteNode> = forms.into_iter().map(|(name, form)| form.node(numbers[&name], name)).collect();
        nodes.sort_by(|a, b| b.pages.cmp(&a.pages).then(a.id.cmp(&b.id)));
        let left_out = nodes.len().saturating_sub(NODES);
        nodes.truncate(NODES);
        let edges = edges(followed, &numbers, &nodes);
        SiteMap { kind: NodeKind::Forms, note: None, nodes, edges, left_out }
    }

    fn patterns(&self) -> UrlPatterns {
        let mut learner = UrlPatternLearner::default();
        self.0.iter().for_each(|(url, _)| learner.see(url));
        learner.patterns()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The pages of one form.
#[derive(Default)]
struct Form<'a> {
    pages: u64,
    examples: Vec<&'a str>,
}

impl<'a> Form<'a> {
    fn see(&mut self, url: &'a str) {
        self.pages += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(url);
        }
    }

    fn node(self, id: u32, name: String) -> SiteNode {
        let examples = self.examples.into_iter().map(str::to_owned).collect();
        SiteNode { id, pages: self.pages, pattern: Some(name), examples, ..SiteNode::default() }
    }
}

/// Returns the edges between the shown forms: where the pages of each form led.
fn edges(
    followed: BTreeMap<(String, String), u64>,
    numbers: &BTreeMap<String, u32>,
    nodes: &[SiteNode],
) -> Vec<SiteEdge> {
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for ((from, _), fetches) in &followed {
        *all.entry(from.clone()).or_default() += fetches;
    }
    let number = |name: &str| numbers.get(name).copied().filter(|id| nodes.iter().any(|node| node.id == *id));
    followed
        .into_iter()
        .filter_map(|((from, to), fetches)| {
            let share = fetches as f64 / all[&from] as f64;
            Some(SiteEdge { from: number(&from)?, to: number(&to)?, fetches, share })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_one_form_are_one_node_and_edges_show_what_led_to_them() {
        let mut pages = LatestPages::default();
        pages.see("http://h.test/", None);
        for number in 0..30 {
            let list = format!("http://h.test/list/{}", number / 3);
            pages.see(&list, Some("http://h.test/"));
            pages.see(&format!("http://h.test/topic/{number}"), Some(&list));
        }
        let map = pages.site_map();
        let nodes: BTreeMap<&str, (u32, u64)> =
            map.nodes.iter().map(|node| (node.pattern.as_deref().unwrap(), (node.id, node.pages))).collect();
        assert_eq!(nodes.len(), 3, "{nodes:?}");
        let (list, topic) = (nodes["/list/N"], nodes["/topic/N"]);
        assert_eq!((list.1, topic.1, map.kind), (30, 30, NodeKind::Forms));
        let edge = map.edges.iter().find(|edge| (edge.from, edge.to) == (list.0, topic.0)).unwrap();
        assert_eq!((edge.fetches, edge.share), (30, 1.0));
        assert!(map.nodes.iter().all(|node| node.examples.len() <= EXAMPLES));
    }

    #[test]
    fn only_the_latest_pages_are_remembered() {
        let mut pages = LatestPages::default();
        (0..3 * PAGES_MAX)
            .for_each(|number| pages.see(&format!("http://h.test/p/{number}"), Some("http://h.test/gone")));
        let map = pages.site_map();
        assert_eq!(map.nodes.iter().map(|node| node.pages).sum::<u64>(), PAGES_MAX as u64);
        assert!(map.edges.is_empty(), "the page that they were found on is not among them");
    }
}
