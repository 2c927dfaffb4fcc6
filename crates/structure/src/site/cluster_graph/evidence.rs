//! Construction of the graph from pages, with the URLs behind each edge; and reachability: restores edges until the
//! clusters that are kept are reachable from the seeds.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};

use super::graph::{ClusterGraph, GraphEdge, GraphNode, GraphReason, Reach, Standing, Universe};
use super::graph_pages::{Cluster, GraphLink, GraphPage};

/// The graph before pruning, and the further data that pruning needs.
pub(super) struct Evidence<'a> {
    pub(super) graph: ClusterGraph,
    /// For each edge, the URLs of its target cluster that it leads to, numbered within the cluster.
    pub(super) reached: Vec<Box<[u32]>>,
    /// The sampled pages, each URL once.
    pub(super) pages: Vec<&'a GraphPage>,
}

/// The URLs of the clusters.
struct Members {
    /// The cluster of each URL, and its number there.
    places: HashMap<u64, (Cluster, u32)>,
    sizes: Vec<u32>,
}

impl Members {
    fn add(&mut self, url: u64, cluster: Option<Cluster>) {
        let Some((cluster, size)) = cluster.and_then(|cluster| Some((cluster, self.sizes.get_mut(cluster.index())?)))
        else {
            return;
        };
        self.places.entry(url).or_insert_with(|| {
            *size += 1;
            (cluster, *size - 1)
        });
    }

    fn of(pages: &[&GraphPage], clusters: usize, universe: Universe) -> Self {
        let mut members = Self { places: HashMap::new(), sizes: vec![0; clusters] };
        pages.iter().for_each(|page| members.add(page.url, page.cluster));
        if universe == Universe::Seen {
            let links = pages.iter().flat_map(|page| page.leads_to());
            links.for_each(|link: GraphLink| members.add(link.url, link.cluster));
        }
        members
    }
}

/// The data collected for an edge.
#[derive(Default)]
struct Links {
    sources: u32,
    targets: HashSet<u32>,
}

impl<'a> Evidence<'a> {
    /// Builds the graph (section 4.3). If a URL occurs more than once, only its first page counts. O(links).
    pub(super) fn new(sample: &'a [GraphPage], clusters: usize, universe: Universe) -> Self {
        let mut known = HashSet::with_capacity(sample.len());
        let pages: Vec<_> = sample.iter().filter(|page| known.insert(page.url)).collect();
        let members = Members::of(&pages, clusters, universe);
        let new = |size: &u32| GraphNode { size: *size, links_in: 0, standing: Standing::Kept };
        let mut nodes: Vec<_> = members.sizes.iter().map(new).collect();
        let mut edges: BTreeMap<(Cluster, Cluster), Links> = BTreeMap::new();
        for page in &pages {
            let Some((from, _)) = members.places.get(&page.url) else { continue };
            let mut urls = HashSet::new();
            let mut led_to = HashSet::new();
            for link in page.leads_to().filter(|link| urls.insert(link.url)) {
                let Some((to, url)) = members.places.get(&link.url) else { continue };
                nodes[to.index()].links_in += 1;
                let edge = edges.entry((*from, *to)).or_default();
                edge.sources += u32::from(led_to.insert(*to));
                edge.targets.insert(*url);
            }
        }
        let pages_count = u32::try_from(pages.len()).unwrap_or(u32::MAX);
        let (edges, reached) = edges.into_iter().map(finished).unzip();
        Self { graph: ClusterGraph { pages: pages_count, nodes, edges }, reached, pages }
    }
}

fn finished(((from, to), links): ((Cluster, Cluster), Links)) -> (GraphEdge, Box<[u32]>) {
    let mut reached: Box<[u32]> = links.targets.into_iter().collect();
    reached.sort_unstable();
    let targets = u32::try_from(reached.len()).expect("URLs of a cluster are numbered by u32");
    (GraphEdge { from, to, sources: links.sources, targets, kept: true }, reached)
}

/// The cost of a route: first the URLs of pruned clusters on it, then the number of restored edges.
type Cost = (u64, u32);

/// The clusters where a crawl begins.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// The clusters of the seeds. They may be pruned: seeds are fetched in any case.
    inside: BTreeSet<usize>,
    /// The clusters that seeds without a cluster link to. Such links are followed unless the cluster is pruned.
    entries: BTreeSet<usize>,
}

impl Starts {
    pub(super) fn new<'a>(
        graph: &ClusterGraph,
        pages: impl IntoIterator<Item = &'a GraphPage>,
        seeds: &HashSet<u64>,
    ) -> Self {
        let known = |cluster: Option<Cluster>| cluster.map(Cluster::index).filter(|at| *at < graph.nodes.len());
        let mut starts = Self::default();
        for page in pages.into_iter().filter(|page| seeds.contains(&page.url)) {
            match known(page.cluster) {
                Some(cluster) => starts.inside.extend([cluster]),
                None => starts.entries.extend(page.leads_to().filter_map(|link| known(link.cluster))),
            }
        }
        starts
    }
}

/// Returns the clusters that a crawl reaches.
pub(super) fn reached(graph: &ClusterGraph, starts: &Starts) -> BTreeSet<usize> {
    let mut reached = starts.inside.clone();
    reached.extend(starts.entries.iter().filter(|entry| pruned(graph, **entry).is_none()));
    let mut open: Vec<usize> = reached.iter().copied().collect();
    while let Some(from) = open.pop() {
        for (_, edge) in edges_from(graph, from) {
            let to = edge.to.index();
            if edge.kept && pruned(graph, to).is_none() && reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

/// Returns the reason why a cluster is not crawled. An unknown cluster is not crawled either: a graph may have been
/// read from an untrusted file.
fn pruned(graph: &ClusterGraph, cluster: usize) -> Option<GraphReason> {
    graph.nodes.get(cluster).map_or(Some(GraphReason::NoCluster), |node| node.standing.pruned())
}

fn edges_from(graph: &ClusterGraph, from: usize) -> impl Iterator<Item = (usize, &GraphEdge)> {
    let first = graph.edges.partition_point(|edge| edge.from.index() < from);
    (first..).zip(&graph.edges[first..]).take_while(move |(_, edge)| edge.from.index() == from)
}

/// Restores edges along the cheapest route to the nearest kept cluster that is unreachable, as long as there is one
/// with a route and (if only worthwhile ones are wanted) the route makes at least as many URLs reachable as it costs.
/// Pruned clusters on a route become bridges. O(clusters · edges · log edges) at worst.
pub(super) fn put_edges_back(graph: &mut ClusterGraph, starts: &Starts, wanted: Reach) {
    let mut given_up = BTreeSet::new();
    loop {
        let reached = reached(graph, starts);
        let Some(route) = cheapest_route(graph, starts, &reached, &given_up) else { return };
        let before = graph.clone();
        open_up(graph, &route, &reached);
        if wanted == Reach::Worthwhile && route.cost.0 > brought_back(graph, starts, &reached) {
            *graph = before;
            given_up.insert(route.to);
        }
    }
}

fn open_up(graph: &mut ClusterGraph, route: &Route, reached: &BTreeSet<usize>) {
    for place in &route.edges {
        let edge = &mut graph.edges[*place];
        edge.kept = true;
        let ends = [edge.from, edge.to].map(Cluster::index);
        for cluster in ends.into_iter().filter(|cluster| !reached.contains(cluster)) {
            let standing = &mut graph.nodes[cluster].standing;
            if let Standing::Pruned(reason) = *standing {
                *standing = Standing::Bridge(reason);
            }
        }
    }
}

/// Returns the number of URLs of kept clusters that are reachable now and were not `before`.
fn brought_back(graph: &ClusterGraph, starts: &Starts, before: &BTreeSet<usize>) -> u64 {
    let now = reached(graph, starts);
    let new = now.difference(before).map(|cluster| &graph.nodes[*cluster]);
    new.filter(|node| node.standing == Standing::Kept).map(|node| u64::from(node.size)).sum()
}

/// A route to a kept cluster.
struct Route {
    cost: Cost,
    to: usize,
    edges: Vec<usize>,
}

/// Returns the cheapest route to a kept cluster that is neither `reached` nor `given_up` (Dijkstra; of equally cheap
/// ones the route to the cluster with the smaller number).
fn cheapest_route(
    graph: &ClusterGraph,
    starts: &Starts,
    reached: &BTreeSet<usize>,
    given_up: &BTreeSet<usize>,
) -> Option<Route> {
    let cost_of = |cluster: usize| {
        if pruned(graph, cluster).is_some() { u64::from(graph.nodes[cluster].size) } else { 0 }
    };
    let pruned_entries = starts.entries.difference(reached).map(|entry| Reverse(((cost_of(*entry), 0), *entry, None)));
    let mut open: BinaryHeap<Reverse<(Cost, usize, Option<usize>)>> =
        reached.iter().map(|cluster| Reverse(((0, 0), *cluster, None))).chain(pruned_entries).collect();
    // For each cluster the last edge of its best route, once that is known; `None` for clusters where routes begin.
    let mut best: Vec<Option<Option<usize>>> = vec![None; graph.nodes.len()];
    while let Some(Reverse((cost, cluster, edge))) = open.pop() {
        if best[cluster].is_some() {
            continue;
        }
        best[cluster] = Some(edge);
        let is_wanted = graph.nodes[cluster].standing == Standing::Kept;
        if is_wanted && !reached.contains(&cluster) && !given_up.contains(&cluster) {
            return Some(Route { cost, to: cluster, edges: route_to(graph, &best, cluster) });
        }
        for (place, edge) in edges_from(graph, cluster).filter(|(_, edge)| best[edge.to.index()].is_none()) {
            let next = (cost.0 + cost_of(edge.to.index()), cost.1 + u32::from(!edge.kept));
            open.push(Reverse((next, edge.to.index(), Some(place))));
        }
    }
    None
}

fn route_to(graph: &ClusterGraph, best: &[Option<Option<usize>>], cluster: usize) -> Vec<usize> {
    let before = |place: &usize| best[graph.edges[*place].from.index()].flatten();
    std::iter::successors(best[cluster].flatten(), before).collect()
}
