//! Settings of searches.

use crate::url::without_keys;

crate::options! {
    /// Searches, by which `xcrawl` and `target` find sites: queries are generated from the examples and sent
    /// to search engines; the results that `policy.want` accepts are where the crawl starts.
    pub struct SearchOptions in "search" {
        /// The searches, as addresses with the place of the query:
        /// `https://search.example/search?q={query}&format=json`. Answers may be HTML, RSS, Atom or JSON (the form of
        /// SearXNG and of most others). robots.txt of these hosts is not asked about these addresses, because a user
        /// named them; all other politeness holds. `site` stands for the searches of the seeds' own sites, which are
        /// looked for on the seeds' pages; robots.txt holds for these. Values of parameters that do not select the form
        /// of the answer, such as `format` and `lang` do, may be keys: only requests have them, everything that is
        /// written has `left-out` in their place. Empty: no searches.
        url: Vec<String> = Vec::new(),
        /// Queries that are sent first, as they are.
        query: Vec<String> = Vec::new(),
        /// No further query is sent after this many in succession that found no new site; for results of a site's own
        /// search: no new wanted page. A site's own search is also given up after as many answers
        /// without a new page. Raising it finds rarer sites and costs requests.
        fruitless_max: u32 = 10,
    }
}

/// Maximum number of sites that are added to the crawl, and of seeds on whose pages a search of the site is looked for.
/// What the first ones bring shows whether the searches are good; more would leave too few requests to each site.
pub const SEARCH_SITES_MAX: usize = 20;

/// Stands among the searches for those of the seeds' own sites.
const OWN: &str = "site";

impl SearchOptions {
    /// Returns whether there are searches.
    pub fn is_on(&self) -> bool {
        !self.url.is_empty()
    }

    /// Returns the addresses of the searches that the user named, with stand-ins for their keys.
    pub fn named(&self) -> impl Iterator<Item = String> {
        without_keys(&self.url).filter(|text| text != OWN)
    }

    /// Returns whether the user named a search: a crawl then needs no seed.
    pub fn has_named(&self) -> bool {
        self.url.iter().any(|text| text != OWN)
    }

    /// Returns whether the searches of the seeds' own sites are used.
    pub fn uses_own(&self) -> bool {
        self.url.iter().any(|text| text == OWN)
    }
}
