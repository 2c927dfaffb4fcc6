//! Brings what was leased or read by an older snapshot in line with a newer one.

use super::learned::ReadPage;
use super::{Observation, Outcome, PolicySnapshot};
use harvestman_core::model::{LinkClass, PageCluster};

/// Puts a fetch under the classes of `snapshot`; where its page was read by an older one, and came with it, it is read again.
pub fn bring_up_to_date(snapshot: &dyn PolicySnapshot, read: &mut ReadPage, seen: &mut Observation, is_older: bool) {
    if snapshot.generation() > 0 {
        seen.class = snapshot.class_of(seen.class, seen.url.as_str(), seen.via.as_deref());
    }
    if !is_older {
        return;
    }
    let cluster = cluster_anew(snapshot, read, (seen.class, seen.url.as_str()), &mut seen.outcome);
    for link in &mut seen.new {
        let class = snapshot.class_of(link.class, link.url.as_str(), Some(seen.url.as_str()));
        link.class = class.on(cluster.unwrap_or(class.page()));
    }
}

/// Reads a page again, as this snapshot asks for it. None where the page was not kept.
fn cluster_anew(
    snapshot: &dyn PolicySnapshot,
    read: &mut ReadPage,
    (waited, url): (LinkClass, &str),
    outcome: &mut Outcome,
) -> Option<PageCluster> {
    let Outcome::Page(page) = outcome else { return None };
    let (body, content_type) = page.body.as_ref()?;
    let tokens = snapshot.class_tokens();
    page.bag = read(body, content_type.as_deref(), tokens.as_ref()).leaf_paths;
    Some(snapshot.page_cluster(waited, url, &page.bag))
}
