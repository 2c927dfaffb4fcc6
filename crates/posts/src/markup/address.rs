//! Addresses as a page writes them.

use crate::parsed_page::Page;

/// Returns an address as written in a page as an absolute one; `None` of one that is none of the web.
pub(super) fn absolute(page: &Page, address: &str) -> Option<String> {
    let url = page.url.join(address.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

/// Whether an address is that of the front page of a site.
pub(super) fn is_front(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| url.path() == "/" && url.query().is_none() && url.fragment().is_none())
}

/// Whether an identifier is also an address.
pub(super) fn is_address(id: &str) -> bool {
    id.starts_with(['/', '#']) || id.starts_with("http")
}
