//! Patterns of hosts in settings.

use ::url::Host;

use super::authority;

const WANTED: &str = "write a host as example.org, example.org:8080, 127.0.0.1, [::1] or *.example.org";

/// A pattern of hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HostPattern {
    /// This host at any port.
    Name(Box<str>),
    /// This host and port.
    Authority(Box<str>),
    /// All names with this ending (including its dot).
    Below(Box<str>),
}

impl HostPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(super) fn parse(written: &str) -> Result<Self, &'static str> {
        let (name, below) = written.trim().strip_prefix("*.").map_or((written.trim(), false), |name| (name, true));
        let host = authority::host(name);
        let port = name[host.len()..].strip_prefix(':');
        let host = Host::parse(host.strip_suffix('.').unwrap_or(host)).map_err(|_| WANTED)?.to_string();
        match port {
            None if below => Ok(Self::Below(format!(".{host}").into())),
            None => Ok(Self::Name(host.into())),
            Some(port) if !below && port.parse::<u16>().is_ok() => Ok(Self::Authority(format!("{host}:{port}").into())),
            Some(_) => Err(WANTED),
        }
    }

    /// Returns whether the host with this authority matches.
    pub(super) fn matches(&self, authority: &str) -> bool {
        match self {
            Self::Name(name) => authority::host(authority) == &**name,
            Self::Authority(wanted) => authority == &**wanted,
            Self::Below(ending) => authority::host(authority).ends_with(&**ending),
        }
    }

    /// Returns whether a host can match both.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Below(ending), Self::Below(other)) => ending.ends_with(&**other) || other.ends_with(&**ending),
            (Self::Below(_), Self::Name(host) | Self::Authority(host)) => self.matches(host),
            (Self::Name(host) | Self::Authority(host), Self::Below(_)) => other.matches(host),
            (Self::Name(name), Self::Name(host) | Self::Authority(host))
            | (Self::Authority(host), Self::Name(name)) => authority::host(host) == &**name,
            (Self::Authority(one), Self::Authority(other)) => one == other,
        }
    }
}
