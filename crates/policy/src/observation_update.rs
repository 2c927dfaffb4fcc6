//! Updates observations that were made under an older snapshot to a newer one.

use super::learned::ReadPage;
use super::{Observation, Outcome, PolicySnapshot};
use harvestman_core::model::{LinkClass, PageCluster};

/// Moves a fetch and its new links to the classes of `snapshot`. With `is_older`, the page was parsed for an older
/// snapshot; it is parsed again if the observation contains it.
pub fn update_observation(snapshot: &dyn PolicySnapshot, read: &mut ReadPage, seen: &mut Observation, is_older: bool) {
    if snapshot.generation() > 0 {
        seen.class = snapshot.class_of(seen.class, seen.url.as_str(), seen.via.as_deref());
    }
    if !is_older {
        return;
    }
    let cluster = reparsed_cluster(snapshot, read, seen.class, seen.url.as_str(), &mut seen.outcome);
    for link in &mut seen.new {
        let class = snapshot.class_of_new(link.class, link.url.as_str(), seen.url.as_str(), &link.context);
        link.class = class.on(cluster.unwrap_or(class.page()));
    }
}

/// Parses a page again as this snapshot requires it. `None` where the page was not kept.
fn reparsed_cluster(
    snapshot: &dyn PolicySnapshot,
    read: &mut ReadPage,
    waited: LinkClass,
    url: &str,
    outcome: &mut Outcome,
) -> Option<PageCluster> {
    let Outcome::Page(page) = outcome else { return None };
    let (body, content_type) = page.body.as_ref()?;
    let tokens = snapshot.class_tokens(url);
    page.bag = read(body, content_type.as_deref(), tokens.as_ref()).leaf_paths;
    Some(snapshot.page_cluster(waited, url, &page.bag))
}
