//! Which requests of browsers are meant for a server. Pure.
//!
//! A page in a browser may send requests to this server, whatever site it came from. It cannot read the responses
//! unless its name resolves to this machine (DNS rebinding), but the server would do the work. So requests must be
//! addressed to a name of this server, and those that a page sends must come from the server's own page.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode};

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
    pub(super) const fn is_reachable(&self) -> bool {
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
    pub fn may_ask(&self, headers: &HeaderMap) -> Result<(), Refusal> {
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
