//! What the policy needs of each page, shared with the workers.

use std::sync::atomic::{AtomicU8, Ordering};

use harvestman_policy::Needs;

/// [`Needs`] that one thread sets and others read.
#[derive(Debug, Default)]
pub(crate) struct SharedNeeds(AtomicU8);

const UNITS: u8 = 1;
const LINKS: u8 = 2;
const BODY: u8 = 4;
const GIST: u8 = 8;
const WORDS: u8 = 16;
const GAPS: u8 = 32;
const CONTEXTS: u8 = 64;

impl SharedNeeds {
    /// Creates shared needs.
    pub(crate) fn new(needs: Needs) -> Self {
        let shared = Self::default();
        shared.set(needs);
        shared
    }

    /// Sets the needs from now on.
    pub(crate) fn set(&self, needs: Needs) {
        let flag = |wanted: bool, flag: u8| if wanted { flag } else { 0 };
        let texts = flag(needs.words, WORDS) | flag(needs.units, UNITS) | flag(needs.gist, GIST);
        let links = flag(needs.links, LINKS) | flag(needs.contexts, CONTEXTS);
        let flags = texts | links | flag(needs.body, BODY) | flag(needs.gaps, GAPS);
        self.0.store(flags, Ordering::Relaxed);
    }

    /// Returns the current needs.
    pub(crate) fn now(&self) -> Needs {
        let flags = self.0.load(Ordering::Relaxed);
        let has = |flag: u8| flags & flag != 0;
        let texts = Needs { words: has(WORDS), units: has(UNITS), gist: has(GIST), ..Needs::default() };
        Needs { links: has(LINKS), contexts: has(CONTEXTS), body: has(BODY), gaps: has(GAPS), ..texts }
    }
}
