//! Traverses the elements of a sitemap or feed.
//!
//! The meaning of an element depends on its parent and its local name ([`Role`]), so that an `image:loc` is not a page
//! and any namespace prefix is accepted. A missing end tag is implied by what follows. Where the markup cannot be
//! parsed further, or is nested too deeply, reading stops. The URLs up to there are returned, except one that is
//! incomplete. Entities that a document defines are never expanded: an address with one is left out and counted.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::QName;
use xxhash_rust::xxh3::xxh3_64;

use super::collect::{Collector, SitemapError};
use super::decode::beginning;
use super::elements::{Role, read_lastmod};

/// Parses a document into `collector`.
pub fn read(markup: &str, nesting: usize, collector: &mut Collector) -> Result<(), SitemapError> {
    let mut reader = Reader::from_str(markup);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut walk = Walk {
        open: Vec::new(),
        text: String::new(),
        item: None,
        first: 0,
        lastmod: None,
        recognised: false,
        is_unreadable: false,
        declares_entities: false,
        collector,
    };
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(event) => walk.event(&event)?,
            Err(_) => {
                walk.collector.cut = true;
                break;
            }
        }
        if walk.open.len() > nesting {
            walk.collector.cut = true;
            break;
        }
    }
    walk.finish()
}

/// An open element.
struct Open {
    name: u64,
    prefix: u64,
    role: Role,
    /// Whether it has a base of its own.
    is_based: bool,
}

/// The state of the traversal.
struct Walk<'c> {
    open: Vec<Open>,
    /// The text so far of the element whose text is read.
    text: String,
    /// The page that the current RSS item names so far.
    item: Option<String>,
    /// The first page that the current entry of a sitemap names, and the `lastmod` of the entry.
    first: usize,
    lastmod: Option<u64>,
    recognised: bool,
    /// Whether that text has an entity of unknown meaning.
    is_unreadable: bool,
    /// Whether the document defines entities.
    declares_entities: bool,
    collector: &'c mut Collector,
}

impl Walk<'_> {
    fn event(&mut self, event: &Event<'_>) -> Result<(), SitemapError> {
        match event {
            Event::DocType(name) if starts_with_ignoring_case(name, "html") => return Err(SitemapError::Html),
            Event::Start(tag) => self.start(tag)?,
            Event::Empty(tag) => {
                self.start(tag)?;
                self.end(tag.name());
            }
            Event::End(tag) => self.end(tag.name()),
            Event::Text(text) => self.push_text(text),
            Event::CData(text) => self.push_text(text),
            Event::GeneralRef(reference) => self.push_reference(reference),
            Event::DocType(name) => self.declares_entities |= name.contains("<!ENTITY"),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::Eof => {}
        }
        Ok(())
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), SitemapError> {
        let (local, prefix) = tag.name().decompose();
        let local = local.as_ref().to_ascii_lowercase();
        if self.open.is_empty() && local == "html" {
            return Err(SitemapError::Html);
        }
        while self.open.last().is_some_and(|open| open.role.ends_before(&local)) {
            self.close_last();
        }
        let prefix = xxh3_64(prefix.map(|prefix| prefix.into_inner()).unwrap_or_default().as_bytes());
        let (parent, same_prefix) =
            self.open.last().map_or((Role::Document, true), |open| (open.role, open.prefix == prefix));
        let mut role = parent.child(&local, same_prefix);
        let is_based = self.rebase(tag);
        match (parent, role) {
            (Role::Page, Role::Other) if local == "link" => self.link(tag, Link::Stated),
            (Role::Entry, Role::Other) if local == "link" && same_prefix => self.link(tag, Link::StatedOrImplied),
            (_, Role::ItemGuid) if attribute(tag, "isPermaLink").is_some_and(|value| value == "false") => {
                role = Role::Other
            }
            _ => {}
        }
        if role.is_text() {
            self.text.clear();
            self.is_unreadable = false;
        }
        if role == Role::Page {
            (self.first, self.lastmod) = (self.collector.pages(), None);
        }
        self.recognised |= role.is_telling();
        self.open.push(Open { name: hash(tag.name()), prefix, role, is_based });
        Ok(())
    }

    /// Closes the innermost element of this name and all within it. An end tag without an open element is ignored.
    fn end(&mut self, name: QName<'_>) {
        let name = hash(name);
        if let Some(at) = self.open.iter().rposition(|open| open.name == name) {
            while self.open.len() > at {
                self.close_last();
            }
        }
    }

    fn close_last(&mut self) {
        let Some(open) = self.open.pop() else { return };
        match open.role {
            Role::PageLoc | Role::MapLoc | Role::ItemLink | Role::ItemGuid if self.is_unreadable => {
                self.collector.drop_unreadable(&self.text);
            }
            Role::PageLoc => self.collector.page(&self.text),
            Role::PageLastmod => self.lastmod = read_lastmod(&self.text),
            Role::Page => self.finish_entry(),
            Role::MapLoc => self.collector.sitemap(&self.text),
            Role::ItemLink if !self.text.trim().is_empty() => self.item = Some(self.collector.based(&self.text)),
            Role::ItemGuid if starts_with_ignoring_case(self.text.trim(), "http") && self.item.is_none() => {
                self.item = Some(self.text.clone());
            }
            Role::Item => self.finish_item(),
            _ => {}
        }
        if open.is_based {
            self.collector.end_base();
        }
    }

    fn finish_item(&mut self) {
        if let Some(item) = self.item.take() {
            self.collector.page(&item);
        }
    }

    fn finish_entry(&mut self) {
        if let Some(lastmod) = self.lastmod.take() {
            self.collector.date(self.first, lastmod);
        }
    }

    fn finish(mut self) -> Result<(), SitemapError> {
        // A truncated item may have named its page already.
        self.finish_item();
        self.finish_entry();
        if self.recognised { Ok(()) } else { Err(SitemapError::NotASitemap) }
    }

    /// Handles `<link rel=alternate href=…>`: the same page in another language, or an entry's page.
    fn link(&mut self, tag: &BytesStart<'_>, kind: Link) {
        let is_alternate = match attribute(tag, "rel") {
            Some(rel) => rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("alternate")),
            None => kind == Link::StatedOrImplied,
        };
        if let Some(href) = raw_attribute(tag, "href").filter(|_| is_alternate) {
            let is_unreadable = self.declares_entities && has_unknown_entity(&href);
            let href = htmlize::unescape_attribute(href);
            if is_unreadable { self.collector.drop_unreadable(&href) } else { self.collector.page(&href) }
        }
    }

    /// Resolves what is in an element against its `xml:base`. Returns whether it has one.
    fn rebase(&mut self, tag: &BytesStart<'_>) -> bool {
        // Few tags have any attribute of that name, and a sitemap has many tags.
        if !tag.attributes_raw().contains("base") {
            return false;
        }
        attribute(tag, "xml:base").map(|base| self.collector.begin_base(base.trim())).is_some()
    }

    /// Appends text of an element whose text is read, at most one byte beyond the length limit.
    fn push_text(&mut self, text: &str) {
        if !self.open.last().is_some_and(|open| open.role.is_text()) {
            return;
        }
        let text = if self.text.is_empty() { text.trim_start() } else { text };
        let room = (self.collector.url_limit() + 1).saturating_sub(self.text.len());
        self.text.push_str(beginning(text, room));
    }

    fn push_reference(&mut self, reference: &BytesRef<'_>) {
        match reference.resolve_char_ref() {
            Ok(Some(c)) => self.push_text(c.encode_utf8(&mut [0; 4])),
            _ => match quick_xml::escape::resolve_predefined_entity(reference) {
                Some(text) => self.push_text(text),
                None => {
                    // In a query, an undefined name is mostly behind an unescaped `&`: `?a=1&amp;b;c` was meant.
                    self.is_unreadable |= self.declares_entities || !self.text.contains('?');
                    self.push_text("&");
                    self.push_text(reference);
                    self.push_text(";");
                }
            },
        }
    }
}

/// Whether a link must be marked explicitly as an alternate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Stated,
    StatedOrImplied,
}

fn hash(name: QName<'_>) -> u64 {
    xxh3_64(name.as_ref().as_bytes())
}

/// Returns the value of an attribute, with entities decoded. Malformed attributes are skipped.
pub fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    Some(htmlize::unescape_attribute(raw_attribute(tag, name)?).into_owned())
}

/// Returns the value of an attribute as written.
pub fn raw_attribute<'t>(tag: &'t BytesStart<'_>, name: &str) -> Option<Cow<'t, str>> {
    let mut attributes = tag.html_attributes();
    attributes.with_checks(false);
    let found = attributes.flatten().find(|attribute| attribute.key.as_ref().eq_ignore_ascii_case(name))?;
    Some(found.value)
}

/// Returns whether a value as written has an entity that neither XML nor HTML knows.
pub fn has_unknown_entity(value: &str) -> bool {
    value.split('&').skip(1).any(|part| {
        let Some((name, _)) = part.split_once(';') else { return false };
        let is_name =
            name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || "-_.:".contains(c));
        let written = format!("&{name};");
        is_name && htmlize::unescape(written.as_str()) == written
    })
}

fn starts_with_ignoring_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}
