//! The roles of elements in sitemaps and feeds.

/// The role of an element, given its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Not an element: the parent of the root.
    Document,
    /// Any other element.
    Other,
    /// `urlset` or `sitemapindex`. Generators confuse them, so both may contain both types of entries.
    Set,
    /// `url`: a page.
    Page,
    /// `sitemap`: a further sitemap.
    Map,
    /// `loc` of a page.
    PageLoc,
    /// `lastmod` of a page.
    PageLastmod,
    /// `loc` of a further sitemap.
    MapLoc,
    /// `rss`, its `channel`, or RSS 1.0's `rdf:RDF`.
    Rss,
    /// `item` of an RSS feed.
    Item,
    /// `link` of an item.
    ItemLink,
    /// `guid` of an item, which may be its link.
    ItemGuid,
    /// Atom's `feed`.
    Feed,
    /// Atom's `entry`.
    Entry,
}

impl Role {
    /// Returns the role of an element called `local` (in lower case, without prefix) within an element of role `self`.
    /// Extensions use the same names with other prefixes (`image:loc`, `atom:link`): an element that belongs to an
    /// entry has the entry's own prefix.
    pub fn child(self, local: &str, same_prefix: bool) -> Self {
        match (self, local) {
            (_, "urlset" | "sitemapindex") => Self::Set,
            (Self::Set | Self::Document, "url") => Self::Page,
            (Self::Set | Self::Document, "sitemap") => Self::Map,
            (Self::Page, "loc") if same_prefix => Self::PageLoc,
            (Self::Page, "lastmod") if same_prefix => Self::PageLastmod,
            (Self::Map, "loc") if same_prefix => Self::MapLoc,
            (Self::Document, "rss" | "rdf") | (Self::Rss, "channel") => Self::Rss,
            (Self::Rss, "item") => Self::Item,
            (Self::Item, "link") if same_prefix => Self::ItemLink,
            (Self::Item, "guid") if same_prefix => Self::ItemGuid,
            (Self::Document, "feed") => Self::Feed,
            (Self::Feed, "entry") => Self::Entry,
            _ => Self::Other,
        }
    }

    /// Returns whether the element's text is read: a URL, or a date.
    pub fn is_text(self) -> bool {
        matches!(self, Self::PageLoc | Self::PageLastmod | Self::MapLoc | Self::ItemLink | Self::ItemGuid)
    }

    /// Returns whether a document with such an element is a sitemap or feed.
    pub fn is_telling(self) -> bool {
        matches!(self, Self::Set | Self::Page | Self::Map | Self::Rss | Self::Feed)
    }

    /// Returns whether the element ends, even without an end tag, where an element called `local` begins.
    pub fn ends_before(self, local: &str) -> bool {
        matches!(
            (self, local),
            (Self::Page | Self::PageLoc | Self::PageLastmod | Self::Map | Self::MapLoc, "url" | "sitemap")
                | (Self::Item | Self::ItemLink | Self::ItemGuid, "item")
                | (Self::Entry, "entry")
        )
    }
}
