//! Secrets that a crawl would put on the servers of its fleet.

use url::Url;

use crate::error::Error;
use harvestman_core::config::Config;

/// How to get a key that seals what is on the servers.
const HOW_TO_SEAL: &str = "make a key with `openssl rand -hex 32`, and give it to all nodes in HARVESTMAN_FLEET_SEAL";
/// The minimum length of the value of a parameter that may be a key.
const KEY_MIN: usize = 16;

/// Refuses secrets that would be on the servers for all to read. Warns about credentials that stay on this node.
pub(super) fn check(config: &Config) -> Result<(), Error> {
    if !config.fleet.seal.is_empty() {
        return Ok(());
    }
    let addresses = config.crawl.seeds.iter().chain(&config.search.url);
    if let Some(what) = addresses.filter_map(|address| secret_in(address)).next() {
        return Err(Error::Configuration(format!(
            "an address of the crawl has {what}, and the nodes of a fleet send addresses to each other over its servers, where nothing is \
             sealed: {HOW_TO_SEAL}"
        )));
    }
    let credentials =
        [("fetch.headers", config.fetch.headers.is_empty()), ("fetch.cookie", config.fetch.cookie.is_empty())];
    for (name, _) in credentials.iter().filter(|(_, is_empty)| !is_empty) {
        tracing::warn!(
            "{name} stays on this node, because nothing is sealed on the servers of the fleet: give it to each node that joins. To share \
             it, {HOW_TO_SEAL}"
        );
    }
    Ok(())
}

/// Returns which part of an address is a secret, or may be one: a password, or a parameter of a search that is as long
/// as a key.
fn secret_in(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    if url.password().is_some() || !url.username().is_empty() {
        return Some("a user name or password".to_owned());
    }
    if !address.contains("{query}") {
        return None;
    }
    let is_key = |value: &str| {
        value.len() >= KEY_MIN && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let (name, _) = url.query_pairs().find(|(_, value)| is_key(value))?;
    Some(format!("a parameter (`{name}`) that may be a key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_secrets_are_shared_only_where_they_are_sealed() {
        let mut config = Config::default();
        config.crawl.seeds = vec!["https://h.test/0123456789abcdef?page=0123456789abcdef".to_owned()];
        config.search.url = vec!["site".to_owned(), "https://s.test/?q={query}&format=json".to_owned()];
        config.fetch.headers = vec!["Authorization: Bearer x".to_owned()];
        assert!(check(&config).is_ok());
        let secrets =
            ["https://user:password@h.test/", "https://user@h.test/", "https://s.test/?key=0123456789abcdef&q={query}"];
        for secret in secrets {
            let mut config = config.clone();
            config.search.url.push(secret.to_owned());
            let why = check(&config).unwrap_err().to_string();
            assert!(why.contains("openssl rand -hex 32") && why.contains("HARVESTMAN_FLEET_SEAL"), "{why}");
            assert!(!why.contains("0123456789") && !why.contains("password@"), "{why}");
            config.fleet.seal = "0".repeat(64);
            assert!(check(&config).is_ok());
        }
    }
}
