//! A page that templates are learned from, again and again.

use std::sync::Arc;

use bytes::Bytes;

use harvestman_core::model::{CLASS_TOKENS_MAX, ClassTokens, LeafPath, ParsedPage};

/// Parses a page again, from its bytes, its content type, and the class names to include in paths. A policy does not
/// depend on the parser.
pub type ReadPage = dyn FnMut(&[u8], Option<&str>, Option<&Arc<ClassTokens>>) -> ParsedPage + Send;

/// A page that is kept to learn from. What was read of it is kept too: a sample is learned from often, and most of its
/// pages look the same each time.
#[derive(Debug, Clone)]
pub struct SamplePage {
    /// Its decoded bytes.
    pub body: Bytes,
    /// Its content type.
    pub content_type: Option<Box<str>>,
    /// Its class names.
    names: Option<Box<[u64]>>,
    /// Those of its class names that the paths include, and the paths.
    bag: Option<(Vec<u64>, Vec<LeafPath>)>,
}

impl SamplePage {
    /// A page of which nothing was read yet.
    pub const fn new(body: Bytes, content_type: Option<Box<str>>) -> Self {
        Self { body, content_type, names: None, bag: None }
    }

    /// Returns its class names, each once.
    pub fn class_names(&mut self, read: &mut ReadPage) -> &[u64] {
        let Self { body, content_type, names, .. } = self;
        names.get_or_insert_with(|| read(body, content_type.as_deref(), None).class_tokens.into())
    }

    /// Returns its leaf paths with the class names among `tokens`.
    pub fn bag(&mut self, tokens: &Arc<ClassTokens>, read: &mut ReadPage) -> &[LeafPath] {
        let names = self.class_names(read);
        // Of so many names the list may lack some that are in the paths.
        let is_whole = names.len() < CLASS_TOKENS_MAX;
        let kept: Vec<u64> = names.iter().copied().filter(|name| tokens.contains(*name)).collect();
        let known = self.bag.take().filter(|(for_names, _)| is_whole && *for_names == kept);
        let bag = known.map_or_else(
            || read(&self.body, self.content_type.as_deref(), Some(tokens)).leaf_paths,
            |(_, paths)| paths,
        );
        &self.bag.insert((kept, bag)).1
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Reads a page with the class names 1 to `names`, whose only path is the sum of those that are kept.
    fn page_with(names: u64, tokens: Option<&Arc<ClassTokens>>) -> ParsedPage {
        let names: Vec<u64> = (1..=names).collect();
        let path = names.iter().filter(|name| tokens.is_some_and(|tokens| tokens.contains(**name))).sum();
        let leaf_paths = vec![LeafPath { path, count: 1, text: None }];
        ParsedPage { leaf_paths, class_tokens: names, ..ParsedPage::default() }
    }

    /// Returns the paths for each of `asked`, and how often the page was read.
    fn bags(names: u64, asked: &[&[u64]]) -> (Vec<u64>, u32) {
        let reads = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&reads);
        let mut read = move |_: &[u8], _: Option<&str>, tokens: Option<&Arc<ClassTokens>>| {
            counted.fetch_add(1, Ordering::Relaxed);
            page_with(names, tokens)
        };
        let mut page = SamplePage::new(Bytes::new(), None);
        let path = |tokens: &&[u64]| page.bag(&Arc::new(tokens.iter().copied().collect()), &mut read)[0].path;
        let paths = asked.iter().map(path).collect();
        (paths, reads.load(Ordering::Relaxed))
    }

    #[test]
    fn a_page_is_read_again_only_where_other_names_of_its_own_are_kept() {
        assert_eq!(bags(3, &[&[1, 2], &[1, 2, 9], &[1, 2], &[1], &[8]]), (vec![3, 3, 3, 1, 0], 4));
    }

    #[test]
    fn a_page_with_more_names_than_are_listed_is_always_read() {
        assert_eq!(bags(CLASS_TOKENS_MAX as u64, &[&[1], &[1], &[1]]), (vec![1, 1, 1], 4));
    }
}
