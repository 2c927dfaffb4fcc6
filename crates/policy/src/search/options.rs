//! What searches are made from.

use harvestman_core::url::{Canonicaliser, SearchTemplate};
use harvestman_structure::site::QueryOptions;

use super::SiteLimits;

/// Returns the visible text of a page, from its decoded body and its content type; `None` if it has none.
pub type ReadText = dyn FnMut(&[u8], Option<&str>) -> Option<String> + Send;

/// What [`Searching`](super::Searching) is made from.
pub struct SearchingOptions {
    /// The searches. A query is sent to all of them.
    pub templates: Vec<SearchTemplate>,
    /// Maximum number of sites whose own searches are used; 0: none is looked for.
    pub own_max: usize,
    /// Writes the addresses of queries.
    pub canonicaliser: Canonicaliser,
    /// Queries that the user chose, which are sent first.
    pub queries: Vec<String>,
    /// The texts of the example pages; if there are none, the first accepted pages of the crawl are the examples.
    pub samples: Vec<String>,
    /// The parameters of the queries that are generated from the examples.
    pub generation: QueryOptions,
    /// Whether queries are also generated from each example by itself, not only from all together as in the paper.
    pub each_example: bool,
    /// Whether an accepted page of a known site counts as a new result, as in the paper; otherwise only an accepted
    /// page of a new site does.
    pub counts_pages: bool,
    /// When a site is left.
    pub limits: SiteLimits,
    /// Reads the text of a page.
    pub read_text: Box<ReadText>,
}
