//! The queue of the workers.

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::bounds::{ERRANDS_MAX, leases_max, threads};
use crate::handles::job::{Job, Sitemap};
use crate::rendering::{PageToRender, RenderOutcome};
use harvestman_core::config::Config;
use harvestman_core::model::{Fate, FetchedPage, Lease};
use harvestman_login::Verdict;
use harvestman_stages::host::{DeliveredErrand, DeliveryPort};

/// The queue of finished requests. It has room for every lease and every auxiliary request, so that sending never
/// blocks.
#[derive(Clone)]
pub(crate) struct PageQueue(Sender<Job>);

impl PageQueue {
    /// Creates a queue with room for the configured leases and auxiliary requests, and the workers' end of it.
    pub(crate) fn new(config: &Config) -> (Self, Receiver<Job>) {
        let (sender, jobs) = bounded(leases_max(config) + ERRANDS_MAX + threads(config.crawl.threads));
        (Self(sender), jobs)
    }

    /// Ends `workers` workers when they have done what is in the queue.
    pub(crate) fn end(&self, workers: usize) {
        for _ in 0..workers {
            // Fails only if all workers are gone already.
            let _ = self.0.send(Job::End);
        }
    }

    /// Returns a page from the browsers to the workers. Its lease has room in the queue.
    pub(crate) fn rendered(&self, page: Box<PageToRender>, outcome: RenderOutcome) {
        self.hand_over(Job::Rendered { page, outcome });
    }

    /// Returns a page that was judged by the session to the workers. Its lease has room in the queue.
    pub(crate) fn judged(&self, page: FetchedPage, verdict: Verdict) {
        self.hand_over(Job::Judged { page, verdict });
    }

    /// Returns an answer that may be a substitute to the workers. Its lease has room in the queue.
    pub(crate) fn judged_again(&self, page: FetchedPage) {
        self.hand_over(Job::JudgedAgain(page));
    }

    fn hand_over(&self, job: Job) {
        if self.0.try_send(job).is_err() {
            // There is room for every lease and auxiliary request, so the workers are gone: the crawl is over.
            tracing::debug!("a finished request was dropped at the end of the crawl");
        }
    }
}

impl DeliveryPort for PageQueue {
    fn deliver_page(&self, page: FetchedPage) {
        self.hand_over(Job::Page(page));
    }

    fn refuse(&self, lease: Lease, fate: Fate) {
        self.hand_over(Job::Refused { lease, fate });
    }

    fn deliver_errand(&self, delivered: DeliveredErrand) {
        let DeliveredErrand { sitemap, announced, is_archived, exchange, body, permit } = delivered;
        self.hand_over(match sitemap {
            None => Job::Errand { exchange, announced, is_archived, permit },
            Some((url, nesting)) => Job::Sitemap { sitemap: Sitemap { url, nesting, exchange, body }, permit },
        });
    }
}
