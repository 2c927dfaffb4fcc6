//! Gateways: pages that show nothing of their own and lead to pages that nothing else leads to.

use std::collections::HashSet;

use super::cluster_sample::ClusterSample;
use super::graph::GraphReason;
use super::sample::GraphPage;

/// If at least this share of a cluster's sampled originals is linked from pages that are kept, one that is not linked
/// yet will be.
const FOUND_BY_LINKS: f64 = 0.5;

/// The sampled pages that are worth fetching, and those among them that pages of kept clusters lead to.
pub(super) struct Gateways {
    /// Pages that are kept and show something first.
    originals: HashSet<u64>,
    covered: HashSet<u64>,
    /// For each cluster, the number of its originals that are covered, and of all.
    counts: Vec<(u32, u32)>,
}

impl Gateways {
    pub(super) fn new(samples: &[ClusterSample<'_>], originals: HashSet<u64>, clusters: usize) -> Self {
        let mut counts = vec![(0, 0); clusters];
        for members in samples {
            let all = members.pages.iter().filter(|page| originals.contains(&page.url)).count();
            counts[members.cluster].1 = u32::try_from(all).unwrap_or(u32::MAX);
        }
        Self { originals, covered: HashSet::new(), counts }
    }

    /// Removes the verdict on clusters that are worth fetching for what they lead to. Takes the clusters, the likeliest
    /// originals first; `is_worth_it` tells whether one of them, by its place in that order, is with so many gateways.
    pub(super) fn open(
        mut self,
        pruned: &mut [Option<GraphReason>],
        samples: &[ClusterSample<'_>],
        is_worth_it: impl Fn(usize, usize) -> bool,
    ) {
        for members in samples.iter().filter(|members| pruned[members.cluster].is_none()) {
            self.cover(members);
        }
        // A gateway may itself be found through another one only.
        while let Some((members, gateways)) = self.next_open(pruned, samples, &is_worth_it) {
            pruned[members.cluster] = None;
            self.cover(members);
            self.counts[members.cluster].1 += gateways.len() as u32;
            self.originals.extend(gateways);
        }
    }

    fn next_open<'s, 'p>(
        &self,
        pruned: &[Option<GraphReason>],
        samples: &'s [ClusterSample<'p>],
        is_worth_it: impl Fn(usize, usize) -> bool,
    ) -> Option<(&'s ClusterSample<'p>, Vec<u64>)> {
        let mut closed = samples.iter().enumerate().filter(|(_, members)| pruned[members.cluster].is_some());
        closed.find_map(|(at, members)| {
            let gateways = self.gateways(members);
            (!gateways.is_empty() && is_worth_it(at, gateways.len())).then_some((members, gateways))
        })
    }

    fn cover(&mut self, members: &ClusterSample<'_>) {
        for link in members.pages.iter().flat_map(|page| page.leads_to()) {
            if self.originals.contains(&link.url)
                && self.covered.insert(link.url)
                && let Some(count) = link.cluster.and_then(|cluster| self.counts.get_mut(cluster.index()))
            {
                count.0 += 1;
            }
        }
    }

    /// The pages that lead to an original that neither a kept page nor another of them leads to.
    fn gateways(&self, members: &ClusterSample<'_>) -> Vec<u64> {
        let mut own = HashSet::new();
        let mut is_gateway = |page: &&&GraphPage| {
            let mut found = false;
            for link in page.leads_to() {
                let rest = link.cluster.and_then(|cluster| self.counts.get(cluster.index()));
                let found_anyway =
                    rest.is_some_and(|(covered, all)| f64::from(*covered) >= FOUND_BY_LINKS * f64::from(*all));
                found |= !found_anyway
                    && self.originals.contains(&link.url)
                    && !self.covered.contains(&link.url)
                    && own.insert(link.url);
            }
            found
        };
        members.pages.iter().filter(|page| is_gateway(page)).map(|page| page.url).collect()
    }
}
