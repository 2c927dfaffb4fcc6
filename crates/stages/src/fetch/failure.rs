//! What errors mean: the failures that a report counts, failures of this machine and not of a host, and what an error
//! or an answer tells a client to do.

use std::collections::HashSet;
use std::io;
use std::net::{SocketAddr, UdpSocket};

use h2::Reason;
use http::{StatusCode, Version};
use parking_lot::Mutex;
use rustix::io::Errno;

use super::connection::{Connection, TooMuchRead};
use harvestman_core::model::{Failure, LocalFailure};

/// Why a client cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// One or more settings are invalid; the text lists all of them.
    #[error("{}", .0.join("\n"))]
    Settings(Vec<String>),
}

/// Returns why a TLS handshake failed. A refusal by TLS itself is final; a connection that broke meanwhile may succeed
/// later.
pub(super) fn of_handshake(error: &(dyn std::error::Error + 'static)) -> Failure {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, TimedOut, UnexpectedEof};
    if find::<rustls::Error>(error).is_some() {
        return Failure::Tls;
    }
    match find::<io::Error>(error).map(innermost_kind) {
        Some(UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe | NotConnected | TimedOut) => {
            Failure::Connect
        }
        _ => Failure::Tls,
    }
}

/// Returns why no response head arrived.
pub(super) fn of_exchange(error: &hyper::Error, is_h2: bool) -> Failure {
    // TLS 1.3 lets a server refuse a client (for example for lack of a certificate) after the handshake.
    if find::<rustls::Error>(error).is_some() {
        Failure::Tls
    } else if error.is_parse_too_large() || find::<TooMuchRead>(error).is_some() {
        Failure::HeadTooLarge
    } else if error.is_parse() {
        Failure::Protocol
    } else if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        Failure::Disconnected
    } else if error.is_user() {
        Failure::Internal
    } else if is_h2 || find::<io::Error>(error).is_some() {
        // HTTP/2 error codes mean much the same as closing in HTTP/1.1: try again later.
        Failure::Disconnected
    } else {
        Failure::Protocol
    }
}

/// Returns the kind of the innermost wrapped error.
fn innermost_kind(error: &io::Error) -> io::ErrorKind {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>());
    inner.map_or(error.kind(), innermost_kind)
}

/// Returns the first error of type `T` in the chain. `io::Error` omits the error that it wraps from its chain, so that
/// one is checked too.
pub(super) fn find<'e, T: std::error::Error + 'static>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = match error.downcast_ref::<io::Error>().and_then(|io| io.get_ref()) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// Returns what this machine lacked if `error` is of a connection to `address` that was never attempted for want of it.
pub(super) fn of_connect(error: &io::Error, address: SocketAddr) -> Option<LocalFailure> {
    match of_socket(error)? {
        // Also the error of an address that cannot be reached from any address of this machine.
        LocalFailure::Ports => has_source_address(address).then_some(LocalFailure::Ports),
        other => Some(other),
    }
}

/// Returns what this machine lacked for a socket, if anything.
pub(super) fn of_socket(error: &io::Error) -> Option<LocalFailure> {
    match Errno::from_io_error(error)? {
        Errno::MFILE | Errno::NFILE => Some(LocalFailure::Descriptors),
        Errno::ADDRNOTAVAIL => Some(LocalFailure::Ports),
        Errno::NOBUFS | Errno::NOMEM => Some(LocalFailure::Memory),
        _ => None,
    }
}

/// Whether this machine has an address from which `address` can be reached. Sends nothing: connecting a UDP socket only
/// selects the address.
fn has_source_address(address: SocketAddr) -> bool {
    let any: SocketAddr = match address {
        SocketAddr::V4(_) => ([0; 4], 0).into(),
        SocketAddr::V6(_) => ([0_u16; 8], 0).into(),
    };
    UdpSocket::bind(any).and_then(|socket| socket.connect(address)).is_ok()
}

/// What to do before a request is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Open another connection: this one takes no more requests, and has not processed this one.
    NewConnection,
    /// Open a connection that speaks HTTP/1.1.
    Http1,
}

impl Remedy {
    /// Returns what an error tells (RFC 9113, sections 7 and 8.7).
    pub(super) fn of_error(error: &hyper::Error) -> Option<Self> {
        let error = find::<h2::Error>(error)?;
        match error.reason()? {
            Reason::HTTP_1_1_REQUIRED => Some(Self::Http1),
            Reason::REFUSED_STREAM => Some(Self::NewConnection),
            // Only requests that are not processed end with the error of an orderly shutdown.
            Reason::NO_ERROR if error.is_go_away() => Some(Self::NewConnection),
            _ => None,
        }
    }

    /// Returns what a status tells that is about the connection rather than the resource (RFC 9110, sections 15.5.20,
    /// 15.5.22 and 15.6.6).
    pub(super) fn of_status(status: StatusCode, connection: &Connection) -> Option<Self> {
        match (status, connection.version()) {
            (
                StatusCode::MISDIRECTED_REQUEST | StatusCode::UPGRADE_REQUIRED | StatusCode::HTTP_VERSION_NOT_SUPPORTED,
                Version::HTTP_2,
            ) => Some(Self::Http1),
            (StatusCode::MISDIRECTED_REQUEST, _) if connection.reused => Some(Self::NewConnection),
            _ => None,
        }
    }
}

/// The maximum number of origins that are remembered. Beyond it they are forgotten: each then costs one request more.
const ORIGINS_MAX: usize = 10_000;

/// The origins that are to be spoken to in HTTP/1.1.
#[derive(Debug, Default)]
pub(super) struct Http1Origins(Mutex<HashSet<Box<str>>>);

impl Http1Origins {
    /// Remembers an origin.
    pub(super) fn add(&self, origin: &str) {
        let mut origins = self.0.lock();
        if origins.len() >= ORIGINS_MAX {
            origins.clear();
        }
        origins.insert(origin.into());
    }

    /// Returns whether an origin is remembered.
    pub(super) fn contains(&self, origin: &str) -> bool {
        self.0.lock().contains(origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(errno: Errno) -> io::Error {
        io::Error::from_raw_os_error(errno.raw_os_error())
    }

    #[test]
    fn what_this_machine_lacks_is_told_from_what_a_host_does() {
        let here = SocketAddr::from(([127, 0, 0, 1], 80));
        for (errno, what) in [
            (Errno::MFILE, Some(LocalFailure::Descriptors)),
            (Errno::NFILE, Some(LocalFailure::Descriptors)),
            (Errno::ADDRNOTAVAIL, Some(LocalFailure::Ports)),
            (Errno::NOBUFS, Some(LocalFailure::Memory)),
            (Errno::NOMEM, Some(LocalFailure::Memory)),
            (Errno::CONNREFUSED, None),
            (Errno::HOSTUNREACH, None),
            (Errno::TIMEDOUT, None),
        ] {
            assert_eq!(of_connect(&error(errno), here), what, "{errno}");
        }
        assert_eq!(of_connect(&io::ErrorKind::ConnectionRefused.into(), here), None);
    }

    #[test]
    fn an_address_that_no_port_leads_to_is_no_lack_of_ports() {
        // The destination of a documentation prefix with a scope that this machine does not have.
        let nowhere = SocketAddr::V6(std::net::SocketAddrV6::new("fe80::1".parse().unwrap(), 80, 0, u32::MAX));
        assert_eq!(of_connect(&error(Errno::ADDRNOTAVAIL), nowhere), None);
    }

    #[test]
    fn origins_are_remembered_up_to_a_limit() {
        let origins = Http1Origins::default();
        (0..ORIGINS_MAX).for_each(|number| origins.add(&format!("https://{number}.test")));
        assert!(origins.contains("https://0.test") && !origins.contains("https://x.test"));
        origins.add("https://x.test");
        assert!(origins.contains("https://x.test") && !origins.contains("https://0.test"));
    }
}
