//! Reading a body: as much of it as is wanted, as long as it comes fast enough.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::timer::Timer;
use harvestman_core::clock::Instant;
use harvestman_core::model::Truncation;

/// How much of a body is read, and how slow it may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimits {
    /// The most bytes that are kept.
    pub(super) max: u64,
    /// Bytes that must come in every `window`; 0 for no such limit.
    pub(super) window_min: u64,
    pub(super) window: Duration,
}

/// What was read.
pub(super) struct Read {
    pub(super) bytes: Bytes,
    pub(super) truncated: Option<Truncation>,
    /// The place among the large bodies that this one takes.
    pub(super) place: Option<OwnedSemaphorePermit>,
}

/// Up to this length a body is read without asking; a longer one needs a place among the large bodies, of which there are few.
/// So memory stays bounded although every request in flight may meet a large body.
const LARGE: usize = 1 << 20;

/// Memory set aside for a body before any of it is there, however long it says it is.
const FIRST_ALLOCATION_MAX: u64 = 256 << 10;

/// Reads `body` to its end or to a limit. A body that is not read to its end takes its connection (HTTP/1.1) or its stream
/// (HTTP/2) with it.
pub(super) async fn read(
    mut body: Incoming,
    limits: BodyLimits,
    places: &Arc<Semaphore>,
    timer: &mut Timer<'_>,
) -> Read {
    let expected = body.size_hint().lower().min(limits.max).min(FIRST_ALLOCATION_MAX);
    let mut bytes = BytesMut::with_capacity(usize::try_from(expected).unwrap_or(0));
    let mut pace = Pace::start(limits, timer);
    let mut place = None;
    let truncated = loop {
        if place.is_none() && bytes.len() > LARGE {
            // The server waits meanwhile, as nothing more is taken from its connection.
            place = take_place(places, timer).await;
            if place.is_none() {
                break Some(Truncation::Time);
            }
        }
        // The timer first: a body that always has more to give must not keep it from going off.
        let frame = tokio::select! {
            biased;
            () = timer.fired() => {
                if pace.is_over(bytes.len() as u64, timer) { break Some(Truncation::Time) }
                continue;
            }
            frame = body.frame() => frame,
        };
        match frame {
            None => break None,
            // A wrong length, a broken chunk and a reset look the same from here: the rest did not come.
            Some(Err(_)) => break Some(Truncation::Disconnect),
            Some(Ok(frame)) => {
                let Ok(data) = frame.into_data() else { continue };
                let room = usize::try_from(limits.max).unwrap_or(usize::MAX) - bytes.len();
                bytes.extend_from_slice(&data[..data.len().min(room)]);
                if data.len() > room {
                    break Some(Truncation::Length);
                }
            }
        }
    };
    Read { bytes: bytes.freeze(), truncated, place }
}

/// Waits for a place among the large bodies; none where the exchange's time is over first.
async fn take_place(places: &Arc<Semaphore>, timer: &mut Timer<'_>) -> Option<OwnedSemaphorePermit> {
    let left = timer.end.since(timer.now());
    tokio::time::timeout(left, Arc::clone(places).acquire_owned()).await.ok()?.ok()
}

/// Throws a body away that nobody wants, to keep its connection. Whether its end was reached within `max` bytes.
pub(super) async fn drain(mut body: Incoming, max: u64, timer: &mut Timer<'_>) -> bool {
    if body.size_hint().lower() > max {
        return false;
    }
    let mut drained = 0;
    loop {
        let frame = tokio::select! {
            biased;
            // Not worth waiting for.
            () = timer.fired() => return false,
            frame = body.frame() => frame,
        };
        match frame {
            None => return true,
            Some(Err(_)) => return false,
            Some(Ok(frame)) => drained += frame.data_ref().map_or(0, |data| data.len() as u64),
        }
        if drained > max {
            return false;
        }
    }
}

/// Watches the low-speed limit and the end of the exchange, through the exchange's one timer.
struct Pace {
    window_start: Instant,
    bytes_at_start: u64,
    limits: BodyLimits,
}

impl Pace {
    fn start(limits: BodyLimits, timer: &mut Timer<'_>) -> Self {
        let now = timer.now();
        if limits.window_min > 0 {
            timer.arm(now, limits.window);
        }
        Self { window_start: now, bytes_at_start: 0, limits }
    }

    /// The timer went off when `bytes` were there: whether that is the end. If not, the timer is set anew.
    fn is_over(&mut self, bytes: u64, timer: &mut Timer<'_>) -> bool {
        let now = timer.now();
        if now >= timer.end {
            return true;
        }
        if self.limits.window_min == 0 {
            timer.arm(now, Duration::MAX);
            return false;
        }
        if now.since(self.window_start) >= self.limits.window {
            if bytes - self.bytes_at_start < self.limits.window_min {
                return true;
            }
            (self.window_start, self.bytes_at_start) = (now, bytes);
        }
        timer.arm(now, self.limits.window.saturating_sub(now.since(self.window_start)));
        false
    }
}
