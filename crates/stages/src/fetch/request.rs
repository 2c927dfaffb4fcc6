//! Requests and their headers.

use std::sync::atomic::{AtomicBool, Ordering};

use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_TYPE, COOKIE, HOST, HeaderName, PROXY_AUTHORIZATION, USER_AGENT,
};
use http::{HeaderMap, HeaderValue, Version};

use super::target::Target;
use super::trust::CredentialScope;
use harvestman_core::config::FetchOptions;
use harvestman_core::model::{Initiator, PostBody};
use harvestman_core::url::CanonicalUrl;

/// Which answers are read to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accept {
    /// Those of the configured media types.
    #[default]
    Wanted,
    /// All: robots.txt and sitemaps are served with any type, and parts of a page have many.
    All,
}

/// A request: by GET, or by POST if it has a body.
#[derive(Debug, Clone)]
pub struct Request {
    /// The URL to fetch.
    pub url: CanonicalUrl,
    /// The maximum length of the stored body, if it differs from `fetch.body_max`.
    pub body_max: Option<u64>,
    /// Which answers are read to the end.
    pub accept: Accept,
    /// Headers of this request only (such as If-None-Match). They replace the usual ones of the same name.
    pub headers: HeaderMap,
    /// The body of a request by POST.
    pub body: Option<PostBody>,
    /// Who causes the request: one that another origin causes carries no credentials, and leaves no cookies.
    pub initiator: Initiator,
}

impl Request {
    /// Creates the usual request for a page.
    pub fn page(url: CanonicalUrl) -> Self {
        let (headers, initiator) = (HeaderMap::new(), Initiator::Crawl);
        Self { url, body_max: None, accept: Accept::Wanted, headers, body: None, initiator }
    }

    /// Creates a request for a part of a page that `initiator` causes: of any media type, with these headers, as long
    /// as a page may be.
    pub const fn part_of_page(url: CanonicalUrl, headers: HeaderMap, initiator: Initiator) -> Self {
        Self { url, body_max: None, accept: Accept::All, headers, body: None, initiator }
    }

    /// Creates a request that `initiator` causes and that accepts any media type, up to `body_max` bytes.
    pub fn of_any_type(url: CanonicalUrl, body_max: u64, initiator: Initiator) -> Self {
        let headers = HeaderMap::new();
        Self { url, body_max: Some(body_max), accept: Accept::All, headers, body: None, initiator }
    }
}

/// The headers that all requests share, built once.
#[derive(Debug)]
pub(super) struct RequestHeaders {
    common: HeaderMap,
    /// The same, preceded by a placeholder for Host, which RFC 9110, section 7.2, wants first.
    with_host: HeaderMap,
    /// Sent only to the origins of `credentials`, like `cookie`.
    login: HeaderMap,
    cookie: Option<HeaderValue>,
    credentials: CredentialScope,
    /// Whether it was said that another origin of a seed's site gets no credentials.
    has_warned: AtomicBool,
    proxy_authorization: Option<HeaderValue>,
}

/// Headers that define the framing of the message, or that the connection sets itself.
const NOT_SETTABLE: &[&str] =
    &["host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "keep-alive", "cookie"];

/// The Accept header of requests for pages, as browsers send it (those for robots.txt and sitemaps have `*/*`).
const ACCEPTED: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// The codings that can be decoded.
const ENCODINGS: &str = "gzip, br, zstd, deflate";

impl RequestHeaders {
    /// Builds them from the settings; appends invalid settings to `errors`.
    pub(super) fn new(
        options: &FetchOptions,
        credentials: CredentialScope,
        proxy_authorization: Option<HeaderValue>,
        errors: &mut Vec<String>,
    ) -> Self {
        let mut common = HeaderMap::with_capacity(16);
        let mut with_host = HeaderMap::with_capacity(16);
        with_host.insert(HOST, HeaderValue::from_static(""));
        let user_agent = user_agent(options);
        let usual = [
            (USER_AGENT, "user_agent", user_agent.as_str()),
            (ACCEPT, "accept", ACCEPTED),
            (ACCEPT_ENCODING, "accept_encoding", ENCODINGS),
            (ACCEPT_LANGUAGE, "accept_language", &options.accept_language),
        ];
        for (name, key, text) in usual {
            if let Some(value) = value_of(key, text, errors) {
                common.insert(name, value);
            }
        }
        let cookie = value_of("cookie", &options.cookie, errors);
        with_host.extend(common.clone());
        let (login, has_warned) = (login_headers(&options.headers, errors), AtomicBool::new(false));
        Self { common, with_host, login, cookie, credentials, has_warned, proxy_authorization }
    }

    /// Returns the headers of one request, in the order in which they are sent. `cookies` are those of the jar.
    pub(super) fn of(
        &self,
        request: &Request,
        target: &Target<'_>,
        version: Version,
        cookies: Option<Vec<u8>>,
    ) -> HeaderMap {
        let mut headers = match target.host_header() {
            Some(host) if version != Version::HTTP_2 => {
                let mut headers = self.with_host.clone();
                headers.insert(HOST, host);
                headers
            }
            // HTTP/2 has `:authority` instead.
            _ => self.common.clone(),
        };
        if request.accept == Accept::All {
            headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        }
        let login = request.initiator.permits(target.origin) && self.receives_login(target);
        if login {
            put_all(&mut headers, &self.login);
        }
        put_all(&mut headers, &request.headers);
        if let Some(body) = &request.body {
            headers.insert(CONTENT_TYPE, body.content_type.clone());
        }
        if let Some(mut cookie) = self.cookie_header(login, cookies) {
            cookie.set_sensitive(true);
            headers.insert(COOKIE, cookie);
        }
        headers
    }

    /// Returns whether credentials are meant for an origin. A user may expect them at other origins of a seed's site
    /// too, so the first one is named.
    fn receives_login(&self, target: &Target<'_>) -> bool {
        let (receives, has_login) =
            (self.credentials.includes(target), self.cookie.is_some() || !self.login.is_empty());
        if has_login && !receives && !self.has_warned.load(Ordering::Relaxed) && self.credentials.is_near(target) {
            self.has_warned.store(true, Ordering::Relaxed);
            tracing::warn!(
                origin = target.origin,
                "the cookie and the headers that you gave are not sent to this origin, as no seed has its scheme, host and \
                 port. If they are meant for it and for others that follow, add these to `fetch.credential_origins`"
            );
        }
        receives
    }

    fn cookie_header(&self, login: bool, jar: Option<Vec<u8>>) -> Option<HeaderValue> {
        let given = self.cookie.as_ref().filter(|_| login);
        match (given, jar) {
            (None, None) => None,
            (Some(given), None) => Some(given.clone()),
            (None, Some(jar)) => HeaderValue::try_from(jar).ok(),
            (Some(given), Some(jar)) => HeaderValue::try_from([given.as_bytes(), b"; ", &jar].concat()).ok(),
        }
    }

    /// Adds the headers for the proxy, which are not part of the exchange with the site.
    pub(super) fn for_proxy(&self, headers: &mut HeaderMap) {
        if let Some(value) = &self.proxy_authorization {
            headers.insert(PROXY_AUTHORIZATION, value.clone());
        }
    }
}

/// Adds `more`; replaces existing headers of the same name.
fn put_all(headers: &mut HeaderMap, more: &HeaderMap) {
    for name in more.keys() {
        let mut values = more.get_all(name).iter();
        if let Some(first) = values.next() {
            headers.insert(name.clone(), first.clone());
        }
        for value in values {
            headers.append(name.clone(), value.clone());
        }
    }
}

/// Returns the User-Agent of all requests.
pub fn user_agent(options: &FetchOptions) -> String {
    match (options.user_agent.as_str(), options.contact.as_str()) {
        ("", "") => concat!("harvestman/", env!("CARGO_PKG_VERSION")).to_owned(),
        ("", contact) => format!("harvestman/{} (+{contact})", env!("CARGO_PKG_VERSION")),
        (given, _) => given.to_owned(),
    }
}

fn value_of(key: &str, text: &str, errors: &mut Vec<String>) -> Option<HeaderValue> {
    if text.is_empty() {
        return None;
    }
    let value = HeaderValue::from_bytes(text.as_bytes());
    if value.is_err() {
        errors.push(format!("fetch.{key}: contains a line break or another control character; remove it"));
    }
    value.ok()
}

fn login_headers(lines: &[String], errors: &mut Vec<String>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines {
        // Values may be secret, so messages contain only names.
        let Some((name, value)) = line.split_once(':') else {
            errors.push("fetch.headers: an entry has no colon; write `Name: value`".to_owned());
            continue;
        };
        let name = name.trim();
        if NOT_SETTABLE.iter().any(|fixed| name.eq_ignore_ascii_case(fixed)) {
            errors.push(format!("fetch.headers: `{name}` cannot be set here (use fetch.cookie for cookies)"));
            continue;
        }
        match (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.trim().as_bytes())) {
            (Ok(name), Ok(mut value)) => {
                // Whatever a user gives may be secret: the archive leaves it out, and HTTP/2 does not compress it.
                value.set_sensitive(true);
                headers.append(name, value);
            }
            _ => errors
                .push(format!("fetch.headers: `{name}` is not a header name, or its value has a control character")),
        }
    }
    headers
}
