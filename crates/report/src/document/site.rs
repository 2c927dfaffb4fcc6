//! The kinds of pages that a site has: by the site model where there is one, with what the page log counts of each.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::groups::{Example, Group};
use super::log::LogFigures;
use harvestman_core::model::ClusterId;
use harvestman_policy::learned::{ClusterFacts, Facts, KindFacts};
use harvestman_structure::site::Standing;

/// Kinds of pages that a report names.
const KINDS_TOLD: usize = 40;
/// Pages of a cluster that are shown, and pages of all whose titles are looked for.
const EXAMPLES: usize = 3;
const SHOWN_MAX: usize = 20_000;
/// Places that links of a kind lead to, and patterns of its links.
const LINKS_TOLD: usize = 4;

/// How a cluster is called.
pub fn name(cluster: ClusterId) -> String {
    match cluster {
        ClusterId::UNKNOWN => "not clustered".to_owned(),
        ClusterId(1) => "outliers".to_owned(),
        ClusterId(number) => format!("cluster {number}"),
    }
}

/// Whether links to a kind are followed, in words.
pub fn standing(standing: Standing) -> String {
    match standing {
        Standing::Kept => "followed".to_owned(),
        Standing::Bridge(why) => format!("followed where others are reached by it alone ({})", why.name()),
        Standing::Pruned(why) => format!("refused ({})", why.name()),
    }
}

/// A kind of pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Kind {
    /// How it is called.
    pub name: String,
    /// Its number in pages.jsonl.
    pub cluster: u32,
    /// Pages that the log puts into it, by what was known when each was fetched.
    pub pages: u64,
    /// Pages that the model puts into it, of those that it was learnt from.
    pub learnt: Option<u64>,
    /// Bytes of them.
    pub bytes: u64,
    /// What a page of it was worth to the policy on average, 0 to 1.
    pub worth: Option<f64>,
    /// The mean score of their link classes when it was their turn.
    pub score: Option<f64>,
    /// The commonest shape of their titles, or the pattern of their URLs.
    pub like: Option<String>,
    /// Whether links to it are followed, where a policy refuses some.
    pub standing: Option<String>,
    /// Where its links led when they were followed, with how many fetches.
    pub leads_to: Vec<(String, Option<u64>)>,
    /// The commonest patterns of its new links, with their share.
    pub links: Vec<(String, f64)>,
    /// Pages of it.
    pub examples: Vec<Example>,
}

/// What is known of a site's kinds of pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Site {
    /// Where that stands: `site-model.json.gz`, `policy.jsonl`, `pages.jsonl`; none where no policy told pages apart.
    pub source: Option<&'static str>,
    /// Pages that it was learnt from.
    pub learnt_from: Option<u64>,
    /// Kinds, those with most pages first.
    pub kinds: Vec<Kind>,
    /// Kinds beyond these, and their pages.
    pub more: (u64, u64),
}

/// The pages that the model shows; their titles are in the page log.
pub fn shown(facts: &Facts) -> BTreeSet<String> {
    let of_clusters = facts.clusters.iter().flat_map(|cluster| cluster.examples.iter().take(EXAMPLES));
    of_clusters.chain(facts.kinds.iter().flat_map(|kind| &kind.example)).take(SHOWN_MAX).cloned().collect()
}

/// What a page of each cluster is worth, by the model.
pub fn worths(facts: &Facts) -> BTreeMap<u32, f64> {
    facts
        .clusters
        .iter()
        .map(|cluster| (cluster.cluster.0, cluster.worth))
        .filter(|(_, worth)| worth.is_finite())
        .collect()
}

/// Brings together what the model knows and what the log counts. `lesson` is what the policy's log said last of its clusters.
pub fn site(facts: Option<&Facts>, lesson: Option<&Value>, log: &LogFigures) -> Site {
    let counted = &log.groups.clusters;
    let mut kinds: BTreeMap<u32, Kind> = BTreeMap::new();
    let learnt = facts.filter(|facts| !facts.clusters.is_empty() || !facts.kinds.is_empty());
    for cluster in learnt.iter().flat_map(|facts| &facts.clusters) {
        kinds.insert(cluster.cluster.0, of_cluster(cluster));
    }
    for kind in learnt.iter().flat_map(|facts| &facts.kinds) {
        kinds.insert(kind.kind.0, of_kind(kind));
    }
    let told_apart = counted.keys().any(|cluster| *cluster != 0);
    let source = match (learnt, lesson) {
        (Some(_), _) => Some("site-model.json.gz"),
        (None, Some(_)) if told_apart => Some("policy.jsonl"),
        _ if told_apart => Some("pages.jsonl"),
        _ => None,
    };
    if source.is_some() {
        counted.iter().for_each(|(cluster, group)| count(kinds.entry(*cluster).or_default(), *cluster, group));
    }
    let mut kinds: Vec<Kind> = kinds.into_values().collect();
    for page in kinds.iter_mut().flat_map(|kind| &mut kind.examples).filter(|page| page.title.is_none()) {
        page.title = log.titles.get(&page.url).cloned();
    }
    let size = |kind: &Kind| (kind.learnt.unwrap_or(0), kind.pages);
    kinds.sort_by_key(|kind| (std::cmp::Reverse(size(kind)), kind.cluster));
    let rest = kinds.split_off(KINDS_TOLD.min(kinds.len()));
    let more = (rest.len() as u64, rest.iter().map(|kind| kind.pages).sum());
    Site { source, learnt_from: learnt.map(|facts| facts.pages), kinds, more }
}

fn count(kind: &mut Kind, cluster: u32, group: &Group) {
    if kind.name.is_empty() {
        (kind.name, kind.cluster) = (name(ClusterId(cluster)), cluster);
    }
    (kind.pages, kind.bytes, kind.score) = (group.pages, group.bytes, group.score);
    // Those of the model are what it takes for its pages now; the log's were put there by what was known then.
    if kind.examples.is_empty() {
        kind.examples.clone_from(&group.examples);
    }
}

fn of_cluster(facts: &ClusterFacts) -> Kind {
    let mut leads: BTreeMap<Option<ClusterId>, u64> = BTreeMap::new();
    for destination in facts.classes.iter().flat_map(|class| &class.leads_to) {
        *leads.entry(destination.cluster).or_default() += destination.fetches;
    }
    let mut leads: Vec<(Option<ClusterId>, u64)> = leads.into_iter().collect();
    leads.sort_by_key(|(_, fetches)| std::cmp::Reverse(*fetches));
    let called = |cluster: Option<ClusterId>| cluster.map_or_else(|| "no page".to_owned(), name);
    let examples = facts.examples.iter().take(EXAMPLES).map(|url| Example { url: url.clone(), title: None });
    Kind {
        name: name(facts.cluster),
        cluster: facts.cluster.0,
        learnt: Some(facts.pages),
        worth: Some(facts.worth).filter(|worth| worth.is_finite()),
        like: facts.title.clone().filter(|title| title != "*"),
        leads_to: leads.into_iter().take(LINKS_TOLD).map(|(to, fetches)| (called(to), Some(fetches))).collect(),
        links: facts.classes.iter().take(LINKS_TOLD).map(|class| (class.pattern.clone(), class.share)).collect(),
        examples: examples.collect(),
        ..Kind::default()
    }
}

fn of_kind(facts: &KindFacts) -> Kind {
    let to = facts.leads_to.iter().take(LINKS_TOLD).map(|to| (format!("kind {}", to.0), None));
    let example = facts.example.iter().map(|url| Example { url: url.clone(), title: None });
    Kind {
        name: format!("kind {}", facts.kind.0),
        cluster: facts.kind.0,
        like: facts.pattern.clone(),
        standing: Some(standing(facts.standing)),
        leads_to: to.collect(),
        examples: example.collect(),
        ..Kind::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::groups::GroupFigures;
    use super::*;
    use harvestman_core::model::Apath;
    use harvestman_policy::learned::{Destination, LinkFacts};

    fn facts() -> Facts {
        let to = |cluster, fetches| Destination { cluster: Some(ClusterId(cluster)), fetches };
        let class = |leads_to| LinkFacts {
            apath: Apath(1),
            apath_text: None,
            pattern: "/t/N".to_owned(),
            share: 0.5,
            leads_to,
        };
        let classes = vec![class(vec![to(2, 3), to(3, 4)]), class(vec![to(2, 5)])];
        let cluster = ClusterFacts {
            cluster: ClusterId(2),
            pages: 8,
            worth: 0.75,
            examples: vec!["http://h.test/t/1".to_owned()],
            title: Some("Thread N".to_owned()),
            links: 4,
            classes,
        };
        Facts { pages: 8, clusters: vec![cluster], ..Facts::default() }
    }

    fn log(clusters: BTreeMap<u32, Group>) -> LogFigures {
        let groups = GroupFigures { clusters, ..GroupFigures::default() };
        let titles = [("http://h.test/t/1".to_owned(), "One".to_owned())].into();
        LogFigures { groups, titles, ..LogFigures::default() }
    }

    #[test]
    fn the_model_and_the_log_are_brought_together() {
        let counted = [(0, 3), (2, 40), (9, 50)].map(|(cluster, pages)| (cluster, Group { pages, ..Group::default() }));
        let site = site(Some(&facts()), None, &log(counted.into()));
        assert_eq!(site.source, Some("site-model.json.gz"));
        let told = |kind: &Kind| (kind.name.clone(), kind.learnt, kind.pages, kind.worth);
        let told: Vec<_> = site.kinds.iter().map(told).collect();
        let expected = [
            ("cluster 2".to_owned(), Some(8), 40, Some(0.75)),
            ("cluster 9".to_owned(), None, 50, None),
            ("not clustered".to_owned(), None, 3, None),
        ];
        assert_eq!(told, expected);
        let leads = &site.kinds[0].leads_to;
        assert_eq!(leads, &[("cluster 2".to_owned(), Some(8)), ("cluster 3".to_owned(), Some(4))]);
        let example = Example { url: "http://h.test/t/1".to_owned(), title: Some("One".to_owned()) };
        assert_eq!(site.kinds[0].examples, [example]);
        assert_eq!(worths(&facts()), [(2, 0.75)].into());
        assert_eq!(shown(&facts()), ["http://h.test/t/1".to_owned()].into());
    }

    #[test]
    fn a_crawl_that_told_no_pages_apart_has_no_kinds() {
        let counted = [(0, Group { pages: 5, ..Group::default() })].into();
        assert_eq!(site(None, None, &log(counted)), Site::default());
        let many = (2..90).map(|cluster| (cluster, Group { pages: 1, ..Group::default() })).collect();
        let site = site(None, None, &log(many));
        assert_eq!((site.source, site.kinds.len(), site.more), (Some("pages.jsonl"), 40, (48, 48)));
    }
}
