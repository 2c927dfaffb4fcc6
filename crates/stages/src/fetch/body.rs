//! Reads response bodies, within limits of length and time.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::bounds::Timer;
use harvestman_core::model::Truncation;

/// The part of a body that was read.
pub(super) struct Read {
    pub(super) bytes: Bytes,
    pub(super) truncated: Option<Truncation>,
    /// The permit for a large body, if this is one.
    pub(super) place: Option<OwnedSemaphorePermit>,
}

/// Bodies up to this length are read without a permit; a longer one needs one of the few permits for large bodies. This
/// bounds memory although any request in flight may meet a large body.
const LARGE: usize = 1 << 20;

/// The maximum initial allocation for a body, whatever length it announces.
const FIRST_ALLOCATION_MAX: u64 = 256 << 10;

/// Reads `body` to its end, to `max` bytes or to the end of the exchange. A body that is not read to its end closes its
/// connection (HTTP/1.1) or its stream (HTTP/2).
pub(super) async fn read(mut body: Incoming, max: u64, permits: &Arc<Semaphore>, timer: &mut Timer<'_>) -> Read {
    let expected = body.size_hint().lower().min(max).min(FIRST_ALLOCATION_MAX);
    let mut bytes = BytesMut::with_capacity(usize::try_from(expected).unwrap_or(0));
    let mut permit = None;
    let truncated = loop {
        if permit.is_none() && bytes.len() > LARGE {
            // Backpressure: nothing more is read from the connection meanwhile.
            permit = acquire_permit(permits, timer).await;
            if permit.is_none() {
                break Some(Truncation::Time);
            }
        }
        // The timer comes first: a body that always has more data must not starve it.
        let frame = tokio::select! {
            biased;
            () = timer.fired() => {
                let now = timer.now();
                if now >= timer.end { break Some(Truncation::Time) }
                // It was armed for the head of the answer.
                timer.arm(now, Duration::MAX);
                continue;
            }
            frame = body.frame() => frame,
        };
        match frame {
            None => break None,
            // A wrong length, a broken chunk and a reset cannot be told apart here: the rest is missing.
            Some(Err(_)) => break Some(Truncation::Disconnect),
            Some(Ok(frame)) => {
                let Ok(data) = frame.into_data() else { continue };
                let room = usize::try_from(max).unwrap_or(usize::MAX) - bytes.len();
                bytes.extend_from_slice(&data[..data.len().min(room)]);
                if data.len() > room {
                    break Some(Truncation::Length);
                }
            }
        }
    };
    Read { bytes: bytes.freeze(), truncated, place: permit }
}

/// Waits for a large-body permit. Returns `None` if the exchange times out first.
async fn acquire_permit(permits: &Arc<Semaphore>, timer: &mut Timer<'_>) -> Option<OwnedSemaphorePermit> {
    let left = timer.end.since(timer.now());
    tokio::time::timeout(left, Arc::clone(permits).acquire_owned()).await.ok()?.ok()
}

/// Discards an unwanted body in order to reuse its connection. Returns whether the end was reached within `max` bytes.
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
