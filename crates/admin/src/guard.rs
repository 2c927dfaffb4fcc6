//! Access control: which requests are meant for a server, and who may request what. Pure.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use sha2::{Digest, Sha256};

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
    const fn serves_page(&self) -> bool {
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

/// Why a request is rejected, as reported to the client.
pub type Refusal = (StatusCode, String);

/// The header in which a browser states where a request comes from.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The header in which a browser states how a request was caused.
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
/// The header in which a browser states what a response is for.
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The names of a server.
#[derive(Debug, Clone)]
pub struct Names {
    /// Whether it is reachable from other machines.
    reachable: bool,
    /// Names of the server, besides `localhost` and IP addresses.
    names: Vec<String>,
    /// What adds a name.
    setting: &'static str,
}

impl Names {
    /// Creates the names of a server at `address`. Requests for others are told that `setting` adds one.
    pub fn new(address: IpAddr, names: &[String], setting: &'static str) -> Self {
        let names = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Self { reachable: !address.to_canonical().is_loopback(), names, setting }
    }

    /// Returns whether the server is reachable from other machines.
    const fn is_reachable(&self) -> bool {
        self.reachable
    }

    /// Checks a request for something that a user may open from anywhere, such as by a link of another page: nobody
    /// but the user then sees the response.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_open(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        self.is_addressed_to_us(headers)?;
        if is_navigation(headers) { Ok(()) } else { is_from_our_page(headers) }
    }

    /// Checks a request for something that only programs and the server's own page may ask for.
    ///
    /// # Errors
    /// Says why not.
    fn may_ask(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        self.is_addressed_to_us(headers)?;
        is_from_our_page(headers)
    }

    /// Checks a request for figures that every program may ask for, by whatever name it knows a server that is
    /// reachable from other machines.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_measure(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if !self.reachable && headers.contains_key(HOST) {
            self.is_addressed_to_us(headers)?;
        }
        if is_navigation(headers) { Ok(()) } else { is_from_our_page(headers) }
    }

    fn is_addressed_to_us(&self, headers: &HeaderMap) -> Result<(), Refusal> {
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
        let why = format!("`{host}` is not a name of this server; if it should be, add it {}\n", self.setting);
        Err((StatusCode::FORBIDDEN, why))
    }
}

/// Returns whether a request is for a document that the browser shows alone, not within another page.
fn is_navigation(headers: &HeaderMap) -> bool {
    only(headers, &FETCH_MODE) == Some("navigate") && only(headers, &FETCH_DEST) == Some("document")
}

/// Checks that a request that was sent by a page was sent by a page of this server.
fn is_from_our_page(headers: &HeaderMap) -> Result<(), Refusal> {
    let site = headers.get(&FETCH_SITE).map(|site| site.to_str().unwrap_or_default());
    let host = only(headers, &HOST).unwrap_or_default();
    let origin = headers.contains_key(ORIGIN).then(|| only(headers, &ORIGIN).unwrap_or_default());
    let same = |origin: &str| origin.split_once("://").is_some_and(|(_, from)| from.eq_ignore_ascii_case(host));
    if site.is_none_or(|site| matches!(site, "same-origin" | "none")) && origin.is_none_or(same) {
        return Ok(());
    }
    Err((StatusCode::FORBIDDEN, "only this server's own page and programs may do this, not other pages\n".to_owned()))
}

/// Returns the value of a header that occurs exactly once.
pub(super) fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
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
