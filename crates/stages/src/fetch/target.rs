//! The target of a request, parsed from its URL.

use http::uri::{PathAndQuery, Uri};
use http::{HeaderValue, Version};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use harvestman_core::url::{CanonicalUrl, without_user_info};

/// Characters that RFC 3986 allows nowhere in a URI.
const NOT_IN_HTTP: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');

/// A URL, split into the parts that a connection and a request need.
pub(super) struct Target<'u> {
    /// Scheme and authority: the key of pooled connections.
    pub(super) origin: &'u str,
    /// Whether the connection uses TLS.
    pub(super) https: bool,
    /// The port; the scheme's default if the URL has none.
    pub(super) port: u16,
    uri: Uri,
}

impl<'u> Target<'u> {
    /// Parses `url`. Returns `None` if HTTP cannot request it (or if it is longer than 64 KiB, which no scope admits).
    pub(super) fn of(url: &'u CanonicalUrl) -> Option<Self> {
        // User information is never sent in a request.
        let text = without_user_info(url.as_str());
        // A URL may contain a few characters that HTTP does not allow; they are sent percent-encoded, which is
        // equivalent.
        let uri: Uri = text.parse().or_else(|_| utf8_percent_encode(&text, NOT_IN_HTTP).to_string().parse()).ok()?;
        let https = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        uri.host().filter(|host| !host.is_empty())?;
        let port = uri.port_u16().unwrap_or(if https { 443 } else { 80 });
        Some(Self { origin: url.origin(), https, port, uri })
    }

    /// Returns the host; an IPv6 address keeps its brackets.
    pub(super) fn host(&self) -> &str {
        self.uri.host().unwrap_or_default()
    }

    /// Returns the whole URL as it is requested.
    pub(super) const fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Returns the path, without the query.
    pub(super) fn path(&self) -> &str {
        self.uri.path()
    }

    /// Returns the value of the Host header.
    pub(super) fn host_header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.uri.authority()?.as_str()).ok()
    }

    /// Returns the URI for CONNECT and TLS, which includes the port.
    pub(super) fn with_port(&self) -> Option<Uri> {
        let scheme = if self.https { "https" } else { "http" };
        format!("{scheme}://{}:{}", self.host(), self.port).parse().ok()
    }

    /// Returns the request target: the whole URL for HTTP/2 (which splits it up) and for proxies, else path and query.
    pub(super) fn request_target(&self, version: Version, absolute: bool) -> Uri {
        if absolute || version == Version::HTTP_2 {
            return self.uri.clone();
        }
        let path = self.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        Uri::from(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(url: &str) -> Option<(String, u16, String)> {
        let url = CanonicalUrl::from_canonical(url);
        let target = Target::of(&url)?;
        let path = target.request_target(Version::HTTP_11, false).to_string();
        Some((target.host_header()?.to_str().ok()?.to_owned(), target.port, path))
    }

    #[test]
    fn a_url_is_split_into_host_port_and_path() {
        let is = |host: &str, port, path: &str| Some((host.to_owned(), port, path.to_owned()));
        assert_eq!(parts("http://a.test/x?y=1"), is("a.test", 80, "/x?y=1"));
        assert_eq!(parts("https://a.test:8443/"), is("a.test:8443", 8443, "/"));
        assert_eq!(parts("https://[::1]/a"), is("[::1]", 443, "/a"));
        assert_eq!(parts("http://user:pw@a.test/@"), is("a.test", 80, "/@"));
        assert_eq!(parts("http://a.test/a`b?c='d"), is("a.test", 80, "/a%60b?c='d"));
        assert_eq!(parts("http://a.test/a?b=|{^`}"), is("a.test", 80, "/a?b=|{^`}"));
    }

    #[test]
    fn a_url_that_http_cannot_request_is_not_a_target() {
        for url in ["ftp://a.test/", "nonsense", "", "http:///x", "mailto:a@b.test"] {
            assert_eq!(parts(url), None, "{url}");
        }
    }
}
