//! URLs: the canonical form, the scope of a crawl, the host that politeness is owed to.
//!
//! Pure: knows no actor, socket, clock or metric.

mod canonical;
mod refusal;

pub use canonical::{CanonicalUrl, Fingerprint, HostKey};
pub use refusal::OutOfScope;
