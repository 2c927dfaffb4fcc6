//! Hosts that are not contacted for longer than their delay.

use std::collections::HashMap;

use parking_lot::Mutex;

use harvestman_core::clock::Instant;
use harvestman_core::url::HostKey;
use harvestman_stages::host::WaitReason;

/// A host that is not contacted.
pub(crate) struct Wait {
    pub(crate) until: Instant,
    pub(crate) host: HostKey,
    pub(crate) reason: WaitReason,
}

/// Hosts that are not contacted, until when and why. Waits that are over are removed when the list is read.
#[derive(Default)]
pub(crate) struct HostWaits(Mutex<HashMap<HostKey, (Instant, WaitReason)>>);

impl HostWaits {
    pub(super) fn add(&self, host: &HostKey, until: Instant, reason: WaitReason) {
        self.0.lock().insert(host.clone(), (until, reason));
    }

    pub(super) fn retain(&self, keep: impl Fn(&HostKey, WaitReason) -> bool) {
        self.0.lock().retain(|host, (_, reason)| keep(host, *reason));
    }

    /// Returns the number of hosts that wait for this reason.
    pub(crate) fn count(&self, reason: WaitReason) -> u64 {
        self.0.lock().values().filter(|(_, why)| *why == reason).count() as u64
    }

    /// Returns all waits that are not over, in no particular order.
    pub(crate) fn now(&self, now: Instant) -> Vec<Wait> {
        let mut waits = self.0.lock();
        waits.retain(|_, (until, _)| *until > now);
        waits
            .iter()
            .map(|(host, (until, reason))| Wait { until: *until, host: host.clone(), reason: *reason })
            .collect()
    }
}
