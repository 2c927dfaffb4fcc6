//! The end of a lease: its outcome goes to the archive, and from there to the frontier.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::handles::Writing;
use crate::page::worker_context::WorkerContext;
use harvestman_core::model::{Fate, Lease};
use harvestman_stages::frontier::{LeaseEnded, LinksFound, Outcome, PageFindings};

/// A lease that ends once its outcome is written.
pub(crate) struct LeaseEnd {
    pub(crate) lease: Lease,
    /// Bytes of the answer's body; `None` if no request was sent.
    pub(crate) received: Option<u64>,
    pub(crate) fate: Fate,
    pub(crate) findings: Box<PageFindings>,
}

impl LeaseEnd {
    /// Sends the outcome to the writer, and from there to the frontier.
    pub(crate) fn write(self, context: &Arc<WorkerContext>, writing: Writing) {
        let reporting = Arc::clone(context);
        context.hand_to_writer(writing, move |written| {
            if written { self.report(&reporting) } else { self.report_unwritten(&reporting) }
        });
    }

    fn report(self, context: &WorkerContext) {
        let Self { lease, received, fate, findings } = self;
        context.handles.frontier.send(LeaseEnded { lease, outcome: Outcome::Final(fate, findings), received });
    }

    /// Reports an outcome that could not be written, as if it had not happened: the URL waits again, and its links are
    /// retained.
    fn report_unwritten(self, context: &WorkerContext) {
        if !context.write_failed.swap(true, Ordering::Relaxed) {
            tracing::error!("the output cannot be written: the crawl stops");
        }
        context.handles.frontier.stop();
        self.put_back(context);
    }

    /// Lets the URL wait again. Its links are retained; what was observed of the page itself is discarded.
    pub(crate) fn put_back(self, context: &WorkerContext) {
        let Self { lease, received, findings, .. } = self;
        context.handles.frontier.send(LinksFound(findings.links));
        let outcome = Outcome::Retry(context.clock.now());
        context.handles.frontier.send(LeaseEnded { lease, outcome, received });
    }
}
