//! The policy of a fleet: one session holds it and is shown what all nodes have fetched; the others follow what it
//! publishes.
//!
//! * Every node puts its observations into its [`Outbox`], which is flushed to the stream of observations in batches,
//!   each numbered by its sender ([`Senders`] detects batches that were appended twice).
//! * The holder of the [key](PolicyRecord) reads the stream in order. A policy depends on its observations alone: if
//!   they are replayed in the same order, it is the same. So the observations are persisted, in [segments](Segment),
//!   and not the policy.
//! * From time to time the holder publishes what it has learned as an object, and names it in the key by
//!   compare-and-swap. The stream is trimmed up to the segments that the key names.
//! * When the holder is dead, the oldest session that is not leaving takes the key, replays the segments and then the
//!   stream to its own policy, and publishes under the next version as soon as it knows what the last publication knew.
//!
//! The trap guard is not part of this: URL patterns of traps belong to a host, and a host belongs to one node. Each
//! node guards its own hosts.

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
