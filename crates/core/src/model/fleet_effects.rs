//! Exchange of URLs and partitions between the nodes of a fleet.

use super::ScheduledUrl;

/// The effects of an event on the fleet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetEffects {
    /// URLs that other nodes hold: they are sent before the event counts as committed.
    pub foreign: Vec<ScheduledUrl>,
    /// A batch from other nodes that is processed with this event.
    pub arrived: Option<Arrival>,
    /// Partitions that are held, without gaps, from this event on.
    pub taken: Vec<u16>,
    /// Partitions that are released with this event.
    pub released: Vec<u16>,
    /// Numbers of URLs that waited here and from now on wait at another node.
    pub dropped: Vec<u64>,
    /// Whether the URLs that wait from now on waited at another node before, whose state of them is already persisted.
    pub imported: bool,
}

/// A batch of the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Its shard.
    pub shard: u16,
    /// Its position in the shard.
    pub sequence: u64,
    /// Whether all earlier batches were processed too. This is not so while partitions that were taken later catch up.
    pub in_order: bool,
}
