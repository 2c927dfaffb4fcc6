//! Access control: who may request what. Pure.
//!
//! Requests of browsers must be addressed to a name of this server and come from its own page ([`Names`]). Requests
//! that change something also need the token.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use sha2::{Digest, Sha256};

use super::names::{Names, Refusal, only};

/// The access rules of a server.
#[derive(Clone)]
pub struct Guard {
    token: String,
    /// Whether the token was configured, so that others can know it.
    chosen: bool,
    names: Names,
}

impl std::fmt::Debug for Guard {
    /// Omits the token, which must not appear in logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard").field("names", &self.names).field("chosen", &self.chosen).finish_non_exhaustive()
    }
}

impl Guard {
    /// Creates the guard of a server at `address`. The token is the configured one, or the generated one if none is
    /// configured.
    pub fn new(address: IpAddr, configured: &str, generated: String, names: &[String]) -> Self {
        let chosen = !configured.is_empty();
        let token = if chosen { configured.to_owned() } else { generated };
        Self { token, chosen, names: Names::new(address, names, "to metrics.names") }
    }

    /// Returns the page's address, including the token if it was generated; `None` if the page is not served. With the
    /// token it is a secret.
    pub fn page(&self, address: SocketAddr) -> Option<String> {
        let token = if self.chosen { String::new() } else { format!("#token={}", self.token) };
        self.serves_page().then(|| format!("http://{address}/{token}"))
    }

    /// Returns whether the page is served at all: to other machines only with a configured token.
    pub(super) const fn serves_page(&self) -> bool {
        !self.names.is_reachable() || self.chosen
    }

    /// Checks whether metrics may be read, which reveal nothing about what is crawled.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_measure(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        self.names.may_measure(headers)
    }

    /// Checks whether the page itself may be served; it reveals nothing about the crawl.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_open(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        self.is_open_here()?;
        self.names.may_open(headers)
    }

    /// Checks whether data of the crawl may be read.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_read(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        self.is_open_here()?;
        self.names.may_ask(headers)?;
        // With a configured token there may be a proxy in front of the server, through which others come.
        if self.names.is_reachable() || self.chosen { self.has_token(headers) } else { Ok(()) }
    }

    /// Checks whether a command may be sent to the crawl.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_change(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        self.is_open_here()?;
        self.names.may_ask(headers)?;
        self.has_token(headers)
    }

    fn is_open_here(&self) -> Result<(), Refusal> {
        if self.serves_page() {
            return Ok(());
        }
        let why = "this address is reachable from other machines: set metrics.token (HARVESTMAN_METRICS_TOKEN) to \
                   enable the live page here, or listen on 127.0.0.1\n";
        Err((StatusCode::FORBIDDEN, why.to_owned()))
    }

    fn has_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let given = only(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        // Compares digests, so that the duration of the comparison reveals nothing about the token.
        if Sha256::digest(given.trim()) == Sha256::digest(&self.token) {
            return Ok(());
        }
        let why = "the token is missing or invalid: it is in the page's address in live.url of the crawl directory, or \
                   it was set as metrics.token\n";
        Err((StatusCode::UNAUTHORIZED, why.to_owned()))
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
