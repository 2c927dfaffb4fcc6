//! Compares what a page shows before and after its scripts ran: pure.

use std::collections::HashSet;

use super::content::{PageContent, word_count};

/// How a rendered page differs from the plain one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageDifference {
    /// Number of links that both have.
    pub links_common: usize,
    /// Links that only the rendered page has, in its order.
    pub links_added: Vec<String>,
    /// Links that only the plain page has, in its order.
    pub links_missing: Vec<String>,
    /// Lines of text that only the rendered page has, in its order, each once.
    pub lines_added: Vec<String>,
    /// Number of words in these lines.
    pub words_added: usize,
}

impl PageDifference {
    /// Compares two documents of a page. Lines are compared as a whole: where a script changes a word, the line counts
    /// as added.
    pub fn between(plain: &PageContent, rendered: &PageContent) -> Self {
        let links_added = only_in(&rendered.links, &plain.links);
        let lines_added = only_in(&rendered.lines, &plain.lines);
        Self {
            links_common: rendered.links.iter().collect::<HashSet<_>>().len() - links_added.len(),
            links_missing: only_in(&plain.links, &rendered.links),
            words_added: lines_added.iter().map(|line| word_count(line)).sum(),
            links_added,
            lines_added,
        }
    }
}

/// Returns the elements of `these` that `others` lacks, each once, in their order.
fn only_in(these: &[String], others: &[String]) -> Vec<String> {
    let mut known: HashSet<&str> = others.iter().map(String::as_str).collect();
    these.iter().filter(|element| known.insert(element)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn content(links: &[&str], lines: &[&str]) -> PageContent {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        PageContent { bytes: 0, links: owned(links), lines: owned(lines) }
    }

    #[test]
    fn links_and_lines_that_only_one_page_has_are_told_in_its_order() {
        let plain = content(&["a", "b", "c"], &["menu", "loading"]);
        let rendered =
            content(&["z", "b", "y", "c"], &["menu", "a post of five words", "menu", "a post of five words"]);
        let expected = PageDifference {
            links_common: 2,
            links_added: vec!["z".to_owned(), "y".to_owned()],
            links_missing: vec!["a".to_owned()],
            lines_added: vec!["a post of five words".to_owned()],
            words_added: 5,
        };
        assert_eq!(PageDifference::between(&plain, &rendered), expected);
        assert_eq!(PageDifference::between(&content(&[], &[]), &content(&[], &[])), PageDifference::default());
    }

    fn any_content() -> impl Strategy<Value = PageContent> {
        let links = proptest::collection::hash_set("[a-e]", 0..5);
        let lines = proptest::collection::vec("[ab]{1,2}( [ab]){0,2}", 0..6);
        (links, lines).prop_map(|(links, lines)| PageContent { bytes: 0, links: links.into_iter().collect(), lines })
    }

    proptest! {
        #[test]
        fn every_link_is_common_or_on_one_page(plain in any_content(), rendered in any_content()) {
            let to = PageDifference::between(&plain, &rendered);
            let back = PageDifference::between(&rendered, &plain);
            prop_assert_eq!(to.links_common + to.links_added.len(), rendered.links.len());
            prop_assert_eq!(to.links_common + to.links_missing.len(), plain.links.len());
            prop_assert_eq!((&to.links_added, &to.links_missing), (&back.links_missing, &back.links_added));
            prop_assert!(to.lines_added.iter().all(|line| rendered.lines.contains(line) && !plain.lines.contains(line)));
            prop_assert!(rendered.lines.iter().all(|line| plain.lines.contains(line) || to.lines_added.contains(line)));
            prop_assert!(to.words_added <= rendered.words());
        }

        #[test]
        fn a_page_adds_nothing_to_itself(page in any_content()) {
            let expected = PageDifference { links_common: page.links.len(), ..PageDifference::default() };
            prop_assert_eq!(PageDifference::between(&page, &page), expected);
        }
    }
}
