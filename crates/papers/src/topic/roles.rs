//! What pages and links are for.

use serde::{Deserialize, Serialize};

use harvestman_core::model::LinkPosition;
use harvestman_core::url::Fingerprint;

/// What a page is for (section 3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum PageRole {
    /// Links to many pictures and their uploaders.
    List,
    /// Shows one picture with its tags and its uploader.
    Detail,
    /// Describes a user: their tags and contacts.
    Profile,
    /// Lists the pictures that carry one tag. In the paper it is a list page; here its address identifies the tag.
    Tag,
    /// None of these.
    #[default]
    Other,
}

impl PageRole {
    /// The number of roles.
    pub const COUNT: usize = 5;

    /// All roles, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] = [Self::List, Self::Detail, Self::Profile, Self::Tag, Self::Other];

    /// Whether pages of this role link to pictures and their uploaders.
    pub const fn is_list(self) -> bool {
        matches!(self, Self::List | Self::Tag)
    }
}

/// The key of a page by its address: the lower half of its fingerprint. It names users by their profile and tags by
/// their page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlKey(pub u64);

impl UrlKey {
    /// The key of the page of this canonical address without its query, so that all pages of a tag's list have one key.
    pub fn without_query(url: &str) -> Self {
        Self::from(Fingerprint::of(url.split(['?', '#']).next().unwrap_or(url)))
    }
}

impl From<Fingerprint> for UrlKey {
    fn from(url: Fingerprint) -> Self {
        Self(url.0 as u64)
    }
}

/// A link on a page, with the role of the page that it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleLink {
    /// The page that it leads to.
    pub target: UrlKey,
    /// The role of that page; `None` where it is not known.
    pub role: Option<PageRole>,
    /// Its position in the tree of the page.
    pub place: LinkPosition,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_numbered_in_their_order() {
        PageRole::ALL.iter().enumerate().for_each(|(number, role)| assert_eq!(*role as usize, number));
    }

    #[test]
    fn pages_of_one_list_have_one_key_without_their_query() {
        let first = UrlKey::from(Fingerprint::of("http://h.test/tag/sky"));
        assert_eq!(UrlKey::without_query("http://h.test/tag/sky?page=2"), first);
        assert_ne!(UrlKey::without_query("http://h.test/tag/sea"), first);
    }
}
