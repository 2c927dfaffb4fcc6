//! Counts for the report that no metric has: statuses and failures of all requests, and hosts that answer nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::run::local_failures::Outages;
use harvestman_core::model::{Exchange, Failure};
use harvestman_core::url::HostKey;
use harvestman_report::HostTrouble;

/// The maximum number of hosts that are monitored for trouble; further ones are not.
const HOSTS_MAX: usize = 10_000;
/// The maximum number of hosts that a report names.
const TROUBLES_MAX: usize = 10;

#[derive(Debug, Default)]
struct Health {
    requests: u64,
    failures: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Default)]
struct Counts {
    statuses: BTreeMap<u16, u64>,
    errors: BTreeMap<Cow<'static, str>, u64>,
    hosts: HashMap<HostKey, Health>,
}

/// The counts, shared.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// What requests wait for that is no fault of a host.
    pub(crate) outages: Arc<Outages>,
    counts: Mutex<Counts>,
}

impl Tally {
    /// Counts one ended request.
    pub(crate) fn count(&self, host: &HostKey, exchange: &Exchange) {
        let failure = match &exchange.result {
            Ok(answer) if answer.status >= 400 => Some(Failure::Http(answer.status)),
            Ok(_) => None,
            Err(failure) => Some(*failure),
        };
        let mut counts = self.counts.lock();
        if let Ok(answer) = &exchange.result {
            *counts.statuses.entry(answer.status).or_default() += 1;
        }
        if let Some(failure) = failure {
            *counts.errors.entry(failure.label().into()).or_default() += 1;
        }
        if counts.hosts.len() >= HOSTS_MAX && !counts.hosts.contains_key(host) {
            return;
        }
        let health = match counts.hosts.get_mut(host) {
            Some(health) => health,
            None => counts.hosts.entry(host.clone()).or_default(),
        };
        health.requests += 1;
        if let Some(failure) = failure {
            *health.failures.entry(failure.label()).or_default() += 1;
        }
    }

    /// Returns the answers by status, and the failures by reason.
    pub(crate) fn totals(&self) -> (BTreeMap<u16, u64>, BTreeMap<Cow<'static, str>, u64>) {
        let counts = self.counts.lock();
        (counts.statuses.clone(), counts.errors.clone())
    }

    /// Returns the hosts of whose requests nine in ten or more failed, the worst first.
    pub(crate) fn troubles(&self) -> Vec<HostTrouble> {
        let counts = self.counts.lock();
        let mut troubles: Vec<HostTrouble> = counts
            .hosts
            .iter()
            .filter_map(|(host, health)| {
                let failed: u64 = health.failures.values().sum();
                let (reason, _) = health.failures.iter().max_by_key(|(_, count)| **count)?;
                (failed * 10 >= health.requests * 9).then(|| HostTrouble {
                    host: host.to_string(),
                    requests: health.requests,
                    failed,
                    reason: (*reason).into(),
                })
            })
            .collect();
        troubles.sort_by(|a, b| b.failed.cmp(&a.failed).then_with(|| a.host.cmp(&b.host)));
        troubles.truncate(TROUBLES_MAX);
        troubles
    }
}
