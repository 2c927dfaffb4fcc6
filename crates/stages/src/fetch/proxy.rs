//! Requests through a proxy: plain http in absolute form, https through a CONNECT tunnel, everything through SOCKS 5.

use data_encoding::BASE64;
use http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::TokioIo;
use percent_encoding::percent_decode_str;
use tower_service::Service;

use super::connection::{Ready, Wire};
use harvestman_core::model::Failure;

/// A proxy, as configured: `http://user:password@host:port`, `socks5://host:port`.
#[derive(Debug, Clone)]
pub(super) struct Proxy {
    kind: Kind,
    /// Whether only the proxy may look names up.
    resolves_alone: bool,
    uri: Uri,
    host: String,
    port: u16,
    login: Option<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Http,
    Socks5,
}

impl Proxy {
    /// Parses the setting; empty means no proxy. Appends an error to `errors` if it is invalid.
    pub(super) fn read(text: &str, errors: &mut Vec<String>) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let proxy = Self::parse(text);
        if proxy.is_none() {
            // The text may contain a password, so the message does not repeat it.
            errors.push(
                "fetch.proxy: invalid; write http://user:password@host:port or socks5://user:password@host:port"
                    .to_owned(),
            );
        }
        proxy
    }

    fn parse(text: &str) -> Option<Self> {
        let url = url::Url::parse(text).ok()?;
        let (kind, default_port) = match url.scheme() {
            "http" => (Kind::Http, 80),
            "socks5" | "socks5h" => (Kind::Socks5, 1080),
            _ => return None,
        };
        let host = url.host_str().filter(|host| !host.is_empty())?.to_owned();
        let port = url.port().unwrap_or(default_port);
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let login = (!url.username().is_empty())
            .then(|| (decoded(url.username()), decoded(url.password().unwrap_or_default())));
        let uri = format!("http://{host}:{port}").parse().ok()?;
        Some(Self { kind, resolves_alone: url.scheme() == "socks5h", uri, host, port, login })
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Returns whether only the proxy may look names up: with `socks5h` no name server of this machine learns them.
    pub(super) fn resolves_alone(&self) -> bool {
        self.resolves_alone
    }

    /// Returns whether the request is sent to the proxy itself, in absolute form.
    pub(super) fn takes_absolute_form(&self, https: bool) -> bool {
        self.kind == Kind::Http && !https
    }

    /// Returns the Proxy-Authorization of requests that the proxy itself answers.
    pub(super) fn authorization(&self) -> Option<HeaderValue> {
        let (user, password) = self.login.as_ref()?;
        let mut value =
            HeaderValue::try_from(format!("Basic {}", BASE64.encode(format!("{user}:{password}").as_bytes()))).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Turns a connection to the proxy into one to `target` (which includes its port). A proxy that refuses or
    /// disconnects is a failure to connect.
    pub(super) async fn tunnel(&self, io: TokioIo<Wire>, target: Uri) -> Result<TokioIo<Wire>, Failure> {
        match self.kind {
            Kind::Http => {
                let mut tunnel = Tunnel::new(self.uri.clone(), Ready::new(io));
                if let Some(value) = self.authorization() {
                    tunnel = tunnel.with_auth(value);
                }
                tunnel.call(target).await.map_err(|_| Failure::Connect)
            }
            Kind::Socks5 => {
                let mut socks = SocksV5::new(self.uri.clone(), Ready::new(io));
                if let Some((user, password)) = self.login.clone() {
                    socks = socks.with_auth(user, password);
                }
                socks.call(target).await.map_err(|_| Failure::Connect)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_parsed_with_its_credentials_and_an_invalid_one_is_reported_without_repeating_it() {
        let mut errors = Vec::new();
        let proxy = Proxy::read("http://us%20er:p%40ss@proxy.test:3128", &mut errors).unwrap();
        assert_eq!((proxy.host(), proxy.port()), ("proxy.test", 3128));
        assert_eq!(proxy.authorization().unwrap(), "Basic dXMgZXI6cEBzcw==");
        let socks = Proxy::read("socks5://[::1]", &mut errors).unwrap();
        assert_eq!((socks.host(), socks.port()), ("[::1]", 1080));
        assert!(errors.is_empty());
        for wrong in ["proxy.test:3128", "https://u:secret@proxy.test", "ftp://x", "http://"] {
            errors.clear();
            assert!(Proxy::read(wrong, &mut errors).is_none(), "{wrong}");
            assert!(errors.len() == 1 && !errors[0].contains("secret"), "{wrong}");
        }
        assert!(Proxy::read("", &mut errors).is_none());
    }
}
