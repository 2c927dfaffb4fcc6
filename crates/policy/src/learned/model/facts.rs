//! The facts of a model for display: the clusters of a site, what their pages have in common, and where their links
//! lead.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::super::log::{Entry, Log};
use harvestman_core::model::{Apath, ClusterId, LinkClass, ParsedPage, PatternId};
use harvestman_structure::site::UrlPatterns;

/// Maximum number of hosts that are listed.
const HOSTS_MAX: usize = 100;
/// Number of example URLs of a cluster.
const EXAMPLES: usize = 3;
/// Maximum number of link classes of a cluster that are listed, those with most links first.
const LINKS_MAX: usize = 20;
/// A word in at least this share of the titles is part of their shape.
const COMMON_SHARE: f64 = 0.5;
/// Maximum number of words of a shape.
const WORDS_MAX: usize = 20;

/// What is known of a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct Facts {
    /// Schemes and hosts, those with most pages first.
    pub hosts: Vec<String>,
    /// The number of pages that were learned from.
    pub pages: u64,
    /// Clusters, by number. Number 1 contains the outliers: pages whose template has few instances; number 0, if
    /// present, contains pages fetched before there were templates.
    pub clusters: Vec<ClusterFacts>,
}

/// What is known of a cluster. It counts the remembered pages, which are the latest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterFacts {
    /// Its number.
    pub cluster: ClusterId,
    /// The number of its pages.
    pub pages: u64,
    /// The average worth of a page to the crawl, from 0 to 1.
    pub worth: f64,
    /// Its first pages.
    pub examples: Vec<String>,
    /// The most frequent shape of its titles.
    pub title: Option<String>,
    /// The number of new links on its pages.
    pub links: u64,
    /// Its link classes, those with most links first.
    pub classes: Vec<LinkFacts>,
}

/// What is known of a link class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkFacts {
    /// The place of its links.
    pub apath: Apath,
    /// The place spelt out, where that is known.
    pub apath_text: Option<String>,
    /// The pattern of its URLs, spelt out.
    pub pattern: String,
    /// Its share of the new links on the cluster's pages.
    pub share: f64,
    /// The targets of the followed links, the most frequent first.
    pub leads_to: Vec<Destination>,
    /// Whether such links are rejected.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

/// A target of a class's links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// The cluster; `None` for documents that are no page.
    pub cluster: Option<ClusterId>,
    /// The number of fetches.
    pub fetches: u64,
}

impl ClusterFacts {
    /// Adds those of the cluster of another model that has the same number.
    fn add(&mut self, other: Self) {
        let pages = self.pages + other.pages;
        let sum = self.worth * self.pages as f64 + other.worth * other.pages as f64;
        self.worth = if pages > 0 { sum / pages as f64 } else { 0.0 };
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
        let (links, all) = (self.links + other.links, (self.links + other.links).max(1) as f64);
        self.classes.iter_mut().for_each(|class| class.share *= self.links as f64 / all);
        self.classes.extend(other.classes.into_iter().map(|class| {
            let share = class.share * other.links as f64 / all;
            LinkFacts { share, ..class }
        }));
        self.classes.sort_by(|one, other| other.share.total_cmp(&one.share));
        self.classes.truncate(LINKS_MAX);
        (self.pages, self.links) = (pages, links);
    }
}

/// A link class for display: the coarser pattern suffices.
type Key = (ClusterId, Apath, PatternId);

const fn key(class: LinkClass) -> Key {
    (class.cluster, class.apath, class.pattern.coarse)
}

#[derive(Default)]
struct TemplateFit<'a> {
    pages: u64,
    worth: f64,
    examples: Vec<String>,
    titles: Vec<&'a str>,
}

#[derive(Default)]
struct Class {
    links: u64,
    pattern: String,
    refused: bool,
    leads_to: BTreeMap<Option<ClusterId>, u64>,
}

impl Facts {
    /// Adds those of other sites, whose clusters have other numbers but for the first two, which are added up.
    pub(crate) fn add(&mut self, other: Self) {
        self.hosts.extend(other.hosts);
        self.hosts.truncate(HOSTS_MAX);
        self.pages += other.pages;
        for cluster in other.clusters {
            match self.clusters.iter_mut().find(|known| known.cluster == cluster.cluster) {
                Some(known) => known.add(cluster),
                None => self.clusters.push(cluster),
            }
        }
        self.clusters.sort_by_key(|cluster| cluster.cluster);
    }

    /// The facts of a crawl by its log. `sample` contains the pages whose positions entries of the log refer to;
    /// `refuses` says whether links of a class are rejected.
    pub(in super::super) fn of(
        log: &Log,
        pages: usize,
        patterns: &UrlPatterns,
        sample: &[ParsedPage],
        refuses: impl Fn(LinkClass) -> bool,
    ) -> Self {
        let mut clusters: BTreeMap<ClusterId, TemplateFit<'_>> = BTreeMap::new();
        let mut classes: BTreeMap<Key, Class> = BTreeMap::new();
        let mut hosts: BTreeMap<&str, u64> = BTreeMap::new();
        for entry in log.iter() {
            *hosts.entry(entry.url.origin()).or_default() += 1;
            count_page(&mut clusters, entry, sample);
            count_links(&mut classes, entry, patterns, &refuses);
        }
        let spelt = spelt(sample);
        let described = |(cluster, seen): (ClusterId, TemplateFit<'_>)| {
            let of_cluster =
                classes.range((cluster, Apath(0), PatternId(0))..=(cluster, Apath(u64::MAX), PatternId(u64::MAX)));
            cluster_facts(cluster, seen, of_cluster.collect(), &spelt)
        };
        let clusters = clusters.into_iter().map(described).collect();
        Self { hosts: by_count(hosts), pages: pages as u64, clusters }
    }
}

fn count_page<'a>(clusters: &mut BTreeMap<ClusterId, TemplateFit<'a>>, entry: &Entry, sample: &'a [ParsedPage]) {
    let Some(page) = entry.page else { return };
    let cluster = clusters.entry(page.cluster).or_default();
    cluster.pages += 1;
    cluster.worth += entry.worth.value;
    if cluster.examples.len() < EXAMPLES {
        cluster.examples.push(entry.url.to_string());
    }
    let read = page.sample.and_then(|at| sample.get(at as usize));
    cluster.titles.extend(read.and_then(|page| page.title.as_deref()));
}

fn count_links(
    classes: &mut BTreeMap<Key, Class>,
    entry: &Entry,
    patterns: &UrlPatterns,
    refuses: impl Fn(LinkClass) -> bool,
) {
    let new = |class: LinkClass| Class { refused: refuses(class), ..Class::default() };
    for link in &entry.new {
        let class = classes.entry(key(link.class)).or_insert_with(|| new(link.class));
        class.links += 1;
        if class.pattern.is_empty() {
            class.pattern = patterns.spell(link.url.as_str());
        }
    }
    let fetched = classes.entry(key(entry.class)).or_insert_with(|| new(entry.class));
    *fetched.leads_to.entry(entry.page.map(|page| page.cluster)).or_default() += 1;
    if fetched.pattern.is_empty() {
        fetched.pattern = patterns.spell(entry.url.as_str());
    }
}

/// The places that the parser spelt out.
fn spelt(sample: &[ParsedPage]) -> BTreeMap<Apath, &str> {
    let groups = sample.iter().flat_map(|page| &page.groups);
    groups.filter_map(|group| Some((group.apath, group.apath_text.as_deref()?))).collect()
}

fn by_count(hosts: BTreeMap<&str, u64>) -> Vec<String> {
    let mut hosts: Vec<(&str, u64)> = hosts.into_iter().collect();
    hosts.sort_by_key(|(host, pages)| (std::cmp::Reverse(*pages), *host));
    hosts.into_iter().take(HOSTS_MAX).map(|(host, _)| host.to_owned()).collect()
}

fn cluster_facts(
    cluster: ClusterId,
    seen: TemplateFit<'_>,
    mut classes: Vec<(&Key, &Class)>,
    spelt: &BTreeMap<Apath, &str>,
) -> ClusterFacts {
    classes.sort_by_key(|(key, class)| (std::cmp::Reverse(class.links), **key));
    let links: u64 = classes.iter().map(|(_, class)| class.links).sum();
    let described = |((_, apath, _), class): (&Key, &Class)| LinkFacts {
        apath: *apath,
        apath_text: spelt.get(apath).map(|text| (*text).to_owned()),
        pattern: class.pattern.clone(),
        share: class.links as f64 / links.max(1) as f64,
        leads_to: destinations(&class.leads_to),
        refused: class.refused,
    };
    ClusterFacts {
        cluster,
        pages: seen.pages,
        worth: seen.worth / seen.pages.max(1) as f64,
        examples: seen.examples,
        title: commonest_shape(&seen.titles),
        links,
        classes: classes.into_iter().take(LINKS_MAX).map(described).collect(),
    }
}

fn destinations(leads_to: &BTreeMap<Option<ClusterId>, u64>) -> Vec<Destination> {
    let mut all: Vec<Destination> =
        leads_to.iter().map(|(cluster, fetches)| Destination { cluster: *cluster, fetches: *fetches }).collect();
    all.sort_by_key(|destination| (std::cmp::Reverse(destination.fetches), destination.cluster));
    all
}

/// The most frequent shape of `titles`, of equally frequent ones the first by the alphabet: words that most of them
/// share stay, numbers become `N`, and sequences of other words `*`. `None` where there is no title.
fn commonest_shape(titles: &[&str]) -> Option<String> {
    let mut with: BTreeMap<&str, usize> = BTreeMap::new();
    for title in titles {
        let words: BTreeSet<&str> = title.split_whitespace().collect();
        words.into_iter().for_each(|word| *with.entry(word).or_default() += 1);
    }
    let is_common = |word: &str| {
        let count = with.get(word).copied().unwrap_or(0);
        count > 1 && count as f64 >= COMMON_SHARE * titles.len() as f64
    };
    let mut shapes: BTreeMap<String, usize> = BTreeMap::new();
    titles.iter().for_each(|title| *shapes.entry(shape(title, is_common)).or_default() += 1);
    let most = shapes.values().copied().max()?;
    shapes.into_iter().find(|(_, count)| *count == most).map(|(shape, _)| shape)
}

fn shape(title: &str, is_common: impl Fn(&str) -> bool) -> String {
    let masked = |word| match word {
        word if is_common(word) => word,
        word if word.chars().all(|c| c.is_ascii_digit()) => "N",
        _ => "*",
    };
    let mut words: Vec<&str> = title.split_whitespace().map(masked).collect();
    words.dedup_by(|next, before| *next == "*" && *before == "*");
    words.truncate(WORDS_MAX);
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_titles_share_stays_and_what_varies_is_a_star() {
        let titles =
            ["How to boil rice - Page 2 - Kitchen", "Soup - Page 1 - Kitchen", "Bread and salt - Page 14 - Kitchen"];
        assert_eq!(commonest_shape(&titles).as_deref(), Some("* - Page N - Kitchen"));
    }

    #[test]
    fn the_most_frequent_shape_is_returned() {
        assert_eq!(commonest_shape(&["Log in", "Log in", "Error 404"]).as_deref(), Some("Log in"));
        assert_eq!(commonest_shape(&["Only one"]).as_deref(), Some("*"));
        assert_eq!((commonest_shape(&[]), commonest_shape(&[""]).as_deref()), (None, Some("")));
    }
}
