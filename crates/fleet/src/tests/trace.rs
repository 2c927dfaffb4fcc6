//! The event log of a run: always a digest, and the text on request.

use parking_lot::Mutex;

use harvestman_core::clock::Instant;

#[derive(Default)]
pub(super) struct Trace {
    digest: Mutex<u64>,
    /// The lines, if they are recorded.
    lines: Option<Mutex<Vec<String>>>,
}

impl Trace {
    pub(super) fn new(is_kept: bool) -> Self {
        Self { digest: Mutex::new(0), lines: is_kept.then(Mutex::default) }
    }

    pub(super) fn note(&self, now: Instant, line: impl FnOnce() -> String) {
        let line = format!("{:.3} {}", now.as_micros() as f64 / 1e6, line());
        let mut digest = self.digest.lock();
        *digest = xxhash_rust::xxh3::xxh3_64_with_seed(line.as_bytes(), *digest);
        if let Some(lines) = &self.lines {
            lines.lock().push(line);
        }
    }

    pub(super) fn digest(&self) -> u64 {
        *self.digest.lock()
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.lines.as_ref().map(|lines| lines.lock().clone()).unwrap_or_default()
    }
}
