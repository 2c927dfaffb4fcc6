//! A bound on the bytes that wait in a queue, beside the bound on their number.

use parking_lot::{Condvar, Mutex};

/// So many bytes may be held at once; who wants more waits until others have given some back.
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

    /// Waits until `bytes` fit. More than the whole budget fits when nothing else is held.
    pub fn take(&self, bytes: usize) {
        let mut held = self.held.lock();
        self.given_back.wait_while(&mut held, |held| *held > 0 && held.saturating_add(bytes) > self.max);
        *held += bytes;
    }

    /// Gives `bytes` back.
    pub fn give_back(&self, bytes: usize) {
        *self.held.lock() -= bytes;
        self.given_back.notify_all();
    }

    /// The bytes held.
    pub fn held(&self) -> usize {
        *self.held.lock()
    }
}
