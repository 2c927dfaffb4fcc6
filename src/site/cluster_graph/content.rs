//! Node deletion by what the pages show: clusters whose pages repeat one another or those of another cluster.
//!
//! The paper infers duplicate content from links alone and names content as future work. Here clusters are looked at one by one, the
//! likely originals first, and of each the share of its sampled pages is counted that show something which neither another of them
//! nor an original shows. A cluster with too small a share is pruned.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::evidence::Evidence;
use super::graph::{GraphReason, Standing};
use super::sample::{Cluster, GraphLink, GraphPage};

/// Redirects that are followed from a page at most.
const HOPS_MAX: usize = 8;
/// Where at least this share of a cluster's sampled URLs is linked to, a redirect to one of them is no way of its own.
const FOUND_BY_LINKS: f64 = 0.5;

/// Something that a page shows, or the URL where it would be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Shown {
    Content(u64),
    At(u64),
}

/// A cluster's sampled pages.
struct Cast<'a> {
    cluster: usize,
    pages: Vec<&'a GraphPage>,
    redirects: usize,
    detours: f64,
    segments: f64,
    distinct: f64,
}

impl Cast<'_> {
    /// Whether most of its URLs only lead to others; then it is an original of nothing.
    const fn only_redirects(&self) -> bool {
        2 * self.redirects > self.pages.len()
    }

    /// Originals first: those that show something themselves, have plainer addresses, repeat themselves less (a tenth less at
    /// least), have shorter addresses, are larger.
    fn by_originality(&self, other: &Self) -> Ordering {
        let plainness = self.only_redirects().cmp(&other.only_redirects()).then(self.detours.total_cmp(&other.detours));
        let tenths = |cast: &Self| (cast.distinct * 10.0).round();
        let variety = tenths(other).total_cmp(&tenths(self)).then(self.segments.total_cmp(&other.segments));
        let size = other.distinct.total_cmp(&self.distinct).then(other.pages.len().cmp(&self.pages.len()));
        plainness.then(variety).then(size).then(self.cluster.cmp(&other.cluster))
    }
}

/// Which sampled pages there are, and which URLs are linked to.
struct Sight<'a> {
    pages: HashMap<u64, &'a GraphPage>,
    linked: HashSet<u64>,
    /// For each cluster the share of its sampled URLs that are linked to.
    found_by_links: Vec<f64>,
}

impl<'a> Sight<'a> {
    fn new(evidence: &Evidence<'a>) -> Self {
        let pages = evidence.pages.iter().map(|page| (page.url, *page)).collect();
        let links = evidence.pages.iter().flat_map(|page| page.links.iter().filter(|link| link.url != page.url));
        let linked: HashSet<u64> = links.map(|link| link.url).collect();
        let mut counts = vec![(0_u32, 0_u32); evidence.graph.nodes.len()];
        for page in &evidence.pages {
            let Some(count) = page.cluster.and_then(|cluster| counts.get_mut(cluster.index())) else { continue };
            *count = (count.0 + u32::from(linked.contains(&page.url)), count.1 + 1);
        }
        let share = |(linked, all): (u32, u32)| f64::from(linked) / f64::from(all.max(1));
        Self { pages, linked, found_by_links: counts.into_iter().map(share).collect() }
    }

    /// What a page shows; what it redirects to stands for it.
    fn shown(&self, page: &GraphPage) -> Option<Shown> {
        let mut at = page;
        for _ in 0..HOPS_MAX {
            let Some(to) = at.redirects_to else { return at.content.map(Shown::Content) };
            let Some(next) = self.pages.get(&to.url) else { return Some(Shown::At(to.url)) };
            at = next;
        }
        None
    }

    /// Whether what lies behind a redirect is found without it.
    fn found_anyway(&self, to: GraphLink) -> bool {
        let share = |cluster: Cluster| self.found_by_links.get(cluster.index()).copied().unwrap_or(0.0);
        self.linked.contains(&to.url) || to.cluster.map_or(0.0, share) >= FOUND_BY_LINKS
    }
}

/// Prunes the clusters of whose sampled pages, as far as that is [sure](at_most), less than the share `distinct_min` shows
/// something of their own, and no mere form. Clusters without sampled pages stay: nothing is known against them.
/// O(pages + links).
pub(super) fn prune_repetitions(evidence: &mut Evidence<'_>, distinct_min: f64, sure: f64) {
    let sight = Sight::new(evidence);
    let mut casts = casts(evidence, &sight);
    casts.sort_by(Cast::by_originality);
    let mut claimed: HashSet<Shown> = HashSet::new();
    for cast in casts {
        let mut own = HashSet::new();
        let mut is_new = |page: &&&GraphPage| {
            let shown = sight.shown(page).filter(|shown| !claimed.contains(shown));
            let found_anyway = page.redirects_to.is_some_and(|to| sight.found_anyway(to));
            !found_anyway && shown.is_some_and(|shown| own.insert(shown))
        };
        let new: Vec<_> = cast.pages.iter().filter(|page| is_new(page)).collect();
        let informative = new.iter().filter(|page| !page.bare).count();
        let too_few = |shown: usize| at_most(shown, cast.pages.len(), sure) < distinct_min;
        if too_few(informative) {
            let reason = if too_few(new.len()) { GraphReason::DuplicateContent } else { GraphReason::Uninformative };
            evidence.graph.nodes[cast.cluster].standing = Standing::Pruned(reason);
        } else {
            let shows = cast.pages.iter().filter(|page| page.redirects_to.is_none());
            claimed.extend(shows.filter_map(|page| sight.shown(page)));
        }
    }
}

/// What the share of a cluster's pages may be at most of which `some` of `all` sampled ones are: the upper end of Wilson's
/// interval, so many standard deviations wide; for 0 the share itself.
fn at_most(some: usize, all: usize, deviations: f64) -> f64 {
    let count = all.max(1) as f64;
    let (share, square) = (some as f64 / count, deviations * deviations);
    let spread = (share * (1.0 - share) / count + square / (4.0 * count * count)).sqrt();
    (share + square / (2.0 * count) + deviations * spread) / (1.0 + square / count)
}

fn casts<'a>(evidence: &Evidence<'a>, sight: &Sight<'a>) -> Vec<Cast<'a>> {
    let mut pages: Vec<Vec<&GraphPage>> = vec![Vec::new(); evidence.graph.nodes.len()];
    for page in &evidence.pages {
        if let Some(cast) = page.cluster.and_then(|cluster| pages.get_mut(cluster.index())) {
            cast.push(page);
        }
    }
    let cast = |(cluster, pages): (usize, Vec<&'a GraphPage>)| {
        let count = pages.len() as f64;
        let distinct = pages.iter().filter_map(|page| sight.shown(page)).collect::<HashSet<_>>().len();
        Cast {
            cluster,
            redirects: pages.iter().filter(|page| page.redirects_to.is_some()).count(),
            detours: pages.iter().map(|page| f64::from(page.detours)).sum::<f64>() / count,
            segments: pages.iter().map(|page| f64::from(page.segments)).sum::<f64>() / count,
            distinct: distinct as f64 / count,
            pages,
        }
    };
    pages.into_iter().enumerate().filter(|(_, pages)| !pages.is_empty()).map(cast).collect()
}
