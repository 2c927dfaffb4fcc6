//! Tells from the source of a page whether its scripts have something to fetch or to fill: pure.
//!
//! A page says so where it hands its scripts an address of its site, or has an empty element that they can name. Most
//! pages with scripts do neither: theirs change what is shown, and a render adds nothing.

use memchr::memchr_iter;

use crate::replay::{HTML_BYTES_MAX, HtmlItem, scan_html, scan_strings, truncate};

/// Prefixes of attributes that hand values to scripts.
const VALUE_ATTRIBUTES: [&str; 2] = ["data-", "hx-"];
/// Elements that scripts fill, if they have a name. Others, such as `i` and `span`, are empty for their look.
const CONTAINERS: [&str; 9] = ["div", "section", "main", "article", "aside", "ul", "ol", "dl", "tbody"];
/// Parts of names of elements that get content, not notices or menus.
const CONTENT_NAMES: [&str; 15] = [
    "app", "root", "main", "content", "comment", "repl", "post", "feed", "list", "thread", "result", "article",
    "discuss", "review", "answer",
];
/// Maximum length of the start tag of an empty element, in bytes.
const TAG_BYTES_MAX: usize = 1_024;
/// Maximum length of an address, in bytes.
const ADDRESS_BYTES_MAX: usize = 2_048;
/// Ends of paths of files that are part of the look of a page.
const ASSETS: [&str; 17] = [
    "js", "mjs", "css", "map", "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "woff", "woff2", "ttf",
    "mp4", "mp3",
];

/// Returns whether the source of a page of this origin (scheme, host and port) hints that its scripts add content.
pub fn has_hints(source: &[u8], origin: &str) -> bool {
    let source = String::from_utf8_lossy(&source[..source.len().min(HTML_BYTES_MAX)]);
    has_empty_container(&source) || hands_over_address(&source, origin)
}

/// Returns whether an inline script or an attribute for scripts has an address of the site.
fn hands_over_address(source: &str, origin: &str) -> bool {
    let mut is_found = false;
    scan_html(source, &mut |item| match item {
        HtmlItem::Script(script) if !is_found => {
            scan_strings(script, &mut |text| is_found |= is_address(text, origin));
        }
        HtmlItem::Tag(_, attributes) if !is_found => {
            let for_scripts = |name: &str| VALUE_ATTRIBUTES.iter().any(|prefix| name.starts_with(prefix));
            is_found = attributes.iter().any(|(name, value)| for_scripts(name) && is_address(value, origin));
        }
        HtmlItem::Tag(..) | HtmlItem::Script(_) | HtmlItem::Text(_) => {}
    });
    is_found
}

/// Returns whether a text is the address of something on this origin that is no part of the look of a page.
fn is_address(text: &str, origin: &str) -> bool {
    if text.len() > ADDRESS_BYTES_MAX || text.contains(char::is_whitespace) {
        return false;
    }
    let path = match text.strip_prefix(origin.trim_end_matches('/')) {
        Some(path) if !origin.is_empty() => path,
        _ => text,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let is_path =
        path.strip_prefix('/').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    let is_asset =
        path.rsplit_once('.').is_some_and(|(_, end)| ASSETS.iter().any(|asset| end.eq_ignore_ascii_case(asset)));
    is_path && !is_asset
}

/// Returns whether there is an element without content for a script to fill: a container whose `id` names content, or
/// that has a value for scripts beside an `id`, or an element that only a script can define.
fn has_empty_container(source: &str) -> bool {
    memchr_iter(b'>', source.as_bytes()).any(|end| {
        let Some(closing) = source[end + 1..].trim_ascii_start().strip_prefix("</") else { return false };
        let from = truncate_start(source, end);
        let Some((_, tag)) = source[from..end].rsplit_once('<') else { return false };
        let name_end = tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(tag.len());
        let (name, attributes) = tag.split_at(name_end);
        let is_closed = !name.is_empty() && truncate(closing, name.len()).eq_ignore_ascii_case(name);
        let is_container = CONTAINERS.iter().any(|container| container.eq_ignore_ascii_case(name));
        is_closed && (name.contains('-') || (is_container && is_for_content(attributes)))
    })
}

/// Returns where the text of at most [`TAG_BYTES_MAX`] bytes before `end` begins.
fn truncate_start(source: &str, end: usize) -> usize {
    let mut from = end.saturating_sub(TAG_BYTES_MAX);
    while !source.is_char_boundary(from) {
        from += 1;
    }
    from
}

fn is_for_content(attributes: &str) -> bool {
    let attributes = attributes.to_ascii_lowercase();
    let mut parts = attributes.split_ascii_whitespace();
    let Some(id) = parts.clone().find_map(|part| part.strip_prefix("id=")) else { return false };
    CONTENT_NAMES.iter().any(|name| id.contains(name)) || parts.any(|part| part.starts_with("data-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ORIGIN: &str = "https://a.example";

    fn hints(source: &str) -> bool {
        has_hints(source.as_bytes(), ORIGIN)
    }

    #[test]
    fn an_address_for_scripts_is_a_hint() {
        for source in [
            "<script>load('/t/1/replies?sort=thread')</script>",
            "<script>var data = {\"url\": \"https:\\/\\/a.example\\/ajax.php\"}</script>",
            "<script type=application/json>{\"next\":\"/api/list\"}</script>",
            "<button data-url=/more/2>more</button>",
            "<div hx-get='/part'>x</div>",
            "<script data-isso=\"/isso/\" src=/embed.js></script>",
        ] {
            assert!(hints(source), "{source}");
        }
    }

    #[test]
    fn an_empty_element_with_a_name_is_a_hint() {
        for source in [
            "<div id=app></div>",
            "<UL class=x ID='list'>\n</UL>",
            "<my-app></my-app>",
            "é<div id=comments></div",
            "<div data-topic=5 id=x></div>",
        ] {
            assert!(hints(source), "{source}");
        }
    }

    #[test]
    fn what_only_changes_the_look_is_none() {
        for source in [
            "<script>document.querySelectorAll('.js-tab'); go('/'); a = 'text with /paths in it'</script>",
            "<script>load('//ads.example/x', 'https://b.example/y', '/static/a.js?v=1', \"/i/p.PNG\")</script>",
            "<a href=/t/1>x</a><form action=/search></form><img data-src=/i/1.jpg>",
            "<div id=messages></div><section id=x class=list></section>",
            "<div></div><div class=clear></div><i id=x></i><span id=y></span><div id=z>text</div><div id=q><p></div>",
            "<div data-id=1></div><div grid=1></div>",
        ] {
            assert!(!hints(source), "{source}");
        }
    }

    proptest! {
        #[test]
        fn any_source_is_read(source in "(<[a-z]{1,4}( id=.)?>|</[a-z]{1,4}>|<script>|['\"/a-zé\\\\\\s]{0,6}){0,14}") {
            hints(&source);
        }

        #[test]
        fn plain_text_around_it_does_not_matter(text in "[a-z é]{0,40}") {
            let with = format!("{text}<div id=app></div>{text}");
            let without = format!("{text}<div>{text}</div>");
            prop_assert!(hints(&with));
            prop_assert!(!hints(&without));
        }
    }
}
