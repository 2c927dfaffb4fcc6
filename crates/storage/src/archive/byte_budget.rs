//! A bound on the bytes in a queue, in addition to the bound on its length.

use parking_lot::{Condvar, Mutex};

/// A budget of bytes that may be held at the same time. Callers that exceed it block until bytes are released.
#[derive(Debug)]
pub(super) struct ByteBudget {
    max: usize,
    held: Mutex<usize>,
    given_back: Condvar,
}

impl ByteBudget {
    pub fn new(max: usize) -> Self {
        Self { max, held: Mutex::new(0), given_back: Condvar::new() }
    }

    /// Acquires `bytes`, and blocks until they fit. More than the whole budget fits when nothing else is held.
    pub fn take(&self, bytes: usize) {
        let mut held = self.held.lock();
        self.given_back.wait_while(&mut held, |held| *held > 0 && held.saturating_add(bytes) > self.max);
        *held += bytes;
    }

    /// Releases `bytes`.
    pub fn give_back(&self, bytes: usize) {
        *self.held.lock() -= bytes;
        self.given_back.notify_all();
    }

    /// Returns the bytes held.
    pub fn held(&self) -> usize {
        *self.held.lock()
    }
}
