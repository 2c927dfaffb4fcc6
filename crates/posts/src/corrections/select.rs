//! Finds the elements of a page that CSS selectors match, in the tree that extraction reads: elements that are not
//! shown, such as scripts, are not there.

use std::collections::HashMap;

use html5ever::{Attribute, LocalName, QualName, ns};
use scraper::node::{Element, Text};
use scraper::{Html, Node as HtmlNode, Selector};

use crate::tree::{NodeIndex, Tree};

/// Returns the elements that each selector matches, in document order. The page is built again as the tree that
/// selectors are matched in, which takes about as long as parsing it.
pub(super) fn select(tree: &Tree, selectors: &[&Selector]) -> Vec<Vec<NodeIndex>> {
    let mut html = Html::new_document();
    let mut ids = vec![html.tree.root().id()];
    let mut index = HashMap::new();
    for (at, node) in tree.nodes().iter().enumerate().skip(1) {
        let Some(mut parent) = html.tree.get_mut(ids[node.parent]) else { return Vec::new() };
        let id = parent.append(html_node(tree, at)).id();
        index.insert(id, at);
        ids.push(id);
    }
    let found = selectors.iter().map(|selector| {
        let mut nodes: Vec<NodeIndex> =
            html.select(selector).filter_map(|element| index.get(&element.id()).copied()).collect();
        nodes.sort_unstable();
        nodes
    });
    found.collect()
}

fn html_node(tree: &Tree, at: NodeIndex) -> HtmlNode {
    let qualified = |name: &str, namespace| QualName::new(None, namespace, LocalName::from(name));
    match tree.name(at) {
        "" => HtmlNode::Text(Text { text: tree.text(at).as_str().into() }),
        name => {
            let attribute =
                |(name, value): (&str, &str)| Attribute { name: qualified(name, ns!()), value: value.into() };
            let attributes = tree.attributes(at).map(attribute);
            HtmlNode::Element(Element::new(qualified(name, ns!(html)), attributes.collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_as_in_the_page_that_is_shown() {
        let source = "<title>t</title><script>x</script><div class='post a1' id=p1><p>one<script>x</script><p data-k=v>two</div>\
            <div class=post><a href='/u/ann'>ann</a> <b>x</b></div><table><tr><td>cell</table>";
        let tree = Tree::parse(source).unwrap();
        let texts = |selector: &str| -> Vec<String> {
            let found = select(&tree, &[&Selector::parse(selector).unwrap()]);
            found[0].iter().map(|node| tree.text(*node)).collect()
        };
        assert_eq!(texts(".post"), ["one two", "ann x"]);
        assert_eq!(texts("div.post > p:nth-child(2)"), ["two"]);
        assert_eq!(texts("[data-k=v], div a[href^='/u/'] + b"), ["two", "x"]);
        assert_eq!(texts("#p1:not(.b) p, tbody td"), ["one", "two", "cell"]);
        assert_eq!(texts("script, h1"), <[&str; 0]>::default());
        assert_eq!(select(&tree, &[]).len(), 0);
    }
}
