//! Who may ask for what: pure.
//!
//! A page that a browser shows may send requests to this server whatever site it came from. It cannot read the answers, unless its
//! name was made to lead to this machine (DNS rebinding); so requests must be addressed to a name of this server, and whatever
//! changes something needs the token, and must come from the live page itself where it comes from a page.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use sha2::{Digest, Sha256};

/// Where a browser says that a request comes from.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What may be asked of the server.
#[derive(Clone)]
pub struct Guard {
    token: String,
    /// Whether others than this machine's users can reach it.
    reachable: bool,
    /// Whether somebody has chosen the token, so that others can know it.
    chosen: bool,
    /// Names that lead to it, besides `localhost` and addresses.
    names: Vec<String>,
}

impl std::fmt::Debug for Guard {
    /// Without the token, which has no place in logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard")
            .field("reachable", &self.reachable)
            .field("chosen", &self.chosen)
            .finish_non_exhaustive()
    }
}

/// Why a request is not answered, as the client is told.
pub type Refused = (StatusCode, String);

impl Guard {
    /// The guard of a server at `address`. `token`: what was set, and what to take where nothing was.
    pub fn new(address: IpAddr, (set, drawn): (&str, String), names: &[String]) -> Self {
        let chosen = !set.is_empty();
        let token = if chosen { set.to_owned() } else { drawn };
        let reachable = !address.is_loopback();
        Self { token, reachable, chosen, names: names.iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// The page's address, with the token if that was drawn; none where the page is not served.
    pub fn page(&self, address: SocketAddr) -> Option<String> {
        let token = if self.chosen { String::new() } else { format!("#token={}", self.token) };
        self.serves_page().then(|| format!("http://{address}/{token}"))
    }

    /// Whether the page is served at all: beyond this machine only with a token that somebody has set.
    const fn serves_page(&self) -> bool {
        !self.reachable || self.chosen
    }

    /// Whether the page itself may be had, which tells nothing of the crawl.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_open(&self, headers: &HeaderMap) -> Result<(), Refused> {
        if !self.serves_page() {
            let why = "this address is reached from other machines: set metrics.token (HARVESTMAN_METRICS_TOKEN) to have the \
                       live page here, or listen at 127.0.0.1\n";
            return Err((StatusCode::FORBIDDEN, why.to_owned()));
        }
        self.is_for_us(headers)
    }

    /// Whether the crawl may be looked at.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_read(&self, headers: &HeaderMap) -> Result<(), Refused> {
        self.may_open(headers)?;
        // Who has set one may have put a proxy before the server, through which others come.
        if self.reachable || self.chosen { self.has_token(headers) } else { Ok(()) }
    }

    /// Whether the crawl may be told something.
    ///
    /// # Errors
    /// Says why not.
    pub fn may_change(&self, headers: &HeaderMap) -> Result<(), Refused> {
        self.may_open(headers)?;
        is_from_our_page(headers)?;
        self.has_token(headers)
    }

    fn is_for_us(&self, headers: &HeaderMap) -> Result<(), Refused> {
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
        let why = format!("`{host}` is no name of this server; if it is one of yours, list it in metrics.names\n");
        Err((StatusCode::FORBIDDEN, why))
    }

    fn has_token(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let given = only(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        // Of digests, so that the time that it takes tells nothing of the token.
        if Sha256::digest(given.trim()) == Sha256::digest(&self.token) {
            return Ok(());
        }
        let why = "the token is missing or wrong: the page's address in live.url of the crawl directory has it, or you have set \
                   it as metrics.token\n";
        Err((StatusCode::UNAUTHORIZED, why.to_owned()))
    }
}

/// A request that a page sent must have been sent by the live page.
fn is_from_our_page(headers: &HeaderMap) -> Result<(), Refused> {
    let site = headers.get(&FETCH_SITE).map(|site| site.to_str().unwrap_or_default());
    let host = only(headers, &HOST).unwrap_or_default();
    let origin = headers.contains_key(ORIGIN).then(|| only(headers, &ORIGIN).unwrap_or_default());
    let same = |origin: &str| origin.split_once("://").is_some_and(|(_, from)| from.eq_ignore_ascii_case(host));
    if site.is_none_or(|site| matches!(site, "same-origin" | "none")) && origin.is_none_or(same) {
        return Ok(());
    }
    Err((StatusCode::FORBIDDEN, "only the live page itself and programs may do this, no other page\n".to_owned()))
}

/// The value of a header that stands there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// The name in `name:port`, in lower case; nothing where it is no such.
fn name_of(host: &str) -> String {
    let authority = host.parse::<Authority>().ok().filter(|authority| !authority.as_str().contains('@'));
    authority.map(|authority| authority.host().to_ascii_lowercase()).unwrap_or_default()
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
