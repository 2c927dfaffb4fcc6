//! What a program that embeds a crawl adds to it: a policy, a filter of links, a receiver of pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::policy_thread::make_policy::MakePolicy;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Answer, Apath, Fate, PageRecord};
use harvestman_report::{ExtensionError, StopFlag};
use harvestman_stages::fetch::DecodeLimits;

/// What a program that embeds a crawl adds to it. The default adds nothing.
#[derive(Clone, Default)]
pub struct Extensions {
    /// Takes the place of the policy of the settings.
    pub policy: Option<MakePolicy>,
    /// Judges new links before the policy does.
    pub filter: Option<Arc<dyn AcceptsLinks>>,
    /// Receives each processed URL before its outcome is written.
    pub receiver: Option<Arc<dyn ReceivesPages>>,
    /// What has failed of all these.
    pub errors: ExtensionErrors,
}

impl Extensions {
    /// Returns whether nothing is added.
    pub const fn is_empty(&self) -> bool {
        self.policy.is_none() && self.filter.is_none() && self.receiver.is_none()
    }
}

/// A link that a filter is asked about.
#[derive(Debug, Clone, Copy)]
pub struct LinkInQuestion<'a> {
    /// The URL, canonical.
    pub url: &'a str,
    /// The page with the link.
    pub via: &'a str,
}

/// A filter of links. All workers ask it.
pub trait AcceptsLinks: Send + Sync {
    /// Returns whether the link may be followed.
    fn accepts(&self, link: &LinkInQuestion<'_>) -> bool;
}

/// Reports that a page was taken (true), or that it was not: then its URL waits again.
pub type OnTaken = Box<dyn FnOnce(bool) + Send>;

/// A receiver of pages. All workers call it.
pub trait ReceivesPages: Send + Sync {
    /// Takes a page. Blocks while there is no room for it, which slows the crawl down. `taken` must be called once, on
    /// any thread: the lease of the URL ends only then.
    fn receive(&self, page: DeliveredPage, taken: OnTaken);

    /// Called once all pages are delivered, before the report is made. May block.
    fn finish(&self);
}

/// A processed URL.
#[derive(Debug, Clone)]
pub struct DeliveredPage {
    /// The line of the page log, without the place in the WARC files.
    pub record: PageRecord,
    /// When the last request started; `None` if none was sent.
    pub requested: Option<Instant>,
    /// The answer, if there is one and it may be kept.
    pub answer: Option<Answer>,
    /// The limits for decoding its body.
    pub decode: DecodeLimits,
    /// All links that could be resolved.
    pub links: Vec<DeliveredLink>,
}

/// A link of a processed page.
#[derive(Debug, Clone)]
pub struct DeliveredLink {
    /// The URL, canonical.
    pub url: String,
    /// Its place on the page.
    pub apath: Apath,
    /// What was decided about it; `None` where it is new and accepted.
    pub fate: Option<Fate>,
}

/// Failures of added code. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct ExtensionErrors {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    broken: AtomicBool,
    /// One entry per part.
    noted: Mutex<Vec<ExtensionError>>,
    stop: StopFlag,
}

impl ExtensionErrors {
    /// Creates an account of a crawl that `stop` ends.
    pub fn new(stop: StopFlag) -> Self {
        Self { shared: Arc::new(Shared { stop, ..Shared::default() }) }
    }

    /// Counts a failure after which the crawl continues.
    pub fn note(&self, part: &str, message: &str) {
        let mut noted = self.shared.noted.lock();
        if let Some(error) = noted.iter_mut().find(|error| error.part == part) {
            error.count += 1;
            return;
        }
        tracing::error!(part, "code of the embedding program failed: {message}");
        noted.push(ExtensionError { part: part.to_owned(), count: 1, first: message.to_owned() });
    }

    /// Counts a failure that ends the crawl. What is processed from now on counts as not processed, because the code
    /// that failed has not judged it: its URLs wait for another run.
    pub fn break_off(&self, part: &str, message: &str) {
        self.shared.broken.store(true, Ordering::SeqCst);
        self.note(part, message);
        self.shared.stop.request();
    }

    /// Returns whether a failure has ended the crawl.
    pub fn is_broken(&self) -> bool {
        self.shared.broken.load(Ordering::SeqCst)
    }

    /// Returns all failures, one entry per part.
    pub fn all(&self) -> Vec<ExtensionError> {
        self.shared.noted.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_by_part_with_the_message_of_the_first() {
        let errors = ExtensionErrors::default();
        for (part, message) in [("sink 1", "full"), ("policy", "lost"), ("sink 1", "gone")] {
            errors.note(part, message);
        }
        let all: Vec<_> = errors.all().into_iter().map(|error| (error.part, error.count, error.first)).collect();
        let expected = [("sink 1", 2, "full"), ("policy", 1, "lost")];
        assert_eq!(all, expected.map(|(part, count, first)| (part.to_owned(), count, first.to_owned())));
        assert!(!errors.is_broken());
    }

    #[test]
    fn a_failure_that_ends_the_crawl_raises_its_stop_flag() {
        let stop = StopFlag::new();
        let errors = ExtensionErrors::new(stop.clone());
        errors.clone().break_off("filter", "lost");
        assert!(stop.requested() && errors.is_broken() && errors.all().len() == 1);
    }
}
