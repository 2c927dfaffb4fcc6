//! What the classes of elements say of their content: words that templates of all kinds use. They only tip the scales between
//! places that the records themselves do not tell apart.

use crate::tree::{NodeIndex, Tree};

/// Starts of classes of what belongs to the author or the controls of a record.
const ASIDE: [&str; 10] = [
    "signature",
    "profile",
    "author",
    "avatar",
    "userinfo",
    "user-info",
    "userdetails",
    "footer",
    "toolbar",
    "buttons",
];
/// Parts of classes of texts.
const TEXT: [&str; 5] = ["content", "body", "text", "message", "post"];
/// Parts of classes, properties and addresses of names.
const PERSON: [&str; 9] = ["user", "author", "member", "poster", "creator", "nick", "profile", "person", "name"];
/// Number of elements around a node that tell whether it is in a quote, or aside.
const LEVELS: usize = 5;

/// What the class of an element says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    /// It has the text of a record.
    Text,
    /// It belongs to the author, or to the controls.
    Aside,
    /// Nothing.
    None,
}

impl Hint {
    /// Reads it.
    pub fn of(tree: &Tree, node: NodeIndex) -> Self {
        let classes = lower(tree, node, "class");
        let begins = |class: &str| ASIDE.iter().any(|word| class.starts_with(word));
        if classes.split_ascii_whitespace().any(begins) {
            Self::Aside
        } else if TEXT.iter().any(|word| classes.contains(word)) {
            Self::Text
        } else {
            Self::None
        }
    }

    /// Returns the factor for the place of a text.
    pub const fn weight(self) -> f64 {
        match self {
            Self::Text => 1.02,
            Self::Aside => 0.8,
            Self::None => 1.0,
        }
    }
}

/// Returns whether a node is in a part of its record that belongs to the author, or to the controls.
pub(super) fn is_aside(tree: &Tree, node: NodeIndex) -> bool {
    tree.upwards(node).take(LEVELS).any(|above| Hint::of(tree, above) == Hint::Aside)
}

/// Returns whether a node is in a quote.
pub(super) fn is_quoted(tree: &Tree, node: NodeIndex) -> bool {
    let is_quote = |above| tree.name(above) == "blockquote" || lower(tree, above, "class").contains("quote");
    tree.upwards(node).take(LEVELS).any(is_quote)
}

/// Returns whether a link says by its relation, or an element by its property, that it names the author.
pub(super) fn names_author(tree: &Tree, node: NodeIndex) -> bool {
    let says = |name| lower(tree, node, name).split_ascii_whitespace().any(|word| word == "author");
    says("rel") || says("itemprop")
}

/// Returns whether an element, or the one around it, says that it names a person.
pub(super) fn names_person(tree: &Tree, node: NodeIndex) -> bool {
    let says = |node| {
        let has = |name| {
            let value = lower(tree, node, name);
            PERSON.iter().any(|word| value.contains(word))
        };
        ["class", "itemprop", "href"].into_iter().any(has)
    };
    says(node) || tree.parent(node).is_some_and(says)
}

fn lower(tree: &Tree, node: NodeIndex, name: &str) -> String {
    tree.attribute(node, name).unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_page(source: &str, read: impl Fn(&Tree, NodeIndex) -> bool) -> bool {
        let tree = Tree::parse(source).unwrap();
        let node = (0..tree.nodes().len()).find(|at| tree.attribute(*at, "id") == Some("x")).unwrap();
        read(&tree, node)
    }

    #[test]
    fn words_of_classes_are_read() {
        assert!(in_page("<div class='Signature-box'><p><b id=x>s</b></div>", is_aside));
        assert!(!in_page("<div class=has-profile><p id=x>s</div>", is_aside));
        assert!(in_page("<blockquote><p id=x>s", is_quoted) && in_page("<div class=bbQuote><p id=x>s", is_quoted));
        assert!(in_page("<span class=UserName><a id=x href=/12>s", names_person));
        assert!(!in_page("<p><a id=x href=/t/1>s", names_person));
    }
}
