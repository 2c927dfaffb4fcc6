//! Node deletion by content: clusters whose pages repeat one another or those of another cluster.
//!
//! The paper infers duplicate content from links alone and names content as future work. Here clusters are looked at
//! one by one, the likely originals first. For each one, the share of its sampled pages is computed that show something
//! which neither another of them nor an original shows. A cluster with too small a share is pruned.
//!
//! Pages that show nothing of their own may still be the only way to others ([`Gateways`]): then the verdict is lifted.
//!
//! If several templates made a cluster's pages, the pages of some may be worth fetching and those of others not. A
//! template's pages are split off if it is certain that they differ from the remaining ones in that.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::CLUSTERS_MAX;
use super::graph::GraphReason;
use super::graph_pages::{Cluster, ClusterSample, GraphLink, GraphPage};
use super::worth::{SplitOff, Tally, Threshold, split_off};

/// Maximum number of redirects that are followed from a page.
const HOPS_MAX: usize = 8;
/// If at least this share of a cluster's sampled URLs is linked to, a redirect to one of them does not count as a route
/// of its own.
const FOUND_BY_LINKS: f64 = 0.5;

/// Something that a page shows, or the URL where it would be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Shown {
    Content(u64),
    At(u64),
}

/// What the pages that are kept show, each with the URL of one of them.
type Claims = HashMap<Shown, u64>;

/// The sampled pages by URL, and the URLs that are linked to.
struct SampleIndex<'a> {
    pages: HashMap<u64, &'a GraphPage>,
    linked: HashSet<u64>,
    /// For each cluster, the share of its sampled URLs that are linked to.
    found_by_links: Vec<f64>,
}

impl<'a> SampleIndex<'a> {
    fn new(pages: &[&'a GraphPage], clusters: usize) -> Self {
        let links = pages.iter().flat_map(|page| page.links.iter().filter(|link| link.url != page.url));
        let linked: HashSet<u64> = links.map(|link| link.url).collect();
        let mut counts = vec![(0_u32, 0_u32); clusters];
        for page in pages {
            let Some(count) = page.cluster.and_then(|cluster| counts.get_mut(cluster.index())) else { continue };
            *count = (count.0 + u32::from(linked.contains(&page.url)), count.1 + 1);
        }
        let share = |(linked, all): (u32, u32)| f64::from(linked) / f64::from(all.max(1));
        let pages = pages.iter().map(|page| (page.url, *page)).collect();
        Self { pages, linked, found_by_links: counts.into_iter().map(share).collect() }
    }

    /// Returns what a page shows; a redirect shows what its target shows.
    fn shown(&self, page: &GraphPage) -> Option<Shown> {
        let mut at = page;
        for _ in 0..HOPS_MAX {
            let Some(to) = at.redirects_to else { return at.content.map(Shown::Content) };
            let Some(next) = self.pages.get(&to.url) else { return Some(Shown::At(to.url)) };
            at = next;
        }
        None
    }

    /// Returns whether the target of a redirect is found without the redirect.
    fn found_anyway(&self, to: GraphLink) -> bool {
        let share = |cluster: Cluster| self.found_by_links.get(cluster.index()).copied().unwrap_or(0.0);
        self.linked.contains(&to.url) || to.cluster.map_or(0.0, share) >= FOUND_BY_LINKS
    }
}

/// The verdict on each cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appraisal {
    /// For each cluster, by number, the reason why it is pruned, if it is. If pages were split off, it applies to the
    /// remaining ones.
    pub pruned: Vec<Option<GraphReason>>,
    /// Clusters with pages whose verdict differs from that of the remaining ones, by number.
    pub apart: Vec<(Cluster, SplitOff)>,
}

impl Appraisal {
    /// Appraises clusters by their sampled pages. A cluster is pruned if it is certain (by Wilson's interval, `sure`
    /// standard deviations wide) that less than the share `distinct_min` of its pages show something of their own that
    /// is not a mere form. Clusters without sampled pages stay, as nothing is known against them. If a URL occurs more
    /// than once, only its first page counts. O(pages + links).
    pub fn of(sample: &[GraphPage], clusters: usize, distinct_min: f64, sure: f64) -> Self {
        Self::after(sample, clusters, Threshold { share: distinct_min, sure }, &HashSet::new())
    }

    /// The same where the clusters of `rejected` were pruned before. One of them is kept again only if its sampled
    /// pages reach the share: as long as it is uncertain, the verdict stays.
    pub fn after(sample: &[GraphPage], clusters: usize, threshold: Threshold, rejected: &HashSet<Cluster>) -> Self {
        let clusters = clusters.min(CLUSTERS_MAX);
        let threshold_of = |members: &ClusterSample<'_>| match u32::try_from(members.cluster) {
            Ok(cluster) if rejected.contains(&Cluster(cluster)) => Threshold { sure: 0.0, ..threshold },
            _ => threshold,
        };
        let mut known = HashSet::with_capacity(sample.len());
        let pages: Vec<_> = sample.iter().filter(|page| known.insert(page.url)).collect();
        let index = SampleIndex::new(&pages, clusters);
        let mut samples = cluster_samples(&pages, clusters, &index);
        samples.sort_by(ClusterSample::by_originality);
        let mut appraisal = Self { pruned: vec![None; clusters], apart: Vec::new() };
        let mut claimed = Claims::new();
        let tallies: Vec<Tally> = samples
            .iter()
            .map(|members| appraisal.appraise(members, &index, threshold_of(members), &mut claimed))
            .collect();
        let originals: HashSet<u64> = claimed.into_values().collect();
        Gateways::new(&samples, originals, clusters).open(&mut appraisal.pruned, &samples, |at, gateways| {
            tallies[at].with(gateways).pruned(threshold_of(&samples[at])).is_none()
        });
        appraisal.apart.sort_unstable_by_key(|(cluster, _)| *cluster);
        appraisal
    }

    /// Appraises one cluster. What its pages that are kept show is added to `claimed`.
    fn appraise(
        &mut self,
        members: &ClusterSample<'_>,
        index: &SampleIndex<'_>,
        threshold: Threshold,
        claimed: &mut Claims,
    ) -> Tally {
        let leads_nowhere = |to: GraphLink| {
            let reason = to.cluster.and_then(|cluster| self.pruned.get(cluster.index()));
            !index.pages.contains_key(&to.url) && reason.is_some_and(Option::is_some)
        };
        let tallies = tallies(members, index, claimed, leads_nowhere);
        let whole: Tally = tallies.values().copied().sum();
        let standing = whole.pruned(threshold);
        self.pruned[members.cluster] = standing;
        let apart = split_off(&tallies, threshold);
        let is_kept = |page: &GraphPage| match &apart {
            Some(apart) if page.maker.is_some_and(|maker| apart.makers.contains(&maker)) => apart.pruned.is_none(),
            _ => standing.is_none(),
        };
        let kept = members.pages.iter().filter(|page| is_kept(page) && page.redirects_to.is_none());
        for (shown, page) in kept.filter_map(|page| Some((index.shown(page)?, page))) {
            claimed.entry(shown).or_insert(page.url);
        }
        let cluster = Cluster(u32::try_from(members.cluster).expect("clusters are numbered by u32"));
        self.apart.extend(apart.map(|apart| (cluster, apart)));
        whole
    }
}

/// Counts the pages of a cluster that show something not `claimed` by others, by template. A redirect to an address
/// that was not fetched shows what pages of the address's cluster do: nothing where these are not worth fetching.
fn tallies(
    members: &ClusterSample<'_>,
    index: &SampleIndex<'_>,
    claimed: &Claims,
    leads_nowhere: impl Fn(GraphLink) -> bool,
) -> BTreeMap<Option<u32>, Tally> {
    let mut own = HashSet::new();
    let mut tallies: BTreeMap<Option<u32>, Tally> = BTreeMap::new();
    for page in &members.pages {
        let shown = index.shown(page).filter(|shown| !claimed.contains_key(shown));
        let in_vain = page.redirects_to.is_some_and(|to| index.found_anyway(to) || leads_nowhere(to));
        let is_new = !in_vain && shown.is_some_and(|shown| own.insert(shown));
        tallies.entry(page.maker).or_default().count(is_new, !page.bare);
    }
    tallies
}

fn cluster_samples<'a>(sample: &[&'a GraphPage], clusters: usize, index: &SampleIndex<'a>) -> Vec<ClusterSample<'a>> {
    let mut pages: Vec<Vec<&GraphPage>> = vec![Vec::new(); clusters];
    for page in sample {
        if let Some(members) = page.cluster.and_then(|cluster| pages.get_mut(cluster.index())) {
            members.push(page);
        }
    }
    // Of pages that show the same, the verdict names the first: it must not depend on the order of the sample.
    pages.iter_mut().for_each(|members| members.sort_unstable_by_key(|page| page.url));
    let sample_of = |(cluster, pages): (usize, Vec<&'a GraphPage>)| {
        let count = pages.len() as f64;
        let distinct = pages.iter().filter_map(|page| index.shown(page)).collect::<HashSet<_>>().len();
        ClusterSample {
            cluster,
            redirects: pages.iter().filter(|page| page.redirects_to.is_some()).count(),
            detours: pages.iter().map(|page| f64::from(page.detours)).sum::<f64>() / count,
            segments: pages.iter().map(|page| f64::from(page.segments)).sum::<f64>() / count,
            distinct: distinct as f64 / count,
            pages,
        }
    };
    pages.into_iter().enumerate().filter(|(_, pages)| !pages.is_empty()).map(sample_of).collect()
}

/// If at least this share of a cluster's sampled originals is linked from pages that are kept, one that is not linked
/// yet will be.
const ORIGINALS_FOUND_BY_LINKS: f64 = 0.5;

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
                let found_anyway = rest
                    .is_some_and(|(covered, all)| f64::from(*covered) >= ORIGINALS_FOUND_BY_LINKS * f64::from(*all));
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
