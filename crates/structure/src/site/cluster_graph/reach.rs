//! Reach: puts edges back until the clusters that are kept can be reached from the seeds.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashSet};

use super::graph::{ClusterGraph, GraphEdge, GraphReason, Standing};
use super::options::Reach;
use super::sample::{Cluster, GraphPage};

/// What a way costs: first the URLs of pruned clusters that it leads through, then the edges that it puts back.
type Cost = (u64, u32);

/// Where a crawl begins.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// The clusters of the seeds. They may be pruned ones: seeds are fetched whatever they are.
    inside: BTreeSet<usize>,
    /// The clusters that seeds without a cluster link to. Such links are followed unless the cluster is pruned.
    doors: BTreeSet<usize>,
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
                None => starts.doors.extend(page.leads_to().filter_map(|link| known(link.cluster))),
            }
        }
        starts
    }
}

/// The clusters that a crawl comes to.
pub(super) fn reached(graph: &ClusterGraph, starts: &Starts) -> BTreeSet<usize> {
    let mut reached = starts.inside.clone();
    reached.extend(starts.doors.iter().filter(|door| pruned(graph, **door).is_none()));
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

/// Why a cluster is not crawled. One that is not there is not either: a graph that was read may have been written by anybody.
fn pruned(graph: &ClusterGraph, cluster: usize) -> Option<GraphReason> {
    graph.nodes.get(cluster).map_or(Some(GraphReason::NoCluster), |node| node.standing.pruned())
}

fn edges_from(graph: &ClusterGraph, from: usize) -> impl Iterator<Item = (usize, &GraphEdge)> {
    let first = graph.edges.partition_point(|edge| edge.from.index() < from);
    (first..).zip(&graph.edges[first..]).take_while(move |(_, edge)| edge.from.index() == from)
}

/// Puts edges back along the cheapest way to the nearest kept cluster that is out of reach, as long as there is one that a way
/// leads to and (where only worthwhile ones are wanted) the way brings back as much as it costs. Pruned clusters on a way become
/// bridges. O(clusters · edges · log edges) at worst.
pub(super) fn put_edges_back(graph: &mut ClusterGraph, starts: &Starts, wanted: Reach) {
    let mut given_up = BTreeSet::new();
    loop {
        let reached = reached(graph, starts);
        let Some(way) = cheapest_way(graph, starts, &reached, &given_up) else { return };
        let before = graph.clone();
        open_up(graph, &way, &reached);
        if wanted == Reach::Worthwhile && way.cost.0 > brought_back(graph, starts, &reached) {
            *graph = before;
            given_up.insert(way.to);
        }
    }
}

fn open_up(graph: &mut ClusterGraph, way: &Way, reached: &BTreeSet<usize>) {
    for place in &way.edges {
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

/// URLs of kept clusters that are within reach by now, and were not `before`.
fn brought_back(graph: &ClusterGraph, starts: &Starts, before: &BTreeSet<usize>) -> u64 {
    let now = reached(graph, starts);
    let new = now.difference(before).map(|cluster| &graph.nodes[*cluster]);
    new.filter(|node| node.standing == Standing::Kept).map(|node| u64::from(node.size)).sum()
}

/// A way to a kept cluster.
struct Way {
    cost: Cost,
    to: usize,
    edges: Vec<usize>,
}

/// The cheapest way to a kept cluster that is neither `reached` nor `given_up` (Dijkstra; of equal ways the one to the
/// cluster with the smaller number).
fn cheapest_way(
    graph: &ClusterGraph,
    starts: &Starts,
    reached: &BTreeSet<usize>,
    given_up: &BTreeSet<usize>,
) -> Option<Way> {
    let cost_of = |cluster: usize| {
        if pruned(graph, cluster).is_some() { u64::from(graph.nodes[cluster].size) } else { 0 }
    };
    let closed_doors = starts.doors.difference(reached).map(|door| Reverse(((cost_of(*door), 0), *door, None)));
    let mut open: BinaryHeap<Reverse<(Cost, usize, Option<usize>)>> =
        reached.iter().map(|cluster| Reverse(((0, 0), *cluster, None))).chain(closed_doors).collect();
    // For each cluster the edge by which it is best reached, once that is known; none for where ways begin.
    let mut best: Vec<Option<Option<usize>>> = vec![None; graph.nodes.len()];
    while let Some(Reverse((cost, cluster, edge))) = open.pop() {
        if best[cluster].is_some() {
            continue;
        }
        best[cluster] = Some(edge);
        let is_wanted = graph.nodes[cluster].standing == Standing::Kept;
        if is_wanted && !reached.contains(&cluster) && !given_up.contains(&cluster) {
            return Some(Way { cost, to: cluster, edges: way_to(graph, &best, cluster) });
        }
        for (place, edge) in edges_from(graph, cluster).filter(|(_, edge)| best[edge.to.index()].is_none()) {
            let next = (cost.0 + cost_of(edge.to.index()), cost.1 + u32::from(!edge.kept));
            open.push(Reverse((next, edge.to.index(), Some(place))));
        }
    }
    None
}

fn way_to(graph: &ClusterGraph, best: &[Option<Option<usize>>], cluster: usize) -> Vec<usize> {
    let before = |place: &usize| best[graph.edges[*place].from.index()].flatten();
    std::iter::successors(best[cluster].flatten(), before).collect()
}
