//! What the classes of elements say of their content: words that templates of all kinds use. They only tip the scales
//! between places that the records themselves do not tell apart.

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
/// Relations of links to what is around a page, and the number of nodes of an element that may be such a link.
const AROUND: [&str; 6] = ["tag", "category", "prev", "next", "bookmark", "shortlink"];
const LINK_NODES: usize = 8;
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

/// Returns whether an element says that it leads to what is around its page, and names no author: it is in a part for
/// navigation, or is or has a link to a tag, or to the page before or behind.
pub(super) fn is_for_navigation(tree: &Tree, node: NodeIndex) -> bool {
    let is_navigation = |above| tree.name(above) == "nav" || tree.attribute(above, "role") == Some("navigation");
    let leads_around = |at| lower(tree, at, "rel").split_ascii_whitespace().any(|word| AROUND.contains(&word));
    tree.inside(node).take(LINK_NODES).any(leads_around) || tree.upwards(node).take(LEVELS).any(is_navigation)
}

/// Returns whether a link leads to the front page of its site: where most links of the page begin. A person may have a
/// site too.
pub(super) fn leads_home(tree: &Tree, node: NodeIndex) -> bool {
    let Some(href) = tree.attribute(node, "href").map(|href| href.trim().trim_end_matches('/')) else { return false };
    let Some((_, host)) = href.split_once("://") else { return href.is_empty() };
    let links = tree.all().filter_map(|at| tree.attribute(at, "href"));
    let absolute: Vec<&str> = links.filter(|link| link.contains("://")).collect();
    let within = absolute.iter().filter(|link| link.starts_with(href)).count();
    !host.contains('/') && 2 * within > absolute.len()
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
    fn the_front_page_is_where_most_links_begin() {
        let links = "<a href=https://h.test/1>s</a><a href=https://h.test/2>s</a>";
        let site = format!("<a id=x class=site-name href=https://h.test/>s</a>{links}");
        assert!(in_page(&site, leads_home) && in_page("<a id=x href=/>s", leads_home));
        assert!(!in_page(&site.replace("h.test/>", "ann.test/>"), leads_home));
        assert!(!in_page(&site.replace("h.test/>", "h.test/ann>"), leads_home));
    }

    #[test]
    fn words_of_classes_are_read() {
        assert!(in_page("<div class='Signature-box'><p><b id=x>s</b></div>", is_aside));
        assert!(!in_page("<div class=has-profile><p id=x>s</div>", is_aside));
        assert!(in_page("<blockquote><p id=x>s", is_quoted) && in_page("<div class=bbQuote><p id=x>s", is_quoted));
        assert!(in_page("<span class=UserName><a id=x href=/12>s", names_person));
        assert!(!in_page("<p><a id=x href=/t/1>s", names_person));
        let around =
            ["<nav><p><a id=x href=/2>s", "<span id=x>in <a rel='category tag' href=/c>c</a>", "<a id=x rel=next>s"];
        assert!(around.iter().all(|source| in_page(source, is_for_navigation)));
        assert!(!in_page("<p><a id=x rel='author nofollow' href=/ann>ann", is_for_navigation));
    }
}
