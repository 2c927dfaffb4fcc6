//! What the directory does for the frontier and for the actors of its hosts.

use std::sync::Arc;

use super::HostDirectory;
use super::entry::HostEntry;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Lease, PolicyRefusal, ProgressRecord};
use harvestman_core::url::{CanonicalUrl, HostKey};
use harvestman_stages::frontier::HostPort;
use harvestman_stages::host::{Grant, HostCore, HostRegistry, NoWork, Politeness, StoredRobots, WaitReason, Wake};
use harvestman_storage::store::encode;

impl HostPort for HostDirectory {
    fn wake(&self, host: &HostKey) {
        self.send(host, Wake);
    }

    fn grant(&self, lease: Lease) {
        let host = lease.item.url.host_key();
        self.send(&host, Grant(lease));
    }

    fn no_work(&self, host: &HostKey, until: Option<Instant>) {
        // A host that was retired meanwhile has no actor, and must not get one again.
        if let Some(address) = self.awake(host) {
            address.send(NoWork(until));
        }
    }
}

impl HostRegistry for HostDirectory {
    fn is_blocked(&self, host: &HostKey) -> bool {
        self.blocks(host) || !self.ownership.may_fetch(host, self.setup.clock.now())
    }

    fn refused_to_member(&self, url: &CanonicalUrl) -> Option<PolicyRefusal> {
        self.avoided.as_ref()?.ended_session(url.path_and_query())
    }

    fn waits(&self, host: &HostKey, until: Instant, why: WaitReason) {
        self.waits.add(host, until, why);
    }

    fn sitemaps_named(&self, urls: Vec<String>, nesting: u32) {
        if let Some(state) = &self.state {
            urls.iter().for_each(|url| state.note(ProgressRecord::SitemapFound(url.clone(), nesting)));
        }
        self.hand_out_sitemaps(urls, nesting);
    }

    fn remember(&self, host: &HostKey, memory: &Politeness) {
        if let Some(state) = &self.state {
            state.remember(host, memory);
        }
    }

    fn remember_robots(&self, host: &HostKey, robots: &StoredRobots) {
        if let Some(state) = &self.state {
            state.note(ProgressRecord::Robots(host.clone(), encode(robots)));
        }
    }

    fn go_to_sleep(&self, host: &HostKey, core: &mut Option<HostCore>) -> bool {
        let Some(mut entry) = self.hosts.get_mut(host) else { return false };
        if !entry.address().is_some_and(|address| address.is_quiet()) {
            return false;
        }
        if let Some(core) = core.take() {
            *entry = HostEntry::Asleep(Some(Box::new(core)));
        }
        drop(entry);
        self.leave_group(host);
        true
    }
}

impl HostDirectory {
    /// Returns the directory as the frontier's port to the hosts.
    pub(crate) fn as_port(self: &Arc<Self>) -> Arc<dyn HostPort> {
        Arc::clone(self) as _
    }
}
