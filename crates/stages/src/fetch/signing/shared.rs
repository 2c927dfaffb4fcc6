//! Signatures that several requests share.
//!
//! Ed25519 is deterministic, and a signature without a nonce covers nothing but the host and the times: requests to a
//! host within part of its lifetime may as well have the same one. Each is computed once.

use std::collections::HashMap;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};

use harvestman_identity::{Lifetime, SIGNATURE, SIGNATURE_AGENT, SIGNATURE_INPUT, SignatureForm};

/// Maximum number of hosts whose signatures are kept.
const HOSTS_MAX: usize = 4_096;
/// The part of its lifetime for which a signature is shared. The rest is left to requests on their way, and to clocks
/// that differ.
const SHARED_PART: u64 = 4;
const HEADERS: [HeaderName; 3] = [SIGNATURE_AGENT, SIGNATURE_INPUT, SIGNATURE];

/// The latest signature of each host.
#[derive(Debug, Default)]
pub(super) struct SharedSignatures {
    by_host: HashMap<Box<str>, SharedSignature>,
}

#[derive(Debug)]
struct SharedSignature {
    form: Arc<SignatureForm>,
    lifetime: Lifetime,
    values: [Option<HeaderValue>; 3],
}

impl SharedSignature {
    /// Returns whether a request of this second may have it. If the clock was set back, it is not valid yet.
    const fn is_fresh(&self, now: u64) -> bool {
        let Lifetime { created, expires } = self.lifetime;
        created <= now && now <= created + (expires - created) / SHARED_PART
    }
}

impl SharedSignatures {
    /// Adds the headers of a signature of this form that is valid for long enough, if there is one. Returns whether
    /// there is.
    pub(super) fn add(&self, origin: &str, form: &SignatureForm, now: u64, headers: &mut HeaderMap) -> bool {
        let known = self.by_host.get(origin).filter(|known| known.is_fresh(now) && *known.form == *form);
        let Some(known) = known else { return false };
        for (name, value) in HEADERS.iter().zip(&known.values) {
            match value {
                Some(value) => drop(headers.insert(name, value.clone())),
                None => drop(headers.remove(name)),
            }
        }
        true
    }

    /// Keeps the headers of a signature that is made now.
    pub(super) fn keep(&mut self, origin: &str, form: &Arc<SignatureForm>, lifetime: Lifetime, headers: &HeaderMap) {
        if self.by_host.len() >= HOSTS_MAX && !self.by_host.contains_key(origin) {
            self.make_room(lifetime.created);
        }
        let values = HEADERS.map(|name| headers.get(name).cloned());
        self.by_host.insert(origin.into(), SharedSignature { form: Arc::clone(form), lifetime, values });
    }

    /// Forgets what is shared no more; everything if that is less than half of all.
    fn make_room(&mut self, now: u64) {
        self.by_host.retain(|_, known| known.is_fresh(now));
        if self.by_host.len() > HOSTS_MAX / 2 {
            self.by_host.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use harvestman_identity::{Identity, SigningKey};

    use super::*;

    #[test]
    fn signatures_are_shared_for_part_of_their_lifetime_and_their_number_is_bounded() {
        let key = SigningKey::from_pem(SigningKey::new_pem(&[2; 32]).as_bytes()).unwrap();
        let form = Arc::clone(Identity::new(key, None).usual());
        let (mut shared, mut headers) = (SharedSignatures::default(), HeaderMap::new());
        headers.insert(SIGNATURE, HeaderValue::from_static("sig1=:AA==:"));
        let lifetime = |created| Lifetime { created, expires: created + 60 };
        shared.keep("http://a.test", &form, lifetime(100), &headers);
        let has = |shared: &SharedSignatures, now| {
            let mut of_request = HeaderMap::new();
            shared.add("http://a.test", &form, now, &mut of_request).then(|| assert_eq!(of_request, headers)).is_some()
        };
        assert_eq!([99, 100, 115, 116].map(|now| has(&shared, now)), [false, true, true, false]);
        for number in 0..3 * HOSTS_MAX as u64 {
            shared.keep(&format!("http://{number}.test"), &form, lifetime(100 + number / 100), &headers);
            assert!(shared.by_host.len() <= HOSTS_MAX);
        }
        assert!(shared.by_host.len() > HOSTS_MAX / 4, "what is fresh is kept");
    }
}
