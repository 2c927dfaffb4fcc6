//! Signatures that several requests share.
//!
//! Ed25519 is deterministic: without a nonce, all signatures of a second that cover nothing but the host are the same. Each is
//! computed once.

use std::collections::HashMap;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};

use harvestman_identity::{SIGNATURE, SIGNATURE_AGENT, SIGNATURE_INPUT, SignatureForm};

/// Maximum number of hosts whose signatures are kept.
const HOSTS_MAX: usize = 1_024;
const HEADERS: [HeaderName; 3] = [SIGNATURE_AGENT, SIGNATURE_INPUT, SIGNATURE];

/// The signatures of one second.
#[derive(Debug, Default)]
pub(super) struct SharedSignatures {
    created: u64,
    by_host: HashMap<Box<str>, SharedSignature>,
}

#[derive(Debug)]
struct SharedSignature {
    form: Arc<SignatureForm>,
    values: [Option<HeaderValue>; 3],
}

impl SharedSignatures {
    /// Adds the headers of the signature of this form and time, if there is one. Returns whether there is.
    pub(super) fn add(&self, origin: &str, form: &SignatureForm, created: u64, headers: &mut HeaderMap) -> bool {
        let known = self.by_host.get(origin).filter(|known| self.created == created && *known.form == *form);
        let Some(known) = known else { return false };
        for (name, value) in HEADERS.iter().zip(&known.values) {
            match value {
                Some(value) => drop(headers.insert(name, value.clone())),
                None => drop(headers.remove(name)),
            }
        }
        true
    }

    /// Keeps the headers of a signature.
    pub(super) fn keep(&mut self, origin: &str, form: &Arc<SignatureForm>, created: u64, headers: &HeaderMap) {
        if self.created != created || self.by_host.len() >= HOSTS_MAX {
            (self.created, self.by_host) = (created, HashMap::new());
        }
        let values = HEADERS.map(|name| headers.get(name).cloned());
        self.by_host.insert(origin.into(), SharedSignature { form: Arc::clone(form), values });
    }
}
