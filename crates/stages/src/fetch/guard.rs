//! The address guard: which addresses a crawl may connect to.
//!
//! A link, a redirect or a DNS response can point a crawler at machines that only its own network reaches (server-side
//! request forgery). The guard therefore checks addresses after resolution, immediately before the connection: the
//! address that is checked is the one that is connected to, and no second DNS response can change it in between.

use std::net::SocketAddr;

use super::public_address::is_public;
use super::trust::AddressTrust;

/// Decides which addresses of which hosts may be connected to.
#[derive(Debug)]
pub(super) struct Guard {
    /// Hosts that may have any address.
    pub(super) trusted: AddressTrust,
    /// Every host may have any address.
    pub(super) private_addresses: bool,
}

impl Guard {
    /// Returns whether `host` may have any address.
    pub(super) fn trusts(&self, host: &str) -> bool {
        self.private_addresses || self.trusted.includes(host)
    }

    /// Takes in the addresses that `host` has now, and keeps those that may be connected to.
    pub(super) fn keep_allowed(&self, host: &str, addresses: &mut Vec<SocketAddr>) {
        self.trusted.note(host, addresses);
        if !self.trusts(host) {
            addresses.retain(|address| is_public(address.ip()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Trust;
    use harvestman_core::url::HostKey;

    #[test]
    fn only_trusted_hosts_may_have_private_addresses_unless_all_may() {
        let seed = HostKey::from_origin("http://intranet.test");
        let mut guard = Guard { trusted: Trust::of_seeds([&seed]).addresses, private_addresses: false };
        let kept = |guard: &Guard, host: &str, addresses: &[[u8; 4]]| {
            let mut addresses: Vec<SocketAddr> = addresses.iter().map(|address| (*address, 80).into()).collect();
            guard.keep_allowed(host, &mut addresses);
            addresses.len()
        };
        let (private, public) = ([10, 0, 0, 1], [8, 8, 8, 8]);
        assert_eq!(kept(&guard, "intranet.test", &[private, private]), 2);
        assert_eq!(kept(&guard, "other.test", &[private]), 0);
        assert_eq!(kept(&guard, "sub.intranet.test", &[private]), 0);
        assert_eq!(kept(&guard, "other.test", &[public, private]), 1);
        // From the first public address on, its private ones are left out.
        assert_eq!(kept(&guard, "intranet.test", &[private, public]), 1);
        assert_eq!(kept(&guard, "intranet.test", &[private]), 0);
        guard.private_addresses = true;
        assert_eq!(kept(&guard, "other.test", &[private]), 1);
    }
}
