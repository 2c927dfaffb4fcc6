//! Bounded retries for callers that wait for an answer: a person at a terminal, or a node that is joining.
//!
//! Servers that have just created a stream, or have lost its leader, do not answer for a moment, and report it like a
//! failure. So a call is retried for some seconds before the error is returned. Tasks that run unattended retry for
//! longer (`node/bus_client.rs`).

use std::time::Duration;

use super::bus::BusError;
use harvestman_core::clock::Clock;

/// The timeout of one call.
const CALL_MAX: Duration = Duration::from_secs(2);
/// How long a call is retried. Servers notice the loss of a leader after four to nine seconds, and may need a second
/// vote.
pub const RETRY_FOR: Duration = Duration::from_secs(30);
/// The pause before a retry: first and longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(25), Duration::from_millis(400));
/// After how long the reason of the delay is logged.
const WARN_AFTER: Duration = Duration::from_secs(3);

/// Calls once, with the default timeout.
pub async fn call_once<T>(clock: &Clock, call: impl Future<Output = Result<T, BusError>>) -> Result<T, BusError> {
    with_timeout(clock, CALL_MAX, call).await
}

/// Calls once, with a timeout.
pub async fn with_timeout<T>(
    clock: &Clock,
    longest: Duration,
    call: impl Future<Output = Result<T, BusError>>,
) -> Result<T, BusError> {
    tokio::select! {
        biased;
        answer = call => answer,
        () = clock.sleep(longest) => Err(BusError::Unreachable("the call timed out".to_owned())),
    }
}

/// Retries until there is an answer, for [`RETRY_FOR`]. A write may happen more than once; a conditional write may
/// conflict with its own earlier attempt.
///
/// # Errors
/// The answer of the bus, or the last reason why there was none.
pub async fn retry<T, F>(clock: &Clock, mut call: impl FnMut() -> F) -> Result<T, BusError>
where
    F: Future<Output = Result<T, BusError>>,
{
    let began = clock.now();
    let (mut pause, longest) = BACKOFF;
    let mut has_warned = false;
    loop {
        let why = match call_once(clock, call()).await {
            Err(BusError::Unreachable(why)) => why,
            answer => return answer,
        };
        let waited = clock.now().since(began);
        if waited + pause > RETRY_FOR {
            return Err(BusError::Unreachable(why));
        }
        if waited >= WARN_AFTER && !std::mem::replace(&mut has_warned, true) {
            tracing::warn!("the fleet's servers do not answer yet ({why}); retrying");
        }
        clock.sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use harvestman_core::clock::Instant;

    fn away() -> BusError {
        BusError::Unreachable("no server responds".to_owned())
    }

    fn clock() -> Clock {
        Clock::starting_at(Instant::EPOCH)
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_gets_the_answer_that_comes_after_a_leader_was_chosen() {
        let (clock, calls) = (clock(), AtomicU32::new(0));
        let leader = clock.now() + Duration::from_secs(9);
        let answer = retry(&clock, || {
            calls.fetch_add(1, Ordering::Relaxed);
            let is_there = clock.now() >= leader;
            async move { if is_there { Ok(7) } else { Err(away()) } }
        });
        assert_eq!(answer.await, Ok(7));
        assert!(clock.now().since(leader) <= BACKOFF.1, "{:?}", clock.now());
        assert!((20..40).contains(&calls.into_inner()));
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_servers_refuse_is_told_at_once() {
        let clock = clock();
        for why in [BusError::Conflict, BusError::Full("full".to_owned()), BusError::Refused("no".to_owned())] {
            assert_eq!(retry::<(), _>(&clock, || async { Err(why.clone()) }).await, Err(why));
        }
        assert_eq!(clock.now(), Instant::EPOCH);
    }

    #[tokio::test(start_paused = true)]
    async fn servers_that_stay_away_are_given_up_and_so_are_such_that_say_nothing() {
        let clock = clock();
        assert_eq!(retry::<(), _>(&clock, || async { Err(away()) }).await, Err(away()));
        let waited = clock.now().since(Instant::EPOCH);
        assert!(waited <= RETRY_FOR && waited + BACKOFF.1 > RETRY_FOR, "{waited:?}");
        let silent = retry::<(), _>(&clock, std::future::pending).await;
        assert!(matches!(silent, Err(BusError::Unreachable(_))), "{silent:?}");
        assert!(clock.now().since(Instant::EPOCH) <= waited + RETRY_FOR + CALL_MAX);
    }
}
