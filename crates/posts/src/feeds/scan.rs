//! Looks at a feed before it is read: what kind it is, and whether its elements are nested within bounds.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use url::Url;

/// Maximum number of entries that are read.
pub(super) const ENTRIES_MAX: usize = 10_000;
/// Maximum nesting of elements. The readers of feeds recur into elements that they do not know.
const DEPTH_MAX: usize = 64;
/// Maximum length of a base, in bytes.
const BASE_BYTES_MAX: usize = 2_048;

/// Kinds of feeds in XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    Rss,
    Atom,
}

/// A feed before its entries are read.
pub(super) struct Scanned<'t> {
    pub root: Root,
    /// Its text without the declaration: its encoding is that of what was fetched.
    pub text: &'t str,
    /// Whether it defines entities, which are not expanded.
    pub declares_entities: bool,
    /// What addresses in its entries are relative to, in their order; empty if that is the feed's own address.
    pub bases: Vec<EntryBase>,
}

/// What the addresses in an entry are relative to (`xml:base`).
#[derive(Debug, Clone)]
pub(super) struct EntryBase {
    pub own: Url,
    /// That of the link which leads to the entry.
    pub link: Option<Url>,
    is_alternate: bool,
}

/// The bases of the elements that are open, with their depths, and those of the entries so far.
struct Bases {
    open: Vec<(usize, Url)>,
    entries: Vec<EntryBase>,
    entry_depth: usize,
}

impl Bases {
    fn start(&mut self, element: &BytesStart<'_>, depth: usize) {
        if let Some(base) = attribute(element, "xml:base")
            && base.len() <= BASE_BYTES_MAX
            && let Some((_, around)) = self.open.last()
            && let Ok(base) = around.join(base.trim())
            && base.as_str().len() <= BASE_BYTES_MAX
        {
            self.open.push((depth, base));
        }
        let Some((_, base)) = self.open.last() else { return };
        match (element.local_name().as_ref(), depth) {
            ("entry", 2) | ("item", 2 | 3) if self.entries.len() < ENTRIES_MAX => {
                self.entries.push(EntryBase { own: base.clone(), link: None, is_alternate: false });
                self.entry_depth = depth;
            }
            ("link", _) if depth == self.entry_depth + 1 => {
                let is_alternate = attribute(element, "rel").is_none_or(|rel| rel == "alternate");
                let entry = self.entries.last_mut();
                if let Some(entry) = entry.filter(|entry| entry.link.is_none() || is_alternate && !entry.is_alternate) {
                    (entry.link, entry.is_alternate) = (Some(base.clone()), is_alternate);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, depth: usize) {
        self.open.pop_if(|(of, _)| *of >= depth && *of > 0);
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok().flatten()?;
    Some(attribute.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
}

/// Scans a feed. Returns `None` of what is no feed, no XML, or too deeply nested.
pub(super) fn scan<'t>(text: &'t str, url: &Url) -> Option<Scanned<'t>> {
    let text = match text.strip_prefix("<?xml") {
        Some(rest) => &rest[rest.find("?>")? + 2..],
        None => text,
    };
    let mut reader = Reader::from_str(text);
    let (mut root, mut depth, mut declares_entities) = (None, 0_usize, false);
    let mut bases =
        text.contains("xml:base").then(|| Bases { open: vec![(0, url.clone())], entries: Vec::new(), entry_depth: 0 });
    loop {
        match reader.read_event().ok()? {
            Event::Start(element) => {
                depth += 1;
                if root.is_none() {
                    root = Some(kind(element.local_name().as_ref())?);
                }
                if depth > DEPTH_MAX {
                    return None;
                }
                bases.iter_mut().for_each(|bases| bases.start(&element, depth));
            }
            Event::Empty(element) => bases.iter_mut().for_each(|bases| {
                bases.start(&element, depth + 1);
                bases.end(depth + 1);
            }),
            Event::End(_) => {
                bases.iter_mut().for_each(|bases| bases.end(depth));
                depth = depth.saturating_sub(1);
            }
            Event::DocType(content) => declares_entities |= content.contains("<!ENTITY"),
            Event::Eof => {
                let bases = bases.map_or_else(Vec::new, |bases| bases.entries);
                return root.map(|root| Scanned { root, text, declares_entities, bases });
            }
            _ => {}
        }
    }
}

fn kind(name: &str) -> Option<Root> {
    match name {
        "feed" => Some(Root::Atom),
        "rss" | "RDF" => Some(Root::Rss),
        _ => None,
    }
}
