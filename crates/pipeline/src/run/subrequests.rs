//! Sends the sub-requests of pages that are rendered through the actors of their hosts, and returns the replies.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::bounds::SUBREQUESTS_IN_PROGRESS_MAX;
use crate::handles::HostsHandle;
use harvestman_core::url::{CanonicalUrl, HostKey};
use harvestman_metrics::HostMetrics;
use harvestman_stages::host::{Subrequest, SubrequestPort, SubrequestRefusal, SubrequestReply};

/// The callers that wait for replies, by ticket.
pub(crate) struct SubrequestCallers {
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<SubrequestReply>>>,
    metrics: Arc<HostMetrics>,
}

impl SubrequestCallers {
    pub(crate) fn new(metrics: Arc<HostMetrics>) -> Self {
        Self { next: AtomicU64::new(1), waiting: Mutex::default(), metrics }
    }

    /// Adds a caller. Returns its ticket and where it gets the reply, or `None` if too many wait.
    fn add(&self) -> Option<(u64, oneshot::Receiver<SubrequestReply>)> {
        let mut waiting = self.waiting.lock();
        if waiting.len() >= SUBREQUESTS_IN_PROGRESS_MAX {
            return None;
        }
        let (ticket, (sender, receiver)) = (self.next.fetch_add(1, Ordering::Relaxed), oneshot::channel());
        waiting.insert(ticket, sender);
        Some((ticket, receiver))
    }

    /// Removes a caller. Returns whether it waited.
    fn remove(&self, ticket: u64) -> bool {
        self.waiting.lock().remove(&ticket).is_some()
    }

    fn refuse(&self, why: SubrequestRefusal) -> SubrequestReply {
        self.count(why.label());
        SubrequestReply::Refused(why)
    }

    fn count(&self, reason: &str) {
        self.metrics.subrequests_refused.by(reason).inc();
    }
}

impl SubrequestPort for SubrequestCallers {
    fn answer(&self, ticket: u64, reply: SubrequestReply) {
        let caller = self.waiting.lock().remove(&ticket);
        if let Some(caller) = caller {
            if let SubrequestReply::Refused(why) = &reply {
                self.count(why.label());
            }
            // The caller may just have gone.
            let _ = caller.send(reply);
        }
    }
}

/// Sends sub-requests.
#[derive(Clone)]
pub(crate) struct Subrequests {
    hosts: HostsHandle,
    callers: Arc<SubrequestCallers>,
}

impl Subrequests {
    /// Creates the handle. The hosts reply to `callers`.
    pub(crate) const fn new(hosts: HostsHandle, callers: Arc<SubrequestCallers>) -> Self {
        Self { hosts, callers }
    }

    /// Fetches a URL for a page that is rendered. There is always a reply, but a host may have to wait for long: the
    /// caller limits the time. Dropping the future withdraws what is not sent yet.
    pub(crate) async fn fetch(&self, wanted: Subrequest) -> SubrequestReply {
        if !is_http(&wanted.url) {
            return self.callers.refuse(SubrequestRefusal::NotHttp);
        }
        let Some((ticket, reply)) = self.callers.add() else {
            return self.callers.refuse(SubrequestRefusal::Busy);
        };
        let caller = Caller { of: self, host: wanted.url.host_key(), ticket };
        if !self.hosts.want_subrequest(wanted.with_ticket(ticket)) {
            self.callers.answer(ticket, SubrequestReply::Refused(SubrequestRefusal::Aborted));
        }
        let reply = reply.await.unwrap_or(SubrequestReply::Refused(SubrequestRefusal::Aborted));
        drop(caller);
        reply
    }
}

/// A caller that waits. When it is gone without a reply, its sub-request is withdrawn.
struct Caller<'a> {
    of: &'a Subrequests,
    host: HostKey,
    ticket: u64,
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        if self.of.callers.remove(self.ticket) {
            self.of.callers.count("withdrawn");
            self.of.hosts.withdraw_subrequest(self.host.clone(), self.ticket);
        }
    }
}

fn is_http(url: &CanonicalUrl) -> bool {
    ["http://", "https://"].iter().any(|scheme| url.as_str().starts_with(scheme))
}
