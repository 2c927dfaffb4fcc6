//! Maps errors of the libraries to the failures that a report counts.

use std::error::Error;
use std::io;

use super::wire::TooMuchRead;
use harvestman_core::model::Failure;

/// Returns why a TLS handshake failed. A refusal by TLS itself is final; a connection that broke meanwhile may succeed
/// later.
pub(super) fn of_handshake(error: &(dyn Error + 'static)) -> Failure {
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
pub(super) fn find<'e, T: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e T> {
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
