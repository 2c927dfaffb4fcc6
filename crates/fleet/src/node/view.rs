//! What a node has seen of the fleet's keys.

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

/// A record and the revision that it has.
pub type Versioned<T> = (T, u64);

/// What a node has seen of the keys. It may be older than what they hold, but never mixes up the order of one key's values.
#[derive(Debug, Default)]
pub struct FleetView {
    /// Everything that there was when the watch began has been seen.
    pub up_to_date: bool,
    /// The sessions' leases.
    pub sessions: BTreeMap<SessionId, Versioned<SessionRecord>>,
    /// The partitions that were ever held.
    pub partitions: BTreeMap<Partition, Versioned<PartitionRecord>>,
    /// Where sessions keep what they know.
    pub sources: BTreeMap<SessionId, Versioned<SourceRecord>>,
    /// The crawl.
    pub crawl: Option<Versioned<CrawlRecord>>,
    /// The policy.
    pub policy: Option<Versioned<PolicyRecord>>,
    /// The orders.
    pub orders: Option<Versioned<Bytes>>,
    /// What is placed otherwise than hashing says.
    pub placement: Option<Versioned<Placement>>,
    /// What people ask the leader to spread.
    pub rebalance: Option<Versioned<Rebalance>>,
    /// What was granted of the budgets.
    pub budget: Option<Versioned<Budget>>,
    revisions: BTreeMap<String, u64>,
    told: BTreeSet<String>,
    told_up_to: u64,
}

impl FleetView {
    /// A new watch has begun: it tells everything anew.
    pub fn watch_begins(&mut self) {
        self.up_to_date = false;
        self.told.clear();
        self.told_up_to = 0;
    }

    /// What came of the watch.
    ///
    /// # Errors
    /// A value that cannot be read; the view stays as it was.
    pub fn see(&mut self, seen: WatchEvent) -> Result<(), String> {
        match seen {
            WatchEvent::Key(value) => {
                if !self.up_to_date {
                    self.told.insert(value.key.clone());
                    self.told_up_to = self.told_up_to.max(value.revision);
                }
                self.apply(value)
            }
            WatchEvent::UpToDate => {
                self.forget_what_was_not_told();
                self.up_to_date = true;
                Ok(())
            }
        }
    }

    /// A key holds this, or held it at that revision.
    ///
    /// # Errors
    /// A value that cannot be read.
    pub fn apply(&mut self, new: KeyValue) -> Result<(), String> {
        let KeyValue { key, value, revision } = new;
        if self.revisions.get(&key).is_some_and(|known| *known >= revision) {
            return Ok(());
        }
        let result = self.put(&key, value.map(|value| (value, revision)));
        self.revisions.insert(key.clone(), revision);
        result.map_err(|error| format!("the key {key} cannot be read: {error}"))
    }

    fn put(&mut self, key: &str, value: Option<Versioned<Bytes>>) -> Result<(), String> {
        match key.split_once('.') {
            Some(("session", id)) => put(&mut self.sessions, SessionId(id.to_owned()), value),
            Some(("source", id)) => put(&mut self.sources, SessionId(id.to_owned()), value),
            Some(("partition", number)) => {
                let number = number.parse().map_err(|_| "it names no partition".to_owned())?;
                put(&mut self.partitions, Partition(number), value)
            }
            None if key == records::CRAWL => alone(&mut self.crawl, value),
            None if key == POLICY => alone(&mut self.policy, value),
            None if key == records::PLACEMENT => alone(&mut self.placement, value),
            None if key == records::REBALANCE => alone(&mut self.rebalance, value),
            None if key == records::BUDGET => alone(&mut self.budget, value),
            None if key == records::ORDERS => {
                self.orders = value;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Keys that are gone were deleted while nobody watched.
    fn forget_what_was_not_told(&mut self) {
        let is_gone = |(key, revision): &(&String, &u64)| !self.told.contains(*key) && **revision <= self.told_up_to;
        let gone: Vec<String> = self.revisions.iter().filter(is_gone).map(|(key, _)| key.clone()).collect();
        for key in gone {
            // Nothing is read, so nothing can be wrong with it.
            let _ = self.put(&key, None);
        }
    }

    /// What a session said last, if it lives.
    pub fn heartbeat(&self, session: &SessionId) -> Option<&Heartbeat> {
        match self.sessions.get(session) {
            Some((SessionRecord::Live(heartbeat), _)) => Some(heartbeat),
            _ => None,
        }
    }

    /// The sessions that live, as far as is known.
    pub fn live(&self) -> impl Iterator<Item = (&SessionId, &Heartbeat)> {
        self.sessions.keys().filter_map(|session| Some((session, self.heartbeat(session)?)))
    }

    /// The session that leads: the oldest one.
    pub fn leader(&self) -> Option<&SessionId> {
        let born = self.live().filter(|(_, heartbeat)| heartbeat.born > 0);
        born.min_by_key(|(_, heartbeat)| heartbeat.born).map(|(session, _)| session)
    }

    /// The youngest session of each node that stays.
    pub fn nodes(&self) -> BTreeMap<&str, &SessionId> {
        let mut staying: Vec<_> = self.live().filter(|(_, heartbeat)| !heartbeat.leaving).collect();
        staying.sort_by_key(|(_, heartbeat)| if heartbeat.born == 0 { u64::MAX } else { heartbeat.born });
        staying.into_iter().map(|(session, _)| (session.node(), session)).collect()
    }

    /// Their weights.
    pub fn weights(&self) -> BTreeMap<&str, Weight> {
        let weight = |session: &SessionId| self.heartbeat(session).map_or(0, |said| said.weight);
        self.nodes().into_iter().map(|(node, session)| (node, weight(session))).collect()
    }

    /// What is written of a partition, and at which revision; none where it was never held.
    pub fn partition(&self, partition: Partition) -> (PartitionRecord, Option<u64>) {
        let record = self.partitions.get(&partition);
        record.map_or_else(Default::default, |(record, revision)| (record.clone(), Some(*revision)))
    }
}

fn alone<T: serde::de::DeserializeOwned>(
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
