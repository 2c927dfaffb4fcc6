//! Connects to the fleet's servers.

use std::sync::Arc;

use super::bus::Bus;
use super::nats::{NatsBus, NatsError, NatsOptions, Secret};
use super::protection::{Lack, lack};
use super::sealed_bus::{SealKey, SealedBus};
use harvestman_core::config::FleetOptions;

/// Why the bus is not available.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Others can read and change what is on the servers.
    #[error("{0}")]
    Unprotected(String),
    /// The key that seals what is on the servers is none.
    #[error("fleet.seal is no key of 64 hexadecimal digits, as `openssl rand -hex 32` prints them")]
    Key,
    /// The servers.
    #[error(transparent)]
    Nats(#[from] NatsError),
}

/// Connects to the servers and creates the streams, keys and objects of the crawl that do not exist yet.
pub async fn create(options: &FleetOptions) -> Result<Arc<dyn Bus>, ConnectError> {
    check_protection(options)?;
    let bus = NatsBus::connect(nats_options(options)).await?;
    bus.create_crawl().await?;
    sealed(Arc::new(bus), options)
}

/// Connects to the servers of an existing crawl.
pub async fn open(options: &FleetOptions) -> Result<Arc<dyn Bus>, ConnectError> {
    check_protection(options)?;
    let bus = NatsBus::connect(nats_options(options)).await?;
    bus.open_crawl().await?;
    sealed(Arc::new(bus), options)
}

fn check_protection(options: &FleetOptions) -> Result<(), ConnectError> {
    match lack(options) {
        Some(Lack::Refused(why)) => Err(ConnectError::Unprotected(why)),
        Some(Lack::Warned(why)) => {
            tracing::warn!("{why}");
            Ok(())
        }
        None => Ok(()),
    }
}

/// Returns the bus on which everything is sealed, if there is a key.
fn sealed(bus: Arc<dyn Bus>, options: &FleetOptions) -> Result<Arc<dyn Bus>, ConnectError> {
    if options.seal.is_empty() {
        return Ok(bus);
    }
    let key = SealKey::read(&options.seal).ok_or(ConnectError::Key)?;
    Ok(Arc::new(SealedBus::new(bus, key, &options.name)))
}

fn nats_options(options: &FleetOptions) -> NatsOptions {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    NatsOptions {
        replicas: (options.replicas > 0).then_some(options.replicas as usize),
        shards: u16::try_from(options.shards).unwrap_or(u16::MAX),
        log_shards: u16::try_from(options.shards).unwrap_or(u16::MAX),
        user: some(&options.user),
        password: some(&options.password).map(Secret),
        token: some(&options.token).map(Secret),
        credentials_file: some(&options.credentials_file).map(Into::into),
        tls_roots: some(&options.ca_file).map(Into::into),
        tls_certificate: some(&options.certificate_file).map(Into::into),
        tls_key: some(&options.key_file).map(Into::into),
        ..NatsOptions::new(options.servers.clone(), options.name.clone())
    }
}
