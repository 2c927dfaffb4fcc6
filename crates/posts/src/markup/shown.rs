//! Compares texts of markup with the text that the page shows.

use std::collections::HashMap;

use crate::tree::{Content, NodeIndex, Tree};
use crate::words::{Words, hashes};

/// Number of words that are looked for together.
const TOGETHER: usize = 3;
/// Elements that may hold the text of a post, the number of elements around its beginning, and its maximum number of
/// words.
const BLOCKS: [&str; 6] = ["article", "blockquote", "div", "dd", "section", "td"];
const LEVELS: usize = 8;
const WHOLE_WORDS_MAX: usize = 20_000;
/// Maximum number of words of a page that are kept.
const WORDS_MAX: usize = 400_000;

/// The words that a page shows.
#[derive(Debug)]
pub(super) struct Shown {
    together: HashMap<u64, Together, foldhash::fast::FixedState>,
}

/// Words that follow each other.
#[derive(Debug)]
struct Together {
    /// The text that the last one is first in.
    node: NodeIndex,
    /// Whether another one of the same text follows wherever they are.
    is_followed: bool,
}

impl Shown {
    /// Reads a page.
    pub fn of(tree: &Tree) -> Self {
        let mut together: HashMap<u64, Together, _> = HashMap::with_hasher(foldhash::fast::FixedState::with_seed(3));
        let mut words: Vec<u64> = Vec::new();
        for node in tree.all() {
            let Content::Text(text) = tree.content(node) else { continue };
            if words.len() > WORDS_MAX {
                break;
            }
            let start = words.len();
            words.extend(hashes(text));
            for end in (start + 1..=words.len()).filter(|end| *end >= TOGETHER) {
                let is_followed = end < words.len();
                let known = together.entry(fold(&words[end - TOGETHER..end])).or_insert(Together { node, is_followed });
                known.is_followed &= is_followed;
            }
        }
        Self { together }
    }

    /// Returns the share of a text that the page shows: 0 to 1. A text of few words is shown if they are.
    pub fn share(&self, text: &str) -> f64 {
        let words = hashes(text);
        if words.len() < TOGETHER {
            return 1.0;
        }
        let found = words.windows(TOGETHER).filter(|words| self.together.contains_key(&fold(words))).count();
        found as f64 / (words.len() - TOGETHER + 1) as f64
    }

    /// Whether the page shows more of a text where it ends.
    pub fn goes_on(&self, text: &str) -> bool {
        let words = hashes(text);
        let last = words.len().checked_sub(TOGETHER).map(|from| fold(&words[from..]));
        last.is_some_and(|last| self.together.get(&last).is_some_and(|last| last.is_followed))
    }

    /// Returns the whole of a text that was cut short: that of the smallest block which begins with it.
    pub fn whole(&self, tree: &Tree, text: &str) -> Option<String> {
        let cut = Words::of(text);
        let first = self.together.get(&fold(cut.ordered.get(..TOGETHER)?))?;
        let blocks = tree.upwards(first.node).take(LEVELS).filter(|node| BLOCKS.contains(&tree.name(*node)));
        let mut blocks = blocks.take_while(|node| tree.node(*node).words <= WHOLE_WORDS_MAX);
        let block =
            blocks.find(|node| tree.node(*node).words >= cut.len() && cut.begins(&Words::of(&tree.text(*node))))?;
        Some(tree.text(block))
    }
}

fn fold(words: &[u64]) -> u64 {
    words.iter().fold(5, |hash: u64, word| hash.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_texts_are_told_from_others_and_cut_ones() {
        let tree = Tree::parse("<p>One two <b>three</b> four five.</p><p>Six seven eight nine</p>").unwrap();
        let shown = Shown::of(&tree);
        assert_eq!((shown.share("one two three four"), shown.share("nine eight seven")), (1.0, 0.0));
        assert_eq!(shown.share("x"), 1.0);
        assert!(shown.goes_on("two three four") && shown.goes_on("six seven eight…"));
        let cut =
            Tree::parse("<div class=list><div><p>One two three</p><p>four</p></div><div>five</div></div>").unwrap();
        let whole = |text| Shown::of(&cut).whole(&cut, text);
        assert_eq!(
            (whole("one two three fo…").as_deref(), whole("two three four")),
            (Some("One two three four"), None)
        );
        assert!(!shown.goes_on("three four five") && !shown.goes_on("eight nine") && !shown.goes_on("not on the page"));
    }
}
