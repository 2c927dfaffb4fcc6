//! The clusters that a policy has learned, observed through its classification of the fetched pages.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::corpus::{Corpus, PageId};
use crate::replay::Request;
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{Apath, ClusterId, LinkClass};
use harvestman_policy::PolicySnapshot;
use harvestman_structure::parse::Parser;

/// A cluster of the fetched pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterSize {
    /// The cluster.
    pub cluster: ClusterId,
    /// The number of its pages.
    pub pages: u64,
    /// The first of them.
    pub example: PageId,
    /// The most frequent type of its pages, with its count; the smallest name of several. `None` without labels.
    pub mostly: Option<(Arc<str>, u64)>,
}

/// Returns the clusters of the pages in `fetched` according to `snapshot`, largest first. Empty if the policy does not
/// cluster pages.
pub fn clusters(corpus: &Corpus, fetched: &[Request], snapshot: &dyn PolicySnapshot) -> Vec<ClusterSize> {
    let mut parser = Parser::new(&ParseOptions::default());
    let mut pages: BTreeMap<ClusterId, Vec<PageId>> = BTreeMap::new();
    for id in fetched.iter().filter_map(|request| request.page).filter(|id| corpus.page(*id).is_page()) {
        let stored = corpus.page(id);
        let url = corpus.url(id).as_str();
        parser.set_class_tokens(snapshot.class_tokens(url));
        let bag = parser.parse(&stored.body, stored.content_type()).leaf_paths;
        pages
            .entry(snapshot.page_cluster(LinkClass::unclassified(Apath::SEED), url, &bag).cluster)
            .or_default()
            .push(id);
    }
    if pages.keys().all(|cluster| *cluster == ClusterId::UNKNOWN) {
        return Vec::new();
    }
    let size = |(cluster, pages): (ClusterId, Vec<PageId>)| ClusterSize {
        cluster,
        pages: pages.len() as u64,
        example: pages[0],
        mostly: most_frequent_type(corpus, &pages),
    };
    let mut sizes: Vec<_> = pages.into_iter().map(size).collect();
    sizes.sort_by_key(|size| (std::cmp::Reverse(size.pages), size.cluster));
    sizes
}

fn most_frequent_type(corpus: &Corpus, pages: &[PageId]) -> Option<(Arc<str>, u64)> {
    let truth = corpus.truth()?;
    let mut counts: BTreeMap<&Arc<str>, u64> = BTreeMap::new();
    for label in pages.iter().filter_map(|id| truth.page(*id)) {
        *counts.entry(&label.page_type).or_default() += 1;
    }
    let most = counts.into_iter().min_by_key(|(_, count)| std::cmp::Reverse(*count))?;
    Some((Arc::clone(most.0), most.1))
}
