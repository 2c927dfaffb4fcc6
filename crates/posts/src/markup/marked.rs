//! Finds the elements of a page that carry markup for machines, so that each reader visits only its own.

use crate::tree::{NodeIndex, Tree};

/// The elements that carry each kind of markup, in document order.
#[derive(Debug, Default)]
pub(super) struct Marked {
    /// With `itemscope` or `itemprop`.
    pub microdata: Vec<NodeIndex>,
    /// Whether one has `itemref`.
    pub has_item_references: bool,
    /// With `typeof`, `property` or `vocab`.
    pub rdfa: Vec<NodeIndex>,
    /// With the class of a microformat.
    pub microformats: Vec<NodeIndex>,
}

impl Marked {
    /// Finds them in one pass.
    pub fn of(tree: &Tree) -> Self {
        let mut marked = Self::default();
        for at in tree.all() {
            let (mut is_microdata, mut is_rdfa) = (false, false);
            for (name, value) in tree.attributes(at) {
                match name {
                    "itemscope" | "itemprop" => is_microdata = true,
                    "itemref" => marked.has_item_references = true,
                    "typeof" | "property" | "vocab" => is_rdfa = true,
                    "class" if value.split_ascii_whitespace().any(is_root_class) => marked.microformats.push(at),
                    _ => {}
                }
            }
            marked.microdata.extend(is_microdata.then_some(at));
            marked.rdfa.extend(is_rdfa.then_some(at));
        }
        marked
    }
}

/// Whether a class is that of the root of a microformat.
fn is_root_class(class: &str) -> bool {
    class.starts_with(['h', 'v'])
        && matches!(class, "h-entry" | "h-feed" | "h-card" | "h-cite" | "hentry" | "hfeed" | "vcard")
}

/// Attributes that hold the value of an element, as HTML defines for microdata.
const VALUES: [(&[&str], &str); 6] = [
    (&["audio", "embed", "iframe", "img", "source", "track", "video"], "src"),
    (&["a", "area", "link"], "href"),
    (&["object"], "data"),
    (&["data", "meter"], "value"),
    (&["time"], "datetime"),
    (&["meta"], "content"),
];

/// Returns the value that an element has in an attribute; `None` if its value is its text.
pub(super) fn attribute_value(tree: &Tree, node: NodeIndex) -> Option<&str> {
    let name = tree.name(node);
    let of = VALUES.iter().find(|(names, _)| names.contains(&name)).map(|(_, attribute)| *attribute);
    let found = of.and_then(|attribute| tree.attribute(node, attribute));
    // Only `meta` should have it, but others that are empty carry it as well.
    found.or_else(|| tree.attribute(node, "content").filter(|_| tree.node(node).words == 0))
}
