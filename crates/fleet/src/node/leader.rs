//! The work of the leader. All of it may be done twice, or by two sessions at once: leadership saves work, and
//! correctness does not depend on it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::balancer::Balancer;
use super::bus_client::SwapOutcome;
use super::context::NodeContext;
use super::log::{EXCHANGE, log_stream};
use super::part_store;
use super::records::{self, CrawlRecord, CrawlState, SessionRecord, session_key, source_key};
use super::view::FleetView;
use crate::SessionId;
use crate::bus::Stream;
use crate::policy::SUBJECT;
use crate::termination::{Quiescence, SessionReport, quiet};
use crate::watermark::{ReadProgress, reached};
use harvestman_core::clock::Instant;
use harvestman_core::model::ScheduledUrl;

/// A shard is trimmed when this many of its messages were read, or fewer after this interval.
const TRIMMED_AT_ONCE: u64 = 256;
const TRIMMED_EVERY: Duration = Duration::from_secs(5);

/// State that the leader keeps in memory.
#[derive(Default)]
struct Leader {
    /// Up to where each shard was trimmed, and when.
    trimmed: BTreeMap<u16, (u64, Instant)>,
    /// Since when no record references a session.
    unnamed: BTreeMap<SessionId, Instant>,
    quiet: Option<Quiescence>,
    balancer: Balancer,
}

pub(super) async fn lead(context: Arc<NodeContext>) {
    let mut leader = Leader::default();
    loop {
        context.clock.sleep(context.options.look).await;
        let leads = context.view.lock().leader() == Some(&context.session);
        if !leads || !context.may_act() {
            leader = Leader::default();
            continue;
        }
        let state = context.view.lock().crawl.as_ref().map(|(crawl, _)| crawl.state);
        match state {
            Some(CrawlState::Planting) => plant(&context).await,
            Some(CrawlState::Running) => {
                leader.trim(&context).await;
                leader.clear(&context).await;
                leader.balancer.check(&context).await;
                leader.end(&context).await;
            }
            _ => {}
        }
    }
}

/// Publishes the seeds to the exchange.
async fn plant(context: &NodeContext) {
    let mut shards: BTreeMap<u16, Vec<ScheduledUrl>> = BTreeMap::new();
    let partitions = &context.options.partitions;
    for seed in &context.options.seeds {
        let shard = partitions.shard(partitions.of(&seed.url.host_key()));
        shards.entry(shard).or_default().push(seed.clone());
    }
    for (shard, seeds) in shards {
        if context.log.publish(shard, &seeds, 0).await.is_err() {
            return;
        }
    }
    turn(context, CrawlState::Planting, CrawlState::Running).await;
}

/// Changes the crawl's state if it is still `from`.
async fn turn(context: &NodeContext, from: CrawlState, to: CrawlState) {
    let Some((crawl, revision)) = context.view.lock().crawl.clone() else { return };
    if crawl.state != from {
        return;
    }
    let value = records::written(&CrawlRecord { state: to, ..crawl });
    match context.client.swap(records::CRAWL, &value, Some(revision)).await {
        SwapOutcome::Done(revision) => context.wrote(records::CRAWL.to_owned(), value, revision),
        SwapOutcome::Conflict(_) => {}
    }
}

fn reports(view: &FleetView) -> Vec<SessionReport<'_>> {
    view.live()
        .map(|(session, heartbeat)| SessionReport {
            session,
            beat: heartbeat.beat,
            is_idle: heartbeat.is_idle(),
            activity: heartbeat.activity,
            held: &heartbeat.held,
            positions: &heartbeat.positions,
        })
        .collect()
}

/// Returns whether enough of a shard was read since it was last trimmed: each trim costs a message.
fn is_worth_trimming(position: u64, last: Option<(u64, Instant)>, now: Instant) -> bool {
    let (trimmed, at) = last.unwrap_or_default();
    position >= trimmed + TRIMMED_AT_ONCE || (position > trimmed && now.since(at) >= TRIMMED_EVERY)
}

impl Leader {
    /// Trims from the exchange what all holders have read.
    async fn trim(&mut self, context: &NodeContext) {
        let reached = {
            let view = context.view.lock();
            let readings = view
                .live()
                .map(|(_, heartbeat)| ReadProgress { held: &heartbeat.held, positions: &heartbeat.positions });
            reached(readings, &context.options.partitions)
        };
        for (shard, position) in (0..).zip(reached) {
            let position = position.unwrap_or(0);
            let now = context.clock.now();
            if !is_worth_trimming(position, self.trimmed.get(&shard).copied(), now) {
                continue;
            }
            let trim = context.client.bus.trim(Stream::Exchange(shard), EXCHANGE, position + 1);
            if context.client.once(trim).await.is_ok() {
                self.trimmed.insert(shard, (position, now));
            }
        }
    }

    /// Removes the keys, parts and logs of dead sessions that no partition needs any more, after a delay: a write of
    /// such a session that references them may still be in flight.
    async fn clear(&mut self, context: &NodeContext) {
        let now = context.clock.now();
        let unnamed = unnamed(&context.view.lock());
        self.unnamed.retain(|session, _| unnamed.contains(session));
        for session in unnamed {
            let since = *self.unnamed.entry(session.clone()).or_insert(now);
            if now.since(since) >= context.options.clear_after {
                clear(context, &session).await;
                self.unnamed.remove(&session);
            }
        }
    }

    /// Ends the crawl when it is complete.
    async fn end(&mut self, context: &NodeContext) {
        let partitions = &context.options.partitions;
        let Some(shown) = shown_to_policy(context) else { return };
        let Some(known) = self.quiet.take() else {
            let quiet = quiet(&reports(&context.view.lock()), partitions);
            self.quiet = match quiet {
                Some(quiet) => look_closer(context, quiet, shown).await,
                None => None,
            };
            return;
        };
        let is_over = known.is_over(&reports(&context.view.lock()), partitions);
        match is_over {
            Some(true) => turn(context, CrawlState::Running, CrawlState::Over).await,
            Some(false) => self.quiet = Some(known),
            None => {}
        }
    }
}

/// Returns up to where the observations were shown to the policy; `u64::MAX` if the fleet has none, and `None` if no
/// live session holds it: its last proposals are still to come, and its final state has to be written by its holder.
fn shown_to_policy(context: &NodeContext) -> Option<u64> {
    if context.policy.is_none() {
        return Some(u64::MAX);
    }
    let view = context.view.lock();
    let holder = view.policy.as_ref().and_then(|(record, _)| record.holder.as_ref());
    holder.and_then(|holder| Some(view.heartbeat(holder)?.shown))
}

/// Reads the ends of the exchange and of the observations, and then the leases. `shown`: up to where the observations
/// were shown to the policy before.
async fn look_closer(context: &NodeContext, mut quiet: Quiescence, shown: u64) -> Option<Quiescence> {
    let mut ends = Vec::new();
    if shown < u64::MAX {
        let last = context.client.once(context.client.bus.last(Stream::Observations, SUBJECT)).await.ok()?;
        if shown < last {
            return None;
        }
    }
    for shard in 0..context.options.partitions.shards() {
        ends.push(context.client.once(context.client.bus.last(Stream::Exchange(shard), EXCHANGE)).await.ok()?);
    }
    if !quiet.has_read(&ends) {
        return None;
    }
    let sessions: Vec<SessionId> = quiet.sessions.keys().cloned().collect();
    for session in sessions {
        let key = session_key(&session);
        let held = context.client.once(context.client.bus.get(&key)).await.ok()??;
        match records::read(&held.value?) {
            Ok(SessionRecord::Live(heartbeat)) if quiet.looked_up(&session, heartbeat.beat, heartbeat.activity) => {}
            _ => return None,
        }
    }
    Some(quiet)
}

/// Returns the ended sessions that no partition's record references.
fn unnamed(view: &FleetView) -> Vec<SessionId> {
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

/// Removes a session's data, last the keys by which it is found.
async fn clear(context: &NodeContext, session: &SessionId) {
    let client = &context.client;
    let parts = context.view.lock().sources.get(session).map(|(record, _)| record.parts.clone()).unwrap_or_default();
    for name in parts {
        part_store::remove(client, &name).await;
    }
    let stream = log_stream(session, context.options.log_shards);
    client.retry_until_ok("trimming a log", || client.bus.trim(stream, &session.0, u64::MAX)).await;
    for key in [source_key(session), session_key(session)] {
        client.retry_until_ok(&key, || client.bus.delete(&key)).await;
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
