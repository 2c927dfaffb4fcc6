//! Which site has which model.

use std::collections::HashMap;

use foldhash::fast::FixedState;

/// Maximum number of models; later sites share the one whose pages look most like theirs.
pub(super) const MODELS_MAX: usize = 4_096;
/// Maximum number of sites whose model is known.
pub(super) const SITES_MAX: usize = 1 << 20;

/// The model of each site.
pub(super) type SiteTable = HashMap<Box<str>, u16, FixedState>;

/// The site of a canonical URL: its host, with the port, without `www`.
pub(super) fn site_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::site_of;

    #[test]
    fn the_site_of_a_url_is_its_host_without_www() {
        for (url, site) in [
            ("http://www.a.test/x", "a.test"),
            ("https://a.test", "a.test"),
            ("http://127.0.0.1:81/?q", "127.0.0.1:81"),
            ("http://b.test?x=//c.test/", "b.test"),
        ] {
            assert_eq!(site_of(url), site);
        }
    }
}
