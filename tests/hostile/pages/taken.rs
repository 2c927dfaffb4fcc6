//! The processor time that a reader takes.

use std::time::Duration;

use super::Reader;

/// Reads a page, and returns the processor time that it took: others use the machine too.
pub fn taken(reader: &Reader, page: &str) -> Duration {
    let before = processor_time();
    std::hint::black_box((reader.read)(page));
    processor_time().saturating_sub(before)
}

/// Returns the time for which this thread has run.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split_whitespace().next().unwrap().parse().unwrap())
}
