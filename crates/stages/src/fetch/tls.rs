//! The TLS configuration: rustls with ring, the built-in roots and the configured ones.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use harvestman_core::config::FetchOptions;

/// Returns the configuration of all connections of a client. Appends errors in the settings to `errors`.
pub(super) fn config(options: &FetchOptions, errors: &mut Vec<String>) -> Option<Arc<ClientConfig>> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if !options.ca_file.is_empty() {
        add_authorities(&options.ca_file, &mut roots, errors);
    }
    // The provider is explicit: with two in the dependency tree, rustls' default choice would panic.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = match builder {
        Ok(builder) => builder.with_root_certificates(roots).with_no_client_auth(),
        Err(error) => {
            errors.push(format!("fetch: TLS cannot be set up: {error}"));
            return None;
        }
    };
    config.alpn_protocols =
        if options.http2 { vec![b"h2".to_vec(), b"http/1.1".to_vec()] } else { vec![b"http/1.1".to_vec()] };
    Some(Arc::new(config))
}

fn add_authorities(file: &str, roots: &mut RootCertStore, errors: &mut Vec<String>) {
    let wrong = |why: &dyn std::fmt::Display| format!("fetch.ca_file: `{file}` cannot be used: {why}");
    let certificates = match CertificateDer::pem_file_iter(file) {
        Ok(certificates) => certificates,
        Err(error) => return errors.push(wrong(&error)),
    };
    let before = roots.len();
    for certificate in certificates {
        let added =
            certificate.map_err(|error| wrong(&error)).and_then(|der| roots.add(der).map_err(|error| wrong(&error)));
        if let Err(error) = added {
            errors.push(error);
        }
    }
    if roots.len() == before && errors.is_empty() {
        errors.push(wrong(&"it contains no certificate in PEM format"));
    }
}
