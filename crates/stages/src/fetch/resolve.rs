//! Resolves host names to the addresses that may be connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use tokio::sync::Semaphore;

use super::addresses::{Overrides, is_public};
use super::bounds::{ADDRESSES_MAX, DNS_CACHE, DescriptorShares};
use super::name_servers::NameServerProbe;
use super::trust::Guard;
use harvestman_core::clock::Clock;
use harvestman_core::config::FetchOptions;
use harvestman_core::model::{Failure, LocalFailure};

/// Resolves host names and applies the address guard. One per client, because it contains hickory's cache.
pub(super) struct Resolver {
    overrides: Overrides,
    guard: Guard,
    /// `None` if the system configures no name server; then only overrides, IP addresses and localhost resolve.
    dns: Option<TokioResolver>,
    /// `None` where `dns` is.
    probe: Option<NameServerProbe>,
    /// One permit for each look-up, because each opens sockets.
    look_ups: Semaphore,
    timeout: Duration,
    /// Number of look-ups in succession, of names that a proxy resolves, that had no answer in time.
    unanswered: AtomicU32,
}

/// The maximum time for a look-up of a name that a proxy resolves: the request waits for it.
const PROXIED_LOOK_UP_MAX: Duration = Duration::from_secs(2);
/// Number of such look-ups in succession without an answer after which there are no more: behind some proxies no name
/// server can be reached.
const UNANSWERED_MAX: u32 = 3;

/// Ends of names that lead into the own network: RFC 6761, RFC 6762 with its appendix G, RFC 8375, and `internal`,
/// which ICANN has reserved for this.
const OWN_NETWORK: [&str; 10] =
    ["localhost", "local", "home.arpa", "internal", "intranet", "private", "corp", "home", "lan", "localdomain"];

impl Resolver {
    pub(super) fn new(options: &FetchOptions, guard: Guard, clock: &Clock, errors: &mut Vec<String>) -> Self {
        let dns = system_resolver(DNS_CACHE);
        // The cache would answer although the name servers do not.
        let probe = dns.as_ref().and_then(|_| system_resolver(0));
        let shares = DescriptorShares::of_process(DescriptorShares::default());
        Self {
            overrides: Overrides::read(&options.resolve, errors),
            guard,
            dns,
            probe: probe.map(|dns| NameServerProbe::new(dns, clock.clone())),
            look_ups: Semaphore::new(shares.look_ups as usize),
            timeout: options.connect_timeout.0,
            unanswered: AtomicU32::new(0),
        }
    }

    /// Returns the addresses of `host` (with or without brackets) that the guard allows, in the order in which to try
    /// them: never empty, at most [`ADDRESSES_MAX`].
    pub(super) async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let mut addresses = self.unguarded(host, port).await?;
        if addresses.is_empty() {
            return Err(Failure::Dns);
        }
        self.guard.keep_allowed(host, &mut addresses);
        addresses.truncate(ADDRESSES_MAX);
        if addresses.is_empty() { Err(Failure::ForbiddenAddress) } else { Ok(addresses) }
    }

    /// Takes in that `host` had a public address before.
    pub(super) fn keep_public(&self, host: &str) {
        self.guard.trusted.note_public(host);
    }

    /// Returns the addresses of the proxy. They are not guarded, because the proxy is configured by the user.
    pub(super) async fn proxy_addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
        let addresses = self.unguarded(host.trim_start_matches('[').trim_end_matches(']'), port).await;
        addresses.map_err(|failure| match failure {
            Failure::Local(_) => failure,
            _ => Failure::Local(LocalFailure::Proxy),
        })
    }

    /// Checks `host` without resolving it: rejects forbidden addresses, and names that lead into the own network. For
    /// use with a proxy.
    pub(super) fn check_name(&self, host: &str) -> Result<(), Failure> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let is_forbidden = match host.parse::<IpAddr>() {
            Ok(address) => !is_public(address),
            Err(_) => is_of_own_network(host),
        };
        if is_forbidden && !self.guard.trusts(host) { Err(Failure::ForbiddenAddress) } else { Ok(()) }
    }

    /// Checks `host`, which a proxy will resolve, by the addresses that it has here. A name that cannot be resolved
    /// here passes: the proxy may know another name server.
    pub(super) async fn check_proxied(&self, host: &str) -> Result<(), Failure> {
        self.check_name(host)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if self.guard.private_addresses || self.unanswered.load(Ordering::Relaxed) >= UNANSWERED_MAX {
            return Ok(());
        }
        let limit = PROXIED_LOOK_UP_MAX.min(self.timeout);
        let Ok(resolved) = tokio::time::timeout(limit, self.unguarded(host, 0)).await else {
            self.unanswered.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        self.unanswered.store(0, Ordering::Relaxed);
        let Ok(mut addresses) = resolved else { return Ok(()) };
        // The proxy may choose any of them.
        let all = addresses.len();
        self.guard.keep_allowed(host, &mut addresses);
        if addresses.len() < all { Err(Failure::ForbiddenAddress) } else { Ok(()) }
    }

    async fn unguarded(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        if let Some(addresses) = self.overrides.addresses(host, port) {
            return Ok(addresses);
        }
        // RFC 6761, section 6.3: never sent to a name server, so it is always loopback.
        if is_localhost(host) {
            return Ok(vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()]);
        }
        let mut addresses = self.look_up(host).await?;
        // A fixed order makes the address that is used the one that counts for the limit of connections per address.
        addresses.sort_unstable();
        addresses.dedup();
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }

    async fn look_up(&self, host: &str) -> Result<Vec<IpAddr>, Failure> {
        let dns = self.dns.as_ref().ok_or(Failure::Dns)?;
        // The final dot makes the name fully qualified; otherwise the system's search domains would be tried too.
        let name = if host.contains('.') { format!("{host}.") } else { host.to_owned() };
        // The semaphore is never closed. The time-out begins only with the look-up.
        let permit = self.look_ups.acquire().await;
        let looked_up = tokio::time::timeout(self.timeout, dns.lookup_ip(name)).await;
        drop(permit);
        let error = match looked_up {
            Ok(Ok(found)) => return Ok(found.iter().collect()),
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        match &self.probe {
            Some(probe) => Err(probe.failure(error.as_ref()).await),
            None => Err(Failure::Dns),
        }
    }
}

fn is_localhost(host: &str) -> bool {
    host == "localhost" || host.ends_with(".localhost")
}

/// Returns whether a name is one that only name servers and files of the own network know.
fn is_of_own_network(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let is_below = |end: &&str| host.strip_suffix(*end).is_some_and(|front| front.ends_with('.'));
    !host.contains('.') || host == "home.arpa" || OWN_NETWORK.iter().any(is_below)
}

/// Returns a resolver by the configuration of the system, which caches this many answers.
fn system_resolver(cached: u64) -> Option<TokioResolver> {
    let mut builder = match TokioResolver::builder_tokio() {
        Ok(builder) => builder,
        Err(error) => {
            tracing::warn!(%error, "no name server is configured; only overrides and IP addresses resolve");
            return None;
        }
    };
    let settings = builder.options_mut();
    settings.cache_size = cached;
    settings.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    builder.build().inspect_err(|error| tracing::warn!(%error, "the resolver cannot be set up")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Trust;
    use harvestman_core::url::HostKey;

    fn resolver(resolve: &[&str], trusted: &str) -> Resolver {
        let options = FetchOptions { resolve: resolve.iter().map(|&r| r.to_owned()).collect(), ..Default::default() };
        let seed = HostKey::from_origin(&format!("http://{trusted}"));
        let guard = Guard { trusted: Trust::of_seeds([&seed]).addresses, private_addresses: false };
        Resolver::new(&options, guard, &Clock::system(), &mut Vec::new())
    }

    async fn texts(resolver: &Resolver, host: &str) -> Result<Vec<String>, Failure> {
        Ok(resolver.addresses(host, 80).await?.iter().map(SocketAddr::to_string).collect())
    }

    #[tokio::test]
    async fn localhost_and_its_subdomains_are_loopback_and_guarded() {
        let resolver = resolver(&[], "a.b.localhost");
        assert_eq!(texts(&resolver, "a.b.localhost").await.unwrap(), ["127.0.0.1:80", "[::1]:80"]);
        assert_eq!(texts(&resolver, "localhost").await, Err(Failure::ForbiddenAddress));
    }

    #[tokio::test]
    async fn forbidden_addresses_are_left_out_and_the_number_of_addresses_is_bounded() {
        let public =
            ["8.8.8.8", "8.8.4.4:81", "9.9.9.9", "1.1.1.1", "1.0.0.1"].map(|address| format!("a.test:{address}"));
        let entries = ["a.test:10.0.0.1", "b.test:10.0.0.1"].into_iter().chain(public.iter().map(String::as_str));
        let entries: Vec<&str> = entries.collect();
        let resolver = resolver(&entries, "seed.test");
        assert_eq!(texts(&resolver, "a.test").await.unwrap(), ["8.8.8.8:80", "8.8.4.4:81", "9.9.9.9:80", "1.1.1.1:80"]);
        assert_eq!(texts(&resolver, "b.test").await, Err(Failure::ForbiddenAddress));
    }

    #[tokio::test]
    async fn addresses_in_urls_are_guarded_too() {
        let resolver = resolver(&[], "127.0.0.1");
        assert_eq!(texts(&resolver, "127.0.0.1").await.unwrap(), ["127.0.0.1:80"]);
        for host in ["127.0.0.2", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "169.254.169.254"] {
            assert_eq!(texts(&resolver, host).await, Err(Failure::ForbiddenAddress), "{host}");
            assert_eq!(resolver.check_name(host), Err(Failure::ForbiddenAddress), "{host}");
        }
    }

    #[test]
    fn names_of_the_own_network_are_not_left_to_a_proxy_unless_a_seed_has_them() {
        let resolver = resolver(&[], "wiki.internal");
        for host in ["a.test", "local.test", "xlocal.org", "internal.example", "8.8.8.8", "wiki.internal"] {
            assert_eq!(resolver.check_name(host), Ok(()), "{host}");
        }
        for host in [
            "x.localhost",
            "intranet",
            "ip6-localhost",
            "nas.local",
            "metadata.google.internal",
            "router.lan.",
            "a.home.arpa",
        ] {
            assert_eq!(resolver.check_name(host), Err(Failure::ForbiddenAddress), "{host}");
        }
    }

    #[tokio::test]
    async fn a_name_that_has_a_private_address_here_is_not_left_to_a_proxy() {
        let entries = [
            "public.test:8.8.8.8",
            "rebound.test:127.0.0.1",
            "mixed.test:8.8.8.8",
            "mixed.test:10.0.0.1",
            "seed.test:10.0.0.1",
        ];
        let resolver = resolver(&entries, "seed.test");
        for (host, expected) in [
            ("public.test", Ok(())),
            ("seed.test", Ok(())),
            ("rebound.test", Err(Failure::ForbiddenAddress)),
            ("mixed.test", Err(Failure::ForbiddenAddress)),
            ("intranet", Err(Failure::ForbiddenAddress)),
        ] {
            assert_eq!(resolver.check_proxied(host).await, expected, "{host}");
        }
        // A label of 64 bytes has no address anywhere: whether it is one is left to the proxy.
        assert_eq!(resolver.check_proxied(&format!("{}.test", "a".repeat(64))).await, Ok(()));
    }
}
