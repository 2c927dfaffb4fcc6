//! The thread that delivers pages to the policy, the sinks and the stream of a crawl.
//!
//! ```text
//! workers ── (page, taken) ──► delivery: policy, sinks, stream ── taken ──► archive, frontier
//!            bounded queue
//! ```
//!
//! A page is taken once all of them have it. Until then its lease is out, so that a crash loses no page.

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::extensions::{OnError, Sink};
use super::guarded::Guarded;
use super::pages::PageSender;
use super::{Page, Policy};
use harvestman_pipeline::{DeliveredPage, ExtensionErrors, OnTaken, ReceivesPages};

/// What the thread receives.
enum Message {
    Page(Box<Page>, OnTaken),
    /// All pages were sent; the sender waits until its other end is dropped.
    End(Sender<()>),
}

/// A sink with its number, and what happens when it fails.
pub(crate) struct OwnSink {
    pub(crate) sink: Box<dyn Sink>,
    pub(crate) on_error: OnError,
    pub(crate) guarded: Guarded,
}

/// What pages are delivered to.
pub(crate) struct Receivers {
    /// The policy, if it is one of the embedding program.
    pub(crate) policy: Option<(Arc<dyn Policy>, Guarded)>,
    pub(crate) sinks: Vec<OwnSink>,
    pub(crate) stream: PageSender,
}

/// The queue of the thread.
pub(crate) struct Delivery {
    sender: Sender<Message>,
}

impl Delivery {
    /// Starts the thread. At most `queue_max` pages wait for it.
    ///
    /// # Errors
    /// The operating system refuses the thread.
    pub(crate) fn start(receivers: Receivers, errors: ExtensionErrors, queue_max: usize) -> std::io::Result<Self> {
        let (sender, receiver) = bounded(queue_max.max(1));
        let delivering = Delivering { receivers, errors, batch_max: queue_max.max(1) };
        thread::Builder::new().name("delivery".to_owned()).spawn(move || delivering.run(&receiver))?;
        Ok(Self { sender })
    }
}

impl ReceivesPages for Delivery {
    fn receive(&self, page: DeliveredPage, taken: OnTaken) {
        if let Err(unsent) = self.sender.send(Message::Page(Box::new(Page::new(page)), taken))
            && let Message::Page(_, taken) = unsent.into_inner()
        {
            taken(false);
        }
    }

    fn finish(&self) {
        let (done, ended) = bounded(1);
        // If the thread is gone, nothing is left to do; otherwise it drops its end when it has finished.
        if self.sender.send(Message::End(done)).is_ok() {
            let _ = ended.recv();
        }
    }
}

/// The state of the thread.
struct Delivering {
    receivers: Receivers,
    errors: ExtensionErrors,
    batch_max: usize,
}

impl Delivering {
    fn run(mut self, receiver: &Receiver<Message>) {
        let mut ended = None;
        while ended.is_none() {
            let Ok(first) = receiver.recv() else { return };
            let mut batch = Vec::new();
            for message in std::iter::once(first).chain(receiver.try_iter()).take(self.batch_max) {
                match message {
                    Message::Page(page, taken) => batch.push((*page, taken)),
                    Message::End(done) => ended = Some(done),
                }
            }
            self.deliver(batch);
        }
        self.receivers.stream.end();
        self.finish();
        drop(ended);
    }

    /// Delivers pages that were processed one after another.
    fn deliver(&mut self, batch: Vec<(Page, OnTaken)>) {
        let (pages, taken): (Vec<Page>, Vec<OnTaken>) = batch.into_iter().unzip();
        let is_taken = pages.is_empty() || (self.observe(&pages) && self.write(&pages));
        for (page, taken) in pages.into_iter().zip(taken) {
            taken(is_taken && self.receivers.stream.send(page));
        }
    }

    /// Shows the pages to the policy. Returns whether the crawl continues.
    fn observe(&self, pages: &[Page]) -> bool {
        let Some((policy, guarded)) = &self.receivers.policy else { return !self.errors.is_broken() };
        pages.iter().all(|page| guarded.call(|| policy.observe(page)).is_some())
    }

    /// Writes the pages to all sinks. Returns whether the crawl continues.
    fn write(&mut self, pages: &[Page]) -> bool {
        self.receivers.sinks.iter_mut().all(|OwnSink { sink, on_error, guarded }| {
            match (guarded.call(|| sink.write(pages)), *on_error) {
                (None, _) => false,
                (Some(Ok(())), _) => true,
                (Some(Err(error)), OnError::Continue) => {
                    guarded.note(&error.to_string());
                    true
                }
                (Some(Err(error)), OnError::Stop) => {
                    guarded.break_off(&error.to_string());
                    false
                }
            }
        })
    }

    /// Finishes the sinks, unless a failure has ended the crawl.
    fn finish(self) {
        for OwnSink { mut sink, on_error, guarded } in self.receivers.sinks {
            match (guarded.call(|| sink.finish()), on_error) {
                (Some(Err(error)), OnError::Continue) => guarded.note(&error.to_string()),
                (Some(Err(error)), OnError::Stop) => guarded.break_off(&error.to_string()),
                (None | Some(Ok(())), _) => {}
            }
        }
    }
}
