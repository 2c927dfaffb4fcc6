//! Tells failures of this machine from those of hosts.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use rustix::io::Errno;

use harvestman_core::model::LocalFailure;

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
}
