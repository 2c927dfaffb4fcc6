//! Access control: who may request what. Pure.
//!
//! A page in a browser may send requests to this server, whatever site it came from. It cannot read the responses
//! unless its name resolves to this machine (DNS rebinding). So requests must be addressed to a name of this server,
//! and requests that change something need the token and, if a page sends them, must come from the live page itself.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use sha2::{Digest, Sha256};

/// The header in which a browser states where a request comes from.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The access rules of a server.
#[derive(Clone)]
pub struct Guard {
    token: String,
    /// Whether it is reachable from other machines.
    reachable: bool,
    /// Whether the token was configured, so that others can know it.
    chosen: bool,
    /// Names of the server, besides `localhost` and IP addresses.
    names: Vec<String>,
}

impl std::fmt::Debug for Guard {
    /// Omits the token, which must not appear in logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard")
            .field("reachable", &self.reachable)
            .field("chosen", &self.chosen)
            .finish_non_exhaustive()
    }
}

/// Why a request is rejected, as reported to the client.
pub type Refused = (StatusCode, String);

impl Guard {
    /// Creates the guard of a server at `address`. The token is the configured one, or the generated one if none is
    /// configured.
    pub fn new(address: IpAddr, (configured, generated): (&str, String), names: &[String]) -> Self {
        let chosen = !configured.is_empty();
        let token = if chosen { configured.to_owned() } else { generated };
        let reachable = !address.is_loopback();
        Self { token, reachable, chosen, names: names.iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// Returns the page's address, including the token if it was generated; `None` if the page is not served.
    pub fn page(&self, address: SocketAddr) -> Option<String> {
        let token = if self.chosen { String::new() } else { format!("#token={}", self.token) };
        self.serves_page().then(|| format!("http://{address}/{token}"))
    }

    /// Returns whether the page is served at all: to other machines only with a configured token.
    const fn serves_page(&self) -> bool {
        !self.reachable || self.chosen
    }

    /// Checks whether the page itself may be served; it reveals nothing about the crawl.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_open(&self, headers: &HeaderMap) -> Result<(), Refused> {
        if !self.serves_page() {
            let why = "this address is reachable from other machines: set metrics.token (HARVESTMAN_METRICS_TOKEN) to \
                       enable the live page here, or listen on 127.0.0.1\n";
            return Err((StatusCode::FORBIDDEN, why.to_owned()));
        }
        self.is_addressed_to_us(headers)
    }

    /// Checks whether data of the crawl may be read.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_read(&self, headers: &HeaderMap) -> Result<(), Refused> {
        self.may_open(headers)?;
        // With a configured token there may be a proxy in front of the server, through which others come.
        if self.reachable || self.chosen { self.has_token(headers) } else { Ok(()) }
    }

    /// Checks whether a command may be sent to the crawl.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_change(&self, headers: &HeaderMap) -> Result<(), Refused> {
        self.may_open(headers)?;
        is_from_our_page(headers)?;
        self.has_token(headers)
    }

    fn is_addressed_to_us(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let host = only(headers, &HOST).unwrap_or_default();
        let name = name_of(host);
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let ours = match address {
            Ok(address) => self.reachable || address.is_loopback(),
            Err(_) => name == "localhost" || self.names.contains(&name),
        };
        if ours {
            return Ok(());
        }
        let why = format!("`{host}` is not a name of this server; if it should be, add it to metrics.names\n");
        Err((StatusCode::FORBIDDEN, why))
    }

    fn has_token(&self, headers: &HeaderMap) -> Result<(), Refused> {
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

/// Checks that a request that was sent by a page was sent by the live page.
fn is_from_our_page(headers: &HeaderMap) -> Result<(), Refused> {
    let site = headers.get(&FETCH_SITE).map(|site| site.to_str().unwrap_or_default());
    let host = only(headers, &HOST).unwrap_or_default();
    let origin = headers.contains_key(ORIGIN).then(|| only(headers, &ORIGIN).unwrap_or_default());
    let same = |origin: &str| origin.split_once("://").is_some_and(|(_, from)| from.eq_ignore_ascii_case(host));
    if site.is_none_or(|site| matches!(site, "same-origin" | "none")) && origin.is_none_or(same) {
        return Ok(());
    }
    Err((StatusCode::FORBIDDEN, "only the live page and programs may do this, not other pages\n".to_owned()))
}

/// Returns the value of a header that occurs exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Returns the name in `name:port`, in lower case; empty if it is invalid.
fn name_of(host: &str) -> String {
    let authority = host.parse::<Authority>().ok().filter(|authority| !authority.as_str().contains('@'));
    authority.map(|authority| authority.host().to_ascii_lowercase()).unwrap_or_default()
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
