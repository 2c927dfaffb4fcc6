//! Redirects and refreshes that set a cookie and lead back to where they came from: pages that are shown only with that
//! cookie.
//!
//! A URL is requested once, because its answer is taken for the same each time. Behind such a redirect it is not: the
//! URL is requested again, with the cookie. The maximum number of redirects in a row bounds how often.

use std::collections::HashMap;

use http::HeaderMap;
use http::header::SET_COOKIE;
use parking_lot::Mutex;

use harvestman_core::url::Fingerprint;

/// Maximum number of chains of redirects that are remembered at a time. That of a URL that is never requested stays
/// until then.
const CHAINS_MAX: usize = 4_096;
/// Maximum number of URLs of a chain that it may lead back to.
const LENGTH_MAX: usize = 8;

/// The redirects that were met, by the URL that they lead to.
#[derive(Debug, Default)]
pub(crate) struct CookieWalls(Mutex<HashMap<Fingerprint, Chain>>);

/// Redirects in a row.
#[derive(Debug, Default)]
struct Chain {
    /// The URLs that redirected, the first one first.
    urls: Vec<Fingerprint>,
    /// Whether one of them set a cookie since the chain last led back.
    has_cookie: bool,
    /// Whether the chain ever led back.
    has_led_back: bool,
}

impl CookieWalls {
    /// Records that `url` redirects to `next`. Returns whether `next` is worth another request: it is `url` itself or
    /// led to it by redirects, of which one has set a cookie meanwhile.
    pub(crate) fn leads_back(&self, url: Fingerprint, next: Fingerprint, headers: &HeaderMap) -> bool {
        self.continues(url, next, headers, |_| true)
    }

    /// The same for a page `url` that refreshes to `next`. Many pages load themselves again from time to time, and set
    /// a cookie each time: what a chain led back to once is taken for such a page.
    pub(crate) fn refreshes_back(&self, url: Fingerprint, next: Fingerprint, headers: &HeaderMap) -> bool {
        self.continues(url, next, headers, |chain| !chain.has_led_back)
    }

    fn continues(
        &self,
        url: Fingerprint,
        next: Fingerprint,
        headers: &HeaderMap,
        may_lead_back: impl Fn(&Chain) -> bool,
    ) -> bool {
        let mut chains = self.0.lock();
        let mut chain = chains.remove(&url).unwrap_or_default();
        chain.has_cookie |= headers.contains_key(SET_COOKIE);
        if !chain.urls.contains(&url) && chain.urls.len() < LENGTH_MAX {
            chain.urls.push(url);
        }
        let leads_back = chain.has_cookie && chain.urls.contains(&next) && may_lead_back(&chain);
        if leads_back {
            (chain.has_cookie, chain.has_led_back) = (false, true);
        }
        // What a full map forgets costs pages behind walls, and nothing else.
        if chains.len() < CHAINS_MAX {
            chains.insert(next, chain);
        } else {
            chains.clear();
        }
        leads_back
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn url(text: &str) -> Fingerprint {
        Fingerprint::of(text)
    }

    fn cookie() -> HeaderMap {
        HeaderMap::from_iter([(SET_COOKIE, HeaderValue::from_static("a=b"))])
    }

    #[test]
    fn a_redirect_to_itself_is_worth_another_request_only_with_a_cookie() {
        let walls = CookieWalls::default();
        assert!(!walls.leads_back(url("a"), url("a"), &HeaderMap::new()));
        assert!(walls.leads_back(url("a"), url("a"), &cookie()));
        assert!(!walls.leads_back(url("a"), url("a"), &HeaderMap::new()), "the cookie was sent back already");
    }

    #[test]
    fn a_cookie_may_be_set_anywhere_on_the_way_back() {
        for setter in ["a", "b", "c"] {
            let walls = CookieWalls::default();
            let headers = |at: &str| if at == setter { cookie() } else { HeaderMap::new() };
            assert!(!walls.leads_back(url("a"), url("b"), &headers("a")));
            assert!(!walls.leads_back(url("b"), url("c"), &headers("b")));
            assert!(walls.leads_back(url("c"), url("a"), &headers("c")), "{setter}");
        }
    }

    #[test]
    fn a_redirect_to_a_page_that_did_not_lead_to_it_is_none() {
        let walls = CookieWalls::default();
        assert!(!walls.leads_back(url("a"), url("home"), &cookie()));
        assert!(!walls.leads_back(url("b"), url("home"), &cookie()), "each page sets a cookie and leads home");
    }

    #[test]
    fn a_page_that_refreshes_to_itself_is_requested_again_once() {
        let walls = CookieWalls::default();
        assert!(!walls.refreshes_back(url("a"), url("a"), &HeaderMap::new()), "it sets no cookie");
        assert!(walls.refreshes_back(url("a"), url("a"), &cookie()));
        assert!(!walls.refreshes_back(url("a"), url("a"), &cookie()), "it is a page that is loaded again");
        assert!(!walls.leads_back(url("b"), url("c"), &cookie()));
        assert!(walls.refreshes_back(url("c"), url("b"), &HeaderMap::new()), "a redirect led to the page");
    }

    #[test]
    fn the_number_of_chains_is_bounded() {
        let walls = CookieWalls::default();
        for number in 0..3 * CHAINS_MAX {
            walls.leads_back(url(&format!("a{number}")), url(&format!("b{number}")), &cookie());
        }
        assert!(walls.0.lock().len() <= CHAINS_MAX);
    }
}
