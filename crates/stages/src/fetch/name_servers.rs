//! Whether names are not found because of themselves, or because the name servers of this machine do not answer.
//!
//! An error about one name does not tell: the servers of its domain may be at fault. The question of the probe, the
//! name servers of the root, is answered by every name server that works.

use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::{Name, RecordType};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::failure;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::{Failure, LocalFailure};

/// How long the result of a probe holds, so that many names that fail together cause one.
const PROBE_HOLDS: Duration = Duration::from_secs(2);
/// How long the answer to a probe is waited for.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// What came of a question to the name servers, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// An answer, even if it is that there is no such name.
    Answered,
    /// A refusal to answer.
    Refused,
    /// A failure of the server.
    Failed,
    /// Nothing.
    Silent,
}

/// Asks the probe's question, at most once in [`PROBE_HOLDS`].
pub(super) struct NameServerProbe {
    dns: TokioResolver,
    clock: Clock,
    latest: Mutex<Option<(Instant, Outcome)>>,
}

impl NameServerProbe {
    /// Creates a probe. `dns` must not cache, or it would answer itself.
    pub(super) fn new(dns: TokioResolver, clock: Clock) -> Self {
        Self { dns, clock, latest: Mutex::default() }
    }

    /// Returns the failure of a name whose look-up ended with this error; `None`: it took too long.
    pub(super) async fn failure(&self, error: Option<&NetError>) -> Failure {
        if let Some(lack) = error.and_then(lack) {
            return Failure::Local(lack);
        }
        match outcome(error) {
            Outcome::Answered => Failure::Dns,
            of_name => judge(of_name, self.ask().await),
        }
    }

    async fn ask(&self) -> Outcome {
        // Those that come meanwhile wait here for the same result.
        let mut latest = self.latest.lock().await;
        if let Some((at, outcome)) = *latest
            && self.clock.now().since(at) < PROBE_HOLDS
        {
            return outcome;
        }
        let asked = timeout(PROBE_TIMEOUT, self.dns.lookup(Name::root(), RecordType::NS)).await;
        let outcome = match &asked {
            Ok(Ok(_)) => Outcome::Answered,
            Ok(Err(error)) => outcome(Some(error)),
            Err(_) => Outcome::Silent,
        };
        *latest = Some((self.clock.now(), outcome));
        outcome
    }
}

/// Decides whose failure it is that a name has no answer, by what came of the probe. Some servers refuse the probe and
/// answer names.
fn judge(of_name: Outcome, of_probe: Outcome) -> Failure {
    if of_probe >= Outcome::Failed || of_probe == Outcome::Refused && of_name == Outcome::Refused {
        Failure::Local(LocalFailure::NameServers)
    } else {
        Failure::Dns
    }
}

/// Returns what the socket of a question lacked, if anything.
fn lack(error: &NetError) -> Option<LocalFailure> {
    match error {
        NetError::Io(error) => failure::of_socket(error),
        _ => None,
    }
}

/// Returns what came of a question that ended with this error; `None`: it took too long.
fn outcome(error: Option<&NetError>) -> Outcome {
    match error {
        None | Some(NetError::Timeout | NetError::NoConnections | NetError::Busy | NetError::Io(_)) => Outcome::Silent,
        Some(NetError::Dns(DnsError::ResponseCode(code))) => of_code(*code),
        Some(NetError::Dns(DnsError::NoRecordsFound(none))) => of_code(none.response_code),
        // A name that cannot be asked for.
        Some(_) => Outcome::Answered,
    }
}

const fn of_code(code: ResponseCode) -> Outcome {
    match code {
        ResponseCode::ServFail => Outcome::Failed,
        ResponseCode::Refused => Outcome::Refused,
        _ => Outcome::Answered,
    }
}

#[cfg(test)]
#[path = "name_servers_tests.rs"]
mod tests;
