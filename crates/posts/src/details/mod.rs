//! What records have beside author, date and text: identifiers, addresses, what they answer, the thread.

mod identity;
mod links;
mod parent_links;
mod replies;
mod thread;

use url::Url;

pub use identity::{IdRules, Marks};
pub use links::{LinkKind, address_key, kinds_of_links};
pub use parent_links::ParentLinks;
pub use replies::parents;
pub use thread::{thread_of, without_places};

/// Returns an address of a page as a whole one.
pub fn resolve(page: &Url, link: &str) -> Option<String> {
    let link = link.trim();
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
    page.join(link).ok().filter(is_web).map(Into::into)
}
