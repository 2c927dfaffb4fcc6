//! Passes sub-requests to the hosts that they are for.

use super::HostDirectory;
use harvestman_core::url::HostKey;
use harvestman_stages::frontier::ErrandsDone;
use harvestman_stages::host::{
    HostRegistry as _, Subrequest, SubrequestRefusal, SubrequestReply, SubrequestWanted, SubrequestWithdrawn,
};

impl HostDirectory {
    /// Passes a sub-request to its host, which is started if necessary, or refuses it if the host is blocked. It was
    /// announced as an auxiliary request.
    pub(crate) fn want_subrequest(&self, wanted: Subrequest) {
        let host = wanted.url.host_key();
        if self.is_blocked(&host) {
            self.subrequests.answer(wanted.ticket, SubrequestReply::Refused(SubrequestRefusal::HostBlocked));
            self.frontier.send(ErrandsDone(1));
        } else {
            self.send(&host, SubrequestWanted(wanted));
        }
    }

    /// Withdraws a sub-request of which no reply is wanted any more.
    pub(crate) fn withdraw_subrequest(&self, host: &HostKey, ticket: u64) {
        // A host that sleeps has none.
        if let Some(address) = self.awake(host) {
            address.send(SubrequestWithdrawn(ticket));
        }
    }
}
