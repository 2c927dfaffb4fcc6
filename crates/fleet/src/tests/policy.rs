//! A minimal policy: it counts its observations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::run::Outcome;
use crate::SessionId;
use crate::bus::{BoxFuture, Stream};
use crate::node::records;
use crate::policy::{Outbox, POLICY, PolicyRecord, PolicyReplica, PolicySession, RetentionLimits};
use harvestman_metrics::FleetMetrics;

/// Small, so that every run has segments; none is dropped.
pub(super) const BOUNDS: RetentionLimits =
    RetentionLimits { segment: 24, segment_bytes: 1 << 20, first: 1 << 20, kept: 1 << 20, kept_bytes: 1 << 30 };

/// How often each observation was counted.
type Counts = BTreeMap<String, u64>;

#[derive(Default)]
struct Inner {
    learns: Option<Counts>,
    followed: (u64, Counts),
    /// Whether the session ended because the crawl was complete.
    is_finished: bool,
}

/// The policy of one session.
pub(super) struct ToyReplica {
    session: SessionId,
    pub(super) outbox: Arc<Outbox>,
    inner: Mutex<Inner>,
    book: Arc<Book>,
}

/// The policies of all sessions.
#[derive(Default)]
pub(super) struct Book {
    replicas: Mutex<BTreeMap<SessionId, Arc<ToyReplica>>>,
    wrong: Mutex<Vec<String>>,
}

impl ToyReplica {
    pub(super) fn new(session: SessionId, book: &Arc<Book>) -> (Arc<Self>, Arc<PolicySession>) {
        let outbox = Arc::new(Outbox::new(Arc::new(FleetMetrics::off())));
        let replica =
            Arc::new(Self { session, outbox: Arc::clone(&outbox), inner: Mutex::default(), book: Arc::clone(book) });
        book.replicas.lock().insert(replica.session.clone(), Arc::clone(&replica));
        let policy_session = PolicySession::new(Arc::clone(&replica) as _, outbox, BOUNDS);
        (replica, policy_session)
    }

    pub(super) fn finished(&self) {
        self.inner.lock().is_finished = true;
    }

    fn wrong(&self, what: impl std::fmt::Display) {
        self.book.wrong.lock().push(format!("{}: {what}", self.session));
    }
}

impl PolicyReplica for ToyReplica {
    fn start_leading(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { self.inner.lock().learns = Some(Counts::new()) })
    }

    fn observe(&self, observations: Vec<Bytes>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut inner = self.inner.lock();
            let Some(learns) = &mut inner.learns else {
                return self.wrong("it was shown something though it does not learn");
            };
            for observation in observations {
                let name = String::from_utf8_lossy(&observation).into_owned();
                let count = learns.entry(name.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    self.wrong(format_args!("the policy counted {name} twice"));
                }
            }
        })
    }

    fn publication(&self) -> BoxFuture<'_, Option<Bytes>> {
        Box::pin(async { self.inner.lock().learns.as_ref().map(records::written) })
    }

    fn stop_leading(&self) {
        self.inner.lock().learns = None;
    }

    fn follow(&self, version: u64, publication: Bytes) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let counts: Counts = records::read(&publication)?;
            let mut inner = self.inner.lock();
            let (before, known) = &inner.followed;
            if version <= *before {
                self.wrong(format_args!("the policy's version {version} came after {before}"));
            }
            if let Some(name) = known.keys().find(|name| !counts.contains_key(*name)) {
                self.wrong(format_args!("the policy's version {version} has forgotten {name}, which {before} knew"));
            }
            inner.followed = (version, counts);
            Ok(())
        })
    }
}

/// Returns all violations in what was learned.
pub(super) fn wrong(outcome: &Outcome, has_faults: bool) -> Vec<String> {
    let mut wrong = outcome.book.wrong.lock().clone();
    wrong.extend(outcome.model.state.lock().wrong.iter().cloned());
    let record = outcome.model.value(POLICY).and_then(|value| records::read::<PolicyRecord>(&value).ok());
    let Some(record) = record else {
        wrong.push("nobody ever held the policy".to_owned());
        return wrong;
    };
    let observed = outcome.model.state.lock().observed.clone();
    let replicas = outcome.book.replicas.lock();
    let holder = record.holder.as_ref().and_then(|holder| replicas.get(holder));
    let counted = holder.and_then(|replica| {
        let inner = replica.inner.lock();
        let counts = inner.learns.as_ref().filter(|_| inner.is_finished)?;
        Some(counts.keys().cloned().collect::<BTreeSet<_>>())
    });
    match counted {
        Some(counted) => {
            let lost: Vec<_> = observed.difference(&counted).cloned().collect();
            if let Some(first) = lost.first() {
                wrong.push(format!("the policy never counted {first}, nor {} more", lost.len() - 1));
            }
        }
        // The holder was killed at the very end.
        _ if has_faults => {}
        _ => wrong.push("nobody held the policy at the end".to_owned()),
    }
    if !has_faults {
        wrong.extend(unsettled(outcome, &record, &observed, &replicas));
    }
    wrong
}

/// Returns what has not converged at the end of a run without faults.
fn unsettled(
    outcome: &Outcome,
    record: &PolicyRecord,
    observed: &BTreeSet<String>,
    replicas: &BTreeMap<SessionId, Arc<ToyReplica>>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let newest = record.newest.as_ref().map_or(0, |newest| newest.version);
    for (session, replica) in replicas {
        let inner = replica.inner.lock();
        let (version, counts) = &inner.followed;
        // A session that joined after the end of the crawl makes no decisions.
        if inner.is_finished && *version > 0 && (*version != newest || counts.len() != observed.len()) {
            wrong.push(format!(
                "{session} goes by version {version} of the policy ({} of {} observations), not {newest}",
                counts.len(),
                observed.len()
            ));
        }
    }
    let followers = replicas.values().filter(|replica| replica.inner.lock().followed.0 == newest).count();
    if newest == 0 || followers < 2 {
        wrong.push(format!("{followers} go by version {newest} of the policy"));
    }
    let state = outcome.model.state.lock();
    let kept = state.streams.get(&Stream::Observations);
    let first = kept.and_then(|kept| kept.messages.keys().next().copied()).unwrap_or(u64::MAX);
    if record.segments.is_empty() || first <= record.through {
        wrong.push(format!("the observations are not trimmed: {first} is there, {} is kept", record.through));
    }
    let named: BTreeSet<&String> = record.segments.iter().map(|segment| &segment.object).collect();
    let left = state.objects.keys().filter(|name| name.starts_with("seen.") && !named.contains(name));
    wrong.extend(left.map(|name| format!("{name} is left, and nothing names it")));
    let publications = state.objects.keys().filter(|name| name.starts_with("policy.")).count();
    if publications > 3 {
        wrong.push(format!("{publications} publications of the policy are left"));
    }
    wrong
}
