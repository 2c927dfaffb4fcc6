//! Places of a page as CSS selectors.

use crate::tree::{NodeIndex, Tree};

/// Maximum number of elements of a path, and of classes of one of them.
const ELEMENTS_MAX: usize = 4;
const CLASSES_MAX: usize = 2;

/// Returns the place of a node within another one, such as `div.post > p.author > a`; that of a text is the element
/// that it is in. Of a long path the first and the last elements remain.
pub fn element_path(tree: &Tree, node: NodeIndex, top: NodeIndex) -> String {
    let inside = tree.upwards(node).take_while(|above| *above >= top && *above != 0);
    let mut elements: Vec<String> =
        inside.filter(|above| !tree.name(*above).is_empty()).map(|above| element(tree, above)).collect();
    elements.reverse();
    if elements.len() <= ELEMENTS_MAX {
        return elements.join(" > ");
    }
    let last = elements.split_off(elements.len() + 1 - ELEMENTS_MAX);
    format!("{} {}", elements[0], last.join(" > "))
}

/// Returns an element as a selector: its name and the classes that have no digits.
fn element(tree: &Tree, node: NodeIndex) -> String {
    let classes = tree.attribute(node, "class").unwrap_or_default().split_ascii_whitespace();
    let classes = classes.filter(|class| is_identifier(class)).take(CLASSES_MAX);
    let name = tree.name(node);
    classes.fold(name.to_owned(), |path, class| path + "." + class)
}

/// Whether a class can be written in a selector as it is, and is not that of a single element.
fn is_identifier(class: &str) -> bool {
    let starts = class.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && class.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_selectors() {
        let tree = Tree::parse(
            "<div class='post odd p12 -'><p><b>x</b></p><ul class='a b c'><li><i><u><a>n</a></u></i></li></ul></div>",
        )
        .unwrap();
        let find = |name: &str| (0..tree.nodes().len()).find(|at| tree.name(*at) == name).unwrap();
        let post = find("div");
        assert_eq!(element_path(&tree, find("b"), post), "div.post.odd > p > b");
        assert_eq!(element_path(&tree, find("b") + 1, post), "div.post.odd > p > b");
        assert_eq!(element_path(&tree, find("a"), post), "div.post.odd i > u > a");
        assert_eq!(element_path(&tree, find("a"), find("ul")), "ul.a.b i > u > a");
        assert_eq!(element_path(&tree, post, post), "div.post.odd");
        assert_eq!(element_path(&tree, find("p"), 0), "html > body > div.post.odd > p");
    }
}
