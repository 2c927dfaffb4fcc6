//! Fetching: one request in, one [`Exchange`](harvestman_core::model::Exchange) out.
//!
//! [`Client`] sends a [`Request`] with hyper (HTTP/1.1, and HTTP/2 where TLS negotiates it) and reads the response
//! within the limits of [`FetchOptions`](harvestman_core::config::FetchOptions): each phase has its own time-out and
//! its own [`Failure`](harvestman_core::model::Failure). The address guard ([`is_public`]) checks every address before
//! it is connected to. Bodies keep their content coding, because the archive stores them so; `decode` removes it, on a
//! CPU worker. Redirects are not followed: [`redirect::target`] returns where they lead.

mod addresses;
mod body;
mod bounds;
mod client;
mod connect;
mod connection;
mod cookies;
mod decode;
mod failure;
#[doc(hidden)]
pub mod fuzzing;
mod name_servers;
mod pool;
mod proxy;
mod recorded;
pub mod redirect;
mod request;
mod resolve;
mod response_headers;
mod signing;
mod target;
mod trust;

pub use addresses::is_public;
pub use bounds::{ClientBounds, DescriptorShares, raise_descriptor_limit};
pub use client::Client;
pub use cookies::StoredCookies;
pub use decode::{DecodeLimits, Decoded, decode, decode_answer};
pub use failure::Error;
pub use recorded::{RecordedResponse, recorded_response};
pub use request::{Accept, Request, user_agent};
pub use response_headers::directives as robots_directives;
pub use signing::RequestSigner;
pub use trust::Trust;
