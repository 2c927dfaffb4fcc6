//! Options of the connection to the servers, and of the storage of a crawl.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::error::NatsError;

/// A value that is never logged.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Options of the connection to the servers, and of the storage of a crawl.
#[derive(Debug, Clone)]
pub struct NatsOptions {
    /// The addresses of the servers: `nats://[USER:PASSWORD@]HOST[:4222]`, or `tls://` for TLS; each entry may be
    /// several, separated by commas. One is sufficient, it announces the others; with more, the client can start while
    /// one is unavailable.
    pub urls: Vec<Secret>,
    /// The name of the crawl: letters, digits, `-` and `_`, at most 64.
    pub crawl: String,
    /// The number of servers that store everything, 1 to 5. `None`: 3 in a cluster, 1 on a single server.
    pub replicas: Option<usize>,
    /// The number of streams of the exchange.
    pub shards: u16,
    /// The number of streams of the session logs.
    pub log_shards: u16,
    /// The most bytes of each stream of the exchange, the logs and the observations; beyond it new messages are
    /// refused. 0: no limit besides that of the servers.
    pub stream_bytes_max: u64,
    /// The user name.
    pub user: Option<String>,
    /// The user's password.
    pub password: Option<Secret>,
    /// A token, instead of a user and password.
    pub token: Option<Secret>,
    /// A credentials file (a JWT and its key, as written by `nsc`), instead of a user and password.
    pub credentials_file: Option<PathBuf>,
    /// Requires TLS, even if the URL says `nats://`.
    pub tls: bool,
    /// A PEM file with the certificate authorities of the servers, instead of the system's.
    pub tls_roots: Option<PathBuf>,
    /// A PEM file with this node's certificate, if the servers require one.
    pub tls_certificate: Option<PathBuf>,
    /// A PEM file with the key of the certificate.
    pub tls_key: Option<PathBuf>,
    /// The timeout of the initial connection.
    pub connect_timeout: Duration,
    /// The timeout of a request. A message to a leader that has just died gets no answer, and is retried only after
    /// this timeout, which contributes to the time that a fleet stalls. Raise it if the servers are far away.
    pub request_timeout: Duration,
}

impl NatsOptions {
    /// Creates the default options for a crawl of this name on these servers.
    pub fn new(url: impl Into<String>, crawl: impl Into<String>) -> Self {
        Self {
            urls: vec![Secret(url.into())],
            crawl: crawl.into(),
            replicas: None,
            shards: 8,
            log_shards: 4,
            stream_bytes_max: 0,
            user: None,
            password: None,
            token: None,
            credentials_file: None,
            tls: false,
            tls_roots: None,
            tls_certificate: None,
            tls_key: None,
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(2),
        }
    }

    /// Returns the addresses of the servers without credentials, and the credentials of the first URL that has any.
    pub(super) fn addresses(&self) -> Result<(Vec<String>, Login), NatsError> {
        let mut login = Login::default();
        let mut addresses = Vec::new();
        for one in self.urls.iter().flat_map(|urls| urls.0.split(',')).map(str::trim).filter(|url| !url.is_empty()) {
            let mut url = parse(one)?;
            if login == Login::default() {
                login = Login::of(&url);
            }
            // Cannot fail: such a URL has a host.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            addresses.push(url.as_str().trim_end_matches('/').to_owned());
        }
        if addresses.is_empty() {
            return Err(NatsError::Url { url: String::new(), why: "no server is given".into() });
        }
        Ok((addresses, login))
    }
}

/// The credentials of a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Login {
    pub user: Option<String>,
    pub password: Option<Secret>,
    /// A user part without a password is a token.
    pub token: Option<Secret>,
}

impl Login {
    fn of(url: &Url) -> Self {
        let plain = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        match (url.username(), url.password()) {
            ("", None) => Self::default(),
            (token, None) => Self { token: Some(Secret(plain(token))), ..Self::default() },
            (user, Some(password)) => {
                Self { user: Some(plain(user)), password: Some(Secret(plain(password))), token: None }
            }
        }
    }
}

fn parse(text: &str) -> Result<Url, NatsError> {
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("nats://{text}") };
    // A possible password must not be repeated in the error.
    let shown = text.rsplit('@').next().unwrap_or_default().to_owned();
    let wrong = |why: &str| NatsError::Url { url: shown.clone(), why: why.to_owned() };
    let url = Url::parse(&with_scheme).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "nats" | "tls") {
        return Err(wrong("the scheme is neither nats:// nor tls://"));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(wrong("the host is missing"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(url: &str) -> Result<(Vec<String>, Login), NatsError> {
        NatsOptions::new(url, "c").addresses()
    }

    #[test]
    fn one_text_names_several_servers() {
        let (all, login) = addresses("nats://a:4222, b:4223,tls://[::1]:4224/").unwrap();
        assert_eq!(all, ["nats://a:4222", "nats://b:4223", "tls://[::1]:4224"]);
        assert_eq!(login, Login::default());
    }

    #[test]
    fn who_is_let_in_is_taken_out_of_the_url() {
        let (all, login) = addresses("nats://a,nats://me:p%40ss@b").unwrap();
        assert_eq!(all, ["nats://a", "nats://b"]);
        assert_eq!((login.user.as_deref(), login.password), (Some("me"), Some(Secret("p@ss".into()))));
        let (_, login) = addresses("nats://t0ken@b").unwrap();
        assert_eq!(login.token, Some(Secret("t0ken".into())));
    }

    #[test]
    fn a_wrong_url_is_named_without_its_password() {
        for bad in ["", " , ", "http://a", "ws://me:secret@a", "nats://me:secret@:1", "nats://me:secret@a:99999"] {
            let error = addresses(bad).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        assert!(!format!("{:?}", NatsOptions::new("nats://me:secret@a", "c")).contains("secret"));
    }
}
