//! The desired state of a fleet: one value in one key, which every node reconciles itself to.
//!
//! It holds the state and not the history of commands: a later order about the same subject replaces the earlier one,
//! and an order that was taken back leaves nothing. A node that has applied one state computes the orders that lead to
//! the next ([`Orders::since`]), however many commands lie between. A node that joins starts from the default state.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

/// The most entries of a list.
pub const LIST_MAX: usize = 1_000;
/// The most bytes of an encoded state, which must fit in one message.
pub const BYTES_MAX: usize = 256 << 10;

/// Lists that orders add to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// Links that are refused.
    Banned,
    /// Links that are followed first.
    Pinned,
    /// Hosts that are not contacted.
    Blocked,
}

impl List {
    /// All lists.
    pub const ALL: [Self; 3] = [Self::Banned, Self::Pinned, Self::Blocked];
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Banned => "banned",
            Self::Pinned => "pinned",
            Self::Blocked => "blocked",
        })
    }
}

/// A command to a fleet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Begin no new requests.
    Pause,
    /// Continue after a pause.
    Resume,
    /// End the crawl and persist its state.
    Stop,
    /// Continue a stopped crawl.
    Reopen,
    /// Change settings, all at once. Values are in the syntax of the configuration.
    Set(Vec<(String, String)>),
    /// Add an entry to a list.
    Add(List, String),
    /// Remove an entry from a list.
    Remove(List, String),
}

/// Why an order is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderRefusal {
    /// The list is full.
    #[error("the list of {0} entries is full ({LIST_MAX}); remove one first")]
    ListFull(List),
    /// The state would be too long.
    #[error("the fleet's orders would be longer than {BYTES_MAX} bytes; remove some entries first")]
    Full,
    /// The entry is not in the list.
    #[error("`{what}` is not {list}; {}", named(.there))]
    NotThere {
        /// The list.
        list: List,
        /// The missing entry.
        what: String,
        /// The entries of the list.
        there: Vec<String>,
    },
}

fn named(all: &[String]) -> String {
    if all.is_empty() { "the list is empty".to_owned() } else { format!("entries: {}", all.join(", ")) }
}

/// The desired state of the fleet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Orders {
    /// Grows with each order that changes the state.
    pub number: u64,
    /// Whether no new requests begin.
    pub paused: bool,
    /// Whether the crawl ends and must not continue without an order.
    pub stopped: bool,
    /// Changed settings, with their values in the syntax of the configuration.
    pub set: BTreeMap<String, String>,
    /// See [`List`].
    pub banned: BTreeSet<String>,
    /// See [`List`].
    pub pinned: BTreeSet<String>,
    /// See [`List`].
    pub blocked: BTreeSet<String>,
}

impl Orders {
    /// Returns the state after an order, or `None` if the order changes nothing.
    ///
    /// # Errors
    /// See [`OrderRefusal`].
    pub fn with(&self, order: &Order) -> Result<Option<Self>, OrderRefusal> {
        let mut new = self.clone();
        match order {
            Order::Pause => new.paused = true,
            Order::Resume => new.paused = false,
            Order::Stop => new.stopped = true,
            Order::Reopen => new.stopped = false,
            Order::Set(settings) => new.set.extend(settings.iter().cloned()),
            Order::Add(list, what) => {
                new.list_mut(*list).insert(what.clone());
                if new.list(*list).len() > LIST_MAX {
                    return Err(OrderRefusal::ListFull(*list));
                }
            }
            Order::Remove(list, what) => {
                if !new.list_mut(*list).remove(what) {
                    let there = self.list(*list).iter().cloned().collect();
                    return Err(OrderRefusal::NotThere { list: *list, what: what.clone(), there });
                }
            }
        }
        if new == *self {
            return Ok(None);
        }
        new.number += 1;
        if new.bytes() > BYTES_MAX { Err(OrderRefusal::Full) } else { Ok(Some(new)) }
    }

    /// Returns the orders that lead from an earlier state to this one. Removals come first, so that no list is ever
    /// longer than in one of the two states.
    pub fn since(&self, earlier: &Self) -> Vec<Order> {
        let mut orders = Vec::new();
        for list in List::ALL {
            let gone = earlier.list(list).difference(self.list(list));
            orders.extend(gone.map(|what| Order::Remove(list, what.clone())));
        }
        for list in List::ALL {
            let new = self.list(list).difference(earlier.list(list));
            orders.extend(new.map(|what| Order::Add(list, what.clone())));
        }
        // All in one order: a value may be valid only together with another.
        let changed = self.set.iter().filter(|(name, value)| earlier.set.get(*name) != Some(*value));
        let changed: Vec<_> = changed.map(|(name, value)| (name.clone(), value.clone())).collect();
        orders.extend((!changed.is_empty()).then_some(Order::Set(changed)));
        if self.paused != earlier.paused {
            orders.push(if self.paused { Order::Pause } else { Order::Resume });
        }
        if self.stopped != earlier.stopped {
            orders.push(if self.stopped { Order::Stop } else { Order::Reopen });
        }
        orders
    }

    fn list(&self, list: List) -> &BTreeSet<String> {
        match list {
            List::Banned => &self.banned,
            List::Pinned => &self.pinned,
            List::Blocked => &self.blocked,
        }
    }

    fn list_mut(&mut self, list: List) -> &mut BTreeSet<String> {
        match list {
            List::Banned => &mut self.banned,
            List::Pinned => &mut self.pinned,
            List::Blocked => &mut self.blocked,
        }
    }

    /// Returns the length of the encoded state.
    fn bytes(&self) -> usize {
        serde_json::to_vec(self).map_or(usize::MAX, |text| text.len())
    }
}

#[cfg(test)]
#[path = "orders_tests.rs"]
mod tests;
