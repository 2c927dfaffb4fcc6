//! Connects to the fleet's servers, if this build supports it.

use std::sync::Arc;

use super::bus::Bus;
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
    /// This build has no support for fleets.
    #[error("this build of Harvestman does not support fleets: build it with `--features fleet`")]
    NotBuilt,
    /// The servers.
    #[cfg(feature = "nats")]
    #[error(transparent)]
    Nats(#[from] super::nats::NatsError),
}

/// Connects to the servers and creates the streams, keys and objects of the crawl that do not exist yet.
#[cfg(feature = "nats")]
pub async fn create(options: &FleetOptions) -> Result<Arc<dyn Bus>, ConnectError> {
    check_protection(options)?;
    let bus = super::nats::NatsBus::connect(nats_options(options)).await?;
    bus.create_crawl().await?;
    sealed(Arc::new(bus), options)
}

/// Connects to the servers of an existing crawl.
#[cfg(feature = "nats")]
pub async fn open(options: &FleetOptions) -> Result<Arc<dyn Bus>, ConnectError> {
    check_protection(options)?;
    let bus = super::nats::NatsBus::connect(nats_options(options)).await?;
    bus.open_crawl().await?;
    sealed(Arc::new(bus), options)
}

#[cfg(feature = "nats")]
fn check_protection(options: &FleetOptions) -> Result<(), ConnectError> {
    use super::protection::{Lack, lack};
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
#[cfg(feature = "nats")]
fn sealed(bus: Arc<dyn Bus>, options: &FleetOptions) -> Result<Arc<dyn Bus>, ConnectError> {
    use super::sealed_bus::{SealKey, SealedBus};
    if options.seal.is_empty() {
        return Ok(bus);
    }
    let key = SealKey::read(&options.seal).ok_or(ConnectError::Key)?;
    Ok(Arc::new(SealedBus::new(bus, key, &options.name)))
}

#[cfg(feature = "nats")]
fn nats_options(options: &FleetOptions) -> super::nats::NatsOptions {
    use super::nats::{NatsOptions, Secret};
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

/// Reports that this build has no support for fleets.
#[cfg(not(feature = "nats"))]
pub async fn create(_: &FleetOptions) -> Result<Arc<dyn Bus>, ConnectError> {
    Err(ConnectError::NotBuilt)
}

/// Reports that this build has no support for fleets.
#[cfg(not(feature = "nats"))]
pub async fn open(_: &FleetOptions) -> Result<Arc<dyn Bus>, ConnectError> {
    Err(ConnectError::NotBuilt)
}
