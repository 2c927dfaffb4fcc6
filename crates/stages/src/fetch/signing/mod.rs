//! Signs requests (Web Bot Auth), and remembers which hosts ask for signatures.
//!
//! The signatures themselves are made by `harvestman-identity`. Here are what that crate must not know: the settings,
//! the key file, the time, the nonces, and the hosts.

mod signing_memory;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use data_encoding::BASE64;
use http::HeaderMap;
use parking_lot::Mutex;
use ring::rand::{SecureRandom, SystemRandom};
use signing_memory::{AskingHosts, SharedSignatures};
use xxhash_rust::xxh3::xxh3_64;

use super::Error;
use super::target::Target;
use harvestman_core::clock::Instant;
use harvestman_core::config::{AgentSyntax, IdentityOptions, SignMode};
use harvestman_core::model::{RequestSignature, SignReason};
use harvestman_identity::{
    AgentForm, Demand, Identity, Lifetime, RequestTarget, RequestedSignature, SignatureAgent, SignatureForm, file,
};

/// Maximum size of an `Accept-Signature` header that is read, in bytes: hundreds of components. A longer one counts as
/// asking for nothing.
const ACCEPT_MAX: usize = 8 << 10;

/// Maximum number of hosts of which it is remembered that they ask for a signature; the oldest are forgotten first, and
/// ask again. Each takes some hundred bytes, and [`ACCEPT_MAX`] at most.
const ASKING_HOSTS_MAX: usize = 10_000;

/// Number of random bytes in a nonce.
const NONCE_BYTES: usize = 32;

/// Signs the requests of a client.
#[derive(Debug)]
pub struct RequestSigner {
    identity: Identity,
    mode: SignMode,
    lifetime: Duration,
    has_nonce: bool,
    hosts: Mutex<AskingHosts>,
    shared: Mutex<SharedSignatures>,
    random: SystemRandom,
    /// Whether it has been reported that a server's clock differs.
    skew_reported: AtomicBool,
}

/// How a request was signed.
#[derive(Debug, Default)]
pub(super) struct Signed {
    pub(super) reason: Option<SignReason>,
    /// What the signature covers; `None` if the request is not signed.
    form: Option<Arc<SignatureForm>>,
    /// Whether the request lacks a header that the host wants to be covered.
    falls_short: bool,
    /// Whether the nonce is one that the host gave.
    has_hosts_nonce: bool,
}

impl RequestSigner {
    /// Creates a signer with these settings, and warns of a key that others may know. `None` if requests are not
    /// signed.
    ///
    /// # Errors
    ///
    /// Reports all invalid settings together. No message contains any of the key.
    pub fn new(options: &IdentityOptions) -> Result<Option<Arc<Self>>, Error> {
        if options.key_file.is_empty() {
            return Ok(None);
        }
        let mut errors = Vec::new();
        let agent = match (options.agent.as_str(), options.agent_syntax) {
            ("", _) => None,
            (url, AgentSyntax::Dictionary) => Some(SignatureAgent::parse(url, AgentForm::Dictionary)),
            (url, AgentSyntax::String) => Some(SignatureAgent::parse(url, AgentForm::String)),
        };
        let agent = agent.transpose().unwrap_or_else(|error| {
            errors.push(format!("identity.agent: {error}"));
            None
        });
        match file::read(Path::new(&options.key_file)) {
            Err(error) => errors.push(format!("identity.key_file: {error}")),
            Ok(read) if errors.is_empty() => {
                warn_of(&read, options);
                return Ok(Some(Arc::new(Self::with(Identity::new(read.key, agent), options))));
            }
            Ok(_) => {}
        }
        Err(Error::Settings(errors))
    }

    fn with(identity: Identity, options: &IdentityOptions) -> Self {
        Self {
            identity,
            mode: options.sign,
            lifetime: options.lifetime.0,
            has_nonce: options.nonce,
            hosts: Mutex::new(AskingHosts::new(ASKING_HOSTS_MAX)),
            shared: Mutex::default(),
            random: SystemRandom::new(),
            skew_reported: AtomicBool::new(false),
        }
    }

    /// Signs the request by this method with these headers, if it is to be signed. `now` is the calendar time.
    pub(super) fn sign(&self, method: &str, target: &Target<'_>, headers: &mut HeaderMap, now: Instant) -> Signed {
        let demand = self.hosts.lock().next(target.origin, hash(target));
        let reason = match (self.mode, &demand) {
            (SignMode::Always, _) => SignReason::Always,
            (SignMode::Asked, Some(_)) => SignReason::Asked,
            (SignMode::Asked, None) => return Signed::default(),
        };
        let Demand { form, nonce } =
            demand.unwrap_or_else(|| Demand { form: Arc::clone(self.identity.usual()), nonce: None });
        let has_hosts_nonce = nonce.is_some();
        let nonce = nonce.or_else(|| self.nonce());
        let created = now.as_micros() / 1_000_000;
        let lifetime = Lifetime { created, expires: created + self.lifetime.as_secs().max(1) };
        let request = RequestTarget { method, uri: target.uri() };
        let signed =
            Signed { reason: Some(reason), form: Some(Arc::clone(&form)), falls_short: false, has_hosts_nonce };
        let is_shared = nonce.is_none() && form.is_for_any_request();
        if is_shared && self.shared.lock().add(target.origin, &form, created, headers) {
            return signed;
        }
        if self.identity.sign(request, headers, &form, lifetime, nonce.as_deref()).is_ok() {
            if is_shared {
                self.shared.lock().keep(target.origin, &form, lifetime, headers);
            }
            return signed;
        }
        let usual = self.identity.usual();
        match self.identity.sign(request, headers, usual, lifetime, nonce.as_deref()) {
            Ok(()) => Signed { form: Some(Arc::clone(usual)), falls_short: true, ..signed },
            Err(_) => Signed::default(),
        }
    }

    /// Returns a random nonce, unless there are none.
    fn nonce(&self) -> Option<String> {
        let mut bytes = [0; NONCE_BYTES];
        let filled = self.has_nonce && self.random.fill(&mut bytes).is_ok();
        filled.then(|| BASE64.encode(&bytes))
    }

    /// Takes note of an answer: whether its host asks for signatures, and of its clock. `now` is the calendar time.
    pub(super) fn note(
        &self,
        target: &Target<'_>,
        answer: &Heard<'_>,
        signed: &Signed,
        now: Instant,
    ) -> RequestSignature {
        if signed.form.is_some() && !self.skew_reported.load(Ordering::Relaxed) {
            self.report_skew(target, answer.headers, now);
        }
        let is_wanted = match self.identity.asked(answer.headers, ACCEPT_MAX) {
            RequestedSignature::Nothing => false,
            RequestedSignature::Unusable(why) => {
                tracing::debug!(host = target.origin, why, "the server asks for a signature that cannot be made");
                false
            }
            RequestedSignature::Signature(demand) => {
                let lacks_nonce = demand.nonce.is_some() && !signed.has_hosts_nonce;
                let lacks_form = signed.form.as_ref().is_none_or(|form| !form.covers(&demand.form));
                let lacks = lacks_nonce || lacks_form && !signed.falls_short;
                let is_refused = lacks && matches!(answer.status, 401 | 403 | 429);
                let remembered = self.hosts.lock().put(target.origin, is_refused.then(|| hash(target)), demand);
                is_refused && remembered
            }
        };
        RequestSignature { reason: signed.reason, is_wanted }
    }

    /// Warns once if a server's clock differs so much that it rejects signatures.
    fn report_skew(&self, target: &Target<'_>, headers: &HeaderMap, now: Instant) {
        let skew = signing_memory::of(headers, now).filter(|skew| skew.spoils(self.lifetime));
        if let Some(skew) = skew
            && !self.skew_reported.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "the clock of {} is {skew}, so that it probably rejects signatures. Check the time of this machine (`timedatectl`); if \
                 it is right, only the operator of that host can help. Further differences are not reported",
                target.origin
            );
        }
    }
}

/// Returns a hash of the path and query of a URL.
fn hash(target: &Target<'_>) -> u64 {
    xxh3_64(target.uri().path_and_query().map_or("/", |path| path.as_str()).as_bytes())
}

/// What the signer looks at in an answer.
pub(super) struct Heard<'a> {
    pub(super) status: u16,
    pub(super) headers: &'a HeaderMap,
}

/// Warns of a key that others may know.
fn warn_of(read: &file::KeyFile, options: &IdentityOptions) {
    let path = &options.key_file;
    if read.is_exposed {
        tracing::warn!("identity.key_file: other users of this machine may read `{path}`; run `chmod 600` on it");
    }
    if read.key.public().is_test_key() {
        tracing::warn!(
            "identity.key_file: `{path}` contains the published example key of RFC 9421, with which everyone can sign; create a key \
             with `harvestman identity new`"
        );
    }
    if options.agent.is_empty() {
        tracing::warn!(
            "identity.agent is not set: sites cannot look up the key `{}`, and can verify signatures only if they know it",
            read.key.public().thumbprint()
        );
    }
}

#[cfg(test)]
mod tests;
