//! The page types of a site: by cluster if the policy clustered the pages, and by place.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::document::bounded::cut;
use crate::document::groups::{Example, GroupFigures, PageGroup};
use crate::document::log::LogFigures;
use crate::figures;
use crate::plot::{Chart, Length};
use crate::render::block::{Block, Cell, Table};
use harvestman_core::model::ClusterId;
use harvestman_policy::learned::{ClusterFacts, Facts, LinkFacts};

/// The number of page types that are shown.
const TYPES_SHOWN: usize = 40;
/// The number of example pages of a cluster, and of pages of all clusters whose titles are looked up.
const EXAMPLES_MAX: usize = 3;
const TITLED_MAX: usize = 20_000;
/// The number of link targets of a page type, and of URL patterns of its links.
const LINKS_SHOWN: usize = 4;

/// Returns the name of a cluster.
pub fn name(cluster: ClusterId) -> String {
    match cluster {
        ClusterId::UNKNOWN => "not clustered".to_owned(),
        ClusterId(1) => "outliers".to_owned(),
        ClusterId(number) => format!("cluster {number}"),
    }
}

/// A page type: a cluster of pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageType {
    /// Its name.
    pub name: String,
    /// Its number in pages.jsonl.
    pub cluster: u32,
    /// Pages of it in the log, by the snapshot with which each was parsed.
    pub pages: u64,
    /// Pages of it among those that the model was learned from.
    #[serde(rename = "learnt")]
    pub learned: Option<u64>,
    /// Bytes of its pages.
    pub bytes: u64,
    /// The mean worth of its pages to the policy, 0 to 1.
    pub worth: Option<f64>,
    /// The mean score of their link classes when they were scheduled.
    pub score: Option<f64>,
    /// The most frequent title pattern, or the URL pattern.
    pub like: Option<String>,
    /// Where its links led, with the number of fetches if known.
    pub leads_to: Vec<(String, Option<u64>)>,
    /// The most frequent URL patterns of its new links, with their share; patterns whose links are refused say so.
    pub links: Vec<(String, f64)>,
    /// Example pages.
    pub examples: Vec<Example>,
}

/// The page types of a site.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Site {
    /// The file they come from: `site-model.json.gz`, `policy.jsonl` or `pages.jsonl`; `None` if no policy clustered
    /// the pages.
    pub source: Option<&'static str>,
    /// The number of pages that the model was learned from.
    #[serde(rename = "learnt_from")]
    pub learned_from: Option<u64>,
    /// The page types, the largest first.
    #[serde(rename = "kinds")]
    pub types: Vec<PageType>,
    /// The number of further page types, and of their pages.
    pub more: (u64, u64),
}

/// Returns the example pages of a model; the page log has their titles.
pub fn examples(facts: &Facts) -> BTreeSet<String> {
    let of_clusters = facts.clusters.iter().flat_map(|cluster| cluster.examples.iter().take(EXAMPLES_MAX));
    of_clusters.take(TITLED_MAX).cloned().collect()
}

/// Returns the worth of a page of each cluster, by the model.
pub fn worths(facts: &Facts) -> BTreeMap<u32, f64> {
    let worths = facts.clusters.iter().map(|cluster| (cluster.cluster.0, cluster.worth));
    worths.filter(|(_, worth)| worth.is_finite()).collect()
}

/// Joins the facts of the model with the counts of the log. `has_logged_clusters` is whether the policy log describes
/// clusters.
pub fn site(facts: Option<&Facts>, has_logged_clusters: bool, log: &LogFigures) -> Site {
    let counted = &log.groups.clusters;
    let learned = facts.filter(|facts| !facts.clusters.is_empty());
    let mut types: BTreeMap<u32, PageType> = BTreeMap::new();
    types.extend(learned.iter().flat_map(|facts| &facts.clusters).map(|facts| (facts.cluster.0, of_cluster(facts))));
    let is_clustered = counted.keys().any(|cluster| *cluster != 0);
    let source = match learned {
        Some(_) => Some("site-model.json.gz"),
        None if is_clustered && has_logged_clusters => Some("policy.jsonl"),
        None if is_clustered => Some("pages.jsonl"),
        None => None,
    };
    if source.is_some() {
        counted.iter().for_each(|(cluster, group)| count(types.entry(*cluster).or_default(), *cluster, group));
    }
    let mut types: Vec<PageType> = types.into_values().collect();
    for page in types.iter_mut().flat_map(|page_type| &mut page_type.examples).filter(|page| page.title.is_none()) {
        page.title = log.titles.get(&page.url).cloned();
    }
    let size = |page_type: &PageType| (page_type.learned.unwrap_or(0), page_type.pages);
    types.sort_by_key(|page_type| (std::cmp::Reverse(size(page_type)), page_type.cluster));
    let rest = types.split_off(TYPES_SHOWN.min(types.len()));
    let more = (rest.len() as u64, rest.iter().map(|page_type| page_type.pages).sum());
    Site { source, learned_from: learned.map(|facts| facts.pages), types, more }
}

/// Adds the counts of the log to a page type.
fn count(page_type: &mut PageType, cluster: u32, group: &PageGroup) {
    if page_type.name.is_empty() {
        (page_type.name, page_type.cluster) = (name(ClusterId(cluster)), cluster);
    }
    (page_type.pages, page_type.bytes, page_type.score) = (group.pages, group.bytes, group.score);
    // The examples of the model are by its present clusters, those of the log by the clusters at the time.
    if page_type.examples.is_empty() {
        page_type.examples.clone_from(&group.examples);
    }
}

fn of_cluster(facts: &ClusterFacts) -> PageType {
    let mut leads: BTreeMap<Option<ClusterId>, u64> = BTreeMap::new();
    for destination in facts.classes.iter().flat_map(|class| &class.leads_to) {
        *leads.entry(destination.cluster).or_default() += destination.fetches;
    }
    let mut leads: Vec<(Option<ClusterId>, u64)> = leads.into_iter().collect();
    leads.sort_by_key(|(_, fetches)| std::cmp::Reverse(*fetches));
    let called = |cluster: Option<ClusterId>| cluster.map_or_else(|| "no page".to_owned(), name);
    let examples = facts.examples.iter().take(EXAMPLES_MAX).map(|url| Example { url: url.clone(), title: None });
    PageType {
        name: name(facts.cluster),
        cluster: facts.cluster.0,
        learned: Some(facts.pages),
        worth: Some(facts.worth).filter(|worth| worth.is_finite()),
        like: facts.title.clone().filter(|title| title != "*"),
        leads_to: leads.into_iter().take(LINKS_SHOWN).map(|(to, fetches)| (called(to), Some(fetches))).collect(),
        links: facts.classes.iter().take(LINKS_SHOWN).map(new_link).collect(),
        examples: examples.collect(),
        ..PageType::default()
    }
}

fn new_link(class: &LinkFacts) -> (String, f64) {
    let refused = if class.refused { " (refused)" } else { "" };
    (format!("{}{refused}", class.pattern), class.share)
}

/// Example pages of a cluster.
const EXAMPLES: usize = 2;
/// Bars of the plot.
const BARS: usize = 12;
/// Characters of the name of a bar.
const BAR_NAME_MAX: usize = 44;

pub(super) fn blocks(site: &Site, groups: &GroupFigures) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(source) = site.source {
        blocks.extend(by_cluster(site, source));
    }
    if !groups.places.is_empty() {
        blocks.push(Block::Text(
            "By place: the host and the first segment of the path; digits are written as N.".to_owned(),
        ));
        if site.source.is_none() {
            let bars: Vec<(String, u64)> =
                groups.places.iter().map(|(name, group)| (name.clone(), group.pages)).collect();
            blocks.extend(bar_plot("Pages by place", &bars));
        }
        blocks.push(Block::Table(places(groups)));
    }
    blocks
}

fn by_cluster(site: &Site, source: &str) -> Vec<Block> {
    let mut blocks = vec![Block::Text(method(site, source))];
    let pages = |page_type: &PageType| match site.learned_from {
        Some(_) => page_type.learned.unwrap_or(0),
        None => page_type.pages,
    };
    let bars: Vec<(String, u64)> =
        site.types.iter().map(|page_type| (page_type.name.clone(), pages(page_type))).collect();
    blocks.extend(bar_plot("Pages by cluster", &bars));
    blocks.push(Block::Table(clusters(site)));
    if site.more.0 > 0 {
        let (clusters, pages) = (figures::count(site.more.0), figures::count(site.more.1));
        blocks.push(Block::Text(format!("{clusters} more clusters have {pages} pages.")));
    }
    blocks
}

fn method(site: &Site, source: &str) -> String {
    let learned =
        site.learned_from.map(|pages| format!(", learned from {} pages", figures::count(pages))).unwrap_or_default();
    format!(
        "A cluster is the set of pages made with one template (by {source}{learned}). The page log has each page under the cluster that was \
         assigned when it was fetched. Worth is the mean worth of a page to the policy, from 0 to 1; score is the mean score of the links to \
         such pages when they were scheduled."
    )
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
fn bar_plot(title: &str, bars: &[(String, u64)]) -> Option<Block> {
    let shown = bars.iter().filter(|(_, pages)| *pages > 0).take(BARS);
    let length = |(name, pages): &(String, u64)| Length {
        name: cut(name, BAR_NAME_MAX),
        shown: figures::count(*pages),
        value: *pages as f64,
    };
    let lengths: Vec<Length> = shown.map(length).collect();
    let first = lengths.first()?;
    let said = format!("The largest of {} bars is {} with {} pages.", lengths.len(), first.name, first.shown);
    Some(Block::Plot(Chart::Lengths { title: title.to_owned(), lengths }, said))
}

/// A column of the table of clusters.
struct Column {
    name: &'static str,
    cell: fn(&PageType) -> Cell,
    /// Whether it is shown if it has no value.
    always: bool,
}

const COLUMNS: [Column; 8] = [
    Column { name: "cluster", cell: |page_type| Cell::text(page_type.name.clone()), always: true },
    Column { name: "pages learned from", cell: |page_type| Cell::maybe(page_type.learned, Cell::count), always: false },
    Column { name: "pages in the log", cell: |page_type| Cell::count(page_type.pages), always: true },
    Column { name: "worth", cell: |page_type| Cell::maybe(page_type.worth, Cell::score), always: false },
    Column { name: "score", cell: |page_type| Cell::maybe(page_type.score, Cell::score), always: false },
    Column { name: "links on it led to", cell: leads_to, always: false },
    Column { name: "new links on it", cell: new_links, always: false },
    Column { name: "examples", cell: example_cells, always: true },
];

fn clusters(site: &Site) -> Table {
    let is_empty = |cell: Cell| matches!(&cell, Cell::Empty) || matches!(&cell, Cell::Lines(lines) if lines.is_empty());
    let is_shown = |column: &&Column| column.always || !site.types.iter().map(column.cell).all(is_empty);
    let columns: Vec<&Column> = COLUMNS.iter().filter(is_shown).collect();
    let row = |page_type: &PageType| columns.iter().map(|column| (column.cell)(page_type)).collect();
    Table {
        caption: "Clusters".to_owned(),
        header: columns.iter().map(|column| column.name).collect(),
        rows: site.types.iter().map(row).collect(),
    }
}

fn leads_to(page_type: &PageType) -> Cell {
    let text = |(name, fetches): &(String, Option<u64>)| match fetches {
        Some(fetches) => Cell::text(format!("{name} ({})", figures::count(*fetches))),
        None => Cell::text(name.clone()),
    };
    Cell::Lines(page_type.leads_to.iter().map(text).collect())
}

fn new_links(page_type: &PageType) -> Cell {
    let text = |(pattern, share): &(String, f64)| Cell::Code(format!("{:.0} % {pattern}", share * 100.0));
    Cell::Lines(page_type.links.iter().map(text).collect())
}

fn example_cells(page_type: &PageType) -> Cell {
    let like = page_type.like.iter().map(|like| Cell::Code(like.clone()));
    Cell::Lines(like.chain(page_type.examples.iter().take(EXAMPLES).flat_map(example)).collect())
}

/// The title of a page, if it has one, and its URL.
fn example(page: &Example) -> impl Iterator<Item = Cell> {
    page.title.clone().map(Cell::Text).into_iter().chain([Cell::Url(page.url.clone())])
}

fn places(groups: &GroupFigures) -> Table {
    let others = groups.other_places.iter().map(|group| place("all others", group));
    let rows = groups.places.iter().map(|(name, group)| place(name, group)).chain(others).collect();
    Table { caption: "Pages by place".to_owned(), header: vec!["place", "pages", "received", "example"], rows }
}

fn place(name: &str, group: &PageGroup) -> Vec<Cell> {
    let example = Cell::Lines(group.examples.first().into_iter().flat_map(example).collect());
    vec![Cell::Code(name.to_owned()), Cell::count(group.pages), Cell::bytes(group.bytes), example]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::groups::GroupFigures;
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
            refused: false,
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

    fn log(clusters: BTreeMap<u32, PageGroup>) -> LogFigures {
        let groups = GroupFigures { clusters, ..GroupFigures::default() };
        let titles = [("http://h.test/t/1".to_owned(), "One".to_owned())].into();
        LogFigures { groups, titles, ..LogFigures::default() }
    }

    #[test]
    fn the_model_and_the_log_are_joined() {
        let counted =
            [(0, 3), (2, 40), (9, 50)].map(|(cluster, pages)| (cluster, PageGroup { pages, ..PageGroup::default() }));
        let site = site(Some(&facts()), false, &log(counted.into()));
        assert_eq!(site.source, Some("site-model.json.gz"));
        let row = |page_type: &PageType| (page_type.name.clone(), page_type.learned, page_type.pages, page_type.worth);
        let rows: Vec<_> = site.types.iter().map(row).collect();
        let expected = [
            ("cluster 2".to_owned(), Some(8), 40, Some(0.75)),
            ("cluster 9".to_owned(), None, 50, None),
            ("not clustered".to_owned(), None, 3, None),
        ];
        assert_eq!(rows, expected);
        let leads = &site.types[0].leads_to;
        assert_eq!(leads, &[("cluster 2".to_owned(), Some(8)), ("cluster 3".to_owned(), Some(4))]);
        let example = Example { url: "http://h.test/t/1".to_owned(), title: Some("One".to_owned()) };
        assert_eq!(site.types[0].examples, [example]);
        assert_eq!(worths(&facts()), [(2, 0.75)].into());
        assert_eq!(examples(&facts()), ["http://h.test/t/1".to_owned()].into());
    }

    #[test]
    fn a_crawl_without_clusters_has_no_page_types() {
        let counted = [(0, PageGroup { pages: 5, ..PageGroup::default() })].into();
        assert_eq!(site(None, false, &log(counted)), Site::default());
        let many = (2..90).map(|cluster| (cluster, PageGroup { pages: 1, ..PageGroup::default() })).collect();
        let site = site(None, false, &log(many));
        assert_eq!((site.source, site.types.len(), site.more), (Some("pages.jsonl"), 40, (48, 48)));
    }
}
