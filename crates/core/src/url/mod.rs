//! URLs: the canonical form, the scope of a crawl, the politeness key.
//!
//! Pure: independent of actors, sockets, clocks and metrics. A link on a page is resolved by a [`Resolver`] (which a
//! [`Canonicaliser`] creates for the page), and its canonical text is then checked by the [`Scope`].

mod authority;
mod canonical;
mod canonicalise;
mod escapes;
mod fast;
mod host_groups;
mod moved_seeds;
mod refusal;
mod resolve;
mod scope;
mod search_keys;
mod search_template;
mod strip;
mod surt;
mod trap;
mod whatwg;

#[cfg(test)]
mod tests;

pub use authority::{is_public_suffix, registrable_domain, without_user_info};
pub use canonical::{CanonicalUrl, Fingerprint, HostKey, origin_of};
pub use canonicalise::Canonicaliser;
pub use host_groups::{GROUPED_MAX, HostGroup, HostGroups};
pub use moved_seeds::SeedMove;
pub use refusal::{BadEntry, Error, OutOfScope};
pub use resolve::{CanonicalRef, Resolver};
pub use scope::Scope;
pub use search_keys::{SearchKeys, without_keys};
pub use search_template::SearchTemplate;
pub use surt::surt;
pub use trap::{TrapGuard, TrapLimits, TrapShape};
pub use whatwg::whatwg_href;
