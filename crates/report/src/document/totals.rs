//! Sums over several reports and snapshots.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::closing::is_zero;
use crate::{HostTrouble, StopReason};
use harvestman_core::model::{FateTable, SearchRecord, TrapRecord};
use harvestman_stages::host::CappedDelay;

/// Sums over the sessions of one directory or of several, in the form of a report, or of a snapshot while one of them
/// runs.
///
/// Values that cannot be added up, such as hosts and the set of URLs seen, are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Totals {
    /// When the first session started (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// When the last session ended, if none runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Why the last session ended, if none runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Seconds from the first start to the last end, if none runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_seconds: Option<f64>,
    /// Seconds since the first start, if one runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_seconds: Option<f64>,
    /// Whether all that run are paused, if one runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Pages fetched.
    pub pages: u64,
    /// Requests sent.
    pub requests: u64,
    /// Bytes of bodies received.
    pub bytes: u64,
    /// Links discovered.
    pub discovered: u64,
    /// URLs that wait or are being fetched, if a session runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// The fates of the links.
    pub fates: FateTable,
    /// Responses by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failed requests by reason.
    pub errors: BTreeMap<Cow<'static, str>, u64>,
    /// The worst hosts; at most ten.
    pub troubles: Vec<HostTrouble>,
    /// Traps; at most fifty.
    pub traps: Vec<TrapRecord>,
    /// Pages that were wanted and new, by the session that knows of the most: nodes that share a policy know of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<u64>,
    /// What searches have found, by the session that sent or knows of the most queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<SearchRecord>,
    /// Hosts whose `Crawl-delay` is capped.
    #[serde(skip_serializing_if = "is_zero")]
    pub crawl_delays_capped_hosts: u64,
    /// The longest of these delays; at most twenty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crawl_delays_capped: Vec<CappedDelay>,
    /// CPU time of all sessions; `None` if that of one is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// Pages per second from the first start on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_per_second: Option<f64>,
}

impl Totals {
    /// Returns whether a session runs.
    pub const fn is_running(&self) -> bool {
        self.paused.is_some()
    }
}
