//! Distributes runs over threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A receiver of progress.
pub trait Watch: Sync {
    /// `runs` runs begin.
    fn begin(&self, what: &str, runs: usize);
    /// One run has ended.
    fn done(&self);
}

/// Ignores the progress.
impl Watch for () {
    fn begin(&self, _: &str, _: usize) {}
    fn done(&self) {}
}

/// A number of threads that share runs.
pub struct Workers<'a> {
    threads: usize,
    watch: &'a dyn Watch,
}

impl<'a> Workers<'a> {
    /// Creates a pool of at least one thread; by default, one per processor.
    pub fn new(threads: Option<usize>, watch: &'a dyn Watch) -> Self {
        let processors = || thread::available_parallelism().map_or(1, Into::into);
        Self { threads: threads.unwrap_or_else(processors).max(1), watch }
    }

    /// Returns the same with one thread, for timed runs.
    pub fn alone(&self) -> Self {
        Self { threads: 1, watch: self.watch }
    }

    /// Runs `work` for every job and returns the results in the order of the jobs. A job must not depend on other jobs,
    /// because their order is undefined. Each job has a thread of its own, so that thread-local caches (such as results
    /// of a classifier) are not shared between jobs.
    pub fn run<J: Sync, R: Send>(&self, what: &str, jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
        self.watch.begin(what, jobs.len());
        let next = AtomicUsize::new(0);
        let take = || {
            let mut done = Vec::new();
            while let Some((at, job)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, jobs.get(at)?)))
            {
                done.push((at, thread::scope(|own| joined(own.spawn(|| work(job))))));
                self.watch.done();
            }
            done
        };
        let mut results: Vec<(usize, R)> = thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads.min(jobs.len())).map(|_| scope.spawn(take)).collect();
            threads.into_iter().flat_map(joined).collect()
        });
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize, AtomicUsize);

    impl Watch for Count {
        fn begin(&self, _: &str, runs: usize) {
            self.0.fetch_add(runs, Ordering::Relaxed);
        }

        fn done(&self) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn results_come_in_the_order_of_the_jobs_each_job_done_once(jobs in 0_usize..40, threads in 0_usize..6) {
            let jobs: Vec<_> = (0..jobs).collect();
            let watch = Count::default();
            let results = Workers::new(Some(threads), &watch).run("t", &jobs, |job| job * 2);
            prop_assert_eq!(results, jobs.iter().map(|job| job * 2).collect::<Vec<_>>());
            prop_assert_eq!(watch.0.into_inner(), jobs.len());
            prop_assert_eq!(watch.1.into_inner(), jobs.len());
        }
    }
}
