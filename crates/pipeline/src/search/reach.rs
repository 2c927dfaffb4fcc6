//! How far links may lead.

use harvestman_core::model::Priority;

/// How far a link may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Reach {
    /// Within the scope.
    #[default]
    Scope,
    /// Within the scope: it is a request to a site's own search, or a result of one.
    OwnSearch,
    /// Within the scope: it is a query to a site's own search that is sent after all else.
    OwnSearchLast,
    /// Also to another site, as long as there is room for one: it is a result of a search.
    FoundSite,
    /// Anywhere: it is a query to a search that a user named.
    Anywhere,
}

impl Reach {
    /// Returns when a link with this reach is fetched, of which the policy has decided `priority`.
    pub(crate) const fn priority(self, priority: Priority) -> Priority {
        match self {
            Self::Scope => priority,
            Self::OwnSearch | Self::FoundSite | Self::Anywhere => Priority::Pinned,
            Self::OwnSearchLast => Priority::Last,
        }
    }
}
