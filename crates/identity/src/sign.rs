//! Signs requests.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};

use super::agent::SignatureAgent;
use super::base::{Covered, Lifetime, SignatureParams};
use super::components::RequestTarget;
use super::form::SignatureForm;
use super::key::{PublicKey, SigningKey};

/// The header with the signatures.
pub const SIGNATURE: HeaderName = HeaderName::from_static("signature");
/// The header that says what each signature covers.
pub const SIGNATURE_INPUT: HeaderName = HeaderName::from_static("signature-input");
/// The header that says where the public key is found.
pub const SIGNATURE_AGENT: HeaderName = HeaderName::from_static("signature-agent");

/// The name of the algorithm.
pub(super) const ALGORITHM: &str = "ed25519";
/// The application that the signatures are for.
pub(super) const TAG: &str = "web-bot-auth";

/// Why a request cannot be signed in a form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The request does not have a component that the form covers.
    #[error("the request has no {0}")]
    Missing(String),
    /// The nonce is not printable ASCII.
    #[error("the nonce is not printable ASCII")]
    Unprintable,
}

/// The key of a crawler and the address at which it is published.
#[derive(Debug)]
pub struct Identity {
    key: SigningKey,
    agent: Option<SignatureAgent>,
    usual: Arc<SignatureForm>,
}

impl Identity {
    /// Creates an identity. Without `agent`, requests do not say where the key is published, and only verifiers that
    /// know the key can verify them; draft-ietf-webbotauth-httpsig-protocol requires it.
    pub fn new(key: SigningKey, agent: Option<SignatureAgent>) -> Self {
        let usual = Arc::new(SignatureForm::usual(agent.as_ref()));
        Self { key, agent, usual }
    }

    /// Returns the public key.
    pub const fn key(&self) -> &PublicKey {
        self.key.public()
    }

    /// Returns the form of a signature that no server has specified.
    pub const fn usual(&self) -> &Arc<SignatureForm> {
        &self.usual
    }

    pub(super) const fn agent(&self) -> Option<&SignatureAgent> {
        self.agent.as_ref()
    }

    /// Signs a request in this form: adds the headers of the signature to `headers`, which have all others. Headers of
    /// an earlier signature are replaced. `nonce` must be printable ASCII.
    ///
    /// # Errors
    ///
    /// The request lacks a component that the form covers. Then it has no headers of a signature.
    pub fn sign(
        &self,
        request: RequestTarget<'_>,
        headers: &mut HeaderMap,
        form: &SignatureForm,
        lifetime: Lifetime,
        nonce: Option<&str>,
    ) -> Result<(), SignError> {
        unsign(headers);
        let label = form.label.as_str();
        if let Some(value) = self.agent.as_ref().and_then(|agent| HeaderValue::try_from(agent.header(label)).ok()) {
            headers.insert(SIGNATURE_AGENT, value);
        }
        let params = SignatureParams {
            created: lifetime.created,
            keyid: self.key().thumbprint(),
            alg: Some(ALGORITHM),
            expires: Some(lifetime.expires),
            nonce,
            tag: Some(TAG),
        };
        let signed = self.covered(request, headers, form).and_then(|covered| self.values(covered, &params, label));
        match signed {
            Ok([input, signature]) => {
                headers.insert(SIGNATURE_INPUT, input);
                headers.insert(SIGNATURE, signature);
                Ok(())
            }
            Err(error) => {
                unsign(headers);
                Err(error)
            }
        }
    }

    /// Collects the components that the form covers.
    fn covered(
        &self,
        request: RequestTarget<'_>,
        headers: &HeaderMap,
        form: &SignatureForm,
    ) -> Result<Covered, SignError> {
        let agent = self.agent.as_ref().map(|agent| agent.item.as_str());
        let mut covered = Covered::default();
        for component in &form.components {
            let identifier = component.identifier(&form.label);
            match component.value(request, headers, agent) {
                Some(value) => covered.add(&identifier, &value),
                None => return Err(SignError::Missing(identifier)),
            }
        }
        Ok(covered)
    }

    /// Returns the values of `Signature-Input` and `Signature`.
    fn values(
        &self,
        covered: Covered,
        params: &SignatureParams<'_>,
        label: &str,
    ) -> Result<[HeaderValue; 2], SignError> {
        let base = covered.with(params);
        let signature = self.key.sign(base.text.as_bytes());
        let header = |text: String| {
            let mut value = HeaderValue::try_from(text).map_err(|_| SignError::Unprintable)?;
            // No other request has the same value: it must not take a place in the table of HTTP/2.
            value.set_sensitive(true);
            Ok(value)
        };
        Ok([header(format!("{label}={}", base.input))?, header(format!("{label}=:{signature}:"))?])
    }
}

/// Removes the headers of a signature.
fn unsign(headers: &mut HeaderMap) {
    for name in [SIGNATURE, SIGNATURE_INPUT, SIGNATURE_AGENT] {
        headers.remove(name);
    }
}
