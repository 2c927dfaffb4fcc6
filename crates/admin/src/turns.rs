//! Which connection is closed for a new one: a rule over values, and the turns by which connections wait.

use std::cmp::Reverse;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// Says since which turn a connection waits: it does not, as it is being answered.
const ANSWERED: u64 = u64::MAX;

/// Counts the turns at which connections of a server began to wait.
#[derive(Debug, Default)]
pub(super) struct Turns {
    count: AtomicU64,
    begun: Notify,
}

impl Turns {
    /// Returns the state of a new connection: it waits for its client.
    pub(super) fn new_connection(self: &Arc<Self>) -> Waiting {
        let waiting = Waiting { since: Arc::default(), turns: Arc::clone(self) };
        waiting.begin();
        waiting
    }

    /// Returns when another connection begins to wait, or has begun to since the last call.
    pub(super) async fn next_begins(&self) {
        self.begun.notified().await;
    }
}

/// Whether a connection waits for its client, and since when.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    since: Arc<AtomicU64>,
    turns: Arc<Turns>,
}

impl Waiting {
    /// Returns the turn at which it began to wait; `None` if it is being answered.
    pub(super) fn since(&self) -> Option<u64> {
        Some(self.since.load(Ordering::Relaxed)).filter(|since| *since != ANSWERED)
    }

    /// Marks the connection as one that is being answered, until the returned value is dropped.
    pub(super) fn answer(&self) -> Answering {
        self.since.store(ANSWERED, Ordering::Relaxed);
        Answering(self.clone())
    }

    fn begin(&self) {
        self.since.store(self.turns.count.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        self.turns.begun.notify_one();
    }
}

/// A response in progress.
#[derive(Debug)]
pub(super) struct Answering(Waiting);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.begin();
    }
}

/// Returns the position of the connection to close for a new one. Each is given by its client's machine and the turn
/// since which it waits, if it does: the machine with the most connections loses the one that waits longest. `None` if
/// every connection is being answered.
pub(super) fn to_close(open: &[(Option<IpAddr>, Option<u64>)]) -> Option<usize> {
    let of_machine = |machine| open.iter().filter(|each| each.0 == machine).count();
    let waiting = open.iter().enumerate().filter_map(|(at, (machine, since))| Some((at, *machine, (*since)?)));
    waiting.max_by_key(|(_, machine, since)| (of_machine(*machine), Reverse(*since))).map(|(at, ..)| at)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn machine(last: u8) -> Option<IpAddr> {
        Some(Ipv4Addr::new(192, 0, 2, last).into())
    }

    #[test]
    fn the_machine_with_most_connections_loses_the_one_that_waits_longest() {
        let open = [(machine(1), Some(0)), (machine(2), Some(7)), (machine(2), Some(5)), (machine(2), None)];
        assert_eq!(to_close(&open), Some(2));
        assert_eq!(to_close(&open[..2]), Some(0), "equal shares: the one that waits longest");
        assert_eq!(to_close(&[(None, Some(4)), (None, Some(3))]), Some(1));
    }

    #[test]
    fn connections_that_are_being_answered_are_never_closed() {
        assert_eq!(to_close(&[]), None);
        assert_eq!(to_close(&[(machine(1), None), (machine(1), None)]), None);
        assert_eq!(to_close(&[(machine(1), None), (machine(1), None), (machine(2), Some(9))]), Some(2));
    }

    #[test]
    fn a_connection_waits_again_from_the_end_of_its_response() {
        let turns = Arc::new(Turns::default());
        let (first, second) = (turns.new_connection(), turns.new_connection());
        assert!(first.since() < second.since());
        let answering = first.answer();
        assert_eq!(first.since(), None);
        drop(answering);
        assert!(first.since() > second.since(), "it waits anew");
    }
}
