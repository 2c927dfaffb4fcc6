//! A node's view of the fleet's keys.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::records::{
    self, CrawlRecord, Heartbeat, PartitionRecord, Placement, Rebalance, SessionRecord, SourceRecord,
};
use crate::assignment::Weight;
use crate::budget::Budget;
use crate::bus::{KeyValue, WatchEvent};
use crate::policy::{POLICY, PolicyRecord};
use crate::{Partition, SessionId};

/// A record and its revision.
pub type Versioned<T> = (T, u64);

/// A node's view of the keys. It may lag behind, but never reorders the values of one key.
#[derive(Debug, Default)]
pub struct FleetView {
    /// Whether all keys that existed when the watch began have been seen.
    pub up_to_date: bool,
    /// The sessions' leases.
    pub sessions: BTreeMap<SessionId, Versioned<SessionRecord>>,
    /// The partitions that were ever held.
    pub partitions: BTreeMap<Partition, Versioned<PartitionRecord>>,
    /// The locations of the sessions' persisted state.
    pub sources: BTreeMap<SessionId, Versioned<SourceRecord>>,
    /// The crawl.
    pub crawl: Option<Versioned<CrawlRecord>>,
    /// The policy.
    pub policy: Option<Versioned<PolicyRecord>>,
    /// The orders.
    pub orders: Option<Versioned<Bytes>>,
    /// Placements that differ from hashing.
    pub placement: Option<Versioned<Placement>>,
    /// Requests to rebalance.
    pub rebalance: Option<Versioned<Rebalance>>,
    /// The budgets and grants.
    pub budget: Option<Versioned<Budget>>,
    revisions: BTreeMap<String, u64>,
    listed: BTreeSet<String>,
    listed_up_to: u64,
}

impl FleetView {
    /// Begins a new watch, which lists all keys again.
    pub fn watch_begins(&mut self) {
        self.up_to_date = false;
        self.listed.clear();
        self.listed_up_to = 0;
    }

    /// Applies an event of the watch.
    ///
    /// # Errors
    /// The value cannot be read; the view is unchanged.
    pub fn see(&mut self, seen: WatchEvent) -> Result<(), String> {
        match seen {
            WatchEvent::Key(value) => {
                if !self.up_to_date {
                    self.listed.insert(value.key.clone());
                    self.listed_up_to = self.listed_up_to.max(value.revision);
                }
                self.apply(value)
            }
            WatchEvent::UpToDate => {
                self.forget_unlisted();
                self.up_to_date = true;
                Ok(())
            }
        }
    }

    /// Applies a value that a key has, or had at this revision.
    ///
    /// # Errors
    /// The value cannot be read.
    pub fn apply(&mut self, new: KeyValue) -> Result<(), String> {
        let KeyValue { key, value, revision } = new;
        if self.revisions.get(&key).is_some_and(|known| *known >= revision) {
            return Ok(());
        }
        let result = self.put(&key, value.map(|value| (value, revision)));
        self.revisions.insert(key.clone(), revision);
        result.map_err(|error| format!("cannot read the key {key}: {error}"))
    }

    fn put(&mut self, key: &str, value: Option<Versioned<Bytes>>) -> Result<(), String> {
        match key.split_once('.') {
            Some(("session", id)) => put(&mut self.sessions, SessionId(id.to_owned()), value),
            Some(("source", id)) => put(&mut self.sources, SessionId(id.to_owned()), value),
            Some(("partition", number)) => {
                let number = number.parse().map_err(|_| "the name contains no partition number".to_owned())?;
                put(&mut self.partitions, Partition(number), value)
            }
            None if key == records::CRAWL => decode_into(&mut self.crawl, value),
            None if key == POLICY => decode_into(&mut self.policy, value),
            None if key == records::PLACEMENT => decode_into(&mut self.placement, value),
            None if key == records::REBALANCE => decode_into(&mut self.rebalance, value),
            None if key == records::BUDGET => decode_into(&mut self.budget, value),
            None if key == records::ORDERS => {
                self.orders = value;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Removes keys that the watch did not list: they were deleted while there was no watch.
    fn forget_unlisted(&mut self) {
        let is_gone =
            |(key, revision): &(&String, &u64)| !self.listed.contains(*key) && **revision <= self.listed_up_to;
        let gone: Vec<String> = self.revisions.iter().filter(is_gone).map(|(key, _)| key.clone()).collect();
        for key in gone {
            // A deletion has no value that could be unreadable.
            let _ = self.put(&key, None);
        }
    }

    /// Returns the last heartbeat of a session, if it is alive.
    pub fn heartbeat(&self, session: &SessionId) -> Option<&Heartbeat> {
        match self.sessions.get(session) {
            Some((SessionRecord::Live(heartbeat), _)) => Some(heartbeat),
            _ => None,
        }
    }

    /// Iterates over the sessions that are alive according to this view.
    pub fn live(&self) -> impl Iterator<Item = (&SessionId, &Heartbeat)> {
        self.sessions.keys().filter_map(|session| Some((session, self.heartbeat(session)?)))
    }

    /// Returns the leader: the oldest session.
    pub fn leader(&self) -> Option<&SessionId> {
        let born = self.live().filter(|(_, heartbeat)| heartbeat.born > 0);
        born.min_by_key(|(_, heartbeat)| heartbeat.born).map(|(session, _)| session)
    }

    /// Returns the youngest session of each node that is not leaving.
    pub fn nodes(&self) -> BTreeMap<&str, &SessionId> {
        let mut staying: Vec<_> = self.live().filter(|(_, heartbeat)| !heartbeat.leaving).collect();
        staying.sort_by_key(|(_, heartbeat)| if heartbeat.born == 0 { u64::MAX } else { heartbeat.born });
        staying.into_iter().map(|(session, _)| (session.node(), session)).collect()
    }

    /// Returns the weight of each such node.
    pub fn weights(&self) -> BTreeMap<&str, Weight> {
        let weight = |session: &SessionId| self.heartbeat(session).map_or(0, |heartbeat| heartbeat.weight);
        self.nodes().into_iter().map(|(node, session)| (node, weight(session))).collect()
    }

    /// Returns the record of a partition and its revision; the default and `None` if it was never held.
    pub fn partition(&self, partition: Partition) -> (PartitionRecord, Option<u64>) {
        let record = self.partitions.get(&partition);
        record.map_or_else(Default::default, |(record, revision)| (record.clone(), Some(*revision)))
    }
}

fn decode_into<T: serde::de::DeserializeOwned>(
    into: &mut Option<Versioned<T>>,
    value: Option<Versioned<Bytes>>,
) -> Result<(), String> {
    *into = value.map(|(value, at)| Ok::<_, String>((records::read(&value)?, at))).transpose()?;
    Ok(())
}

fn put<K: Ord, T: serde::de::DeserializeOwned>(
    into: &mut BTreeMap<K, Versioned<T>>,
    key: K,
    value: Option<Versioned<Bytes>>,
) -> Result<(), String> {
    match value {
        Some((value, revision)) => {
            into.insert(key, (records::read(&value)?, revision));
        }
        None => {
            into.remove(&key);
        }
    }
    Ok(())
}
