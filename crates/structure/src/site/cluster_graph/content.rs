//! Node deletion by what the pages show: clusters whose pages repeat one another or those of another cluster.
//!
//! The paper infers duplicate content from links alone and names content as future work. Here clusters are looked at one by one, the
//! likely originals first, and of each the share of its sampled pages is counted that show something which neither another of them
//! nor an original shows. A cluster with too small a share is pruned.
//!
//! Where several templates made a cluster's pages, those of some may be worth having and those of others not. A template's pages are
//! set apart if it is certain that they are worth something else than the rest.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::CLUSTERS_MAX;
use super::graph::GraphReason;
use super::sample::{Cluster, GraphLink, GraphPage};
use super::worth::{Apart, Bar, Tally, set_apart};

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

/// What clusters are worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appraisal {
    /// Of each cluster, by number, why it is pruned, if it is; where pages were set apart, that of the whole and of the rest.
    pub pruned: Vec<Option<GraphReason>>,
    /// Clusters of which pages are worth something else than the rest, by number.
    pub apart: Vec<(Cluster, Apart)>,
}

impl Appraisal {
    /// Appraises clusters by their sampled pages. One is pruned if less than the share `distinct_min` of them, as far as that is
    /// certain (Wilson's interval, `sure` standard deviations wide), shows something of its own, and no mere form. Clusters without
    /// sampled pages stay: nothing is known against them. Of a URL that is there more than once only the first counts.
    /// O(pages + links).
    pub fn of(sample: &[GraphPage], clusters: usize, distinct_min: f64, sure: f64) -> Self {
        let (bar, clusters) = (Bar { share: distinct_min, sure }, clusters.min(CLUSTERS_MAX));
        let mut known = HashSet::with_capacity(sample.len());
        let pages: Vec<_> = sample.iter().filter(|page| known.insert(page.url)).collect();
        let sight = Sight::new(&pages, clusters);
        let mut casts = casts(&pages, clusters, &sight);
        casts.sort_by(Cast::by_originality);
        let mut appraisal = Self { pruned: vec![None; clusters], apart: Vec::new() };
        let mut claimed: HashSet<Shown> = HashSet::new();
        for cast in casts {
            appraisal.appraise(&cast, &sight, bar, &mut claimed);
        }
        appraisal.apart.sort_unstable_by_key(|(cluster, _)| *cluster);
        appraisal
    }

    /// What a cluster that is kept shows is `claimed` by it.
    fn appraise(&mut self, cast: &Cast<'_>, sight: &Sight<'_>, bar: Bar, claimed: &mut HashSet<Shown>) {
        let tallies = tallies(cast, sight, claimed);
        let whole: Tally = tallies.values().copied().sum();
        let standing = whole.pruned(bar);
        self.pruned[cast.cluster] = standing;
        let apart = set_apart(&tallies, bar);
        let is_kept = |page: &GraphPage| match &apart {
            Some(apart) if page.maker.is_some_and(|maker| apart.makers.contains(&maker)) => apart.pruned.is_none(),
            _ => standing.is_none(),
        };
        let kept = cast.pages.iter().filter(|page| is_kept(page) && page.redirects_to.is_none());
        claimed.extend(kept.filter_map(|page| sight.shown(page)));
        let cluster = Cluster(u32::try_from(cast.cluster).expect("clusters are numbered by u32"));
        self.apart.extend(apart.map(|apart| (cluster, apart)));
    }
}

/// Counts what the pages of a cluster show that was not `claimed` by others, by what made them.
fn tallies(cast: &Cast<'_>, sight: &Sight<'_>, claimed: &HashSet<Shown>) -> BTreeMap<Option<u32>, Tally> {
    let mut own = HashSet::new();
    let mut tallies: BTreeMap<Option<u32>, Tally> = BTreeMap::new();
    for page in &cast.pages {
        let shown = sight.shown(page).filter(|shown| !claimed.contains(shown));
        let found_anyway = page.redirects_to.is_some_and(|to| sight.found_anyway(to));
        let is_new = !found_anyway && shown.is_some_and(|shown| own.insert(shown));
        tallies.entry(page.maker).or_default().count(is_new, !page.bare);
    }
    tallies
}

fn casts<'a>(sample: &[&'a GraphPage], clusters: usize, sight: &Sight<'a>) -> Vec<Cast<'a>> {
    let mut pages: Vec<Vec<&GraphPage>> = vec![Vec::new(); clusters];
    for page in sample {
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
