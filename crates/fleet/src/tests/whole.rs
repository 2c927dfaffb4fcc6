//! Suspends all tasks of a node at once, as a stopped process.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use parking_lot::Mutex;

use crate::bus::BoxFuture;
use crate::node::Wrap;
use harvestman_core::clock::{Clock, Instant};

/// Until when a node is suspended.
pub(super) type Gate = Arc<Mutex<Instant>>;

struct Stoppable {
    inner: BoxFuture<'static, ()>,
    gate: Gate,
    clock: Clock,
    asleep: Option<BoxFuture<'static, ()>>,
}

impl Future for Stoppable {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        loop {
            if let Some(asleep) = &mut this.asleep {
                if asleep.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                this.asleep = None;
            }
            let until = *this.gate.lock();
            if this.clock.now() >= until {
                return this.inner.as_mut().poll(context);
            }
            let clock = this.clock.clone();
            this.asleep = Some(Box::pin(async move { clock.sleep_until(until).await }));
        }
    }
}

/// Wraps the tasks of a node; `clock` shows true time.
pub(super) fn stoppable(gate: Gate, clock: Clock) -> Wrap {
    Arc::new(move |inner| Box::pin(Stoppable { inner, gate: Arc::clone(&gate), clock: clock.clone(), asleep: None }))
}
