//! URLs: the canonical form, the scope of a crawl, the host that politeness is owed to.
//!
//! Pure: knows no actor, socket, clock or metric. A link on a page goes through a [`Resolver`] (which a
//! [`Canonicaliser`] makes for the page), and its canonical text then through the [`Scope`].

mod authority;
mod base;
mod canonical;
mod canonicalise;
mod domain;
mod error;
mod escapes;
mod fast;
mod groups;
mod host_pattern;
mod query;
mod refusal;
mod resolve;
mod scope;
mod strip;
mod surt;
mod trap;
mod whatwg;

#[cfg(test)]
mod tests;

pub use canonical::{CanonicalUrl, Fingerprint, HostKey, origin_of};
pub use canonicalise::Canonicaliser;
pub use domain::registrable_domain;
pub use error::{BadEntry, Error};
pub use groups::{GROUPED_MAX, HostGroup, HostGroups};
pub use refusal::OutOfScope;
pub use resolve::{CanonicalRef, Resolver};
pub use scope::Scope;
pub use surt::surt;
pub use trap::{TrapGuard, TrapShape};
pub use whatwg::whatwg_href;
