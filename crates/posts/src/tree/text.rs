//! The text of a node as it is shown.

use super::{Content, NodeIndex, Tree};

/// Elements that are part of a line of text.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "ins", "kbd", "label", "mark", "q", "s",
    "small", "span", "strong", "sub", "sup", "time", "tt", "u",
];

impl Tree {
    /// Returns whether an element is part of a line of text.
    pub(crate) fn is_inline(&self, at: NodeIndex) -> bool {
        INLINE.contains(&self.name(at))
    }

    /// Returns the text of a node: words separated by single blanks, unless they touch on the same line.
    pub fn text(&self, at: NodeIndex) -> String {
        self.text_without(at, &|_| false)
    }

    /// Returns the text of a node without that of some nodes in it.
    pub fn text_without(&self, at: NodeIndex, is_left_out: &dyn Fn(NodeIndex) -> bool) -> String {
        let (mut text, mut is_apart, mut node) = (String::new(), false, at);
        while node < self.nodes[at].end && !self.is_given_up() {
            if node != at && is_left_out(node) {
                (node, is_apart) = (self.nodes[node].end, true);
                continue;
            }
            match self.content(node) {
                Content::Element(name) => is_apart |= !INLINE.contains(&name),
                Content::Text(part) => {
                    append(&mut text, part, is_apart || self.ends_block_before(node, at));
                    is_apart = false;
                }
            }
            node += 1;
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Returns whether a block within `root` ends right before a node.
    fn ends_block_before(&self, node: NodeIndex, root: NodeIndex) -> bool {
        let Some(before) = node.checked_sub(1).filter(|before| *before > root) else { return false };
        let ended = self.upwards(before).take_while(|above| *above > root && self.nodes[*above].end <= node);
        ended
            .filter(|above| matches!(self.content(*above), Content::Element(_)))
            .any(|above| !INLINE.contains(&self.name(above)))
    }
}

/// Appends a part to a text with its white space collapsed. `is_apart` tells that it is on another line.
fn append(text: &mut String, part: &str, is_apart: bool) {
    if part.is_ascii() {
        append_words(text, part, is_apart, part.split_ascii_whitespace());
    } else {
        append_words(text, part, is_apart, part.split_whitespace());
    }
}

fn append_words<'w>(text: &mut String, part: &str, is_apart: bool, words: impl Iterator<Item = &'w str>) {
    for (number, word) in words.enumerate() {
        let touches = number == 0 && !is_apart && !part.starts_with(char::is_whitespace);
        if !text.is_empty() && !touches && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(word);
    }
    if part.ends_with(char::is_whitespace) {
        text.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_as_shown() {
        let tree = Tree::parse("<title> t </title><p>a<b>b</b> c<br>d<div>e</div>f<script>x</script>g").unwrap();
        assert_eq!(tree.text(0), "ab c d e fg");
        let bold = (0..tree.nodes().len()).find(|at| tree.name(*at) == "b").unwrap();
        assert_eq!(tree.text_without(0, &|at| at == bold), "a c d e fg");
        let apart = Tree::parse("<p><b>a</b> <i>b</i><i>c</i>\n<a href=/>d</a></p>").unwrap();
        assert_eq!(apart.text(0), "a bc d");
    }
}
