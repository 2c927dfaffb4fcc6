//! What a whole fleet was told and holds: one state, in one key, that every node brings about at itself.
//!
//! It is kept as what holds, not as what was said: a later order about the same thing takes the place of the earlier one, and what was taken
//! back leaves nothing. A node that has seen one state does what makes the next of it ([`Orders::since`]), however many orders lie between;
//! one that joins does so from the state in which nothing was told.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

/// The most entries of a list.
pub const LIST_MAX: usize = 1_000;
/// The most bytes of a state as it is written: it stands in one message.
pub const BYTES_MAX: usize = 256 << 10;

/// Lists of what somebody has named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// Links that are refused.
    Banned,
    /// Links that are followed first.
    Pinned,
    /// Hosts that get nothing.
    Blocked,
}

impl List {
    /// All of them.
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

/// One thing that a fleet is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Begin nothing for now.
    Pause,
    /// Begin something again.
    GoOn,
    /// End the crawl, and keep what is known.
    Stop,
    /// Let a crawl that was stopped go on.
    Reopen,
    /// Settings and their values, as they are written, all of them at once.
    Set(Vec<(String, String)>),
    /// From now on it is in the list.
    Add(List, String),
    /// From now on it is not.
    Remove(List, String),
}

/// Why something is not told to a fleet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A list is full.
    #[error("{LIST_MAX} are {0} already; take one back first")]
    ListFull(List),
    /// The state would be too long.
    #[error("what the fleet was told would be longer than {BYTES_MAX} bytes; take something back first")]
    Full,
    /// It is not in the list.
    #[error("`{what}` is not {list}; {}", named(.there))]
    NotThere {
        /// The list.
        list: List,
        /// What is not in it.
        what: String,
        /// What is.
        there: Vec<String>,
    },
}

fn named(all: &[String]) -> String {
    if all.is_empty() { "nothing is".to_owned() } else { format!("there are {}", all.join(", ")) }
}

/// What holds for the whole fleet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Orders {
    /// Grows with each order that changes something.
    pub number: u64,
    /// Nothing is begun.
    pub paused: bool,
    /// The crawl is to end, and not to be gone on with before somebody says so.
    pub stopped: bool,
    /// Settings that were changed, with their values as they were written.
    pub set: BTreeMap<String, String>,
    /// See [`List`].
    pub banned: BTreeSet<String>,
    /// See [`List`].
    pub pinned: BTreeSet<String>,
    /// See [`List`].
    pub blocked: BTreeSet<String>,
}

impl Orders {
    /// The state after an order; none where it is so already.
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn with(&self, order: &Order) -> Result<Option<Self>, Refused> {
        let mut new = self.clone();
        match order {
            Order::Pause => new.paused = true,
            Order::GoOn => new.paused = false,
            Order::Stop => new.stopped = true,
            Order::Reopen => new.stopped = false,
            Order::Set(settings) => new.set.extend(settings.iter().cloned()),
            Order::Add(list, what) => {
                new.list_mut(*list).insert(what.clone());
                if new.list(*list).len() > LIST_MAX {
                    return Err(Refused::ListFull(*list));
                }
            }
            Order::Remove(list, what) => {
                if !new.list_mut(*list).remove(what) {
                    let there = self.list(*list).iter().cloned().collect();
                    return Err(Refused::NotThere { list: *list, what: what.clone(), there });
                }
            }
        }
        if new == *self {
            return Ok(None);
        }
        new.number += 1;
        if new.bytes() > BYTES_MAX { Err(Refused::Full) } else { Ok(Some(new)) }
    }

    /// What makes this state of an earlier one. What is taken back comes first, so that no list is ever longer than in one of the two.
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
        // Together: one value may only be right beside another.
        let changed = self.set.iter().filter(|(name, value)| earlier.set.get(*name) != Some(*value));
        let changed: Vec<_> = changed.map(|(name, value)| (name.clone(), value.clone())).collect();
        orders.extend((!changed.is_empty()).then_some(Order::Set(changed)));
        if self.paused != earlier.paused {
            orders.push(if self.paused { Order::Pause } else { Order::GoOn });
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

    /// How long it is as it is written.
    fn bytes(&self) -> usize {
        serde_json::to_vec(self).map_or(usize::MAX, |text| text.len())
    }
}

#[cfg(test)]
#[path = "orders_tests.rs"]
mod tests;
