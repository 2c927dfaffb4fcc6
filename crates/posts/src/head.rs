//! What a page says of itself outside of what it shows: its head, and its JSON-LD.

use harvestman_core::model::{PageNode, PageTree};

/// Maximum number of JSON-LD scripts of a page, and their bytes in all.
const SCRIPTS_MAX: usize = 64;
const SCRIPT_BYTES_MAX: usize = 2 << 20;
/// Maximum number of `meta` and of `link` elements, and maximum length of a value of them, in bytes.
const METAS_MAX: usize = 256;
const LINKS_MAX: usize = 64;
const VALUE_BYTES_MAX: usize = 8 << 10;
/// Relations that are kept.
const RELATIONS: [&str; 5] = ["canonical", "next", "prev", "previous", "alternate"];
/// Ends of the media types of feeds; other alternates are not kept.
const FEEDS: [&str; 4] = ["rss+xml", "atom+xml", "feed+json", "application/json"];

/// What a page says of itself outside of what it shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageHead {
    /// Its title.
    pub title: Option<String>,
    /// Its `meta` elements. Those with `itemprop` are only kept from the head: in the body they are properties of
    /// items.
    pub metas: Vec<PageMeta>,
    /// Its `link` elements that lead to the page itself, the pages next to it, or feeds.
    pub links: Vec<PageLink>,
    /// The texts of its JSON-LD scripts.
    pub json_ld: Vec<String>,
    script_bytes: usize,
}

/// A `meta` element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageMeta {
    /// Its `property`, `name` or `itemprop`.
    pub name: String,
    /// Its content.
    pub content: String,
}

/// A `link` element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// Its relation: `canonical`, `next`, `prev` or `alternate`.
    pub relation: &'static str,
    /// Its address as written.
    pub href: String,
    /// The media type of what it leads to.
    pub media_type: Option<String>,
}

impl PageHead {
    /// Returns the content of the first `meta` element with this name.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.metas.iter().find(|meta| meta.name.eq_ignore_ascii_case(name)).map(|meta| meta.content.trim())
    }

    /// Returns the contents of all `meta` elements with this name.
    pub fn all_meta(&self, name: &str) -> impl Iterator<Item = &str> {
        self.metas.iter().filter(move |meta| meta.name.eq_ignore_ascii_case(name)).map(|meta| meta.content.trim())
    }

    /// Returns the address as written of the first `link` element with this relation.
    pub fn link(&self, relation: &str) -> Option<&str> {
        self.links.iter().find(|link| link.relation == relation).map(|link| link.href.as_str())
    }

    /// Keeps what an element says, if it is one of those that are kept. `is_in_head` tells where it is.
    pub(crate) fn see(&mut self, page: &PageTree, node: PageNode, is_in_head: bool) {
        let attribute = |name: &str| page.attribute(node, name);
        match page.name(node) {
            "meta" => self.see_meta(attribute, is_in_head),
            "link" => self.see_link(attribute),
            "script" => self.see_script(attribute("type").unwrap_or_default(), page.text_in(node)),
            "title" if self.title.is_none() => {
                let title = page.text_in(node).split_whitespace().collect::<Vec<_>>().join(" ");
                self.title = Some(title).filter(|title| (1..=VALUE_BYTES_MAX).contains(&title.len()));
            }
            _ => {}
        }
    }

    fn see_meta<'p>(&mut self, attribute: impl Fn(&str) -> Option<&'p str>, is_in_head: bool) {
        let name = attribute("property").or_else(|| attribute("name"));
        let name = name.or_else(|| attribute("itemprop").filter(|_| is_in_head));
        let (Some(name), Some(content)) = (name, attribute("content")) else { return };
        if self.metas.len() < METAS_MAX && name.len() + content.len() <= VALUE_BYTES_MAX {
            self.metas.push(PageMeta { name: name.trim().to_owned(), content: content.to_owned() });
        }
    }

    fn see_link<'p>(&mut self, attribute: impl Fn(&str) -> Option<&'p str>) {
        let (Some(relations), Some(href)) = (attribute("rel"), attribute("href")) else { return };
        let named = |name: &&&str| relations.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(name));
        let Some(relation) = RELATIONS.iter().find(named) else { return };
        let relation = if *relation == "previous" { "prev" } else { relation };
        let media_type = attribute("type").map(|media_type| media_type.trim().to_ascii_lowercase());
        let is_feed = media_type.as_ref().is_some_and(|of| FEEDS.iter().any(|feed| of.ends_with(feed)));
        if self.links.len() < LINKS_MAX && href.len() <= VALUE_BYTES_MAX && (is_feed || relation != "alternate") {
            self.links.push(PageLink { relation, href: href.trim().to_owned(), media_type });
        }
    }

    fn see_script(&mut self, media_type: &str, text: &str) {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/ld+json") || self.json_ld.len() >= SCRIPTS_MAX {
            return;
        }
        if self.script_bytes + text.len() <= SCRIPT_BYTES_MAX {
            self.script_bytes += text.len();
            self.json_ld.push(text.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parsed_page::Page;

    use super::*;

    fn head(source: &str) -> PageHead {
        Page::parse(&"https://e.example/".parse().unwrap(), source, jiff::civil::date(2020, 1, 1).at(0, 0, 0, 0))
            .unwrap()
            .head
    }

    #[test]
    fn what_a_page_says_of_itself_is_kept() {
        let head = head(
            "<title> A\n title </title><meta property=og:title content=T><meta name=author content=ann>\
             <meta itemprop=name content=N><link rel=canonical href=/a><link rel='previous' href=/0>\
             <link rel=alternate type=application/atom+xml href=/feed><link rel=alternate hreflang=de href=/de>\
             <script type='application/ld+json'>{\"a\":1}</script><script>x()</script>\
             <p>text<meta itemprop=url content=/x><svg><title>no</title></svg>\
             <script type='Application/LD+JSON; charset=utf-8'>[]</script>",
        );
        assert_eq!(head.title.as_deref(), Some("A title"));
        assert_eq!(
            (head.meta("OG:title"), head.meta("author"), head.meta("name")),
            (Some("T"), Some("ann"), Some("N"))
        );
        assert_eq!((head.meta("url"), head.link("canonical"), head.link("prev")), (None, Some("/a"), Some("/0")));
        assert_eq!(head.links.iter().filter(|link| link.relation == "alternate").count(), 1);
        assert_eq!(head.json_ld, ["{\"a\":1}", "[]"]);
    }

    #[test]
    fn the_head_of_any_page_is_bounded() {
        let many =
            "<meta name=a content=b><script type=application/ld+json>1</script><link rel=next href=/>".repeat(999);
        let head = head(&many);
        assert_eq!((head.metas.len(), head.links.len(), head.json_ld.len()), (METAS_MAX, LINKS_MAX, SCRIPTS_MAX));
        let long = "x".repeat(SCRIPT_BYTES_MAX);
        let script = format!("<script type=application/ld+json>{long}</script>");
        assert_eq!(self::head(&format!("{script}{script}<title>{long}</title>")).json_ld.len(), 1);
    }
}
