//! A host in the directory.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use actix::Actor as _;

use harvestman_stages::host::{HostActor, HostAddress, HostCore, HostPorts, HostSetup};

/// A host in the directory.
pub(super) enum HostEntry {
    /// Its actor runs. Sending and handling messages happen on one thread, so that a host that goes to sleep cannot
    /// miss one.
    Awake(HostAddress),
    /// What is remembered of it; `None` only at the moment of waking up.
    Asleep(Option<Box<HostCore>>),
}

impl HostEntry {
    /// Returns the address of its actor, if that runs.
    pub(super) fn address(&self) -> Option<HostAddress> {
        match self {
            Self::Awake(address) => Some(address.clone()),
            Self::Asleep(_) => None,
        }
    }

    /// Starts its actor if none runs.
    pub(super) fn wake_up(&mut self, setup: &Arc<HostSetup>, ports: impl FnOnce() -> HostPorts) {
        if let Self::Asleep(core) = self
            && let Some(core) = core.take()
        {
            let pending = Arc::new(AtomicU32::new(0));
            let actor = HostActor::new(*core, Arc::clone(setup), Arc::new(ports()), Arc::clone(&pending));
            *self = Self::Awake(HostAddress::new(actor.start(), pending));
        }
    }
}
