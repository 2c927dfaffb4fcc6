//! What the leader does. All of it can be done twice, or by two at once: being the leader saves work, and nothing depends on it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::balancing::Balancer;
use super::calls::Swapped;
use super::log::{EXCHANGE, log_stream};
use super::parts;
use super::records::{self, CrawlRecord, CrawlState, SessionRecord, session_key, source_key};
use super::shared::Shared;
use super::view::View;
use crate::SessionId;
use crate::bus::Stream;
use crate::ending::{Quiet, Report, quiet};
use crate::trimming::{Reading, reached};
use harvestman_core::clock::Instant;
use harvestman_core::model::ScheduledUrl;

/// A shard is trimmed when so many of its messages were read, or some of them so long ago.
const TRIMMED_AT_ONCE: u64 = 256;
const TRIMMED_EVERY: Duration = Duration::from_secs(5);

/// What a leader remembers.
#[derive(Default)]
struct Leader {
    /// Up to where each shard was trimmed, and when.
    trimmed: BTreeMap<u16, (u64, Instant)>,
    /// Since when nothing names a session any more.
    unnamed: BTreeMap<SessionId, Instant>,
    quiet: Option<Quiet>,
    balancer: Balancer,
}

pub(super) async fn lead(shared: Arc<Shared>) {
    let mut leader = Leader::default();
    loop {
        shared.clock.sleep(shared.options.look).await;
        let leads = shared.view.lock().leader() == Some(&shared.session);
        if !leads || !shared.is_sure() {
            leader = Leader::default();
            continue;
        }
        let state = shared.view.lock().crawl.as_ref().map(|(crawl, _)| crawl.state);
        match state {
            Some(CrawlState::Planting) => plant(&shared).await,
            Some(CrawlState::Running) => {
                leader.trim(&shared).await;
                leader.clear(&shared).await;
                leader.balancer.look(&shared).await;
                leader.end(&shared).await;
            }
            _ => {}
        }
    }
}

/// Puts the seeds into the exchange.
async fn plant(shared: &Shared) {
    let mut shards: BTreeMap<u16, Vec<ScheduledUrl>> = BTreeMap::new();
    let partitions = &shared.options.partitions;
    for seed in &shared.options.seeds {
        let shard = partitions.shard(partitions.of(&seed.url.host_key()));
        shards.entry(shard).or_default().push(seed.clone());
    }
    for (shard, seeds) in shards {
        if shared.log.publish(shard, &seeds, 0).await.is_err() {
            return;
        }
    }
    turn(shared, CrawlState::Planting, CrawlState::Running).await;
}

/// Changes the crawl's state, if it is still the one.
async fn turn(shared: &Shared, from: CrawlState, to: CrawlState) {
    let Some((crawl, revision)) = shared.view.lock().crawl.clone() else { return };
    if crawl.state != from {
        return;
    }
    let value = records::written(&CrawlRecord { state: to, ..crawl });
    match shared.calls.swap(records::CRAWL, &value, Some(revision)).await {
        Swapped::Done(revision) => shared.wrote(records::CRAWL.to_owned(), value, revision),
        Swapped::Conflict(_) => {}
    }
}

fn reports(view: &View) -> Vec<Report<'_>> {
    view.live()
        .map(|(session, heartbeat)| Report {
            session,
            beat: heartbeat.beat,
            is_idle: heartbeat.is_idle(),
            activity: heartbeat.activity,
            held: &heartbeat.held,
            positions: &heartbeat.positions,
        })
        .collect()
}

/// Whether enough of a shard has been read since it was trimmed: each time costs a message.
fn is_worth_trimming(position: u64, last: Option<(u64, Instant)>, now: Instant) -> bool {
    let (trimmed, at) = last.unwrap_or_default();
    position >= trimmed + TRIMMED_AT_ONCE || (position > trimmed && now.since(at) >= TRIMMED_EVERY)
}

impl Leader {
    /// Removes what all have read from the exchange.
    async fn trim(&mut self, shared: &Shared) {
        let reached = {
            let view = shared.view.lock();
            let readings = view.live().map(|(_, said)| Reading { held: &said.held, positions: &said.positions });
            reached(readings, &shared.options.partitions)
        };
        for (shard, position) in (0..).zip(reached) {
            let position = position.unwrap_or(0);
            let now = shared.clock.now();
            if !is_worth_trimming(position, self.trimmed.get(&shard).copied(), now) {
                continue;
            }
            let trim = shared.calls.bus.trim(Stream::Exchange(shard), EXCHANGE, position + 1);
            if shared.calls.once(trim).await.is_ok() {
                self.trimmed.insert(shard, (position, now));
            }
        }
    }

    /// Clears away what sessions have left behind that no partition needs any more. Not at once: a write of such a session that names it may
    /// still be under way.
    async fn clear(&mut self, shared: &Shared) {
        let now = shared.clock.now();
        let unnamed = unnamed(&shared.view.lock());
        self.unnamed.retain(|session, _| unnamed.contains(session));
        for session in unnamed {
            let since = *self.unnamed.entry(session.clone()).or_insert(now);
            if now.since(since) >= shared.options.clear_after {
                clear(shared, &session).await;
                self.unnamed.remove(&session);
            }
        }
    }

    /// Ends the crawl when it is over.
    async fn end(&mut self, shared: &Shared) {
        let partitions = &shared.options.partitions;
        if !policy_is_held(shared) {
            return;
        }
        let Some(known) = self.quiet.take() else {
            let quiet = quiet(&reports(&shared.view.lock()), partitions);
            self.quiet = match quiet {
                Some(quiet) => look_closer(shared, quiet).await,
                None => None,
            };
            return;
        };
        let is_over = known.is_over(&reports(&shared.view.lock()), partitions);
        match is_over {
            Some(true) => turn(shared, CrawlState::Running, CrawlState::Over).await,
            Some(false) => self.quiet = Some(known),
            None => {}
        }
    }
}

/// Whether somebody who lives holds the policy, where the fleet has one: what was learnt is to be left by somebody.
fn policy_is_held(shared: &Shared) -> bool {
    let view = shared.view.lock();
    let holder = view.policy.as_ref().and_then(|(record, _)| record.holder.as_ref());
    shared.policy.is_none() || holder.is_some_and(|holder| view.heartbeat(holder).is_some())
}

/// Asks for the ends of the exchange, and then for the leases.
async fn look_closer(shared: &Shared, mut quiet: Quiet) -> Option<Quiet> {
    let mut ends = Vec::new();
    for shard in 0..shared.options.partitions.shards() {
        ends.push(shared.calls.once(shared.calls.bus.last(Stream::Exchange(shard), EXCHANGE)).await.ok()?);
    }
    if !quiet.has_read(&ends) {
        return None;
    }
    let sessions: Vec<SessionId> = quiet.sessions.keys().cloned().collect();
    for session in sessions {
        let key = session_key(&session);
        let held = shared.calls.once(shared.calls.bus.get(&key)).await.ok()??;
        match records::read(&held.value?) {
            Ok(SessionRecord::Live(said)) if quiet.looked_up(&session, said.beat, said.activity) => {}
            _ => return None,
        }
    }
    Some(quiet)
}

/// The sessions that have ended and that no partition's record names.
fn unnamed(view: &View) -> Vec<SessionId> {
    let names = |session: &SessionId| {
        let mut records = view.partitions.values();
        records.any(|(record, _)| record.source.as_ref() == Some(session) || record.owner.as_ref() == Some(session))
    };
    let known = view.sources.keys().chain(view.sessions.keys());
    let mut ended: Vec<SessionId> =
        known.filter(|session| view.heartbeat(session).is_none() && !names(session)).cloned().collect();
    ended.sort_unstable();
    ended.dedup();
    ended
}

/// Clears a session away: last what it is found by.
async fn clear(shared: &Shared, session: &SessionId) {
    let calls = &shared.calls;
    let parts = shared.view.lock().sources.get(session).map(|(record, _)| record.parts.clone()).unwrap_or_default();
    for name in parts {
        parts::remove(calls, &name).await;
    }
    let stream = log_stream(session, shared.options.log_shards);
    calls.surely("trimming a log", || calls.bus.trim(stream, &session.0, u64::MAX)).await;
    for key in [source_key(session), session_key(session)] {
        calls.surely(&key, || calls.bus.delete(&key)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_trimmed_when_much_was_read_or_something_a_while_ago() {
        let at = |seconds: u64| Instant::EPOCH + Duration::from_secs(1_000 + seconds);
        let last = Some((10, at(0)));
        assert!(!is_worth_trimming(10, last, at(60)), "nothing was read");
        assert!(!is_worth_trimming(100, last, at(4)) && is_worth_trimming(11, last, at(5)));
        assert!(is_worth_trimming(266, last, at(0)));
        assert!(is_worth_trimming(1, None, at(0)) && !is_worth_trimming(0, None, at(0)));
    }
}
