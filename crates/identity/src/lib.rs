//! The identity of a crawler: signatures by which a site can tell who sent a request.
//!
//! HTTP message signatures (RFC 9421) with Ed25519, in the profile of Web Bot Auth
//! (draft-ietf-webbotauth-httpsig-protocol, -00 and -01, which replaces draft-meunier-web-bot-auth-architecture and
//! draft-meunier-http-message-signatures-directory). [`Identity::sign`] adds the headers `Signature-Agent`,
//! `Signature-Input` and `Signature` to a request. [`Identity::asked`] reads what a server asks for by
//! `Accept-Signature`. [`Directory`] is the document that the operator publishes, so that sites find the public key.
//!
//! Structured fields (RFC 9651) are parsed by `sfv`, keys and signatures come from `ring`. The crates that implement
//! RFC 9421 as a whole bring RSA, two elliptic curves and a second implementation of Ed25519, and read the clock
//! themselves.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod agent;
mod asked;
mod base;
mod components;
mod directory;
pub mod file;
mod form;
mod key;
mod key_error;
mod params;
mod public_key;
mod request_target;
mod sign;
#[cfg(test)]
mod vectors;

pub use agent::{AgentForm, SignatureAgent};
pub use asked::{Demand, RequestedSignature};
pub use components::Component;
pub use directory::{DIRECTORY_MEDIA_TYPE, DIRECTORY_PATH, Directory, DirectoryHeaders, directory_authority};
pub use form::SignatureForm;
pub use key::SigningKey;
pub use key_error::KeyError;
pub use params::{Lifetime, SignatureParams};
pub use public_key::PublicKey;
pub use request_target::RequestTarget;
pub use sign::{Identity, SIGNATURE, SIGNATURE_AGENT, SIGNATURE_INPUT, SignError};
