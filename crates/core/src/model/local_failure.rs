//! Failures of this machine, which say nothing about the host that a request was for.

use serde::{Deserialize, Serialize};

/// What this machine lacked for a request. Such a request is not the host's failure: it is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LocalFailure {
    /// The process, or the machine, has no file descriptor left.
    Descriptors,
    /// No local port is left for a connection.
    Ports,
    /// The system has no memory for a socket.
    Memory,
    /// The name servers of this machine answer nothing, whatever the name.
    NameServers,
    /// The proxy of this crawl (`fetch.proxy`) cannot be reached.
    Proxy,
}

impl LocalFailure {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Descriptors, Self::Ports, Self::Memory, Self::NameServers, Self::Proxy];

    /// Their labels, in the order of [`Self::ALL`].
    pub const LABELS: [&str; 5] = ["descriptors", "ports", "memory", "name_servers", "proxy"];

    /// Returns its name in metric labels.
    pub const fn label(self) -> &'static str {
        Self::LABELS[self as usize]
    }

    /// Whether unused connections occupy what is lacking, so that closing them helps.
    pub const fn is_of_sockets(self) -> bool {
        matches!(self, Self::Descriptors | Self::Ports | Self::Memory)
    }

    /// Describes it to the operator, with what to do.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Descriptors => {
                "this process has too many open files: raise the limit (`ulimit -n`, LimitNOFILE), or lower \
                 frontier.in_flight_max"
            }
            Self::Ports => {
                "this machine has no local port left for connections: widen net.ipv4.ip_local_port_range, or lower \
                 frontier.in_flight_max"
            }
            Self::Memory => "this machine has no memory left for connections: lower frontier.in_flight_max",
            Self::NameServers => {
                "the name servers of this machine do not answer: check /etc/resolv.conf and the network"
            }
            Self::Proxy => "the proxy cannot be reached: check fetch.proxy and the proxy",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_label_of_its_own() {
        let labels = LocalFailure::ALL.map(LocalFailure::label);
        assert_eq!(labels, LocalFailure::LABELS);
        assert!(LocalFailure::ALL.iter().all(|why| !why.meaning().is_empty()));
    }
}
