//! The canonical form: one spelling for all spellings of a URL.
//!
//! It extends the normal form of the URL standard (scheme and host in lower case, host in ASCII, default port and dot
//! segments removed): user information, fragment, the host's trailing dot, an empty query and parameters that track or
//! carry a session are removed, and escapes have one spelling (RFC 3986, section 6.2.2). Parts that may carry meaning
//! are retained: the order of parameters (unless sorting is enabled), letter case, reserved characters and their
//! escapes, `+` as opposed to `%20`, empty segments and parameters, a trailing slash. Canonicalisation is idempotent.

use ::url::Url;

use super::canonical::CanonicalUrl;
use super::escapes;
use super::refusal::{Error, OutOfScope};
use super::strip::Stripper;
use super::whatwg::{has_other_scheme, path_text};
use crate::config::url::UrlOptions;

/// Maximum length of a link that is parsed, in bytes as written. It is far longer than any URL that a crawl accepts,
/// because canonicalisation may shorten a link; longer ones are data, and parsing them would cost hostile pages nothing
/// and the crawl much.
pub(super) const LINK_BYTES_MAX: usize = 64 << 10;

/// Produces canonical URLs. There is one for a whole crawl: all URLs that are ever compared must come from the same
/// settings.
#[derive(Debug, Clone)]
pub struct Canonicaliser {
    pub(super) stripper: Stripper,
    pub(super) link_bytes_max: usize,
}

impl Canonicaliser {
    /// Creates a canonicaliser with these settings.
    ///
    /// # Errors
    ///
    /// If the settings name parameters in a way that cannot be matched.
    pub fn new(options: &UrlOptions) -> Result<Self, Error> {
        Ok(Self { stripper: Stripper::new(options)?, link_bytes_max: LINK_BYTES_MAX })
    }

    /// Returns the canonical form of an absolute URL.
    ///
    /// # Errors
    ///
    /// If `input` is not an absolute http(s) URL, or is longer than 64 KiB. A URL whose host has a label
    /// of invalid Punycode (`xn--`, `xn--pokxncvks`) is invalid: the URL standard validates such labels, and so does
    /// the `url` crate.
    pub fn parse(&self, input: &str) -> Result<CanonicalUrl, OutOfScope> {
        self.check_length(input)?;
        let url = Url::parse(input)
            .map_err(|_| if has_other_scheme(input) { OutOfScope::Scheme } else { OutOfScope::Invalid })?;
        let mut text = String::with_capacity(input.len() + 1);
        self.write(&url, &mut text)?;
        Ok(CanonicalUrl::from_canonical(text))
    }

    pub(super) fn check_length(&self, link: &str) -> Result<(), OutOfScope> {
        if link.len() <= self.link_bytes_max {
            return Ok(());
        }
        // An inline image is longer than any address, and is refused for its scheme.
        Err(if has_other_scheme(link) { OutOfScope::Scheme } else { OutOfScope::TooLong })
    }

    /// Writes the canonical form of `url` to the empty `out` and returns the length of its origin.
    pub(super) fn write(&self, url: &Url, out: &mut String) -> Result<usize, OutOfScope> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(OutOfScope::Scheme);
        }
        let host = url.host_str().ok_or(OutOfScope::Invalid)?;
        let host = host.strip_suffix('.').unwrap_or(host);
        // The URL standard allows a few more characters, which no resolver and no HTTP client accepts.
        if host.is_empty() || host.ends_with('.') || host.contains(['"', '`', '{', '}']) {
            return Err(OutOfScope::Invalid);
        }
        out.push_str(url.scheme());
        out.push_str("://");
        out.push_str(host);
        if let Some(port) = url.port() {
            out.push(':');
            out.push_str(&port.to_string());
        }
        let origin_end = out.len();
        self.write_path(url, out);
        self.write_query(url, out);
        Ok(origin_end)
    }

    fn write_path(&self, url: &Url, out: &mut String) {
        let start = out.len();
        escapes::normalise(&path_text(url), out);
        if let Some(stripped) = self.stripper.path(&out[start..]) {
            out.truncate(start);
            out.push_str(&stripped);
        }
    }

    fn write_query(&self, url: &Url, out: &mut String) {
        let Some(query) = url.query() else { return };
        out.push('?');
        let start = out.len();
        escapes::normalise(query, out);
        if let Some(stripped) = self.stripper.query(&out[start..]) {
            out.truncate(start);
            out.push_str(&stripped);
        }
        if out.len() == start {
            out.truncate(start - 1);
        }
    }
}
