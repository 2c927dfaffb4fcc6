//! The key directory, which the operator of the crawler publishes on a web server.
//!
//! draft-ietf-webbotauth-httpsig-protocol, section *Key Distribution and Discovery* (the document) and appendix
//! *Validating the Domain Binding* (the signatures of the response).

use data_encoding::BASE64;
use ring::digest::{SHA256, digest};

use super::agent::{AgentForm, SignatureAgent};
use super::base::{Covered, Lifetime, SignatureParams, authority_of};
use super::key::SigningKey;
use super::sign::ALGORITHM;

/// The path of the directory.
pub const DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";
/// The media type of the directory.
pub const DIRECTORY_MEDIA_TYPE: &str = "application/http-message-signatures-directory+json";
/// The application that the signatures of a directory are for.
const TAG: &str = "http-message-signatures-directory";

/// A key directory.
#[derive(Debug, Clone, Copy)]
pub struct Directory<'a> {
    keys: &'a [SigningKey],
}

/// The headers by which a response with a directory proves that its server holds the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryHeaders {
    /// The value of `Content-Digest`.
    pub content_digest: String,
    /// The value of `Signature-Input`.
    pub signature_input: String,
    /// The value of `Signature`.
    pub signature: String,
}

/// Returns the authority of the server whose responses are to be signed, in its normal form. `agent` is the address
/// that requests send as `Signature-Agent`, or its authority alone.
///
/// # Errors
///
/// What is wrong with the address, and what to do.
pub fn directory_authority(agent: &str) -> Result<String, &'static str> {
    let whole = if agent.contains("://") { agent.to_owned() } else { format!("https://{agent}") };
    SignatureAgent::parse(&whole, AgentForm::Dictionary)?;
    whole.parse().ok().and_then(|uri| authority_of(&uri)).ok_or("not an address")
}

impl<'a> Directory<'a> {
    /// Creates a directory of these keys: the current one, and while keys are rotated also the next or the former one.
    pub const fn new(keys: &'a [SigningKey]) -> Self {
        Self { keys }
    }

    /// Returns the document: a JSON Web Key Set. It must be served byte for byte.
    pub fn body(&self) -> String {
        let keys: Vec<String> = self.keys.iter().map(|key| key.public().jwk()).collect();
        format!(r#"{{"keys":[{}]}}"#, keys.join(","))
    }

    /// Returns the headers of responses of the server at `authority`, with one signature per key. They hold until the
    /// end of `lifetime` for every request.
    pub fn headers(&self, authority: &str, lifetime: Lifetime) -> DirectoryHeaders {
        let content_digest = format!("sha-256=:{}:", BASE64.encode(digest(&SHA256, self.body().as_bytes()).as_ref()));
        let (mut inputs, mut signatures) = (Vec::new(), Vec::new());
        for (number, key) in self.keys.iter().enumerate() {
            let params = SignatureParams {
                created: lifetime.created,
                keyid: key.public().thumbprint(),
                alg: Some(ALGORITHM),
                expires: Some(lifetime.expires),
                nonce: None,
                tag: Some(TAG),
            };
            let mut covered = Covered::default();
            covered.add(r#""@authority";req"#, authority);
            covered.add(r#""content-digest""#, &content_digest);
            let base = covered.with(&params);
            inputs.push(format!("binding{number}={}", base.input));
            signatures.push(format!("binding{number}=:{}:", key.sign(base.text.as_bytes())));
        }
        DirectoryHeaders { content_digest, signature_input: inputs.join(", "), signature: signatures.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authority_is_that_of_the_address_of_the_agent() {
        for agent in ["https://Bot.example.org", "bot.example.org:443", "https://bot.example.org/keys"] {
            assert_eq!(directory_authority(agent).unwrap(), "bot.example.org");
        }
        assert_eq!(directory_authority("bot.example.org:8443").unwrap(), "bot.example.org:8443");
        for agent in ["", "http://bot.example.org", "https://", "a b", "me@bot.example.org"] {
            assert!(directory_authority(agent).is_err(), "{agent}");
        }
    }

    #[test]
    fn a_directory_of_two_keys_has_a_signature_by_each() {
        let keys = [1, 2].map(|seed| SigningKey::from_pem(SigningKey::new_pem(&[seed; 32]).as_bytes()).unwrap());
        let directory = Directory::new(&keys);
        let headers = directory.headers("bot.test", Lifetime { created: 1, expires: 2 });
        for (number, key) in keys.iter().enumerate() {
            assert!(directory.body().contains(key.public().thumbprint()));
            assert!(headers.signature_input.contains(&format!("binding{number}=(")));
            assert!(headers.signature.contains(&format!("binding{number}=:")));
        }
    }
}
