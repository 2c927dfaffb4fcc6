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
mod sign;
#[cfg(test)]
mod vectors;

pub use agent::{AgentForm, SignatureAgent};
pub use asked::{Demand, RequestedSignature};
pub use base::{Lifetime, SignatureParams};
pub use components::{Component, RequestTarget};
pub use directory::{DIRECTORY_MEDIA_TYPE, DIRECTORY_PATH, Directory, DirectoryHeaders, directory_authority};
pub use form::SignatureForm;
pub use key::{KeyError, PublicKey, SigningKey};
pub use sign::{Identity, SIGNATURE, SIGNATURE_AGENT, SIGNATURE_INPUT, SignError};
