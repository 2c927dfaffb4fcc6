//! The fetch stage against misbehaving servers, on real loopback sockets. Every exchange must end in bounded time with
//! a value that describes the outcome.

#![allow(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

#[path = "fetch/addresses.rs"]
mod addresses;
#[path = "fetch/bodies.rs"]
mod bodies;
#[path = "fetch/connections.rs"]
mod connections;
#[path = "fetch/heads.rs"]
mod heads;
#[path = "fetch/proxies.rs"]
mod proxies;
#[path = "fetch/remedies.rs"]
mod remedies;
#[path = "fetch/requests.rs"]
mod requests;
#[path = "fetch/server.rs"]
mod server;
#[path = "fetch/signatures.rs"]
mod signatures;
#[path = "fetch/tls.rs"]
mod tls;
