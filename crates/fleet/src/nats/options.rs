//! How the servers are reached, and how a crawl is kept on them.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::error::NatsError;

/// Something that no log shows.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// How the servers are reached, and how a crawl is kept on them.
#[derive(Debug, Clone)]
pub struct NatsOptions {
    /// Where the servers are: `nats://[USER:PASSWORD@]HOST[:4222]`, or `tls://` for TLS; each may be several, separated by commas. One is
    /// enough, the others are told by it; more are tried while one is away.
    pub urls: Vec<Secret>,
    /// The name of the crawl: letters, digits, `-` and `_`, at most 64.
    pub crawl: String,
    /// On how many servers everything is kept, 1 to 5. None: on 3 in a cluster, on 1 where the server stands alone.
    pub replicas: Option<usize>,
    /// In how many streams the exchange is divided.
    pub shards: u16,
    /// In how many streams the sessions' logs are divided.
    pub log_shards: u16,
    /// The most bytes that each stream of the exchange, the logs and the observations may hold; what does not fit is refused. 0: as many as
    /// the servers have room for.
    pub stream_bytes_max: u64,
    /// A user's name.
    pub user: Option<String>,
    /// The user's password.
    pub password: Option<Secret>,
    /// A token, in place of a user and password.
    pub token: Option<Secret>,
    /// A file with credentials (a JWT and its key, as `nsc` writes it), in place of a user and password.
    pub credentials_file: Option<PathBuf>,
    /// Nothing but TLS will do, even where the URL says `nats://`.
    pub tls: bool,
    /// A PEM file of the authorities that the servers' certificates may be from, in place of the system's.
    pub tls_roots: Option<PathBuf>,
    /// A PEM file with this node's own certificate, where servers want one.
    pub tls_certificate: Option<PathBuf>,
    /// A PEM file with the key of it.
    pub tls_key: Option<PathBuf>,
    /// How long the servers may take until they are connected, at the start.
    pub connect_timeout: Duration,
    /// How long an answer may take. What is sent to a leader that has just died is not answered, and is only sent again after this: it is
    /// part of how long a fleet stands still then. Raise it where servers are far away.
    pub request_timeout: Duration,
}

impl NatsOptions {
    /// The usual ones for a crawl of this name on these servers.
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

    /// The addresses of the servers, without who is to be let in, and who that is where the first URL that says so says it.
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
            return Err(NatsError::Url { url: String::new(), why: "no server is named".into() });
        }
        Ok((addresses, login))
    }
}

/// Who a URL says is to be let in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Login {
    pub user: Option<String>,
    pub password: Option<Secret>,
    /// What stands alone before the `@` is a token.
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
    // What may be a password is not repeated.
    let shown = text.rsplit('@').next().unwrap_or_default().to_owned();
    let wrong = |why: &str| NatsError::Url { url: shown.clone(), why: why.to_owned() };
    let url = Url::parse(&with_scheme).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "nats" | "tls") {
        return Err(wrong("it begins with neither nats:// nor tls://"));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(wrong("no host is named"));
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
