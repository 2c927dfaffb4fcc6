//! Settings of the filter.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

crate::options! {
    /// Which links are followed at all, whatever the policy.
    pub struct FilterOptions in "filter" {
        /// In which order a link is looked up in the set of URLs seen and judged by what the policy has learnt: `graph-dup` judges
        /// first, so that whole groups of links are refused before they are resolved; `dup-graph` looks up first and judges what
        /// is new; `dup-only` does not judge. The first two let the same URLs in.
        order: FilterOrder = FilterOrder::GraphDup,
        /// Whether `nofollow` in a page's `<meta name=robots>` or `X-Robots-Tag` header keeps all its links from being followed.
        nofollow_pages: bool = true,
        /// Whether links marked `rel=nofollow`, `ugc` or `sponsored` are left out. Social sites mark what their users write in
        /// this way, so leaving them out loses much.
        nofollow_links: bool = false,
        /// Whether forms of address that bring nothing new are put last, and refused where their pages lead to ever more of them:
        /// calendars without end, log-in pages that hold the address of a log-in page, options of lists. Without it such a site
        /// ends at a budget alone. It costs some processor time a page, and it may refuse pages of which a hundred like them in a row
        /// showed no new text and no new picture.
        trap_guard: bool = true,
        /// Redirects followed one after the other before the chain fails with `too_many_redirects`.
        redirects_max: u8 = 10,
    }
}

/// The order in which a link is judged by what the policy has learnt of the site and looked up in the set of URLs seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilterOrder {
    /// Judged first: by link class before it is resolved, by its URL's pattern afterwards; what passes is looked up.
    #[default]
    GraphDup,
    /// Looked up first; what is new is judged, and is remembered as seen only if it passes.
    DupGraph,
    /// Looked up only.
    DupOnly,
}

impl FilterOrder {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::GraphDup, Self::DupGraph, Self::DupOnly];

    /// Its name in settings, tables and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GraphDup => "graph-dup",
            Self::DupGraph => "dup-graph",
            Self::DupOnly => "dup-only",
        }
    }
}

impl fmt::Display for FilterOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FilterOrder {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let named = |order: &Self| order.name() == name;
        let known = Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(named).ok_or_else(|| format!("there is no order {name}; there are {known}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_written() {
        for order in FilterOrder::ALL {
            assert_eq!(order.to_string().parse(), Ok(order));
            assert_eq!(serde_json::to_value(order).unwrap(), order.name());
        }
        let unknown = "dup".parse::<FilterOrder>().unwrap_err();
        assert_eq!(unknown, "there is no order dup; there are graph-dup, dup-graph, dup-only");
    }
}
