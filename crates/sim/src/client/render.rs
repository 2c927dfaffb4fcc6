//! Writes the HTML of the site: empty shells, and two pages that are complete.

use super::super::render::Page;
use super::{COMPLETE, Client, ClientRoute};

/// Makes the first page of a list higher than a window, so that the next one is not loaded at once.
const STYLE: &str = "<style>.row{min-height:240px}.end{height:20px}.collection{cursor:pointer}</style>\n";
const END: &str = "</body></html>\n";

/// Writes the HTML of `route`.
pub(super) fn render(site: &Client, route: ClientRoute, page: &mut Page<'_>) {
    page.head(|page| page.raw(&site.title_of(ClientRoute::Home)), "client");
    if COMPLETE.contains(&route) {
        return complete(site, route, page);
    }
    page.raw(STYLE);
    page.raw("<div id=\"app\"></div>\n");
    if let ClientRoute::User(user) = route {
        let state = serde_json::json!({ "user": { "id": site.user_id(user), "name": site.user_name(user) } });
        page.raw("<script>window.__STATE__=");
        page.raw(&state.to_string());
        page.raw("</script>\n");
    }
    page.raw("<script src=\"/app.js\"></script>\n");
    if route == ClientRoute::Home {
        footer(site, page);
    }
    page.raw(END);
}

/// The links of all pages; the script adds them to the shells.
pub(super) const NAVIGATION: [ClientRoute; 4] =
    [ClientRoute::Home, ClientRoute::Help, ClientRoute::About, ClientRoute::Rules];

/// Returns the links of the HTML before its script runs.
pub(super) fn links_in_html(route: ClientRoute) -> &'static [ClientRoute] {
    match route {
        ClientRoute::About | ClientRoute::Rules => &NAVIGATION,
        ClientRoute::Home => &COMPLETE,
        _ => &[],
    }
}

/// The start page leads to the complete pages without a script.
fn footer(site: &Client, page: &mut Page<'_>) {
    page.raw("<footer>");
    links(site, ClientRoute::Home, page);
    page.raw("</footer>\n");
    page.network(2);
}

fn complete(site: &Client, route: ClientRoute, page: &mut Page<'_>) {
    page.raw("<nav>");
    links(site, route, page);
    page.raw("</nav>\n<main><h1>");
    page.raw(label(route));
    page.raw("</h1>\n<p>");
    page.prose(label(route), 0, site.host.shape.options.page_bytes);
    page.raw("</p></main>\n");
    page.network(2);
    page.raw(END);
}

fn links(site: &Client, of: ClientRoute, page: &mut Page<'_>) {
    for route in links_in_html(of) {
        page.link(site, *route, "", label(*route));
        page.raw("\n");
    }
}

const fn label(route: ClientRoute) -> &'static str {
    match route {
        ClientRoute::About => "About",
        ClientRoute::Rules => "Rules",
        ClientRoute::Help => "Help",
        _ => "Home",
    }
}
