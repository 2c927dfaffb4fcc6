//! What crosses between the nodes of a fleet.

use super::ScheduledUrl;

/// What an event means to the fleet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetEffects {
    /// URLs that other nodes hold: they are on their way before the event counts as kept.
    pub foreign: Vec<ScheduledUrl>,
    /// A batch that came from other nodes, and is taken in with this event.
    pub arrived: Option<Arrival>,
    /// Partitions that are held, and have missed nothing, from this event on.
    pub taken: Vec<u16>,
    /// Partitions that are let go with this event.
    pub released: Vec<u16>,
    /// Numbers of URLs that waited and wait at another node from now on.
    pub dropped: Vec<u64>,
    /// Whether what waits from now on waited at another node before, whose state of it is kept already.
    pub imported: bool,
}

/// A batch of the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// The shard that it came in.
    pub shard: u16,
    /// Its place there.
    pub sequence: u64,
    /// Whether all before it was taken in too. Not so where partitions that were taken later catch up.
    pub in_order: bool,
}
