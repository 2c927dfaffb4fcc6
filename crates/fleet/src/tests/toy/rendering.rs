//! Pages that need a browser.

use std::time::Duration;

use super::Toy;
use crate::tests::mutation::Mutation;
use harvestman_core::model::ScheduledUrl;

/// How often a page is left to another node.
const ATTEMPTS: u8 = 2;
/// How long a page waits that is left to another node.
const PAUSE: Duration = Duration::from_secs(5);

impl Toy {
    /// Renders a page that needs a browser, if there is one here. Otherwise returns whether the page waits again, for a
    /// node that has one.
    pub(super) fn goes_elsewhere(&self, item: &ScheduledUrl, fetch: usize) -> bool {
        let Some(browsers) = self.browsers.as_ref().filter(|_| self.web.needs_browser(&item.url)) else { return false };
        if browsers.has_browser() {
            self.web.rendered(fetch);
            return false;
        }
        let partition = self.partitions.of(&item.url.host_key());
        if self.has(Mutation::KeepsPlain) || !browsers.ask(partition) || item.attempts >= ATTEMPTS {
            return false;
        }
        self.leave_to_others(ScheduledUrl { attempts: item.attempts + 1, ..item.clone() });
        true
    }

    fn leave_to_others(&self, item: ScheduledUrl) {
        self.note(|| format!("leaves {} to a node with a browser", item.url.as_str()));
        let host = item.url.host_key();
        let mut inner = self.inner.lock();
        inner.group.entry.waiting.push(item.clone());
        drop(inner);
        self.put_back(item);
        let mut inner = self.inner.lock();
        inner.activity += 1;
        if let Some(queue) = inner.hosts.get_mut(&host) {
            queue.next = queue.next.max(self.clock.now() + PAUSE);
        }
    }
}
