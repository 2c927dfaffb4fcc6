//! Settings of the link filter.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

crate::options! {
    /// Which links are followed at all, with any policy.
    pub struct FilterOptions in "filter" {
        /// The order in which a link is looked up in the set of URLs seen and filtered by what the policy has learned:
        /// `graph-dup` filters first, so that whole groups of links are refused before they are resolved; `dup-graph`
        /// looks up first and filters the new ones; `dup-only` does not filter. The first two accept the same URLs.
        order: FilterOrder = FilterOrder::GraphDup,
        /// Whether none of a page's links are followed if `nofollow` is in its `<meta name=robots>` or `X-Robots-Tag`
        /// header, or in one of these that is addressed to `robots.agent`.
        nofollow_pages: bool = true,
        /// Whether links marked `rel=nofollow`, `ugc` or `sponsored` are left out. Social sites mark their users' links
        /// in this way, so leaving them out loses much.
        nofollow_links: bool = false,
        /// Whether URL forms that bring nothing new are put last, and refused if their pages lead to ever more of them:
        /// endless calendars, log-in pages that contain the address of a log-in page, options of lists. Without it,
        /// only a budget ends a crawl of such a site. It costs some processor time per page, and it may refuse pages of
        /// a form if a hundred of them in a row showed no new text and no new picture.
        trap_guard: bool = true,
        /// Whether pages are told that a server sends in place of those that are asked for: challenges, log-in walls,
        /// soft 404s. Such a page is one text that comes for many addresses whose form has shown something else. Its
        /// links and text do not count. Where it comes several times in a row, the host is paused (`host.block_pause`)
        /// and its URLs wait; elsewhere the URL fails with `soft_404`. A page that looks like one waits for the next
        /// pages of its host before it counts.
        substitutes: bool = true,
    }
}

/// The order in which a link is filtered by what the policy has learned of the site and looked up in the set of URLs
/// seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilterOrder {
    /// Filtered first: by link class before it is resolved, then by its URL's pattern; the accepted links are looked
    /// up.
    #[default]
    GraphDup,
    /// Looked up first; new links are filtered, and are remembered as seen only if they are accepted.
    DupGraph,
    /// Only looked up.
    DupOnly,
}

impl FilterOrder {
    /// All orders.
    pub const ALL: [Self; 3] = [Self::GraphDup, Self::DupGraph, Self::DupOnly];

    /// Returns its name in settings, tables and metrics.
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
