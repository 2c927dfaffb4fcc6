//! The ground truth of pages that are built in the browser: what a page shows after its script has run.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::site::{ShownPost, Site, View};
use super::truth;

/// What a page shows in one state. Links to other hosts and to traps are not included.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RenderedContent {
    /// The posts, in the order of the page.
    pub posts: Vec<ShownPost>,
    /// The URLs of its anchors in canonical form, without those that only change the fragment.
    pub links: BTreeSet<String>,
}

/// What a page of a site of the family `client` shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenderedPage {
    /// Its URL in canonical form, with the fragment if this selects the content.
    pub url: String,
    /// What its HTML shows without a script.
    pub in_html: RenderedContent,
    /// What it shows after it was loaded, in a window of at most 900 pixels height.
    pub on_load: RenderedContent,
    /// The union of what it shows after it was scrolled to its end and its tabs and its button for more were used as
    /// often as they have an effect.
    pub complete: RenderedContent,
    /// URLs that it opens without a request for a page, by `history.pushState` or a fragment.
    pub routed: BTreeSet<String>,
    /// URLs of the data that it requests for this, in order, without the parameter `_`, which the server ignores, and
    /// without what robots.txt disallows.
    pub requests: Vec<String>,
}

/// Returns what the page of `route` with this fragment (empty, or without the `#`) shows. `None` if it is not rendered.
pub(super) fn page<S: Site>(site: &S, port: &str, route: S::Route, fragment: &str) -> Option<RenderedPage> {
    let rendering = site.rendering(route, fragment)?;
    let absolute = |path: &String| format!("http://{}{port}{path}", site.host().name);
    let shown = |view: View<S::Route>| RenderedContent {
        posts: view.posts,
        links: view.links.into_iter().map(|link| truth::url(site, port, link)).collect(),
    };
    let mut url = truth::url(site, port, route);
    if !fragment.is_empty() {
        url.push('#');
        url.push_str(fragment);
    }
    Some(RenderedPage {
        url,
        in_html: shown(rendering.in_html),
        on_load: shown(rendering.on_load),
        complete: shown(rendering.complete),
        routed: rendering.routed.iter().map(absolute).collect(),
        requests: rendering.requests.iter().map(absolute).collect(),
    })
}

/// Returns what all pages of a site show; none for sites that need no script.
pub(super) fn pages<'a, S: Site>(site: &'a S, port: &'a str) -> Box<dyn Iterator<Item = RenderedPage> + 'a> {
    let pages = site.routes().flat_map(move |route| {
        let fragments = std::iter::once(String::new()).chain(site.fragments(route));
        fragments.filter_map(move |fragment| page(site, port, route, &fragment))
    });
    Box::new(pages)
}

/// Splits an absolute URL into host, path with query, and fragment.
pub(super) fn split_url(url: &str) -> Option<(&str, &str, &str)> {
    let (address, fragment) = url.split_once('#').unwrap_or((url, ""));
    let rest = address.strip_prefix("http://")?;
    let at = rest.find('/')?;
    Some((&rest[..at], &rest[at..], fragment))
}
