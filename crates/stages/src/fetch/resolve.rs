//! Resolves host names to the addresses that may be connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use tokio::sync::Semaphore;

use super::descriptors::DescriptorShares;
use super::guard::Guard;
use super::name_servers::NameServerProbe;
use super::overrides::Overrides;
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
    addresses_max: usize,
}

impl Resolver {
    pub(super) fn new(options: &FetchOptions, guard: Guard, clock: &Clock, errors: &mut Vec<String>) -> Self {
        let dns = system_resolver(u64::from(options.dns_cache));
        // The cache would answer although the name servers do not.
        let probe = dns.as_ref().and_then(|_| system_resolver(0));
        let shares = DescriptorShares::of_process(DescriptorShares::default());
        Self {
            overrides: Overrides::read(&options.resolve, errors),
            guard,
            dns,
            probe: probe.map(|dns| NameServerProbe::new(dns, clock.clone())),
            look_ups: Semaphore::new(shares.look_ups as usize),
            timeout: options.resolve_timeout.0,
            addresses_max: (options.addresses_max as usize).max(1),
        }
    }

    /// Returns the addresses of `host` (with or without brackets) that the guard allows, in the order in which to try
    /// them: never empty, at most `addresses_max`.
    pub(super) async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let mut addresses = self.unguarded(host, port).await?;
        if addresses.is_empty() {
            return Err(Failure::Dns);
        }
        addresses.retain(|address| self.guard.allows(host, address.ip()));
        addresses.truncate(self.addresses_max);
        if addresses.is_empty() { Err(Failure::ForbiddenAddress) } else { Ok(addresses) }
    }

    /// Returns the addresses of the proxy. They are not guarded, because the proxy is configured by the user.
    pub(super) async fn proxy_addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
        let addresses = self.unguarded(host.trim_start_matches('[').trim_end_matches(']'), port).await;
        addresses.map_err(|failure| match failure {
            Failure::Local(_) => failure,
            _ => Failure::Local(LocalFailure::Proxy),
        })
    }

    /// Checks `host` without resolving it: rejects URLs that name a forbidden address. For use with a proxy.
    pub(super) fn check_literal(&self, host: &str) -> Result<(), Failure> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        match (host.parse::<IpAddr>(), is_localhost(host)) {
            (Ok(address), _) if !self.guard.allows(host, address) => Err(Failure::ForbiddenAddress),
            (_, true) if !self.guard.allows(host, Ipv4Addr::LOCALHOST.into()) => Err(Failure::ForbiddenAddress),
            _ => Ok(()),
        }
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
    use crate::fetch::TrustedHosts;

    fn resolver(resolve: &[&str], trusted: &str) -> Resolver {
        let options = FetchOptions {
            resolve: resolve.iter().map(|&r| r.to_owned()).collect(),
            addresses_max: 2,
            ..Default::default()
        };
        let guard = Guard { trusted: TrustedHosts::default().with(trusted), private_addresses: false };
        Resolver::new(&options, guard, &Clock::system(), &mut Vec::new())
    }

    async fn texts(resolver: &Resolver, host: &str) -> Result<Vec<String>, Failure> {
        Ok(resolver.addresses(host, 80).await?.iter().map(SocketAddr::to_string).collect())
    }

    #[tokio::test]
    async fn localhost_and_its_subdomains_are_loopback_and_guarded() {
        let resolver = resolver(&[], "*.localhost");
        assert_eq!(texts(&resolver, "a.b.localhost").await.unwrap(), ["127.0.0.1:80", "[::1]:80"]);
        assert_eq!(texts(&resolver, "localhost").await, Err(Failure::ForbiddenAddress));
    }

    #[tokio::test]
    async fn forbidden_addresses_are_left_out_and_the_number_of_addresses_is_bounded() {
        let entries = ["a.test:10.0.0.1", "a.test:8.8.8.8", "a.test:8.8.4.4:81", "a.test:9.9.9.9", "b.test:10.0.0.1"];
        let resolver = resolver(&entries, "seed.test");
        assert_eq!(texts(&resolver, "a.test").await.unwrap(), ["8.8.8.8:80", "8.8.4.4:81"]);
        assert_eq!(texts(&resolver, "b.test").await, Err(Failure::ForbiddenAddress));
    }

    #[tokio::test]
    async fn addresses_in_urls_are_guarded_too() {
        let resolver = resolver(&[], "127.0.0.1");
        assert_eq!(texts(&resolver, "127.0.0.1").await.unwrap(), ["127.0.0.1:80"]);
        for host in ["127.0.0.2", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "169.254.169.254"] {
            assert_eq!(texts(&resolver, host).await, Err(Failure::ForbiddenAddress), "{host}");
            assert_eq!(resolver.check_literal(host), Err(Failure::ForbiddenAddress), "{host}");
        }
        assert_eq!(resolver.check_literal("a.test"), Ok(()));
        assert_eq!(resolver.check_literal("x.localhost"), Err(Failure::ForbiddenAddress));
    }
}
