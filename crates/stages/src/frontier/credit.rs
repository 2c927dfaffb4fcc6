//! A bound on the URLs on their way from one stage to another, where their messages are few but may be large.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

/// Credit for URLs, which is lent and returned. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CreditPool(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    max: usize,
    /// URLs that credit was lent for.
    lent: Mutex<usize>,
    returned: Condvar,
}

/// Credit for some URLs. It is returned when it is dropped, so that it cannot get lost with the message it travels in.
#[derive(Debug)]
pub struct Credit {
    pool: Arc<Pool>,
    urls: usize,
}

impl CreditPool {
    /// Creates a pool of credit for `max` URLs.
    pub fn new(max: usize) -> Self {
        Self(Arc::new(Pool { max, lent: Mutex::new(0), returned: Condvar::new() }))
    }

    /// Takes credit for `urls` URLs, and blocks until there is as much. More than all of it is lent while none is out.
    pub fn take(&self, urls: usize) -> Credit {
        let Pool { max, lent, returned } = &*self.0;
        if urls > 0 {
            let mut lent = lent.lock();
            returned.wait_while(&mut lent, |lent| *lent > 0 && lent.saturating_add(urls) > *max);
            *lent += urls;
        }
        Credit { pool: Arc::clone(&self.0), urls }
    }
}

impl Credit {
    /// Returns the number of URLs.
    pub const fn urls(&self) -> usize {
        self.urls
    }
}

impl Drop for Credit {
    fn drop(&mut self) {
        if self.urls > 0 {
            *self.pool.lent.lock() -= self.urls;
            self.pool.returned.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn credit_out_at_once_stays_within_the_bound_and_all_of_it_returns() {
        const MAX: usize = 10;
        let (pool, out, most) = (CreditPool::new(MAX), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for taker in 0..4 {
                let (pool, out, most) = (&pool, &out, &most);
                scope.spawn(move || {
                    for turn in 0..500 {
                        let credit = pool.take((taker + turn) % 7);
                        let now = out.fetch_add(credit.urls(), Ordering::SeqCst) + credit.urls();
                        most.fetch_max(now, Ordering::SeqCst);
                        out.fetch_sub(credit.urls(), Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.into_inner() <= MAX);
        assert_eq!(*pool.0.lent.lock(), 0);
    }

    #[test]
    fn more_than_all_credit_is_lent_alone() {
        let pool = CreditPool::new(10);
        let credit = pool.take(1_000);
        assert_eq!((credit.urls(), *pool.0.lent.lock()), (1_000, 1_000));
        let waiting = thread::spawn({
            let pool = pool.clone();
            move || pool.take(1).urls()
        });
        drop(credit);
        assert_eq!(waiting.join().ok(), Some(1));
    }
}
