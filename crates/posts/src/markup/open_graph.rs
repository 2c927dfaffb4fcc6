//! Reads Open Graph and the other `meta` elements of a page.

use super::values::absolute;
use crate::parsed_page::Page;
use crate::records::{PageRecords, PageThread, PageUser};

/// Maximum number of tags.
const TAGS_MAX: usize = 64;

/// Returns what a page says of its thread, or of the person of a profile. Most pages have a title: only that of an
/// article is the title of a thread.
pub(super) fn records(page: &Page) -> PageRecords {
    let meta = |name: &str| page.head.meta(name).filter(|content| !content.is_empty()).map(str::to_owned);
    let address = || meta("og:url").or_else(|| page.head.link("canonical").map(str::to_owned));
    match page.head.meta("og:type") {
        Some("article" | "blog") => {
            let tags = page.head.all_meta("article:tag").take(TAGS_MAX).map(str::to_owned).collect();
            let thread = PageThread {
                url: address().and_then(|url| absolute(page, &url)),
                title: meta("og:title"),
                forums: meta("article:section").into_iter().collect(),
                tags,
            };
            PageRecords { thread: thread.title.is_some().then_some(thread), ..PageRecords::default() }
        }
        Some("profile") => {
            let user = meta("profile:username").or_else(|| meta("og:title")).map(|name| PageUser {
                url: address().and_then(|url| absolute(page, &url)),
                name,
                ..PageUser::default()
            });
            PageRecords { users: user.into_iter().collect(), ..PageRecords::default() }
        }
        _ => PageRecords::default(),
    }
}

/// Returns the names that a page gives its site.
pub(super) fn site_names(page: &Page) -> Vec<&str> {
    let metas = ["og:site_name", "application-name", "apple-mobile-web-app-title"];
    let host = page.url.host_str().unwrap_or_default();
    let named = metas.into_iter().filter_map(|name| page.head.meta(name));
    // `Title - Site`: what stands behind the last dash.
    let titled = page.head.title.as_deref().and_then(|title| title.rsplit_once(['|', '–', '—', '-', '·', '»']));
    let names = named.chain(titled.map(|(_, site)| site.trim())).chain([host, host.trim_start_matches("www.")]);
    names.filter(|name| !name.is_empty()).collect()
}
