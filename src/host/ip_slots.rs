//! Connections per IP address: hosts that live at one address share a number of slots.
//!
//! A host that finds none free is queued and told when one is handed to it. Pure but for the sharing: the caller delivers the news.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

use crate::url::HostKey;

#[derive(Debug, Default)]
struct Address {
    taken: u32,
    waiting: VecDeque<HostKey>,
}

/// The slots of all addresses.
#[derive(Debug)]
pub struct IpSlots {
    per_ip: u32,
    addresses: HashMap<IpAddr, Address>,
}

impl IpSlots {
    /// `per_ip` slots for each address.
    pub fn new(per_ip: u32) -> Self {
        Self { per_ip: per_ip.max(1), addresses: HashMap::new() }
    }

    /// Takes a slot of `ip` for `host`, or queues the host and returns false. A host that is queued must not ask again before
    /// it was given a slot.
    pub fn take(&mut self, ip: IpAddr, host: &HostKey) -> bool {
        let address = self.addresses.entry(ip).or_default();
        if address.taken < self.per_ip && address.waiting.is_empty() {
            address.taken += 1;
            return true;
        }
        address.waiting.push_back(host.clone());
        false
    }

    /// Gives a slot back. Where hosts wait for one, the first of them gets it and is returned: it must be told that it holds a
    /// slot now.
    pub fn give_back(&mut self, ip: IpAddr) -> Option<HostKey> {
        let address = self.addresses.get_mut(&ip)?;
        if let Some(next) = address.waiting.pop_front() {
            return Some(next);
        }
        address.taken = address.taken.saturating_sub(1);
        if address.taken == 0 {
            self.addresses.remove(&ip);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str) -> HostKey {
        HostKey::from_origin(&format!("http://{name}"))
    }

    #[test]
    fn a_full_address_hands_its_slots_on_in_order_of_asking() {
        let ip = IpAddr::from([127, 0, 0, 1]);
        let mut slots = IpSlots::new(2);
        assert!(slots.take(ip, &host("a")) && slots.take(ip, &host("b")));
        assert!(!slots.take(ip, &host("c")) && !slots.take(ip, &host("d")));
        assert_eq!(slots.give_back(ip), Some(host("c")));
        assert_eq!(slots.give_back(ip), Some(host("d")));
        assert_eq!(slots.give_back(ip), None);
        assert!(slots.take(ip, &host("e")));
        assert!(!slots.take(ip, &host("f")));
    }
}
