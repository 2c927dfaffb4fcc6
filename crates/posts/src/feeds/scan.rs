//! Looks at a feed before it is read: what kind it is, and whether its elements are nested within bounds.

use quick_xml::Reader;
use quick_xml::events::Event;

/// Maximum nesting of elements. The readers of feeds recur into elements that they do not know.
const DEPTH_MAX: usize = 64;

/// Kinds of feeds in XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    Rss,
    Atom,
}

/// Returns the kind of a feed, and its text without the declaration: its encoding is that of what was fetched. Returns `None` of
/// what is no feed, no XML, or too deeply nested.
pub(super) fn root(text: &str) -> Option<(Root, &str)> {
    let text = match text.strip_prefix("<?xml") {
        Some(rest) => &rest[rest.find("?>")? + 2..],
        None => text,
    };
    let mut reader = Reader::from_str(text);
    let (mut root, mut depth) = (None, 0_usize);
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
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Eof => return root.map(|root| (root, text)),
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
