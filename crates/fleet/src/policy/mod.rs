//! The policy of a fleet: one session holds it and is shown what all nodes have fetched; the others decide by what it publishes.
//!
//! * Every node leaves its observations in its [`Outbox`], from where they go to the stream of observations in batches, each numbered by
//!   its sender ([`Senders`] tells what was appended twice).
//! * Whoever holds the [key](PolicyRecord) reads the stream in order. A policy depends on its observations alone: where they are shown
//!   again in the same order, it is the same. So what is kept are the observations, in [segments](Segment), not the policy.
//! * From time to time the holder publishes what it has learnt as an object, and names it in the key by compare-and-swap. The stream is
//!   trimmed behind the segments that the key names.
//! * When the holder is dead, the oldest session that stays takes the key, shows its own policy the segments and then the stream, and
//!   publishes under the next version as soon as it knows what was known.
//!
//! The guard against traps is no part of this: forms of address are a host's, and a host is one node's. Each node guards its own.

mod claim;
mod outbox;
mod pacing;
mod record;
mod replica;
mod retention;
mod senders;

pub use claim::{Candidate, claim};
pub use outbox::{BATCH, Outbox};
pub use pacing::spacing;
pub use record::{LatestPublication, POLICY, PolicyRecord, Segment};
pub use replica::{PolicyReplica, PolicySession};
pub use retention::RetentionLimits;
pub use senders::Senders;

/// The subject of observations in their stream.
pub const SUBJECT: &str = "seen";
